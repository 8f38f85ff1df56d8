/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_elements.c - quantised numbers element by element: of float32, to float32, by a table.
 */
#include "walk.h"

enum { OUTPUT = 0, INPUT = 1 };

typedef struct element_op_t element_op_t;

typedef void (*row_fn_t)(const element_op_t* op, const char* in, char* out, size_t count);

struct element_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[2];
  armnn_i_acc_walk_t walk;
  armnn_i_acc_pieces_t pieces;
  const armnn_i_acc_element_kernels_t* kernels;
  row_fn_t row;
  armnn_i_acc_store_t store;
  uint8_t table[256];
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
                            const armnn_i_acc_tensor_t* output, row_fn_t row, const char* name) {
  element_op_t* op = (element_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return NULL;
  op->tensors[INPUT] = *input;
  op->tensors[OUTPUT] = *output;
  op->kernels = maker->isa->quantized->elements;
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
  const armnn_i_acc_element_t to = what->output.element;
  if (what->input.element.type != ARMNN_DATA_TYPE_FLOAT32 || !armnn_i_acc_is_levels(to.type)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  element_op_t* op = new_op(maker, &what->input, &what->output, quantize_row,
                            maker->isa->quantized->elements->quantize_name);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  const int32_t least = is_signed(to) ? -128 : 0;
  op->store = (armnn_i_acc_store_t){to.zero_point, least, least + 255, 0};
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_dequantize(const armnn_i_acc_maker_t* maker,
                                           const armnn_i_acc_dequantize_t* what,
                                           armnn_i_acc_op_t** out_op) {
  if (!armnn_i_acc_is_levels(what->input.element.type) ||
      what->output.element.type != ARMNN_DATA_TYPE_FLOAT32) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  element_op_t* op = new_op(maker, &what->input, &what->output, dequantize_row,
                            maker->isa->quantized->elements->dequantize_name);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_table(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_table_t* what, armnn_i_acc_op_t** out_op) {
  if (!armnn_i_acc_is_levels(what->input.element.type) ||
      !armnn_i_acc_is_levels(what->output.element.type)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  element_op_t* op = new_op(maker, &what->input, &what->output, table_row,
                            maker->isa->quantized->elements->table_name);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  memcpy(op->table, what->table, sizeof op->table);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
