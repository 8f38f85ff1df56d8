/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * workload.c - compiled parts as PRE_COMPILED layers, and workloads of parts or of single layers.
 *
 * A layer that the host did not hand to the compiler becomes a program of one layer when its
 * workload is made: there is one way to run anything. Only parts are cached; packing one layer is
 * quick, and would leave a file for each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "npu.h"

static void blob_release(void* object) { free(object); }

/* ---- optimize_subgraph_view ---- */

static armnn_status_t leave(const armnn_subgraph_t* part, const uint32_t* layers,
                            const armnn_optimization_sink_t* sink, const char* reason) {
  return sink->add_untouched(sink->context, layers, part->layer_count,
                             (armnn_string_t){reason, strlen(reason)});
}

static armnn_status_t substitute(const armnn_subgraph_t* part, const uint32_t* layers,
                                 npu_program_t* program, const armnn_optimization_sink_t* sink) {
  armnn_slot_t inputs[NPU_MAX_BINDINGS], outputs[NPU_MAX_BINDINGS];
  const armnn_tensor_info_t* output_infos[NPU_MAX_BINDINGS];
  for (uint32_t i = 0; i < part->input_count; ++i)
    inputs[i] = (armnn_slot_t){ARMNN_SLOT_BOUNDARY, i};
  for (uint32_t k = 0; k < part->output_count; ++k) {
    outputs[k] = (armnn_slot_t){0, k};
    output_infos[k] = part->layers[part->outputs[k].layer]->output_infos[part->outputs[k].slot];
  }
  const armnn_pre_compiled_descriptor_t descriptor = {
      {sizeof descriptor, ARMNN_STRUCT_DESCRIPTOR + ARMNN_LAYER_PRE_COMPILED},
      part->input_count,
      part->output_count};
  const armnn_blob_t blob = {{sizeof blob, ARMNN_STRUCT_BLOB},
                             program,
                             blob_release,
                             {NPU_VERSION, sizeof NPU_VERSION - 1}};
  /* Named after the first layer, so that two parts can be told apart; cut between characters. */
  const armnn_string_t first = part->layers[0]->name;
  uint64_t size = first.size > 64 ? 64 : first.size;
  while (size < first.size && size > 0 && (first.data[size] & 0xc0) == 0x80) --size;
  char name[80] = "npu";
  if (size > 0) snprintf(name, sizeof name, "npu: %.*s", (int)size, first.data);
  const armnn_layer_t layer = {
      .header = {sizeof layer, ARMNN_STRUCT_LAYER},
      .type = ARMNN_LAYER_PRE_COMPILED,
      .input_count = part->input_count,
      .output_count = part->output_count,
      .name = {name, strlen(name)},
      .descriptor = &descriptor.header,
      .inputs = inputs,
      .input_infos = part->input_infos,
      .output_infos = output_infos,
      .blob = &blob,
  };
  uint64_t token;
  armnn_status_t status =
      sink->begin_substitution(sink->context, layers, part->layer_count, &token);
  if (status == ARMNN_STATUS_OK) status = sink->add_layer(sink->context, token, &layer);
  if (status != ARMNN_STATUS_OK) { /* not accepted, so still ours */
    free(program);
    return status;
  }
  return sink->end_substitution(sink->context, token, inputs, part->input_count, part->outputs,
                                outputs, part->output_count);
}

