/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * workload.c - compiled parts as PRE_COMPILED layers, and workloads of parts or of single layers.
 *
 * A layer that the host did not hand to the compiler becomes a program of one layer when its
 * workload is made: there is one way to run anything. Only parts are cached; packing one layer is
 * quick, and would leave a file for each.
 */
#include <stdlib.h>
#include <string.h>

#include "armnn/compile_kit.h"
#include "npu.h"

/* ---- Blobs: programs, which have no pointers in them --------------------------------------- */

static void blob_release(void* object) { free(object); }

static uint64_t blob_size(void* object) { return ((const npu_program_t*)object)->total_size; }

static armnn_status_t blob_serialize(void* object, void* buffer, uint64_t size,
                                     armnn_error_t* error) {
  if (size != blob_size(object)) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "a buffer of another size");
  }
  memcpy(buffer, object, size);
  return ARMNN_STATUS_OK;
}

static armnn_blob_t blob_of(npu_program_t* program) {
  return (armnn_blob_t){
      .header = {sizeof(armnn_blob_t), ARMNN_STRUCT_BLOB},
      .object = program,
      .release = blob_release,
      .compatibility = {NPU_VERSION, sizeof NPU_VERSION - 1},
      .get_size = blob_size,
      .serialize = blob_serialize,
  };
}

