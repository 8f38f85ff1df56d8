/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * host_pool.h - pthreadpool's functions on the threads of the host.
 *
 * XNNPACK knows threads through pthreadpool alone, a C interface over an opaque type. The library
 * made of host_pool.c exports the same functions and is asked before the real libpthreadpool,
 * because the backend needs it directly and XNNPACK's copy is one step further away. Then XNNPACK
 * starts no thread, obeys the number of threads that the user sets, and any number of runs use the
 * pool at once. Where another library of the process has bound XNNPACK to the real one before, that
 * order is lost: host_pool_serial_calls tells, and the backend computes on the caller's thread.
 */
#ifndef ARMNN_XNNPACK_HOST_POOL_H_
#define ARMNN_XNNPACK_HOST_POOL_H_

#include <pthreadpool.h>

#include "armnn/backend_api.h"

/* What a pthreadpool_t of ours points to: no state, so that many runs may share it. */
struct pthreadpool {
  const armnn_host_t* host;
};

/* How many loops without a pool this library was asked for so far. */
__attribute__((visibility("default"))) uint64_t host_pool_serial_calls(void);

#endif /* ARMNN_XNNPACK_HOST_POOL_H_ */
