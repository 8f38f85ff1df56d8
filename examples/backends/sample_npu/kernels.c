/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernels.c - the other instructions: the vector unit of the device.
 *
 * Channels are innermost everywhere, so that the compiler makes vectors of the inner loops.
 */
#include <math.h>

#include "npu.h"

void npu_parallel(const armnn_host_t* host, armnn_range_fn_t body, const npu_operands_t* operands,
                  uint64_t count, uint64_t grain) {
  void* argument = (void*)(uintptr_t)operands;
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, parallel_for) &&
      host->parallel_for(host->context, body, argument, count, grain, 0) == ARMNN_STATUS_OK) {
    return;
  }
  body(argument, 0, count, 0);
}

/* Input position of tap |k| of the window at |position|; -1 outside of the image. */
static int64_t tap(uint32_t position, uint32_t stride, uint32_t k, uint32_t dilation, uint32_t pad,
                   uint32_t size) {
  const int64_t at = (int64_t)position * stride + (int64_t)k * dilation - pad;
  return at >= 0 && at < size ? at : -1;
}

static void finish(const npu_operands_t* o, uint64_t at, uint32_t count) {
  float* out = o->output + at;
  if (o->second != NULL) {
    for (uint32_t c = 0; c < count; ++c) out[c] += o->second[at + c];
  }
  for (uint32_t c = 0; c < count; ++c) out[c] = npu_clamp(o->instruction, out[c]);
}

static armnn_status_t depthwise_rows(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread) {
  (void)thread;
  const npu_operands_t* o = argument;
  const npu_instruction_t* i = o->instruction;
  const uint32_t multiplier = i->oc / i->ic;
  for (uint64_t unit = begin; unit < end; ++unit) {
    const uint32_t y = (uint32_t)(unit % i->oh);
    const float* image = o->input + unit / i->oh * i->ih * i->iw * i->ic;
    for (uint32_t x = 0; x < i->ow; ++x) {
      const uint64_t at = (unit * i->ow + x) * i->oc;
      float* restrict out = o->output + at;
      for (uint32_t c = 0; c < i->oc; ++c) out[c] = o->bias[c];
      for (uint32_t k = 0; k < i->kh * i->kw; ++k) {
        const int64_t iy = tap(y, i->stride_y, k / i->kw, i->dilation_y, i->pad_top, i->ih);
        const int64_t ix = tap(x, i->stride_x, k % i->kw, i->dilation_x, i->pad_left, i->iw);
        if (iy < 0 || ix < 0) continue;
        const float* restrict in = image + (uint64_t)(iy * i->iw + ix) * i->ic;
        const float* restrict w = o->weights + (uint64_t)k * i->oc;
        if (multiplier == 1) {
          for (uint32_t c = 0; c < i->oc; ++c) out[c] += in[c] * w[c];
        } else {
          for (uint32_t c = 0; c < i->oc; ++c) out[c] += in[c / multiplier] * w[c];
        }
      }
      finish(o, at, i->oc);
    }
  }
  return ARMNN_STATUS_OK;
}

/* Taps along one axis that count in the divisor although they see padding only. */
static uint32_t counted(uint32_t position, uint32_t stride, uint32_t taps, uint32_t dilation,
                        uint64_t padded) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < taps; ++k) {
    count += (uint64_t)position * stride + (uint64_t)k * dilation < padded;
  }
  return count;
}

static void pool_pixel(const npu_operands_t* o, const float* image, uint32_t y, uint32_t x,
                       uint64_t at) {
  const npu_instruction_t* i = o->instruction;
  const bool average = i->op == NPU_OP_POOL_AVERAGE;
  float* restrict out = o->output + at;
  uint32_t seen = 0;
  for (uint32_t c = 0; c < i->oc; ++c) out[c] = average ? 0.0f : -INFINITY;
  for (uint32_t k = 0; k < i->kh * i->kw; ++k) {
    const int64_t iy = tap(y, i->stride_y, k / i->kw, i->dilation_y, i->pad_top, i->ih);
    const int64_t ix = tap(x, i->stride_x, k % i->kw, i->dilation_x, i->pad_left, i->iw);
    if (iy < 0 || ix < 0) continue;
    const float* restrict in = image + (uint64_t)(iy * i->iw + ix) * i->ic;
    ++seen;
    if (average) {
      for (uint32_t c = 0; c < i->oc; ++c) out[c] += in[c];
    } else {
      for (uint32_t c = 0; c < i->oc; ++c)
        out[c] = in[c] > out[c] || in[c] != in[c] ? in[c] : out[c];
    }
  }
  uint32_t divisor = seen;
  if (average && i->exclude_padding == 0) {
    const uint64_t height = (uint64_t)i->ih + i->pad_top + i->pad_bottom;
    const uint64_t width = (uint64_t)i->iw + i->pad_left + i->pad_right;
    divisor = counted(y, i->stride_y, i->kh, i->dilation_y, height) *
              counted(x, i->stride_x, i->kw, i->dilation_x, width);
  }
  for (uint32_t c = 0; c < i->oc; ++c) {
    if (seen == 0) {
      out[c] = 0.0f; /* nothing but padding: zero, as Arm NN has it */
    } else if (average) {
      out[c] /= (float)divisor;
    }
  }
  finish(o, at, i->oc);
}

