/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * workload.c - workloads of parts, and of single layers: those are compiled as parts of one layer
 * when their workload is made, so that there is one way to run anything.
 */
#include <stdlib.h>
#include <string.h>

#include "backend.h"

typedef struct workload_t {
  armnn_workload_t base;
  const armnn_workload_info_t* info;
  const armnn_i_acc_program_t* program;
  armnn_i_acc_program_t* own; /* the same, if it was made here and not by the optimiser */
  uint32_t* inputs;           /* of a single layer: those that its program reads; null for a part */
  uint64_t consumed;
} workload_t;

typedef struct workload_factory_t {
  armnn_workload_factory_t base;
  armnn_i_acc_backend_t* backend;
} workload_factory_t;

static void workload_destroy(armnn_workload_t* workload) {
  workload_t* self = (workload_t*)workload;
  armnn_i_acc_program_destroy(self->own);
  free(self->inputs);
  free(self);
}

static armnn_status_t workload_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  const workload_t* self = (const workload_t*)workload;
  const armnn_i_acc_borders_t borders = {args->inputs, self->inputs, args->outputs};
  return armnn_i_acc_program_run(self->program, &borders, args->scratch, args->run_id, error);
}

static void workload_requirements(armnn_workload_t* workload,
                                  armnn_workload_requirements_t* out_requirements) {
  const workload_t* self = (const workload_t*)workload;
  out_requirements->scratch_size = self->program->scratch_size;
  out_requirements->scratch_alignment = ARMNN_ACC_LINE;
  out_requirements->tensor_alignment = sizeof(float);
  if (ARMNN_HAS(out_requirements, armnn_workload_requirements_t, consumed_mask)) {
    out_requirements->consumed_mask = self->consumed;
  }
}

static const char* workload_kernel_name(armnn_workload_t* workload) {
  const workload_t* self = (const workload_t*)workload;
  if (self->own == NULL) return "armnn_f32_program";
  return self->program->count == 1 ? self->program->entries[0].op->kernel : "armnn_f32_layer";
}

static const armnn_workload_api_t workload_api = {
    .header = {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD},
    .destroy = workload_destroy,
    .execute = workload_execute,
    .get_requirements = workload_requirements,
    .get_kernel_name = workload_kernel_name,
};

static armnn_status_t take_blob(workload_t* self, armnn_error_t* error) {
  const armnn_workload_info_t* info = self->info;
  const armnn_string_t mine = {ARMNN_ACC_BLOB, sizeof ARMNN_ACC_BLOB - 1};
  if (info->blob == NULL || info->blob->object == NULL ||
      info->blob->compatibility.size != mine.size ||
      memcmp(info->blob->compatibility.data, mine.data, mine.size) != 0) {
    return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "not a compiled part of %s",
                      ARMNN_ACC_BLOB);
  }
  self->program = info->blob->object;
  return ARMNN_STATUS_OK;
}

