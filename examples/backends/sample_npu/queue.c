/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * queue.c - the command queue of one execution context, and the core of the device that works it.
 *
 * The core is a thread of this library. A backend should start none, but this one plays hardware:
 * real silicon works on while execute has returned, and so must its stand-in. The thread lives as
 * long as the execution data, sleeps while the queue is empty, and is joined by destroy.
 *
 * A job opens a window onto each tensor of its program and onto its constants, runs the
 * instructions, and closes the windows: between jobs no page of device memory is mapped anywhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "npu.h"

enum { RING = 32, CORE_ALIGNMENT = 64, TEXT = 256, AWAITED = 8, SLICE_NS = 5000000 };

typedef struct job_t {
  const npu_program_t* program;
  uint64_t run_id;
  npu_place_t constants;
  npu_place_t places[NPU_MAX_BINDINGS];
  armnn_fence_t* awaited[AWAITED]; /* before it begins */
  uint32_t awaited_count;
} job_t;

/* A fence that is signalled when so many jobs are done. */
typedef struct promise_t {
  npu_fence_t* fence;
  uint64_t jobs;
  struct promise_t* next;
} promise_t;

struct npu_queue_t {
  npu_backend_t* backend;
  npu_queue_t *previous, *next; /* in the backend's list */
  pthread_t core;
  pthread_mutex_t lock; /* of all below but the core's memory */
  pthread_cond_t work;  /* a job came, or stop */
  pthread_cond_t done;  /* a job went */
  job_t ring[RING];
  uint64_t put, taken;                 /* jobs so far; the job at |taken| is being worked on */
  promise_t *promises, **last_promise; /* in the order of their jobs */
  armnn_fence_t* awaited[AWAITED];     /* by the next job */
  uint32_t awaited_count;
  bool stop;
  bool quiet;            /* the backend takes no more work */
  bool wait_each;        /* for the host's side: it waits for each job */
  armnn_status_t status; /* of the first job that failed since the last wait */
  char text[TEXT];
  char* memory; /* of the core: intermediate results; only its thread touches it */
  uint64_t memory_size;
};

/* ---- The device's side --------------------------------------------------------------------- */

static bool is_cancelled(const armnn_host_t* host, uint64_t run_id) {
  return host != NULL && ARMNN_HAS_FN(host, armnn_host_t, cancelled) &&
         host->cancelled(host->context, run_id) != 0;
}

static bool should_stop(npu_queue_t* queue) {
  pthread_mutex_lock(&queue->lock);
  const bool stop = queue->stop || queue->quiet;
  pthread_mutex_unlock(&queue->lock);
  return stop;
}

static float* address(const npu_queue_t* queue, const npu_program_t* program,
                      const npu_window_t* windows, uint32_t tensor) {
  if (tensor == NPU_NONE) return NULL;
  const npu_tensor_t* t = &npu_tensors(program)[tensor];
  char* base = t->binding == NPU_NONE ? queue->memory + t->offset : windows[t->binding].tensor;
  return (float*)(void*)base;
}

static const float* constants_at(const char* constants, uint64_t offset) {
  return (const float*)(const void*)(constants + offset);
}

/* Memory of the core; what was in it is lost. */
static armnn_status_t grow(npu_queue_t* queue, uint64_t size, armnn_error_t* error) {
  free(queue->memory);
  queue->memory = NULL;
  queue->memory_size = 0;
  void* memory = NULL;
  if (posix_memalign(&memory, CORE_ALIGNMENT, size) != 0) {
    return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no %llu bytes for the core",
                    (unsigned long long)size);
  }
  queue->memory = memory;
  queue->memory_size = size;
  return ARMNN_STATUS_OK;
}

static armnn_status_t run_program(npu_queue_t* queue, const job_t* job, const npu_window_t* windows,
                                  const char* constants, armnn_error_t* error) {
  const npu_program_t* program = job->program;
  const armnn_host_t* host = queue->backend->host;
  if (program->core_memory > queue->memory_size) { /* the host did not configure its workload */
    const armnn_status_t status = grow(queue, program->core_memory, error);
    if (status != ARMNN_STATUS_OK) return status;
  }
  for (uint32_t k = 0; k < program->instruction_count; ++k) {
    if (is_cancelled(host, job->run_id) || should_stop(queue)) {
      return npu_fail(error, ARMNN_STATUS_CANCELLED, "stopped at instruction %u of %u", k,
                      program->instruction_count);
    }
    const npu_instruction_t* i = &npu_instructions(program)[k];
    const npu_operands_t operands = {
        .instruction = i,
        .host = host,
        .input = address(queue, program, windows, i->input),
        .second = address(queue, program, windows, i->second),
        .weights = constants_at(constants, i->weights),
        .bias = constants_at(constants, i->bias),
        .output = address(queue, program, windows, i->output),
    };
    npu_run_instruction(&operands);
  }
  return ARMNN_STATUS_OK;
}