armnn_status_t npu_optimize(armnn_backend_t* backend, const armnn_subgraph_t* part,
                            const armnn_options_t* model_options,
                            const armnn_optimization_sink_t* sink, armnn_error_t* error) {
  (void)model_options;
  uint32_t* layers = malloc(((size_t)part->layer_count + 1) * sizeof *layers);
  if (layers == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  for (uint32_t l = 0; l < part->layer_count; ++l) layers[l] = l;
  char text[256] = "";
  armnn_error_t why = {{sizeof why, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
  npu_program_t* program = NULL;
  armnn_status_t status = npu_get_program((npu_backend_t*)backend, part, &program, &why);
  if (status == ARMNN_STATUS_UNSUPPORTED) {
    status = leave(part, layers, sink, text);
  } else if (status == ARMNN_STATUS_OK) {
    status = substitute(part, layers, program, sink);
  } else {
    npu_fail(error, status, "%s", text);
    free(layers);
    return status;
  }
  free(layers);
  if (status == ARMNN_STATUS_OK) return status;
  return npu_fail(error, status, "the host did not take the compiled part");
}

/* ---- Workloads ---- */

typedef struct workload_factory_t {
  armnn_workload_factory_t base;
  npu_backend_t* backend;
  npu_manager_t* manager; /* of create_memory_manager; null: constants stay in programs */
  uint64_t core_memory;   /* what the workloads need, as far as they were configured */
  bool complete;          /* all workloads of the network are there */
} workload_factory_t;

typedef struct workload_t {
  armnn_workload_t base;
  workload_factory_t* factory;
  const armnn_workload_info_t* info;
  const npu_program_t* program;
  npu_program_t* own; /* the same, if it was made here and not by the optimiser */
  uint64_t consumed;
  npu_manager_t* manager; /* who keeps the program's constants on the device, or null */
  uint64_t offset, size;  /* of them, there */
} workload_t;

static void workload_destroy(armnn_workload_t* workload) {
  workload_t* self = (workload_t*)workload;
  if (self->manager != NULL) {
    npu_manager_drop(self->manager, npu_constants(self->program, 0), self->offset);
  }
  free(self->own);
  free(self);
}

/* Where the device finds the constants of the program. */
static armnn_status_t constants_place(const workload_t* self, npu_place_t* out_place,
                                      armnn_error_t* error) {
  *out_place = (npu_place_t){-1, self->offset, self->size};
  if (self->manager == NULL) return ARMNN_STATUS_OK;
  out_place->file = npu_manager_region(self->manager)->file;
  if (out_place->file >= 0) return ARMNN_STATUS_OK;
  return npu_fail(error, ARMNN_STATUS_INTERNAL, "the memory of weights was not acquired");
}

/* Programs of one network may be one blob: then the constants are on the device more than once. */
static armnn_status_t keep_constants(workload_t* self, npu_manager_t* manager,
                                     armnn_error_t* error) {
  self->size = self->program->total_size - self->program->constants;
  if (manager == NULL || self->size == 0) return ARMNN_STATUS_OK;
  const armnn_status_t status =
      npu_manager_keep(manager, npu_constants(self->program, 0), self->size, &self->offset, error);
  if (status == ARMNN_STATUS_OK) self->manager = manager;
  return status;
}

static armnn_status_t workload_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  const workload_t* self = (const workload_t*)workload;
  const npu_program_t* program = self->program;
  npu_place_t places[NPU_MAX_BINDINGS];
  uint32_t count = 0;
  if (args->execution_data == NULL || args->output_handles == NULL ||
      (args->input_handles == NULL && program->input_count > 0)) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                    "%s needs execution data, and tensors of %s", NPU_ID, NPU_FACTORY_ID);
  }
  for (uint32_t i = 0; i < self->info->input_count; ++i) {
    const bool consumed = i < 64 && (self->consumed >> i & 1) != 0;
    if (consumed || self->info->input_infos[i] == NULL) continue;
    const armnn_status_t status = npu_handle_place(
        args->input_handles[i], npu_tensors(program)[count].size, &places[count], error);
    if (status != ARMNN_STATUS_OK) return status;
    count += 1;
  }
  for (uint32_t i = 0; i < self->info->output_count; ++i, ++count) {
    const armnn_status_t status = npu_handle_place(
        args->output_handles[i], npu_tensors(program)[count].size, &places[count], error);
    if (status != ARMNN_STATUS_OK) return status;
  }
  npu_place_t constants;
  const armnn_status_t status = constants_place(self, &constants, error);
  if (status != ARMNN_STATUS_OK) return status;
  npu_queue_put(args->execution_data, program, &constants, places, args->run_id);
  return ARMNN_STATUS_OK;
}

