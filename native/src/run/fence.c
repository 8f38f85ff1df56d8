/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fence.c - fences over descriptors, how a run waits for one, and the steps of a plan that make
 * fences of backends and wait for them.
 */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core.h"

/* How long a run waits before it looks whether it should stop. */
#define SLICE_NS UINT64_C(10000000)
#define NS_PER_MS 1000000u

typedef struct fd_fence_t {
  armnn_fence_t base;
  int fd;
} fd_fence_t;

static void fd_destroy(armnn_fence_t* fence) {
  close(((fd_fence_t*)fence)->fd);
  free(fence);
}

static int32_t fd_get(armnn_fence_t* fence) { return ((fd_fence_t*)fence)->fd; }

/* A sync-file says whether the work behind it went well; an eventfd does not. */
static armnn_status_t fd_result(const armnn_fence_t* fence, armnn_error_t* error) {
  struct sync_file_info info;
  if (fence->api->kind != ARMNN_FENCE_SYNC_FILE) return ARMNN_STATUS_OK;
  memset(&info, 0, sizeof info);
  if (ioctl(((const fd_fence_t*)fence)->fd, SYNC_IOC_FILE_INFO, &info) != 0) {
    return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "the sync-file cannot be asked: %s",
                        strerror(errno));
  }
  if (info.status >= 0) return ARMNN_STATUS_OK;
  return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "the work behind the sync-file failed: %s",
                      strerror(-info.status));
}

static armnn_status_t fd_wait(armnn_fence_t* fence, uint64_t timeout_ns, armnn_error_t* error) {
  const uint64_t begin = armnn_i_now_ns();
  for (;;) {
    const uint64_t passed = armnn_i_now_ns() - begin;
    const uint64_t left = timeout_ns > passed ? timeout_ns - passed : 0;
    const uint64_t milliseconds = left / NS_PER_MS + (left % NS_PER_MS != 0);
    struct pollfd item = {.fd = ((fd_fence_t*)fence)->fd, .events = POLLIN};
    const int answer = poll(&item, 1, milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
    if (answer > 0 && (item.revents & POLLIN) != 0) return fd_result(fence, error);
    if (answer > 0 || (answer < 0 && errno != EINTR && errno != EAGAIN)) {
      return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "the fence's descriptor cannot be polled");
    }
    if (left == 0) return ARMNN_STATUS_TIMEOUT;
  }
}

static const armnn_fence_api_t eventfd_api = {
    .header = {sizeof(armnn_fence_api_t), ARMNN_STRUCT_FENCE},
    .kind = ARMNN_FENCE_EVENTFD,
    .destroy = fd_destroy,
    .wait = fd_wait,
    .get_fd = fd_get,
};
static const armnn_fence_api_t sync_file_api = {
    .header = {sizeof(armnn_fence_api_t), ARMNN_STRUCT_FENCE},
    .kind = ARMNN_FENCE_SYNC_FILE,
    .destroy = fd_destroy,
    .wait = fd_wait,
    .get_fd = fd_get,
};

armnn_fence_t* armnn_core_fd_fence(int32_t fd, int32_t kind) {
  fd_fence_t* fence = (fd_fence_t*)calloc(1, sizeof *fence);
  if (fence == NULL) return NULL;
  fence->base.api = kind == ARMNN_FENCE_SYNC_FILE ? &sync_file_api : &eventfd_api;
  fence->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (fence->fd >= 0) return &fence->base;
  free(fence);
  return NULL;
}

void armnn_core_fence_destroy(armnn_fence_t* fence) {
  if (fence != NULL) fence->api->destroy(fence);
}

armnn_status_t armnn_i_await(armnn_run_t* run, armnn_fence_t* fence, armnn_error_t* error) {
  for (;;) {
    const armnn_status_t status = fence->api->wait(fence, SLICE_NS, error);
    if (status != ARMNN_STATUS_TIMEOUT) return status;
    armnn_i_error_clear(error); /* what a backend says of a time that is over */
    const armnn_status_t stopped = armnn_i_look(run);
    if (stopped != ARMNN_STATUS_OK) return stopped;
  }
}

/* ---- Steps --------------------------------------------------------------------------------- */

