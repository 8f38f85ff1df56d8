/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pad_tile.c - PAD in its three modes, and TILE: outputs that are larger than the input and whose
 * rows are made from rows of the input.
 *
 * Both go over rows of the output, find the input row that belongs there, and write the row in
 * contiguous pieces. Dimensions that are left alone are merged with their neighbours first.
 */
#include "kernels.h"
#include "shared/convert.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

typedef struct frame_t {
  uint32_t rank;
  uint64_t out_dims[ARMNN_MAX_DIMS];
  uint64_t in_dims[ARMNN_MAX_DIMS];
  uint64_t before[ARMNN_MAX_DIMS]; /* pad only */
  uint64_t in_strides[ARMNN_MAX_DIMS];
  int32_t mode; /* of pad */
  uint64_t size;
  unsigned char fill[8]; /* one element */
  unsigned char* out;
  const unsigned char* in;
} frame_t;

static void frame_finish(frame_t* frame, const armnn_kernel_call_t* call) {
  int64_t strides[ARMNN_MAX_DIMS];
  if (frame->rank == 0) {
    frame->in_dims[0] = frame->out_dims[0] = 1;
    frame->before[0] = 0;
    frame->rank = 1;
  }
  armnn_dense_strides(frame->in_dims, frame->rank, strides);
  for (uint32_t d = 0; d < frame->rank; ++d) frame->in_strides[d] = (uint64_t)strides[d];
  frame->size = armnn_data_type_size(ARMNN_OUT_INFO(call, 0)->data_type);
  frame->out = ARMNN_OUT(call, 0, unsigned char);
  frame->in = ARMNN_IN(call, 0, unsigned char);
}

/* Runs |rows| over all rows of the output. */
static armnn_status_t frame_run(frame_t* frame, const armnn_host_t* host, armnn_range_fn_t rows) {
  uint64_t row_bytes = frame->out_dims[frame->rank - 1] * frame->size;
  if (row_bytes == 0) return ARMNN_STATUS_OK;
  return armnn_parallel_for(host, rows, frame,
                            armnn_dims_product(frame->out_dims, 0, frame->rank - 1),
                            ARMNN_COPY_GRAIN_BYTES / row_bytes + 1, 0);
}

/* ---- Pad ------------------------------------------------------------------------------------- */

/* Input index for output index |index| of a dimension of |dim| elements behind |before| of padding;
 * UINT64_MAX for the padding of the constant mode. Padding longer than the input reflects again. */
static uint64_t padded_index(int32_t mode, uint64_t index, uint64_t before, uint64_t dim) {
  if (index >= before && index - before < dim) return index - before;
  if (mode == ARMNN_PAD_CONSTANT) return UINT64_MAX;
  if (dim == 1) return 0;
  int64_t last = (int64_t)dim - 1;
  int64_t period = mode == ARMNN_PAD_REFLECT ? 2 * last : 2 * (last + 1);
  int64_t place = ((int64_t)index - (int64_t)before) % period;
  if (place < 0) place += period;
  if (place <= last) return (uint64_t)place;
  return (uint64_t)(mode == ARMNN_PAD_REFLECT ? period - place : period - 1 - place);
}

static void fill_elements(const frame_t* frame, unsigned char* target, uint64_t count) {
  armnn_copy_row(target, 1, frame->fill, 0, count, (uint32_t)frame->size);
}

/* Writes elements [begin, end) of an output row that reflect the input row. */
static void reflect_elements(const frame_t* frame, unsigned char* target,
                             const unsigned char* source, uint64_t begin, uint64_t end) {
  uint32_t last = frame->rank - 1;
  for (uint64_t i = begin; i < end; ++i) {
    uint64_t from = padded_index(frame->mode, i, frame->before[last], frame->in_dims[last]);
    memcpy(target + i * frame->size, source + from * frame->size, (size_t)frame->size);
  }
}