armnn_status_t npu_deserialize_blob(armnn_backend_t* backend, const void* data, uint64_t size,
                                    armnn_string_t compatibility, armnn_blob_t* out_blob,
                                    armnn_error_t* error) {
  (void)backend;
  (void)compatibility; /* check_blob has compared it */
  npu_program_t* program = npu_program_allocate(size);
  if (program == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  memcpy(program, data, size);
  if (!npu_program_is_sound(program, size)) {
    free(program);
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the bytes are no program");
  }
  *out_blob = blob_of(program);
  return ARMNN_STATUS_OK;
}

/* ---- optimize_subgraph_view ---------------------------------------------------------------- */

/* The program is the host's afterwards, or freed. */
static armnn_status_t substitute(const armnn_subgraph_t* part, npu_program_t* program,
                                 const armnn_optimization_sink_t* sink) {
  const armnn_blob_t blob = blob_of(program);
  return armnn_replace_part(sink, part, NULL, "npu", &blob);
}

armnn_status_t npu_optimize(armnn_backend_t* backend, const armnn_subgraph_t* part,
                            const armnn_options_t* model_options,
                            const armnn_optimization_sink_t* sink, armnn_error_t* error) {
  (void)model_options;
  char text[256] = "";
  armnn_error_t why = {{sizeof why, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
  npu_program_t* program = NULL;
  armnn_status_t status = npu_get_program((npu_backend_t*)backend, part, &program, &why);
  if (status == ARMNN_STATUS_UNSUPPORTED) {
    status = armnn_leave_part(sink, part, NULL, text);
  } else if (status == ARMNN_STATUS_OK) {
    status = substitute(part, program, sink);
  } else {
    return npu_fail(error, status, "%s", text);
  }
  if (status == ARMNN_STATUS_OK) return status;
  return npu_fail(error, status, "the host did not take the answer");
}

/* ---- Workloads ----------------------------------------------------------------------------- */

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
  npu_program_t* own;        /* the same, if it was made here and not by the optimiser */
  armnn_layer_part_t* layer; /* what that was made from, or null */
  npu_manager_t* manager;    /* who keeps the program's constants on the device, or null */
  uint64_t offset, size;     /* of them, there */
} workload_t;

/* Which input of the layer is input |index| of the program. */
static uint32_t input_of(const workload_t* self, uint32_t index) {
  return self->layer != NULL ? self->layer->inputs[index] : index;
}

static void workload_destroy(armnn_workload_t* workload) {
  workload_t* self = (workload_t*)workload;
  if (self->manager != NULL) {
    npu_manager_drop(self->manager, npu_constants(self->program, 0), self->offset);
  }
  free(self->own);
  free(self->layer);
  free(self);
}

/* Where the device finds the constants of the program. */
static armnn_status_t constants_place(const workload_t* self, npu_place_t* out_place,
                                      armnn_error_t* error) {
  *out_place = (npu_place_t){.file = -1, .offset = self->offset, .size = self->size};
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

/* ---- Command buffers ------------------------------------------------------------------------ */

/* A workload's command in one execution context: where its tensors lie. Each execute writes it, so
 * contexts that run side by side need one each. */
typedef struct command_t {
  npu_place_t constants;
  npu_place_t places[]; /* of inputs and outputs */
} command_t;

static size_t command_size(const npu_program_t* program) {
  return sizeof(command_t) +
         ((size_t)program->input_count + program->output_count) * sizeof(npu_place_t);
}

static armnn_status_t create_command(armnn_workload_t* workload, void* execution_data,
                                     void** out_data, armnn_error_t* error) {
  (void)execution_data; /* the queue copies the command when it is put */
  *out_data = calloc(1, command_size(((const workload_t*)workload)->program));
  if (*out_data != NULL) return ARMNN_STATUS_OK;
  return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
}

static void destroy_command(armnn_workload_t* workload, void* data) {
  (void)workload;
  free(data);
}

static armnn_status_t workload_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                       armnn_error_t* error) {
  const workload_t* self = (const workload_t*)workload;
  const npu_program_t* program = self->program;
  command_t* command = args->workload_data;
  uint32_t count = 0;
  if (args->execution_data == NULL || command == NULL || args->output_handles == NULL ||
      (args->input_handles == NULL && program->input_count > 0)) {
    return npu_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                    "%s needs execution data, a command, and tensors of %s", NPU_ID,
                    NPU_FACTORY_ID);
  }
  npu_place_t* places = command->places;
  for (; count < program->input_count; ++count) {
    const armnn_status_t status =
        npu_handle_place(self->factory->backend, args->input_handles[input_of(self, count)],
                         npu_tensors(program)[count].size, &places[count], error);
    if (status != ARMNN_STATUS_OK) return status;
  }
  for (uint32_t i = 0; i < self->info->output_count; ++i, ++count) {
    const armnn_status_t status =
        npu_handle_place(self->factory->backend, args->output_handles[i],
                         npu_tensors(program)[count].size, &places[count], error);
    if (status != ARMNN_STATUS_OK) return status;
  }
  const armnn_status_t status = constants_place(self, &command->constants, error);
  if (status != ARMNN_STATUS_OK) return status;
  npu_queue_put(args->execution_data, program, &command->constants, places, args->run_id);
  return npu_queue_waits_each(args->execution_data) ? npu_queue_wait(args->execution_data, error)
                                                    : ARMNN_STATUS_OK;
}

static void workload_requirements(armnn_workload_t* workload,
                                  armnn_workload_requirements_t* out_requirements) {
  const workload_t* self = (const workload_t*)workload;
  if (self->layer != NULL &&
      ARMNN_HAS(out_requirements, armnn_workload_requirements_t, consumed_mask)) {
    out_requirements->consumed_mask = self->layer->consumed;
  }
  if (ARMNN_HAS(out_requirements, armnn_workload_requirements_t, expected_ns)) {
    out_requirements->packed_size = self->program->total_size;
    out_requirements->operations = npu_count_operations(self->program);
    out_requirements->expected_ns = npu_estimate_ns(self->program);
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
    .create_workload_data = create_command,
    /* Each execute writes its command anew: no run leaves anything for the next, and there is
     * nothing to reset. Of a recurrent layer it would be a function, and runs would follow one
     * another. */
    .reset_workload_data = NULL,
    .destroy_workload_data = destroy_command,
};

static armnn_status_t take_blob(workload_t* self, armnn_error_t* error) {
  self->program = armnn_part_object(self->info, NPU_VERSION);
  if (self->program != NULL) return ARMNN_STATUS_OK;
  return npu_fail(error, ARMNN_STATUS_INCOMPATIBLE, "not a compiled part of %s", NPU_VERSION);
}

/* A part of one layer. */
static armnn_status_t compile_layer(workload_t* self, armnn_error_t* error) {
  self->layer = armnn_part_of_layer(self->info);
  if (self->layer == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  const armnn_status_t status = npu_compile(&self->layer->part, &self->own, error);
  self->program = self->own;
  return status;
}

/* Do the tensors of the layer have the sizes that the program was compiled for? */
static armnn_status_t check_borders(const workload_t* self, armnn_error_t* error) {
  const armnn_workload_info_t* info = self->info;
  const npu_program_t* program = self->program;
  const uint32_t inputs = self->layer != NULL ? self->layer->part.input_count : info->input_count;
  const npu_tensor_t* tensor = npu_tensors(program);
  bool fits = inputs == program->input_count && info->output_count == program->output_count;
  for (uint32_t i = 0; fits && i < inputs; ++i, ++tensor) {
    const armnn_tensor_info_t* input = info->input_infos[input_of(self, i)];
    fits = input != NULL && tensor->size == npu_tensor_bytes(input);
  }
  for (uint32_t i = 0; fits && i < info->output_count; ++i, ++tensor) {
    fits = tensor->size == npu_tensor_bytes(info->output_infos[i]);
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
