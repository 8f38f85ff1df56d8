/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * elements.c - how fast CpuAcc does what is not a product: functions of elements, sums of tensors,
 * pooling, softmax, normalisation, layout changes, resizing:
 *
 *   armnn_acc_element_bench [isa [threads [words of the name ..]]]
 *
 * Each line is an operator as a program would have it, warm caches. GB/s count what is read and
 * what is written once each; the copy's are those of memcpy of as many bytes, in the same run.
 */
#include <math.h>

#include "common.h"
#include "ops/ops.h"

enum { RUNS = 400, LEAST_RUNS = 20 };
#define SECONDS 0.05

typedef struct bench_t {
  armnn_i_acc_maker_t maker;
  int word_count;
  char** words;
} bench_t;

static bool wanted(const bench_t* bench, const char* name) {
  return has_words(name, bench->word_count, bench->words);
}

/* A dense tensor with values of its own, from -4 to 4. */
static armnn_i_acc_tensor_t tensor(int64_t n, int64_t h, int64_t w, int64_t c) {
  static uint32_t state = 1;
  const size_t count = (size_t)(n * h * w * c);
  float* values = aligned_alloc(64, (count * sizeof(float) + 127) / 64 * 64);
  if (values == NULL) exit(1);
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = (float)(state >> 8) / 2097152.0f - 4.0f;
  }
  const int64_t size = sizeof *values;
  return (armnn_i_acc_tensor_t){.element = ARMNN_ACC_FLOAT32,
                                .rank = 4,
                                .dims = {n, h, w, c},
                                .strides = {h * w * c * size, w * c * size, c * size, size},
                                .values = values};
}

static void release(const armnn_i_acc_tensor_t* tensor) { free((void*)(uintptr_t)tensor->values); }

static double median_of(double* times, int count) {
  qsort(times, (size_t)count, sizeof *times, compare_times);
  return times[count / 2];
}

static double time_copy(size_t bytes) {
  static double times[RUNS];
  char* from = calloc(1, bytes);
  char* to = calloc(1, bytes);
  const double start = now();
  int count = 0;
  while (count < RUNS && (count < LEAST_RUNS || now() - start < SECONDS)) {
    const double begin = now();
    memcpy(to, from, bytes);
    __asm__ volatile("" : : "r"(to) : "memory");
    times[count++] = now() - begin;
  }
  free(from);
  free(to);
  return median_of(times, count);
}

/* Times the operator and destroys it; |elements| are read and written in all. */
static void report(const bench_t* bench, const char* name, armnn_status_t status,
                   armnn_i_acc_op_t* op, int64_t results, int64_t elements) {
  static double times[RUNS];
  if (status != ARMNN_STATUS_OK) exit(1);
  char* scratch = aligned_alloc(64, (op->scratch_size + 127) / 64 * 64);
  const armnn_i_acc_run_t run = {
      .host = bench->maker.host, .scratch = scratch, .max_threads = bench->maker.max_threads};
  for (int i = 0; i < 3; ++i) op->run(op, &run);
  const double start = now();
  int count = 0;
  while (count < RUNS && (count < LEAST_RUNS || now() - start < SECONDS)) {
    const double begin = now();
    op->run(op, &run);
    times[count++] = now() - begin;
  }
  const double time = median_of(times, count);
  const double copy = time_copy((size_t)elements * sizeof(float) / 2);
  printf("| %s | %.1f | %.2f | %.1f | %.1f | %s |\n", name, time * 1e6,
         time * 1e9 / (double)results, 4e-9 * (double)elements / time,
         4e-9 * (double)elements / copy, op->kernel);
  fflush(stdout);
  op->destroy(op);
  free(scratch);
}

static void bench_functions(const bench_t* bench) {
  static const char* const names[] = {
#define FUNCTION(value, name) [value] = #name,
#include "kernels/rows/elementwise.inc"
#undef FUNCTION
  };
  for (int32_t f = 0; f < ARMNN_ACC_FUNCTION_COUNT; ++f) {
    char name[64];
    snprintf(name, sizeof name, "function %s 16384", names[f]);
    if (!wanted(bench, name)) continue;
    const armnn_i_acc_unary_t what = {.input = tensor(1, 1, 1, 16384),
                                      .output = tensor(1, 1, 1, 16384),
                                      .epilogue = {.function = f, .a = 1.0f, .b = 2.0f}};
    armnn_i_acc_op_t* op = NULL;
    const armnn_status_t status = armnn_i_acc_make_unary(&bench->maker, &what, &op);
    report(bench, name, status, op, 16384, 2 * 16384);
    release(&what.input);
    release(&what.output);
  }
}