static armnn_status_t pad_rows(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  const frame_t* frame = (const frame_t*)argument;
  uint32_t last = frame->rank - 1;
  uint64_t size = frame->size;
  uint64_t row_count = frame->out_dims[last];
  uint64_t before = frame->before[last], middle = frame->in_dims[last];
  for (uint64_t row = begin; row < end; ++row) {
    unsigned char* target = frame->out + row * row_count * size;
    uint64_t offset = 0, rest = row;
    int inside = middle > 0;
    for (uint32_t d = last; inside && d-- > 0;) {
      uint64_t index =
          padded_index(frame->mode, rest % frame->out_dims[d], frame->before[d], frame->in_dims[d]);
      rest /= frame->out_dims[d];
      inside = index != UINT64_MAX;
      if (inside) offset += index * frame->in_strides[d];
    }
    if (!inside) {
      fill_elements(frame, target, row_count);
      continue;
    }
    const unsigned char* source = frame->in + offset * size;
    memcpy(target + before * size, source, (size_t)(middle * size));
    if (frame->mode == ARMNN_PAD_CONSTANT) {
      fill_elements(frame, target, before);
      fill_elements(frame, target + (before + middle) * size, row_count - before - middle);
    } else {
      reflect_elements(frame, target, source, 0, before);
      reflect_elements(frame, target, source, before + middle, row_count);
    }
  }
  return ARMNN_STATUS_OK;
}

/* For quantised types the descriptor's value is the number that is stored, as in Arm NN. */
armnn_status_t armnn_any_pad__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_pad_descriptor_t* descriptor = ARMNN_DESCRIPTOR(call->info, armnn_pad_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  frame_t frame;
  frame.rank = 0;
  frame.mode = descriptor->padding_mode;
  int last_padded = 0; /* the last dimension of the frame so far */
  for (uint32_t d = 0; d < input->rank; ++d) {
    int padded = descriptor->pad_before[d] != 0 || descriptor->pad_after[d] != 0;
    /* Constant padding of whole blocks stays padding of their elements; a reflected block would
     * come out with its elements reversed. */
    int merges = frame.rank > 0 && !padded && (!last_padded || frame.mode == ARMNN_PAD_CONSTANT);
    if (merges) {
      frame.in_dims[frame.rank - 1] *= input->dims[d];
      frame.out_dims[frame.rank - 1] *= output->dims[d];
      frame.before[frame.rank - 1] *= input->dims[d];
    } else {
      frame.in_dims[frame.rank] = input->dims[d];
      frame.out_dims[frame.rank] = output->dims[d];
      frame.before[frame.rank] = descriptor->pad_before[d];
      frame.rank += 1;
      last_padded = padded;
    }
  }
  frame_finish(&frame, call);
  armnn_i_ref_store_value(descriptor->value, output->data_type, frame.fill);
  return frame_run(&frame, call->host, pad_rows);
}

/* ---- Tile ------------------------------------------------------------------------------------ */

static armnn_status_t tile_rows(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const frame_t* frame = (const frame_t*)argument;
  uint32_t last = frame->rank - 1;
  uint64_t row_count = frame->out_dims[last], in_count = frame->in_dims[last];
  for (uint64_t row = begin; row < end; ++row) {
    unsigned char* target = frame->out + row * row_count * frame->size;
    uint64_t offset = 0, rest = row;
    for (uint32_t d = last; d-- > 0;) {
      offset += rest % frame->in_dims[d] * frame->in_strides[d];
      rest /= frame->out_dims[d];
    }
    const unsigned char* source = frame->in + offset * frame->size;
    if (in_count == 1) {
      armnn_copy_row(target, 1, source, 0, row_count, (uint32_t)frame->size);
      continue;
    }
    for (uint64_t i = 0; i < row_count; i += in_count) {
      memcpy(target + i * frame->size, source, (size_t)(in_count * frame->size));
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_tile__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_tile_descriptor_t* descriptor = ARMNN_DESCRIPTOR(call->info, armnn_tile_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  frame_t frame;
  frame.rank = 0;
  for (uint32_t d = 0; d < input->rank; ++d) {
    uint64_t multiple = descriptor->multiples[d];
    if (frame.rank > 0 && multiple == 1) { /* repeated blocks of whole rows are longer blocks */
      frame.in_dims[frame.rank - 1] *= input->dims[d];
      frame.out_dims[frame.rank - 1] *= input->dims[d];
    } else {
      frame.in_dims[frame.rank] = input->dims[d];
      frame.out_dims[frame.rank] = input->dims[d] * multiple;
      frame.rank += 1;
    }
  }
  frame_finish(&frame, call);
  return frame_run(&frame, call->host, tile_rows);
}
