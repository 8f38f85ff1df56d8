/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * memories.c - inputs and outputs of a run that lie behind descriptors: when the host may touch
 * them, and when their memory is handed to backends.
 */
#include <errno.h>
#include <linux/dma-buf.h>
#include <string.h>
#include <sys/ioctl.h>

#include "core.h"

static bool is_input(const armnn_context_t* context, uint32_t number) {
  return number < context->plan->input_count;
}

static const char* side_of(const armnn_context_t* context, uint32_t number) {
  return is_input(context, number) ? "input" : "output";
}

static uint32_t index_of(const armnn_context_t* context, uint32_t number) {
  return is_input(context, number) ? number : number - context->plan->input_count;
}

static void* address_of(const armnn_context_t* context, uint32_t number) {
  const armnn_run_t* run = context->run;
  const uint32_t index = index_of(context, number);
  return is_input(context, number) ? (void*)(uintptr_t)run->inputs[index] : run->outputs[index];
}

/* Makes caches of processor and devices agree, before and after the host touches a dma-buf. */
static armnn_status_t synchronise(const armnn_context_t* context, uint32_t number, uint64_t edge,
                                  armnn_error_t* error) {
  const armnn_memory_t* memory = context->run->memories[number]->memory;
  const uint64_t access = is_input(context, number) ? DMA_BUF_SYNC_READ : DMA_BUF_SYNC_WRITE;
  struct dma_buf_sync sync = {.flags = access | edge};
  int answer;
  if (memory->source != ARMNN_MEMORY_SOURCE_DMA_BUF) return ARMNN_STATUS_OK;
  do {
    answer = ioctl(memory->fd, DMA_BUF_IOCTL_SYNC, &sync);
  } while (answer != 0 && (errno == EINTR || errno == EAGAIN));
  if (answer == 0) return ARMNN_STATUS_OK;
  return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "%s %u of the run: DMA_BUF_IOCTL_SYNC: %s",
                      side_of(context, number), index_of(context, number), strerror(errno));
}

armnn_status_t armnn_i_await_ready(armnn_context_t* context, uint32_t number,
                                   armnn_error_t* error) {
  armnn_i_external_t* external = &context->externals[number];
  armnn_fence_t* ready = context->run->memories[number]->memory->ready;
  if (ready == NULL || external->is_ready) return ARMNN_STATUS_OK;
  const armnn_status_t status = armnn_i_await(context->run, ready, error);
  external->is_ready = status == ARMNN_STATUS_OK;
  return status;
}

armnn_status_t armnn_i_open_memory(armnn_context_t* context, uint32_t number,
                                   armnn_error_t* error) {
  armnn_i_external_t* external = &context->externals[number];
  const armnn_run_memory_t* memory = context->run->memories[number];
  if (external->is_open || external->size == 0) return ARMNN_STATUS_OK;
  if (memory->memory->address == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_INVALID_ARGUMENT,
                        "%s %u of the run cannot be mapped, and not all who use it import it",
                        side_of(context, number), index_of(context, number));
  }
  const bool is_strided = memory->memory->byte_strides[0] != 0;
  if (is_strided && context->run->strict != 0) {
    return armnn_i_fail(error, ARMNN_STATUS_UNSUPPORTED,
                        "%s %u of the run has strides, so that it would have to be copied",
                        side_of(context, number), index_of(context, number));
  }
  armnn_status_t status = armnn_i_await_ready(context, number, error);
  if (status == ARMNN_STATUS_OK) status = synchronise(context, number, DMA_BUF_SYNC_START, error);
  if (status != ARMNN_STATUS_OK) return status;
  external->is_open = true;
  if (!is_input(context, number)) return ARMNN_STATUS_OK;
  if (is_strided) {
    armnn_i_copy_strided(memory, address_of(context, number), false);
    ++context->run->copies;
    context->run->copied_bytes += external->size;
  }
  if (external->is_staged) {
    memcpy(external->staging, address_of(context, number), (size_t)external->size);
    ++context->run->copies;
    context->run->copied_bytes += external->size;
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_end_memories(armnn_context_t* context, armnn_status_t status,
                                    armnn_error_t* error) {
  const armnn_plan_t* plan = context->plan;
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  for (uint32_t i = 0; i < plan->input_count + plan->output_count; ++i) {
    armnn_i_external_t* external = &context->externals[i];
    if (context->run->memories[i] == NULL || !external->is_open) continue;
    const armnn_run_memory_t* memory = context->run->memories[i];
    if (!is_input(context, i) && memory->memory->byte_strides[0] != 0 &&
        status == ARMNN_STATUS_OK) {
      armnn_i_copy_strided(memory, address_of(context, i), true);
      ++context->run->copies;
      context->run->copied_bytes += external->size;
    }
    external->is_open = false;
    const armnn_status_t answer =
        synchronise(context, i, DMA_BUF_SYNC_END, status == ARMNN_STATUS_OK ? error : &ignored);
    if (status == ARMNN_STATUS_OK) status = answer;
  }
  return status;
}
