/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * channel_calls.h - the calls of a channel that are kept for a recording.
 */
#ifndef ARMNN_CHANNEL_CALLS_H_
#define ARMNN_CHANNEL_CALLS_H_

#include <pthread.h>

#include "core.h"

typedef struct channel_calls_t {
  const armnn_channel_tensor_t* tensors; /* of the channel: inputs, then outputs */
  uint32_t input_count, output_count;
  _Atomic uint64_t most_bytes; /* 0: only the call in which the worker ended is kept */
  pthread_mutex_t lock;        /* of what follows: a run adds at the end, another thread takes */
  armnn_channel_call_t* first;
  armnn_channel_call_t* last;
  uint64_t bytes;
} channel_calls_t;

void armnn_i_calls_close(channel_calls_t* calls);
/* Copies the inputs of a call. Null: memory is out, or there is no room left. */
armnn_channel_call_t* armnn_i_calls_begin(channel_calls_t* calls, const armnn_execute_args_t* args,
                                          uint64_t most_bytes);
/* Adds a call, which may be null, with its outputs if |status| is OK. */
void armnn_i_calls_end(channel_calls_t* calls, armnn_channel_call_t* call,
                       const armnn_execute_args_t* args, armnn_status_t status);
/* Takes the oldest call; null if none is kept. */
armnn_channel_call_t* armnn_i_calls_take(channel_calls_t* calls);

#endif /* ARMNN_CHANNEL_CALLS_H_ */
