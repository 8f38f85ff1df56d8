/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kit_backend.c - a backend that uses every part of the kit, for the tests of the kit.
 */
#include "armnn/backend_kit.h"

/* Default support, no preparation: the plain row. */
static armnn_status_t add_f32(const armnn_kernel_call_t* call,
                              armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  const float* a = ARMNN_IN(call, 0, float);
  const float* b = ARMNN_IN(call, 1, float);
  float* y = ARMNN_OUT(call, 0, float);
  for (uint64_t i = 0; i < ARMNN_COUNT(call); ++i) y[i] = a[i] + b[i];
  return ARMNN_STATUS_OK;
}

/* Any data type and its own question: rank 2 only. */
static armnn_status_t clip_any(const armnn_kernel_call_t* call,
                               armnn_error_t* error) ARMNN_NOEXCEPT {
  return armnn_fail(error, ARMNN_STATUS_DEVICE_LOST, "run %d has no device", (int)call->run_id);
}

static armnn_status_t clip_supports(const armnn_layer_query_t* query,
                                    armnn_error_t* reason) ARMNN_NOEXCEPT {
  const armnn_activation_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(query, armnn_activation_descriptor_t);
  if (query->input_infos[0]->rank == 2) return ARMNN_STATUS_OK;
  return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "rank %u is not 2 (a is %g)",
                    query->input_infos[0]->rank, (double)descriptor->a);
}

/* Preparation, scratch, and threads. */
typedef struct prepared_t {
  float factor;
} prepared_t;

static armnn_status_t negate_prepare(const armnn_workload_info_t* info, const armnn_host_t* host,
                                     armnn_backend_t* backend, void** out_prepared,
                                     armnn_workload_requirements_t* requirements,
                                     armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)backend;
  if (info->input_infos[0]->element_count == 13) {
    return armnn_fail(error, ARMNN_STATUS_INTERNAL, "13 is unlucky");
  }
  prepared_t* prepared = (prepared_t*)armnn_alloc(host, sizeof *prepared, 64);
  if (prepared == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no memory");
  prepared->factor = -1;
  requirements->scratch_size = info->input_infos[0]->element_count * sizeof(float);
  requirements->tensor_alignment = 32;
  requirements->in_place_mask = 1;
  *out_prepared = prepared;
  return ARMNN_STATUS_OK;
}

static armnn_status_t negate_range(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) ARMNN_NOEXCEPT {
  const armnn_kernel_call_t* call = (const armnn_kernel_call_t*)argument;
  const prepared_t* prepared = (const prepared_t*)call->prepared;
  (void)thread_index;
  for (uint64_t i = begin; i < end; ++i) {
    ((float*)call->scratch)[i] = ARMNN_IN(call, 0, float)[i] * prepared->factor;
    ARMNN_OUT(call, 0, float)[i] = ((float*)call->scratch)[i];
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t negate_f32(const armnn_kernel_call_t* call,
                                 armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  return armnn_parallel_for(call->host, negate_range, (void*)(uintptr_t)call, ARMNN_COUNT(call), 4,
                            0);
}

static void negate_release(void* prepared, const armnn_host_t* host) ARMNN_NOEXCEPT {
  armnn_free(host, prepared);
}

/* A layer without inputs, and one without outputs. */
static armnn_status_t nothing(const armnn_kernel_call_t* call,
                              armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)call;
  (void)error;
  return ARMNN_STATUS_OK;
}

static const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32),
    ARMNN_KERNEL_FULL(ACTIVATION, ARMNN_ACTIVATION_BOUNDED_RELU, ANY, clip_any, clip_supports, NULL,
                      NULL),
    ARMNN_KERNEL_FULL(ELEMENTWISE_UNARY, ARMNN_UNARY_NEG, FLOAT32, negate_f32, NULL, negate_prepare,
                      negate_release),
    ARMNN_KERNEL(CONSTANT, SIGNED32, nothing),
    ARMNN_KERNEL(UNMAP, FLOAT32, nothing),
};

ARMNN_DEFINE_BACKEND_EX("KitTest", kernels, 42, "2.5-beta", "A backend for the tests of the kit")
