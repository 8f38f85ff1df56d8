/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * What compile_kit.h says to a host, and what it makes of a host's layers.
 */
#include "armnn/compile_kit.h"
#include "harness.h"

/* ---- A host that listens ------------------------------------------------------------------- */

typedef struct listener_t {
  const char* refuses; /* the function that does, or "" */
  uint32_t layers[4];
  armnn_slot_t inputs[4], originals[4], replacements[4];
  const armnn_tensor_info_t* output_infos[4];
  uint64_t layer_count, input_count, output_count;
  void* object;
  char name[128];
} listener_t;

static armnn_status_t begin(void* context, const uint32_t* layers, uint64_t layer_count,
                            uint64_t* out_token) {
  listener_t* self = (listener_t*)context;
  if (strcmp(self->refuses, "begin") == 0) return ARMNN_STATUS_INVALID_ARGUMENT;
  self->layer_count = layer_count;
  memcpy(self->layers, layers, layer_count * sizeof *layers);
  *out_token = 7;
  return ARMNN_STATUS_OK;
}

static armnn_status_t add(void* context, uint64_t token, const armnn_layer_t* layer) {
  listener_t* self = (listener_t*)context;
  CHECK_EQUAL(token, 7);
  if (strcmp(self->refuses, "add") == 0) return ARMNN_STATUS_INVALID_ARGUMENT;
  CHECK_EQUAL(layer->type, ARMNN_LAYER_PRE_COMPILED);
  CHECK_EQUAL(layer->descriptor->struct_type, ARMNN_STRUCT_DESCRIPTOR + ARMNN_LAYER_PRE_COMPILED);
  const armnn_pre_compiled_descriptor_t* d = (const void*)layer->descriptor;
  CHECK_EQUAL(d->input_count, layer->input_count);
  CHECK_EQUAL(d->output_count, layer->output_count);
  for (uint32_t i = 0; i < layer->input_count; ++i) {
    CHECK_EQUAL(layer->inputs[i].layer, ARMNN_SLOT_BOUNDARY);
    CHECK_EQUAL(layer->inputs[i].slot, i);
  }
  for (uint32_t k = 0; k < layer->output_count; ++k) {
    self->output_infos[k] = layer->output_infos[k];
  }
  memcpy(self->name, layer->name.data, layer->name.size);
  self->object = layer->blob->object;
  return ARMNN_STATUS_OK;
}

static armnn_status_t end(void* context, uint64_t token, const armnn_slot_t* inputs,
                          uint64_t input_count, const armnn_slot_t* originals,
                          const armnn_slot_t* replacements, uint64_t output_count) {
  listener_t* self = (listener_t*)context;
  CHECK_EQUAL(token, 7);
  if (strcmp(self->refuses, "end") == 0) return ARMNN_STATUS_INVALID_ARGUMENT;
  self->input_count = input_count;
  self->output_count = output_count;
  memcpy(self->inputs, inputs, input_count * sizeof *inputs);
  memcpy(self->originals, originals, output_count * sizeof *originals);
  memcpy(self->replacements, replacements, output_count * sizeof *replacements);
  return ARMNN_STATUS_OK;
}

static void check_slot(armnn_slot_t slot, uint32_t layer, uint32_t number) {
  CHECK_EQUAL(slot.layer, layer);
  CHECK_EQUAL(slot.slot, number);
}

/* ---- Parts --------------------------------------------------------------------------------- */

static int object, released;

static void release(void* given) {
  CHECK(given == &object);
  ++released;
}

static const armnn_tensor_info_t infos[3];

