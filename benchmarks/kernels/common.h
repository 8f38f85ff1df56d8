/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * common.h - what the benchmarks of kernels share: the clock, the instruction set, the layers.
 */
#ifndef ARMNN_BENCHMARKS_KERNELS_COMMON_H_
#define ARMNN_BENCHMARKS_KERNELS_COMMON_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "armnn/runtime.h"
#include "kernels/kernels.h"

/* CLOCK_PROCESS_CPUTIME_ID holds for one thread on a busy machine, but reading it takes a quarter
 * of a microsecond. */
static clockid_t bench_clock = CLOCK_MONOTONIC;

static inline double now(void) {
  struct timespec time;
  clock_gettime(bench_clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline int compare_times(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* The instruction set |name|, or with "auto" the best; null if this processor does not run it. */
static inline const armnn_i_acc_isa_t* find_isa(const char* name) {
  const armnn_host_t* host = armnn_core_host();
  const uint64_t features = host->cpu_features(host->context);
  for (uint32_t i = 0; i < armnn_i_acc_isa_count; ++i) {
    const armnn_i_acc_isa_t* set = armnn_i_acc_isas[i];
    if ((set->features & ~features) != 0) continue;
    if (strcmp(name, "auto") == 0 || strcmp(name, set->name) == 0) return set;
  }
  return NULL;
}

/* Whether all of |words| are in |name|. */
static inline bool has_words(const char* name, int count, char** words) {
  for (int i = 0; i < count; ++i) {
    if (strstr(name, words[i]) == NULL) return false;
  }
  return true;
}

typedef struct layer_t {
  const char* network;
  int64_t kernel, stride, in, out, size, groups;
} layer_t;

static inline int64_t out_size_of(const layer_t* layer) {
  return (layer->size + layer->kernel / 2 * 2 - layer->kernel) / layer->stride + 1;
}

/* "resnet50 dense 1x1 s1 64-256 56" */
static inline void name_layer(const layer_t* layer, char* name, size_t size) {
  snprintf(name, size, "%s %s%lldx%lld s%lld %lld-%lld %lld", layer->network,
           layer->groups > 1 ? "dw " : "dense ", (long long)layer->kernel, (long long)layer->kernel,
           (long long)layer->stride, (long long)layer->in, (long long)layer->out,
           (long long)layer->size);
}

#endif /* ARMNN_BENCHMARKS_KERNELS_COMMON_H_ */
