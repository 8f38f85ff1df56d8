/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * rotary.c - rotary embedding: pairs of numbers of each row are turned by the angles of its
 * position. What a row has behind them is copied.
 */
#include "ops/walk.h"

enum { OUTPUT, INPUT, COSINE, SINE, TENSORS };

typedef struct rotary_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t tensors[TENSORS];
  armnn_i_acc_walk_t walk; /* of rows */
  armnn_i_acc_rotary_fn_t turn;
  size_t pairs, rest; /* numbers of a row that are not turned */
  int both;
  uint32_t threads;
} rotary_op_t;

typedef struct rotary_run_t {
  const rotary_op_t* op;
  float* tensors[TENSORS];
} rotary_run_t;

static armnn_status_t run_rows(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const rotary_run_t* run = (const rotary_run_t*)argument;
  const rotary_op_t* op = run->op;
  const armnn_i_acc_walk_t* walk = &op->walk;
  const uint32_t last = walk->rank - 1;
  const size_t turned = 2 * op->pairs;
  for (int64_t i = (int64_t)begin; i < (int64_t)end;) {
    int64_t at[ARMNN_ACC_WALKED];
    armnn_i_acc_walk_offsets(walk, 0, i, at);
    int64_t next = i - i % walk->dims[last] + walk->dims[last];
    if (next > (int64_t)end) next = (int64_t)end;
    for (; i < next; ++i) {
      const float* in = run->tensors[INPUT] + at[INPUT];
      float* out = run->tensors[OUTPUT] + at[OUTPUT];
      op->turn(in, run->tensors[COSINE] + at[COSINE], run->tensors[SINE] + at[SINE], out, op->pairs,
               op->both);
      if (op->rest > 0 && in != out) memcpy(out + turned, in + turned, op->rest * sizeof *out);
      for (uint32_t t = 0; t < TENSORS; ++t) at[t] += walk->strides[t][last];
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_rotary(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const rotary_op_t* op = (const rotary_op_t*)base;
  rotary_run_t self = {op, {NULL, NULL, NULL, NULL}};
  for (uint32_t t = 0; t < TENSORS; ++t) {
    self.tensors[t] = armnn_i_acc_address(run, &op->tensors[t]);
  }
  const uint64_t grain = ARMNN_ACC_PIECE / (2 * op->pairs + op->rest) + 1;
  armnn_i_acc_parallel(run, run_rows, &self, (uint64_t)armnn_i_acc_walk_outer(&op->walk, 0), grain,
                       op->threads);
}

static bool has_rows(const armnn_i_acc_tensor_t* tensor) {
  const uint32_t last = tensor->rank - 1;
  return tensor->dims[last] == 1 || armnn_i_acc_step(tensor, last) == 1;
}

armnn_status_t armnn_i_acc_make_rotary(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_rotary_t* what,
                                       armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  const uint32_t last = what->output.rank - 1;
  if (kernels == NULL || !has_rows(&what->input) || !has_rows(&what->cosine) ||
      !has_rows(&what->sine) || !has_rows(&what->output)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  rotary_op_t* op = (rotary_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->tensors[OUTPUT] = what->output;
  op->tensors[INPUT] = what->input;
  op->tensors[COSINE] = what->cosine;
  op->tensors[SINE] = what->sine;
  op->pairs = (size_t)(what->turned / 2);
  op->rest = (size_t)(what->output.dims[last] - what->turned);
  op->both = what->cosine.dims[last] == what->turned;
  op->turn = what->neighbours ? kernels->rotary->neighbours : kernels->rotary->halves;
  armnn_i_acc_walk_t* walk = &op->walk;
  walk->rank = last;
  walk->tensors = TENSORS;
  for (uint32_t d = 0; d < last; ++d) {
    walk->dims[d] = what->output.dims[d];
    for (uint32_t t = 0; t < TENSORS; ++t) {
      const bool repeats = op->tensors[t].dims[d] == 1 && walk->dims[d] != 1;
      walk->strides[t][d] = repeats ? 0 : armnn_i_acc_step(&op->tensors[t], d);
    }
  }
  armnn_i_acc_walk_join(walk);
  op->base.op.kernel = kernels->rotary->name;
  op->base.op.run = run_rotary;
  const uint64_t count = (uint64_t)armnn_i_acc_count(&what->output);
  op->base.op.operations = count / (uint64_t)what->output.dims[last] * 3 * (uint64_t)what->turned;
  op->threads = armnn_i_acc_threads(maker, 8 * count);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
