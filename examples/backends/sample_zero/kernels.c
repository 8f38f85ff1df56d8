/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Kernels, plain C. An output may lie over an input of the same shape: each element is read before
 * it is written, and never again.
 */
#include <math.h>

#include "zero.h"

armnn_status_t zero_activation(const zero_call_t* call, armnn_error_t* error) {
  const armnn_activation_descriptor_t* layer =
      ARMNN_DESCRIPTOR(call->info, armnn_activation_descriptor_t);
  const uint64_t count = call->info->output_infos[0]->element_count;
  const float a = layer->a, b = layer->b;
  const float* x = zero_in(call, 0);
  float* y = zero_out(call, 0);
  switch (layer->function) {
    case ARMNN_ACTIVATION_SIGMOID:
      for (uint64_t i = 0; i < count; ++i) y[i] = 1.0f / (1.0f + expf(-x[i]));
      return ARMNN_STATUS_OK;
    case ARMNN_ACTIVATION_TANH:
      for (uint64_t i = 0; i < count; ++i) y[i] = a * tanhf(b * x[i]);
      return ARMNN_STATUS_OK;
    case ARMNN_ACTIVATION_LINEAR:
      for (uint64_t i = 0; i < count; ++i) y[i] = a * x[i] + b;
      return ARMNN_STATUS_OK;
    case ARMNN_ACTIVATION_RELU:
      for (uint64_t i = 0; i < count; ++i) y[i] = x[i] < 0.0f ? 0.0f : x[i]; /* keeps NaN */
      return ARMNN_STATUS_OK;
    case ARMNN_ACTIVATION_BOUNDED_RELU:
      for (uint64_t i = 0; i < count; ++i) {
        float low = x[i] < b ? b : x[i];
        y[i] = low > a ? a : low;
      }
      return ARMNN_STATUS_OK;
    default:
      return armnn_fail(error, ARMNN_STATUS_INTERNAL, "activation %d", (int)layer->function);
  }
}

armnn_status_t zero_swish(const zero_call_t* call, armnn_error_t* error) {
  const armnn_attribute_t* given =
      armnn_find_attribute(call->info->descriptor, "beta", ARMNN_ATTRIBUTE_REAL);
  const float beta = given != NULL ? (float)*(const double*)given->values : 1.0f;
  const uint64_t count = call->info->output_infos[0]->element_count;
  const float* x = zero_in(call, 0);
  float* y = zero_out(call, 0);
  (void)error;
  for (uint64_t i = 0; i < count; ++i) y[i] = x[i] / (1.0f + expf(-beta * x[i]));
  return ARMNN_STATUS_OK;
}

armnn_status_t zero_binary(const zero_call_t* call, armnn_error_t* error) {
  const armnn_elementwise_binary_descriptor_t* layer =
      ARMNN_DESCRIPTOR(call->info, armnn_elementwise_binary_descriptor_t);
  const uint64_t count = call->info->output_infos[0]->element_count;
  const float *a = zero_in(call, 0), *b = zero_in(call, 1);
  float* y = zero_out(call, 0);
  /* A single value stays where it is. It is read first: the output never lies over it unless the
   * output is a single value too. */
  const uint64_t step_a = call->info->input_infos[0]->element_count == 1 ? 0 : 1;
  const uint64_t step_b = call->info->input_infos[1]->element_count == 1 ? 0 : 1;
  switch (layer->operation) {
    case ARMNN_BINARY_ADD:
      for (uint64_t i = 0; i < count; ++i) y[i] = a[i * step_a] + b[i * step_b];
      return ARMNN_STATUS_OK;
    case ARMNN_BINARY_MUL:
      for (uint64_t i = 0; i < count; ++i) y[i] = a[i * step_a] * b[i * step_b];
      return ARMNN_STATUS_OK;
    case ARMNN_BINARY_SUB:
      for (uint64_t i = 0; i < count; ++i) y[i] = a[i * step_a] - b[i * step_b];
      return ARMNN_STATUS_OK;
    default:
      return armnn_fail(error, ARMNN_STATUS_INTERNAL, "operation %d", (int)layer->operation);
  }
}

/* ---- Layers that only move bytes: nothing at all when input and output are one memory ------ */

static void move(const zero_call_t* call, float* target, const float* source, uint64_t count) {
  if (target == source || count == 0) return;
  memmove(target, source, (size_t)count * sizeof *target);
  zero_count(call->workload->backend, ZERO_BYTES_COPIED, count * sizeof *target);
}

armnn_status_t zero_reshape(const zero_call_t* call, armnn_error_t* error) {
  (void)error;
  move(call, zero_out(call, 0), zero_in(call, 0), call->info->output_infos[0]->element_count);
  return ARMNN_STATUS_OK;
}

/* Moves between the box |view| of |whole| and the dense |part|, one dense run at a time. */
static void move_box(const zero_call_t* call, float* whole, const armnn_tensor_info_t* info,
                     const armnn_view_t* view, float* part, int into_whole) {
  uint32_t first =
      info->rank; /* axes from here on are whole: a run spans them and the one before */
  uint64_t stride = 1;
  while (first > 0 && view->size[first - 1] == info->dims[first - 1]) stride *= info->dims[--first];
  uint64_t run = stride;
  if (first > 0) run *= view->size[first - 1];
  uint64_t strides[ARMNN_MAX_DIMS] = {0}, runs = 1, base = 0, s = 1;
  for (uint32_t d = info->rank; d-- > 0;) {
    strides[d] = s;
    base += view->origin[d] * s;
    s *= info->dims[d];
    if (d + 1 < first) runs *= view->size[d];
  }
  if (run == 0) return;
  for (uint64_t r = 0; r < runs; ++r) {
    uint64_t rest = r, at = base;
    for (uint32_t d = first > 0 ? first - 1 : 0; d-- > 0;) {
      at += rest % view->size[d] * strides[d];
      rest /= view->size[d];
    }
    if (into_whole) {
      move(call, whole + at, part + r * run, run);
    } else {
      move(call, part + r * run, whole + at, run);
    }
  }
}

armnn_status_t zero_concat(const zero_call_t* call, armnn_error_t* error) {
  const armnn_concat_descriptor_t* layer = ARMNN_DESCRIPTOR(call->info, armnn_concat_descriptor_t);
  (void)error;
  for (uint32_t i = 0; i < layer->view_count; ++i) {
    float* part = (float*)(uintptr_t)zero_in(call, i); /* only read */
    move_box(call, zero_out(call, 0), call->info->output_infos[0], &layer->views[i], part, 1);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t zero_splitter(const zero_call_t* call, armnn_error_t* error) {
  const armnn_splitter_descriptor_t* layer =
      ARMNN_DESCRIPTOR(call->info, armnn_splitter_descriptor_t);
  (void)error;
  for (uint32_t i = 0; i < layer->view_count; ++i) {
    float* whole = (float*)(uintptr_t)zero_in(call, 0); /* only read */
    move_box(call, whole, call->info->input_infos[0], &layer->views[i], zero_out(call, i), 0);
  }
  return ARMNN_STATUS_OK;
}
