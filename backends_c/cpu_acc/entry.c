/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * entry.c - the backend "CpuAcc": its table, its options and the three entry points.
 */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "kernels/kernels.h"
#include "saved/program_file.h"

#define TEXT ARMNN_TEXT

/* Names of all architectures, so that what users write is understood everywhere. */
static const armnn_string_t isa_names[] = {
    TEXT("auto"), TEXT("amx"),  TEXT("avx512vnni"), TEXT("avx512"), TEXT("avxvnni"),
    TEXT("avx2"), TEXT("i8mm"), TEXT("dotprod"),    TEXT("neon"),   TEXT("portable")};
/* In the order of armnn_i_acc_choice_e. */
static const armnn_string_t choice_names[] = {TEXT("off"), TEXT("auto"), TEXT("always")};
/* In the order of armnn_i_acc_stored_e. */
static const armnn_string_t weights_names[] = {TEXT("float32"), TEXT("bfloat16"), TEXT("float16")};
#define OPTIONS(X)                                                                                \
  X(ARMNN_DEFAULT_STRING("isa", "auto"),                                                          \
    ARMNN_SAY_CHOICES("instruction set of the kernels; auto: the best that the processor has, "   \
                      "without amx",                                                              \
                      isa_names, 0))                                                              \
  X(ARMNN_DEFAULT_UINT("threads", 0),                                                             \
    ARMNN_SAY_RANGE("most threads that one operator uses; 0: all of the host", "", 0, 1024, 0))   \
  X(ARMNN_DEFAULT_STRING("winograd", "auto"),                                                     \
    ARMNN_SAY_CHOICES("3x3 convolutions by Winograd's algorithm; auto: those that it speeds up, " \
                      "always: where possible",                                                   \
                      choice_names, 0))                                                           \
  X(ARMNN_DEFAULT_STRING("separable", "auto"),                                                    \
    ARMNN_SAY_CHOICES("depthwise convolutions as one operator with the 1x1 around them; auto: "   \
                      "where the tensors between leave the cache, always: where possible",        \
                      choice_names, 0))                                                           \
  X(ARMNN_DEFAULT_STRING("weights", "float32"),                                                   \
    ARMNN_SAY_CHOICES("how weights of float32 products are stored; computed is float32",          \
                      weights_names, 0))                                                          \
  X(ARMNN_DEFAULT_BOOL("reproducible", 0),                                                        \
    ARMNN_SAY("float32 sums in one order, whatever the instructions, threads and rows", 0))
ARMNN_KIT_OPTIONS(options, OPTIONS)

static void destroy(armnn_backend_t* backend) { free(backend); }

static const char* get_id(armnn_backend_t* backend) {
  (void)backend;
  return ARMNN_ACC_ID;
}

