/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Hashes of parts and the files of compile_cache.h.
 */
#define _POSIX_C_SOURCE 200809L /* mkdtemp, mkfifo */
#include "armnn/compile_cache.h"
#include "harness.h"

/* ---- Hashes ---------------------------------------------------------------------------------- */

/* The algorithm as the header tells it, once more. */
static uint64_t mixed(uint64_t hash, uint64_t word, uint64_t factor) {
  hash = (hash ^ word) * factor;
  return hash ^ (hash >> 29);
}

static void bytes_are_hashed_as_the_header_says(void) {
  armnn_hash_t hash = armnn_hash_bytes(armnn_hash_start(), "abcdefghij", 10);
  uint64_t a = UINT64_C(0xcbf29ce484222325), b = UINT64_C(0x9ae16a3b2f90404f);
  const uint64_t words[] = {UINT64_C(0x6867666564636261), 0x6a69, 10};
  for (int i = 0; i < 3; ++i) {
    a = mixed(a, words[i], UINT64_C(0x9e3779b97f4a7c15));
    b = mixed(b, words[i] + a, UINT64_C(0xc2b2ae3d27d4eb4f));
  }
  CHECK(hash.a == a && hash.b == b);
  armnn_hash_t split = armnn_hash_bytes(armnn_hash_bytes(armnn_hash_start(), "ab", 2), "c", 1);
  armnn_hash_t whole = armnn_hash_bytes(armnn_hash_bytes(armnn_hash_start(), "a", 1), "bc", 2);
  CHECK(!armnn_hash_equal(split, whole));
}

typedef struct network_t {
  armnn_tensor_info_t info, weights_info;
  float scale;
  int32_t zero_point;
  uint64_t weights[3];
  armnn_const_tensor_t constant;
  armnn_activation_descriptor_t activation;
  armnn_view_t views[2];
  armnn_concat_descriptor_t concat;
  const armnn_tensor_info_t* infos[2];
  const armnn_const_tensor_t* constants[2];
  armnn_slot_t slots[2][2], outputs[1];
  armnn_layer_t layers[2];
  const armnn_layer_t* pointers[2];
  armnn_subgraph_t part;
} network_t;

static void make_network(network_t* n) {
  memset(n, 0, sizeof *n);
  n->scale = 0.5f;
  n->info = (armnn_tensor_info_t){.data_type = ARMNN_DATA_TYPE_QASYMM_S8,
                                  .rank = 1,
                                  .dims = {4},
                                  .scales = &n->scale,
                                  .zero_points = &n->zero_point,
                                  .quantization_count = 1,
                                  .quantization_dim = -1};
  n->weights_info = (armnn_tensor_info_t){
      .data_type = ARMNN_DATA_TYPE_SIGNED64, .rank = 1, .dims = {3}, .quantization_dim = -1};
  n->constant = (armnn_const_tensor_t){
      .info = &n->weights_info, .data = n->weights, .size = sizeof n->weights};
  n->activation.header.struct_size = sizeof n->activation;
  n->activation.function = ARMNN_ACTIVATION_RELU;
  n->concat = (armnn_concat_descriptor_t){
      .header = {sizeof n->concat, 0}, .axis = 1, .view_count = 2, .views = n->views};
  n->infos[0] = n->infos[1] = &n->info;
  n->constants[1] = &n->constant;
  n->slots[0][0] = (armnn_slot_t){ARMNN_SLOT_BOUNDARY, 0};
  n->slots[1][0] = (armnn_slot_t){0, 0};
  n->slots[1][1] = (armnn_slot_t){ARMNN_SLOT_CONSTANT, 1};
  n->layers[0] = (armnn_layer_t){.guid = 1,
                                 .type = ARMNN_LAYER_ACTIVATION,
                                 .input_count = 1,
                                 .output_count = 1,
                                 .name = {"one", 3},
                                 .descriptor = &n->activation.header,
                                 .inputs = n->slots[0],
                                 .input_infos = n->infos,
                                 .output_infos = n->infos};
  n->layers[1] = (armnn_layer_t){.guid = 2,
                                 .type = ARMNN_LAYER_CONCAT,
                                 .input_count = 2,
                                 .output_count = 1,
                                 .descriptor = &n->concat.header,
                                 .inputs = n->slots[1],
                                 .input_infos = n->infos,
                                 .constants = n->constants,
                                 .output_infos = n->infos};
  n->pointers[0] = &n->layers[0];
  n->pointers[1] = &n->layers[1];
  n->outputs[0] = (armnn_slot_t){1, 0};
  n->part = (armnn_subgraph_t){.layers = n->pointers,
                               .input_infos = n->infos,
                               .outputs = n->outputs,
                               .layer_count = 2,
                               .input_count = 1,
                               .output_count = 1};
}

