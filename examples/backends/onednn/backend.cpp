/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * backend.cpp - the table of OneDnn, its options, and the three entry points.
 *
 * The kit's ARMNN_DEFINE_BACKEND is for rows of kernels; this backend compiles whole parts and has
 * an option, so it fills in the table itself. It is not UNLOADABLE: an OpenMP runtime has threads
 * that outlive every call, and would wake up in memory where no code is any more.
 */
#include <cstring>
#include <string>

#include "lower.hpp"
#include "workload.hpp"

namespace onednn {
namespace {

constexpr char kId[] = "OneDnn";

/* ---- Options and capabilities ---------------------------------------------------------------- */

constexpr armnn_option_t kOptions[] = {
    {{"threads", 7}, ARMNN_OPTION_UINT, 0, 0, 0.0, {nullptr, 0}},
};

armnn_status_t get_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                   armnn_error_t* error) noexcept {
  (void)backend;
  (void)error;
  *out_options = {kOptions, sizeof kOptions / sizeof kOptions[0]};
  return ARMNN_STATUS_OK;
}

/* false: each layer is a workload of its own, for who wants to see which one is slow or wrong. */
constexpr armnn_option_t kModelOptions[] = {
    {{"compile", 7}, ARMNN_OPTION_BOOL, 0, 1, 0.0, {nullptr, 0}},
};

armnn_status_t get_model_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                         armnn_error_t* error) noexcept {
  (void)backend;
  (void)error;
  *out_options = {kModelOptions, sizeof kModelOptions / sizeof kModelOptions[0]};
  return ARMNN_STATUS_OK;
}

armnn_status_t get_capabilities(armnn_backend_t* backend, armnn_options_t* out_capabilities,
                                armnn_error_t* error) noexcept {
  (void)backend;
  (void)error;
  static const armnn_option_t capabilities[] = {
      {{"OneDnnRuntime", 13},
       ARMNN_OPTION_STRING,
       0,
       0,
       0.0,
       {runtime_name(), std::strlen(runtime_name())}},
      /* some of its maxima and clamps lose NaN */
      {ARMNN_TEXT("FiniteMathOnly"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {nullptr, 0}},
  };
  *out_capabilities = {capabilities, sizeof capabilities / sizeof capabilities[0]};
  return ARMNN_STATUS_OK;
}

/* ---- Layer support --------------------------------------------------------------------------- */

void destroy_support(armnn_layer_support_t* support) noexcept { delete support; }

armnn_status_t is_layer_supported(armnn_layer_support_t* support, const armnn_layer_query_t* query,
                                  armnn_error_t* reason) noexcept {
  (void)support;
  return guarded(reason, [&] {
    check_layer(query);
    return ARMNN_STATUS_OK;
  });
}

constexpr armnn_layer_support_api_t kSupportApi = {
    {sizeof(armnn_layer_support_api_t), ARMNN_STRUCT_LAYER_SUPPORT},
    destroy_support,
    is_layer_supported,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

armnn_status_t get_layer_support(armnn_backend_t* backend, const armnn_options_t* model_options,
                                 armnn_layer_support_t** out_support,
                                 armnn_error_t* error) noexcept {
  (void)backend;
  (void)model_options;
  *out_support = nullptr;
  return guarded(error, [&] {
    *out_support = new armnn_layer_support_t{&kSupportApi};
    return ARMNN_STATUS_OK;
  });
}

/* ---- The instance ---------------------------------------------------------------------------- */

void say_advice(const armnn_host_t* host) {
  if (host == nullptr || !ARMNN_HAS_FN(host, armnn_host_t, log)) return;
  host->log(host->context, ARMNN_LOG_INFO, {kId, sizeof kId - 1},
            {kSpinAdvice, std::strlen(kSpinAdvice)});
}

armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                      armnn_error_t* error) noexcept;

void destroy(armnn_backend_t* backend) noexcept { delete reinterpret_cast<Backend*>(backend); }

const char* get_id(armnn_backend_t* backend) noexcept {
  (void)backend;
  return kId;
}

/* Of this backend and of the library that it found. */
const char* version_text() {
  const dnnl_version_t* const version = dnnl_version();
  static const std::string text = "1.0, oneDNN " + std::to_string(version->major) + "." +
                                  std::to_string(version->minor) + "." +
                                  std::to_string(version->patch);
  return text.c_str();
}

armnn_backend_api_t make_api() {
  armnn_backend_api_t api{};
  api.header = {sizeof api, ARMNN_STRUCT_BACKEND};
  api.built_minor = ARMNN_BACKEND_API_MINOR;
  api.flags = 0; /* not ARMNN_BACKEND_UNLOADABLE: see above */
  api.build_features = ARMNN_BUILD_FEATURES;
  api.score = 1;
  api.vendor_version = version_text();
  api.description = "oneDNN's primitives, for whole parts of a network";
  api.create = create;
  api.destroy = destroy;
  api.get_id = get_id;
  api.create_workload_factory = create_factory;
  api.get_layer_support = get_layer_support;
  api.optimize_subgraph_view = optimize_part;
  api.get_capabilities = get_capabilities;
  api.get_option_defaults = get_option_defaults;
  api.get_model_option_defaults = get_model_option_defaults;
  api.check_blob = check_blob;
  return api;
}

const armnn_backend_api_t* table() {
  static const armnn_backend_api_t api = make_api();
  return &api;
}

armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                      armnn_error_t* error) noexcept {
  *out_backend = nullptr;
  return guarded(error, [&] {
    auto self = std::make_unique<Backend>(Backend{{table()}, args->host, 0, false});
    for (uint64_t i = 0; args->options != nullptr && i < args->options->count; ++i) {
      self->threads = static_cast<uint32_t>(args->options->items[i].integer); /* the only option */
    }
    cpu_engine();
    self->is_careful = self->threads == 0 && host_threads(args->host) > 1 && runtime_spins();
    if (self->is_careful) say_advice(args->host);
    *out_backend = &self.release()->base;
    return ARMNN_STATUS_OK;
  });
}

}  // namespace
}  // namespace onednn

const char* GetBackendId(void) noexcept { return onednn::kId; }

void GetVersion(uint32_t* out_major, uint32_t* out_minor) noexcept {
  *out_major = ARMNN_BACKEND_API_MAJOR;
  *out_minor = ARMNN_TARGET_MINOR;
}

void* BackendFactory(void) noexcept { return const_cast<armnn_backend_api_t*>(onednn::table()); }
