/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * test_exit_hooks.c - hooks at the end of a pool's thread, and the libraries they come from.
 */
#include <dlfcn.h>
#include <sched.h>

#include "core.h"
#include "harness.h"

typedef void (*hook_fn_t)(void* argument);

static armnn_i_pool_t pool;
static int hooks_run; /* counted by the one worker, read after its end */

static void* open_library(const char* path, hook_fn_t* out_hook) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  void* address = dlsym(library, "hook");
  CHECK(address != NULL);
  memcpy(out_hook, &address, sizeof address);
  return library;
}

typedef struct meeting_t {
  atomic_uint present;
  hook_fn_t hook;
} meeting_t;

static armnn_status_t meet_and_register(void* argument, uint64_t begin, uint64_t end,
                                        uint32_t thread_index) {
  (void)begin, (void)end;
  meeting_t* meeting = (meeting_t*)argument;
  atomic_fetch_add(&meeting->present, 1);
  while (atomic_load(&meeting->present) < 2) sched_yield();
  if (thread_index == 0) return ARMNN_STATUS_OK;
  hook_fn_t no_code = NULL;
  void* address = &hooks_run;
  memcpy(&no_code, &address, sizeof no_code);
  CHECK_EQUAL(armnn_i_pool_on_thread_exit(no_code, NULL), ARMNN_STATUS_INVALID_ARGUMENT);
  CHECK_EQUAL(armnn_i_pool_on_thread_exit(meeting->hook, &hooks_run), ARMNN_STATUS_OK);
  return ARMNN_STATUS_OK;
}

/* A worker of |pool| that has |hook| to run when it ends. */
static void start_worker_with(hook_fn_t hook) {
  meeting_t meeting = {.hook = hook};
  hooks_run = 0;
  armnn_i_pool_init(&pool);
  CHECK_EQUAL(armnn_i_pool_set_thread_count(&pool, 2), ARMNN_STATUS_OK);
  CHECK_EQUAL(armnn_i_pool_parallel_for(&pool, meet_and_register, &meeting, 2, 1, 0), 0);
}

static void hooks_of_an_open_library_run(void) {
  hook_fn_t hook = NULL, other = NULL;
  void* library = open_library(HOOK_LIBRARY_A, &hook);
  start_worker_with(hook);
  void* later = open_library(HOOK_LIBRARY_B, &other); /* what others open and close is no matter */
  CHECK_EQUAL(dlclose(later), 0);
  armnn_i_pool_stop(&pool);
  CHECK_EQUAL(hooks_run, 1);
  CHECK_EQUAL(dlclose(library), 0);
}

static void hooks_of_a_closed_library_do_not_run(void) {
  hook_fn_t hook = NULL;
  void* library = open_library(HOOK_LIBRARY_A, &hook);
  start_worker_with(hook);
  CHECK_EQUAL(dlclose(library), 0);
  armnn_i_pool_stop(&pool);
  CHECK_EQUAL(hooks_run, 0);
}

/* The system likes to give the place of the one to the other; where it does not, that is all right
 * as well. */
static void hooks_do_not_run_in_the_library_that_took_the_place(void) {
  hook_fn_t hook = NULL, other = NULL;
  void* library = open_library(HOOK_LIBRARY_A, &hook);
  start_worker_with(hook);
  CHECK_EQUAL(dlclose(library), 0);
  library = open_library(HOOK_LIBRARY_B, &other);
  printf("  %s place\n", hook == other ? "the same" : "another");
  armnn_i_pool_stop(&pool);
  CHECK_EQUAL(hooks_run, 0);
  CHECK_EQUAL(dlclose(library), 0);
}

static uint64_t identity_of(hook_fn_t function) {
  return armnn_i_code_identity((const void*)(uintptr_t)function);
}

static void code_has_the_identity_of_its_library(void) {
  hook_fn_t a = NULL, b = NULL, again = NULL;
  void* library_a = open_library(HOOK_LIBRARY_A, &a);
  void* library_b = open_library(HOOK_LIBRARY_B, &b);
  const uint64_t identity = identity_of(a);
  CHECK(identity != 0 && identity_of(b) != 0);
  CHECK(identity != identity_of(b));
  CHECK(identity != identity_of(free));
  CHECK(identity_of(free) == armnn_i_code_identity((const void*)(uintptr_t)calloc));
  CHECK_EQUAL(dlclose(library_b), 0);
  void* library_again = open_library(HOOK_LIBRARY_A, &again);
  CHECK(a == again && identity_of(again) == identity);
  CHECK_EQUAL(dlclose(library_again), 0);
  CHECK(identity_of(a) == identity); /* still open */
  CHECK_EQUAL(dlclose(library_a), 0);
  CHECK(identity_of(a) != identity);
  CHECK(armnn_i_code_identity(&pool) == 0);
  CHECK(armnn_i_code_identity(NULL) == 0);
}

static const test_t tests[] = {
    TEST(code_has_the_identity_of_its_library),
    TEST(hooks_of_an_open_library_run),
    TEST(hooks_of_a_closed_library_do_not_run),
    TEST(hooks_do_not_run_in_the_library_that_took_the_place),
};
MAIN(tests)