static void workload_requirements(armnn_workload_t* workload,
                                  armnn_workload_requirements_t* out_requirements) {
  if (ARMNN_HAS(out_requirements, armnn_workload_requirements_t, consumed_mask)) {
    out_requirements->consumed_mask = ((const workload_t*)workload)->consumed;
  }
}

/* Each execution context gets memory for the largest program, so that no execute allocates. */
static armnn_status_t workload_configure(armnn_workload_t* workload, armnn_error_t* error) {
  workload_t* self = (workload_t*)workload;
  (void)error;
  if (self->program->core_memory > self->factory->core_memory) {
    self->factory->core_memory = self->program->core_memory;
  }
  return ARMNN_STATUS_OK;
}

static const char* workload_kernel_name(armnn_workload_t* workload) {
  return ((const workload_t*)workload)->own == NULL ? "npu_program" : "npu_layer";
}

static const armnn_workload_api_t workload_api = {
    .header = {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD},
    .destroy = workload_destroy,
    .execute = workload_execute,
    .get_requirements = workload_requirements,
    .post_allocation_configure = workload_configure,
    .get_kernel_name = workload_kernel_name,
};

static armnn_status_t take_blob(workload_t* self, armnn_error_t* error) {
  const armnn_workload_info_t* info = self->info;
  const armnn_string_t mine = {NPU_VERSION, sizeof NPU_VERSION - 1};
  if (info->blob == NULL || info->blob->object == NULL ||
      info->blob->compatibility.size != mine.size ||
      memcmp(info->blob->compatibility.data, mine.data, mine.size) != 0) {
    return npu_fail(error, ARMNN_STATUS_INCOMPATIBLE, "not a compiled part of %s", NPU_VERSION);
  }
  self->program = info->blob->object;
  return ARMNN_STATUS_OK;
}

