/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * debug.c - DEBUG: hands its input on and logs a line about it, if the log keeps debug lines:
 *
 *   debug conv1 (0): float32 1x64x56x56, min -1.5, max 3.25, mean 0.125
 *
 * Quantised elements count as the real numbers that they mean. NaN is counted, and left out of the
 * rest.
 */
#include "cast_rows.h"
#include "kernels.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

/* Element |i| as a number: what is stored. */
static double stored_value(const void* data, int32_t data_type, uint64_t i) {
  const uint8_t* element = (const uint8_t*)data + i * armnn_data_type_size(data_type);
  uint64_t word;
  double value;
  armnn_cast_load(data_type)(&word, element, 1);
  armnn_cast_store(data_type, ARMNN_DATA_TYPE_FLOAT64)(&value, &word, 1);
  return value;
}

typedef struct statistics_t {
  double least, greatest, sum;
  uint64_t count, nan_count;
} statistics_t;

static statistics_t look_at(const armnn_tensor_info_t* info, const void* data) {
  statistics_t seen = {0.0, 0.0, 0.0, 0, 0};
  const uint64_t scale_count = info->scales == NULL ? 0 : info->quantization_count;
  uint64_t inner = 1; /* neighbours with one scale */
  if (scale_count > 1) {
    inner = armnn_dims_product(info->dims, (uint32_t)info->quantization_dim + 1, info->rank);
  }
  for (uint64_t i = 0; i < info->element_count; ++i) {
    double value = stored_value(data, info->data_type, i);
    if (scale_count > 0) {
      const uint64_t scale = i / inner % scale_count;
      const int32_t zero = info->zero_points == NULL ? 0 : info->zero_points[scale];
      value = (value - zero) * (double)info->scales[scale];
    }
    if (value != value) {
      ++seen.nan_count;
      continue;
    }
    if (seen.count == 0 || value < seen.least) seen.least = value;
    if (seen.count == 0 || value > seen.greatest) seen.greatest = value;
    seen.sum += value;
    ++seen.count;
  }
  return seen;
}

static void log_tensor(const armnn_kernel_call_t* call) {
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(call, 0);
  const statistics_t seen = look_at(info, call->inputs[0]);
  char shape[ARMNN_SHAPE_TEXT_SIZE], numbers[160] = "no numbers", nans[48] = "", text[640];
  if (seen.count > 0) {
    snprintf(numbers, sizeof numbers, "min %.9g, max %.9g, mean %.9g", seen.least, seen.greatest,
             seen.sum / (double)seen.count);
  }
  if (seen.nan_count > 0) {
    snprintf(nans, sizeof nans, ", %llu NaN", (unsigned long long)seen.nan_count);
  }
  const armnn_string_t name = call->info->name;
  const int name_size = name.data == NULL ? 0 : name.size < 256 ? (int)name.size : 256;
  const int size = snprintf(text, sizeof text, "%.*s: %s %s, %s%s", name_size,
                            name_size > 0 ? name.data : "", armnn_data_type_name(info->data_type),
                            armnn_dims_text(info->dims, info->rank, shape), numbers, nans);
  const armnn_string_t component = {"CpuRef", 6}, line = {text, (uint64_t)size};
  if (size > 0) call->host->log(call->host->context, ARMNN_LOG_DEBUG, component, line);
}

armnn_status_t armnn_any_debug__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_host_t* host = call->host;
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, log) &&
      ARMNN_HAS_FN(host, armnn_host_t, log_enabled) &&
      host->log_enabled(host->context, ARMNN_LOG_DEBUG) != 0) {
    log_tensor(call);
  }
  if (call->outputs[0] == call->inputs[0]) return ARMNN_STATUS_OK;
  const uint64_t size =
      ARMNN_COUNT(call) * armnn_data_type_size(ARMNN_OUT_INFO(call, 0)->data_type);
  return armnn_copy_bytes(host, call->outputs[0], call->inputs[0], size);
}