static void bench_add(const bench_t* bench, const char* name, const int64_t l[4],
                      const int64_t r[4]) {
  if (!wanted(bench, name)) return;
  armnn_i_acc_binary_t what = {.left = tensor(l[0], l[1], l[2], l[3]),
                               .right = tensor(r[0], r[1], r[2], r[3]),
                               .output = tensor(l[0], l[1], l[2], l[3]),
                               .operation = ARMNN_BINARY_ADD};
  armnn_i_acc_op_t* op = NULL;
  const armnn_status_t status = armnn_i_acc_make_binary(&bench->maker, &what, &op);
  const int64_t count = armnn_i_acc_count(&what.left);
  report(bench, name, status, op, count, 2 * count + armnn_i_acc_count(&what.right));
  release(&what.left);
  release(&what.right);
  release(&what.output);
}

static void bench_pooling(const bench_t* bench, const char* name, int32_t method, int64_t size,
                          int64_t stride, int64_t image, int64_t channels) {
  if (!wanted(bench, name)) return;
  const int64_t out = (image - size) / stride + 1;
  armnn_i_acc_pooling_t what = {.input = tensor(1, image, image, channels),
                                .output = tensor(1, out, out, channels),
                                .method = method,
                                .kernel_y = size,
                                .kernel_x = size,
                                .stride_y = stride,
                                .stride_x = stride,
                                .dilation_y = 1,
                                .dilation_x = 1};
  armnn_i_acc_op_t* op = NULL;
  const armnn_status_t status = armnn_i_acc_make_pooling(&bench->maker, &what, &op);
  const int64_t count = armnn_i_acc_count(&what.input), results = armnn_i_acc_count(&what.output);
  report(bench, name, status, op, results, count + results);
  release(&what.input);
  release(&what.output);
}

static void bench_copy(const bench_t* bench, const char* name, const int64_t d[4],
                       const uint32_t order[4]) {
  if (!wanted(bench, name)) return;
  const armnn_i_acc_copy_t what = {
      .input = tensor(d[0], d[1], d[2], d[3]),
      .output = tensor(d[order[0]], d[order[1]], d[order[2]], d[order[3]]),
      .order = {order[0], order[1], order[2], order[3]}};
  armnn_i_acc_op_t* op = NULL;
  const armnn_status_t status = armnn_i_acc_make_copy(&bench->maker, &what, &op);
  const int64_t count = armnn_i_acc_count(&what.input);
  report(bench, name, status, op, count, 2 * count);
  release(&what.input);
  release(&what.output);
}

static void bench_softmax(const bench_t* bench, const char* name, int64_t rows, int64_t columns) {
  if (!wanted(bench, name)) return;
  const armnn_i_acc_softmax_t what = {.input = tensor(1, 1, rows, columns),
                                      .output = tensor(1, 1, rows, columns),
                                      .axis = 3,
                                      .beta = 1.0f};
  armnn_i_acc_op_t* op = NULL;
  const armnn_status_t status = armnn_i_acc_make_softmax(&bench->maker, &what, &op);
  report(bench, name, status, op, rows * columns, 2 * rows * columns);
  release(&what.input);
  release(&what.output);
}

static void bench_normalize(const bench_t* bench, const char* name, int64_t rows, int64_t columns,
                            uint32_t axis_mask) {
  if (!wanted(bench, name)) return;
  armnn_i_acc_normalize_t what = {.input = tensor(1, 1, rows, columns),
                                  .output = tensor(1, 1, rows, columns),
                                  .axis_mask = axis_mask,
                                  .scale_axis = 3,
                                  .eps = 1e-5f};
  armnn_i_acc_op_t* op = NULL;
  const armnn_status_t status = armnn_i_acc_make_normalize(&bench->maker, &what, &op);
  report(bench, name, status, op, rows * columns, 2 * rows * columns);
  release(&what.input);
  release(&what.output);
}