static armnn_status_t get_capabilities(armnn_backend_t* backend, armnn_options_t* out_capabilities,
                                       armnn_error_t* error) {
  static const armnn_option_t items[] = {
      {TEXT("NonConstWeights"), ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
      {TEXT("ConstantTensorsAsInputs"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
      {TEXT("ExternallyManagedMemory"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
      {TEXT("HasFp16"), ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
      {TEXT("ProtectedContentAllocation"), ARMNN_OPTION_BOOL, 0, 0, 0.0, {NULL, 0}},
      {TEXT("BlobsInPlace"), ARMNN_OPTION_BOOL, 0, 1, 0.0, {NULL, 0}},
  };
  (void)backend;
  (void)error;
  *out_capabilities = (armnn_options_t){items, sizeof items / sizeof items[0]};
  return ARMNN_STATUS_OK;
}

static armnn_status_t get_option_defaults(armnn_backend_t* backend, armnn_options_t* out_options,
                                          armnn_error_t* error) {
  (void)backend;
  (void)error;
  *out_options =
      (armnn_options_t){options_defaults, sizeof options_defaults / sizeof options_defaults[0]};
  return ARMNN_STATUS_OK;
}

static const armnn_option_description_t* describe_option(armnn_backend_t* backend, int32_t scope,
                                                         uint64_t index) {
  (void)backend;
  return scope == ARMNN_OPTION_SCOPE_BACKEND ? &options_descriptions[index] : NULL;
}

/* ---- Choosing ------------------------------------------------------------------------------ */

static uint64_t features_of(const armnn_host_t* host) {
  if (host == NULL || !ARMNN_HAS_FN(host, armnn_host_t, cpu_features)) return 0;
  return host->cpu_features(host->context);
}

/* The best instruction set that this machine runs, or |name|; null with the reason. */
static const armnn_i_acc_isa_t* choose(uint64_t features, armnn_string_t name,
                                       armnn_error_t* error) {
  const bool any = name.size == 0 || armnn_string_equals(name, "auto");
  bool known = any;
  char usable[128] = "auto";
  for (uint32_t i = 0; i < armnn_i_acc_isa_count; ++i) {
    const armnn_i_acc_isa_t* isa = armnn_i_acc_isas[i];
    const bool runs = (features & isa->features) == isa->features;
    const bool wanted = any || armnn_string_equals(name, isa->name);
    known = known || armnn_string_equals(name, isa->name);
    if (runs && wanted) return isa;
    if (runs) {
      const size_t used = strlen(usable);
      snprintf(usable + used, sizeof usable - used, ", %s", isa->name);
    }
  }
  armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "option 'isa': %s '%.*s'; here: %s",
             known ? "this processor does not run" : "there are no kernels for",
             name.size > 60 ? 60 : (int)name.size, name.size == 0 ? "" : name.data, usable);
  return NULL;
}

/* The place of an option's value among its |count| |names|; the host lets no others pass. */
static int32_t place_of(armnn_string_t value, const armnn_string_t* names, size_t count) {
  size_t i = 0;
  while (i + 1 < count && !armnn_string_equals(value, names[i].data)) ++i;
  return (int32_t)i;
}
#define PLACE_OF(value, names) place_of(value, names, sizeof(names) / sizeof(names)[0])

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error);

/* UNLOADABLE: no threads, no handlers, no thread-local variables. */
static const armnn_backend_api_t backend_api = {
    .header = {sizeof(armnn_backend_api_t), ARMNN_STRUCT_BACKEND},
    .built_minor = ARMNN_BACKEND_API_MINOR,
    .flags = ARMNN_BACKEND_UNLOADABLE,
    .build_features = ARMNN_BUILD_FEATURES,
    /* After backends that the user installed, also those that declare no score, and before the
       reference, which is last in any case. */
    .score = -1,
    .vendor_version = ARMNN_ACC_VERSION,
    .description = "float32 and int8 networks on the vector units of the processor",
    .create = create,
    .destroy = destroy,
    .get_id = get_id,
    .create_workload_factory = armnn_i_acc_create_workload_factory,
    .get_layer_support = armnn_i_acc_get_layer_support,
    .optimize_subgraph_view = armnn_i_acc_optimize,
    .get_capabilities = get_capabilities,
    .get_option_defaults = get_option_defaults,
    .check_blob = armnn_i_acc_check_blob,
    .deserialize_blob = armnn_i_acc_deserialize_blob,
    .describe_option = describe_option,
};

static armnn_status_t create(const armnn_create_args_t* args, armnn_backend_t** out_backend,
                             armnn_error_t* error) {
  armnn_string_t name = {NULL, 0};
  int64_t threads = 0;
  int32_t winograd = ARMNN_ACC_AUTO, separable = ARMNN_ACC_AUTO;
  int32_t weights = ARMNN_ACC_STORED_FLOAT32;
  bool reproducible = false;
  *out_backend = NULL;
  for (uint64_t i = 0; args->options != NULL && i < args->options->count; ++i) {
    const armnn_option_t* option = &args->options->items[i];
    if (armnn_string_equals(option->name, "isa")) name = option->string;
    if (armnn_string_equals(option->name, "threads")) threads = option->integer;
    if (armnn_string_equals(option->name, "winograd")) {
      winograd = PLACE_OF(option->string, choice_names);
    }
    if (armnn_string_equals(option->name, "weights")) {
      weights = PLACE_OF(option->string, weights_names);
    }
    if (armnn_string_equals(option->name, "separable")) {
      separable = PLACE_OF(option->string, choice_names);
    }
    if (armnn_string_equals(option->name, "reproducible")) reproducible = option->integer != 0;
  }
  if (reproducible && winograd == ARMNN_ACC_ALWAYS) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                      "option 'winograd' is 'always' and option 'reproducible' is true; Winograd's "
                      "algorithm does not sum in a fixed order");
  }
  const armnn_i_acc_isa_t* isa = choose(features_of(args->host), name, error);
  if (isa == NULL) return ARMNN_STATUS_INVALID_ARGUMENT;
  armnn_i_acc_backend_t* self = calloc(1, sizeof *self);
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->base.api = &backend_api;
  self->host = args->host;
  self->isa = reproducible ? isa->reproducible : isa;
  self->threads = threads;
  self->winograd = winograd;
  self->weights = weights;
  self->separable = separable;
  armnn_i_acc_name_programs(self);
  *out_backend = &self->base;
  return ARMNN_STATUS_OK;
}

const char* ARMNN_ENTRY(GetBackendId)(void) { return ARMNN_ACC_ID; }

void ARMNN_ENTRY(GetVersion)(uint32_t* out_major, uint32_t* out_minor) {
  *out_major = ARMNN_BACKEND_API_MAJOR;
  *out_minor = ARMNN_TARGET_MINOR;
}

void* ARMNN_ENTRY(BackendFactory)(void) { return (void*)(uintptr_t)&backend_api; }
