/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * A host of a few lines, to be compiled for the machine that a backend was built for: loads the
 * file that it is given, asks about a float32 Add, and runs it. Prints the id and the sums.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define ARMNN_NO_ENTRY_DECLARATIONS
#include "armnn/backend_api.h"

enum { COUNT = 3 };

static int fail(const char* what) {
  fprintf(stderr, "cross_host: %s\n", what);
  return 1;
}

static int run_add(const armnn_backend_api_t* api, armnn_backend_t* backend) {
  armnn_elementwise_binary_descriptor_t add = {
      .header = {sizeof add, ARMNN_STRUCT_DESCRIPTOR + ARMNN_LAYER_ELEMENTWISE_BINARY},
      .operation = ARMNN_BINARY_ADD};
  const armnn_tensor_info_t tensor = {.header = {sizeof tensor, ARMNN_STRUCT_TENSOR_INFO},
                                      .data_type = ARMNN_DATA_TYPE_FLOAT32,
                                      .dimensionality = ARMNN_DIMENSIONALITY_SPECIFIED,
                                      .rank = 1,
                                      .dim_known_mask = 1,
                                      .dims = {COUNT},
                                      .element_count = COUNT,
                                      .quantization_dim = -1};
  const armnn_tensor_info_t* infos[] = {&tensor, &tensor};
  const armnn_workload_info_t info = {.header = {sizeof info, ARMNN_STRUCT_WORKLOAD_INFO},
                                      .type = ARMNN_LAYER_ELEMENTWISE_BINARY,
                                      .input_count = 2,
                                      .output_count = 1,
                                      .descriptor = &add.header,
                                      .input_infos = infos,
                                      .output_infos = infos};
  const armnn_factory_args_t args = {.header = {sizeof args, ARMNN_STRUCT_FACTORY_ARGS}};
  armnn_workload_factory_t* factory = NULL;
  armnn_workload_t* workload = NULL;
  if (api->create_workload_factory(backend, &args, &factory, NULL) != ARMNN_STATUS_OK) {
    return fail("no workload factory");
  }
  if (factory->api->create_workload(factory, &info, &workload, NULL) != ARMNN_STATUS_OK) {
    return fail("no workload");
  }
  const float a[COUNT] = {1.0f, 2.0f, 3.0f}, b[COUNT] = {10.0f, 20.0f, 30.0f};
  float y[COUNT];
  const void* inputs[] = {a, b};
  void* outputs[] = {y};
  const armnn_execute_args_t call = {
      .header = {sizeof call, ARMNN_STRUCT_EXECUTE_ARGS}, .inputs = inputs, .outputs = outputs};
  const armnn_status_t status = workload->api->execute(workload, &call, NULL);
  workload->api->destroy(workload);
  factory->api->destroy(factory);
  if (status != ARMNN_STATUS_OK) return fail("the kernel failed");
  printf("%g %g %g\n", (double)y[0], (double)y[1], (double)y[2]);
  return 0;
}

int main(int argument_count, char** arguments) {
  void* library = argument_count == 2 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  if (library == NULL) return fail(dlerror());
  armnn_get_backend_id_fn_t get_id;
  armnn_get_version_fn_t get_version;
  armnn_backend_factory_fn_t get_api;
  *(void**)&get_id = dlsym(library, "GetBackendId");
  *(void**)&get_version = dlsym(library, "GetVersion");
  *(void**)&get_api = dlsym(library, "BackendFactory");
  if (!get_id || !get_version || !get_api) return fail("an export is missing");
  uint32_t major = 0, minor = 0;
  get_version(&major, &minor);
  if (major != ARMNN_BACKEND_API_MAJOR || minor > ARMNN_BACKEND_API_MINOR) return fail("version");
  const armnn_backend_api_t* api = (const armnn_backend_api_t*)get_api();
  const armnn_options_t none = {NULL, 0};
  const armnn_create_args_t args = {.header = {sizeof args, ARMNN_STRUCT_CREATE_ARGS},
                                    .options = &none};
  armnn_backend_t* backend = NULL;
  if (api->create(&args, &backend, NULL) != ARMNN_STATUS_OK) return fail("create");
  puts(get_id());
  const int code = run_add(api, backend);
  api->destroy(backend);
  return code;
}
