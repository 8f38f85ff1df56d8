/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * A host of one page for Sample_Zero's own functions: linked with the backend's sources, so that
 * sanitizers see both. The first argument names the case.
 */
#include "zero.h"

#define CHECK(what)                                                                 \
  do {                                                                              \
    if (!(what)) {                                                                  \
      fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #what, text); \
      exit(1);                                                                      \
    }                                                                               \
  } while (0)

static char text[256];
static armnn_error_t error = {{sizeof error, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};

/* ---- The host ------------------------------------------------------------------------------ */

static armnn_memory_manager_t* manager;
static armnn_tensor_handle_factory_t* factory;

static armnn_status_t keep_manager(void* context, armnn_memory_manager_t* given) {
  (void)context;
  manager = given;
  return ARMNN_STATUS_OK;
}
static armnn_status_t keep_factory(void* context, armnn_tensor_handle_factory_t* given) {
  (void)context;
  factory = given;
  return ARMNN_STATUS_OK;
}

static armnn_tensor_handle_factory_registry_t registry = {
    .header = {sizeof registry, 0},
    .register_memory_manager = keep_manager,
    .register_factory = keep_factory,
};

static armnn_backend_t* make(int import) {
  const armnn_backend_api_t* api = (const armnn_backend_api_t*)BackendFactory();
  const armnn_option_t option = {{"import", 6}, ARMNN_OPTION_BOOL, 0, import, 0.0, {NULL, 0}};
  const armnn_options_t options = {&option, 1};
  const armnn_create_args_t args = {{sizeof args, ARMNN_STRUCT_CREATE_ARGS}, NULL, &options, 0, 0};
  armnn_backend_t* backend = NULL;
  CHECK(api->create(&args, &backend, &error) == ARMNN_STATUS_OK);
  return backend;
}

static void open_factory(armnn_backend_t* backend) {
  CHECK(backend->api->register_tensor_handle_factories(backend, &registry, 1, 1, &error) == 0);
}

static void close_all(armnn_backend_t* backend) {
  factory->api->destroy(factory);
  manager->api->destroy(manager);
  backend->api->destroy(backend);
}

static armnn_tensor_info_t shape(uint64_t a, uint64_t b, uint64_t c) {
  armnn_tensor_info_t info = {.header = {sizeof info, ARMNN_STRUCT_TENSOR_INFO}};
  info.data_type = ARMNN_DATA_TYPE_FLOAT32;
  info.dimensionality = ARMNN_DIMENSIONALITY_SPECIFIED;
  info.rank = 3;
  info.dim_known_mask = 7;
  info.dims[0] = a, info.dims[1] = b, info.dims[2] = c;
  info.element_count = a * b * c;
  return info;
}

static armnn_tensor_handle_t* tensor(armnn_tensor_info_t info, uint32_t managed) {
  armnn_tensor_handle_t* handle = NULL;
  CHECK(factory->api->create_tensor_handle(factory, &info, managed, &handle, &error) == 0);
  return handle;
}

static void* address(armnn_tensor_handle_t* handle) {
  void* memory = NULL;
  CHECK(handle->api->map(handle, ARMNN_MAP_READ, &memory, &error) == 0);
  CHECK(handle->api->unmap(handle, &error) == 0);
  return memory;
}

/* ---- Cases --------------------------------------------------------------------------------- */

static void import(void) {
  armnn_backend_t* backend = make(1);
  open_factory(backend);
  _Alignas(64) float memory[32] = {0};
  armnn_tensor_handle_t* handle = tensor(shape(1, 2, 4), 0);
  CHECK(factory->api->get_import_flags(factory) == ARMNN_MEMORY_SOURCE_MALLOC);
  CHECK(factory->api->get_export_flags(factory) == ARMNN_MEMORY_SOURCE_MALLOC);
  CHECK(handle->api->import_memory(handle, memory, ARMNN_MEMORY_SOURCE_MALLOC, &error) == 0);
  CHECK(address(handle) == memory);
  CHECK(handle->api->can_be_imported(handle, memory + 1, ARMNN_MEMORY_SOURCE_MALLOC, &error) ==
        ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(strstr(text, "is not a multiple of 64 bytes (4 bytes behind one)") != NULL);
  CHECK(handle->api->import_memory(handle, memory + 1, ARMNN_MEMORY_SOURCE_MALLOC, &error) ==
        ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(address(handle) == memory); /* a refusal changes nothing */
  CHECK(handle->api->can_be_imported(handle, memory, ARMNN_MEMORY_SOURCE_DMA_BUF, &error) < 0);
  CHECK(strstr(text, "only Malloc") != NULL);
  CHECK(handle->api->unimport_memory(handle, &error) == 0);
  CHECK(address(handle) != memory);
  handle->api->destroy(handle);
  close_all(backend);
}

static void no_import(void) {
  armnn_backend_t* backend = make(0);
  open_factory(backend);
  _Alignas(64) float memory[32] = {0};
  armnn_tensor_handle_t* handle = tensor(shape(1, 2, 4), 0);
  CHECK(factory->api->get_import_flags(factory) == 0);
  CHECK(factory->api->get_export_flags(factory) == 0);
  CHECK(handle->api->get_import_flags(handle) == 0);
  CHECK(handle->api->can_be_imported(handle, memory, ARMNN_MEMORY_SOURCE_MALLOC, &error) < 0);
  CHECK(strstr(text, "the backend option 'import' is false") != NULL);
  handle->api->destroy(handle);
  close_all(backend);
}

/* a lives until b is there, b until c is there: c may lie where a lay. */
static void pools(void) {
  armnn_backend_t* backend = make(1);
  open_factory(backend);
  armnn_tensor_handle_t* a = tensor(shape(1, 1, 100), 1);
  armnn_tensor_handle_t* b = tensor(shape(1, 1, 3), 1);
  armnn_tensor_handle_t* c = tensor(shape(1, 1, 200), 1);
  armnn_tensor_handle_t* order[] = {a, b, c};
  void* memory = NULL;
  for (int i = 0; i < 3; ++i) {
    CHECK(order[i]->api->manage(order[i], &error) == 0);
    if (i > 0) CHECK(order[i - 1]->api->allocate(order[i - 1], &error) == 0);
  }
  CHECK(c->api->allocate(c, &error) == 0);
  CHECK(c->api->map(c, ARMNN_MAP_READ, &memory, &error) == ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(strstr(text, "was not acquired") != NULL);
  for (int round = 0; round < 2; ++round) { /* released and acquired again */
    CHECK(manager->api->acquire(manager, &error) == 0);
    CHECK(address(a) == address(c) && address(a) != address(b));
    for (int i = 0; i < 3; ++i) CHECK((uintptr_t)address(order[i]) % 64 == 0);
    memset(address(c), 1, 200 * sizeof(float));
    memset(address(b), 2, 3 * sizeof(float));
    CHECK(((char*)address(c))[799] == 1);
    CHECK(manager->api->release(manager, &error) == 0);
  }
  for (int i = 0; i < 3; ++i) order[i]->api->destroy(order[i]);
  close_all(backend);
}

static void sub_tensors(void) {
  armnn_backend_t* backend = make(1);
  open_factory(backend);
  static const struct {
    uint64_t size[3], origin[3];
    armnn_status_t status;
    uint64_t offset; /* elements */
    const char* said;
  } cases[] = {
      {{2, 3, 4}, {1, 0, 0}, ARMNN_STATUS_OK, 12, ""},
      {{1, 2, 4}, {2, 1, 0}, ARMNN_STATUS_OK, 28, ""},
      {{1, 1, 2}, {3, 2, 2}, ARMNN_STATUS_OK, 46, ""},
      {{4, 3, 4}, {0, 0, 0}, ARMNN_STATUS_OK, 0, ""},
      {{2, 1, 4},
       {0, 0, 0},
       ARMNN_STATUS_UNSUPPORTED,
       0,
       "is not dense: it has size 2 along axis 0"},
      {{1, 2, 2},
       {0, 0, 0},
       ARMNN_STATUS_UNSUPPORTED,
       0,
       "is not dense: it has size 2 along axis 1"},
      {{2, 3, 4},
       {3, 0, 0},
       ARMNN_STATUS_INVALID_ARGUMENT,
       0,
       "axis 0: the sub-tensor is at 3 + 2"},
      {{1, 3, 5},
       {0, 0, 0},
       ARMNN_STATUS_INVALID_ARGUMENT,
       0,
       "axis 2: the sub-tensor is at 0 + 5"},
  };
  armnn_tensor_handle_t* whole = tensor(shape(4, 3, 4), 0);
  _Alignas(64) float memory[48] = {0};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    armnn_tensor_info_t info = shape(cases[i].size[0], cases[i].size[1], cases[i].size[2]);
    armnn_tensor_handle_t* part = NULL;
    armnn_status_t status = factory->api->create_sub_tensor_handle(factory, whole, &info,
                                                                   cases[i].origin, &part, &error);
    CHECK(status == cases[i].status);
    if (status != ARMNN_STATUS_OK) {
      CHECK(part == NULL && strstr(text, cases[i].said) != NULL);
      continue;
    }
    CHECK(part->api->get_parent(part) == whole && whole->api->get_parent(whole) == NULL);
    CHECK(address(part) == (float*)address(whole) + cases[i].offset);
    CHECK(whole->api->import_memory(whole, memory, ARMNN_MEMORY_SOURCE_MALLOC, &error) == 0);
    CHECK(address(part) == memory + cases[i].offset); /* it goes where its parent goes */
    CHECK(part->api->can_be_imported(part, memory, ARMNN_MEMORY_SOURCE_MALLOC, &error) < 0);
    CHECK(whole->api->unimport_memory(whole, &error) == 0);
    part->api->destroy(part);
  }
  whole->api->destroy(whole);
  close_all(backend);
}

static void decorate(void) {
  armnn_backend_t* backend = make(1);
  open_factory(backend);
  armnn_tensor_handle_t* whole = tensor(shape(4, 3, 4), 0);
  armnn_tensor_handle_t* view = NULL;
  armnn_tensor_info_t flat = shape(1, 1, 48), small = shape(1, 1, 47);
  uint64_t sizes[ARMNN_MAX_DIMS], strides[ARMNN_MAX_DIMS];
  uint32_t rank = 0;
  CHECK(whole->api->decorate(whole, &flat, &view, &error) == 0);
  CHECK(view->api->get_parent(view) == whole && address(view) == address(whole));
  CHECK(view->api->get_layout(view, sizes, strides, &rank) == 0);
  CHECK(rank == 3 && sizes[2] == 48 && strides[2] == 4 && strides[0] == 192);
  view->api->destroy(view);
  CHECK(whole->api->decorate(whole, &small, &view, &error) == ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(strstr(text, "192 bytes of float32 cannot be looked at as 47 elements") != NULL);
  whole->api->destroy(whole);
  close_all(backend);
}

static int blocks, give_misaligned;
static int32_t source_of_test;
static void* test_allocate(armnn_allocator_t* allocator, uint64_t size, uint64_t alignment) {
  (void)allocator;
  ++blocks;
  char* memory = (char*)aligned_alloc((size_t)alignment, (size_t)size);
  return memory + (give_misaligned ? 8 : 0);
}
static void test_release(armnn_allocator_t* allocator, void* memory) {
  (void)allocator;
  --blocks;
  free((char*)memory - (give_misaligned ? 8 : 0));
}
static int32_t test_source(armnn_allocator_t* allocator) {
  (void)allocator;
  return source_of_test;
}
static const armnn_allocator_api_t test_api = {
    .header = {sizeof test_api, ARMNN_STRUCT_ALLOCATOR},
    .allocate = test_allocate,
    .release = test_release,
    .get_memory_source = test_source,
};

static void allocators(void) {
  armnn_backend_t* backend = make(1);
  const armnn_backend_api_t* api = backend->api;
  armnn_allocator_t mine = {&test_api};
  open_factory(backend);
  source_of_test = ARMNN_MEMORY_SOURCE_DMA_BUF_PROTECTED;
  CHECK(api->use_custom_memory_allocator(backend, &mine, &error) == ARMNN_STATUS_INCOMPATIBLE);
  CHECK(strstr(text,
               "this backend does not accept the allocator: its memory is "
               "DmaBufProtected") != NULL);
  source_of_test = ARMNN_MEMORY_SOURCE_MALLOC;
  CHECK(api->use_custom_memory_allocator(backend, &mine, &error) == 0);
  armnn_tensor_handle_t* own = tensor(shape(1, 1, 9), 0);
  armnn_tensor_handle_t* pooled = tensor(shape(1, 1, 9), 1);
  CHECK(blocks == 0);
  CHECK(own->api->allocate(own, &error) == 0 && blocks == 1);
  CHECK(pooled->api->manage(pooled, &error) == 0 && pooled->api->allocate(pooled, &error) == 0);
  CHECK(manager->api->acquire(manager, &error) == 0 && blocks == 2);
  CHECK(api->use_custom_memory_allocator(backend, &mine, &error) < 0); /* too late */
  CHECK(strstr(text, "tensors already have memory") != NULL);
  CHECK(manager->api->release(manager, &error) == 0 && blocks == 1);
  own->api->destroy(own);
  pooled->api->destroy(pooled);
  CHECK(blocks == 0);
  give_misaligned = 1;
  own = tensor(shape(1, 1, 9), 0);
  CHECK(own->api->allocate(own, &error) == ARMNN_STATUS_OUT_OF_MEMORY && blocks == 0);
  CHECK(strstr(text, "which is not a multiple of 64") != NULL);
  own->api->destroy(own);
  close_all(backend);
}

static void default_allocator(void) {
  armnn_backend_t* backend = make(1);
  armnn_allocator_t* allocator = NULL;
  CHECK(backend->api->get_default_allocator(backend, &allocator, &error) == 0);
  CHECK(allocator->api->get_memory_source(allocator) == ARMNN_MEMORY_SOURCE_MALLOC);
  char* memory = (char*)allocator->api->allocate(allocator, 1000, 1);
  CHECK((uintptr_t)memory % 64 == 0);
  CHECK(allocator->api->get_memory_region_at_offset(allocator, memory, 64, 64) == memory + 64);
  CHECK(allocator->api->get_memory_region_at_offset(allocator, memory, 4, 64) == NULL);
  allocator->api->release(allocator, memory);
  allocator->api->destroy(allocator);
  backend->api->destroy(backend);
}

static uint64_t reported[16];
static uint32_t next_counter;
static armnn_status_t register_counter(void* context, const armnn_counter_description_t* what,
                                       uint32_t* out_id) {
  (void)context, (void)what;
  *out_id = next_counter++;
  return ARMNN_STATUS_OK;
}
static armnn_status_t report(void* context, uint64_t time_ns, const armnn_counter_value_t* values,
                             uint64_t count) {
  (void)context, (void)time_ns;
  for (uint64_t i = 0; i < count; ++i) reported[values[i].counter_id] = values[i].value;
  return ARMNN_STATUS_OK;
}

/* y = x + 2 over x itself: x imported, 2 a constant of the host; and what was counted. */
static void execute(void) {
  armnn_backend_t* backend = make(1);
  const armnn_backend_api_t* api = backend->api;
  const armnn_profiling_host_t profiling = {
      {sizeof profiling, ARMNN_STRUCT_PROFILING_HOST}, NULL, register_counter, report, NULL};
  armnn_profiling_context_t* counters = NULL;
  CHECK(api->create_profiling_context(backend, NULL, &profiling, &counters, &error) == 0);
  CHECK(next_counter == ZERO_COUNTER_COUNT);
  const uint32_t ids[] = {0, 1, 2, 3}, unknown = 99;
  CHECK(counters->api->activate_counters(counters, ids, 4, &error) == 0);
  CHECK(counters->api->activate_counters(counters, &unknown, 1, &error) < 0);
  open_factory(backend);

  armnn_tensor_info_t x_info = shape(1, 2, 4), two_info = shape(1, 1, 1);
  const armnn_tensor_info_t *inputs[] = {&x_info, &two_info}, *outputs[] = {&x_info};
  const armnn_elementwise_binary_descriptor_t add = {
      {sizeof add, ARMNN_STRUCT_DESCRIPTOR + ARMNN_LAYER_ELEMENTWISE_BINARY}, ARMNN_BINARY_ADD, 0};
  const armnn_workload_info_t info = {.header = {sizeof info, ARMNN_STRUCT_WORKLOAD_INFO},
                                      .type = ARMNN_LAYER_ELEMENTWISE_BINARY,
                                      .input_count = 2,
                                      .output_count = 1,
                                      .descriptor = &add.header,
                                      .input_infos = inputs,
                                      .output_infos = outputs};
  const armnn_factory_args_t args = {.header = {sizeof args, ARMNN_STRUCT_FACTORY_ARGS}};
  armnn_workload_factory_t* workloads = NULL;
  armnn_workload_t* workload = NULL;
  void* data = NULL;
  armnn_workload_requirements_t needs = {.header = {sizeof needs, 0}};
  CHECK(api->create_workload_factory(backend, &args, &workloads, &error) == 0);
  CHECK(workloads->api->create_workload(workloads, &info, &workload, &error) == 0);
  CHECK(workloads->api->create_execution_data(workloads, &data, &error) == 0);
  workload->api->get_requirements(workload, &needs);
  CHECK(needs.in_place_mask == 1 && needs.tensor_alignment == 64 && needs.consumed_mask == 0);

  armnn_tensor_handle_t* handle = tensor(x_info, 0);
  _Alignas(64) float x[16] = {0, 1, 2, 3, 4, 5, 6, 7}, two = 2.0f;
  const void* addresses[] = {NULL, &two};
  armnn_tensor_handle_t *in[] = {handle, NULL}, *out[] = {handle};
  armnn_execute_args_t run = {.header = {sizeof run, ARMNN_STRUCT_EXECUTE_ARGS},
                              .inputs = addresses,
                              .input_handles = in,
                              .output_handles = out,
                              .execution_data = data,
                              .run_id = 7};
  CHECK(workload->api->execute(workload, &run, &error) == ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK(strstr(text, "input 0 of layer '' has no memory") != NULL);
  CHECK(handle->api->import_memory(handle, x, ARMNN_MEMORY_SOURCE_MALLOC, &error) == 0);
  CHECK(workload->api->execute(workload, &run, &error) == 0);
  CHECK(workload->api->execute(workload, &run, &error) == 0); /* the same run */
  run.run_id = 8;
  CHECK(workload->api->execute(workload, &run, &error) == 0);
  for (int i = 0; i < 8; ++i) CHECK(x[i] == (float)i + 6.0f);
  CHECK(x[8] == 0.0f);

  CHECK(counters->api->report_counter_values(counters, &error) == 0 && reported[ZERO_KERNELS] == 0);
  CHECK(counters->api->enable_profiling(counters, 1, &error) == 0);
  CHECK(counters->api->report_counter_values(counters, &error) == 0);
  CHECK(reported[ZERO_RUNS] == 2 && reported[ZERO_KERNELS] == 3);
  CHECK(reported[ZERO_BYTES_IMPORTED] == 32 && reported[ZERO_BYTES_COPIED] == 0);

  workload->api->destroy(workload);
  handle->api->destroy(handle);
  workloads->api->destroy_execution_data(workloads, data);
  workloads->api->destroy(workloads);
  factory->api->destroy(factory);
  manager->api->destroy(manager);
  counters->api->destroy(counters);
  api->destroy(backend);
}

int main(int count, char** arguments) {
  static const struct {
    const char* name;
    void (*function)(void);
  } cases[] = {{"import", import},     {"no_import", no_import},
               {"pools", pools},       {"sub_tensors", sub_tensors},
               {"decorate", decorate}, {"allocators", allocators},
               {"execute", execute},   {"default_allocator", default_allocator}};
  for (size_t i = 0; count == 2 && i < sizeof cases / sizeof cases[0]; ++i) {
    if (strcmp(arguments[1], cases[i].name) != 0) continue;
    cases[i].function();
    return 0;
  }
  return 2;
}