static armnn_hash_t hash_of(const network_t* n) {
  return armnn_hash_part(armnn_hash_start(), &n->part);
}

static void equal_parts_have_one_hash(void) {
  static network_t one, other; /* at two addresses */
  make_network(&one);
  make_network(&other);
  other.layers[0].guid = 77;
  other.layers[0].name = (armnn_string_t){"another name", 12};
  other.activation.header.struct_type = 5;
  CHECK(armnn_hash_equal(hash_of(&one), hash_of(&other)));
}

static void a_longer_descriptor_of_zeros_is_the_same(void) {
  static network_t n;
  static struct {
    armnn_activation_descriptor_t known;
    uint64_t later;
  } longer;
  make_network(&n);
  const armnn_hash_t before = hash_of(&n);
  longer.known = n.activation;
  longer.known.header.struct_size = sizeof longer;
  n.layers[0].descriptor = &longer.known.header;
  CHECK(armnn_hash_equal(before, hash_of(&n)));
  longer.later = 1;
  CHECK(!armnn_hash_equal(before, hash_of(&n)));
}

static void every_difference_counts(void) {
  static network_t n;
  make_network(&n);
  const armnn_hash_t before = hash_of(&n);
#define DIFFERS(change)                            \
  do {                                             \
    make_network(&n);                              \
    change;                                        \
    CHECK(!armnn_hash_equal(before, hash_of(&n))); \
  } while (0)
  DIFFERS(n.activation.function = ARMNN_ACTIVATION_TANH);
  DIFFERS(n.activation.a = 1);
  DIFFERS(n.concat.axis = 0);
  DIFFERS(n.views[1].origin[0] = 2);
  DIFFERS(n.concat.view_count = 1);
  DIFFERS(n.weights[2] = 1);
  DIFFERS(n.layers[1].constants = NULL);
  DIFFERS(n.info.dims[0] = 5);
  DIFFERS(n.info.rank = 0);
  DIFFERS(n.info.data_type = ARMNN_DATA_TYPE_QASYMM_U8);
  DIFFERS(n.scale = 0.25f);
  DIFFERS(n.zero_point = 1);
  DIFFERS(n.info.quantization_dim = 0);
  DIFFERS(n.slots[1][0].layer = ARMNN_SLOT_BOUNDARY);
  DIFFERS(n.outputs[0].layer = 0);
  DIFFERS(n.layers[0].type = ARMNN_LAYER_DEBUG);
  DIFFERS(n.layers[0].fields_used = 1);
  DIFFERS(n.layers[1].input_count = 1);
  DIFFERS(n.part.layer_count = 1);
}

/* ---- Files ----------------------------------------------------------------------------------- */

static char folder[] = "/tmp/armnn_cache_XXXXXX";
static const armnn_hash_t key = {0x1234, 0xfedc};
static char path[128];

