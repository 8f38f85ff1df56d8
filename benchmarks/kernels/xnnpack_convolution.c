/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * xnnpack_convolution.c - one convolution of XNNPACK, called as its documentation says, for
 * benchmarks/xnnpack.py to compare a network of one layer with.
 *
 *   cc -O2 xnnpack_convolution.c -lXNNPACK -lpthreadpool -o xnnpack_convolution
 *   echo 100 | ./xnnpack_convolution SIZE CHANNELS KERNEL
 *
 * A square image, channels last, one thread. For each number read, that many runs; the answer is
 * their median in nanoseconds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <xnnpack.h>

enum { MOST_RUNS = 100000 };

static double now_ns(void) {
  struct timespec time;
  clock_gettime(getenv("CPU_TIME") != NULL ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static float* filled(size_t count) {
  float* values = malloc(count * sizeof *values + XNN_EXTRA_BYTES);
  for (size_t i = 0; values != NULL && i < count; ++i) values[i] = (float)(i % 13) * 0.1f - 0.6f;
  return values;
}

int main(int argc, char** argv) {
  if (argc != 4 || xnn_initialize(NULL) != xnn_status_success) return 1;
  const size_t size = strtoul(argv[1], NULL, 10), channels = strtoul(argv[2], NULL, 10);
  const uint32_t kernel = (uint32_t)strtoul(argv[3], NULL, 10), pad = kernel / 2;
  float* x = filled(size * size * channels);
  float* y = filled(size * size * channels);
  float* weights = filled(channels * kernel * kernel * channels);
  float* bias = filled(channels);
  double* times = malloc(MOST_RUNS * sizeof *times);
  xnn_operator_t op = NULL;
  if (x == NULL || y == NULL || weights == NULL || bias == NULL || times == NULL ||
      xnn_create_convolution2d_nhwc_f32(pad, pad, pad, pad, kernel, kernel, 1, 1, 1, 1, 1, channels,
                                        channels, channels, channels, weights, bias, -INFINITY,
                                        INFINITY, 0, &op) != xnn_status_success ||
      xnn_setup_convolution2d_nhwc_f32(op, 1, size, size, x, y, NULL) != xnn_status_success) {
    return 1;
  }
  int runs;
  while (scanf("%d", &runs) == 1 && runs > 0 && runs <= MOST_RUNS) {
    xnn_run_operator(op, NULL); /* what slept while others ran wakes up */
    for (int r = 0; r < runs; ++r) {
      const double start = now_ns();
      xnn_run_operator(op, NULL);
      times[r] = now_ns() - start;
    }
    qsort(times, (size_t)runs, sizeof *times, compare);
    printf("%.0f\n", times[runs / 2]);
    fflush(stdout);
  }
  return 0;
}