/* Two layers, of which the outputs 0 of the second and 1 of the first are read outside. */
static armnn_status_t replace(listener_t* listener, const armnn_part_place_t* place,
                              const char* name) {
  static const armnn_tensor_info_t* const first_infos[] = {&infos[0], &infos[1]};
  static const armnn_tensor_info_t* const second_infos[] = {&infos[2]};
  static const armnn_slot_t outputs[] = {{1, 0}, {0, 1}};
  const armnn_layer_t first = {
      .name = {name, strlen(name)}, .output_count = 2, .output_infos = first_infos};
  const armnn_layer_t second = {.output_count = 1, .output_infos = second_infos};
  const armnn_layer_t* const layers[] = {&first, &second};
  const armnn_subgraph_t part = {.layers = layers,
                                 .input_infos = first_infos,
                                 .outputs = outputs,
                                 .layer_count = 2,
                                 .input_count = 1,
                                 .output_count = 2};
  const armnn_blob_t blob = {.header = {sizeof blob, ARMNN_STRUCT_BLOB},
                             .object = &object,
                             .release = release,
                             .compatibility = {"v1", 2}};
  const armnn_optimization_sink_t sink = {
      .context = listener, .begin_substitution = begin, .add_layer = add, .end_substitution = end};
  released = 0;
  return armnn_replace_part(&sink, &part, place, "acme", &blob);
}

static void a_part_is_replaced(void) {
  listener_t got = {.refuses = ""};
  CHECK_EQUAL(replace(&got, NULL, "conv"), ARMNN_STATUS_OK);
  CHECK_EQUAL(released, 0);
  CHECK(got.object == &object);
  CHECK_EQUAL(got.layer_count, 2);
  CHECK_EQUAL(got.layers[0], 0);
  CHECK_EQUAL(got.layers[1], 1);
  CHECK_EQUAL(got.input_count, 1);
  check_slot(got.inputs[0], ARMNN_SLOT_BOUNDARY, 0);
  CHECK_EQUAL(got.output_count, 2);
  check_slot(got.originals[0], 1, 0);
  check_slot(got.originals[1], 0, 1);
  check_slot(got.replacements[0], 0, 0);
  check_slot(got.replacements[1], 0, 1);
  CHECK(got.output_infos[0] == &infos[2]);
  CHECK(got.output_infos[1] == &infos[1]);
  CHECK(strcmp(got.name, "acme: conv") == 0);
}

static void a_part_of_the_part_says_where_it_lies(void) {
  static const uint32_t numbers[] = {4, 6};
  static const armnn_slot_t sources[] = {{3, 1}}, targets[] = {{6, 0}, {4, 1}};
  const armnn_part_place_t place = {numbers, sources, targets};
  listener_t got = {.refuses = ""};
  CHECK_EQUAL(replace(&got, &place, ""), ARMNN_STATUS_OK);
  CHECK_EQUAL(got.layers[0], 4);
  CHECK_EQUAL(got.layers[1], 6);
  check_slot(got.inputs[0], 3, 1);
  check_slot(got.originals[0], 6, 0);
  check_slot(got.originals[1], 4, 1);
  check_slot(got.replacements[1], 0, 1);
  CHECK(strcmp(got.name, "acme") == 0);
}

static void what_the_host_does_not_take_is_released_once(void) {
  static const char* const functions[] = {"begin", "add", "end"};
  for (int i = 0; i < 3; ++i) {
    listener_t got = {.refuses = functions[i]};
    CHECK_EQUAL(replace(&got, NULL, "conv"), ARMNN_STATUS_INVALID_ARGUMENT);
    CHECK_EQUAL(released, i < 2); /* by then the host has it */
  }
}

static void names_are_cut_between_characters(void) {
  char name[80] = "";
  for (int i = 0; i < 63; ++i) name[i] = 'a';
  strcpy(name + 63, "\xc3\xa9!"); /* two bytes, the second would be the 65th */
  listener_t got = {.refuses = ""};
  CHECK_EQUAL(replace(&got, NULL, name), ARMNN_STATUS_OK);
  CHECK_EQUAL(strlen(got.name), strlen("acme: ") + 63);
}

