/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_pooling.c - maxima and averages of windows of quantised numbers, channels last.
 *
 * Of one scale and zero point, the result is that of levels, halves away from zero. Otherwise it is
 * that of real numbers, rounded once, halves to even; so it is always with ARMNN_RESCALING_REAL.
 * Numbers of 16 bits have one scale.
 * Plain loops over channels are vectors by the compiler.
 */
#include "ops/op_base.h"
#include "quantized_reals.h"

enum { BLOCK = 64 };             /* channels side by side */
enum { SHORT_LINE = 1 << 24 };   /* so many bytes have a sum of 32 bits */
enum { SMALL_WINDOW = 1 << 22 }; /* so many taps kernels take */

typedef struct pooling_op_t pooling_op_t;
typedef struct taps_t taps_t;

struct pooling_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_quantized_pooling_t what;
  /* A window of |count| channels, whose first tap is at |pixels|. */
  void (*pool)(const pooling_op_t* op, const uint8_t* pixels, const taps_t* taps, size_t count,
               uint8_t* out);
  const armnn_i_acc_window_kernels_t* kernels;
  int64_t block; /* the most channels that |pool| takes */
  bool is_int16;
  bool same; /* input and output have one scale and zero point */
  uint8_t flip;
  uint8_t numbers[256]; /* of the output, by the input's byte */
  uint32_t threads;
};

typedef struct pooling_run_t {
  const pooling_op_t* op;
  const uint8_t* input;
  uint8_t* output;
} pooling_run_t;

struct taps_t {
  int64_t begin[2], end[2]; /* taps that see the image */
  int64_t inside, counted;
};

static int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/* Taps [begin, end) whose places start + tap * dilation are in [0, size). */
static void tap_range(int64_t start, int64_t dilation, int64_t size, int64_t taps, int64_t* begin,
                      int64_t* end) {
  *begin = start >= 0 ? 0 : armnn_i_acc_ceil_div(-start, dilation);
  *end = floor_div(size - 1 - start, dilation) + 1;
  if (*end > taps) *end = taps;
  if (*end < *begin) *end = *begin;
}

static taps_t taps_of(const armnn_i_acc_quantized_pooling_t* what, int64_t y, int64_t x) {
  const int64_t starts[2] = {y * what->stride_y, x * what->stride_x};
  const int64_t before[2] = {what->pad_top, what->pad_left};
  const int64_t after[2] = {what->pad_bottom, what->pad_right};
  const int64_t dilation[2] = {what->dilation_y, what->dilation_x};
  const int64_t kernel[2] = {what->kernel_y, what->kernel_x};
  taps_t taps = {.inside = 1, .counted = 1};
  for (uint32_t d = 0; d < 2; ++d) {
    const int64_t size = what->input.dims[1 + d];
    int64_t begin, end;
    if (starts[d] >= before[d] &&
        starts[d] - before[d] + (kernel[d] - 1) * dilation[d] < size) { /* all are inside */
      taps.begin[d] = 0;
      taps.end[d] = kernel[d];
      taps.inside *= kernel[d];
      taps.counted *= kernel[d];
      continue;
    }
    tap_range(starts[d] - before[d], dilation[d], size, kernel[d], &taps.begin[d], &taps.end[d]);
    tap_range(starts[d], dilation[d], size + before[d] + after[d], kernel[d], &begin, &end);
    taps.inside *= taps.end[d] - taps.begin[d];
    taps.counted *= end - begin;
  }
  if (!what->count_padding) taps.counted = taps.inside;
  return taps;
}

/* The mean of |counted| levels whose sum is |sum|. */
static int32_t rescaled(const pooling_op_t* op, int64_t sum, int64_t counted) {
  const armnn_i_acc_element_t from = op->what.input.element, to = op->what.output.element;
  const int64_t level = armnn_rescaled_mean(sum, (double)counted, from.scale, to.scale);
  const int64_t number = level + to.zero_point;
  const int32_t least = armnn_i_acc_least(to.type), most = armnn_i_acc_most(to.type);
  return number < least ? least : number > most ? most : (int32_t)number;
}

/* The stored number of |value|, which is a level if input and output are alike. */
static uint8_t number_of(const pooling_op_t* op, float value) {
  const armnn_i_acc_element_t element = op->what.output.element;
  if (!op->same) return armnn_i_acc_stored(element, value);
  return armnn_i_acc_saturated(element, roundf(value + (float)element.zero_point));
}

/* The place of tap |ky|, |kx| of the window at |pixels|, which are those of its first tap. */
static const uint8_t* tap_at(const armnn_i_acc_quantized_pooling_t* what, const uint8_t* pixels,
                             int64_t ky, int64_t kx) {
  return pixels + ky * what->dilation_y * what->input.strides[1] +
         kx * what->dilation_x * what->input.strides[2];
}