static armnn_status_t pool_rows(void* argument, uint64_t begin, uint64_t end, uint32_t thread) {
  (void)thread;
  const npu_operands_t* o = argument;
  const npu_instruction_t* i = o->instruction;
  for (uint64_t unit = begin; unit < end; ++unit) {
    const float* image = o->input + unit / i->oh * i->ih * i->iw * i->ic;
    for (uint32_t x = 0; x < i->ow; ++x) {
      pool_pixel(o, image, (uint32_t)(unit % i->oh), x, (unit * i->ow + x) * i->oc);
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t add_range(void* argument, uint64_t begin, uint64_t end, uint32_t thread) {
  (void)thread;
  const npu_operands_t* o = argument;
  const float* other = o->second != NULL ? o->second : o->weights;
  for (uint64_t k = begin; k < end; ++k) {
    o->output[k] = npu_clamp(o->instruction, o->input[k] + other[k]);
  }
  return ARMNN_STATUS_OK;
}

/* One unit: the |iw| neighbouring elements that have one index of the middle axis. */
static armnn_status_t add_rows_range(void* argument, uint64_t begin, uint64_t end,
                                     uint32_t thread) {
  (void)thread;
  const npu_operands_t* o = argument;
  const npu_instruction_t* i = o->instruction;
  for (uint64_t unit = begin; unit < end; ++unit) {
    const float other = o->weights[unit % i->ic];
    for (uint64_t k = unit * i->iw; k < (unit + 1) * i->iw; ++k) {
      o->output[k] = npu_clamp(i, o->input[k] + other);
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t clamp_range(void* argument, uint64_t begin, uint64_t end, uint32_t thread) {
  (void)thread;
  const npu_operands_t* o = argument;
  for (uint64_t k = begin; k < end; ++k) o->output[k] = npu_clamp(o->instruction, o->input[k]);
  return ARMNN_STATUS_OK;
}

static armnn_status_t transpose_columns(void* argument, uint64_t begin, uint64_t end,
                                        uint32_t thread) {
  (void)thread;
  const npu_operands_t* o = argument;
  const npu_instruction_t* i = o->instruction;
  for (uint64_t unit = begin; unit < end; ++unit) { /* a row of the output */
    const float* in = o->input + unit / i->iw * i->ih * i->iw + unit % i->iw;
    float* out = o->output + unit * i->ih;
    for (uint32_t k = 0; k < i->ih; ++k) out[k] = in[(uint64_t)k * i->iw];
  }
  return ARMNN_STATUS_OK;
}

void npu_run_instruction(const npu_operands_t* operands) {
  const npu_instruction_t* i = operands->instruction;
  const uint64_t elements = (uint64_t)i->n * i->ih * i->iw * i->ic;
  const uint64_t grain = 1 << 14;
  switch (i->op) {
    case NPU_OP_CONVOLUTION:
      npu_run_convolution(operands);
      break;
    case NPU_OP_DEPTHWISE:
      npu_parallel(operands->host, depthwise_rows, operands, (uint64_t)i->n * i->oh, 1);
      break;
    case NPU_OP_POOL_MAX:
    case NPU_OP_POOL_AVERAGE:
      npu_parallel(operands->host, pool_rows, operands, (uint64_t)i->n * i->oh, 1);
      break;
    case NPU_OP_ADD:
      npu_parallel(operands->host, add_range, operands, elements, grain);
      break;
    case NPU_OP_ADD_ROWS:
      npu_parallel(operands->host, add_rows_range, operands, (uint64_t)i->n * i->ic,
                   grain / (i->iw < grain ? i->iw : grain));
      break;
    case NPU_OP_CLAMP:
      npu_parallel(operands->host, clamp_range, operands, elements, grain);
      break;
    case NPU_OP_TRANSPOSE:
      npu_parallel(operands->host, transpose_columns, operands, (uint64_t)i->n * i->iw, 16);
      break;
    default: /* npu_program_is_sound lets no other through */
      break;
  }
}
