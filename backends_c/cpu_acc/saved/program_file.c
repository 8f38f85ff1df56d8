/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "program_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descriptions.h"
#include "kernels/kernels.h"

/* Raised with every change of fields, of how weights are packed, or of what operators do with them,
 * that armnn_i_acc_saved_stamp does not see. */
#define FORMAT 5

#define MAGIC UINT64_C(0x31474f5250434341) /* "ACCPROG1", if the lowest byte comes first */
#define PAGE 4096u
#define MOST_BYTES (UINT64_C(1) << 44) /* of a border or the arena, as of a tensor */

typedef armnn_i_acc_fields_t fields_t;

void armnn_i_acc_name_programs(armnn_i_acc_backend_t* backend) {
  static const char* const choices[] = {"off", "auto", "always"};          /* ..choice_e */
  static const char* const weights[] = {"float32", "bfloat16", "float16"}; /* ..stored_e */
  snprintf(backend->programs, sizeof backend->programs,
           "armnn_py CpuAcc program %d, kernels %s, weights %s, Winograd %s, separable %s%s, "
           "fields %08x",
           FORMAT, backend->isa->name, weights[backend->weights], choices[backend->winograd],
           choices[backend->separable], backend->isa->is_reproducible ? ", reproducible" : "",
           (unsigned)armnn_i_acc_saved_stamp());
}

/* ---- Head: all but the operators ----------------------------------------------------------- */

static void field_border(fields_t* fields, armnn_i_acc_border_t* border) {
  armnn_i_acc_field_element(fields, &border->element);
  armnn_i_acc_field_u64(fields, &border->size, MOST_BYTES);
}

/* A place in the file. */
typedef struct place_t {
  uint64_t offset, size, layout; /* of packed weights */
} place_t;

static void field_place(fields_t* fields, place_t* place) {
  armnn_i_acc_field_u64(fields, &place->offset, MOST_BYTES);
  armnn_i_acc_field_u64(fields, &place->size, MOST_BYTES);
  armnn_i_acc_field_u64(fields, &place->layout, UINT64_MAX);
}

static uint64_t rounded(uint64_t size, uint64_t to) { return (size + to - 1) / to * to; }

/* ---- Writing ------------------------------------------------------------------------------- */

/* The place of |size| bytes, which lie behind |*end|. */
static place_t next_place(uint64_t* end, uint64_t size, uint64_t layout) {
  const place_t place = {*end, size, layout};
  *end = rounded(*end + size, ARMNN_ACC_LINE);
  return place;
}

/* How many bytes the head has does not hang on what is in it. */
static void write_head(const armnn_i_acc_program_t* program, uint64_t data_begin, fields_t* fields,
                       uint64_t* out_size) {
  uint64_t magic = MAGIC, arena_size = program->arena_size, end = data_begin;
  uint64_t recipe_size = program->recipe.size;
  uint32_t inputs = program->input_count, outputs = program->output_count;
  uint32_t constants = program->constant_count, packs = program->packs.count;
  uint32_t operators = program->count;
  armnn_i_acc_field_u64(fields, &magic, UINT64_MAX);
  armnn_i_acc_field_u64(fields, &arena_size, MOST_BYTES);
  armnn_i_acc_field_u64(fields, &recipe_size, MOST_BYTES);
  armnn_i_acc_field_count(fields, &inputs);
  armnn_i_acc_field_count(fields, &outputs);
  armnn_i_acc_field_count(fields, &constants);
  armnn_i_acc_field_count(fields, &packs);
  armnn_i_acc_field_count(fields, &operators);
  for (uint32_t i = 0; i < inputs + outputs; ++i) {
    armnn_i_acc_border_t border = program->border[i];
    field_border(fields, &border);
  }
  for (uint32_t k = 0; k < outputs; ++k) {
    uint64_t mask = program->in_place[k];
    armnn_i_acc_field_u64(fields, &mask, UINT64_MAX);
  }
  for (uint32_t i = 0; i < constants; ++i) {
    place_t place = next_place(&end, program->constants[i].size, 0);
    field_place(fields, &place);
  }
  for (uint32_t i = 0; i < packs; ++i) {
    const armnn_i_acc_pack_t* pack = &program->packs.items[i];
    place_t place = {end + pack->offset, pack->size, pack->layout};
    field_place(fields, &place);
  }
  static char zeros[8];
  armnn_i_acc_field_bytes(fields, zeros, -fields->size % sizeof zeros);
  *out_size = end + program->packs.bytes;
}

/* The head with the operators behind it, filled up to a page; null if memory is out. */
static char* new_head(const armnn_i_acc_program_t* program, uint64_t* out_begin,
                      uint64_t* out_size) {
  fields_t fields = {.reads = false};
  write_head(program, 0, &fields, out_size);
  *out_begin = rounded(fields.size + program->recipe.size, PAGE);
  fields.size = 0;
  write_head(program, *out_begin, &fields, out_size);
  armnn_i_acc_field_bytes(&fields, program->recipe.bytes, program->recipe.size);
  static char zeros[PAGE];
  armnn_i_acc_field_bytes(&fields, zeros, *out_begin - fields.size);
  if (fields.fault == NULL) return fields.bytes;
  free(fields.bytes);
  return NULL;
}

