/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * workload.c - workloads of compiled sub-graphs and of single layers. A single layer is compiled as
 * a sub-graph of one layer when its workload is made, so that everything runs as a program.
 */
#include <stdlib.h>

#include "armnn/compile_kit.h"
#include "backend.h"

typedef struct workload_t {
  armnn_workload_t base;
  const armnn_workload_info_t* info;
  const armnn_i_acc_program_t* program;
  armnn_i_acc_program_t* own; /* the same, if it was made here and not by the optimiser */
  armnn_layer_part_t* layer;  /* from which |own| was compiled */
  /* What the host hears of outputs that may lie where an input does; null: none may. */
  const armnn_tensor_needs_t** needs; /* of each input, then each output */
} workload_t;

/* The inputs that the program of a single layer reads; null for a sub-graph: it reads all. */
static const uint32_t* order_of(const workload_t* self) {
  return self->layer != NULL ? self->layer->inputs : NULL;
}

typedef struct workload_factory_t {
  armnn_workload_factory_t base;
  armnn_i_acc_backend_t* backend;
} workload_factory_t;

static void workload_destroy(armnn_workload_t* workload) {
  workload_t* self = (workload_t*)workload;
  armnn_i_acc_program_destroy(self->own);
  free(self->needs);
  free(self->layer);
  free(self);
}

static armnn_status_t workload_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  const workload_t* self = (const workload_t*)workload;
  const armnn_i_acc_borders_t borders = {args->inputs, order_of(self), args->outputs};
  return armnn_i_acc_program_run(self->program, &borders, args->scratch, args->run_id, error);
}

/* As much as the largest elements at the border need. */
static uint32_t alignment_of(const armnn_i_acc_program_t* program) {
  uint32_t alignment = 1;
  for (uint32_t i = 0; i < program->input_count + program->output_count; ++i) {
    const uint32_t size = program->border[i].element.size;
    if (size > alignment) alignment = size;
  }
  return alignment;
}

static uint64_t operations_of(const armnn_i_acc_program_t* program) {
  uint64_t operations = 0;
  for (uint32_t i = 0; i < program->count; ++i) operations += program->entries[i].op->operations;
  return operations;
}

static void workload_requirements(armnn_workload_t* workload,
                                  armnn_workload_requirements_t* out_requirements) {
  const workload_t* self = (const workload_t*)workload;
  out_requirements->scratch_size = self->program->scratch_size;
  out_requirements->scratch_alignment = ARMNN_ACC_LINE;
  out_requirements->tensor_alignment = alignment_of(self->program);
  if (ARMNN_HAS(out_requirements, armnn_workload_requirements_t, tensors)) {
    out_requirements->tensors = self->needs;
  }
  if (self->layer != NULL &&
      ARMNN_HAS(out_requirements, armnn_workload_requirements_t, consumed_mask)) {
    out_requirements->consumed_mask = self->layer->consumed;
  }
  if (ARMNN_HAS(out_requirements, armnn_workload_requirements_t, operations)) {
    out_requirements->operations = operations_of(self->program);
  }
  if (ARMNN_HAS(out_requirements, armnn_workload_requirements_t, shared_size)) {
    out_requirements->packed_size = self->program->packs.kept;
    out_requirements->shared_size = self->program->packs.shared;
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

static armnn_status_t take_blob(workload_t* self, const char* programs, armnn_error_t* error) {
  self->program = armnn_part_object(self->info, programs);
  if (self->program != NULL) return ARMNN_STATUS_OK;
  return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "not a compiled sub-graph of %s", programs);
}

/* Compiles the layer as a sub-graph of one layer. */
static armnn_status_t compile_layer(workload_t* self, const armnn_i_acc_maker_t* maker,
                                    armnn_error_t* error) {
  self->layer = armnn_part_of_layer(self->info);
  if (self->layer == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  uint32_t failed[1], failed_count;
  const armnn_status_t status = armnn_i_acc_compile(maker, &self->layer->part, false, &self->own,
                                                    failed, &failed_count, error);
  self->program = self->own;
  return status;
}

static bool is_tensor_of(const armnn_tensor_info_t* info, const armnn_i_acc_border_t* border) {
  return info->data_type == border->element.type &&
         info->element_count * border->element.size == border->size;
}

/* Do the tensors of the layer have the types and sizes that the program was compiled for? */
static armnn_status_t check_borders(const workload_t* self, armnn_error_t* error) {
  const armnn_workload_info_t* info = self->info;
  const armnn_i_acc_program_t* program = self->program;
  const uint32_t* order = order_of(self);
  bool fits = info->output_count == program->output_count &&
              (self->own != NULL || info->input_count == program->input_count);
  for (uint32_t i = 0; fits && i < program->input_count; ++i) {
    const armnn_tensor_info_t* input = info->input_infos[order != NULL ? order[i] : i];
    fits = input != NULL && is_tensor_of(input, &program->border[i]);
  }
  for (uint32_t k = 0; fits && k < program->output_count; ++k) {
    fits = is_tensor_of(info->output_infos[k], &program->border[program->input_count + k]);
  }
  if (fits) return ARMNN_STATUS_OK;
  return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE,
                    "the sub-graph was compiled for other tensors");
}

/* A mask of the program's inputs as one of the layer's. */
static uint64_t mask_of(const workload_t* self, uint64_t mask) {
  const uint32_t* order = order_of(self);
  if (order == NULL) return mask;
  uint64_t result = 0;
  for (uint32_t i = 0; i < self->program->input_count && i < 64; ++i) {
    if ((mask >> i & 1) != 0 && order[i] < 64) result |= UINT64_C(1) << order[i];
  }
  return result;
}

static armnn_status_t note_in_place(workload_t* self, armnn_error_t* error) {
  const uint32_t inputs = self->info->input_count, outputs = self->info->output_count;
  bool any = false;
  for (uint32_t k = 0; k < outputs; ++k) any = any || self->program->in_place[k] != 0;
  if (!any) return ARMNN_STATUS_OK;
  self->needs = calloc(
      1, ((size_t)inputs + outputs) * sizeof *self->needs + outputs * sizeof(armnn_tensor_needs_t));
  if (self->needs == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  armnn_tensor_needs_t* items = (armnn_tensor_needs_t*)(void*)(self->needs + inputs + outputs);
  for (uint32_t k = 0; k < outputs; ++k) {
    items[k].header = (armnn_header_t){sizeof items[k], ARMNN_STRUCT_TENSOR_NEEDS};
    items[k].in_place_mask = mask_of(self, self->program->in_place[k]);
    if (items[k].in_place_mask != 0) self->needs[inputs + k] = &items[k];
  }
  return ARMNN_STATUS_OK;
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
                              ? take_blob(self, from->backend->programs, error)
                              : compile_layer(self, &maker, error);
  if (status == ARMNN_STATUS_OK) status = check_borders(self, error);
  if (status == ARMNN_STATUS_OK) status = note_in_place(self, error);
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