/* A part of one layer. */
static armnn_status_t compile_layer(workload_t* self, const armnn_i_acc_maker_t* maker,
                                    armnn_error_t* error) {
  const armnn_workload_info_t* info = self->info;
  const size_t most = (size_t)info->input_count + info->output_count + 1;
  armnn_slot_t* inputs = malloc(most * sizeof *inputs);
  armnn_slot_t* outputs = malloc(most * sizeof *outputs);
  const armnn_tensor_info_t** border = malloc(most * sizeof *border);
  self->inputs = malloc(most * sizeof *self->inputs);
  uint32_t count = 0;
  armnn_status_t status = ARMNN_STATUS_OUT_OF_MEMORY;
  if (inputs != NULL && outputs != NULL && border != NULL && self->inputs != NULL) {
    for (uint32_t i = 0; i < info->input_count; ++i) {
      if (info->input_infos[i] == NULL) {
        inputs[i] = (armnn_slot_t){ARMNN_SLOT_ABSENT, i};
      } else if (info->constants != NULL && info->constants[i] != NULL && i < 64) {
        inputs[i] = (armnn_slot_t){ARMNN_SLOT_CONSTANT, i};
        self->consumed |= UINT64_C(1) << i;
      } else {
        inputs[i] = (armnn_slot_t){ARMNN_SLOT_BOUNDARY, count};
        self->inputs[count] = i;
        border[count++] = info->input_infos[i];
      }
    }
    for (uint32_t k = 0; k < info->output_count; ++k) outputs[k] = (armnn_slot_t){0, k};
    const armnn_layer_t layer = {
        .header = {sizeof layer, ARMNN_STRUCT_LAYER},
        .guid = info->guid,
        .type = info->type,
        .input_count = info->input_count,
        .output_count = info->output_count,
        .descriptor = info->descriptor,
        .inputs = inputs,
        .input_infos = info->input_infos,
        .constants = info->constants,
        .output_infos = info->output_infos,
        .fields_used = info->fields_used,
    };
    const armnn_layer_t* const layers[] = {&layer};
    const armnn_subgraph_t part = {
        .header = {sizeof part, ARMNN_STRUCT_SUBGRAPH},
        .layers = layers,
        .input_infos = border,
        .outputs = outputs,
        .layer_count = 1,
        .input_count = count,
        .output_count = info->output_count,
    };
    uint32_t failed[1], failed_count;
    status = armnn_i_acc_compile(maker, &part, &self->own, failed, &failed_count, error);
    self->program = self->own;
  } else {
    armnn_fail(error, status, "out of memory");
  }
  free(inputs);
  free(outputs);
  free(border);
  return status;
}

/* Do the tensors of the layer have the sizes that the program was compiled for? */
static armnn_status_t check_borders(const workload_t* self, armnn_error_t* error) {
  const armnn_workload_info_t* info = self->info;
  const armnn_i_acc_program_t* program = self->program;
  bool fits = info->output_count == program->output_count &&
              (self->own != NULL || info->input_count == program->input_count);
  for (uint32_t i = 0; fits && i < program->input_count; ++i) {
    const armnn_tensor_info_t* input =
        info->input_infos[self->inputs != NULL ? self->inputs[i] : i];
    fits = input != NULL && input->element_count * sizeof(float) == program->border[i];
  }
  for (uint32_t k = 0; fits && k < program->output_count; ++k) {
    fits = info->output_infos[k]->element_count * sizeof(float) ==
           program->border[program->input_count + k];
  }
  if (fits) return ARMNN_STATUS_OK;
  return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "the part was compiled for other tensors");
}

static armnn_status_t create_workload(armnn_workload_factory_t* factory,
                                      const armnn_workload_info_t* info,
                                      armnn_workload_t** out_workload, armnn_error_t* error) {
  const workload_factory_t* from = (const workload_factory_t*)factory;
  *out_workload = NULL;
  workload_t* self = calloc(1, sizeof *self);
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &workload_api;
  self->info = info;
  const armnn_i_acc_maker_t maker = armnn_i_acc_maker(from->backend);
  armnn_status_t status = info->type == ARMNN_LAYER_PRE_COMPILED
                              ? take_blob(self, error)
                              : compile_layer(self, &maker, error);
  if (status == ARMNN_STATUS_OK) status = check_borders(self, error);
  if (status != ARMNN_STATUS_OK) {
    workload_destroy(&self->base);
    return status;
  }
  *out_workload = &self->base;
  return ARMNN_STATUS_OK;
}

static void factory_destroy(armnn_workload_factory_t* factory) { free(factory); }

static const armnn_workload_factory_api_t workload_factory_api = {
    .header = {sizeof(armnn_workload_factory_api_t), ARMNN_STRUCT_WORKLOAD_FACTORY},
    .destroy = factory_destroy,
    .create_workload = create_workload,
};

armnn_status_t armnn_i_acc_create_workload_factory(armnn_backend_t* backend,
                                                   const armnn_factory_args_t* args,
                                                   armnn_workload_factory_t** out_factory,
                                                   armnn_error_t* error) {
  (void)args; /* host memory only: no managers, no handles, no model options */
  *out_factory = NULL;
  workload_factory_t* self = calloc(1, sizeof *self);
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &workload_factory_api;
  self->backend = (armnn_i_acc_backend_t*)backend;
  *out_factory = &self->base;
  return ARMNN_STATUS_OK;
}