static void bench_resize(const bench_t* bench, const char* name, int32_t method, int64_t image,
                         int64_t channels) {
  if (!wanted(bench, name)) return;
  armnn_i_acc_resize_t what = {.input = tensor(1, image, image, channels),
                               .output = tensor(1, 2 * image, 2 * image, channels),
                               .method = method};
  armnn_i_acc_op_t* op = NULL;
  const armnn_status_t status = armnn_i_acc_make_resize(&bench->maker, &what, &op);
  const int64_t count = armnn_i_acc_count(&what.input);
  report(bench, name, status, op, 4 * count, 5 * count);
  release(&what.input);
  release(&what.output);
}

static void bench_all(const bench_t* bench) {
  static const int64_t gates[4] = {1, 1, 1, 144}, big[4] = {1, 56, 56, 144}, one[4] = {1, 1, 1, 1};
  static const int64_t pixels[4] = {1, 56, 56, 1};
  static const int64_t colours[4] = {1, 3, 224, 224}, planes[4] = {1, 64, 56, 56};
  static const int64_t channels[4] = {1, 56, 56, 64};
  static const uint32_t to_nhwc[4] = {0, 2, 3, 1}, to_nchw[4] = {0, 3, 1, 2};
  bench_functions(bench);
  bench_add(bench, "add 56x56x144", big, big);
  bench_add(bench, "add 56x56x144, per channel", big, gates);
  bench_add(bench, "add 56x56x144, per pixel", big, pixels);
  bench_add(bench, "add 56x56x144, one number", big, one);
  bench_pooling(bench, "max pooling 3x3 s2 112x112x64", ARMNN_POOLING_MAX, 3, 2, 112, 64);
  bench_pooling(bench, "max pooling 2x2 s2 56x56x128", ARMNN_POOLING_MAX, 2, 2, 56, 128);
  bench_pooling(bench, "max pooling 5x5 s1 13x13x192", ARMNN_POOLING_MAX, 5, 1, 13, 192);
  bench_pooling(bench, "average pooling 7x7x1280", ARMNN_POOLING_AVERAGE, 7, 1, 7, 1280);
  bench_pooling(bench, "average pooling 56x56x96", ARMNN_POOLING_AVERAGE, 56, 1, 56, 96);
  bench_copy(bench, "NCHW to NHWC 3x224x224", colours, to_nhwc);
  bench_copy(bench, "NCHW to NHWC 64x56x56", planes, to_nhwc);
  bench_copy(bench, "NHWC to NCHW 56x56x64", channels, to_nchw);
  bench_softmax(bench, "softmax 1x1000", 1, 1000);
  bench_softmax(bench, "softmax 1536x128", 1536, 128);
  bench_normalize(bench, "layer normalisation 128x768", 128, 768, 1u << 3);
  bench_normalize(bench, "instance normalisation 3136x64", 3136, 64, 1u << 2);
  bench_resize(bench, "resize nearest 2x 40x40x96", ARMNN_RESIZE_NEAREST_NEIGHBOR, 40, 96);
  bench_resize(bench, "resize bilinear 2x 40x40x96", ARMNN_RESIZE_BILINEAR, 40, 96);
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "auto";
  const int threads = argc > 2 ? atoi(argv[2]) : 1;
  const armnn_host_t* host = armnn_core_host();
  const armnn_i_acc_isa_t* isa = find_isa(name);
  if (isa == NULL || threads < 1) {
    fprintf(stderr, "usage: %s [auto or an instruction set [threads [words ..]]]\n", argv[0]);
    return 2;
  }
  armnn_core_set_thread_count((uint32_t)threads);
  const bench_t bench = {{.host = host, .isa = isa, .max_threads = (uint32_t)threads},
                         argc > 3 ? argc - 3 : 0,
                         argc > 3 ? argv + 3 : NULL};
  printf("%s, %d thread%s\n\n", isa->name, threads, threads == 1 ? "" : "s");
  printf("| operator | us | ns an element | GB/s | copy, GB/s | kernel |\n");
  printf("|---|---|---|---|---|---|\n");
  bench_all(&bench);
  armnn_core_stop_threads();
  return 0;
}
