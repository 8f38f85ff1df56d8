/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * features.c - a backend of the kit with bounded shapes and options, and wrong in one way:
 * -DDEFECT=NAME. ReLU multiplies by the option |gain| and by the |factor| of the run.
 */
#define _DEFAULT_SOURCE /* nanosleep, MAP_ANONYMOUS */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "armnn/backend_kit.h"

enum defect_e {
  NONE,
  READS_THE_BOUND,
  DEFAULT_IS_ANOTHER,
  MODEL_DEFAULT_IS_ANOTHER,
  DEFAULT_TAKES_OTHER_LAYERS,
  CHANGES_FOR_GOOD,
  RUN_OPTION_STAYS,
  RUN_OPTION_IS_GLOBAL,
  LEAVES_A_FILE_OF_EACH_LOAD,
  LEAVES_A_FILE_OF_EACH_OPEN,
  REFUSES_A_SECOND_INSTANCE,
  LOCKS_OUT_A_SECOND_INSTANCE,
  INSTANCES_ADD_UP,
  LEAKS_HEAP_OF_EACH_OPEN,
  LEAKS_HEAP_OF_EACH_LOAD,
  LEAVES_A_THREAD_OF_EACH_OPEN,
  LEAKS_HEAP_OF_EACH_THREAD,
  LEAKS_PAGES_OF_EACH_LOAD,
  NEEDS_THE_CLOCK,
  FREES_TWICE_WITHOUT_MEMORY,
  LEAKS_WITHOUT_MEMORY,
  READS_AFTER_CLOSE,
};

#ifndef DEFECT
#define DEFECT NONE
#endif
#define HAS(defect) (DEFECT == (defect))

#define OPTIONS(X)                                                    \
  X(ARMNN_DEFAULT_UINT("gain", 1),                                    \
    ARMNN_SAY_RANGE("multiplies", "", 1, 4, ARMNN_OPTION_CHANGEABLE)) \
  X(ARMNN_DEFAULT_BOOL("volumes", 0), ARMNN_SAY("takes a Softmax of three dimensions", 0))
ARMNN_KIT_OPTIONS(options, OPTIONS)

#define MODEL_OPTIONS(X) X(ARMNN_DEFAULT_BOOL("exact", 1), ARMNN_SAY("0: two digits are enough", 0))
ARMNN_KIT_OPTIONS(model_options, MODEL_OPTIONS)

#define RUN_OPTIONS(X) \
  X(ARMNN_DEFAULT_UINT("factor", 1), ARMNN_SAY_RANGE("multiplies", "", 1, 3, 0))
ARMNN_KIT_OPTIONS(run_options, RUN_OPTIONS)

static int64_t gain, takes_volumes;
static int64_t factor_of_all = 1;
static int instances;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const armnn_host_t* host_of_all;
static volatile char* closed; /* memory of the host that close has released */
static char* volatile leaked;

static void* wait_for_ever(void* argument) {
  for (;;) nanosleep(&(struct timespec){1, 0}, NULL);
  return argument;
}

static void* read_bounded(void* argument) {
  const struct timespec moment = {0, 50000000};
  (void)argument;
  for (;;) {
    nanosleep(&moment, NULL);
    leaked = (char*)(uintptr_t)closed[0];
  }
  return NULL;
}

typedef struct run_data_t {
  int64_t factor;
} run_data_t;

