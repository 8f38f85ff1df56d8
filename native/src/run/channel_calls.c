/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * channel_calls.c - copies of the tensors of a channel's calls, oldest first, for a recording.
 */
#include "channel_calls.h"

#include <stdlib.h>
#include <string.h>

void armnn_i_calls_close(channel_calls_t* calls) {
  armnn_channel_call_t* call;
  while ((call = armnn_i_calls_take(calls)) != NULL) armnn_channel_free_call(call);
  pthread_mutex_destroy(&calls->lock);
}

static uint64_t size_of(const armnn_channel_tensor_t* tensors, uint32_t count) {
  uint64_t size = 0;
  for (uint32_t index = 0; index < count; ++index) size += tensors[index].size;
  return size;
}

/* A tensor without an address, one that no layer reads, is kept as zeros. */
static void copy(char* to, const armnn_channel_tensor_t* tensors, uint32_t count,
                 const void* const* addresses) {
  for (uint32_t index = 0; index < count; ++index) {
    const uint64_t size = tensors[index].size;
    if (size != 0 && addresses[index] != NULL) memcpy(to, addresses[index], size);
    to += size;
  }
}

/* Behind a call lie the tensors of its inputs, then those of its outputs. */
armnn_channel_call_t* armnn_i_calls_begin(channel_calls_t* calls, const armnn_execute_args_t* args,
                                          uint64_t most_bytes) {
  const uint64_t input_size = size_of(calls->tensors, calls->input_count);
  const uint64_t output_size = size_of(calls->tensors + calls->input_count, calls->output_count);
  pthread_mutex_lock(&calls->lock);
  const bool has_room = calls->bytes + input_size + output_size <= most_bytes;
  pthread_mutex_unlock(&calls->lock);
  if (!has_room) return NULL;
  armnn_channel_call_t* call = calloc(1, sizeof *call + input_size + output_size);
  if (call == NULL) return NULL;
  char* bytes = (char*)(call + 1);
  call->inputs = bytes;
  call->input_size = input_size;
  call->outputs = bytes + input_size;
  copy(bytes, calls->tensors, calls->input_count, args->inputs);
  return call;
}

void armnn_i_calls_end(channel_calls_t* calls, armnn_channel_call_t* call,
                       const armnn_execute_args_t* args, armnn_status_t status) {
  if (call == NULL) return;
  call->status = status;
  if (status == ARMNN_STATUS_OK) {
    const armnn_channel_tensor_t* outputs = calls->tensors + calls->input_count;
    call->output_size = size_of(outputs, calls->output_count);
    copy((char*)(call + 1) + call->input_size, outputs, calls->output_count,
         (const void* const*)args->outputs);
  }
  pthread_mutex_lock(&calls->lock);
  if (calls->first == NULL) {
    calls->first = call;
  } else {
    calls->last->next = call;
  }
  calls->last = call;
  calls->bytes += call->input_size + call->output_size;
  pthread_mutex_unlock(&calls->lock);
}

armnn_channel_call_t* armnn_i_calls_take(channel_calls_t* calls) {
  pthread_mutex_lock(&calls->lock);
  armnn_channel_call_t* call = calls->first;
  if (call != NULL) {
    calls->first = call->next;
    calls->bytes -= call->input_size + call->output_size;
  }
  pthread_mutex_unlock(&calls->lock);
  return call;
}

void armnn_channel_free_call(armnn_channel_call_t* call) { free(call); }
