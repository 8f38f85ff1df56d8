/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * bounded.c - steps whose shapes are known when they run: the infos of each call, and sizes that a
 * workload reports.
 *
 * The arguments of a step point into arrays of its context; new shapes change the entries, so that
 * a run itself does nothing for them.
 */
#include <stdlib.h>

#include "core.h"

#define NOT_TOLD UINT64_MAX

typedef unsigned long long ull;

armnn_i_bounded_t* armnn_i_bounded_make(const armnn_plan_t* plan) {
  armnn_i_bounded_t* bounded = (armnn_i_bounded_t*)calloc(1, sizeof *bounded);
  if (bounded == NULL) return NULL;
  bounded->infos =
      (const armnn_tensor_info_t**)armnn_i_make_array(plan->operand_count, sizeof(void*));
  if (plan->report_count != 0) {
    bounded->dims = (uint64_t**)armnn_i_make_array(plan->operand_count, sizeof(void*));
    bounded->reported = (uint64_t*)armnn_i_make_array(plan->operand_count,
                                                      ARMNN_MAX_DIMS * sizeof *bounded->reported);
    bounded->reports =
        (armnn_i_size_report_t*)armnn_i_make_array(plan->report_count, sizeof *bounded->reports);
  }
  if (bounded->infos == NULL ||
      (plan->report_count != 0 &&
       (bounded->dims == NULL || bounded->reported == NULL || bounded->reports == NULL))) {
    armnn_i_bounded_free(bounded);
    return NULL;
  }
  return bounded;
}

void armnn_i_bounded_free(armnn_i_bounded_t* bounded) {
  if (bounded == NULL) return;
  free((void*)bounded->infos);
  free(bounded->dims);
  free(bounded->reported);
  free(bounded->reports);
  free(bounded);
}

/* ---- Shapes -------------------------------------------------------------------------------- */

static uint32_t known_mask(const armnn_tensor_info_t* info) {
  return info->dim_known_mask | ~((UINT32_C(1) << info->rank) - 1);
}

static void apply_step(armnn_context_t* context, const armnn_i_plan_step_t* step,
                       const armnn_plan_shapes_t* shapes) {
  const armnn_plan_t* plan = context->plan;
  armnn_i_bounded_t* bounded = context->bounded;
  const uint32_t first_output = step->first_operand + step->input_count;
  for (uint32_t i = step->first_operand; i < first_output + step->output_count; ++i) {
    const uint32_t tensor = plan->operands[i];
    if (tensor != ARMNN_PLAN_NONE) {
      bounded->infos[i] = shapes->infos[tensor];
    } else { /* absent, or packed: then its info is what it was when the workload was made */
      const bool known = i < first_output && step->input_infos != NULL;
      bounded->infos[i] = known ? step->input_infos[i - step->first_operand] : NULL;
    }
    if (step->bounded != ARMNN_PLAN_BOUNDED_REPORTS || i < first_output) continue;
    const bool tells = bounded->infos[i] != NULL && known_mask(bounded->infos[i]) != UINT32_MAX;
    bounded->dims[i] = tells ? &bounded->reported[(size_t)i * ARMNN_MAX_DIMS] : NULL;
  }
}

/* Of the steps from |begin| on: those before it have run already. */
static void apply_from(armnn_context_t* context, uint32_t begin,
                       const armnn_plan_shapes_t* shapes) {
  const armnn_plan_t* plan = context->plan;
  for (uint32_t i = begin; i < plan->step_count; ++i) {
    if (plan->steps[i].bounded != ARMNN_PLAN_BOUNDED_NONE)
      apply_step(context, &plan->steps[i], shapes);
  }
}