static armnn_status_t open_backend(const armnn_create_args_t* args, void** out_user,
                                   armnn_error_t* error) {
  const armnn_option_t* given = armnn_find_option(args->options, "gain", ARMNN_OPTION_UINT);
  const armnn_option_t* volumes = armnn_find_option(args->options, "volumes", ARMNN_OPTION_BOOL);
  (void)error;
  *out_user = NULL;
  host_of_all = args->host;
  takes_volumes = volumes != NULL ? volumes->integer : HAS(DEFAULT_TAKES_OTHER_LAYERS);
  if (HAS(LEAVES_A_FILE_OF_EACH_OPEN)) fopen("/dev/null", "r");
  if (HAS(LEAKS_HEAP_OF_EACH_OPEN)) leaked = (char*)malloc(1024);
  if (HAS(LOCKS_OUT_A_SECOND_INSTANCE)) pthread_mutex_lock(&lock);
  if (HAS(REFUSES_A_SECOND_INSTANCE) && instances > 0) {
    return armnn_fail(error, ARMNN_STATUS_INVALID_ARGUMENT, "the device is in use");
  }
  *out_user = armnn_alloc(args->host, 64, 64);
  if (*out_user == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  ++instances;
  gain = given != NULL ? given->integer : HAS(DEFAULT_IS_ANOTHER) ? 2 : 1;
  return ARMNN_STATUS_OK;
}

static void close_backend(void* user) {
  static pthread_t thread; /* one for all instances: each life leaves no more of them */
  static int has_thread;
  pthread_t waiting;
  --instances;
  if (HAS(LOCKS_OUT_A_SECOND_INSTANCE)) pthread_mutex_unlock(&lock);
  if (HAS(LEAVES_A_THREAD_OF_EACH_OPEN)) pthread_create(&waiting, NULL, wait_for_ever, NULL);
  closed = (volatile char*)user;
  armnn_free(host_of_all, user);
  if (HAS(READS_AFTER_CLOSE) && !has_thread) {
    has_thread = pthread_create(&thread, NULL, read_bounded, NULL) == 0;
  }
}

static armnn_status_t set_option(void* user, const armnn_option_t* option, armnn_error_t* error) {
  (void)user, (void)error;
  gain = HAS(CHANGES_FOR_GOOD) && option->integer < gain ? gain : option->integer;
  return ARMNN_STATUS_OK;
}

static armnn_status_t before_run(void* user, const armnn_run_notice_t* notice,
                                 armnn_error_t* error) {
  run_data_t* data = (run_data_t*)notice->execution_data;
  const armnn_option_t* given = armnn_find_option(&notice->options, "factor", ARMNN_OPTION_UINT);
  (void)user, (void)error;
  if (given != NULL || !HAS(RUN_OPTION_STAYS)) data->factor = given != NULL ? given->integer : 1;
  if (data->factor == 0) data->factor = 1;
  factor_of_all = data->factor;
  return ARMNN_STATUS_OK;
}

typedef struct prepared_t {
  float digits;  /* 0: all; else results are multiples of 1 / |digits| */
  uint64_t rows; /* that the layer was made for */
  void* more;
} prepared_t;

static armnn_status_t prepare(const armnn_workload_info_t* info, const armnn_host_t* host,
                              armnn_backend_t* backend, void** out_prepared,
                              armnn_workload_requirements_t* requirements, armnn_error_t* error) {
  const armnn_option_t* given =
      armnn_find_option(armnn_model_options_of_info(info), "exact", ARMNN_OPTION_BOOL);
  const int is_exact = given != NULL ? given->integer != 0 : !HAS(MODEL_DEFAULT_IS_ANOTHER);
  (void)backend, (void)requirements;
  prepared_t* made = (prepared_t*)armnn_alloc(host, sizeof *made, 64);
  if (made == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  made->more = armnn_alloc(host, 64, 64);
  if (made->more == NULL) {
    if (!HAS(LEAKS_WITHOUT_MEMORY)) armnn_free(host, made);
    if (HAS(FREES_TWICE_WITHOUT_MEMORY)) armnn_free(host, made);
    return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  }
  if (HAS(LEAVES_A_FILE_OF_EACH_LOAD)) fopen("/dev/null", "r");
  if (HAS(LEAKS_HEAP_OF_EACH_LOAD)) leaked = (char*)malloc(1024);
  if (HAS(LEAKS_PAGES_OF_EACH_LOAD)) {
    mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (HAS(NEEDS_THE_CLOCK)) host->now_ns(host->context);
  made->digits = is_exact ? 0.0f : 100.0f;
  made->rows = info->input_infos[0]->rank > 0 ? info->input_infos[0]->dims[0] : 1;
  *out_prepared = made;
  return ARMNN_STATUS_OK;
}

static void release(void* prepared, const armnn_host_t* host) {
  armnn_free(host, ((prepared_t*)prepared)->more);
  armnn_free(host, prepared);
}

typedef struct job_t {
  const float* x;
  float* y;
  float by;
  float digits;
} job_t;

static armnn_status_t relu_range(void* argument, uint64_t begin, uint64_t end, uint32_t thread) {
  const job_t* job = (const job_t*)argument;
  (void)thread;
#ifdef WASTES_TIME
  for (volatile uint64_t i = 0; i < 300 * (end - begin); ++i) continue;
#endif
  for (uint64_t i = begin; i < end; ++i) {
    const float y = (job->x[i] < 0.0f ? 0.0f : job->x[i]) * job->by;
    job->y[i] = job->digits == 0.0f ? y : roundf(y * job->digits) / job->digits;
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t relu(const armnn_kernel_call_t* call, armnn_error_t* error) {
  static _Thread_local char* of_thread;
  if (HAS(LEAKS_HEAP_OF_EACH_THREAD) && of_thread == NULL) of_thread = (char*)malloc(64);
  const run_data_t* data = (const run_data_t*)call->run_data;
  job_t job = {ARMNN_IN(call, 0, float), ARMNN_OUT(call, 0, float), 1.0f,
               ((const prepared_t*)call->prepared)->digits};
  (void)error;
  job.by = (float)gain;
  if (HAS(INSTANCES_ADD_UP)) job.by *= (float)instances;
  /* Half of the work at a time; the first half may take long. */
  const uint64_t half = ARMNN_COUNT(call) / 2;
  const int64_t before = data->factor;
  job.by *= (float)before;
  armnn_status_t status = armnn_parallel_for(call->host, relu_range, &job, half, 1, 0);
  if (HAS(RUN_OPTION_IS_GLOBAL)) job.by *= (float)factor_of_all / (float)before;
  job.x += half, job.y += half;
  if (status != ARMNN_STATUS_OK) return status;
  return armnn_parallel_for(call->host, relu_range, &job, ARMNN_COUNT(call) - half, 1, 0);
}

/* Along the first axis of two. */
static armnn_status_t softmax(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t* info = call->info->output_infos[0];
  const float* x = ARMNN_IN(call, 0, float);
  float* y = ARMNN_OUT(call, 0, float);
  const uint32_t columns = (uint32_t)info->dims[1];
  const prepared_t* prepared = (const prepared_t*)call->prepared;
  const uint32_t rows = (uint32_t)(HAS(READS_THE_BOUND) ? prepared->rows : info->dims[0]);
  (void)error;
  for (uint32_t column = 0; column < columns; ++column) {
    float sum = 0.0f, most = -INFINITY;
    for (uint32_t i = 0; i < rows; ++i) most = fmaxf(most, x[i * columns + column]);
    for (uint32_t i = 0; i < rows; ++i) sum += expf(x[i * columns + column] - most);
    for (uint32_t i = 0; i < (uint32_t)info->dims[0]; ++i) {
      y[i * columns + column] = expf(x[i * columns + column] - most) / sum;
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t takes_softmax(const armnn_layer_query_t* query, armnn_error_t* reason) {
  const armnn_softmax_descriptor_t* d = (const armnn_softmax_descriptor_t*)query->descriptor;
  const uint32_t rank = query->input_infos[0]->rank;
  if (rank == 3 && takes_volumes) return ARMNN_STATUS_OK;
  if (rank != 2 || (d->axis != 0 && d->axis != -2) || d->beta != 1.0f) {
    return armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, "only the first axis of two");
  }
  return ARMNN_STATUS_OK;
}

static const armnn_kit_hooks_t hooks = {
    .open = open_backend,
    .close = close_backend,
    .options = ARMNN_KIT_OPTIONS_OF(options),
    .model_options = ARMNN_KIT_OPTIONS_OF(model_options),
    .set_option = set_option,
    .run_options = ARMNN_KIT_OPTIONS_OF(run_options),
    .run_data_size = sizeof(run_data_t),
    .before_run = before_run,
};
static const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_ROW(ACTIVATION, ARMNN_ACTIVATION_RELU, FLOAT32, relu,
                     ARMNN_SET(prepare, prepare) ARMNN_SET(release, release)),
    ARMNN_KERNEL_BOUNDED(SOFTMAX, ARMNN_ANY, FLOAT32, softmax, takes_softmax, prepare, release,
                         armnn_kernel_any_bounded),
};
ARMNN_DEFINE_BACKEND_WITH("Features", kernels, 2, "1.0", "bounded shapes and options", 0, hooks)