/* A part of one layer. */
static armnn_status_t compile_layer(workload_t* self, armnn_error_t* error) {
  const armnn_workload_info_t* info = self->info;
  enum { MOST = 8 }; /* operands; no layer that the device knows has more */
  armnn_slot_t inputs[MOST];
  const armnn_tensor_info_t* border[MOST];
  uint32_t count = 0;
  if (info->input_count > MOST) {
    return npu_fail(error, ARMNN_STATUS_UNSUPPORTED, "a layer with %u inputs", info->input_count);
  }
  for (uint32_t i = 0; i < info->input_count; ++i) {
    if (info->input_infos[i] == NULL) {
      inputs[i] = (armnn_slot_t){ARMNN_SLOT_ABSENT, 0};
    } else if (info->constants != NULL && info->constants[i] != NULL) {
      inputs[i] = (armnn_slot_t){ARMNN_SLOT_CONSTANT, i};
      self->consumed |= UINT64_C(1) << i;
    } else {
      inputs[i] = (armnn_slot_t){ARMNN_SLOT_BOUNDARY, count};
      border[count++] = info->input_infos[i];
    }
  }
  const armnn_layer_t layer = {
      .header = {sizeof layer, ARMNN_STRUCT_LAYER},
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
  const armnn_slot_t output = {0, 0};
  const armnn_subgraph_t part = {
      .header = {sizeof part, ARMNN_STRUCT_SUBGRAPH},
      .layers = layers,
      .input_infos = border,
      .outputs = &output,
      .layer_count = 1,
      .input_count = count,
      .output_count = 1,
  };
  const armnn_status_t status = npu_compile(&part, &self->own, error);
  self->program = self->own;
  return status;
}

/* Do the tensors of the layer have the sizes that the program was compiled for? */
static armnn_status_t check_borders(const workload_t* self, armnn_error_t* error) {
  const armnn_workload_info_t* info = self->info;
  const npu_program_t* program = self->program;
  uint32_t count = 0;
  bool fits = true;
  for (uint32_t i = 0; i < info->input_count; ++i) {
    const bool consumed = i < 64 && (self->consumed >> i & 1) != 0;
    if (consumed || info->input_infos[i] == NULL) continue;
    fits = fits && count < program->input_count &&
           npu_tensors(program)[count].size == npu_tensor_bytes(info->input_infos[i]);
    count += 1;
  }
  fits = fits && count == program->input_count && info->output_count == program->output_count;
  for (uint32_t i = 0; fits && i < info->output_count; ++i, ++count) {
    fits = npu_tensors(program)[count].size == npu_tensor_bytes(info->output_infos[i]);
  }
  if (fits) return ARMNN_STATUS_OK;
  return npu_fail(error, ARMNN_STATUS_INCOMPATIBLE, "the part was compiled for other tensors");
}

static armnn_status_t create_workload(armnn_workload_factory_t* factory,
                                      const armnn_workload_info_t* info,
                                      armnn_workload_t** out_workload, armnn_error_t* error) {
  *out_workload = NULL;
  if (((workload_factory_t*)factory)->complete) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "this network has all of its workloads");
  }
  workload_t* self = calloc(1, sizeof *self);
  if (self == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &workload_api;
  self->factory = (workload_factory_t*)factory;
  self->info = info;
  armnn_status_t status =
      info->type == ARMNN_LAYER_PRE_COMPILED ? take_blob(self, error) : compile_layer(self, error);
  if (status == ARMNN_STATUS_OK) status = check_borders(self, error);
  if (status == ARMNN_STATUS_OK) {
    status = keep_constants(self, self->factory->manager, error);
  }
  if (status != ARMNN_STATUS_OK) {
    workload_destroy(&self->base);
    return status;
  }
  *out_workload = &self->base;
  return ARMNN_STATUS_OK;
}

static void workload_factory_destroy(armnn_workload_factory_t* factory) { free(factory); }

static armnn_status_t after_workloads_created(armnn_workload_factory_t* factory,
                                              armnn_error_t* error) {
  (void)error;
  ((workload_factory_t*)factory)->complete = true;
  return ARMNN_STATUS_OK;
}

static armnn_status_t create_execution_data(armnn_workload_factory_t* factory, void** out_data,
                                            armnn_error_t* error) {
  const workload_factory_t* self = (const workload_factory_t*)factory;
  npu_queue_t* queue = NULL;
  const armnn_status_t status = npu_queue_create(self->backend, self->core_memory, &queue, error);
  *out_data = queue;
  return status;
}

static void destroy_execution_data(armnn_workload_factory_t* factory, void* data) {
  (void)factory;
  if (data != NULL) npu_queue_destroy(data);
}

static const armnn_workload_factory_api_t workload_factory_api = {
    .header = {sizeof(armnn_workload_factory_api_t), ARMNN_STRUCT_WORKLOAD_FACTORY},
    .destroy = workload_factory_destroy,
    .create_workload = create_workload,
    .after_workloads_created = after_workloads_created,
    .create_execution_data = create_execution_data,
    .destroy_execution_data = destroy_execution_data,
};

armnn_status_t npu_create_workload_factory(armnn_backend_t* backend,
                                           const armnn_factory_args_t* args,
                                           armnn_workload_factory_t** out_factory,
                                           armnn_error_t* error) {
  *out_factory = NULL;
  workload_factory_t* self = calloc(1, sizeof *self);
  if (self == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &workload_factory_api;
  self->backend = (npu_backend_t*)backend;
  if (args != NULL && ARMNN_HAS(args, armnn_factory_args_t, model_context) &&
      npu_wants_constants_on_device(args->model_context)) {
    self->manager = (npu_manager_t*)args->memory_manager;
  }
  *out_factory = &self->base;
  return ARMNN_STATUS_OK;
}