static uint64_t get_size(void* object) {
  const armnn_i_acc_program_t* program = object;
  if (program->file.data != NULL) return program->file.size;
  uint64_t begin, size;
  char* head = new_head(program, &begin, &size);
  free(head);
  return head == NULL ? 0 : size;
}

static armnn_status_t serialize(void* object, void* buffer, uint64_t size, armnn_error_t* error) {
  const armnn_i_acc_program_t* program = object;
  if (program->file.data != NULL) {
    memcpy(buffer, program->file.data, (size_t)size);
    return ARMNN_STATUS_OK;
  }
  uint64_t end, whole;
  char* head = new_head(program, &end, &whole);
  if (head == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  memset(buffer, 0, (size_t)size);
  memcpy(buffer, head, (size_t)end);
  free(head);
  for (uint32_t i = 0; i < program->constant_count; ++i) {
    const armnn_i_acc_span_t* constant = &program->constants[i];
    const place_t place = next_place(&end, constant->size, 0);
    memcpy((char*)buffer + place.offset, constant->data, (size_t)place.size);
  }
  for (uint32_t i = 0; i < program->packs.count; ++i) {
    const armnn_i_acc_pack_t* pack = &program->packs.items[i];
    memcpy((char*)buffer + end + pack->offset, pack->data, (size_t)pack->size);
  }
  return ARMNN_STATUS_OK;
}

static void release(void* object) { armnn_i_acc_program_destroy(object); }

armnn_blob_t armnn_i_acc_blob(const armnn_i_acc_backend_t* backend,
                              armnn_i_acc_program_t* program) {
  armnn_blob_t blob = {.header = {sizeof blob, ARMNN_STRUCT_BLOB},
                       .object = program,
                       .release = release,
                       .compatibility = {backend->programs, strlen(backend->programs)}};
  const bool is_noted =
      program->saves && program->recipe.fault == NULL && !program->packs.is_out_of_note;
  if (is_noted || program->file.data != NULL) {
    blob.get_size = get_size;
    blob.serialize = serialize;
  }
  return blob;
}

/* ---- Reading ------------------------------------------------------------------------------- */

armnn_status_t armnn_i_acc_check_blob(armnn_backend_t* backend, armnn_string_t compatibility,
                                      armnn_error_t* why_not) {
  const char* own = ((const armnn_i_acc_backend_t*)backend)->programs;
  if (armnn_string_equals(compatibility, own)) return ARMNN_STATUS_OK;
  return armnn_fail(why_not, ARMNN_STATUS_INCOMPATIBLE, "this is '%s'", own);
}

/* A run of bytes of the file, or null. */
static const char* at_place(fields_t* fields, const armnn_i_acc_span_t* file, place_t* out_place) {
  field_place(fields, out_place);
  const bool fits = out_place->offset % ARMNN_ACC_LINE == 0 && out_place->offset <= file->size &&
                    out_place->size <= file->size - out_place->offset;
  if (!fits) armnn_i_acc_fail_fields(fields, "weights end too late");
  return fields->fault == NULL ? file->data + out_place->offset : NULL;
}

/* Memory for |count| things of |size| bytes, each of which has some bytes in what is left to read.
 */
static void* room_for(fields_t* fields, uint64_t count, uint64_t size) {
  if (count > fields->left) armnn_i_acc_fail_fields(fields, "it ends too early");
  void* room = fields->fault == NULL ? calloc((size_t)count + 1, (size_t)size) : NULL;
  if (room == NULL) armnn_i_acc_fail_fields(fields, "out of memory");
  return room;
}

static void read_places(armnn_i_acc_program_t* program, fields_t* fields) {
  for (uint32_t i = 0; i < program->constant_count && fields->fault == NULL; ++i) {
    place_t place;
    program->constants[i].data = at_place(fields, &program->file, &place);
    program->constants[i].size = place.size;
  }
  for (uint32_t i = 0; i < program->packs.count && fields->fault == NULL; ++i) {
    place_t place;
    const char* data = at_place(fields, &program->file, &place);
    program->packs.items[i] = (armnn_i_acc_pack_t){data, place.size, place.layout, 0};
  }
}

static void read_operators(armnn_i_acc_program_t* program, uint32_t count, fields_t* fields,
                           armnn_status_t* status) {
  for (uint32_t i = 0; i < count && *status == ARMNN_STATUS_OK && fields->fault == NULL; ++i) {
    armnn_i_acc_op_t* op = NULL;
    *status = armnn_i_acc_make_saved(&program->maker, fields, &op);
    if (*status != ARMNN_STATUS_OK) return;
    if (op->scratch_size > MOST_BYTES) armnn_i_acc_fail_fields(fields, "it needs too much memory");
    uint32_t guid_count = 0;
    armnn_i_acc_field_count(fields, &guid_count);
    uint64_t* guids = room_for(fields, guid_count, sizeof *guids);
    if (guids != NULL) armnn_i_acc_field_bytes(fields, guids, guid_count * sizeof *guids);
    if (guids == NULL || !armnn_i_acc_program_add(program, op, guids, guid_count)) {
      armnn_i_acc_fail_fields(fields, "out of memory");
      free(guids);
      op->destroy(op);
    }
  }
}

/* Fills |program|, which is empty. */
static armnn_status_t read_program(armnn_i_acc_program_t* program, fields_t* fields) {
  uint64_t magic = 0, arena_size = 0, recipe_size = 0;
  uint32_t operators = 0;
  armnn_i_acc_field_u64(fields, &magic, UINT64_MAX);
  armnn_i_acc_field_u64(fields, &arena_size, MOST_BYTES);
  armnn_i_acc_field_u64(fields, &recipe_size, MOST_BYTES);
  armnn_i_acc_field_count(fields, &program->input_count);
  armnn_i_acc_field_count(fields, &program->output_count);
  armnn_i_acc_field_count(fields, &program->constant_count);
  armnn_i_acc_field_count(fields, &program->packs.count);
  armnn_i_acc_field_count(fields, &operators);
  if (magic != MAGIC) armnn_i_acc_fail_fields(fields, "it does not begin as one");
  const uint64_t borders = (uint64_t)program->input_count + program->output_count;
  program->border = room_for(fields, borders, sizeof *program->border);
  program->in_place = room_for(fields, program->output_count, sizeof *program->in_place);
  program->constants = room_for(fields, program->constant_count, sizeof *program->constants);
  program->packs.items = room_for(fields, program->packs.count, sizeof *program->packs.items);
  uint64_t* bindings = room_for(fields, borders + 1, sizeof *bindings);
  armnn_status_t status = ARMNN_STATUS_OK;
  if (fields->fault == NULL) {
    /* The arena is larger than tensors may know: some are read to the end of their last line. */
    bindings[ARMNN_ACC_ARENA] = arena_size;
    for (uint64_t i = 0; i < borders; ++i) {
      field_border(fields, &program->border[i]);
      bindings[1 + i] = program->border[i].size;
    }
    for (uint32_t k = 0; k < program->output_count; ++k) {
      armnn_i_acc_field_u64(fields, &program->in_place[k], UINT64_MAX);
    }
    read_places(program, fields);
    armnn_i_acc_field_bytes(fields, &magic, -(uint64_t)(uintptr_t)fields->at % sizeof magic);
    if (recipe_size > fields->left) armnn_i_acc_fail_fields(fields, "it ends too early");
    fields->left = recipe_size;
    fields->bindings = bindings;
    fields->binding_count = (uint32_t)borders + 1;
    fields->first_output = 1 + program->input_count;
    fields->constants = program->constants;
    fields->constant_count = program->constant_count;
    read_operators(program, operators, fields, &status);
  }
  free(bindings);
  if (program->packs.differs) {
    armnn_i_acc_fail_fields(fields, "its weights are packed for other caches or threads");
    status = ARMNN_STATUS_INCOMPATIBLE;
  }
  if (status == ARMNN_STATUS_INCOMPATIBLE && fields->fault == NULL) {
    armnn_i_acc_fail_fields(fields, "what is listed of its weights are no lists");
  }
  if (fields->fault == NULL && (program->packs.next != program->packs.count || fields->left != 0)) {
    armnn_i_acc_fail_fields(fields, "something is left over");
  }
  if (status == ARMNN_STATUS_OK && fields->fault != NULL) status = ARMNN_STATUS_INCOMPATIBLE;
  if (status == ARMNN_STATUS_OK) {
    armnn_i_acc_program_finish(program, arena_size + ARMNN_ACC_LINE);
  }
  return status;
}

armnn_status_t armnn_i_acc_deserialize_blob(armnn_backend_t* backend, const void* data,
                                            uint64_t size, armnn_string_t compatibility,
                                            armnn_blob_t* out_blob, armnn_error_t* error) {
  const armnn_i_acc_backend_t* self = (const armnn_i_acc_backend_t*)backend;
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_check_blob(backend, compatibility, error));
  armnn_i_acc_program_t* program = calloc(1, sizeof *program);
  if (program == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  program->maker = armnn_i_acc_maker(self);
  program->maker.packs = &program->packs;
  program->packs.supplies = true;
  program->file = (armnn_i_acc_span_t){data, size};
  fields_t fields = {.reads = true, .at = data, .left = size};
  const armnn_status_t status = read_program(program, &fields);
  if (status != ARMNN_STATUS_OK) {
    armnn_i_acc_program_destroy(program);
    return armnn_fail(error, status, "the bytes are no program for it: %s",
                      fields.fault != NULL ? fields.fault : "out of memory");
  }
  const uint32_t struct_size = out_blob->header.struct_size;
  *out_blob = armnn_i_acc_blob(self, program);
  out_blob->header.struct_size = struct_size;
  return ARMNN_STATUS_OK;
}
