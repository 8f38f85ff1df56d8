/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * channel.c - the hand-over of runs between a host and the worker process of a backend.
 *
 * A run is one message each way: the host counts |requests| up, the worker |answers|. Each side
 * spins as long as the other took before, if that is short, and then sleeps in a futex of the
 * memory that both map. A side that finds the other awake makes no system call.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "channel_calls.h"
#include "core.h"
#include "threads/pool_wait.h"

#define TEXT_CAPACITY 3072u
/* A longer wait costs a processor that the other side may need; the host needs time to wake up. */
#define HOST_SPIN_MOST_NS UINT64_C(100000)
#define WORKER_SPIN_MOST_NS UINT64_C(400000)
#define SPIN_FIRST_NS UINT64_C(20000)
/* How long a host sleeps before it looks whether the run should stop. */
#define SLICE_NS UINT64_C(5000000)
/* What a worker gets to end a run that was cancelled, before it is killed. */
#define GRACE_NS UINT64_C(10000000)
#define NS_PER_SECOND UINT64_C(1000000000)

/* The first page of the memory. */
typedef struct shared_page_t {
  _Atomic uint32_t requests;
  _Atomic uint32_t worker_sleeps;
  char line[56]; /* what each side writes in a wait lies on a cache line of its own */
  _Atomic uint32_t answers;
  _Atomic uint32_t host_sleeps;
  _Atomic uint32_t spin_ns; /* of the worker, for the next request */
  uint32_t taken;           /* the request that the worker answers */
  uint64_t run_id;          /* of the last request, as the host counts runs */
  int32_t status;
  char text[TEXT_CAPACITY];
} shared_page_t;

_Static_assert(sizeof(shared_page_t) <= ARMNN_CHANNEL_TENSORS_OFFSET, "tensors begin behind it");

struct armnn_channel_t {
  char* memory;
  uint32_t input_count, output_count;
  _Atomic int32_t end;      /* armnn_channel_end_e */
  _Atomic uint32_t is_busy; /* a run is in flight */
  int32_t process;
  uint64_t deadline_ns;
  uint64_t last_ns; /* how long the last run took */
  uint64_t events_offset, most_events;
  channel_calls_t calls;
  armnn_channel_tensor_t tensors[]; /* inputs, then outputs */
};

/* ---- Waiting ------------------------------------------------------------------------------- */

/* Not private: the word lies in memory of two processes. */
static void sleep_while(_Atomic uint32_t* word, uint32_t value, uint64_t ns) {
  const struct timespec limit = {(time_t)(ns / NS_PER_SECOND), (long)(ns % NS_PER_SECOND)};
  syscall(SYS_futex, (uint32_t*)word, FUTEX_WAIT, value, &limit, NULL, 0);
}

/* Sets |word|, then looks whether the other side sleeps. That side says that it will, then looks at
 * |word|: in one order of all four, so that one of the two sees the other. */
