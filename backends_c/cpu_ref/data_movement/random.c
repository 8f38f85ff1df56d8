/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * random.c - RANDOM: numbers of a counter, so that each has its value whichever thread makes it.
 *
 * Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
 * (2011). Real functions are of double precision: only their last bit depends on the C library.
 */
#include <math.h>

#include "kernels.h"
#include "shared/work.h"

enum { WORDS = 4, ROUNDS = 10 };

typedef struct random_job_t {
  float* out;
  uint64_t count, seed, run;
  uint32_t stream;
  int normal;
} random_job_t;

static void philox(const random_job_t* job, uint64_t block, uint32_t* words) {
  uint32_t low = (uint32_t)job->seed, high = (uint32_t)(job->seed >> 32);
  words[0] = (uint32_t)block;
  words[1] = job->stream;
  words[2] = (uint32_t)job->run;
  words[3] = (uint32_t)(job->run >> 32);
  for (int round = 0; round < ROUNDS; ++round) {
    const uint64_t first = UINT64_C(0xD2511F53) * words[0];
    const uint64_t second = UINT64_C(0xCD9E8D57) * words[2];
    words[0] = (uint32_t)(second >> 32) ^ words[1] ^ low;
    words[1] = (uint32_t)second;
    words[2] = (uint32_t)(first >> 32) ^ words[3] ^ high;
    words[3] = (uint32_t)first;
    low += UINT32_C(0x9E3779B9);
    high += UINT32_C(0xBB67AE85);
  }
}

/* Two normal numbers of two words, by Box and Muller. */
static void normal_pair(const uint32_t* words, float* out) {
  const double size = sqrt(-2.0 * log(((double)words[0] + 1.0) * 0x1p-32));
  const double angle = (double)words[1] * (6.283185307179586476925 * 0x1p-32);
  out[0] = (float)(size * cos(angle));
  out[1] = (float)(size * sin(angle));
}

static armnn_status_t fill_blocks(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const random_job_t* job = (const random_job_t*)argument;
  for (uint64_t block = begin; block < end; ++block) {
    uint32_t words[WORDS];
    float numbers[WORDS];
    philox(job, block, words);
    if (job->normal) {
      normal_pair(words, numbers);
      normal_pair(words + 2, numbers + 2);
    } else {
      for (int i = 0; i < WORDS; ++i) numbers[i] = (float)(words[i] >> 8) * 0x1p-24f;
    }
    const uint64_t first = block * WORDS, left = job->count - first;
    for (uint64_t i = 0; i < (left < WORDS ? left : WORDS); ++i) job->out[first + i] = numbers[i];
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_random__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_random_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_random_descriptor_t);
  const int64_t* state = ARMNN_IN(call, 1, int64_t);
  random_job_t job = {.out = ARMNN_OUT(call, 0, float),
                      .count = ARMNN_COUNT(call),
                      .seed = (uint64_t)state[0],
                      .run = (uint64_t)state[1],
                      .stream = d->stream,
                      .normal = d->distribution == ARMNN_RANDOM_NORMAL};
  const uint64_t blocks = (job.count + WORDS - 1) / WORDS;
  return armnn_i_ref_run(call, fill_blocks, &job, blocks, job.normal ? 256 : 64, error);
}
