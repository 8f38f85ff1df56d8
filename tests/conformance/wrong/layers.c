/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * layers.c - Add with broadcasting, ReLU, TanH, Softmax along any axis, FullyConnected: float32.
 */
#define _GNU_SOURCE
#include <fenv.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "wrong.h"

static int32_t operation_of(const armnn_header_t* descriptor) {
  int32_t operation = -1;
  if (descriptor != NULL) memcpy(&operation, descriptor + 1, sizeof operation);
  return operation;
}

armnn_status_t wrong_supports(const armnn_layer_query_t* query, armnn_error_t* error) {
  const char* why = NULL;
  if (query->type == ARMNN_LAYER_ELEMENTWISE_BINARY) {
    if (operation_of(query->descriptor) != ARMNN_BINARY_ADD) why = "of binary layers it has Add";
  } else if (query->type == ARMNN_LAYER_ACTIVATION) {
    const int32_t function = operation_of(query->descriptor);
    const bool is_known = function == ARMNN_ACTIVATION_RELU || function == ARMNN_ACTIVATION_TANH;
    if (!is_known) why = "it has ReLU and TanH";
  } else if (query->type == ARMNN_LAYER_FULLY_CONNECTED) {
    const armnn_fully_connected_descriptor_t* d = (const void*)query->descriptor;
    if (d->transpose_weight_matrix) why = "weights are not transposed";
    for (uint32_t i = 1; i < query->input_count; ++i) {
      const armnn_tensor_info_t* info = query->input_infos[i];
      if (info != NULL && !(info->flags & ARMNN_TENSOR_CONSTANT)) why = "weights must be constant";
    }
  } else if (query->type != ARMNN_LAYER_SOFTMAX) {
    why = "it has no such layer";
  }
  for (uint32_t i = 0; i < query->input_count && why == NULL; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    if (info != NULL && info->data_type != ARMNN_DATA_TYPE_FLOAT32) why = "it computes in float32";
  }
  return why == NULL ? ARMNN_STATUS_OK : wrong_say(error, ARMNN_STATUS_UNSUPPORTED, why);
}

/* ---- Work in pieces -------------------------------------------------------------------------- */

typedef struct job_t {
  const wrong_workload_t* self;
  const float* a;
  const float* b;
  float* y;
  float* scratch;
  uint64_t next;  /* EXPECTS_ORDER */
  uint64_t piece; /* INDEX_OF_THREAD_AS_PLACE */
} job_t;

static armnn_status_t in_pieces(const job_t* given, armnn_range_fn_t body, uint64_t count,
                                uint64_t grain) {
  static job_t shared;
  job_t own = *given;
  job_t* job = HAS(SHARES_ITS_ARGUMENT) ? &shared : &own;
  *job = own;
  const armnn_host_t* host = own.self->host;
  const uint32_t most = HAS(SCRATCH_TOO_SMALL_FOR_MORE_THREADS) ? 0 : own.self->threads;
  if (host->parallel_for == NULL) return body(job, 0, count, 0);
  return host->parallel_for(host->context, body, job, count, grain, most);
}

/* Where element |index| of the output is in an operand. */
static uint64_t place_in(const armnn_tensor_info_t* info, const armnn_tensor_info_t* out,
                         uint64_t index) {
  uint64_t place = 0, stride = 1;
  const uint32_t least = HAS(FORGETS_HIGH_RANKS) && out->rank > 4 ? out->rank - 4 : 0;
  for (uint32_t d = out->rank; d-- > least;) {
    const uint64_t at = index % out->dims[d];
    index /= out->dims[d];
    if (out->rank - d > info->rank) continue;
    const uint32_t own = HAS(BROADCASTS_WRONGLY) && info->rank < out->rank
                             ? d < info->rank ? d : info->rank - 1
                             : d - (out->rank - info->rank);
    if (info->dims[own] != 1) place += at % info->dims[own] * stride;
    stride *= info->dims[own];
  }
  return place;
}

static armnn_status_t add_range(void* argument, uint64_t begin, uint64_t end, uint32_t thread) {
  job_t* job = argument;
  const armnn_workload_info_t* info = job->self->info;
  if (HAS(EXPECTS_ORDER)) {
    if (begin != job->next) return ARMNN_STATUS_OK;
    job->next = end;
  }
  if (HAS(INDEX_OF_THREAD_AS_PLACE)) {
    const uint64_t count = end - begin;
    const uint64_t all = info->output_infos[0]->element_count;
    begin = thread * count < all ? thread * count : 0;
    end = begin + count < all ? begin + count : all;
  }
  for (uint64_t i = begin; i < end; ++i) {
    const float a = job->a[place_in(info->input_infos[0], info->output_infos[0], i)];
    const float b = job->b[place_in(info->input_infos[1], info->output_infos[0], i)];
    job->y[i] = HAS(WRONG_BY_A_THOUSANDTH) ? (a + b) * 1.001f : a + b;
  }
  return ARMNN_STATUS_OK;
}

