/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * select.c - one of two elements of any kind, by a condition. Bound by memory: plain C is as fast
 * as it gets.
 */
#include "ops/walk.h"

/* A row of elements of one size; steps in elements, that of the output is 1. */
typedef void (*select_fn_t)(char* const* rows, const int64_t* steps, int64_t count);

enum { OUTPUT = 0, CONDITION = 1, X = 2, Y = 3, TENSORS = 4 };

typedef struct select_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[TENSORS];
  armnn_i_acc_walk_t walk;
  armnn_i_acc_pieces_t pieces;
  select_fn_t select;
  uint32_t threads;
} select_op_t;

#define DEFINE_SELECT(bits, T)                                                        \
  static void select##bits(char* const* rows, const int64_t* steps, int64_t count) {  \
    const uint8_t* condition = (const uint8_t*)rows[CONDITION];                       \
    const T *x = (const T*)(const void*)rows[X], *y = (const T*)(const void*)rows[Y]; \
    T* out = (T*)(void*)rows[OUTPUT];                                                 \
    const int64_t c_step = steps[CONDITION], x_step = steps[X], y_step = steps[Y];    \
    if (c_step == 1 && x_step == 1 && y_step == 1) {                                  \
      for (int64_t i = 0; i < count; ++i) out[i] = condition[i] != 0 ? x[i] : y[i];   \
      return;                                                                         \
    }                                                                                 \
    for (int64_t i = 0; i < count; ++i) {                                             \
      out[i] = condition[i * c_step] != 0 ? x[i * x_step] : y[i * y_step];            \
    }                                                                                 \
  }

DEFINE_SELECT(8, uint8_t)
DEFINE_SELECT(16, uint16_t)
DEFINE_SELECT(32, uint32_t)
DEFINE_SELECT(64, uint64_t)

/* By the size of an element. */
static const select_fn_t selects[] = {
    [1] = select8, [2] = select16, [4] = select32, [8] = select64};

typedef struct select_run_t {
  const select_op_t* op;
  char* tensors[TENSORS];
} select_run_t;

static armnn_status_t run_pieces(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const select_run_t* run = (const select_run_t*)argument;
  const select_op_t* op = run->op;
  const uint32_t last = op->walk.rank - 1;
  int64_t steps[TENSORS];
  for (uint32_t t = 0; t < TENSORS; ++t) steps[t] = op->walk.strides[t][last];
  for (uint64_t i = begin; i < end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], rows, columns;
    armnn_i_acc_piece(&op->walk, &op->pieces, (int64_t)i, at, &rows, &columns);
    for (int64_t r = 0; r < rows; ++r) {
      char* row[TENSORS];
      for (uint32_t t = 0; t < TENSORS; ++t) {
        row[t] = run->tensors[t] +
                 (at[t] + r * op->walk.strides[t][last - 1]) * (int64_t)op->tensors[t].element.size;
      }
      op->select(row, steps, columns);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_select(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const select_op_t* op = (const select_op_t*)base;
  select_run_t self = {.op = op};
  for (uint32_t t = 0; t < TENSORS; ++t) {
    self.tensors[t] = armnn_i_acc_address(run, &op->tensors[t]);
  }
  armnn_i_acc_parallel(run, run_pieces, &self, armnn_i_acc_pieces_count(&op->pieces), 1,
                       op->threads);
}

armnn_status_t armnn_i_acc_make_select(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_select_t* what,
                                       armnn_i_acc_op_t** out_op) {
  const uint32_t size = what->output.element.size;
  if (size >= sizeof selects / sizeof selects[0] || selects[size] == NULL ||
      what->condition.element.size != 1 || what->x.element.size != size ||
      what->y.element.size != size) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  select_op_t* op = (select_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  const armnn_i_acc_tensor_t tensors[] = {what->output, what->condition, what->x, what->y};
  memcpy(op->tensors, tensors, sizeof tensors);
  armnn_i_acc_walk_broadcast(&op->walk, op->tensors, TENSORS);
  op->pieces = armnn_i_acc_walk_pieces(&op->walk, ARMNN_ACC_PIECE);
  op->select = selects[size];
  op->base.op.run = run_select;
  op->base.op.kernel = "armnn_any_select";
  op->base.op.operations = (uint64_t)armnn_i_acc_count(&what->output);
  op->threads = armnn_i_acc_threads(maker, 8 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
