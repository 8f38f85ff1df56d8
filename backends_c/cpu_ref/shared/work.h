/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * work.h - cutting work into items for the host's threads, and stopping when the host says so.
 */
#ifndef ARMNN_CPU_REF_WORK_H_
#define ARMNN_CPU_REF_WORK_H_

#include "armnn/backend_kit.h"

/* Operations below which a piece of work is not worth another thread. */
#define ARMNN_REF_GRAIN UINT64_C(32768)

/* Items of |operations| each that one thread takes at least. */
static inline uint64_t armnn_i_ref_grain(uint64_t operations) {
  return operations >= ARMNN_REF_GRAIN ? 1 : ARMNN_REF_GRAIN / (operations + 1) + 1;
}

static inline int armnn_i_ref_cancelled(const armnn_kernel_call_t* call) {
  const armnn_host_t* host = call->host;
  return host != NULL && ARMNN_HAS_FN(host, armnn_host_t, cancelled) &&
         host->cancelled(host->context, call->run_id) != 0;
}

/* parallel_for over items whose body skips what is left once armnn_i_ref_cancelled says so. */
static inline armnn_status_t armnn_i_ref_run(const armnn_kernel_call_t* call, armnn_range_fn_t body,
                                             void* argument, uint64_t count, uint64_t operations,
                                             armnn_error_t* error) {
  armnn_status_t status =
      armnn_parallel_for(call->host, body, argument, count, armnn_i_ref_grain(operations), 0);
  if (status == ARMNN_STATUS_OK && armnn_i_ref_cancelled(call)) {
    return armnn_fail(error, ARMNN_STATUS_CANCELLED, "the run was cancelled");
  }
  return status;
}

#endif /* ARMNN_CPU_REF_WORK_H_ */