/* Anybody's fence: each has a wait. A look at the queue's state now and then ends it early. */
static armnn_status_t await_fence(npu_queue_t* queue, const job_t* job, armnn_fence_t* fence,
                                  armnn_error_t* error) {
  for (;;) {
    const armnn_status_t status = fence->api->wait(fence, SLICE_NS, error);
    if (status != ARMNN_STATUS_TIMEOUT) return status;
    if (is_cancelled(queue->backend->host, job->run_id) || should_stop(queue)) {
      return npu_fail(error, ARMNN_STATUS_CANCELLED, "stopped while it waited for a fence");
    }
  }
}

static armnn_status_t await_all(npu_queue_t* queue, const job_t* job, armnn_error_t* error) {
  const uint32_t bindings = job->program->input_count + job->program->output_count;
  armnn_status_t status = ARMNN_STATUS_OK;
  for (uint32_t k = 0; k < job->awaited_count && status == ARMNN_STATUS_OK; ++k) {
    status = await_fence(queue, job, job->awaited[k], error);
  }
  for (uint32_t k = 0; k < bindings && status == ARMNN_STATUS_OK; ++k) {
    armnn_fence_t* ready = job->places[k].ready;
    if (ready != NULL) status = await_fence(queue, job, ready, error);
  }
  return status;
}

static armnn_status_t run_job(npu_queue_t* queue, const job_t* job, armnn_error_t* error) {
  /* The last window is that onto the constants, if they are on the device. */
  const uint32_t bindings = job->program->input_count + job->program->output_count;
  const uint32_t count = bindings + (job->constants.file >= 0 ? 1 : 0);
  npu_window_t windows[NPU_MAX_BINDINGS + 1];
  uint32_t opened = 0;
  armnn_status_t status = await_all(queue, job, error);
  while (opened < count && status == ARMNN_STATUS_OK) {
    const npu_place_t* place = opened < bindings ? &job->places[opened] : &job->constants;
    windows[opened] = npu_window_open(place);
    if (windows[opened].tensor != NULL) {
      opened += 1;
    } else {
      status = npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no window onto device memory: %s",
                        strerror(errno));
    }
  }
  const char* constants = (const char*)npu_constants(job->program, 0);
  if (status == ARMNN_STATUS_OK) {
    if (count > bindings) constants = windows[bindings].tensor;
    status = run_program(queue, job, windows, constants, error);
  }
  for (uint32_t k = 0; k < opened; ++k) {
    npu_window_close(k < bindings ? &job->places[k] : &job->constants, &windows[k]);
  }
  npu_count(queue->backend, NPU_COUNTER_JOBS, 1);
  return status;
}

/* With the lock: signals the fences whose jobs are done. */
static void keep_promises(npu_queue_t* queue) {
  while (queue->promises != NULL && queue->promises->jobs <= queue->taken) {
    promise_t* promise = queue->promises;
    queue->promises = promise->next;
    if (queue->promises == NULL) queue->last_promise = &queue->promises;
    npu_fence_signal(promise->fence, queue->status, queue->text);
    free(promise);
  }
}

