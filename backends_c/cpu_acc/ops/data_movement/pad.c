/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pad.c - a tensor inside a larger one, which is filled with a number or with reflections.
 *
 * Rows of the output are done one by one: what lies beside the input is filled, what lies in it is
 * copied. Dimensions that are not padded are joined with the one before them, so that a row of an
 * image is one copy.
 */
#include "ops/op_base.h"

typedef struct pad_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_pad_t what;
  const armnn_i_acc_move_kernels_t* kernels;
  char fill[ARMNN_ACC_MOST_BYTES]; /* an element */
  uint32_t rank;
  int64_t in_dims[ARMNN_ACC_MAX_RANK], out_dims[ARMNN_ACC_MAX_RANK];
  int64_t in_steps[ARMNN_ACC_MAX_RANK], out_steps[ARMNN_ACC_MAX_RANK]; /* in bytes */
  int64_t before[ARMNN_ACC_MAX_RANK];
  int64_t rows;
  uint32_t threads;
} pad_op_t;

typedef struct pad_run_t {
  const pad_op_t* op;
  const char* input;
  char* output;
} pad_run_t;

/* The index of the input element that output element |index| shows, or -1 for the fill value.
 * Reflections longer than the input reflect again. */
static int64_t source_of(int32_t mode, int64_t index, int64_t before, int64_t size) {
  index -= before;
  if (index >= 0 && index < size) return index;
  if (mode == ARMNN_PAD_CONSTANT) return -1;
  if (size == 1) return 0;
  const int64_t period = mode == ARMNN_PAD_REFLECT ? 2 * (size - 1) : 2 * size;
  index %= period;
  if (index < 0) index += period;
  if (index < size) return index;
  return mode == ARMNN_PAD_REFLECT ? period - index : period - 1 - index;
}

static void fill(const pad_op_t* op, char* out, int64_t count) {
  const int64_t step = op->out_steps[op->rank - 1];
  if (step == (int64_t)op->what.output.element.size) {
    op->kernels->fill(out, (size_t)count, op->fill);
  } else {
    for (int64_t i = 0; i < count; ++i) op->kernels->fill(out + i * step, 1, op->fill);
  }
}

/* Elements [begin, end) of a row, which lie beside the input and show reflections of it: runs of
 * neighbours, forwards or backwards. */
static void reflect(const pad_op_t* op, const char* in, char* out, int64_t begin, int64_t end) {
  const uint32_t last = op->rank - 1;
  const int64_t before = op->before[last], all = op->in_dims[last];
  const int64_t size = op->what.output.element.size;
  const int64_t in_step = op->in_steps[last], out_step = op->out_steps[last];
  for (int64_t i = begin, count; i < end; i += count) {
    const int64_t from = source_of(op->what.mode, i, before, all);
    const int64_t step = source_of(op->what.mode, i + 1, before, all) - from;
    count = step == 0 ? 1 : step < 0 ? from + 1 : all - from;
    if (count > end - i) count = end - i;
    if (out_step == size) {
      op->kernels->gather(in + from * in_step, step * in_step / size, out + i * size,
                          (size_t)count);
    } else {
      op->kernels->copy(in + from * in_step, step * in_step / size, out + i * out_step,
                        out_step / size, (size_t)count, 1);
    }
  }
}

static void pad_row(const pad_op_t* op, const char* in, char* out) {
  const uint32_t last = op->rank - 1;
  const int64_t before = op->before[last], count = op->in_dims[last], all = op->out_dims[last];
  const int64_t in_step = op->in_steps[last], out_step = op->out_steps[last];
  const int64_t size = op->what.output.element.size;
  if (in_step == size && out_step == size) {
    op->kernels->copy(in, 0, out + before * size, 0, 1, (size_t)count);
  } else { /* each element is a row */
    op->kernels->copy(in, in_step / size, out + before * out_step, out_step / size, (size_t)count,
                      1);
  }
  if (op->what.mode == ARMNN_PAD_CONSTANT) {
    fill(op, out, before);
    fill(op, out + (before + count) * out_step, all - before - count);
  } else {
    reflect(op, in, out, 0, before);
    reflect(op, in, out, before + count, all);
  }
}

static armnn_status_t run_rows(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const pad_run_t* run = (const pad_run_t*)argument;
  const pad_op_t* op = run->op;
  for (int64_t row = (int64_t)begin; row < (int64_t)end; ++row) {
    int64_t left = row;
    const char* in = run->input;
    char* out = run->output;
    bool inside = true;
    for (uint32_t d = op->rank - 1; d-- > 0;) {
      const int64_t at = left % op->out_dims[d];
      left /= op->out_dims[d];
      out += at * op->out_steps[d];
      const int64_t from = source_of(op->what.mode, at, op->before[d], op->in_dims[d]);
      inside = inside && from >= 0;
      if (from > 0) in += from * op->in_steps[d];
    }
    if (inside) {
      pad_row(op, in, out);
    } else {
      fill(op, out, op->out_dims[op->rank - 1]);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_pad(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const pad_op_t* op = (const pad_op_t*)base;
  pad_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                    armnn_i_acc_address(run, &op->what.output)};
  armnn_i_acc_parallel(run, run_rows, &self, (uint64_t)op->rows, 1, op->threads);
}

/* Joins a dimension that is not padded with the one before it: with a fill value always, with
 * reflections only if the one before it is not padded either. */
static void join(pad_op_t* op) {
  const armnn_i_acc_pad_t* what = &op->what;
  uint32_t rank = 0;
  for (uint32_t d = 0; d < what->input.rank; ++d) {
    const int64_t in = what->input.dims[d], out = what->output.dims[d];
    const int64_t in_step = what->input.strides[d], out_step = what->output.strides[d];
    if (rank > 0 && in == 1 && out == 1) continue;
    const uint32_t p = rank - 1;
    if (rank > 0 && in == out && op->in_steps[p] == in_step * in &&
        op->out_steps[p] == out_step * out &&
        (what->mode == ARMNN_PAD_CONSTANT || op->in_dims[p] == op->out_dims[p])) {
      op->in_dims[p] *= in;
      op->out_dims[p] *= out;
      op->before[p] *= in;
      op->in_steps[p] = in_step;
      op->out_steps[p] = out_step;
      continue;
    }
    op->in_dims[rank] = in;
    op->out_dims[rank] = out;
    op->before[rank] = what->before[d];
    op->in_steps[rank] = in_step;
    op->out_steps[rank] = out_step;
    ++rank;
  }
  op->rank = rank;
}

armnn_status_t armnn_i_acc_make_pad(const armnn_i_acc_maker_t* maker, const armnn_i_acc_pad_t* what,
                                    armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_move_kernels_t* kernels = armnn_i_acc_moves_of(maker, &what->output);
  if (kernels == NULL) return ARMNN_STATUS_UNSUPPORTED;
  pad_op_t* op = (pad_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->kernels = kernels;
  armnn_i_acc_store_element(what->value, what->output.element.type, op->fill);
  join(op);
  op->rows = 1;
  for (uint32_t d = 0; d + 1 < op->rank; ++d) op->rows *= op->out_dims[d];
  op->base.op.kernel = op->kernels->pad_name;
  op->base.op.run = run_pad;
  op->threads = armnn_i_acc_threads(maker, 8 * (uint64_t)armnn_i_acc_count(&what->output));
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
