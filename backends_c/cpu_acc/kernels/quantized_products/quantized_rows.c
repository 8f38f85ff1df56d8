/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_rows.c - pixels of images become what products read: levels of 16 bits, or bytes.
 */
#include "kernels/quantized/quantized.h"
#include "kernels/simd/simd.h"

/* All pixels as one, where they lie in one run. */
ACC_INLINE armnn_i_acc_levels_of_t joined(const armnn_i_acc_levels_of_t* job) {
  armnn_i_acc_levels_of_t all = *job;
  if (job->width != job->channels || job->input_step != (ptrdiff_t)job->channels) return all;
  all.channels = all.width = job->pixels * job->channels;
  all.pixels = 1;
  return all;
}

void ACC_NAME(armnn_s8_levels)(const armnn_i_acc_levels_of_t* given);
void ACC_NAME(armnn_s8_levels)(const armnn_i_acc_levels_of_t* given) {
  const armnn_i_acc_levels_of_t job = joined(given);
  const uint8_t flip = job.flip;
  const int16_t offset = job.offset;
  const uint8_t* in = job.input;
  int16_t* out = job.output;
  for (size_t p = 0; p < job.pixels; ++p, in += job.input_step, out += job.width) {
    for (size_t c = 0; c < job.channels; ++c) out[c] = (int16_t)((in[c] ^ flip) - offset);
    for (size_t c = job.channels; c < job.width; ++c) out[c] = 0;
  }
}

/* What most numbers of channels are multiples of. */
typedef uint8_t piece_t __attribute__((vector_size(16)));

void ACC_NAME(armnn_s8_bytes)(const armnn_i_acc_levels_of_t* given);
void ACC_NAME(armnn_s8_bytes)(const armnn_i_acc_levels_of_t* given) {
  const armnn_i_acc_levels_of_t job = joined(given);
  const uint8_t flip = job.flip;
  const size_t channels = job.channels, width = job.width, input_step = (size_t)job.input_step;
  const uint8_t* in = job.input;
  uint8_t* out = job.output;
  for (size_t p = 0; p < job.pixels; ++p, in += input_step, out += width) {
    size_t c = 0;
    for (; c + sizeof(piece_t) <= channels; c += sizeof(piece_t)) {
      piece_t piece;
      memcpy(&piece, in + c, sizeof piece);
      piece ^= flip;
      memcpy(out + c, &piece, sizeof piece);
    }
    for (; c < channels; ++c) out[c] = (uint8_t)(in[c] ^ flip);
    for (; c < width; ++c) out[c] = 0;
  }
}
