/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fence.c - fences of this device's queues, and how a queue waits for a fence of anybody.
 *
 * A fence has an eventfd, so that drivers and event loops can wait for it; where none can be had it
 * is a host object alone. Host and queue each hold the fence until they have no more use for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "npu.h"

enum { TEXT = 256 };

struct npu_fence_t {
  armnn_fence_t base;
  atomic_int references;
  int event;            /* -1: none */
  pthread_mutex_t lock; /* of all below */
  pthread_cond_t done;
  bool signalled;
  armnn_status_t status; /* how the work behind it went */
  char text[TEXT];
};

static void release(npu_fence_t* self) {
  if (atomic_fetch_sub(&self->references, 1) != 1) return;
  if (self->event >= 0) close(self->event);
  pthread_cond_destroy(&self->done);
  pthread_mutex_destroy(&self->lock);
  free(self);
}

static void fence_destroy(armnn_fence_t* fence) { release((npu_fence_t*)fence); }

static armnn_status_t fence_wait(armnn_fence_t* fence, uint64_t timeout_ns, armnn_error_t* error) {
  npu_fence_t* self = (npu_fence_t*)fence;
  const struct timespec end = npu_time_after(timeout_ns);
  pthread_mutex_lock(&self->lock);
  int answer = 0;
  while (!self->signalled && answer == 0) {
    answer = pthread_cond_timedwait(&self->done, &self->lock, &end);
  }
  const armnn_status_t status = self->signalled ? self->status : ARMNN_STATUS_TIMEOUT;
  pthread_mutex_unlock(&self->lock);
  if (status != ARMNN_STATUS_OK && status != ARMNN_STATUS_TIMEOUT) {
    npu_fail(error, status, "%s", self->text);
  }
  return status;
}

static int32_t fence_get_fd(armnn_fence_t* fence) { return ((npu_fence_t*)fence)->event; }

static const armnn_fence_api_t event_api = {
    .header = {sizeof(armnn_fence_api_t), ARMNN_STRUCT_FENCE},
    .kind = ARMNN_FENCE_EVENTFD,
    .destroy = fence_destroy,
    .wait = fence_wait,
    .get_fd = fence_get_fd,
};
static const armnn_fence_api_t object_api = {
    .header = {sizeof(armnn_fence_api_t), ARMNN_STRUCT_FENCE},
    .kind = ARMNN_FENCE_OBJECT,
    .destroy = fence_destroy,
    .wait = fence_wait,
};

npu_fence_t* npu_fence_make(void) {
  npu_fence_t* self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  self->base.api = self->event >= 0 ? &event_api : &object_api;
  self->references = 2;
  pthread_mutex_init(&self->lock, NULL);
  npu_condition_init(&self->done);
  return self;
}

armnn_fence_t* npu_fence_base(npu_fence_t* fence) { return &fence->base; }

void npu_fence_signal(npu_fence_t* self, armnn_status_t status, const char* text) {
  pthread_mutex_lock(&self->lock);
  self->signalled = true;
  self->status = status;
  strncpy(self->text, text, TEXT - 1);
  pthread_cond_broadcast(&self->done);
  pthread_mutex_unlock(&self->lock);
  const uint64_t one = 1;
  if (self->event >= 0 && write(self->event, &one, sizeof one) < 0) {
    /* The counter is full only if it was written: the descriptor can be read all the same. */
  }
  release(self);
}

/* ---- Time ---------------------------------------------------------------------------------- */

struct timespec npu_time_after(uint64_t timeout_ns) {
  const uint64_t second = 1000000000u;
  const uint64_t limit = UINT64_C(1000000) * second; /* eleven days: no overflow */
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  const uint64_t wait = (timeout_ns < limit ? timeout_ns : limit) + (uint64_t)end.tv_nsec;
  end.tv_sec += (time_t)(wait / second);
  end.tv_nsec = (long)(wait % second);
  return end;
}

void npu_condition_init(pthread_cond_t* condition) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}