/* Of a part with one operator of another domain: |gain| and |mode| are its attributes. */
static armnn_hash_t hash_of_operator(const char* name, double gain, const char* mode) {
  char own_name[16], own_mode[16]; /* at addresses of their own, which must not count */
  snprintf(own_name, sizeof own_name, "%s", name);
  snprintf(own_mode, sizeof own_mode, "%s", mode);
  const armnn_string_t text = {own_mode, strlen(own_mode)};
  const armnn_attribute_t attributes[2] = {
      {{"gain", 4}, ARMNN_ATTRIBUTE_REAL, 0, 1, &gain},
      {{"mode", 4}, ARMNN_ATTRIBUTE_STRING, 0, 1, &text},
  };
  armnn_stand_in_descriptor_t descriptor = {
      .header = {sizeof descriptor, ARMNN_STRUCT_DESCRIPTOR + ARMNN_LAYER_STAND_IN},
      .version = 1,
      .domain = {"com.acme", 8},
      .name = {own_name, strlen(own_name)},
      .attribute_count = 2,
      .attributes = attributes,
  };
  return armnn_i_hash_descriptor(armnn_hash_start(), ARMNN_LAYER_STAND_IN, &descriptor.header);
}

static void operators_are_hashed_by_what_they_are(void) {
  const armnn_hash_t one = hash_of_operator("Swirl", 1.0, "fast");
  CHECK(armnn_hash_equal(one, hash_of_operator("Swirl", 1.0, "fast")));
  CHECK(!armnn_hash_equal(one, hash_of_operator("Twirl", 1.0, "fast")));
  CHECK(!armnn_hash_equal(one, hash_of_operator("Swirl", 2.0, "fast")));
  CHECK(!armnn_hash_equal(one, hash_of_operator("Swirl", 1.0, "slow")));
}

