/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * round_rows.c - rows of real numbers rounded to 8 bits by their own range, as CpuRef rounds them.
 */
#include "ops/op_base.h"
#include "row_rounding.h"

enum { COST = 8 }; /* of an element, in additions */

typedef struct round_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_round_rows_t what;
  int64_t rows, inner; /* |inner|: rows of each index of the first dimension */
  size_t width;
  uint32_t threads;
} round_op_t;

typedef struct round_run_t {
  const round_op_t* op;
  const char* input;
  char* output;
} round_run_t;

static armnn_status_t run_some(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const round_run_t* run = (const round_run_t*)argument;
  const round_op_t* op = run->op;
  const int64_t *from = op->what.input.strides, *to = op->what.output.strides;
  for (int64_t row = (int64_t)begin; row < (int64_t)end; ++row) {
    const int64_t i = row / op->inner, j = row % op->inner;
    armnn_round_row(op->what.rounding,
                    (const float*)(const void*)(run->input + i * from[0] + j * from[1]),
                    (float*)(void*)(run->output + i * to[0] + j * to[1]), op->width);
  }
  return ARMNN_STATUS_OK;
}

static void run_round_rows(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const round_op_t* op = (const round_op_t*)base;
  round_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                      armnn_i_acc_address(run, &op->what.output)};
  armnn_i_acc_parallel(run, run_some, &self, (uint64_t)op->rows, 1, op->threads);
}

armnn_status_t armnn_i_acc_make_round_rows(const armnn_i_acc_maker_t* maker,
                                           const armnn_i_acc_round_rows_t* what,
                                           armnn_i_acc_op_t** out_op) {
  if (what->input.rank != 3 || armnn_i_acc_step(&what->input, 2) != 1 ||
      armnn_i_acc_step(&what->output, 2) != 1) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  round_op_t* op = (round_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->inner = what->input.dims[1];
  op->rows = what->input.dims[0] * op->inner;
  op->width = (size_t)what->input.dims[2];
  op->base.op.kernel = "armnn_f32_round_rows";
  op->base.op.run = run_round_rows;
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->input);
  op->threads = armnn_i_acc_threads(maker, COST * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