/* Every operand of a bounded step that is there has an info, and no tensor outgrows its place. */
armnn_status_t armnn_i_check_shapes(const armnn_plan_t* plan, const armnn_plan_shapes_t* shapes,
                                    armnn_error_t* error) {
  if (shapes == NULL || shapes->infos == NULL || shapes->sizes == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the shapes are null");
  }
  for (uint32_t i = 0; i < plan->tensor_count; ++i) {
    if (shapes->sizes[i] > plan->tensors[i].size) {
      return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                          "tensor %u: %llu bytes, but the plan has place for %llu", i,
                          (ull)shapes->sizes[i], (ull)plan->tensors[i].size);
    }
  }
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    const armnn_i_plan_step_t* step = &plan->steps[i];
    if (step->bounded == ARMNN_PLAN_BOUNDED_NONE) continue;
    for (uint32_t k = 0; k < step->input_count + step->output_count; ++k) {
      const uint32_t tensor = plan->operands[step->first_operand + k];
      if (tensor == ARMNN_PLAN_NONE) continue;
      const armnn_tensor_info_t* info = shapes->infos[tensor];
      if (info == NULL || info->rank > ARMNN_MAX_DIMS) {
        return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                            "step %u: tensor %u has no valid info", i, tensor);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

void armnn_i_bounded_set_shapes(armnn_context_t* context, const armnn_plan_shapes_t* shapes) {
  const armnn_plan_t* plan = context->plan;
  apply_from(context, 0, shapes);
  for (uint32_t i = 0; i < plan->input_count + plan->output_count; ++i) {
    armnn_i_external_t* external = &context->externals[i];
    const uint64_t size = shapes->sizes[plan->external_tensors[i]];
    if (external->size == size) continue;
    external->size = size;
    external->bound = NULL; /* its end is elsewhere: may what is behind it be read? */
  }
  context->bounded->has_shapes = true;
}

/* ---- Sizes that a workload reports --------------------------------------------------------- */

static void ask_dims(const armnn_tensor_info_t* info, uint64_t* dims) {
  for (uint32_t d = 0; d < info->rank; ++d) {
    dims[d] = (known_mask(info) >> d & 1u) != 0 ? info->dims[d] : NOT_TOLD;
  }
}

static armnn_status_t check_dims(const armnn_tensor_info_t* info, const uint64_t* dims,
                                 uint32_t output, armnn_error_t* error) {
  for (uint32_t d = 0; d < info->rank; ++d) {
    const bool is_known = (known_mask(info) >> d & 1u) != 0;
    if (is_known ? dims[d] == info->dims[d] : dims[d] <= info->dims[d]) continue;
    if (is_known) {
      return armnn_i_fail(error, ARMNN_STATUS_INTERNAL,
                          "execute wrote %llu to output_dims[%u][%u], which is known to be %llu",
                          (ull)dims[d], output, d, (ull)info->dims[d]);
    }
    if (dims[d] == NOT_TOLD) {
      return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "execute did not write output_dims[%u][%u]",
                          output, d);
    }
    return armnn_i_fail(error, ARMNN_STATUS_INTERNAL,
                        "execute wrote %llu to output_dims[%u][%u], above its bound %llu",
                        (ull)dims[d], output, d, (ull)info->dims[d]);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t execute_telling(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                      armnn_error_t* error) {
  const armnn_i_size_report_t* tell = (const armnn_i_size_report_t*)workload;
  armnn_context_t* context = tell->context;
  const armnn_i_plan_step_t* step = &context->plan->steps[tell->step];
  for (uint32_t k = 0; k < step->output_count; ++k) {
    if (args->output_dims[k] != NULL) ask_dims(args->output_infos[k], args->output_dims[k]);
  }
  armnn_status_t status = tell->execute(tell->workload, args, error);
  for (uint32_t k = 0; status == ARMNN_STATUS_OK && k < step->output_count; ++k) {
    if (args->output_dims[k] == NULL) continue;
    status = check_dims(args->output_infos[k], args->output_dims[k], k, error);
  }
  if (status != ARMNN_STATUS_OK || context->run->reported == NULL) return status;
  const size_t first = (size_t)step->first_operand + step->input_count;
  const armnn_plan_shapes_t* shapes =
      context->run->reported(tell->step, &context->bounded->reported[first * ARMNN_MAX_DIMS]);
  if (shapes == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "no shapes for the steps behind it");
  }
  status = armnn_i_check_shapes(context->plan, shapes, error);
  if (status == ARMNN_STATUS_OK) apply_from(context, tell->step + 1, shapes);
  return status;
}

void armnn_i_bounded_fill(armnn_context_t* context) {
  const armnn_plan_t* plan = context->plan;
  armnn_i_bounded_t* bounded = context->bounded;
  armnn_i_size_report_t* next_report = bounded->reports;
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    const armnn_i_plan_step_t* from = &plan->steps[i];
    armnn_i_step_t* to = &context->steps[i];
    if (from->bounded == ARMNN_PLAN_BOUNDED_NONE) continue;
    const uint32_t first_output = from->first_operand + from->input_count;
    to->args.input_infos = &bounded->infos[from->first_operand];
    to->args.output_infos = &bounded->infos[first_output];
    if (from->bounded != ARMNN_PLAN_BOUNDED_REPORTS) continue;
    to->args.output_dims = &bounded->dims[first_output];
    next_report->context = context;
    next_report->step = i;
    next_report->execute = to->execute;
    next_report->workload = to->workload;
    to->execute = execute_telling;
    to->workload = &next_report->base;
    ++next_report;
  }
}
