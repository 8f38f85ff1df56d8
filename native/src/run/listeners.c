/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * listeners.c - the backends that hear of the begin and the end of each run.
 */
#include "core.h"

static armnn_run_notice_t notice_for(const armnn_context_t* context, uint32_t number,
                                     armnn_status_t status) {
  const armnn_plan_listener_t* listener = &context->plan->listeners[number];
  const armnn_run_t* run = context->run;
  armnn_run_notice_t notice = {
      .header = {sizeof notice, ARMNN_STRUCT_RUN_NOTICE},
      .network_id = listener->network_id,
      .run_id = run->run_id,
      .status = status,
  };
  if (listener->execution_data_index != ARMNN_PLAN_NONE) {
    notice.execution_data = context->execution_data[listener->execution_data_index];
  }
  if (run->options != NULL) notice.options = run->options[number];
  return notice;
}

armnn_status_t armnn_i_tell_begin(armnn_context_t* context, uint32_t* out_told,
                                  armnn_error_t* error) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = 0; i < plan->listener_count; ++i) {
    armnn_backend_context_t* listener = plan->listeners[i].context;
    *out_told = i;
    if (!ARMNN_HAS_FN(listener->api, armnn_backend_context_api_t, before_run)) continue;
    const armnn_run_notice_t notice = notice_for(context, i, ARMNN_STATUS_OK);
    context->run->beside = plan->step_count + 2 * i + 1;
    const armnn_status_t status = listener->api->before_run(listener, &notice, error);
    if (status != ARMNN_STATUS_OK) {
      context->run->failed_listener = i;
      return status;
    }
    /* What it wrote on its way to success must not become the message of a later failure. */
    if (ARMNN_UNLIKELY(armnn_i_error_is_used(error))) armnn_i_error_clear(error);
  }
  *out_told = plan->listener_count;
  return ARMNN_STATUS_OK;
}

void armnn_i_tell_end(armnn_context_t* context, uint32_t told, armnn_status_t status) {
  const armnn_plan_t* plan = context->plan;
  while (told-- > 0) {
    armnn_backend_context_t* listener = plan->listeners[told].context;
    if (!ARMNN_HAS_FN(listener->api, armnn_backend_context_api_t, after_run)) continue;
    const armnn_run_notice_t notice = notice_for(context, told, status);
    context->run->beside = plan->step_count + 2 * told + 2;
    listener->api->after_run(listener, &notice);
  }
}
