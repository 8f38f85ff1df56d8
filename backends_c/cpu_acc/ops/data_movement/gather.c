/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * gather.c - slices picked by indices that are computed.
 *
 * All indices are checked before anything is read; one that is outside ends the run.
 */
#include "indices.h"
#include "ops/walk.h"

typedef struct gather_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_gather_t what;
  uint32_t depth;                                                 /* dimensions that are indexed */
  int64_t count;                                                  /* slices for each outer index */
  uint64_t dims[ARMNN_ACC_MAX_RANK], strides[ARMNN_ACC_MAX_RANK]; /* of those, in bytes */
  size_t piece;                                                   /* bytes of a slice */
  uint32_t threads;
} gather_op_t;

typedef struct gather_run_t {
  const gather_op_t* op;
  const char *input, *indices;
  char* output;
} gather_run_t;

/* Slices of |size| bytes at |places| of |from|, each |step| bytes behind the one before. */
static inline void copy_slices(char* to, int64_t step, const char* from, const uint64_t* places,
                               int64_t count, size_t size) {
  for (int64_t i = 0; i < count; ++i) memcpy(to + i * step, from + places[i], size);
}

/* With copies of a known size for slices of one element. */
static void copy_elements(char* to, int64_t step, const char* from, const uint64_t* places,
                          int64_t count, size_t size) {
  switch (size) {
    case 1:
      copy_slices(to, step, from, places, count, 1);
      break;
    case 2:
      copy_slices(to, step, from, places, count, 2);
      break;
    case 4:
      copy_slices(to, step, from, places, count, 4);
      break;
    case 8:
      copy_slices(to, step, from, places, count, 8);
      break;
    default:
      copy_slices(to, step, from, places, count, size);
      break;
  }
}

static armnn_status_t run_slices(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const gather_run_t* run = (const gather_run_t*)argument;
  const gather_op_t* op = run->op;
  const armnn_i_acc_tensor_t *input = &op->what.input, *output = &op->what.output;
  int64_t outer = (int64_t)begin / op->count, place = (int64_t)begin % op->count;
  for (int64_t left = (int64_t)(end - begin); left > 0;) {
    uint64_t places[ARMNN_INDEX_BLOCK];
    int64_t count = op->count - place < left ? op->count - place : left;
    if (count > ARMNN_INDEX_BLOCK) count = ARMNN_INDEX_BLOCK;
    armnn_index_offsets(run->indices, op->what.indices.element.type, (uint64_t)place, count,
                        op->dims, op->depth, op->strides, places);
    copy_elements(run->output + outer * output->strides[0] + place * output->strides[1],
                  output->strides[1], run->input + outer * input->strides[0], places, count,
                  op->piece);
    left -= count;
    place += count;
    if (place == op->count) {
      place = 0;
      ++outer;
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_gather(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const gather_op_t* op = (const gather_op_t*)base;
  const gather_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                             armnn_i_acc_address(run, &op->what.indices),
                             armnn_i_acc_address(run, &op->what.output)};
  const armnn_status_t status = armnn_check_indices(
      self.indices, op->what.indices.element.type, (uint64_t)armnn_i_acc_count(&op->what.indices),
      op->dims, op->depth, op->what.dimension, run->failure->error);
  if (status != ARMNN_STATUS_OK) {
    run->failure->status = status;
    return;
  }
  const uint64_t grain = ARMNN_ACC_PIECE / (op->piece + 1) + 1;
  armnn_i_acc_parallel(run, run_slices, (void*)(uintptr_t)&self,
                       (uint64_t)(op->what.output.dims[0] * op->count), grain, op->threads);
}

/* Whether the elements of a slice lie apart. */
static bool has_gaps(const armnn_i_acc_tensor_t* tensor) {
  const uint32_t last = tensor->rank - 1;
  return tensor->dims[last] != 1 && tensor->strides[last] != (int64_t)tensor->element.size;
}

armnn_status_t armnn_i_acc_make_gather(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_gather_t* what,
                                       armnn_i_acc_op_t** out_op) {
  const int32_t index_type = what->indices.element.type;
  const uint32_t last = what->input.rank - 1;
  if (what->input.element.size != what->output.element.size ||
      (index_type != ARMNN_DATA_TYPE_SIGNED32 && index_type != ARMNN_DATA_TYPE_SIGNED64) ||
      !armnn_i_acc_is_dense(&what->indices) || has_gaps(&what->input) || has_gaps(&what->output)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  gather_op_t* op = (gather_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->depth = last - 1;
  op->count = what->output.dims[1];
  for (uint32_t d = 0; d < op->depth; ++d) {
    op->dims[d] = (uint64_t)what->input.dims[1 + d];
    op->strides[d] = (uint64_t)what->input.strides[1 + d];
  }
  op->piece = (size_t)what->output.dims[2] * what->output.element.size;
  op->base.op.kernel = "armnn_any_gather";
  op->base.op.run = run_gather;
  op->threads = armnn_i_acc_threads(maker, 8 * (uint64_t)armnn_i_acc_count(&what->output));
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