static armnn_i_acc_window_job_t job_of(const pooling_op_t* op, const uint8_t* pixels,
                                       const taps_t* taps, size_t count, uint8_t* out) {
  const armnn_i_acc_quantized_pooling_t* what = &op->what;
  return (armnn_i_acc_window_job_t){
      .input = tap_at(what, pixels, taps->begin[0], taps->begin[1]),
      .line = what->dilation_y * what->input.strides[1],
      .pixel = what->dilation_x * what->input.strides[2],
      .lines = (size_t)(taps->end[0] - taps->begin[0]),
      .columns = (size_t)(taps->end[1] - taps->begin[1]),
      .channels = count,
      .output = out,
      .flip = op->flip,
  };
}

static void maximum(const pooling_op_t* op, const uint8_t* pixels, const taps_t* taps, size_t count,
                    uint8_t* out) {
  const armnn_i_acc_window_job_t job = job_of(op, pixels, taps, count, out);
  op->kernels->maximum(&job);
  for (size_t c = 0; !op->same && c < count; ++c) out[c] = op->numbers[out[c]];
}

static int64_t zeros_of(const pooling_op_t* op, const taps_t* taps) {
  return (op->what.input.element.zero_point + op->flip) * taps->inside;
}

/* Of at most BLOCK channels, with sums of 64 bits. */
static void average_of_many(const pooling_op_t* op, const uint8_t* pixels, const taps_t* taps,
                            size_t count, uint8_t* out) {
  const uint8_t flip = op->flip;
  int64_t sums[BLOCK] = {0};
  for (int64_t ky = taps->begin[0]; ky < taps->end[0]; ++ky) {
    for (int64_t kx = taps->begin[1]; kx < taps->end[1];) {
      const int64_t end = taps->end[1] - kx < SHORT_LINE ? taps->end[1] : kx + SHORT_LINE;
      uint32_t line[BLOCK] = {0};
      for (; kx < end; ++kx) {
        const uint8_t* in = tap_at(&op->what, pixels, ky, kx);
        for (size_t c = 0; c < count; ++c) line[c] += (uint32_t)(in[c] ^ flip);
      }
      for (size_t c = 0; c < count; ++c) sums[c] += line[c];
    }
  }
  const int64_t zeros = zeros_of(op, taps);
  for (size_t c = 0; c < count; ++c) {
    const int64_t sum = sums[c] - zeros;
    out[c] = op->what.is_real ? (uint8_t)rescaled(op, sum, taps->counted)
                              : number_of(op, (float)((double)sum / (double)taps->counted));
  }
}

static armnn_i_acc_window_job_t average_job_of(const pooling_op_t* op, const uint8_t* pixels,
                                               const taps_t* taps, size_t count, uint8_t* out) {
  const armnn_i_acc_element_t element = op->what.output.element;
  armnn_i_acc_window_job_t job = job_of(op, pixels, taps, count, out);
  job.counted = (double)taps->counted;
  job.store = (armnn_i_acc_store_t){element.zero_point, armnn_i_acc_least(element.type),
                                    armnn_i_acc_most(element.type), 0};
  return job;
}

static void average_of_levels(const pooling_op_t* op, const uint8_t* pixels, const taps_t* taps,
                              size_t count, uint8_t* out) {
  if (taps->inside > SMALL_WINDOW) {
    for (size_t c = 0; c < count; c += BLOCK) {
      average_of_many(op, pixels + c, taps, count - c < BLOCK ? count - c : BLOCK, out + c);
    }
    return;
  }
  armnn_i_acc_window_job_t job = average_job_of(op, pixels, taps, count, out);
  job.zeros = (int32_t)zeros_of(op, taps);
  job.is_real = op->what.is_real;
  job.in_scale = op->what.input.element.scale;
  job.out_scale = op->what.output.element.scale;
  op->kernels->average(&job);
}

static void average_of_reals(const pooling_op_t* op, const uint8_t* pixels, const taps_t* taps,
                             size_t count, uint8_t* out) {
  const armnn_i_acc_element_t element = op->what.input.element;
  armnn_i_acc_window_job_t job = average_job_of(op, pixels, taps, count, out);
  job.offset = element.zero_point + op->flip;
  job.in_scale = element.scale;
  job.out_scale = op->what.output.element.scale;
  op->kernels->average_of_reals(&job);
}

/* ---- Numbers of 16 bits -------------------------------------------------------------------- */

static void maximum_int16(const pooling_op_t* op, const uint8_t* pixels, const taps_t* taps,
                          size_t count, uint8_t* out) {
  int16_t most[BLOCK];
  for (size_t c = 0; c < BLOCK; ++c) most[c] = INT16_MIN;
  for (int64_t ky = taps->begin[0]; ky < taps->end[0]; ++ky) {
    for (int64_t kx = taps->begin[1]; kx < taps->end[1]; ++kx) {
      const int16_t* in = (const int16_t*)(const void*)tap_at(&op->what, pixels, ky, kx);
      for (size_t c = 0; c < count; ++c) most[c] = in[c] > most[c] ? in[c] : most[c];
    }
  }
  memcpy(out, most, count * sizeof *most);
}

