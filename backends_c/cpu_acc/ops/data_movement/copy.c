/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * copy.c - copies between tensors of any strides: transposes, changes of layout, slices, inputs of
 * a concatenation, repetition.
 *
 * The dimensions are joined as far as both tensors allow. If both are then contiguous in the last
 * one, rows are copied; if the input is contiguous in another one, these two are transposed by
 * blocks; otherwise elements are gathered.
 *
 * An input and an output of the program may be one array of the caller (compile/plan/in_place.c): a
 * copy from a place to itself does nothing.
 */
#include "ops/walk.h"

enum { OUTPUT = 0, INPUT = 1, TRANSPOSED_COLUMNS = 128 };

typedef struct copy_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_tensor_t input, output;
  armnn_i_acc_walk_t walk;
  armnn_i_acc_pieces_t pieces;
  const armnn_i_acc_move_kernels_t* kernels;
  uint32_t threads;
  bool is_alike; /* both tensors lie alike: in the same memory nothing is to be done */
} copy_op_t;

typedef struct copy_run_t {
  const copy_op_t* op;
  const char* input;
  char* output;
} copy_run_t;

static armnn_status_t copy_pieces(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const copy_run_t* run = (const copy_run_t*)argument;
  const copy_op_t* op = run->op;
  const uint32_t last = op->walk.rank - 1;
  const int64_t* in_strides = op->walk.strides[INPUT];
  const int64_t out_stride = op->walk.strides[OUTPUT][last - 1];
  const int64_t size = op->output.element.size;
  for (uint64_t i = begin; i < end; ++i) {
    int64_t at[ARMNN_ACC_WALKED], rows, columns;
    armnn_i_acc_piece(&op->walk, &op->pieces, (int64_t)i, at, &rows, &columns);
    const char* in = run->input + at[INPUT] * size;
    char* out = run->output + at[OUTPUT] * size;
    if (in_strides[last] == 1) {
      op->kernels->copy(in, in_strides[last - 1], out, out_stride, (size_t)rows, (size_t)columns);
    } else if (in_strides[last - 1] == 1) {
      /* The kernel's rows are those of the input: our columns. */
      op->kernels->transpose(in, in_strides[last], out, out_stride, (size_t)columns, (size_t)rows);
    } else {
      for (int64_t r = 0; r < rows; ++r) {
        op->kernels->gather(in + r * in_strides[last - 1] * size, in_strides[last],
                            out + r * out_stride * size, (size_t)columns);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_copy(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const copy_op_t* op = (const copy_op_t*)base;
  copy_run_t self = {op, armnn_i_acc_address(run, &op->input),
                     armnn_i_acc_address(run, &op->output)};
  if (op->is_alike && self.input == self.output) return;
  armnn_i_acc_parallel(run, copy_pieces, &self, armnn_i_acc_pieces_count(&op->pieces), 1,
                       op->threads);
}

/* Moves the dimension where the input has stride 1 before the last one, for a transpose. */
static void bring_together(armnn_i_acc_walk_t* walk) {
  const uint32_t last = walk->rank - 1;
  uint32_t from = last;
  for (uint32_t d = 0; d < last; ++d) {
    if (walk->strides[INPUT][d] == 1) from = d;
  }
  if (from == last) return;
  const int64_t dim = walk->dims[from], out = walk->strides[OUTPUT][from];
  for (uint32_t d = from; d + 1 < last; ++d) {
    walk->dims[d] = walk->dims[d + 1];
    walk->strides[INPUT][d] = walk->strides[INPUT][d + 1];
    walk->strides[OUTPUT][d] = walk->strides[OUTPUT][d + 1];
  }
  walk->dims[last - 1] = dim;
  walk->strides[INPUT][last - 1] = 1;
  walk->strides[OUTPUT][last - 1] = out;
}

/* Whether an element of the output is where that of the input is, if both begin at one address. */
static bool lies_alike(const armnn_i_acc_walk_t* walk) {
  for (uint32_t d = 0; d < walk->rank; ++d) {
    if (walk->dims[d] != 1 && walk->strides[INPUT][d] != walk->strides[OUTPUT][d]) return false;
  }
  return true;
}

armnn_status_t armnn_i_acc_make_copy(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_copy_t* what, armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_tensor_t *input = &what->input, *output = &what->output;
  const armnn_i_acc_move_kernels_t* kernels = armnn_i_acc_moves_of(maker, output);
  if (kernels == NULL || input->element.size != output->element.size)
    return ARMNN_STATUS_UNSUPPORTED;
  copy_op_t* op = (copy_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->input = *input;
  op->output = *output;
  op->kernels = kernels;
  armnn_i_acc_walk_t* walk = &op->walk;
  walk->rank = output->rank;
  walk->tensors = 2;
  for (uint32_t d = 0; d < output->rank; ++d) {
    const uint32_t from = what->order[d];
    const bool repeats = input->dims[from] == 1 && output->dims[d] != 1;
    walk->dims[d] = output->dims[d];
    walk->strides[OUTPUT][d] = armnn_i_acc_step(output, d);
    walk->strides[INPUT][d] = repeats ? 0 : armnn_i_acc_step(input, from);
  }
  armnn_i_acc_walk_join(walk);
  op->is_alike = lies_alike(walk);
  uint32_t last = walk->rank - 1;
  if (walk->strides[OUTPUT][last] != 1 && walk->dims[last] != 1) {
    armnn_i_acc_walk_add_one(walk);
    ++last;
  }
  if (walk->dims[last] == 1) walk->strides[INPUT][last] = walk->strides[OUTPUT][last] = 1;
  int64_t most_columns = ARMNN_ACC_PIECE;
  op->base.op.kernel = op->kernels->copy_name;
  if (walk->strides[INPUT][last] != 1) {
    bring_together(walk);
    if (walk->strides[INPUT][last - 1] == 1) {
      most_columns = TRANSPOSED_COLUMNS;
      op->base.op.kernel = op->kernels->transpose_name;
    }
  }
  op->pieces = armnn_i_acc_walk_pieces(walk, most_columns);
  op->base.op.run = run_copy;
  op->threads = armnn_i_acc_threads(maker, 8 * (uint64_t)armnn_i_acc_count(output));
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
