/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_backend_table.c - a backend of this tree by itself: a Convolution2d goes all the way through
 * its table of functions, from create to the numbers.
 *
 * One source for both forms. With ARMNN_STATIC_BACKEND the entry points are linked in; without, the
 * first argument is the shared object.
 */
#include <dlfcn.h>

#include "armnn/backend_api.h"
#include "harness.h"

#ifdef ARMNN_STATIC_BACKEND
#define find_id ARMNN_ENTRY(GetBackendId)
#define find_version ARMNN_ENTRY(GetVersion)
#define find_table ARMNN_ENTRY(BackendFactory)
#else
static armnn_get_backend_id_fn_t find_id;
static armnn_get_version_fn_t find_version;
static armnn_backend_factory_fn_t find_table;
#endif

/* ---- A host of one thread ------------------------------------------------------------------- */

static void* allocate(void* context, uint64_t size, uint64_t alignment) {
  (void)context;
  const uint64_t step = alignment < sizeof(void*) ? sizeof(void*) : alignment;
  return aligned_alloc(step, (size / step + 1) * step);
}

static void release(void* context, void* memory) {
  (void)context;
  free(memory);
}

static armnn_status_t parallel_for(void* context, armnn_range_fn_t body, void* argument,
                                   uint64_t count, uint64_t grain, uint32_t max_threads) {
  (void)context, (void)grain, (void)max_threads;
  return count == 0 ? ARMNN_STATUS_OK : body(argument, 0, count, 0);
}

static const armnn_host_t host = {.header = {sizeof host, ARMNN_STRUCT_HOST},
                                  .api_major = ARMNN_BACKEND_API_MAJOR,
                                  .api_minor = ARMNN_BACKEND_API_MINOR,
                                  .allocate = allocate,
                                  .release = release,
                                  .parallel_for = parallel_for};

/* ---- The layer ------------------------------------------------------------------------------ */

#define IMAGE(channels_in, height, width, channels, bits)             \
  {.header = {sizeof(armnn_tensor_info_t), ARMNN_STRUCT_TENSOR_INFO}, \
   .data_type = ARMNN_DATA_TYPE_FLOAT32,                              \
   .dimensionality = ARMNN_DIMENSIONALITY_SPECIFIED,                  \
   .rank = 4,                                                         \
   .dim_known_mask = 15,                                              \
   .dims = {channels_in, height, width, channels},                    \
   .element_count = (channels_in) * (height) * (width) * (channels),  \
   .quantization_dim = -1,                                            \
   .flags = bits}

static const armnn_tensor_info_t image = IMAGE(1, 3, 3, 1, 0);
static const armnn_tensor_info_t result = IMAGE(1, 2, 2, 1, 0);
static const armnn_tensor_info_t window = IMAGE(1, 2, 2, 1, ARMNN_TENSOR_CONSTANT);
static const armnn_tensor_info_t one = {.header = {sizeof one, ARMNN_STRUCT_TENSOR_INFO},
                                        .data_type = ARMNN_DATA_TYPE_FLOAT32,
                                        .dimensionality = ARMNN_DIMENSIONALITY_SPECIFIED,
                                        .rank = 1,
                                        .dim_known_mask = 1,
                                        .dims = {1},
                                        .element_count = 1,
                                        .quantization_dim = -1,
                                        .flags = ARMNN_TENSOR_CONSTANT};

static _Alignas(64) const float weights[4] = {1.0f, 0.0f, 0.0f, 2.0f};
static _Alignas(64) const float bias[1] = {10.0f};
static _Alignas(64) const float pixels[9] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f, 7.0f, 8.0f, 9.0f};

static const armnn_convolution2d_descriptor_t convolution = {
    .header = {sizeof convolution, ARMNN_STRUCT_DESCRIPTOR + ARMNN_LAYER_CONVOLUTION2D},
    .stride_x = 1,
    .stride_y = 1,
    .dilation_x = 1,
    .dilation_y = 1,
    .bias_enabled = 1,
    .data_layout = ARMNN_DATA_LAYOUT_NHWC,
    .groups = 1};
static const armnn_tensor_info_t* const input_infos[] = {&image, &window, &one};
static const armnn_tensor_info_t* const output_infos[] = {&result};

static armnn_backend_t* created(const armnn_backend_api_t* table) {
  const armnn_options_t none = {NULL, 0};
  const armnn_create_args_t args = {
      .header = {sizeof args, ARMNN_STRUCT_CREATE_ARGS}, .host = &host, .options = &none};
  armnn_backend_t* backend = NULL;
  CHECK_EQUAL(table->create(&args, &backend, NULL), ARMNN_STATUS_OK);
  CHECK(strcmp(table->get_id(backend), find_id()) == 0);
  return backend;
}