static void set_and_wake(_Atomic uint32_t* word, uint32_t value, _Atomic uint32_t* sleeps) {
  atomic_store(word, value);
  if (atomic_load(sleeps) == 0) return;
  syscall(SYS_futex, (uint32_t*)word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Whether |word| leaves |value| within |ns|, spinning. */
static bool spins_until_changed(_Atomic uint32_t* word, uint32_t value, uint64_t ns) {
  if (ns == 0) return false;
  const uint64_t begin = armnn_i_now_ns();
  do {
    for (int pause = 0; pause < 32; ++pause) {
      if (atomic_load_explicit(word, memory_order_acquire) != value) return true;
      armnn_i_pause();
    }
  } while (armnn_i_now_ns() - begin < ns);
  return false;
}

static void sleep_until_changed(_Atomic uint32_t* word, uint32_t value, _Atomic uint32_t* sleeps,
                                uint64_t ns) {
  atomic_store(sleeps, 1);
  if (atomic_load(word) == value) sleep_while(word, value, ns);
  atomic_store_explicit(sleeps, 0, memory_order_relaxed);
}

/* Twice the time of the last wait, if that is short enough to spin at all. */
static uint64_t spin_after(uint64_t last_ns, uint64_t most_ns) {
  return last_ns > most_ns ? 0 : last_ns * 2 > most_ns ? most_ns : last_ns * 2;
}

/* ---- The host ------------------------------------------------------------------------------ */

static bool lies_inside(const armnn_channel_tensor_t* tensor, uint64_t size) {
  return tensor->offset >= ARMNN_CHANNEL_TENSORS_OFFSET && tensor->offset <= size &&
         tensor->size <= size - tensor->offset;
}

armnn_channel_t* armnn_channel_open(void* memory, uint64_t size,
                                    const armnn_channel_tensor_t* inputs, uint32_t input_count,
                                    const armnn_channel_tensor_t* outputs, uint32_t output_count,
                                    int32_t process, uint64_t deadline_ns) {
  const size_t count = (size_t)input_count + output_count;
  armnn_channel_t* channel = calloc(1, sizeof *channel + count * sizeof(armnn_channel_tensor_t));
  if (channel == NULL) return NULL;
  memcpy(channel->tensors, inputs, input_count * sizeof *inputs);
  memcpy(channel->tensors + input_count, outputs, output_count * sizeof *outputs);
  for (size_t index = 0; index < count; ++index) {
    if (lies_inside(&channel->tensors[index], size)) continue;
    free(channel);
    return NULL;
  }
  channel->memory = memory;
  channel->input_count = input_count;
  channel->output_count = output_count;
  channel->process = process;
  channel->deadline_ns = deadline_ns;
  channel->last_ns = SPIN_FIRST_NS;
  channel->calls.tensors = channel->tensors;
  channel->calls.input_count = input_count;
  channel->calls.output_count = output_count;
  pthread_mutex_init(&channel->calls.lock, NULL);
  return channel;
}

void armnn_channel_take_events(armnn_channel_t* channel, uint64_t offset, uint64_t size) {
  channel->events_offset = offset;
  if (size < ARMNN_CHANNEL_EVENTS_HEAD) return;
  channel->most_events = (size - ARMNN_CHANNEL_EVENTS_HEAD) / sizeof(armnn_trace_event_t);
}

void armnn_channel_close(armnn_channel_t* channel) {
  if (channel == NULL) return;
  armnn_i_calls_close(&channel->calls);
  free(channel);
}

void armnn_channel_keep_calls(armnn_channel_t* channel, uint64_t most_bytes) {
  atomic_store(&channel->calls.most_bytes, most_bytes);
}

armnn_channel_call_t* armnn_channel_take_call(armnn_channel_t* channel) {
  return armnn_i_calls_take(&channel->calls);
}

int32_t armnn_channel_end(armnn_channel_t* channel, int32_t reason) {
  int32_t known = ARMNN_CHANNEL_OPEN;
  if (atomic_compare_exchange_strong(&channel->end, &known, reason)) known = reason;
  shared_page_t* page = (shared_page_t*)channel->memory;
  syscall(SYS_futex, (uint32_t*)&page->answers, FUTEX_WAKE, 1, NULL, NULL, 0);
  return known;
}

int32_t armnn_channel_settle(armnn_channel_t* channel) {
  if (atomic_load(&channel->is_busy) != 0) return 0; /* later runs see that the worker has ended */
  shared_page_t* page = (shared_page_t*)channel->memory;
  atomic_store(&page->answers, atomic_load(&page->requests));
  return 1;
}

void armnn_channel_renew(armnn_channel_t* channel, int32_t process) {
  channel->process = process;
  atomic_store(&channel->end, ARMNN_CHANNEL_OPEN);
}

static armnn_status_t fail_ended(const armnn_channel_t* channel, armnn_error_t* error) {
  switch (atomic_load(&channel->end)) {
    case ARMNN_CHANNEL_PAST_DEADLINE:
      return armnn_i_fail(error, ARMNN_STATUS_DEVICE_LOST,
                          "its process gave no answer within %.3g s and was ended",
                          (double)channel->deadline_ns / (double)NS_PER_SECOND);
    case ARMNN_CHANNEL_RUN_STOPPED:
      return armnn_i_fail(error, ARMNN_STATUS_CANCELLED,
                          "the run was stopped; its process did not stop and was ended");
    default:
      return armnn_i_fail(error, ARMNN_STATUS_DEVICE_LOST, "its process ended");
  }
}

/* Kills the worker; the host's watcher of the process does the rest. */
static armnn_status_t kill_worker(armnn_channel_t* channel, int32_t reason, armnn_error_t* error) {
  int32_t known = ARMNN_CHANNEL_OPEN;
  if (atomic_compare_exchange_strong(&channel->end, &known, reason)) {
    syscall(SYS_pidfd_send_signal, channel->process, SIGKILL, NULL, 0);
  }
  return fail_ended(channel, error);
}

/* Sleeps until the answer to request |number| is there, the worker has ended, or it must be. */
static armnn_status_t sleep_for_answer(armnn_channel_t* channel, uint32_t number, uint64_t begin,
                                       uint64_t run_id, armnn_error_t* error) {
  shared_page_t* page = (shared_page_t*)channel->memory;
  const armnn_host_t* host = armnn_core_host();
  uint64_t stopped_at = 0;
  for (;;) {
    const uint32_t answers = atomic_load_explicit(&page->answers, memory_order_acquire);
    if (answers == number) return ARMNN_STATUS_OK;
    if (atomic_load(&channel->end) != ARMNN_CHANNEL_OPEN) return fail_ended(channel, error);
    const uint64_t now = armnn_i_now_ns();
    if (channel->deadline_ns != 0 && now - begin >= channel->deadline_ns) {
      return kill_worker(channel, ARMNN_CHANNEL_PAST_DEADLINE, error);
    }
    if (stopped_at == 0 && host->cancelled(host->context, run_id) != 0) stopped_at = now;
    if (stopped_at != 0 && now - stopped_at >= GRACE_NS) {
      return kill_worker(channel, ARMNN_CHANNEL_RUN_STOPPED, error);
    }
    uint64_t slice = SLICE_NS;
    if (channel->deadline_ns != 0 && begin + channel->deadline_ns - now < slice) {
      slice = begin + channel->deadline_ns - now;
    }
    sleep_until_changed(&page->answers, answers, &page->host_sleeps, slice);
  }
}

static armnn_status_t hand_over(armnn_channel_t* channel, uint64_t run_id, armnn_error_t* error) {
  shared_page_t* page = (shared_page_t*)channel->memory;
  const uint32_t number = atomic_load_explicit(&page->answers, memory_order_relaxed) + 1;
  const uint64_t begin = armnn_i_now_ns();
  page->run_id = run_id;
  set_and_wake(&page->requests, number, &page->worker_sleeps);
  armnn_status_t status = ARMNN_STATUS_OK;
  if (!spins_until_changed(&page->answers, number - 1,
                           spin_after(channel->last_ns, HOST_SPIN_MOST_NS))) {
    status = sleep_for_answer(channel, number, begin, run_id, error);
  }
  channel->last_ns = armnn_i_now_ns() - begin;
  return status;
}

/* The words of the worker, which may still write there. */
static armnn_status_t fail_with_text(shared_page_t* page, armnn_error_t* error) {
  char text[TEXT_CAPACITY];
  const int32_t status = page->status;
  memcpy(text, page->text, sizeof text);
  text[sizeof text - 1] = '\0';
  return armnn_i_fail(error, status < 0 ? status : ARMNN_STATUS_INTERNAL, "%s", text);
}

/* The events of the run that was answered, in the scope of the calling thread. */
static void add_events(armnn_channel_t* channel) {
  if (channel->most_events == 0) return;
  uint64_t* told = (uint64_t*)(channel->memory + channel->events_offset);
  const uint64_t count = *told;
  if (count == 0) return;
  *told = 0;
  const char* events = channel->memory + channel->events_offset + ARMNN_CHANNEL_EVENTS_HEAD;
  for (uint64_t index = 0; index < count && index < channel->most_events; ++index) {
    armnn_trace_event_t event; /* the worker may still write there */
    memcpy(&event, events + index * sizeof event, sizeof event);
    if (event.kind < ARMNN_TRACE_BEGIN || event.kind > ARMNN_TRACE_INSTANT) continue;
    const armnn_string_t name = {event.name, strnlen(event.name, sizeof event.name)};
    armnn_i_trace_add(&armnn_i_core.trace, event.kind, name, event.id, event.time_ns, 0);
  }
  if (count > channel->most_events) {
    atomic_fetch_add(&armnn_i_core.trace.dropped, count - channel->most_events);
  }
}

armnn_status_t armnn_channel_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                     armnn_error_t* error) {
  (void)workload;
  armnn_channel_t* channel = args->workload_data;
  atomic_store(&channel->is_busy, 1);
  armnn_status_t status = ARMNN_STATUS_OK;
  if (atomic_load(&channel->end) != ARMNN_CHANNEL_OPEN) {
    status = armnn_i_fail(error, ARMNN_STATUS_DEVICE_LOST, "its process ended in an earlier run");
  }
  const uint64_t most_bytes =
      atomic_load_explicit(&channel->calls.most_bytes, memory_order_relaxed);
  armnn_channel_call_t* call = NULL;
  if (most_bytes != 0 && status == ARMNN_STATUS_OK) {
    call = armnn_i_calls_begin(&channel->calls, args, most_bytes);
  }
  const armnn_channel_tensor_t* tensor = channel->tensors;
  for (uint32_t index = 0; status == ARMNN_STATUS_OK && index < channel->input_count; ++index) {
    const void* input = args->inputs[index];
    if (input != NULL) memcpy(channel->memory + tensor[index].offset, input, tensor[index].size);
  }
  if (status == ARMNN_STATUS_OK) {
    status = hand_over(channel, args->run_id, error);
    if (status != ARMNN_STATUS_OK && call == NULL) {
      call = armnn_i_calls_begin(&channel->calls, args, UINT64_MAX);
    }
  }
  if (status == ARMNN_STATUS_OK) {
    shared_page_t* page = (shared_page_t*)channel->memory;
    if (page->status != ARMNN_STATUS_OK) status = fail_with_text(page, error);
    add_events(channel);
  }
  tensor += channel->input_count;
  for (uint32_t index = 0; status == ARMNN_STATUS_OK && index < channel->output_count; ++index) {
    void* output = args->outputs[index];
    if (output != NULL) memcpy(output, channel->memory + tensor[index].offset, tensor[index].size);
  }
  armnn_i_calls_end(&channel->calls, call, args, status);
  atomic_store(&channel->is_busy, 0);
  return status;
}

/* ---- The worker ---------------------------------------------------------------------------- */

int32_t armnn_channel_wait(void* memory, uint64_t timeout_ns) {
  shared_page_t* page = memory;
  const uint32_t done = atomic_load_explicit(&page->answers, memory_order_relaxed);
  const uint64_t begin = armnn_i_now_ns();
  const uint32_t spin_ns = atomic_load_explicit(&page->spin_ns, memory_order_relaxed);
  bool is_there = spins_until_changed(&page->requests, done, spin_ns);
  if (!is_there) {
    sleep_until_changed(&page->requests, done, &page->worker_sleeps, timeout_ns);
    is_there = atomic_load_explicit(&page->requests, memory_order_acquire) != done;
  }
  if (is_there) {
    page->taken = atomic_load_explicit(&page->requests, memory_order_acquire);
    const uint64_t waited = armnn_i_now_ns() - begin;
    const uint64_t spin = spin_after(waited, WORKER_SPIN_MOST_NS);
    const uint64_t next = spin != 0 ? spin : SPIN_FIRST_NS;
    atomic_store_explicit(&page->spin_ns, (uint32_t)next, memory_order_relaxed);
  }
  return is_there ? 1 : 0;
}

void armnn_channel_wake(void* memory) {
  shared_page_t* page = memory;
  syscall(SYS_futex, (uint32_t*)&page->requests, FUTEX_WAKE, 1, NULL, NULL, 0);
}

uint64_t armnn_channel_run_id(const void* memory) { return ((const shared_page_t*)memory)->run_id; }

void armnn_channel_answer(void* memory, armnn_status_t status, const char* text) {
  shared_page_t* page = memory;
  page->status = status;
  const size_t length = strnlen(text, sizeof page->text - 1);
  memcpy(page->text, text, length);
  page->text[length] = '\0';
  set_and_wake(&page->answers, page->taken, &page->host_sleeps);
}
