/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantize.c - Quantize and Dequantize: real numbers to levels and back.
 *
 * A real number x becomes round(x / scale) + zero_point, halves to even, saturated (ONNX
 * QuantizeLinear; TensorFlow Lite differs in the halves alone). Quantised numbers of one scale
 * become those of another by TensorFlow Lite's fixed-point multiplier, rounded twice, bit for bit.
 */
#include "fixed_point.h"
#include "int_math.h"
#include "kernels.h"
#include "packed.h"
#include "shared/codec.h"

typedef struct quantize_job_t {
  armnn_i_ref_codec_t from, to;
  const void* x;
  void* y;
  armnn_factor_t factor;
  uint64_t count, per_byte; /* elements, and how many of them a byte of the output holds */
} quantize_job_t;

static armnn_status_t by_reals(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  const quantize_job_t* job = (const quantize_job_t*)argument;
  float row[ARMNN_REF_ROW];
  (void)thread_index;
  begin *= job->per_byte;
  end = armnn_min_u64(end * job->per_byte, job->count);
  for (uint64_t i = begin; i < end; i += ARMNN_REF_ROW) {
    const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, end - i);
    armnn_i_ref_decode(&job->from, job->x, i, count, row);
    armnn_i_ref_encode(&job->to, row, count, job->y, i);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t by_levels(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const quantize_job_t* job = (const quantize_job_t*)argument;
  int32_t row[ARMNN_REF_ROW];
  (void)thread_index;
  for (uint64_t i = begin; i < end; i += ARMNN_REF_ROW) {
    const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, end - i);
    armnn_i_ref_decode_levels(&job->from, job->x, i, count, row);
    for (uint64_t k = 0; k < count; ++k) row[k] = armnn_scale32(row[k], job->factor);
    armnn_i_ref_encode_levels(&job->to, row, count, job->y, i);
  }
  return ARMNN_STATUS_OK;
}

static int is_quantized(const armnn_tensor_info_t* info) {
  return info->data_type == ARMNN_DATA_TYPE_QASYMM_U8 ||
         info->data_type == ARMNN_DATA_TYPE_QASYMM_S8 ||
         info->data_type == ARMNN_DATA_TYPE_QSYMM_S8 ||
         info->data_type == ARMNN_DATA_TYPE_QSYMM_S16;
}

armnn_status_t armnn_any_quantize__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t *from = ARMNN_IN_INFO(call, 0), *to = ARMNN_OUT_INFO(call, 0);
  quantize_job_t job = {.from = armnn_i_ref_codec(from),
                        .to = armnn_i_ref_codec(to),
                        .x = call->inputs[0],
                        .y = call->outputs[0],
                        .count = ARMNN_COUNT(call),
                        .per_byte = armnn_per_byte(to->data_type)};
  (void)error;
  if (is_quantized(from) && is_quantized(to) && job.from.count == 1 && job.to.count == 1) {
    job.factor = armnn_factor((double)job.from.scales[0] / job.to.scales[0]);
    return armnn_parallel_for(call->host, by_levels, &job, ARMNN_COUNT(call), 4096, 0);
  }
  return armnn_parallel_for(call->host, by_reals, &job,
                            (job.count + job.per_byte - 1) / job.per_byte, 4096, 0);
}
