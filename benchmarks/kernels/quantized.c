/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized.c - how fast CpuAcc computes each convolution layer of two networks in int8, beside
 * float32:
 *
 *   armnn_acc_quantized_bench [isa [words of the layer's name ..]]
 *
 * One thread, warm caches, batch 1, each way as a program would have it (Winograd's algorithm where
 * it pays). Runs of int8 and float32 take turns; the time is the processor's, and of the shortest
 * runs, so that it holds on a busy machine. The peak is that of the kernel's largest tile from the
 * first cache; layers by Winograd's algorithm count the products that they save.
 */
#include <math.h>
#include <stdint.h>

#include "common.h"
#include "ops/ops.h"

enum { TURNS = 25 };
#define SECONDS 0.004 /* of a turn, at least */

static const layer_t layers[] = {
#define LAYER(...) {__VA_ARGS__},
#include "layers.inc"
#undef LAYER
};

static void* allocate(int64_t size) {
  void* memory = aligned_alloc(64, (size_t)(size + 127) / 64 * 64);
  if (memory == NULL) exit(1);
  return memory;
}

/* From 0 to 1. */
static float random_number(void) {
  static uint32_t state = 1;
  state = state * 1664525u + 1013904223u;
  return (float)(state >> 8) / 16777216.0f;
}

/* Random bytes, or floats from -1/2 to 1/2. */
static void* values_of(int64_t count, bool bytes) {
  void* values = allocate(count * (bytes ? 1 : (int64_t)sizeof(float)));
  for (int64_t i = 0; i < count; ++i) {
    if (bytes) {
      ((int8_t*)values)[i] = (int8_t)((int32_t)(255.0f * random_number()) - 127);
    } else {
      ((float*)values)[i] = random_number() - 0.5f;
    }
  }
  return values;
}

/* Channels of normally distributed bytes, the largest of each being 127: how large most of them are
 * decides which kernel is the fastest. */
static void* normal_weights(int64_t channels, int64_t depth) {
  int8_t* bytes = allocate(channels * depth);
  float* numbers = allocate(depth * (int64_t)sizeof *numbers);
  for (int64_t c = 0; c < channels; ++c) {
    float most = 0.0f;
    for (int64_t i = 0; i < depth; ++i) {
      const float radius = sqrtf(-2.0f * logf(random_number() + 0x1p-25f));
      numbers[i] = radius * cosf(6.2831853f * random_number());
      most = fmaxf(most, fabsf(numbers[i]));
    }
    for (int64_t i = 0; i < depth; ++i) {
      bytes[c * depth + i] = (int8_t)lrintf(numbers[i] / most * 127.0f);
    }
  }
  free(numbers);
  return bytes;
}

static armnn_i_acc_element_t element_of(bool bytes) {
  const armnn_i_acc_element_t quantized = {
      .type = ARMNN_DATA_TYPE_QASYMM_S8, .size = 1, .scale = 0.1f, .zero_point = -7};
  return bytes ? quantized : ARMNN_ACC_FLOAT32;
}

static armnn_i_acc_tensor_t image(int64_t size, int64_t channels, uint32_t binding, bool bytes) {
  const armnn_i_acc_element_t element = element_of(bytes);
  const int64_t pixel = channels * (int64_t)element.size;
  return (armnn_i_acc_tensor_t){.element = element,
                                .rank = 4,
                                .dims = {1, size, size, channels},
                                .strides = {size * size * pixel, size * pixel, pixel, element.size},
                                .memory = {binding, 0}};
}

/* OHWI */
static armnn_i_acc_tensor_t weights_of(const layer_t* layer, const void* values, bool bytes) {
  const int64_t channels = layer->in / layer->groups, k = layer->kernel;
  const armnn_i_acc_element_t element = element_of(bytes);
  const int64_t size = element.size;
  return (armnn_i_acc_tensor_t){
      .element = element,
      .rank = 4,
      .dims = {layer->out, k, k, channels},
      .strides = {k * k * channels * size, k * channels * size, channels * size, size},
      .values = values};
}

typedef struct way_t {
  armnn_i_acc_op_t* op;
  armnn_i_acc_run_t run;
  char* bindings[3];
  void *weights, *bias, *points, *factors;
  double best;
} way_t;

#define STEPS_OF(layer)                                                                          \
  .kernel_y = (layer)->kernel, .kernel_x = (layer)->kernel, .stride_y = (layer)->stride,         \
  .stride_x = (layer)->stride, .dilation_y = 1, .dilation_x = 1, .pad_top = (layer)->kernel / 2, \
  .pad_left = (layer)->kernel / 2, .groups = (layer)->groups

static armnn_status_t make_float(const armnn_i_acc_maker_t* maker, const layer_t* layer,
                                 way_t* way) {
  way->bias = values_of(layer->out, false);
  const armnn_i_acc_convolution_t what = {
      STEPS_OF(layer),
      .input = image(layer->size, layer->in, 1, false),
      .output = image(out_size_of(layer), layer->out, 2, false),
      .weights = weights_of(layer, way->weights, false),
      .bias = way->bias,
      .epilogue = {.function = ARMNN_ACC_CLAMP, .a = 0.0f, .b = INFINITY},
  };
  return armnn_i_acc_make_convolution(maker, &what, &way->op);
}

static armnn_status_t make_bytes(const armnn_i_acc_maker_t* maker, const layer_t* layer,
                                 way_t* way) {
  int32_t* bias = way->bias = allocate(layer->out * (int64_t)sizeof *bias);
  int32_t* points = way->points = allocate(layer->out * (int64_t)sizeof *points);
  armnn_factor_t* factors = way->factors = allocate(layer->out * (int64_t)sizeof *factors);
  for (int64_t o = 0; o < layer->out; ++o) {
    bias[o] = (int32_t)o;
    points[o] = 0;
    factors[o] = armnn_factor(0.0001 * (double)(1 + o % 7));
  }
  const armnn_i_acc_quantized_convolution_t what = {
      STEPS_OF(layer),
      .input = image(layer->size, layer->in, 1, true),
      .output = image(out_size_of(layer), layer->out, 2, true),
      .weights = weights_of(layer, way->weights, true),
      .weight_zero_points = points,
      .bias = bias,
      .factors = factors,
      .low = -7,
      .high = 127,
  };
  return layer->groups > 1 ? armnn_i_acc_make_quantized_depthwise(maker, &what, &way->op)
                           : armnn_i_acc_make_quantized_convolution(maker, &what, &way->op);
}

static void set_up(const armnn_i_acc_maker_t* maker, const layer_t* layer, bool bytes, way_t* way) {
  const int64_t side = out_size_of(layer), size = element_of(bytes).size;
  const int64_t taps = layer->kernel * layer->kernel;
  *way = (way_t){.best = INFINITY};
  const int64_t depth = taps * (layer->in / layer->groups);
  way->weights = bytes ? normal_weights(layer->out, depth) : values_of(layer->out * depth, false);
  way->bindings[1] = values_of(layer->size * layer->size * layer->in, bytes);
  way->bindings[2] = allocate(side * side * layer->out * size);
  if ((bytes ? make_bytes : make_float)(maker, layer, way) != ARMNN_STATUS_OK) exit(1);
  way->run = (armnn_i_acc_run_t){.host = maker->host,
                                 .bindings = way->bindings,
                                 .scratch = allocate((int64_t)way->op->scratch_size),
                                 .max_threads = 1};
}

static void release(way_t* way) {
  way->op->destroy(way->op);
  free(way->run.scratch);
  free(way->bindings[1]);
  free(way->bindings[2]);
  free(way->weights);
  free(way->bias);
  free(way->points);
  free(way->factors);
}

/* As many runs as a turn has; the shortest turn counts. */
static void take_turn(way_t* way) {
  const double start = now();
  double time = 0.0;
  int runs = 0;
  do {
    way->op->run(way->op, &way->run);
    ++runs;
    time = now() - start;
  } while (time < SECONDS);
  if (time / runs < way->best) way->best = time / runs;
}

/* Products a second of the largest tile, from the first cache: the most since the start. */
static double peak_of(const armnn_i_acc_quantized_kernels_t* all) {
  enum { DEPTH = 256, PANEL = 64 };
  static int32_t panel[(ARMNN_ACC_CHANNEL_ARRAYS + DEPTH) * PANEL];
  static char input[ARMNN_ACC_PRODUCT_ROWS * DEPTH * 2];
  static uint8_t output[ARMNN_ACC_PRODUCT_ROWS * PANEL];
  const bool by_bytes = all->has_dot_product || all->bytes->excess != NULL;
  const armnn_i_acc_product_kernels_t* kernels = by_bytes ? all->bytes : all->pairs;
  const char* inputs[ARMNN_ACC_PRODUCT_ROWS];
  uint8_t* outputs[ARMNN_ACC_PRODUCT_ROWS];
  const ptrdiff_t tap = 0;
  for (uint32_t i = 0; i < kernels->rows; ++i) {
    inputs[i] = input + i * DEPTH * kernels->bytes;
    outputs[i] = output + i * PANEL;
  }
  for (uint32_t c = 0; c < kernels->panel; ++c) {
    panel[ARMNN_ACC_CHANNEL_RIGHT * kernels->panel + c] = 1;
  }
  const armnn_i_acc_product_job_t job = {.inputs = inputs,
                                         .outputs = outputs,
                                         .rows = kernels->rows,
                                         .tiles = 1,
                                         .channels = kernels->panel,
                                         .tap_count = 1,
                                         .taps = &tap,
                                         .groups = DEPTH / kernels->group,
                                         .panel = panel};
  static double best = INFINITY;
  for (int turn = 0; turn < TURNS; ++turn) {
    const double start = now();
    for (int i = 0; i < 1000; ++i) kernels->multiply(&job);
    best = fmin(best, now() - start);
  }
  return 1000.0 * DEPTH * kernels->rows * kernels->panel / best;
}

static void bench_layer(const armnn_i_acc_maker_t* maker, const layer_t* layer, const char* name,
                        double* logarithms, int* count) {
  way_t ways[2];
  for (int i = 0; i < 2; ++i) set_up(maker, layer, i == 1, &ways[i]);
  for (int turn = 0; turn < TURNS; ++turn) {
    for (int i = 0; i < 2; ++i) take_turn(&ways[i]);
  }
  const double peak = peak_of(maker->isa->quantized), ratio = ways[0].best / ways[1].best;
  const int64_t side = out_size_of(layer), taps = layer->kernel * layer->kernel;
  const double products = (double)(side * side * layer->out * taps * (layer->in / layer->groups));
  printf("| %s | %.1f | %.3f | %.3f | %.2f | %.1f | %.0f %% | %s |\n", name, products * 1e-6,
         ways[0].best * 1e3, ways[1].best * 1e3, ratio, products / ways[1].best * 1e-9,
         100.0 * products / ways[1].best / peak, ways[1].op->kernel);
  fflush(stdout);
  *logarithms += log(ratio);
  *count += 1;
  for (int i = 0; i < 2; ++i) release(&ways[i]);
}

int main(int argc, char** argv) {
  const armnn_i_acc_isa_t* isa = find_isa(argc > 1 ? argv[1] : "auto");
  if (isa == NULL) {
    fprintf(stderr, "usage: %s [auto or an instruction set [words ..]]\n", argv[0]);
    return 2;
  }
  bench_clock = CLOCK_PROCESS_CPUTIME_ID;
  const armnn_i_acc_maker_t maker = {
      .host = armnn_core_host(),
      .isa = isa,
      .max_threads = 1,
      .winograd = ARMNN_ACC_AUTO,
  };
  double logarithms = 0.0;
  int count = 0;
  printf("%s, 1 thread\n\n", isa->name);
  printf("| layer | MMAC | float32, ms | int8, ms | times as fast | GMAC/s | share | kernel |\n");
  printf("|---|---|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < sizeof layers / sizeof *layers; ++i) {
    char name[96];
    name_layer(&layers[i], name, sizeof name);
    if (has_words(name, argc - 2, argv + 2)) {
      bench_layer(&maker, &layers[i], name, &logarithms, &count);
    }
  }
  if (count > 0) printf("\nint8 in the geometric mean: %.2f times\n", exp(logarithms / count));
  return 0;
}