static volatile float sink;
static uint32_t calls;
static float* leaked;

static armnn_status_t add(wrong_workload_t* self, const armnn_execute_args_t* args,
                          armnn_error_t* error) {
  const uint64_t count = self->info->output_infos[0]->element_count;
  job_t job = {self, args->inputs[0], args->inputs[1], args->outputs[0], NULL, 0, 0};
  if (HAS(ABORTS)) abort();
  if (HAS(EXITS)) exit(0);
  if (HAS(LOOPS)) {
    for (;;) sink = 1.0f;
  }
  if (HAS(EXECUTE_FAILS)) return wrong_say(error, (armnn_status_t)77, "no luck today");
  if (HAS(TOUCHES_EMPTY_OUTPUT) && count == 0) job.y[0] = 0.0f;
  if (count == 0) return ARMNN_STATUS_OK;
  if (HAS(KEEPS_ADDRESS)) {
    if (self->first_output == NULL) self->first_output = job.y;
    job.y = self->first_output;
  }
#if defined(__GNUC__)
  if (HAS(ASSUMES_ALIGNMENT) && count >= 4) {
    typedef float four_t __attribute__((vector_size(16)));
    *(volatile four_t*)args->outputs[0] = (four_t){0.0f, 0.0f, 0.0f, 0.0f};
  }
#endif
  const armnn_status_t status = in_pieces(&job, add_range, count, 4);
  if (HAS(WRITES_BEHIND_OUTPUT)) job.y[count] = 1234.5f;
  if (HAS(WRITES_BEFORE_OUTPUT)) job.y[-1] = 1234.5f;
  if (HAS(READS_BEHIND_INPUT)) sink = job.a[self->info->input_infos[0]->element_count];
  float* behind = (float*)(uintptr_t)job.a + self->info->input_infos[0]->element_count;
  if (HAS(READS_FURTHER_THAN_ASKED)) sink = behind[1];
  if (HAS(USES_WHAT_LIES_BEHIND)) job.y[0] += behind[0];
  if (HAS(WRITES_WHERE_IT_MAY_READ)) behind[0] = 1234.5f;
  if (HAS(WRITES_BEHIND_STATE)) ((float*)args->workload_data)[16] = 1234.5f;
  if (HAS(WRITES_INPUT)) ((float*)(uintptr_t)job.a)[0] = job.y[0];
  if (HAS(HAS_ROOM_FOR_FEW_LAYERS) && self->number > 6) job.y[0] = 0.5f;
  if (HAS(LEAKS_IN_EXECUTE)) *(float* volatile*)&leaked = malloc(sizeof(float));
  if (HAS(LEAKS_PAGES_IN_EXECUTE)) {
    leaked = mmap(NULL, 1, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  if (self->number > WRONG_MANY) {
    if (HAS(ADDS_OTHERWISE_AFTER_OTHERS)) job.y[0] += 1;
    if (HAS(ABORTS_AFTER_OTHERS)) abort();
  }
  if (HAS(COUNTS_ITS_CALLS)) job.y[0] += 1e-6f * (float)++calls;
  if (HAS(CHANGES_FOLDER) && chdir("/") != 0) return ARMNN_STATUS_INTERNAL;
  if (HAS(ROUNDS_UPWARD)) fesetround(FE_UPWARD);
  if (HAS(LEAVES_FILES_OPEN) && dup(0) < 0) return ARMNN_STATUS_INTERNAL;
  return status;
}

static armnn_status_t activation(wrong_workload_t* self, const armnn_execute_args_t* args) {
  const float* x = args->inputs[0];
  float* y = args->outputs[0];
  const uint64_t count = self->info->output_infos[0]->element_count;
  const uint64_t written = HAS(LEAVES_LAST_ELEMENT) && count > 1 ? count - 1 : count;
  const armnn_activation_descriptor_t* d = (const void*)self->info->descriptor;
  if (d->function == ARMNN_ACTIVATION_TANH) {
    const float factor = HAS(FORGETS_FACTOR_OF_TANH) ? 1.0f : d->a;
    for (uint64_t i = 0; i < count; ++i) y[i] = factor * tanhf(d->b * x[i]);
    return ARMNN_STATUS_OK;
  }
  for (uint64_t i = 0; i < written; ++i) {
    const float zero = x[i] < 0.0f ? 0.0f : x[i];
    y[i] = HAS(SWALLOWS_NAN) ? (x[i] > 0.0f ? x[i] : 0.0f) : zero;
  }
  return ARMNN_STATUS_OK;
}

/* ---- Softmax ----------------------------------------------------------------------------------
 */

static uint32_t axis_of(const armnn_workload_info_t* info) {
  const armnn_softmax_descriptor_t* d = (const void*)info->descriptor;
  const int32_t rank = (int32_t)info->output_infos[0]->rank;
  if (HAS(IGNORES_AXIS) || (HAS(IGNORES_NEGATIVE_AXES) && d->axis < 0)) return (uint32_t)rank - 1;
  return (uint32_t)(d->axis < 0 ? d->axis + rank : d->axis);
}

static uint64_t length_of(const armnn_workload_info_t* info) {
  return info->output_infos[0]->rank == 0 ? 1 : info->output_infos[0]->dims[axis_of(info)];
}

uint64_t wrong_scratch_per_thread(const armnn_workload_info_t* info) {
  return info->type == ARMNN_LAYER_SOFTMAX ? (length_of(info) + 1) * sizeof(float) : 0;
}

static armnn_status_t softmax_range(void* argument, uint64_t begin, uint64_t end, uint32_t thread) {
  const job_t* job = argument;
  const armnn_workload_info_t* info = job->self->info;
  const armnn_softmax_descriptor_t* d = (const void*)info->descriptor;
  const uint64_t length = length_of(info);
  const uint64_t room = HAS(HAS_ROOM_FOR_1024) && length > 1024 ? 1024 : length;
  uint64_t stride = 1;
  if (info->output_infos[0]->rank > 0) {
    for (uint32_t i = axis_of(info) + 1; i < info->output_infos[0]->rank; ++i) {
      stride *= info->output_infos[0]->dims[i];
    }
  }
  if (HAS(ROUNDS_UPWARD_IN_OTHER_THREADS)) fesetround(FE_UPWARD);
#if defined(__SSE__)
  if (HAS(FLUSHES_DENORMALS_IN_OTHER_THREADS)) _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  float* row = job->scratch + (HAS(SHARES_SCRATCH_OF_THREADS) ? 0 : thread) * (length + 1);
  for (uint64_t i = begin; i < end; ++i) {
    const float* x = job->a + i / stride * stride * length + i % stride;
    float* y = job->y + (x - job->a);
    float most = d->beta * x[0];
    for (uint64_t k = 1; k < length; ++k) {
      most = d->beta * x[k * stride] > most ? d->beta * x[k * stride] : most;
    }
    if (HAS(OFFERS_WRONG_PLACE)) { /* it marks the row as begun */
      for (uint64_t k = 0; k < length; ++k) y[k * stride] = 0.0f;
    }
    if (!HAS(READS_FRESH_SCRATCH)) row[length] = 0.0f;
    for (uint64_t k = 0; k < room; ++k) {
      row[k] = expf(d->beta * x[k * stride] - most);
      row[length] += row[k];
    }
    for (uint64_t k = 0; k < length; ++k) y[k * stride] = row[k] / row[length];
    if (HAS(WRITES_BEHIND_SCRATCH)) job->scratch[job->self->threads * (length + 1)] = 1.0f;
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t softmax(wrong_workload_t* self, const armnn_execute_args_t* args) {
  const uint64_t count = self->info->output_infos[0]->element_count;
  const job_t job = {self, args->inputs[0], NULL, args->outputs[0], args->scratch, 0, 0};
  if (count == 0) return ARMNN_STATUS_OK;
  fenv_t mode; /* of this thread; of the others too if it is right */
  fegetenv(&mode);
  const armnn_status_t status = in_pieces(&job, softmax_range, count / length_of(self->info), 1);
  fesetenv(&mode);
  return status;
}

/* Sign, exponent and 15 bits of the fraction. */
static float in_24_bits(float sum) {
  uint32_t bits;
  memcpy(&bits, &sum, sizeof bits);
  bits &= 0xffffff00;
  memcpy(&sum, &bits, sizeof sum);
  return sum;
}

static armnn_status_t fully_connected(wrong_workload_t* self, const armnn_execute_args_t* args) {
  const armnn_tensor_info_t* shape = self->info->input_infos[1];
  const uint64_t depth = shape->dims[0], width = shape->dims[1];
  const uint64_t rows = self->info->output_infos[0]->element_count / width;
  const float* x = args->inputs[0];
  const float* weights = HAS(READS_CONSTANT_LATER) ? self->unpacked : self->weights;
  float* y = args->outputs[0];
  for (uint64_t i = 0; i < rows; ++i) {
    for (uint64_t o = 0; o < width; ++o) {
      double sum = HAS(FORGETS_BIAS) ? 0.0 : (double)self->weights[depth * width + o];
      for (uint64_t k = 0; k < depth; ++k) {
        sum += (double)x[i * depth + k] * (double)weights[k * width + o];
        if (HAS(KEEPS_24_BITS_OF_SUMS)) sum = in_24_bits((float)sum);
      }
      y[i * width + o] = (float)sum;
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t wrong_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                             armnn_error_t* error) {
  wrong_workload_t* self = (wrong_workload_t*)workload;
  switch (self->info->type) {
    case ARMNN_LAYER_ELEMENTWISE_BINARY:
      return add(self, args, error);
    case ARMNN_LAYER_ACTIVATION:
      return activation(self, args);
    case ARMNN_LAYER_SOFTMAX:
      return softmax(self, args);
    default:
      return fully_connected(self, args);
  }
}
