/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * main.c - armnn_probe NONCE MILLISECONDS REPORT_FD STAGES_FD FILE_FD PATH
 *
 * Takes the backend in FILE_FD through loading, in a child process with a time limit, once there is
 * a byte on standard input; at its end without one the program ends, too. A line for
 * each stage that it enters goes to STAGES_FD, a pipe that is read when all is over, so that nobody
 * wakes up for them; the report goes to REPORT_FD: lines of a word and its values, the last one
 * "end NONCE".
 */
#define _GNU_SOURCE /* clock_gettime */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "probe.h"

/* Where the address sanitizer is in this process, built in or preloaded: what a vendor's code
 * leaves allocated is no matter of this program. */
__attribute__((visibility("default"))) const char* __asan_default_options(void);
const char* __asan_default_options(void) { return "detect_leaks=0"; }

const char* probe_stage_name(uint32_t stage) {
  static const char* const names[] = {
#define PROBE_STAGE(name) #name,
      PROBE_STAGES(PROBE_STAGE)
#undef PROBE_STAGE
  };
  return stage < PROBE_STAGE_COUNT ? names[stage] : "unknown";
}

uint64_t probe_now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int count, char** arguments) {
  if (count != 7) {
    fprintf(stderr,
            "usage: %s NONCE MILLISECONDS REPORT_FD STAGES_FD FILE_FD PATH\n"
            "armnn_py starts it to try a backend; by hand use 'armnn-py backends check FILE'\n",
            count > 0 ? arguments[0] : "armnn_probe");
    return 2;
  }
  const probe_job_t job = {
      .nonce = strtoull(arguments[1], NULL, 16),
      .limit_ns = strtoull(arguments[2], NULL, 10) * 1000000u,
      .report = atoi(arguments[3]),
      .stages = atoi(arguments[4]),
      .file = atoi(arguments[5]),
      .path = arguments[6],
  };
  return probe_supervise(&job);
}
