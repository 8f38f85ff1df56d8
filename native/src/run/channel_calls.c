/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * channel_calls.c - copies of the tensors of a channel's calls, oldest first, for a recording.
 */
#include "channel_calls.h"

#include <stdlib.h>
#include <string.h>

struct kept_call_t {
  kept_call_t* next;
  int32_t status;
  uint64_t input_size, output_size;
  char bytes[]; /* of inputs, then outputs: one tensor after the other */
};

void armnn_i_calls_open(channel_calls_t* calls, const armnn_channel_tensor_t* tensors,
                        uint32_t input_count, uint32_t output_count) {
  calls->tensors = tensors;
  calls->input_count = input_count;
  calls->output_count = output_count;
  pthread_mutex_init(&calls->lock, NULL);
}

void armnn_i_calls_close(channel_calls_t* calls) {
  while (calls->first != NULL) {
    kept_call_t* call = calls->first;
    calls->first = call->next;
    free(call);
  }
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

kept_call_t* armnn_i_calls_begin(channel_calls_t* calls, const armnn_execute_args_t* args,
                                 uint64_t most_bytes) {
  const uint64_t input_size = size_of(calls->tensors, calls->input_count);
  const uint64_t output_size = size_of(calls->tensors + calls->input_count, calls->output_count);
  pthread_mutex_lock(&calls->lock);
  const bool has_room = calls->bytes + input_size + output_size <= most_bytes;
  pthread_mutex_unlock(&calls->lock);
  if (!has_room) return NULL;
  kept_call_t* call = calloc(1, sizeof *call + input_size + output_size);
  if (call == NULL) return NULL;
  call->input_size = input_size;
  call->output_size = output_size;
  copy(call->bytes, calls->tensors, calls->input_count, args->inputs);
  return call;
}

void armnn_i_calls_end(channel_calls_t* calls, kept_call_t* call, const armnn_execute_args_t* args,
                       armnn_status_t status) {
  if (call == NULL) return;
  call->status = status;
  if (status == ARMNN_STATUS_OK) {
    copy(call->bytes + call->input_size, calls->tensors + calls->input_count, calls->output_count,
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

static kept_call_t* take(channel_calls_t* calls) {
  pthread_mutex_lock(&calls->lock);
  kept_call_t* call = calls->first;
  if (call != NULL) {
    calls->first = call->next;
    calls->bytes -= call->input_size + call->output_size;
  }
  pthread_mutex_unlock(&calls->lock);
  return call;
}

int32_t armnn_i_calls_take(channel_calls_t* calls, armnn_channel_call_t* out) {
  kept_call_t* call = take(calls);
  if (call == NULL) return 0;
  out->call = call;
  out->inputs = call->bytes;
  out->input_size = call->input_size;
  out->outputs = call->bytes + call->input_size;
  out->output_size = call->status == ARMNN_STATUS_OK ? call->output_size : 0;
  out->status = call->status;
  return 1;
}

void armnn_channel_free_call(armnn_channel_call_t* call) {
  free(call->call);
  call->call = NULL;
}
