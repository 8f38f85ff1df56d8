/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convolutions.c - how fast CpuAcc computes each convolution layer of two networks, by itself:
 *
 *   armnn_acc_kernel_bench [--cpu-time] [isa [threads [words of the layer's name ..]]]
 *
 * Each layer is the operator that a program would have, with bias and ReLU, warm caches, batch 1;
 * one that Winograd's algorithm can compute is there by windows and with either size of tiles, and
 * those that the cost model would not take are marked.
 * GFLOP/s count multiplications and additions with padding; the peak is that of bare
 * multiply-adds (where there is no such loop for the instruction set: of the largest tile from the
 * first cache), measured between the layers of the same run.
 */
#include <math.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "common.h"
#include "ops/dense/winograd.h"
#include "ops/ops.h"

enum { MOST_RUNS = 2000, LEAST_RUNS = 15 };
#define SECONDS 0.15

static const layer_t layers[] = {
#define LAYER(...) {__VA_ARGS__},
#include "layers.inc"
#undef LAYER
};

/* ---- Peak ---------------------------------------------------------------------------------- */

#define PEAK_STEPS 200000
#define PEAK_SUMS 12

#if defined(__x86_64__)
__attribute__((target("avx512f"), noinline)) static double flops_avx512(void) {
  __m512 sums[PEAK_SUMS], x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(0.001f);
  for (int i = 0; i < PEAK_SUMS; ++i) sums[i] = _mm512_set1_ps((float)i);
  for (int step = 0; step < PEAK_STEPS; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < PEAK_SUMS; ++i) sums[i] = _mm512_fmadd_ps(sums[i], x, y);
  }
  for (int i = 1; i < PEAK_SUMS; ++i) sums[0] = _mm512_add_ps(sums[0], sums[i]);
  volatile float sink = _mm512_cvtss_f32(sums[0]);
  (void)sink;
  return 2.0 * 16 * PEAK_SUMS * PEAK_STEPS;
}

__attribute__((target("avx2,fma"), noinline)) static double flops_avx2(void) {
  __m256 sums[PEAK_SUMS], x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(0.001f);
  for (int i = 0; i < PEAK_SUMS; ++i) sums[i] = _mm256_set1_ps((float)i);
  for (int step = 0; step < PEAK_STEPS; ++step) {
#pragma GCC unroll 12
    for (int i = 0; i < PEAK_SUMS; ++i) sums[i] = _mm256_fmadd_ps(sums[i], x, y);
  }
  for (int i = 1; i < PEAK_SUMS; ++i) sums[0] = _mm256_add_ps(sums[0], sums[i]);
  volatile float sink = _mm256_cvtss_f32(sums[0]);
  (void)sink;
  return 2.0 * 8 * PEAK_SUMS * PEAK_STEPS;
}
#endif

static double flops_tile(const armnn_i_acc_gemm_kernels_t* gemm) {
  enum { DEPTH = 128 };
  static float panel[(DEPTH + 1) * 64], input[16 * DEPTH], output[16 * 64];
  const uint32_t rows = gemm->max_rows[2], width = 2 * gemm->lanes;
  const armnn_i_acc_gemm_tap_t tap = {0, 0};
  const armnn_i_acc_gemm_job_t job = {
      .tiles = 1,
      .tap_count = 1,
      .depth = DEPTH,
      .taps = &tap,
      .input = input,
      .input_stride = DEPTH,
      .panel = panel,
      .output = output,
      .output_stride = width,
      .last = gemm->lanes,
  };
  for (int i = 0; i < 2000; ++i) gemm->tiles[2][rows](&job);
  return 2.0 * rows * width * DEPTH * 2000;
}

typedef struct peak_t {
  const armnn_i_acc_kernels_t* kernels;
  double flops;
} peak_t;

static armnn_status_t run_peak(void* argument, uint64_t begin, uint64_t end,
                               uint32_t thread_index) {
  (void)thread_index;
  peak_t* peak = argument;
  for (uint64_t i = begin; i < end; ++i) {
#if defined(__x86_64__)
    if (peak->kernels->gemm->lanes == 16) {
      peak->flops = flops_avx512();
      continue;
    }
    if (peak->kernels->gemm->lanes == 8) {
      peak->flops = flops_avx2();
      continue;
    }
#endif
    peak->flops = flops_tile(peak->kernels->gemm);
  }
  return ARMNN_STATUS_OK;
}

/* The best of some runs, as GFLOP/s of all threads together. */
static double measure_peak(const armnn_i_acc_run_t* run, const armnn_i_acc_kernels_t* kernels) {
  peak_t peak = {.kernels = kernels};
  double best = 1e9;
  for (int i = 0; i < 20; ++i) {
    const double start = now();
    armnn_i_acc_parallel(run, run_peak, &peak, run->max_threads, 1, run->max_threads);
    const double time = now() - start;
    if (time < best) best = time;
  }
  return peak.flops * run->max_threads / best * 1e-9;
}

/* ---- Layers -------------------------------------------------------------------------------- */

static float* random_floats(uint64_t count) {
  static uint32_t state = 1;
  float* values = aligned_alloc(64, (count * sizeof(float) + 127) / 64 * 64);
  if (values == NULL) exit(1);
  for (uint64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = (float)(state >> 8) / 16777216.0f - 0.5f;
  }
  return values;
}

static armnn_i_acc_tensor_t image(int64_t size, int64_t channels, uint32_t binding) {
  const int64_t pixel = channels * (int64_t)sizeof(float);
  return (armnn_i_acc_tensor_t){
      .element = ARMNN_ACC_FLOAT32,
      .rank = 4,
      .dims = {1, size, size, channels},
      .strides = {size * size * pixel, size * pixel, pixel, sizeof(float)},
      .memory = {binding, 0},
  };
}

/* Seconds of a run: the median and, through |out_best|, the shortest. */
static double time_runs(const armnn_i_acc_op_t* op, const armnn_i_acc_run_t* run,
                        double* out_best) {
  static double times[MOST_RUNS];
  const double start = now();
  int count = 0;
  for (int i = 0; i < 3; ++i) op->run(op, run);
  while (count < MOST_RUNS && (count < LEAST_RUNS || now() - start < SECONDS)) {
    const double begin = now();
    op->run(op, run);
    times[count++] = now() - begin;
  }
  qsort(times, (size_t)count, sizeof *times, compare_times);
  *out_best = times[0];
  return times[count / 2];
}

static double largest_error(const layer_t* layer, const float* x, const float* w, const float* b,
                            const float* y, int64_t out_size) {
  const int64_t channels = layer->in / layer->groups, per_group = layer->out / layer->groups;
  double error = 0.0;
  for (int64_t i = 0; i < 200; ++i) {
    const int64_t r = i * 7 % out_size, c = i * 13 % out_size, o = i * 17 % layer->out;
    double sum = b[o];
    for (int64_t ky = 0; ky < layer->kernel; ++ky) {
      for (int64_t kx = 0; kx < layer->kernel; ++kx) {
        const int64_t iy = r * layer->stride + ky - layer->kernel / 2;
        const int64_t ix = c * layer->stride + kx - layer->kernel / 2;
        if (iy < 0 || ix < 0 || iy >= layer->size || ix >= layer->size) continue;
        const float* from = x + (iy * layer->size + ix) * layer->in + o / per_group * channels;
        for (int64_t k = 0; k < channels; ++k) {
          sum +=
              (double)from[k] * w[((o * channels + k) * layer->kernel + ky) * layer->kernel + kx];
        }
      }
    }
    const double difference = fabs(fmax(sum, 0) - y[(r * out_size + c) * layer->out + o]);
    if (difference > error) error = difference;
  }
  return error;
}

/* By windows (|tile| 0), or by Winograd's algorithm; those that cannot be are left out. */
static void bench_layer(const armnn_i_acc_maker_t* maker, const layer_t* layer, uint32_t tile) {
  const int64_t out_size = out_size_of(layer);
  const int64_t channels = layer->in / layer->groups, taps = layer->kernel * layer->kernel;
  const int64_t tap = sizeof(float); /* OIHW */
  float* x = random_floats((uint64_t)(layer->size * layer->size * layer->in));
  float* y = random_floats((uint64_t)(out_size * out_size * layer->out));
  float* w = random_floats((uint64_t)(layer->out * channels * taps));
  float* b = random_floats((uint64_t)layer->out);
  const armnn_i_acc_convolution_t what = {
      .input = image(layer->size, layer->in, 1),
      .output = image(out_size, layer->out, 2),
      .weights = {.element = ARMNN_ACC_FLOAT32,
                  .rank = 4,
                  .dims = {layer->out, layer->kernel, layer->kernel, channels},
                  .strides = {channels * taps * tap, layer->kernel * tap, tap, taps * tap},
                  .values = w},
      .bias = b,
      .kernel_y = layer->kernel,
      .kernel_x = layer->kernel,
      .stride_y = layer->stride,
      .stride_x = layer->stride,
      .dilation_y = 1,
      .dilation_x = 1,
      .pad_top = layer->kernel / 2,
      .pad_left = layer->kernel / 2,
      .groups = layer->groups,
      .epilogue = {.function = ARMNN_ACC_CLAMP, .a = 0.0f, .b = INFINITY},
  };
  armnn_i_acc_op_t* op = NULL;
  armnn_status_t status = tile == 0 ? armnn_i_acc_make_convolution(maker, &what, &op)
                                    : armnn_i_acc_make_winograd(maker, &what, tile, &op);
  if (status != ARMNN_STATUS_OK) exit(1);
  armnn_i_acc_maker_t choosing = *maker;
  choosing.winograd = ARMNN_ACC_AUTO;
  const bool chosen = armnn_i_acc_choose_winograd(&choosing, &what) == tile;
  char* bindings[] = {NULL, (char*)x, (char*)y};
  char* scratch = aligned_alloc(64, (op->scratch_size + 127) / 64 * 64);
  const armnn_i_acc_run_t run = {
      .host = maker->host,
      .bindings = bindings,
      .scratch = scratch,
      .max_threads = maker->max_threads,
  };
  const double before = measure_peak(&run, maker->isa->kernels[ARMNN_DATA_TYPE_FLOAT32]);
  double best = 0.0;
  const double median = time_runs(op, &run, &best);
  const double after = measure_peak(&run, maker->isa->kernels[ARMNN_DATA_TYPE_FLOAT32]),
               peak = before > after ? before : after;
  const double operations = 2e-9 * (double)(out_size * out_size * layer->out * channels * taps);
  printf(
      "| %s %s%lldx%lld s%lld %lld-%lld %lld | %.1f | %.3f | %.1f | %.1f | %.0f %% | %.0f %% | "
      "%.0e | %s%s |\n",
      layer->network, layer->groups > 1 ? "dw " : "", (long long)layer->kernel,
      (long long)layer->kernel, (long long)layer->stride, (long long)layer->in,
      (long long)layer->out, (long long)layer->size, operations * 500, median * 1e3,
      operations / median, peak, 100 * operations / median / peak, 100 * operations / best / peak,
      largest_error(layer, x, w, b, y, out_size), op->kernel, chosen ? "" : " (not chosen)");
  fflush(stdout);
  op->destroy(op);
  free(scratch);
  free(x);
  free(y);
  free(w);
  free(b);
}

int main(int argc, char** argv) {
  const char* program = argv[0];
  if (argc > 1 && strcmp(argv[1], "--cpu-time") == 0) {
    bench_clock = CLOCK_PROCESS_CPUTIME_ID;
    --argc;
    ++argv;
  }
  const char* name = argc > 1 ? argv[1] : "auto";
  const int threads = argc > 2 ? atoi(argv[2]) : 1;
  const armnn_i_acc_isa_t* isa = find_isa(name);
  if (isa == NULL || threads < 1) {
    fprintf(stderr, "usage: %s [--cpu-time] [auto or an instruction set [threads [words ..]]]\n",
            program);
    return 2;
  }
  armnn_core_set_thread_count((uint32_t)threads);
  const armnn_i_acc_maker_t maker = {
      .host = armnn_core_host(),
      .isa = isa,
      .max_threads = (uint32_t)threads,
  };
  printf("%s, %d thread%s\n\n", isa->name, threads, threads == 1 ? "" : "s");
  printf("| layer | MMAC | ms | GFLOP/s | peak | share | best run | error | kernel |\n");
  printf("|---|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof layers / sizeof *layers; ++i) {
    const layer_t* layer = &layers[i];
    char layer_name[96];
    name_layer(layer, layer_name, sizeof layer_name);
    if (!has_words(layer_name, argc - 3, argv + 3)) continue;
    bench_layer(&maker, layer, 0);
    if (layer->kernel != 3 || layer->stride != 1 || layer->groups != 1) continue;
    bench_layer(&maker, layer, 2);
    bench_layer(&maker, layer, 4);
  }
  armnn_core_stop_threads();
  return 0;
}
