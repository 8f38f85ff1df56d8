/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_elements.c - quantised numbers element by element: of float32, to float32, by a table.
 * A table of numbers of 16 bits has 65536 entries, and lies behind its operator.
 */
#include "ops/walk.h"

enum { OUTPUT = 0, INPUT = 1 };

typedef struct element_op_t element_op_t;

typedef void (*row_fn_t)(const element_op_t* op, const char* in, char* out, size_t count);

struct element_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[2];
  armnn_i_acc_walk_t walk;
  armnn_i_acc_pieces_t pieces;
  const armnn_i_acc_element_kernels_t* kernels;
  const armnn_i_acc_int16_kernels_t* int16;
  row_fn_t row;
  armnn_i_acc_store_t store;
  uint8_t table[256];
  const void* int16_table; /* behind the operator */
  uint32_t threads;
};

typedef struct element_run_t {
  const element_op_t* op;
  char* tensors[2];
} element_run_t;

static bool is_signed(armnn_i_acc_element_t element) {
  return element.type != ARMNN_DATA_TYPE_QASYMM_U8;
}

static void quantize_row(const element_op_t* op, const char* in, char* out, size_t count) {
  op->kernels->quantize((const float*)(const void*)in, (uint8_t*)out, count,
                        op->tensors[OUTPUT].element.scale, &op->store);
}

static void dequantize_row(const element_op_t* op, const char* in, char* out, size_t count) {
  const armnn_i_acc_element_t element = op->tensors[INPUT].element;
  const int32_t flip = is_signed(element) ? 0x80 : 0;
  op->kernels->dequantize((const uint8_t*)in, (float*)(void*)out, count, element.scale,
                          (uint8_t)flip, element.zero_point + flip);
}

static void table_row(const element_op_t* op, const char* in, char* out, size_t count) {
  op->kernels->table((const uint8_t*)in, (uint8_t*)out, count, op->table);
}

/* ---- Numbers of 16 bits -------------------------------------------------------------------- */

static void quantize_int16(const element_op_t* op, const char* in, char* out, size_t count) {
  op->int16->quantize((const float*)(const void*)in, (int16_t*)(void*)out, count,
                      op->tensors[OUTPUT].element.scale, &op->store);
}

static void dequantize_int16(const element_op_t* op, const char* in, char* out, size_t count) {
  op->int16->dequantize((const int16_t*)(const void*)in, (float*)(void*)out, count,
                        op->tensors[INPUT].element.scale);
}

/* Rows by a table, of one size of numbers to another. */
#define DEFINE_TABLE_ROW(name, from_t, to_t)                                                      \
  static void name(const element_op_t* op, const char* in_bytes, char* out_bytes, size_t count) { \
    const from_t* in = (const from_t*)(const void*)in_bytes;                                      \
    const to_t* table = (const to_t*)op->int16_table;                                             \
    to_t* out = (to_t*)(void*)out_bytes;                                                          \
    for (size_t i = 0; i < count; ++i) out[i] = table[in[i]];                                     \
  }
DEFINE_TABLE_ROW(int16_of_int16, uint16_t, uint16_t)
DEFINE_TABLE_ROW(int16_of_bytes, uint8_t, uint16_t)
DEFINE_TABLE_ROW(bytes_of_int16, uint16_t, uint8_t)

/* ---- Running ------------------------------------------------------------------------------- */

