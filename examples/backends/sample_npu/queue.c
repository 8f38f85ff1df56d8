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
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "npu.h"

enum { RING = 32, CORE_ALIGNMENT = 64, TEXT = 256 };

typedef struct job_t {
  const npu_program_t* program;
  uint64_t run_id;
  npu_place_t constants;
  npu_place_t places[NPU_MAX_BINDINGS];
} job_t;

struct npu_queue_t {
  npu_backend_t* backend;
  npu_queue_t *previous, *next; /* in the backend's list */
  pthread_t core;
  pthread_mutex_t lock; /* of all below but the core's memory */
  pthread_cond_t work;  /* a job came, or stop */
  pthread_cond_t done;  /* a job went */
  job_t ring[RING];
  uint64_t put, taken; /* jobs so far; the job at |taken| is being worked on */
  bool stop;
  bool quiet;            /* the backend takes no more work */
  bool wait_each;        /* for the host's side: it waits for each job */
  armnn_status_t status; /* of the first job that failed since the last wait */
  char text[TEXT];
  char* memory; /* of the core: intermediate results; only its thread touches it */
  uint64_t memory_size;
};

/* ---- The device's side --------------------------------------------------------------------- */

typedef struct window_t {
  void* base; /* of the pages */
  uint64_t length;
  char* tensor;
} window_t;

static bool open_window(const npu_place_t* place, window_t* window) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), lead = place->offset % page;
  window->length = lead + place->size;
  window->base = mmap(NULL, window->length, PROT_READ | PROT_WRITE, MAP_SHARED, place->file,
                      (off_t)(place->offset - lead));
  if (window->base == MAP_FAILED) return false;
  window->tensor = (char*)window->base + lead;
  return true;
}

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
                      const window_t* windows, uint32_t tensor) {
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

static armnn_status_t run_program(npu_queue_t* queue, const job_t* job, const window_t* windows,
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

static armnn_status_t run_job(npu_queue_t* queue, const job_t* job, armnn_error_t* error) {
  /* The last window is that onto the constants, if they are on the device. */
  const uint32_t bindings = job->program->input_count + job->program->output_count;
  const uint32_t count = bindings + (job->constants.file >= 0 ? 1 : 0);
  window_t windows[NPU_MAX_BINDINGS + 1];
  uint32_t opened = 0;
  armnn_status_t status = ARMNN_STATUS_OK;
  while (opened < count && status == ARMNN_STATUS_OK) {
    const npu_place_t* place = opened < bindings ? &job->places[opened] : &job->constants;
    if (open_window(place, &windows[opened])) {
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
  for (uint32_t k = 0; k < opened; ++k) munmap(windows[k].base, windows[k].length);
  npu_count(queue->backend, NPU_COUNTER_JOBS, 1);
  return status;
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
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC); /* for quiesce, which waits by time */
  pthread_cond_init(&queue->done, &monotonic);
  pthread_condattr_destroy(&monotonic);
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
  queue->put += 1;
  pthread_cond_signal(&queue->work);
  pthread_mutex_unlock(&queue->lock);
}

void npu_queue_wait_each(npu_queue_t* queue, bool wait) { queue->wait_each = wait; }

bool npu_queue_waits_each(const npu_queue_t* queue) { return queue->wait_each; }

armnn_status_t npu_queue_wait(npu_queue_t* queue, armnn_error_t* error) {
  pthread_mutex_lock(&queue->lock);
  while (queue->taken != queue->put) pthread_cond_wait(&queue->done, &queue->lock);
  const armnn_status_t status = queue->status;
  if (status != ARMNN_STATUS_OK) npu_fail(error, status, "%s", queue->text);
  queue->status = ARMNN_STATUS_OK;
  pthread_mutex_unlock(&queue->lock);
  return status;
}

armnn_status_t npu_queues_quiesce(npu_backend_t* backend, uint64_t timeout_ns,
                                  armnn_error_t* error) {
  const uint64_t second = 1000000000u;
  struct timespec end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  const uint64_t limit = UINT64_C(1000000) * second; /* eleven days: no overflow */
  const uint64_t wait = (timeout_ns < limit ? timeout_ns : limit) + (uint64_t)end.tv_nsec;
  end.tv_sec += (time_t)(wait / second);
  end.tv_nsec = (long)(wait % second);
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