static void begin(void) {
  memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
  CHECK(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/0000000000001234000000000000fedc.acme", folder);
}

static void end(void) {
  unlink(path);
  CHECK_EQUAL(rmdir(folder), 0); /* and nothing else was left */
}

static char words[512]; /* the reason of the last load or store */

static armnn_status_t load(armnn_hash_t of, char** out_object, uint64_t* out_size) {
  armnn_error_t reason = armnn_error_in(words, sizeof words);
  return armnn_cache_load(folder, of, "acme", (void**)out_object, out_size, &reason);
}

static armnn_status_t store(const char* where, const char* object, uint64_t size) {
  armnn_error_t reason = armnn_error_in(words, sizeof words);
  return armnn_cache_store(where, key, "acme", object, size, &reason);
}

static void the_path_is_what_is_written(void) {
  char told[128];
  begin();
  CHECK_EQUAL(armnn_cache_path(folder, key, "acme", told, sizeof told), ARMNN_STATUS_OK);
  CHECK(strcmp(told, path) == 0);
  CHECK_EQUAL(armnn_cache_path(folder, key, "acme", told, strlen(path) + 1), ARMNN_STATUS_OK);
  CHECK_EQUAL(armnn_cache_path(folder, key, "acme", told, strlen(path)),
              ARMNN_STATUS_INVALID_ARGUMENT);
  end();
}

static void what_is_stored_is_loaded(void) {
  begin();
  uint64_t size = 7;
  char* object = folder;
  CHECK_EQUAL(load(key, &object, &size), ARMNN_STATUS_UNAVAILABLE);
  CHECK(object == NULL);
  CHECK_EQUAL(size, 0);
  CHECK_EQUAL(armnn_cache_count(folder, "acme"), 0);
  for (int round = 0; round < 2; ++round) { /* the second takes the place of the first */
    CHECK_EQUAL(store(folder, "hello", 5 - (uint64_t)round), ARMNN_STATUS_OK);
    CHECK_EQUAL(load(key, &object, &size), ARMNN_STATUS_OK);
    CHECK(object != NULL);
    CHECK_EQUAL(size, 5 - round);
    CHECK(memcmp(object, "hello", size) == 0);
    CHECK_EQUAL((uintptr_t)object % 64, 0);
    free(object);
  }
  CHECK_EQUAL(access(path, R_OK), 0);
  CHECK_EQUAL(armnn_cache_count(folder, "acme"), 1);
  CHECK_EQUAL(armnn_cache_count(folder, "other"), 0);
  const armnn_hash_t other = {0x1234, 0xfedd};
  CHECK_EQUAL(load(other, &object, &size), ARMNN_STATUS_UNAVAILABLE);
  end();
}

static void no_damaged_byte_is_loaded(void) {
  begin();
  unsigned char bytes[64 + 9];
  CHECK_EQUAL(store(folder, "an object", 9), ARMNN_STATUS_OK);
  FILE* file = fopen(path, "rb");
  CHECK_EQUAL(fread(bytes, 1, sizeof bytes, file), sizeof bytes);
  CHECK_EQUAL(fgetc(file), EOF);
  fclose(file);
  uint64_t size = 0;
  for (size_t i = 0; i <= sizeof bytes; ++i) { /* each byte changed, then cut there */
    for (int cut = 0; cut < 2; ++cut) {
      if (i == sizeof bytes && cut) continue;
      file = fopen(path, "wb");
      bytes[i % sizeof bytes] ^= i < sizeof bytes && !cut ? 0x10 : 0;
      fwrite(bytes, 1, cut ? i : sizeof bytes, file);
      bytes[i % sizeof bytes] ^= i < sizeof bytes && !cut ? 0x10 : 0;
      fclose(file);
      char* object = NULL;
      const armnn_status_t status = load(key, &object, &size);
      CHECK_EQUAL(object != NULL, i == sizeof bytes); /* only the whole one */
      CHECK_EQUAL(status, i == sizeof bytes ? ARMNN_STATUS_OK : ARMNN_STATUS_INCOMPATIBLE);
      free(object);
    }
  }
  end();
}

static void the_reason_names_the_damage(void) {
  begin();
  char* object = NULL;
  uint64_t size = 0;
  const struct {
    long at;
    const char* words;
  } damages[] = {{0, "not a file of compile_cache.h"},
                 {8, "not as long as it says"},
                 {16, "of another key"},
                 {66, "sum is another"}};
  for (int i = 0; i < 4; ++i) {
    CHECK_EQUAL(store(folder, "an object", 9), ARMNN_STATUS_OK);
    FILE* file = fopen(path, "r+b");
    fseek(file, damages[i].at, SEEK_SET);
    fputc('!', file);
    fclose(file);
    CHECK_EQUAL(load(key, &object, &size), ARMNN_STATUS_INCOMPATIBLE);
    CHECK(strstr(words, damages[i].words) != NULL);
    CHECK(strstr(words, path) != NULL);
  }
  end();
}

static void a_folder_that_is_not_there_is_no_harm(void) {
  uint64_t size = 0;
  void* object = NULL;
  CHECK_EQUAL(store("/nowhere/at/all", "x", 1), ARMNN_STATUS_INTERNAL);
  CHECK(strstr(words, "No such file or directory") != NULL);
  CHECK_EQUAL(armnn_cache_load("/nowhere/at/all", key, "acme", &object, &size, NULL),
              ARMNN_STATUS_UNAVAILABLE);
  CHECK_EQUAL(armnn_cache_count("/nowhere/at/all", "acme"), 0);
}

static void a_pipe_does_not_hold_it_up(void) {
  begin();
  char* object = NULL;
  uint64_t size = 0;
  CHECK_EQUAL(mkfifo(path, 0600), 0);
  CHECK_EQUAL(load(key, &object, &size), ARMNN_STATUS_INCOMPATIBLE);
  CHECK(strstr(words, "not a file") != NULL);
  end();
}

static const test_t tests[] = {
    TEST(bytes_are_hashed_as_the_header_says),
    TEST(equal_parts_have_one_hash),
    TEST(a_longer_descriptor_of_zeros_is_the_same),
    TEST(every_difference_counts),
    TEST(operators_are_hashed_by_what_they_are),
    TEST(the_path_is_what_is_written),
    TEST(what_is_stored_is_loaded),
    TEST(no_damaged_byte_is_loaded),
    TEST(the_reason_names_the_damage),
    TEST(a_folder_that_is_not_there_is_no_harm),
    TEST(a_pipe_does_not_hold_it_up),
};
MAIN(tests)
