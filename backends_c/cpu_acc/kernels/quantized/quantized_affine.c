/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_affine.c - bytes as real numbers, times a scale and plus a shift of each channel, as
 * bytes again: what three kernels do one after another, without real numbers in memory.
 */
#include "quantized_steps.h"

enum { BLOCK = 2 * VF_LANES };

typedef armnn_i_acc_affine_job_t job_t;

/* What all channels have in common. */
typedef struct numbers_t {
  vi_t flip, offset;
  vf_t scale;
  steps_t steps;
} numbers_t;

ACC_INLINE void convert(const numbers_t* numbers, const uint8_t* in, uint8_t* out,
                        const float* scales, const float* shifts) {
  vi_t stored_numbers[2];
  UNROLLED for (int v = 0; v < 2; ++v) {
    const vi_t number = vi_xor(vi_load_bytes(in + v * VF_LANES), numbers->flip);
    const vf_t real = vf_mul(numbers->scale, vf_of_vi(vi_sub(number, numbers->offset)));
    const vf_t result =
        vf_fma(real, vf_load(scales + v * VF_LANES), vf_load(shifts + v * VF_LANES));
    stored_numbers[v] = stored(result, &numbers->steps);
  }
  vi_store_bytes(out, stored_numbers[0], stored_numbers[1]);
}

void ACC_NAME(armnn_s8_affine)(const job_t* job);
void ACC_NAME(armnn_s8_affine)(const job_t* job) {
  const numbers_t numbers = {.flip = vi_set(job->flip),
                             .offset = vi_set(job->offset),
                             .scale = vf_set(job->in_scale),
                             .steps = steps_of(job->out_scale, &job->store)};
  const size_t channels = job->channels, whole = channels / BLOCK * BLOCK;
  for (size_t r = 0; r < job->rows; ++r) {
    const uint8_t* in = job->input + (ptrdiff_t)r * job->input_row;
    uint8_t* out = job->output + (ptrdiff_t)r * job->output_row;
    for (size_t c = 0; c < whole; c += BLOCK) {
      convert(&numbers, in + c, out + c, job->scales + c, job->shifts + c);
    }
    if (whole == channels) continue;
    uint8_t bytes[BLOCK] = {0};
    memcpy(bytes, in + whole, channels - whole);
    convert(&numbers, bytes, bytes, job->scales + whole, job->shifts + whole);
    memcpy(out + whole, bytes, channels - whole);
  }
}
