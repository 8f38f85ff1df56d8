/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quiet.c - is the machine quiet now, and are its processors real ones?
 *
 *   cc -O2 -march=native -pthread quiet.c -o quiet && echo | ./quiet 2
 *
 * For each line of input, THREADS pinned threads compute together for about two milliseconds; the
 * answer is the sum of their GFLOP/s and the round trip of a cache line between the first two in
 * nanoseconds (0 for one thread). A virtual machine's processors may be threads of one core (the
 * sum is half of what it should be) or far from each other (the trip is long).
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_THREADS 256
#define CHAINS 12 /* independent sums: more than latency times width */
#define STEPS 400000
#define TRIPS 3000

#if defined(__AVX512F__)
#define WIDTH 16
#elif defined(__AVX__)
#define WIDTH 8
#else
#define WIDTH 4
#endif
typedef float vector_t __attribute__((vector_size(4 * WIDTH)));

static pthread_barrier_t barrier;
static int thread_count;
static double speed[MAX_THREADS], trip_ns;
static _Atomic int turn;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double compute(void) {
  vector_t sums[CHAINS], factor = {0};
  factor += 0.999f;
  for (int i = 0; i < CHAINS; ++i) sums[i] = factor * (float)i;
  const double start = now();
  for (int n = 0; n < STEPS; ++n) {
#pragma GCC unroll 12
    for (int i = 0; i < CHAINS; ++i) sums[i] = sums[i] * factor + factor;
  }
  const double seconds = now() - start;
  volatile float kept = 0;
  for (int i = 0; i < CHAINS; ++i) kept = kept + sums[i][0];
  return 2.0 * WIDTH * CHAINS * STEPS / seconds * 1e-9;
}

static void play(int me) {
  double start = now();
  for (int n = 0; n < TRIPS; ++n) {
    while (atomic_load_explicit(&turn, memory_order_acquire) != me) {
    }
    if (n == TRIPS / 10) start = now(); /* the other one may have come late */
    atomic_store_explicit(&turn, 1 - me, memory_order_release);
  }
  if (me == 0) trip_ns = (now() - start) / (TRIPS - TRIPS / 10) * 1e9;
}

static void* work(void* argument) {
  const int me = (int)(intptr_t)argument;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(me, &set);
  sched_setaffinity(0, sizeof set, &set); /* fails where that processor is not ours: no matter */
  for (;;) {
    pthread_barrier_wait(&barrier);
    speed[me] = compute();
    pthread_barrier_wait(&barrier);
    if (thread_count > 1 && me < 2) play(me);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  thread_count = argc > 1 ? atoi(argv[1]) : 1;
  if (thread_count < 1 || thread_count > MAX_THREADS) return 2;
  pthread_barrier_init(&barrier, NULL, (unsigned)thread_count + 1);
  for (int i = 0; i < thread_count; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, (void*)(intptr_t)i) != 0) return 1;
  }
  char line[64];
  while (fgets(line, sizeof line, stdin) != NULL) {
    for (int i = 0; i < 3; ++i) pthread_barrier_wait(&barrier);
    double sum = 0;
    for (int i = 0; i < thread_count; ++i) sum += speed[i];
    printf("%.1f %.0f\n", sum, trip_ns);
    fflush(stdout);
  }
  return 0;
}
