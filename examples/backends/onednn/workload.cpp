/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "workload.hpp"

#include <cstdlib>
#include <string>

#include "armnn/compile_kit.h"

namespace onednn {
namespace {

/* A part stays in the process that compiled it: its primitives are code, not data. */
constexpr char kCompatibility[] = "onednn/in-process";

struct Factory {
  armnn_workload_factory_t base;
  const Backend* backend;
};

struct Workload {
  armnn_workload_t base;
  Program* program;             /* the blob's, or |own| */
  std::unique_ptr<Program> own; /* of a layer that no part has */
  uint64_t consumed;
  std::string kernel_name;
};

void destroy_workload(armnn_workload_t* workload) noexcept {
  delete reinterpret_cast<Workload*>(workload);
}

armnn_status_t execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                       armnn_error_t* error) noexcept {
  return guarded(error,
                 [&] { return reinterpret_cast<Workload*>(workload)->program->run(args, error); });
}

void get_requirements(armnn_workload_t* workload,
                      armnn_workload_requirements_t* requirements) noexcept {
  const Workload* self = reinterpret_cast<const Workload*>(workload);
  requirements->scratch_size = self->program->scratch_size();
  requirements->consumed_mask = self->consumed;
  requirements->packed_size = self->program->packed_size();
}

const char* get_kernel_name(armnn_workload_t* workload) noexcept {
  return reinterpret_cast<const Workload*>(workload)->kernel_name.c_str();
}

constexpr armnn_workload_api_t kWorkloadApi = {
    {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD},
    destroy_workload,
    execute,
    get_requirements,
    nullptr,
    get_kernel_name,
    nullptr,
    nullptr,
    nullptr,
};

void destroy_factory(armnn_workload_factory_t* factory) noexcept {
  delete reinterpret_cast<Factory*>(factory);
}

armnn_status_t create_workload(armnn_workload_factory_t* factory, const armnn_workload_info_t* info,
                               armnn_workload_t** out_workload, armnn_error_t* error) noexcept {
  const Backend* const backend = reinterpret_cast<Factory*>(factory)->backend;
  *out_workload = nullptr;
  return guarded(error, [&] {
    auto self = std::make_unique<Workload>();
    self->base.api = &kWorkloadApi;
    self->consumed = 0;
    if (info->type == ARMNN_LAYER_PRE_COMPILED) {
      self->program = static_cast<Program*>(armnn_part_object(info, kCompatibility));
      if (self->program == nullptr) {
        return armnn_fail(error, ARMNN_STATUS_INCOMPATIBLE, "not a part that this backend made");
      }
    } else {
      const std::unique_ptr<armnn_layer_part_t, void (*)(void*)> part(armnn_part_of_layer(info),
                                                                      std::free);
      if (part == nullptr) throw std::bad_alloc();
      self->own = compile(&part->part, backend->host, threads_of(backend));
      self->own->move_inputs(part->inputs);
      self->program = self->own.get();
      self->consumed = part->consumed;
    }
    self->kernel_name = "onednn: " + std::to_string(self->program->step_count()) + " primitives";
    *out_workload = &self.release()->base;
    return static_cast<armnn_status_t>(ARMNN_STATUS_OK);
  });
}

constexpr armnn_workload_factory_api_t kFactoryApi = {
    {sizeof(armnn_workload_factory_api_t), ARMNN_STRUCT_WORKLOAD_FACTORY},
    destroy_factory,
    create_workload,
    nullptr,
    nullptr,
    nullptr,
};

void release_program(void* program) noexcept { delete static_cast<Program*>(program); }

}  // namespace

armnn_status_t create_factory(armnn_backend_t* backend, const armnn_factory_args_t* args,
                              armnn_workload_factory_t** out_factory,
                              armnn_error_t* error) noexcept {
  (void)args; /* host memory only: no managers, no handles */
  *out_factory = nullptr;
  return guarded(error, [&] {
    *out_factory = &(new Factory{{&kFactoryApi}, reinterpret_cast<const Backend*>(backend)})->base;
    return ARMNN_STATUS_OK;
  });
}

armnn_status_t optimize_part(armnn_backend_t* backend, const armnn_subgraph_t* part,
                             const armnn_options_t* options, const armnn_optimization_sink_t* sink,
                             armnn_error_t* error) noexcept {
  const Backend* const self = reinterpret_cast<const Backend*>(backend);
  for (uint64_t i = 0; options != nullptr && i < options->count; ++i) {
    if (options->items[i].integer == 0) return ARMNN_STATUS_UNSUPPORTED; /* compile = false */
  }
  return guarded(error, [&] {
    armnn_blob_t blob{};
    blob.header = {sizeof blob, ARMNN_STRUCT_BLOB};
    blob.object = compile(part, self->host, threads_of(self)).release();
    blob.release = release_program;
    blob.compatibility = {kCompatibility, sizeof kCompatibility - 1};
    return armnn_replace_part(sink, part, nullptr, "onednn", &blob);
  });
}

armnn_status_t check_blob(armnn_backend_t* backend, armnn_string_t compatibility,
                          armnn_error_t* why_not) noexcept {
  (void)backend;
  if (std::string_view(compatibility.data, compatibility.size) == kCompatibility) {
    return ARMNN_STATUS_OK;
  }
  return armnn_fail(why_not, ARMNN_STATUS_INCOMPATIBLE, "not a part that this backend made");
}

}  // namespace onednn
