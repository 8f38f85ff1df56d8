/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * clock.c - the time since the machine was started.
 */
#define _GNU_SOURCE /* CLOCK_MONOTONIC_COARSE */
#include <time.h>

#include "core.h"

static uint64_t read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t armnn_i_now_ns(void) { return read_clock(CLOCK_MONOTONIC); }

uint64_t armnn_i_coarse_now_ns(void) { return read_clock(CLOCK_MONOTONIC_COARSE); }
