/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * backend.c - the tables around the layers.
 */
#define _GNU_SOURCE
#include <unistd.h>

#include "wrong.h"

/* ---- Support -----------------------------------------------------------------------------------
 */

static armnn_status_t is_layer_supported(armnn_layer_support_t* support,
                                         const armnn_layer_query_t* query, armnn_error_t* reason) {
  static uint32_t asked;
  (void)support;
  const bool is_add = query->type == ARMNN_LAYER_ELEMENTWISE_BINARY;
  if (HAS(TAKES_EVERYTHING) && is_add) return ARMNN_STATUS_OK;
  if (HAS(ANSWERS_4242) && is_add) return (armnn_status_t)4242;
  const armnn_status_t status = wrong_supports(query, reason);
  if (HAS(GIVES_NO_REASON) && is_add && status != ARMNN_STATUS_OK) {
    reason->text[0] = '\0';
    reason->needed = 0;
  }
  if (HAS(CHANGES_ITS_MIND) && is_add && ++asked % 2 == 0) {
    return wrong_say(reason, ARMNN_STATUS_UNSUPPORTED, "not now");
  }
  return status;
}

static armnn_status_t are_layers_supported(armnn_layer_support_t* support,
                                           const armnn_layer_query_t* const* queries,
                                           uint64_t count, int32_t* out_verdicts,
                                           void (*on_reason)(void*, uint64_t, armnn_string_t),
                                           void* context) {
  for (uint64_t i = 0; i < count; ++i) {
    char text[64] = "";
    armnn_error_t error = {.text = text, .capacity = sizeof text};
    out_verdicts[i] = is_layer_supported(support, queries[i], &error);
    if (HAS(PLURAL_DIFFERS) && queries[i]->type == ARMNN_LAYER_ELEMENTWISE_BINARY) {
      out_verdicts[i] = ARMNN_STATUS_UNSUPPORTED;
    }
    if (out_verdicts[i] != ARMNN_STATUS_OK) {
      on_reason(context, i, (armnn_string_t){text, strlen(text)});
    }
  }
  return ARMNN_STATUS_OK;
}

static void destroy_support(armnn_layer_support_t* support) { free(support); }

static const armnn_layer_support_api_t support_api = {
    .header = {sizeof(armnn_layer_support_api_t), ARMNN_STRUCT_LAYER_SUPPORT},
    .destroy = destroy_support,
    .is_layer_supported = is_layer_supported,
    .are_layers_supported = are_layers_supported,
};

/* ---- Workloads ---------------------------------------------------------------------------------
 */

static void destroy_workload(armnn_workload_t* workload) {
  free(((wrong_workload_t*)workload)->weights);
  free(workload);
}

/* Of an Add: one float behind its first operand may be read. */
static const armnn_tensor_needs_t behind = {.header = {sizeof behind, ARMNN_STRUCT_TENSOR_NEEDS},
                                            .readable_bytes = sizeof(float)};
static const armnn_tensor_needs_t* const of_add[] = {&behind, NULL, NULL};

static void get_requirements(armnn_workload_t* workload, armnn_workload_requirements_t* needs) {
  const wrong_workload_t* self = (const wrong_workload_t*)workload;
  needs->scratch_size = self->threads * wrong_scratch_per_thread(self->info);
  needs->scratch_alignment = sizeof(float);
  needs->tensor_alignment = HAS(ODD_ALIGNMENT) ? 3 : sizeof(float);
  if (self->info->type == ARMNN_LAYER_FULLY_CONNECTED) needs->consumed_mask = 6;
  if (self->info->type == ARMNN_LAYER_ACTIVATION || HAS(OFFERS_WRONG_PLACE)) {
    needs->in_place_mask = 1;
  }
  if (HAS(CONSUMES_WHAT_IS_NOT_CONSTANT) && self->info->type == ARMNN_LAYER_ACTIVATION) {
    needs->consumed_mask = 1;
  }
  if (self->info->type == ARMNN_LAYER_ELEMENTWISE_BINARY) {
    const bool reads = HAS(READS_FURTHER_THAN_ASKED) || HAS(USES_WHAT_LIES_BEHIND) ||
                       HAS(WRITES_WHERE_IT_MAY_READ);
    if (reads) needs->tensors = of_add;
    if (HAS(WRITES_BEHIND_STATE)) needs->persistent_size = 64;
#ifdef IS_SERIAL
    needs->flags = ARMNN_WORKLOAD_SERIAL;
#endif
  }
}

static const armnn_workload_api_t workload_api = {
    .header = {sizeof(armnn_workload_api_t), ARMNN_STRUCT_WORKLOAD},
    .destroy = destroy_workload,
    .execute = wrong_execute,
    .get_requirements = get_requirements,
};

typedef struct wrong_factory_t {
  armnn_workload_factory_t base;
  const armnn_host_t* host;
} wrong_factory_t;

static uint32_t made;

