/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * each.c - functions of one operand of any type, by the row functions that CpuRef has, and casts.
 */
#include "cast_rows.h"
#include "row_op.h"
#include "unary_rows.h"

typedef struct each_op_t {
  armnn_i_acc_row_op_t rows;
  armnn_unary_row_fn_t function;
  armnn_cast_load_fn_t load;
  armnn_cast_store_fn_t store;
} each_op_t;

bool armnn_i_acc_has_each(int32_t operation, int32_t data_type) {
  return data_type >= 0 && data_type < ARMNN_DATA_TYPE_COUNT && operation >= 0 &&
         operation < ARMNN_UNARY_COUNT && armnn_unary_row(data_type, operation) != NULL;
}

bool armnn_i_acc_has_cast(int32_t from, int32_t to) {
  return from >= 0 && from < ARMNN_DATA_TYPE_COUNT && to >= 0 && to < ARMNN_DATA_TYPE_COUNT &&
         armnn_data_type_bits(from) >= 8 && armnn_data_type_bits(to) >= 8;
}

void armnn_i_acc_store_element(float value, int32_t data_type, void* out_element) {
  armnn_cast_store(ARMNN_DATA_TYPE_FLOAT32, data_type)(out_element, &value, 1);
}

static void run_function(const void* context, void* out, const char* const* operands,
                         const int64_t* steps, uint64_t count) {
  (void)steps; /* one operand never repeats */
  ((const each_op_t*)context)->function(out, operands[0], count);
}

static void run_cast(const void* context, void* out, const char* const* operands,
                     const int64_t* steps, uint64_t count) {
  (void)steps;
  const each_op_t* op = (const each_op_t*)context;
  const uint64_t in_size = op->rows.tensors[1].element.size;
  const uint64_t out_size = op->rows.tensors[0].element.size;
  if (op->load == NULL) {
    op->store(out, operands[0], count);
    return;
  }
  int64_t buffer[ARMNN_CAST_CHUNK];
  for (uint64_t i = 0; i < count; i += ARMNN_CAST_CHUNK) {
    const uint64_t left = count - i < ARMNN_CAST_CHUNK ? count - i : ARMNN_CAST_CHUNK;
    op->load(buffer, operands[0] + i * in_size, left);
    op->store((char*)out + i * out_size, buffer, left);
  }
}

/* What networks make numbers of, without a buffer of wider ones between. */
#define DEFINE_CAST(name, T, R, expression)                              \
  static void name(void* out_data, const void* x_data, uint64_t count) { \
    const T* x = (const T*)x_data;                                       \
    R* out = (R*)out_data;                                               \
    for (uint64_t i = 0; i < count; ++i) out[i] = (R)(expression);       \
  }

DEFINE_CAST(truth_to_float, uint8_t, float, x[i] != 0)
DEFINE_CAST(int8_to_float, int8_t, float, x[i])
DEFINE_CAST(uint8_to_float, uint8_t, float, x[i])
DEFINE_CAST(int32_to_float, int32_t, float, x[i])
DEFINE_CAST(int64_to_float, int64_t, float, x[i])
DEFINE_CAST(int32_to_int64, int32_t, int64_t, x[i])
DEFINE_CAST(int64_to_int32, int64_t, int32_t, x[i])

/* The cast in one step, or null. */
static armnn_unary_row_fn_t direct_cast(int32_t from, int32_t to) {
  static const struct {
    int32_t from, to;
    armnn_unary_row_fn_t cast;
  } casts[] = {
      {ARMNN_DATA_TYPE_BOOLEAN, ARMNN_DATA_TYPE_FLOAT32, truth_to_float},
      {ARMNN_DATA_TYPE_QSYMM_S8, ARMNN_DATA_TYPE_FLOAT32, int8_to_float},
      {ARMNN_DATA_TYPE_QASYMM_S8, ARMNN_DATA_TYPE_FLOAT32, int8_to_float},
      {ARMNN_DATA_TYPE_QASYMM_U8, ARMNN_DATA_TYPE_FLOAT32, uint8_to_float},
      {ARMNN_DATA_TYPE_SIGNED32, ARMNN_DATA_TYPE_FLOAT32, int32_to_float},
      {ARMNN_DATA_TYPE_SIGNED64, ARMNN_DATA_TYPE_FLOAT32, int64_to_float},
      {ARMNN_DATA_TYPE_SIGNED32, ARMNN_DATA_TYPE_SIGNED64, int32_to_int64},
      {ARMNN_DATA_TYPE_SIGNED64, ARMNN_DATA_TYPE_SIGNED32, int64_to_int32},
  };
  for (size_t i = 0; i < sizeof casts / sizeof casts[0]; ++i) {
    if (casts[i].from == from && casts[i].to == to) return casts[i].cast;
  }
  return NULL;
}

static each_op_t* new_op(const armnn_i_acc_maker_t* maker, const armnn_i_acc_tensor_t* input,
                         const armnn_i_acc_tensor_t* output, const char* kernel) {
  each_op_t* op = (each_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return NULL;
  op->rows.tensors[0] = *output;
  op->rows.tensors[1] = *input;
  op->rows.base.op.kernel = kernel;
  return op;
}

armnn_status_t armnn_i_acc_make_each(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_each_t* what, armnn_i_acc_op_t** out_op) {
  const int32_t data_type = what->input.element.type;
  if (what->output.element.type != data_type || !armnn_i_acc_has_each(what->operation, data_type)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  each_op_t* op = new_op(maker, &what->input, &what->output, "armnn_any_unary_rows");
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->function = armnn_unary_row(data_type, what->operation);
  armnn_i_acc_plan_rows(maker, &op->rows, run_function, 1,
                        armnn_unary_is_slow(what->operation) ? 64 : 8);
  *out_op = &op->rows.base.op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_cast(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_cast_t* what, armnn_i_acc_op_t** out_op) {
  const int32_t from = what->input.element.type, to = what->output.element.type;
  if (!armnn_i_acc_has_cast(from, to)) return ARMNN_STATUS_UNSUPPORTED;
  each_op_t* op = new_op(maker, &what->input, &what->output, "armnn_any_cast_rows");
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->function = direct_cast(from, to);
  op->load = armnn_cast_is_as_in_buffer(from) ? NULL : armnn_cast_load(from);
  op->store = armnn_cast_store(from, to);
  const bool is_direct = op->function != NULL;
  armnn_i_acc_plan_rows(maker, &op->rows, is_direct ? run_function : run_cast, 1,
                        is_direct ? 8 : 16);
  *out_op = &op->rows.base.op;
  return ARMNN_STATUS_OK;
}
