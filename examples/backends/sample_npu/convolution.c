/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convolution.c - CONVOLUTION: the matrix unit of the device, played by vectors of the processor.
 *
 * Weights lie as [group][block of 16 output channels][ky][kx][input channel][16]. One unit of work
 * is a row of one block; four neighbouring pixels are computed at once, so that each weight that is
 * read serves four of them. A pixel outside the image reads zeros, which lie behind the bias.
 */
#include "npu.h"

enum { PIXELS = 4 };

typedef float vector_t __attribute__((vector_size(32), aligned(4), may_alias));

/* Everything is inlined into two functions, one of which may use AVX2. */
static inline __attribute__((always_inline)) void store_pixel(const npu_operands_t* o,
                                                              const float* sums, const float* bias,
                                                              uint64_t at, uint32_t channels) {
  for (uint32_t c = 0; c < channels; ++c) {
    float value = sums[c] + bias[c];
    if (o->second != NULL) value += o->second[at + c];
    o->output[at + c] = npu_clamp(o->instruction, value);
  }
}

static inline __attribute__((always_inline)) void row(const npu_operands_t* o, uint64_t unit) {
  const npu_instruction_t* i = o->instruction;
  const uint32_t in_group = i->ic / i->groups, out_group = i->oc / i->groups;
  const uint32_t blocks = (out_group + NPU_BLOCK - 1) / NPU_BLOCK;
  const uint32_t block = (uint32_t)(unit % (i->groups * blocks));
  const uint64_t image_row = unit / (i->groups * blocks);
  const uint32_t y = (uint32_t)(image_row % i->oh), group = block / blocks;
  const uint32_t first = (block % blocks) * NPU_BLOCK; /* channel within the group */
  const uint32_t channels = out_group - first < NPU_BLOCK ? out_group - first : NPU_BLOCK;
  const uint64_t image = image_row / i->oh * i->ih * i->iw * i->ic + (uint64_t)group * in_group;
  const float* weights = o->weights + (uint64_t)block * i->kh * i->kw * in_group * NPU_BLOCK;
  const float* zeros = o->bias + i->oc;
  for (uint32_t x = 0; x < i->ow; x += PIXELS) {
    vector_t sums[PIXELS][2] = {{{0}}};
    for (uint32_t ky = 0; ky < i->kh; ++ky) {
      const int64_t iy = (int64_t)y * i->stride_y + (int64_t)ky * i->dilation_y - i->pad_top;
      if (iy < 0 || iy >= i->ih) continue;
      for (uint32_t kx = 0; kx < i->kw; ++kx) {
        const float* in[PIXELS];
        for (uint32_t p = 0; p < PIXELS; ++p) {
          const int64_t ix =
              (int64_t)(x + p) * i->stride_x + (int64_t)kx * i->dilation_x - i->pad_left;
          const bool inside = x + p < i->ow && ix >= 0 && ix < i->iw;
          in[p] = inside ? o->input + image + (uint64_t)(iy * i->iw + ix) * i->ic : zeros;
        }
        const float* w = weights + ((uint64_t)ky * i->kw + kx) * in_group * NPU_BLOCK;
        for (uint32_t c = 0; c < in_group; ++c, w += NPU_BLOCK) {
          const vector_t w0 = *(const vector_t*)w, w1 = *(const vector_t*)(w + 8);
          for (uint32_t p = 0; p < PIXELS; ++p) {
            sums[p][0] += w0 * in[p][c];
            sums[p][1] += w1 * in[p][c];
          }
        }
      }
    }
    const uint32_t channel = group * out_group + first;
    for (uint32_t p = 0; p < PIXELS && x + p < i->ow; ++p) {
      float values[NPU_BLOCK];
      *(vector_t*)values = sums[p][0];
      *(vector_t*)(values + 8) = sums[p][1];
      store_pixel(o, values, o->bias + channel, (image_row * i->ow + x + p) * i->oc + channel,
                  channels);
    }
  }
}

static armnn_status_t rows_any(void* argument, uint64_t begin, uint64_t end, uint32_t thread) {
  (void)thread;
  for (uint64_t unit = begin; unit < end; ++unit) row(argument, unit);
  return ARMNN_STATUS_OK;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static armnn_status_t rows_avx2(void* argument, uint64_t begin,
                                                                    uint64_t end, uint32_t thread) {
  (void)thread;
  for (uint64_t unit = begin; unit < end; ++unit) row(argument, unit);
  return ARMNN_STATUS_OK;
}
#endif

/* An instruction above the baseline only after the host said that the processor has it. */
static armnn_range_fn_t choose(const armnn_host_t* host) {
#if defined(__x86_64__)
  const uint64_t wanted = ARMNN_CPU_X86_AVX2 | ARMNN_CPU_X86_FMA;
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, cpu_features) &&
      (host->cpu_features(host->context) & wanted) == wanted) {
    return rows_avx2;
  }
#else
  (void)host;
#endif
  return rows_any;
}

void npu_run_convolution(const npu_operands_t* operands) {
  const npu_instruction_t* i = operands->instruction;
  const uint32_t blocks = (i->oc / i->groups + NPU_BLOCK - 1) / NPU_BLOCK;
  npu_parallel(operands->host, choose(operands->host), operands,
               (uint64_t)i->n * i->oh * i->groups * blocks, 1);
}
