/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * dequantize_blocks.c - DEQUANTIZE_BLOCKS: levels of any width, a scale and perhaps a zero point
 * for each block along an axis.
 */
#include "kernels.h"
#include "shared/codec.h"
#include "shared/work.h"
#include "tensor_shape.h"

enum { INPUT, SCALES, ZERO_POINTS };

typedef struct blocks_job_t {
  armnn_i_ref_codec_t levels, points;
  const void *x, *zero_points; /* the latter may be null */
  const float* scales;
  float* y;
  uint64_t size, inner, block, blocks; /* of the axis */
} blocks_job_t;

/* |count| elements from |first|, whose scales begin at |scale|: one for all of them, or one each.
 */
static void dequantize_run(const blocks_job_t* job, uint64_t first, uint64_t count, uint64_t scale,
                           int each) {
  float points[ARMNN_REF_ROW] = {0.0f}, *y = job->y + first;
  armnn_i_ref_decode(&job->levels, job->x, first, count, y);
  if (job->zero_points != NULL) {
    armnn_i_ref_decode(&job->points, job->zero_points, scale, each ? count : 1, points);
  }
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = each ? i : 0;
    y[i] = (y[i] - points[at]) * job->scales[scale + at];
  }
}

static armnn_status_t dequantize_range(void* argument, uint64_t begin, uint64_t end,
                                       uint32_t thread_index) {
  (void)thread_index;
  const blocks_job_t* job = (const blocks_job_t*)argument;
  uint64_t count;
  for (uint64_t i = begin; i < end; i += count) {
    const uint64_t inside = i % job->inner, place = i / job->inner % job->size;
    const uint64_t outer = i / job->inner / job->size;
    const uint64_t scale = (outer * job->blocks + place / job->block) * job->inner + inside;
    count = job->inner - inside;
    if (job->inner == 1) { /* to the end of the block, or of the axis */
      count = armnn_min_u64(job->block - place % job->block, job->size - place);
    }
    count = armnn_min_u64(armnn_min_u64(count, ARMNN_REF_ROW), end - i);
    dequantize_run(job, i, count, scale, job->inner != 1);
  }
  return ARMNN_STATUS_OK;
}

/* Elements as they are stored: scales are operands, and those of the tensor's info mean nothing. */
static armnn_i_ref_codec_t as_stored(const armnn_tensor_info_t* info) {
  armnn_tensor_info_t plain = *info;
  plain.quantization_count = 0;
  return armnn_i_ref_codec(&plain);
}

armnn_status_t armnn_any_dequantize_blocks__ref(const armnn_kernel_call_t* call,
                                                armnn_error_t* error) {
  const armnn_dequantize_blocks_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_dequantize_blocks_descriptor_t);
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(call, INPUT);
  const uint32_t axis = armnn_axis(d->axis, info->rank);
  blocks_job_t job = {.levels = as_stored(info),
                      .x = call->inputs[INPUT],
                      .scales = ARMNN_IN(call, SCALES, float),
                      .y = ARMNN_OUT(call, 0, float),
                      .size = info->dims[axis],
                      .inner = armnn_dims_product(info->dims, axis + 1, info->rank),
                      .block = d->block_size,
                      .blocks = ARMNN_IN_INFO(call, SCALES)->dims[axis]};
  if (call->info->input_count > ZERO_POINTS && ARMNN_IN_INFO(call, ZERO_POINTS) != NULL) {
    job.points = as_stored(ARMNN_IN_INFO(call, ZERO_POINTS));
    job.zero_points = call->inputs[ZERO_POINTS];
  }
  return armnn_i_ref_run(call, dequantize_range, &job, ARMNN_COUNT(call), 4, error);
}