/* Weights, then the bias or zeros. */
static bool pack(wrong_workload_t* self) {
  static const void* earlier[256];
  static float* weights[256];
  const armnn_workload_info_t* info = self->info;
  const uint64_t count = info->input_infos[1]->element_count, width = info->input_infos[1]->dims[1];
  self->weights = calloc((size_t)(count + width + 1), sizeof(float));
  if (self->weights == NULL) return false;
  self->unpacked = info->constants[1]->data;
  memcpy(self->weights, self->unpacked, (size_t)count * sizeof(float));
  if (HAS(FINDS_WEIGHTS_BY_ADDRESS)) {
    const size_t place = (size_t)((uintptr_t)self->unpacked >> 12) % 256;
    float* kept = weights[place];
    if (earlier[place] == self->unpacked && kept[0] == (float)count) {
      memcpy(self->weights, kept + 1, (size_t)count * sizeof(float));
    } else if ((kept = malloc((size_t)(count + 1) * sizeof(float))) != NULL) {
      kept[0] = (float)count;
      memcpy(kept + 1, self->weights, (size_t)count * sizeof(float));
      free(weights[place]);
      weights[place] = kept, earlier[place] = self->unpacked;
    }
  }
  const bool has_bias = info->input_count > 2 && info->constants[2] != NULL;
  if (has_bias || HAS(READS_ABSENT_BIAS)) {
    memcpy(self->weights + count, info->constants[2]->data, (size_t)width * sizeof(float));
  }
  return true;
}

static armnn_status_t create_workload(armnn_workload_factory_t* factory,
                                      const armnn_workload_info_t* info,
                                      armnn_workload_t** out_workload, armnn_error_t* error) {
  const armnn_host_t* host = ((wrong_factory_t*)factory)->host;
  const armnn_layer_query_t query = {
      .header = {sizeof query, ARMNN_STRUCT_LAYER_QUERY},
      .type = info->type,
      .input_count = info->input_count,
      .output_count = info->output_count,
      .descriptor = info->descriptor,
      .input_infos = info->input_infos,
      .output_infos = info->output_infos,
  };
  const armnn_status_t status = wrong_supports(&query, error);
  if (status != ARMNN_STATUS_OK) return status;
  if (HAS(WRITES_DESCRIPTOR) && info->type == ARMNN_LAYER_ELEMENTWISE_BINARY) {
    ((armnn_header_t*)(uintptr_t)info->descriptor)->struct_size = 0;
  }
  wrong_workload_t* self = calloc(1, sizeof *self);
  if (self == NULL) return wrong_say(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &workload_api;
  self->info = info;
  self->host = host;
  self->threads = host->concurrency != NULL ? host->concurrency(host->context) : 1;
  self->number = ++made;
  if (info->type == ARMNN_LAYER_FULLY_CONNECTED && !pack(self)) {
    free(self);
    return wrong_say(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  }
  *out_workload = &self->base;
  return ARMNN_STATUS_OK;
}

static void destroy_factory(armnn_workload_factory_t* factory) { free(factory); }

static const armnn_workload_factory_api_t factory_api = {
    .header = {sizeof(armnn_workload_factory_api_t), ARMNN_STRUCT_WORKLOAD_FACTORY},
    .destroy = destroy_factory,
    .create_workload = create_workload,
};

/* ---- The backend -------------------------------------------------------------------------------
 */

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error);

static void destroy(armnn_backend_t* backend) {
  if (HAS(DIES_IN_DESTROY)) abort();
  if (HAS(DIES_IN_DESTROY_AFTER_MANY) && made > WRONG_MANY) abort();
  free(backend);
}

static const char* get_id(armnn_backend_t* backend) {
  (void)backend;
  return "Wrong";
}

static armnn_status_t create_workload_factory(armnn_backend_t* backend,
                                              const armnn_factory_args_t* args,
                                              armnn_workload_factory_t** out_factory,
                                              armnn_error_t* error) {
  (void)args;
  wrong_factory_t* factory = calloc(1, sizeof *factory);
  if (factory == NULL) return wrong_say(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  factory->base.api = &factory_api;
  factory->host = ((wrong_backend_t*)backend)->host;
  *out_factory = &factory->base;
  return ARMNN_STATUS_OK;
}

static armnn_status_t get_layer_support(armnn_backend_t* backend, const armnn_options_t* options,
                                        armnn_layer_support_t** out_support, armnn_error_t* error) {
  (void)backend;
  (void)options;
  armnn_layer_support_t* support = calloc(1, sizeof *support);
  if (support == NULL) return wrong_say(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  support->api = &support_api;
  *out_support = support;
  return ARMNN_STATUS_OK;
}

static armnn_status_t get_capabilities(armnn_backend_t* backend, armnn_options_t* out_capabilities,
                                       armnn_error_t* error) {
  (void)backend, (void)error;
#ifdef SAYS_SO
  static const armnn_option_t finite = {
      {"FiniteMathOnly", 14}, ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}};
  out_capabilities->items = &finite;
  out_capabilities->count = 1;
#else
  (void)out_capabilities;
#endif
  return ARMNN_STATUS_OK;
}

static const armnn_backend_api_t backend_api = {
    .header = {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND},
    .built_minor = ARMNN_BACKEND_API_MINOR,
    .create = create,
    .destroy = destroy,
    .get_id = get_id,
    .create_workload_factory = create_workload_factory,
    .get_layer_support = get_layer_support,
    .get_capabilities = get_capabilities,
};

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error) {
  if (HAS(SLEEPS_IN_CREATE)) sleep(60);
  wrong_backend_t* backend = calloc(1, sizeof *backend);
  if (backend == NULL) return wrong_say(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  backend->base.api = &backend_api;
  backend->host = args->host;
  *out_backend = &backend->base;
  return ARMNN_STATUS_OK;
}

const char* GetBackendId(void) { return "Wrong"; }

void GetVersion(uint32_t* out_major, uint32_t* out_minor) {
  *out_major = ARMNN_BACKEND_API_MAJOR;
  *out_minor = ARMNN_TARGET_MINOR;
}

void* BackendFactory(void) { return (void*)(uintptr_t)&backend_api; }