/* Whether a backend's fence can be used. */
static armnn_status_t check_fence(const armnn_fence_t* fence, armnn_error_t* error) {
  const armnn_fence_api_t* api = fence == NULL ? NULL : fence->api;
  const char* problem = NULL;
  if (fence == NULL) {
    problem = "it gave no fence";
  } else if (api == NULL || api->header.struct_type != ARMNN_STRUCT_FENCE) {
    problem = "its fence has no table of a fence";
  } else if (!ARMNN_HAS_FN(api, armnn_fence_api_t, wait) ||
             !ARMNN_HAS_FN(api, armnn_fence_api_t, destroy)) {
    problem = "its fence lacks 'wait' or 'destroy'";
  } else if (api->kind < ARMNN_FENCE_OBJECT || api->kind > ARMNN_FENCE_SYNC_FILE) {
    problem = "the kind of its fence is unknown";
  } else if (api->kind != ARMNN_FENCE_OBJECT && !ARMNN_HAS_FN(api, armnn_fence_api_t, get_fd)) {
    problem = "its fence says that it has a descriptor, and lacks 'get_fd'";
  }
  if (problem == NULL) return ARMNN_STATUS_OK;
  return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "signal_fence: it answered OK but %s", problem);
}

armnn_status_t armnn_i_signal_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                      armnn_error_t* error) {
  const armnn_i_fence_step_t* step = (const armnn_i_fence_step_t*)workload;
  const armnn_backend_context_api_t* api = step->backend_context->api;
  armnn_fence_t* fence = NULL;
  armnn_status_t status = api->signal_fence(step->backend_context, step->network_id,
                                            args->execution_data, &fence, error);
  if (status == ARMNN_STATUS_UNSUPPORTED) {
    armnn_i_error_clear(error);
    return api->after_enqueue_workload(step->backend_context, step->network_id,
                                       args->execution_data, error);
  }
  if (status == ARMNN_STATUS_OK) status = check_fence(fence, error);
  if (status == ARMNN_STATUS_OK) step->context->fences[step->fence] = fence;
  return status;
}

armnn_status_t armnn_i_wait_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                    armnn_error_t* error) {
  const armnn_i_fence_step_t* step = (const armnn_i_fence_step_t*)workload;
  armnn_fence_t* fence = step->context->fences[step->fence];
  if (fence == NULL) return ARMNN_STATUS_OK; /* its row was done at once */
  if (step->backend_context != NULL) {
    const armnn_status_t status = step->backend_context->api->wait_fence(
        step->backend_context, step->network_id, args->execution_data, fence, error);
    if (status != ARMNN_STATUS_UNSUPPORTED) return status;
    armnn_i_error_clear(error);
  }
  return armnn_i_await(step->context->run, fence, error);
}

void armnn_i_drain(armnn_context_t* context, uint32_t begun) {
  const armnn_plan_t* plan = context->plan;
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  /* One queue may wait for something that will not come any more: all are told to stop. */
  armnn_i_flight_cancel(context->flight);
  for (uint32_t i = 0; i < plan->step_count; ++i) {
    const armnn_i_plan_step_t* step = &plan->steps[i];
    if (step->kind != ARMNN_PLAN_STEP_SIGNAL || step->row >= begun) continue;
    bool is_first = true; /* of this queue */
    for (uint32_t k = 0; k < i && is_first; ++k) {
      is_first = plan->steps[k].kind != ARMNN_PLAN_STEP_SIGNAL ||
                 plan->steps[k].wait.backend_context != step->wait.backend_context ||
                 plan->steps[k].execution_data_index != step->execution_data_index;
    }
    if (!is_first) continue;
    armnn_backend_context_t* queue = step->wait.backend_context;
    (void)queue->api->after_enqueue_workload(queue, step->wait.network_id,
                                             context->steps[i].args.execution_data, &ignored);
  }
}

void armnn_i_drop_fences(armnn_context_t* context) {
  for (uint32_t i = 0; i < context->plan->fence_count; ++i) {
    armnn_fence_t* fence = context->fences[i];
    context->fences[i] = NULL;
    if (fence != NULL) fence->api->destroy(fence);
  }
}