static armnn_status_t run_pieces(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const element_run_t* run = (const element_run_t*)argument;
  const element_op_t* op = run->op;
  const uint32_t rows_at = op->walk.rank - 2;
  for (uint64_t i = begin; i < end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], rows, columns;
    armnn_i_acc_piece(&op->walk, &op->pieces, (int64_t)i, at, &rows, &columns);
    const char* in = run->tensors[INPUT] + at[INPUT];
    char* out = run->tensors[OUTPUT] + at[OUTPUT];
    for (int64_t r = 0; r < rows; ++r) {
      op->row(op, in, out, (size_t)columns);
      in += op->walk.strides[INPUT][rows_at];
      out += op->walk.strides[OUTPUT][rows_at];
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_elements(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const element_op_t* op = (const element_op_t*)base;
  element_run_t self = {op, {NULL, NULL}};
  for (uint32_t t = 0; t < 2; ++t) self.tensors[t] = armnn_i_acc_address(run, &op->tensors[t]);
  armnn_i_acc_parallel(run, run_pieces, &self, armnn_i_acc_pieces_count(&op->pieces), 1,
                       op->threads);
}

/* Dimensions are joined where both tensors are dense; offsets and strides are in bytes. */
static void plan(element_op_t* op) {
  armnn_i_acc_walk_t* walk = &op->walk;
  const armnn_i_acc_tensor_t* output = &op->tensors[OUTPUT];
  walk->rank = output->rank;
  walk->tensors = 2;
  for (uint32_t d = 0; d < output->rank; ++d) {
    walk->dims[d] = output->dims[d];
    for (uint32_t t = 0; t < 2; ++t) walk->strides[t][d] = op->tensors[t].strides[d];
  }
  armnn_i_acc_walk_join(walk);
  bool rows = true;
  for (uint32_t t = 0; t < 2; ++t) {
    rows = rows && walk->strides[t][walk->rank - 1] == (int64_t)op->tensors[t].element.size;
  }
  if (!rows) armnn_i_acc_walk_add_one(walk);
  op->pieces = armnn_i_acc_walk_pieces(walk, ARMNN_ACC_PIECE);
}

static element_op_t* new_op(const armnn_i_acc_maker_t* maker, const armnn_i_acc_tensor_t* input,
                            const armnn_i_acc_tensor_t* output, row_fn_t row, const char* name,
                            size_t table_size) {
  void* table = NULL;
  element_op_t* op = (element_op_t*)armnn_i_acc_new_op(maker, sizeof *op, table_size, &table);
  if (op == NULL) return NULL;
  op->int16_table = table;
  op->tensors[INPUT] = *input;
  op->tensors[OUTPUT] = *output;
  op->kernels = maker->isa->quantized->elements;
  op->int16 = maker->isa->quantized->int16;
  op->row = row;
  op->base.op.run = run_elements;
  op->base.op.kernel = name;
  op->base.op.operations = (uint64_t)armnn_i_acc_count(output);
  op->threads = armnn_i_acc_threads(maker, 8 * op->base.op.operations);
  plan(op);
  return op;
}

armnn_status_t armnn_i_acc_make_quantize(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_quantize_t* what,
                                         armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  const armnn_i_acc_element_t to = what->output.element;
  const bool is_int16 = armnn_i_acc_is_int16(to.type);
  if (what->input.element.type != ARMNN_DATA_TYPE_FLOAT32 ||
      (!is_int16 && !armnn_i_acc_is_8bit(to.type))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  element_op_t* op =
      new_op(maker, &what->input, &what->output, is_int16 ? quantize_int16 : quantize_row,
             is_int16 ? kernels->int16->quantize_name : kernels->elements->quantize_name, 0);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->store = (armnn_i_acc_store_t){to.zero_point, armnn_i_acc_least(to.type),
                                    armnn_i_acc_most(to.type), 0};
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_dequantize(const armnn_i_acc_maker_t* maker,
                                           const armnn_i_acc_dequantize_t* what,
                                           armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_quantized_kernels_t* kernels = maker->isa->quantized;
  const bool is_int16 = armnn_i_acc_is_int16(what->input.element.type);
  if (what->output.element.type != ARMNN_DATA_TYPE_FLOAT32 ||
      (!is_int16 && !armnn_i_acc_is_8bit(what->input.element.type))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  element_op_t* op =
      new_op(maker, &what->input, &what->output, is_int16 ? dequantize_int16 : dequantize_row,
             is_int16 ? kernels->int16->dequantize_name : kernels->elements->dequantize_name, 0);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_table(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_table_t* what, armnn_i_acc_op_t** out_op) {
  if (!armnn_i_acc_is_8bit(what->input.element.type) ||
      !armnn_i_acc_is_8bit(what->output.element.type)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  element_op_t* op = new_op(maker, &what->input, &what->output, table_row,
                            maker->isa->quantized->elements->table_name, 0);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  memcpy(op->table, what->table, sizeof op->table);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_int16_table(const armnn_i_acc_maker_t* maker,
                                            const armnn_i_acc_int16_table_t* what,
                                            armnn_i_acc_op_t** out_op) {
  const int32_t from = what->input.element.type, to = what->output.element.type;
  const bool takes_int16 = armnn_i_acc_is_int16(from), makes_int16 = armnn_i_acc_is_int16(to);
  if ((!takes_int16 && !makes_int16) || (!takes_int16 && !armnn_i_acc_is_8bit(from)) ||
      (!makes_int16 && !armnn_i_acc_is_8bit(to))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  const size_t size = (takes_int16 ? 65536 : 256) * (size_t)what->output.element.size;
  element_op_t* op = new_op(maker, &what->input, &what->output,
                            !takes_int16   ? int16_of_bytes
                            : !makes_int16 ? bytes_of_int16
                                           : int16_of_int16,
                            "armnn_s16_table", size);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  memcpy((void*)(uintptr_t)op->int16_table, what->table, size);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