static void average_of_int16(const pooling_op_t* op, const uint8_t* pixels, const taps_t* taps,
                             size_t count, uint8_t* out) {
  int64_t sums[BLOCK] = {0};
  for (int64_t ky = taps->begin[0]; ky < taps->end[0]; ++ky) {
    for (int64_t kx = taps->begin[1]; kx < taps->end[1]; ++kx) {
      const int16_t* in = (const int16_t*)(const void*)tap_at(&op->what, pixels, ky, kx);
      for (size_t c = 0; c < count; ++c) sums[c] += in[c];
    }
  }
  int16_t* narrow = (int16_t*)(void*)out;
  for (size_t c = 0; c < count; ++c) {
    if (op->what.is_real) {
      narrow[c] = (int16_t)rescaled(op, sums[c], taps->counted);
      continue;
    }
    const float mean = (float)((double)sums[c] / (double)taps->counted);
    narrow[c] = (int16_t)armnn_i_acc_saturated_number(op->what.output.element, roundf(mean));
  }
}

/* ---- Running ------------------------------------------------------------------------------- */

static void run_window(const pooling_run_t* run, int64_t n, int64_t y, int64_t x) {
  const pooling_op_t* op = run->op;
  const armnn_i_acc_quantized_pooling_t* what = &op->what;
  const armnn_i_acc_tensor_t *in = &what->input, *out = &what->output;
  const taps_t taps = taps_of(what, y, x);
  const int64_t offset = n * in->strides[0] +
                         (y * what->stride_y - what->pad_top) * in->strides[1] +
                         (x * what->stride_x - what->pad_left) * in->strides[2];
  uint8_t* to = run->output + n * out->strides[0] + y * out->strides[1] + x * out->strides[2];
  if (taps.inside == 0) {
    memset(to, op->is_int16 ? 0 : number_of(op, 0.0f), (size_t)out->dims[3] * out->element.size);
    return;
  }
  for (int64_t c = 0; c < out->dims[3]; c += op->block) {
    const size_t count = (size_t)(out->dims[3] - c < op->block ? out->dims[3] - c : op->block);
    const int64_t at = c * (int64_t)in->element.size; /* the output's is the same */
    op->pool(op, run->input + (offset + at), &taps, count, to + at);
  }
}

static armnn_status_t run_lines(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const pooling_run_t* run = (const pooling_run_t*)argument;
  const armnn_i_acc_tensor_t* out = &run->op->what.output;
  for (int64_t line = (int64_t)begin; line < (int64_t)end; ++line) {
    for (int64_t x = 0; x < out->dims[2]; ++x) {
      run_window(run, line / out->dims[1], line % out->dims[1], x);
    }
  }
  return ARMNN_STATUS_OK;
}

static void run_pooling(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const pooling_op_t* op = (const pooling_op_t*)base;
  pooling_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                        armnn_i_acc_address(run, &op->what.output)};
  const int64_t lines = op->what.output.dims[0] * op->what.output.dims[1];
  armnn_i_acc_parallel(run, run_lines, &self, (uint64_t)lines, 1, op->threads);
}

armnn_status_t armnn_i_acc_make_quantized_pooling(const armnn_i_acc_maker_t* maker,
                                                  const armnn_i_acc_quantized_pooling_t* what,
                                                  armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_element_t in = what->input.element, out = what->output.element;
  const bool is_int16 = armnn_i_acc_is_int16(in.type);
  if (in.type != out.type || (is_int16 ? in.scale != out.scale : !armnn_i_acc_is_8bit(in.type))) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  pooling_op_t* op = (pooling_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->same = in.scale == out.scale && in.zero_point == out.zero_point;
  op->flip = armnn_i_acc_flip(in);
  op->is_int16 = is_int16;
  op->block = BLOCK;
  op->base.op.run = run_pooling;
  if (is_int16) {
    op->pool = what->method == ARMNN_POOLING_MAX ? maximum_int16 : average_of_int16;
    op->base.op.kernel =
        what->method == ARMNN_POOLING_MAX ? "armnn_s16_max_pooling" : "armnn_s16_average_pooling";
  } else {
    op->kernels = maker->isa->quantized->pooling;
    float reals[256];
    armnn_i_acc_reals(in, reals);
    for (size_t i = 0; i < 256; ++i) {
      op->numbers[i] = op->same ? (uint8_t)i
                       : what->is_real
                           ? (uint8_t)rescaled(op, armnn_i_acc_level_of(in, (uint8_t)i), 1)
                           : number_of(op, reals[i]);
    }
    const bool is_maximum = what->method == ARMNN_POOLING_MAX;
    op->pool = is_maximum                  ? maximum
               : op->same || what->is_real ? average_of_levels
                                           : average_of_reals;
    op->block = what->output.dims[3];
    op->base.op.kernel = is_maximum ? op->kernels->maximum_name : op->kernels->average_name;
  }
  op->base.op.operations =
      (uint64_t)(armnn_i_acc_count(&what->output) * what->kernel_y * what->kernel_x);
  op->threads = armnn_i_acc_threads(maker, op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
