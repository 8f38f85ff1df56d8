/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * thread.c - the record of the calling thread.
 */
#include "thread.h"

static _Thread_local armnn_i_thread_t this_thread;

armnn_i_thread_t* armnn_i_thread(void) { return &this_thread; }
