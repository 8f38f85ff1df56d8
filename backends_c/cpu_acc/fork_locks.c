/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "fork_locks.h"

#include <pthread.h>

static pthread_mutex_t mutexes[ARMNN_ACC_LOCK_COUNT] = {PTHREAD_MUTEX_INITIALIZER,
                                                        PTHREAD_MUTEX_INITIALIZER};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void) {
  for (int i = 0; i < ARMNN_ACC_LOCK_COUNT; ++i) pthread_mutex_lock(&mutexes[i]);
}

static void after_fork(void) {
  for (int i = ARMNN_ACC_LOCK_COUNT; i-- > 0;) pthread_mutex_unlock(&mutexes[i]);
}

/* The C library forgets these functions when this file is closed. */
static void wait_in_forks(void) { pthread_atfork(before_fork, after_fork, after_fork); }

void armnn_i_acc_lock(armnn_i_acc_fork_lock_t which) {
  pthread_once(&once, wait_in_forks);
  pthread_mutex_lock(&mutexes[which]);
}

void armnn_i_acc_unlock(armnn_i_acc_fork_lock_t which) { pthread_mutex_unlock(&mutexes[which]); }