static void* core_main(void* argument) {
  npu_queue_t* queue = argument;
  pthread_mutex_lock(&queue->lock);
  for (;;) {
    while (queue->taken == queue->put && !queue->stop)
      pthread_cond_wait(&queue->work, &queue->lock);
    if (queue->taken == queue->put) break;
    /* After a failure the rest of the row would compute with nonsense: it is skipped. */
    if (queue->status == ARMNN_STATUS_OK) {
      const job_t* job = &queue->ring[queue->taken % RING];
      char text[TEXT] = "";
      armnn_error_t error = {{sizeof error, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
      pthread_mutex_unlock(&queue->lock);
      const armnn_status_t status = run_job(queue, job, &error);
      pthread_mutex_lock(&queue->lock);
      queue->status = status;
      memcpy(queue->text, text, sizeof text);
    }
    queue->taken += 1;
    keep_promises(queue);
    pthread_cond_broadcast(&queue->done);
  }
  pthread_mutex_unlock(&queue->lock);
  return NULL;
}

/* ---- The host's side ----------------------------------------------------------------------- */

armnn_status_t npu_queue_create(npu_backend_t* backend, uint64_t core_memory,
                                npu_queue_t** out_queue, armnn_error_t* error) {
  npu_queue_t* queue = calloc(1, sizeof *queue);
  *out_queue = NULL;
  if (queue == NULL) return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  queue->backend = backend;
  const armnn_status_t status =
      core_memory == 0 ? ARMNN_STATUS_OK : grow(queue, core_memory, error);
  if (status != ARMNN_STATUS_OK) {
    free(queue);
    return status;
  }
  pthread_mutex_init(&queue->lock, NULL);
  pthread_cond_init(&queue->work, NULL);
  npu_condition_init(&queue->done); /* for quiesce, which waits by time */
  queue->last_promise = &queue->promises;
  const int failed = pthread_create(&queue->core, NULL, core_main, queue);
  if (failed != 0) {
    pthread_cond_destroy(&queue->done);
    pthread_cond_destroy(&queue->work);
    pthread_mutex_destroy(&queue->lock);
    free(queue->memory);
    free(queue);
    return npu_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "no thread for the device: %s",
                    strerror(failed));
  }
  pthread_mutex_lock(&backend->lock);
  queue->next = backend->queues;
  if (queue->next != NULL) queue->next->previous = queue;
  backend->queues = queue;
  pthread_mutex_unlock(&backend->lock);
  *out_queue = queue;
  return ARMNN_STATUS_OK;
}

void npu_queue_destroy(npu_queue_t* queue) {
  npu_backend_t* backend = queue->backend;
  pthread_mutex_lock(&backend->lock);
  if (queue->next != NULL) queue->next->previous = queue->previous;
  if (queue->previous != NULL) queue->previous->next = queue->next;
  if (backend->queues == queue) backend->queues = queue->next;
  pthread_mutex_unlock(&backend->lock);
  pthread_mutex_lock(&queue->lock);
  queue->stop = true;
  pthread_cond_broadcast(&queue->work);
  pthread_mutex_unlock(&queue->lock);
  pthread_join(queue->core, NULL);
  pthread_cond_destroy(&queue->done);
  pthread_cond_destroy(&queue->work);
  pthread_mutex_destroy(&queue->lock);
  free(queue->memory);
  free(queue);
}

void npu_queue_put(npu_queue_t* queue, const npu_program_t* program, const npu_place_t* constants,
                   const npu_place_t* places, uint64_t run_id) {
  pthread_mutex_lock(&queue->lock);
  while (queue->put - queue->taken == RING) pthread_cond_wait(&queue->done, &queue->lock);
  job_t* job = &queue->ring[queue->put % RING];
  job->program = program;
  job->run_id = run_id;
  job->constants = *constants;
  memcpy(job->places, places,
         (program->input_count + program->output_count) * sizeof job->places[0]);
  memcpy(job->awaited, queue->awaited, sizeof job->awaited);
  job->awaited_count = queue->awaited_count;
  queue->awaited_count = 0;
  queue->put += 1;
  pthread_cond_signal(&queue->work);
  pthread_mutex_unlock(&queue->lock);
}

void npu_queue_wait_each(npu_queue_t* queue, bool wait) { queue->wait_each = wait; }

bool npu_queue_waits_each(const npu_queue_t* queue) { return queue->wait_each; }

bool npu_queue_await(npu_queue_t* queue, armnn_fence_t* fence) {
  pthread_mutex_lock(&queue->lock);
  const bool has_room = queue->awaited_count < AWAITED;
  if (has_room) queue->awaited[queue->awaited_count++] = fence;
  pthread_mutex_unlock(&queue->lock);
  return has_room;
}

armnn_fence_t* npu_queue_signal(npu_queue_t* queue) {
  promise_t* promise = calloc(1, sizeof *promise);
  npu_fence_t* fence = promise == NULL ? NULL : npu_fence_make();
  if (fence == NULL) {
    free(promise);
    return NULL;
  }
  pthread_mutex_lock(&queue->lock);
  *promise = (promise_t){fence, queue->put, NULL};
  *queue->last_promise = promise;
  queue->last_promise = &promise->next;
  keep_promises(queue); /* the queue may be through already */
  pthread_mutex_unlock(&queue->lock);
  return npu_fence_base(fence);
}

armnn_status_t npu_queue_wait(npu_queue_t* queue, armnn_error_t* error) {
  pthread_mutex_lock(&queue->lock);
  while (queue->taken != queue->put) pthread_cond_wait(&queue->done, &queue->lock);
  const armnn_status_t status = queue->status;
  if (status != ARMNN_STATUS_OK) npu_fail(error, status, "%s", queue->text);
  queue->status = ARMNN_STATUS_OK;
  queue->awaited_count = 0; /* of a run that ended before the job came */
  pthread_mutex_unlock(&queue->lock);
  return status;
}

armnn_status_t npu_queues_quiesce(npu_backend_t* backend, uint64_t timeout_ns,
                                  armnn_error_t* error) {
  const struct timespec end = npu_time_after(timeout_ns);
  bool late = false;
  pthread_mutex_lock(&backend->lock);
  for (npu_queue_t* queue = backend->queues; queue != NULL; queue = queue->next) {
    pthread_mutex_lock(&queue->lock);
    int answer = 0;
    while (queue->taken != queue->put && answer == 0) {
      answer = pthread_cond_timedwait(&queue->done, &queue->lock, &end);
    }
    late = late || queue->taken != queue->put;
    queue->quiet = true;
    pthread_mutex_unlock(&queue->lock);
  }
  pthread_mutex_unlock(&backend->lock);
  return late ? npu_fail(error, ARMNN_STATUS_TIMEOUT, "the device did not finish its queue in time")
              : ARMNN_STATUS_OK;
}
