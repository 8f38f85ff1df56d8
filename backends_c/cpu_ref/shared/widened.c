/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * widened.c - see widened.h.
 */
#include "widened.h"

#include "codec.h"
#include "int_math.h"
#include "scratch.h"

static int is_widened(const armnn_tensor_info_t* info) {
  return info != NULL && (info->data_type == ARMNN_DATA_TYPE_FLOAT16 ||
                          info->data_type == ARMNN_DATA_TYPE_BFLOAT16 ||
                          armnn_data_type_is_quantized(info->data_type));
}

typedef struct copy_job_t {
  armnn_i_ref_codec_t codec;
  const void* source;
  void* target;
  int encodes;
} copy_job_t;

static armnn_status_t copy_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const copy_job_t* job = (const copy_job_t*)argument;
  if (job->encodes) {
    armnn_i_ref_encode(&job->codec, (const float*)job->source + begin, end - begin, job->target,
                       begin);
  } else {
    armnn_i_ref_decode(&job->codec, job->source, begin, end - begin, (float*)job->target + begin);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t copy(const armnn_kernel_call_t* call, const armnn_tensor_info_t* info,
                           const void* source, void* target, int encodes, int levels) {
  copy_job_t job = {levels ? armnn_i_ref_codec_of_levels(info) : armnn_i_ref_codec(info), source,
                    target, encodes};
  return armnn_parallel_for(call->host, copy_range, &job, info->element_count, 16384, 0);
}

static armnn_status_t run(const armnn_kernel_call_t* call, armnn_kernel_execute_fn_t kernel,
                          int levels, armnn_error_t* error) {
  const armnn_workload_info_t* info = call->info;
  const uint32_t inputs = info->input_count, operands = inputs + info->output_count;
  armnn_tensor_info_t infos[ARMNN_REF_WIDENED_OPERANDS];
  const armnn_tensor_info_t* pointers[ARMNN_REF_WIDENED_OPERANDS];
  void* data[ARMNN_REF_WIDENED_OPERANDS];
  unsigned char* scratch = (unsigned char*)call->scratch;
  if (operands > ARMNN_REF_WIDENED_OPERANDS) {
    return armnn_fail(error, ARMNN_STATUS_INTERNAL, "%u operands", (unsigned)operands);
  }
  for (uint32_t i = 0; i < operands; ++i) {
    pointers[i] = i < inputs ? info->input_infos[i] : info->output_infos[i - inputs];
    data[i] = i < inputs ? (void*)(uintptr_t)call->inputs[i] : call->outputs[i - inputs];
    if (!is_widened(pointers[i])) continue;
    infos[i] = *pointers[i];
    infos[i].data_type = ARMNN_DATA_TYPE_FLOAT32;
    if (!levels) {
      infos[i].quantization_count = 0;
      infos[i].scales = NULL;
      infos[i].zero_points = NULL;
      infos[i].quantization_dim = -1;
    }
    void* widened = armnn_i_ref_scratch_take(&scratch, pointers[i]->element_count, sizeof(float));
    if (i < inputs && data[i] != NULL) {
      ARMNN_RETURN_IF_ERROR(copy(call, pointers[i], data[i], widened, 0, levels));
    }
    if (data[i] != NULL) data[i] = widened;
    pointers[i] = &infos[i];
  }
  armnn_workload_info_t widened_info = *info;
  widened_info.input_infos = pointers;
  widened_info.output_infos = pointers + inputs;
  armnn_kernel_call_t widened_call = *call;
  widened_call.info = &widened_info;
  widened_call.inputs = (const void* const*)data;
  widened_call.outputs = data + inputs;
  widened_call.scratch = scratch;
  ARMNN_RETURN_IF_ERROR(kernel(&widened_call, error));
  for (uint32_t o = 0; o < info->output_count; ++o) {
    if (data[inputs + o] == call->outputs[o]) continue;
    ARMNN_RETURN_IF_ERROR(
        copy(call, info->output_infos[o], data[inputs + o], call->outputs[o], 1, levels));
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_widened(const armnn_kernel_call_t* call,
                                   armnn_kernel_execute_fn_t kernel, armnn_error_t* error) {
  return run(call, kernel, 0, error);
}

armnn_status_t armnn_i_ref_widened_levels(const armnn_kernel_call_t* call,
                                          armnn_kernel_execute_fn_t kernel, armnn_error_t* error) {
  return run(call, kernel, 1, error);
}

armnn_status_t armnn_i_ref_widened_input(const armnn_kernel_call_t* call,
                                         const float** out_levels) {
  *out_levels = (const float*)call->scratch;
  return copy(call, ARMNN_IN_INFO(call, 0), call->inputs[0], call->scratch, 0, 1);
}

armnn_status_t armnn_i_ref_prepare_widened(const armnn_workload_info_t* info,
                                           const armnn_host_t* host, armnn_backend_t* backend,
                                           void** out_prepared,
                                           armnn_workload_requirements_t* requirements,
                                           armnn_error_t* error) {
  (void)host, (void)backend, (void)error;
  *out_prepared = NULL;
  for (uint32_t i = 0; i < info->input_count + info->output_count; ++i) {
    const armnn_tensor_info_t* one =
        i < info->input_count ? info->input_infos[i] : info->output_infos[i - info->input_count];
    if (is_widened(one)) {
      armnn_i_ref_scratch_ask(requirements, one->element_count, sizeof(float));
    }
  }
  return ARMNN_STATUS_OK;
}