static void an_object_is_known_by_its_text(void) {
  armnn_blob_t blob = {.header = {sizeof blob, ARMNN_STRUCT_BLOB},
                       .object = &object,
                       .release = release,
                       .compatibility = {"v1", 2}};
  armnn_workload_info_t info = {.type = ARMNN_LAYER_PRE_COMPILED, .blob = &blob};
  CHECK(armnn_part_object(&info, "v1") == &object);
  CHECK(armnn_part_object(&info, "v2") == NULL);
  CHECK(armnn_part_object(&info, "v12") == NULL);
  CHECK(armnn_part_object(&info, "v") == NULL);
  info.blob = NULL;
  CHECK(armnn_part_object(&info, "v1") == NULL);
  info.blob = &blob;
  info.type = ARMNN_LAYER_ADDITION;
  CHECK(armnn_part_object(&info, "v1") == NULL);
}

/* ---- Layers -------------------------------------------------------------------------------- */

static void a_layer_becomes_a_part(void) {
  const armnn_tensor_info_t* const input_infos[] = {&infos[0], NULL, &infos[1], &infos[2]};
  const armnn_tensor_info_t* const output_infos[] = {&infos[1], &infos[2]};
  const armnn_const_tensor_t constant = {.info = &infos[0]};
  const armnn_const_tensor_t* const constants[] = {&constant, NULL, NULL, NULL};
  const armnn_workload_info_t info = {.guid = 5,
                                      .type = ARMNN_LAYER_CONCAT,
                                      .input_count = 4,
                                      .output_count = 2,
                                      .name = {"join", 4},
                                      .input_infos = input_infos,
                                      .constants = constants,
                                      .output_infos = output_infos};
  armnn_layer_part_t* made = armnn_part_of_layer(&info);
  CHECK(made != NULL);
  CHECK_EQUAL(made->consumed, 1);
  CHECK_EQUAL(made->part.layer_count, 1);
  CHECK_EQUAL(made->part.input_count, 2);
  CHECK_EQUAL(made->part.output_count, 2);
  CHECK_EQUAL(made->inputs[0], 2);
  CHECK_EQUAL(made->inputs[1], 3);
  CHECK(made->part.input_infos[0] == &infos[1]);
  CHECK(made->part.input_infos[1] == &infos[2]);
  check_slot(made->part.outputs[0], 0, 0);
  check_slot(made->part.outputs[1], 0, 1);
  const armnn_layer_t* layer = made->part.layers[0];
  CHECK_EQUAL(layer->guid, 5);
  CHECK_EQUAL(layer->type, ARMNN_LAYER_CONCAT);
  CHECK_EQUAL(layer->name.size, 4);
  check_slot(layer->inputs[0], ARMNN_SLOT_CONSTANT, 0);
  CHECK_EQUAL(layer->inputs[1].layer, ARMNN_SLOT_ABSENT);
  check_slot(layer->inputs[2], ARMNN_SLOT_BOUNDARY, 0);
  check_slot(layer->inputs[3], ARMNN_SLOT_BOUNDARY, 1);
  CHECK(layer->constants == constants);
  free(made);
}

/* What the mask of consumed inputs has no bit for comes as an address. */
static void the_constants_from_64_on_are_inputs(void) {
  enum { MANY = 70 };
  const armnn_tensor_info_t* input_infos[MANY];
  const armnn_const_tensor_t constant = {.info = &infos[0]};
  const armnn_const_tensor_t* constants[MANY];
  for (int i = 0; i < MANY; ++i) {
    input_infos[i] = &infos[0];
    constants[i] = &constant;
  }
  const armnn_workload_info_t info = {.type = ARMNN_LAYER_CONCAT,
                                      .input_count = MANY,
                                      .input_infos = input_infos,
                                      .constants = constants};
  armnn_layer_part_t* made = armnn_part_of_layer(&info);
  CHECK(made != NULL);
  CHECK(made->consumed == UINT64_MAX);
  CHECK_EQUAL(made->part.input_count, MANY - 64);
  CHECK_EQUAL(made->inputs[0], 64);
  CHECK_EQUAL(made->inputs[MANY - 65], MANY - 1);
  free(made);
}