static void says_that_it_takes_the_layer(const armnn_backend_api_t* table,
                                         armnn_backend_t* backend) {
  const armnn_options_t none = {NULL, 0};
  const armnn_layer_query_t query = {.header = {sizeof query, ARMNN_STRUCT_LAYER_QUERY},
                                     .type = ARMNN_LAYER_CONVOLUTION2D,
                                     .input_count = 3,
                                     .output_count = 1,
                                     .descriptor = &convolution.header,
                                     .input_infos = input_infos,
                                     .output_infos = output_infos};
  armnn_layer_support_t* support = NULL;
  CHECK_EQUAL(table->get_layer_support(backend, &none, &support, NULL), ARMNN_STATUS_OK);
  CHECK_EQUAL(support->api->is_layer_supported(support, &query, NULL), ARMNN_STATUS_OK);
  support->api->destroy(support);
}

static void computes_it(armnn_workload_t* workload) {
  armnn_workload_requirements_t needs = {
      .header = {sizeof needs, ARMNN_STRUCT_WORKLOAD_REQUIREMENTS}};
  if (workload->api->get_requirements != NULL) {
    workload->api->get_requirements(workload, &needs);
  }
  void* data = NULL;
  if (workload->api->create_workload_data != NULL) {
    CHECK_EQUAL(workload->api->create_workload_data(workload, NULL, &data, NULL), ARMNN_STATUS_OK);
  }
  void* scratch = allocate(NULL, needs.scratch_size, 64);
  float y[4] = {0.0f, 0.0f, 0.0f, 0.0f};
  const void* inputs[] = {pixels, weights, bias};
  void* outputs[] = {y};
  const armnn_execute_args_t args = {.header = {sizeof args, ARMNN_STRUCT_EXECUTE_ARGS},
                                     .inputs = inputs,
                                     .outputs = outputs,
                                     .scratch = scratch,
                                     .workload_data = data};
  CHECK_EQUAL(workload->api->execute(workload, &args, NULL), ARMNN_STATUS_OK);
  /* a pixel, twice the one below on the right, and 10 */
  const float expected[4] = {21.0f, 24.0f, 30.0f, 33.0f};
  for (int i = 0; i < 4; ++i) CHECK(y[i] == expected[i]);
  if (data != NULL) workload->api->destroy_workload_data(workload, data);
  release(NULL, scratch);
}

static void makes_it(const armnn_backend_api_t* table, armnn_backend_t* backend) {
  const armnn_options_t none = {NULL, 0};
  const armnn_factory_args_t args = {.header = {sizeof args, ARMNN_STRUCT_FACTORY_ARGS},
                                     .model_options = &none};
  const armnn_const_tensor_t first = {
      {sizeof first, ARMNN_STRUCT_CONST_TENSOR}, &window, weights, sizeof weights};
  const armnn_const_tensor_t second = {
      {sizeof second, ARMNN_STRUCT_CONST_TENSOR}, &one, bias, sizeof bias};
  const armnn_const_tensor_t* const constants[] = {NULL, &first, &second};
  const armnn_workload_info_t info = {.header = {sizeof info, ARMNN_STRUCT_WORKLOAD_INFO},
                                      .type = ARMNN_LAYER_CONVOLUTION2D,
                                      .input_count = 3,
                                      .output_count = 1,
                                      .name = {"convolution", 11},
                                      .descriptor = &convolution.header,
                                      .input_infos = input_infos,
                                      .output_infos = output_infos,
                                      .constants = constants};
  armnn_workload_factory_t* factory = NULL;
  armnn_workload_t* workload = NULL;
  CHECK_EQUAL(table->create_workload_factory(backend, &args, &factory, NULL), ARMNN_STATUS_OK);
  CHECK_EQUAL(factory->api->create_workload(factory, &info, &workload, NULL), ARMNN_STATUS_OK);
  computes_it(workload);
  workload->api->destroy(workload);
  factory->api->destroy(factory);
}

int main(int argument_count, char** arguments) {
#ifdef ARMNN_STATIC_BACKEND
  (void)argument_count, (void)arguments;
#else
  CHECK_EQUAL(argument_count, 2);
  void* library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  *(void**)&find_id = dlsym(library, "GetBackendId");
  *(void**)&find_version = dlsym(library, "GetVersion");
  *(void**)&find_table = dlsym(library, "BackendFactory");
#endif
  uint32_t major = 0, minor = 0;
  find_version(&major, &minor);
  CHECK_EQUAL(major, ARMNN_BACKEND_API_MAJOR);
  const armnn_backend_api_t* table = find_table();
  armnn_backend_t* backend = created(table);
  says_that_it_takes_the_layer(table, backend);
  makes_it(table, backend);
  table->destroy(backend);
  return 0;
}
