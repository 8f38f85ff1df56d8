/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * select.c - one of two elements, by a condition. Bound by memory: plain C is as fast as it gets.
 */
#include "walk.h"

enum { OUTPUT = 0, CONDITION = 1, X = 2, Y = 3 };

typedef struct select_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[4];
  armnn_i_acc_walk_t walk;
  armnn_i_acc_pieces_t pieces;
  uint32_t threads;
} select_op_t;

typedef struct select_run_t {
  const select_op_t* op;
  void* tensors[4];
} select_run_t;

static armnn_status_t run_pieces(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const select_run_t* run = (const select_run_t*)argument;
  const armnn_i_acc_walk_t* walk = &run->op->walk;
  const uint32_t last = walk->rank - 1;
  for (uint64_t i = begin; i < end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], rows, columns;
    armnn_i_acc_piece(walk, &run->op->pieces, (int64_t)i, at, &rows, &columns);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t (*strides)[ARMNN_ACC_MAX_RANK + 1] = walk->strides;
      const uint8_t* condition = (const uint8_t*)run->tensors[CONDITION] + at[CONDITION] +
                                 r * strides[CONDITION][last - 1];
      const float* x = (const float*)run->tensors[X] + at[X] + r * strides[X][last - 1];
      const float* y = (const float*)run->tensors[Y] + at[Y] + r * strides[Y][last - 1];
      float* out = (float*)run->tensors[OUTPUT] + at[OUTPUT] + r * strides[OUTPUT][last - 1];
      const int64_t c_step = strides[CONDITION][last], x_step = strides[X][last],
                    y_step = strides[Y][last], out_step = strides[OUTPUT][last];
      for (int64_t c = 0; c < columns; ++c) {
        out[c * out_step] = condition[c * c_step] != 0 ? x[c * x_step] : y[c * y_step];
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_select(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const select_op_t* op = (const select_op_t*)base;
  select_run_t self = {op, {NULL, NULL, NULL, NULL}};
  for (uint32_t t = 0; t < 4; ++t) self.tensors[t] = armnn_i_acc_address(run, &op->tensors[t]);
  armnn_i_acc_parallel(run, run_pieces, &self, armnn_i_acc_pieces_count(&op->pieces), 1,
                       op->threads);
}

armnn_status_t armnn_i_acc_make_select(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_select_t* what,
                                       armnn_i_acc_op_t** out_op) {
  if (what->output.element.type != ARMNN_DATA_TYPE_FLOAT32 || what->condition.element.size != 1) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  select_op_t* op = (select_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  const armnn_i_acc_tensor_t tensors[] = {what->output, what->condition, what->x, what->y};
  memcpy(op->tensors, tensors, sizeof tensors);
  armnn_i_acc_walk_t* walk = &op->walk;
  walk->rank = what->output.rank;
  walk->tensors = 4;
  for (uint32_t d = 0; d < walk->rank; ++d) {
    walk->dims[d] = what->output.dims[d];
    for (uint32_t t = 0; t < 4; ++t) {
      const bool repeats = tensors[t].dims[d] == 1 && walk->dims[d] != 1;
      walk->strides[t][d] = repeats ? 0 : armnn_i_acc_step(&tensors[t], d);
    }
  }
  armnn_i_acc_walk_join(walk);
  op->pieces = armnn_i_acc_walk_pieces(walk, ARMNN_ACC_PIECE);
  op->base.op.run = run_select;
  op->base.op.kernel = "armnn_f32_select";
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, 8 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