/* ---- Values and cuts ----------------------------------------------------------------------- */

/* in 0 -> L0 -> L1 -> L3 -> L4 -> out, L0 -> L2 -> L3, in 1 -> L4; L2 has two outputs, of which the
 * second leaves the part; L1 reads a constant. */
typedef struct diamond_t {
  armnn_layer_t layers[5];
  const armnn_layer_t* pointers[5];
  armnn_slot_t slots[5][3];
  armnn_slot_t outputs[2];
  armnn_subgraph_t part;
} diamond_t;

static armnn_slot_t slot(uint32_t layer, uint32_t number) {
  return (armnn_slot_t){.layer = layer, .slot = number};
}

static const armnn_tensor_info_t* const five_infos[] = {&infos[0], &infos[1], &infos[2], &infos[0],
                                                        &infos[1]};

static void make_diamond(diamond_t* d) {
  const armnn_slot_t slots[5][3] = {
      {slot(ARMNN_SLOT_BOUNDARY, 0)},
      {slot(0, 0), slot(ARMNN_SLOT_CONSTANT, 1)},
      {slot(0, 0), slot(ARMNN_SLOT_ABSENT, 1)},
      {slot(1, 0), slot(2, 0)},
      {slot(3, 0), slot(ARMNN_SLOT_BOUNDARY, 1), slot(3, 0)},
  };
  memset(d, 0, sizeof *d);
  memcpy(d->slots, slots, sizeof slots);
  const uint32_t counts[] = {1, 2, 2, 2, 3};
  for (uint32_t l = 0; l < 5; ++l) {
    d->layers[l] = (armnn_layer_t){.guid = 10 + l,
                                   .input_count = counts[l],
                                   .output_count = l == 2 ? 2 : 1,
                                   .inputs = d->slots[l],
                                   .output_infos = &five_infos[l == 2 ? 0 : l]};
    d->pointers[l] = &d->layers[l];
  }
  d->outputs[0] = slot(4, 0);
  d->outputs[1] = slot(2, 1);
  d->part = (armnn_subgraph_t){.layers = d->pointers,
                               .input_infos = five_infos,
                               .outputs = d->outputs,
                               .layer_count = 5,
                               .input_count = 2,
                               .output_count = 2};
}

static void values_know_who_reads_them(void) {
  diamond_t d;
  make_diamond(&d);
  armnn_part_values_t* values = armnn_values_of_part(&d.part);
  CHECK(values != NULL);
  CHECK_EQUAL(values->count, 8);
  const uint32_t expected[8][2] = {
      /* how many readers, the first of them */
      {1, 0}, {1, 4}, {2, 1}, {1, 3}, {1, 3}, {1, ARMNN_NO_LAYER}, {2, 4}, {1, ARMNN_NO_LAYER}};
  for (uint32_t v = 0; v < 8; ++v) {
    CHECK_EQUAL(armnn_reader_count(values, v), expected[v][0]);
    CHECK_EQUAL(values->readers[values->first[v]], expected[v][1]);
    const uint32_t only = expected[v][0] == 1 ? expected[v][1] : ARMNN_NO_LAYER;
    CHECK_EQUAL(armnn_only_reader(values, v), only);
  }
  CHECK_EQUAL(values->readers[values->first[2] + 1], 2);
  CHECK_EQUAL(armnn_value_of(values, slot(ARMNN_SLOT_BOUNDARY, 1)), 1);
  CHECK_EQUAL(armnn_value_of(values, slot(2, 1)), 5);
  CHECK_EQUAL(armnn_value_of(values, slot(3, 0)), 6);
  free(values);
}

