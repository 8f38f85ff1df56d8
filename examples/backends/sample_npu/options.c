/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * options.c - what users may set: of the backend, of a model, of a run. Each scope has two arrays
 * that run in parallel, of defaults and of descriptions; the host checks values against them.
 */
#include "npu.h"

#define TEXT(text) {text, sizeof(text) - 1}
#define DESCRIPTION {sizeof(armnn_option_description_t), ARMNN_STRUCT_OPTION_DESCRIPTION}
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const armnn_option_t backend_options[] = {
    {TEXT("cache_dir"), ARMNN_OPTION_STRING, 0, 0, 0.0, {NULL, 0}},
    {TEXT("max_networks"), ARMNN_OPTION_UINT, 0, 0, 0.0, {NULL, 0}},
};
static const armnn_option_description_t backend_descriptions[COUNT(backend_options)] = {
    {.header = DESCRIPTION, .help = TEXT("folder of compiled parts; empty: they are not kept")},
    {.header = DESCRIPTION,
     .flags = ARMNN_OPTION_CHANGEABLE,
     .help = TEXT("networks that a runtime may have loaded; 0: any number"),
     .maximum = 1000},
};

static const armnn_option_t model_options[] = {
    {TEXT("constants_on_device"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
};
static const armnn_option_description_t model_descriptions[COUNT(model_options)] = {
    {.header = DESCRIPTION,
     .help = TEXT("false: the device reads weights from the host's memory, job by job")},
};

static const armnn_option_t run_options[] = {
    {TEXT("wait"), ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
};
static const armnn_option_description_t run_descriptions[COUNT(run_options)] = {
    {.header = DESCRIPTION,
     .help = TEXT("true: each layer waits for its job, so that an error names the layer")},
};

armnn_status_t npu_get_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                       armnn_error_t* error) {
  (void)backend; /* null: asked before create */
  (void)error;
  *out_options = (armnn_options_t){backend_options, COUNT(backend_options)};
  return ARMNN_STATUS_OK;
}

armnn_status_t npu_get_model_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                             armnn_error_t* error) {
  (void)backend;
  (void)error;
  *out_options = (armnn_options_t){model_options, COUNT(model_options)};
  return ARMNN_STATUS_OK;
}

armnn_status_t npu_get_run_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                           armnn_error_t* error) {
  (void)backend;
  (void)error;
  *out_options = (armnn_options_t){run_options, COUNT(run_options)};
  return ARMNN_STATUS_OK;
}

const armnn_option_description_t* npu_describe_option(armnn_backend_t* backend, int32_t scope,
                                                      uint64_t index) {
  (void)backend;
  switch (scope) {
    case ARMNN_OPTION_SCOPE_BACKEND:
      return &backend_descriptions[index];
    case ARMNN_OPTION_SCOPE_MODEL:
      return &model_descriptions[index];
    case ARMNN_OPTION_SCOPE_RUN:
      return &run_descriptions[index];
    default:
      return NULL;
  }
}

/* Of the options only max_networks can be changed; the host sends no other, and checked its range.
 */
armnn_status_t npu_set_option(armnn_backend_t* backend, const armnn_option_t* option,
                              armnn_error_t* error) {
  (void)error;
  atomic_store(&((npu_backend_t*)backend)->max_networks, option->integer);
  return ARMNN_STATUS_OK;
}
