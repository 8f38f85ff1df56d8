/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Far beyond the memory of any machine, and so few that 64 bits hold what is computed of them. */
#define MOST_ELEMENTS (INT64_C(1) << 40)
#define MOST_BYTES (INT64_C(1) << 44)

const char armnn_i_acc_packed_mark[ARMNN_ACC_LINE];

void armnn_i_acc_fail_fields(armnn_i_acc_fields_t* fields, const char* fault) {
  if (fields->fault == NULL) fields->fault = fault;
}

static void append(armnn_i_acc_fields_t* fields, const void* value, uint64_t size) {
  if (fields->fault != NULL) return;
  if (size > fields->capacity - fields->size) {
    const uint64_t capacity = 2 * fields->capacity + size + 4096;
    char* larger = realloc(fields->bytes, (size_t)capacity);
    if (larger == NULL) {
      armnn_i_acc_fail_fields(fields, "out of memory");
      return;
    }
    fields->bytes = larger;
    fields->capacity = capacity;
  }
  memcpy(fields->bytes + fields->size, value, (size_t)size);
  fields->size += size;
}

/* |size| bytes of what is read, or null. */
static const char* take(armnn_i_acc_fields_t* fields, uint64_t size) {
  if (fields->fault == NULL && size > fields->left) {
    armnn_i_acc_fail_fields(fields, "it ends too early");
  }
  if (fields->fault != NULL) return NULL;
  const char* at = fields->at;
  fields->at += size;
  fields->left -= size;
  return at;
}

void armnn_i_acc_field_bytes(armnn_i_acc_fields_t* fields, void* value, uint64_t size) {
  if (size == 0) return; /* |value| may be null, which memcpy may not be given */
  if (!fields->reads) {
    append(fields, value, size);
    return;
  }
  const char* at = take(fields, size);
  if (at != NULL) {
    memcpy(value, at, (size_t)size);
  } else {
    memset(value, 0, (size_t)size);
  }
}

#define NUMBER(name, type)                                                                      \
  static void number_##name(armnn_i_acc_fields_t* fields, type* value, type least, type most) { \
    armnn_i_acc_field_bytes(fields, value, sizeof *value);                                      \
    if (*value >= least && *value <= most) return;                                              \
    armnn_i_acc_fail_fields(fields, "a number is out of its range");                            \
    if (fields->reads) *value = least;                                                          \
  }
NUMBER(u32, uint32_t)
NUMBER(i32, int32_t)
NUMBER(u64, uint64_t)
NUMBER(i64, int64_t)

void armnn_i_acc_field_u32(armnn_i_acc_fields_t* fields, uint32_t* value, uint32_t most) {
  number_u32(fields, value, 0, most);
}

void armnn_i_acc_field_i32(armnn_i_acc_fields_t* fields, int32_t* value, int32_t least,
                           int32_t most) {
  number_i32(fields, value, least, most);
}

void armnn_i_acc_field_u64(armnn_i_acc_fields_t* fields, uint64_t* value, uint64_t most) {
  number_u64(fields, value, 0, most);
}

void armnn_i_acc_field_i64(armnn_i_acc_fields_t* fields, int64_t* value, int64_t least,
                           int64_t most) {
  number_i64(fields, value, least, most);
}

void armnn_i_acc_field_count(armnn_i_acc_fields_t* fields, uint32_t* value) {
  armnn_i_acc_field_u32(fields, value, UINT32_MAX);
  if (!fields->reads || *value <= fields->left) return;
  armnn_i_acc_fail_fields(fields, "it ends too early");
  *value = 0;
}

void armnn_i_acc_field_float(armnn_i_acc_fields_t* fields, float* value) {
  armnn_i_acc_field_bytes(fields, value, sizeof *value);
}

void armnn_i_acc_field_bool(armnn_i_acc_fields_t* fields, bool* value) {
  uint32_t number = *value ? 1 : 0;
  armnn_i_acc_field_u32(fields, &number, 1);
  *value = number == 1 && fields->fault == NULL;
}