static void layers_are_cut_out(void) {
  diamond_t d;
  make_diamond(&d);
  const uint32_t layers[] = {1, 2, 3};
  armnn_cut_part_t* cut = NULL;
  CHECK_EQUAL(armnn_cut_part(&d.part, layers, 3, &cut), ARMNN_STATUS_OK);
  CHECK_EQUAL(cut->part.layer_count, 3);
  CHECK_EQUAL(cut->part.input_count, 1); /* read by two layers, and once an input */
  check_slot(cut->place.inputs[0], 0, 0);
  CHECK(cut->part.input_infos[0] == five_infos[0]);
  const armnn_layer_t* const* made = cut->part.layers;
  CHECK_EQUAL(made[0]->guid, 11);
  check_slot(made[0]->inputs[0], ARMNN_SLOT_BOUNDARY, 0);
  check_slot(made[0]->inputs[1], ARMNN_SLOT_CONSTANT, 1);
  check_slot(made[1]->inputs[0], ARMNN_SLOT_BOUNDARY, 0);
  check_slot(made[1]->inputs[1], ARMNN_SLOT_ABSENT, 1);
  check_slot(made[2]->inputs[0], 0, 0);
  check_slot(made[2]->inputs[1], 1, 0);
  CHECK_EQUAL(cut->part.output_count, 2);
  check_slot(cut->part.outputs[0], 1, 1); /* leaves the whole part */
  check_slot(cut->place.outputs[0], 2, 1);
  check_slot(cut->part.outputs[1], 2, 0); /* read by layer 4 */
  check_slot(cut->place.outputs[1], 3, 0);
  for (uint32_t n = 0; n < 3; ++n) CHECK_EQUAL(cut->place.layers[n], n + 1);
  free(cut);
}

static void all_layers_are_a_cut_too(void) {
  diamond_t d;
  make_diamond(&d);
  const uint32_t layers[] = {0, 1, 2, 3, 4};
  armnn_cut_part_t* cut = NULL;
  CHECK_EQUAL(armnn_cut_part(&d.part, layers, 5, &cut), ARMNN_STATUS_OK);
  CHECK_EQUAL(cut->part.input_count, 2);
  check_slot(cut->part.layers[4]->inputs[1], ARMNN_SLOT_BOUNDARY, 1);
  CHECK_EQUAL(cut->part.output_count, 2); /* in the order of the layers */
  check_slot(cut->part.outputs[0], 2, 1);
  check_slot(cut->part.outputs[1], 4, 0);
  free(cut);
}

static void what_cannot_run_as_one_is_not_cut(void) {
  diamond_t d;
  make_diamond(&d);
  static const uint32_t around[] = {0, 1, 3}, apart[] = {1, 4}, twice[] = {1, 1}, beyond[] = {5};
  static const uint32_t beside[] = {1, 2}, hollow[] = {0, 4};
  armnn_cut_part_t* cut = NULL;
  CHECK_EQUAL(armnn_cut_part(&d.part, around, 3, &cut), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(cut == NULL);
  CHECK_EQUAL(armnn_cut_part(&d.part, apart, 2, &cut), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_cut_part(&d.part, hollow, 2, &cut), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_cut_part(&d.part, twice, 2, &cut), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_cut_part(&d.part, beyond, 1, &cut), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_cut_part(&d.part, beside, 0, &cut), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_cut_part(&d.part, beside, 2, &cut), ARMNN_STATUS_OK); /* side by side */
  free(cut);
}

static const test_t tests[] = {
    TEST(values_know_who_reads_them),
    TEST(layers_are_cut_out),
    TEST(all_layers_are_a_cut_too),
    TEST(what_cannot_run_as_one_is_not_cut),
    TEST(a_part_is_replaced),
    TEST(a_part_of_the_part_says_where_it_lies),
    TEST(what_the_host_does_not_take_is_released_once),
    TEST(names_are_cut_between_characters),
    TEST(an_object_is_known_by_its_text),
    TEST(a_layer_becomes_a_part),
    TEST(the_constants_from_64_on_are_inputs),
};
MAIN(tests)
