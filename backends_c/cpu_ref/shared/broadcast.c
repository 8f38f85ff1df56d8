/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * broadcast.c - checks and loops of the operations on two operands; see broadcast.h.
 */
#include "broadcast.h"

#include "codec.h"
#include "tensor_shape.h"
#include "tensor_walk.h"

typedef struct broadcast_job_t {
  armnn_walk_t walk; /* operands: output, x, y */
  armnn_binary_row_fn_t row;
  unsigned char* out;
  const unsigned char* x;
  const unsigned char* y;
  int64_t out_size, in_size; /* bytes of an element */
} broadcast_job_t;

static armnn_status_t broadcast_range(void* argument, uint64_t begin, uint64_t end,
                                      uint32_t thread_index) {
  (void)thread_index;
  const broadcast_job_t* job = (const broadcast_job_t*)argument;
  int64_t x_stride = armnn_walk_inner(&job->walk, 1);
  int64_t y_stride = armnn_walk_inner(&job->walk, 2);
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->walk, begin, end);
  while (armnn_walker_next(&walker)) {
    job->row(job->out + walker.offsets[0] * job->out_size,
             job->x + walker.offsets[1] * job->in_size, job->y + walker.offsets[2] * job->in_size,
             walker.span, x_stride, y_stride);
  }
  return ARMNN_STATUS_OK;
}

static void walk_output(const armnn_kernel_call_t* call, armnn_walk_t* walk) {
  const armnn_tensor_info_t* output = ARMNN_OUT_INFO(call, 0);
  armnn_walk_init(walk, output->rank, output->dims, 3);
  armnn_dense_strides(output->dims, output->rank, walk->strides[0]);
  armnn_broadcast_strides(ARMNN_IN_INFO(call, 0), output->rank, output->dims, walk->strides[1]);
  armnn_broadcast_strides(ARMNN_IN_INFO(call, 1), output->rank, output->dims, walk->strides[2]);
  armnn_walk_collapse(walk);
}

/* Whether nothing is repeated: operands of a broadcast that have as many elements as its output
 * have its dimensions, but for leading ones. */
static int is_dense(const armnn_kernel_call_t* call) {
  const uint64_t count = ARMNN_COUNT(call);
  return ARMNN_IN_INFO(call, 0)->element_count == count &&
         ARMNN_IN_INFO(call, 1)->element_count == count;
}

armnn_status_t armnn_i_ref_run_broadcast(const armnn_kernel_call_t* call, armnn_binary_row_fn_t row,
                                         uint64_t grain) {
  if (ARMNN_COUNT(call) <= grain && is_dense(call)) { /* no more than one thread would take */
    row(call->outputs[0], call->inputs[0], call->inputs[1], ARMNN_COUNT(call), 1, 1);
    return ARMNN_STATUS_OK;
  }
  broadcast_job_t job;
  job.row = row;
  job.out = ARMNN_OUT(call, 0, unsigned char);
  job.x = ARMNN_IN(call, 0, unsigned char);
  job.y = ARMNN_IN(call, 1, unsigned char);
  job.out_size = armnn_data_type_size(ARMNN_OUT_INFO(call, 0)->data_type);
  job.in_size = armnn_data_type_size(ARMNN_IN_INFO(call, 0)->data_type);
  walk_output(call, &job.walk);
  return armnn_parallel_for(call->host, broadcast_range, &job, job.walk.count, grain, 0);
}

/* ---- Decoded --------------------------------------------------------------------------------- */

typedef union decoded_row_t {
  float real[ARMNN_REF_ROW];
  int32_t level[ARMNN_REF_ROW];
} decoded_row_t;

typedef struct pairs_job_t {
  const armnn_kernel_call_t* call;
  const armnn_i_ref_pairs_t* pairs;
  armnn_walk_t walk; /* operands: output, x, y */
  armnn_i_ref_codec_t x, y, out;
} pairs_job_t;

/* |count| elements from |first| on, |stride| elements apart, which is 1 or 0. */
static void read_row(const pairs_job_t* job, const armnn_i_ref_codec_t* codec, const void* data,
                     int64_t first, int64_t stride, uint64_t count, decoded_row_t* row) {
  const uint64_t read = stride != 0 ? count : 1;
  if (job->pairs->as_levels) {
    armnn_i_ref_decode_levels(codec, data, (uint64_t)first, read, row->level);
    for (uint64_t i = read; i < count; ++i) row->level[i] = row->level[0];
  } else {
    armnn_i_ref_decode(codec, data, (uint64_t)first, read, row->real);
    for (uint64_t i = read; i < count; ++i) row->real[i] = row->real[0];
  }
}

static armnn_status_t pairs_range(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const pairs_job_t* job = (const pairs_job_t*)argument;
  const armnn_i_ref_pairs_t* pairs = job->pairs;
  const int64_t x_stride = armnn_walk_inner(&job->walk, 1);
  const int64_t y_stride = armnn_walk_inner(&job->walk, 2);
  unsigned char* output = ARMNN_OUT(job->call, 0, unsigned char);
  decoded_row_t x, y, out;
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->walk, begin, end);
  while (armnn_walker_next(&walker)) {
    for (uint64_t i = 0; i < walker.span; i += ARMNN_REF_ROW) {
      const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, walker.span - i);
      const uint64_t to = (uint64_t)walker.offsets[0] + i;
      read_row(job, &job->x, job->call->inputs[0], walker.offsets[1] + (int64_t)i * x_stride,
               x_stride, count, &x);
      read_row(job, &job->y, job->call->inputs[1], walker.offsets[2] + (int64_t)i * y_stride,
               y_stride, count, &y);
      pairs->row(pairs->context, &x, &y, count,
                 pairs->out_is_plain ? (void*)(output + to * job->out.bits / 8) : &out);
      if (pairs->out_is_plain) continue;
      if (pairs->as_levels) {
        armnn_i_ref_encode_levels(&job->out, out.level, count, output, to);
      } else {
        armnn_i_ref_encode(&job->out, out.real, count, output, to);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_run_pairs(const armnn_kernel_call_t* call,
                                     const armnn_i_ref_pairs_t* pairs, uint64_t grain) {
  pairs_job_t job;
  job.call = call;
  job.pairs = pairs;
  job.x = armnn_i_ref_codec(ARMNN_IN_INFO(call, 0));
  job.y = armnn_i_ref_codec(ARMNN_IN_INFO(call, 1));
  job.out = armnn_i_ref_codec(ARMNN_OUT_INFO(call, 0));
  walk_output(call, &job.walk);
  return armnn_parallel_for(call->host, pairs_range, &job, job.walk.count, grain, 0);
}