void armnn_i_acc_field_array(armnn_i_acc_fields_t* fields, const void** array, uint64_t count,
                             uint64_t size) {
  bool is_there = *array != NULL;
  armnn_i_acc_field_bool(fields, &is_there);
  if (!is_there) {
    *array = NULL;
    return;
  }
  /* Its elements are aligned in memory if the fields before are filled up. */
  const char zeros[8] = {0};
  if (!fields->reads) {
    append(fields, zeros, -fields->size % sizeof zeros);
    append(fields, *array, count * size);
    return;
  }
  take(fields, -(uint64_t)(uintptr_t)fields->at % sizeof zeros);
  *array = count <= fields->left / size ? take(fields, count * size) : NULL;
  if (*array == NULL) armnn_i_acc_fail_fields(fields, "an array ends too late");
}

/* ---- Tensors ------------------------------------------------------------------------------- */

/* Zero points are stored numbers of their type: 0 for types that have none. */
static int32_t least_zero_point(int32_t type) {
  return armnn_i_acc_is_8bit(type) ? armnn_i_acc_least(type) : 0;
}
static int32_t most_zero_point(int32_t type) {
  return armnn_i_acc_is_8bit(type) ? armnn_i_acc_most(type) : 0;
}

void armnn_i_acc_field_element(armnn_i_acc_fields_t* fields, armnn_i_acc_element_t* element) {
  armnn_i_acc_field_i32(fields, &element->type, 0, ARMNN_DATA_TYPE_COUNT - 1);
  armnn_i_acc_field_float(fields, &element->scale);
  armnn_i_acc_field_i32(fields, &element->zero_point, least_zero_point(element->type),
                        most_zero_point(element->type));
  if (!(element->scale >= 0.0f && element->scale < INFINITY)) {
    armnn_i_acc_fail_fields(fields, "a scale is not a number from 0 on");
  }
  if (!fields->reads) return;
  const uint32_t bits = armnn_data_type_bits(element->type);
  element->size = bits / 8;
  if (bits != 8 && bits != 16 && bits != 32 && bits != 64) {
    armnn_i_acc_fail_fields(fields, "a data type has no whole bytes");
    element->size = 1;
  }
}

static void field_dims(armnn_i_acc_fields_t* fields, armnn_i_acc_tensor_t* tensor) {
  int64_t count = 1;
  armnn_i_acc_field_u32(fields, &tensor->rank, ARMNN_ACC_MAX_RANK);
  for (uint32_t d = 0; d < tensor->rank; ++d) {
    armnn_i_acc_field_i64(fields, &tensor->dims[d], 1, MOST_ELEMENTS / count);
    count *= tensor->dims[d];
  }
}

/* Reads the strides; |*out_before| and |*out_behind| are how many bytes before and behind the first
 * one are reached, |any|: with gaps within the last dimension. */
static void field_strides(armnn_i_acc_fields_t* fields, armnn_i_acc_tensor_t* tensor, bool any,
                          int64_t* out_before, int64_t* out_behind) {
  const int64_t size = tensor->element.size;
  *out_before = 0;
  *out_behind = size;
  for (uint32_t d = 0; d < tensor->rank; ++d) {
    /* Of one element, too: operators compute with it where padding is before that. */
    const int64_t steps = tensor->dims[d] - 1, most = MOST_BYTES / (steps > 0 ? steps : 1);
    armnn_i_acc_field_i64(fields, &tensor->strides[d], -most, most);
    const int64_t stride = tensor->strides[d];
    if (!fields->reads) continue;
    if (stride % size != 0) {
      armnn_i_acc_fail_fields(fields, "a stride leads too far");
      return;
    }
    if (steps == 0) continue;
    if (d + 1 == tensor->rank && !any && stride != size) {
      armnn_i_acc_fail_fields(fields, "the last dimension has gaps");
    }
    *(stride < 0 ? out_before : out_behind) += stride < 0 ? -stride * steps : stride * steps;
  }
}

typedef enum place_e { IN_MEMORY, IN_CONSTANT, IN_PACKED, PLACE_COUNT } place_e;

/* What the three say, read_place compares with what there is. */
static void field_place(armnn_i_acc_fields_t* fields, uint32_t* place, uint32_t* number,
                        int64_t* offset) {
  armnn_i_acc_field_u32(fields, place, PLACE_COUNT - 1);
  armnn_i_acc_field_u32(fields, number, UINT32_MAX);
  armnn_i_acc_field_i64(fields, offset, 0, MOST_BYTES);
}

/* Which constant has |values|. */
static uint32_t constant_of(const armnn_i_acc_fields_t* fields, const char* values) {
  uint32_t i = 0;
  while (i < fields->constant_count &&
         (values < fields->constants[i].data ||
          values >= fields->constants[i].data + fields->constants[i].size)) {
    ++i;
  }
  return i;
}

static void write_place(armnn_i_acc_fields_t* fields, const armnn_i_acc_tensor_t* tensor) {
  const char* values = tensor->values;
  uint32_t place = IN_MEMORY, number = tensor->memory.binding;
  int64_t offset = tensor->memory.offset;
  if (values != NULL) {
    number = constant_of(fields, values);
    place = number < fields->constant_count ? IN_CONSTANT : IN_PACKED;
    offset = place == IN_CONSTANT ? values - fields->constants[number].data : 0;
  }
  field_place(fields, &place, &number, &offset);
}

static void read_place(armnn_i_acc_fields_t* fields, armnn_i_acc_tensor_t* tensor, bool writes,
                       int64_t before, int64_t behind) {
  uint32_t place, number;
  int64_t offset;
  field_place(fields, &place, &number, &offset);
  if (fields->fault != NULL) return;
  uint64_t size = 0;
  bool may = false;
  if (place == IN_MEMORY && number < fields->binding_count) {
    size = fields->bindings[number];
    may = !writes || number == ARMNN_ACC_ARENA || number >= fields->first_output;
    tensor->memory = (armnn_i_acc_memory_t){number, offset};
  } else if (place == IN_CONSTANT && number < fields->constant_count) {
    size = fields->constants[number].size;
    may = !writes;
  } else if (place == IN_PACKED && !writes) {
    tensor->values = armnn_i_acc_packed_mark;
    fields->has_packed = true;
    return;
  }
  if (!may || size > (uint64_t)MOST_BYTES || offset < before ||
      offset % tensor->element.size != 0 || behind > (int64_t)size - offset) {
    armnn_i_acc_fail_fields(fields, "a tensor is not where it may be");
    return;
  }
  if (place == IN_CONSTANT) tensor->values = fields->constants[number].data + offset;
}

void armnn_i_acc_field_tensor(armnn_i_acc_fields_t* fields, armnn_i_acc_tensor_t* tensor,
                              armnn_i_acc_use_e use) {
  const bool any = use == ARMNN_ACC_USE_READ_ANY || use == ARMNN_ACC_USE_WRITE_ANY;
  const bool writes = use == ARMNN_ACC_USE_WRITE || use == ARMNN_ACC_USE_WRITE_ANY;
  int64_t before, behind;
  field_dims(fields, tensor);
  if (tensor->rank == 0) return;
  armnn_i_acc_field_element(fields, &tensor->element);
  field_strides(fields, tensor, any, &before, &behind);
  if (fields->reads) {
    read_place(fields, tensor, writes, before, behind);
  } else {
    write_place(fields, tensor);
  }
}

void armnn_i_acc_field_weights(armnn_i_acc_fields_t* fields, armnn_i_acc_tensor_t* tensor) {
  field_dims(fields, tensor);
  armnn_i_acc_field_element(fields, &tensor->element);
  if (fields->reads) tensor->values = armnn_i_acc_packed_mark;
}
