/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * board.h - what the files of run_cases share.
 */
#ifndef ARMNN_BOARD_H_
#define ARMNN_BOARD_H_

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

#include "case_file.h"

/* ---- main.c: what a process has under way, and results --------------------------------------- */

/* The parent reads it. */
typedef struct progress_t {
  volatile uint64_t number, run, place, steps;
  char step[64];
} progress_t;

extern progress_t* progress;

_Noreturn void fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
void begin(const char* step);
void put(record_t record, const struct iovec* parts, int count);
void put_text(record_kind_t kind, int32_t status, uint64_t run, const char* text);
uint64_t now_ns(void);

/* ---- memory.c ----------------------------------------------------------------------------------
 */

/* A tensor in pages of its own, between two unreadable ones. */
typedef struct region_t {
  unsigned char* whole;
  size_t length; /* without the unreadable pages */
  unsigned char* data;
  size_t size;
  unsigned char poison;
} region_t;

/* |behind|: readable bytes. */
region_t take(size_t size, size_t alignment, size_t behind, layout_t layout);
void forbid_writing(const region_t* region);
bool is_damaged(const region_t* region);
void give_back(region_t* region);

/* ---- backend.c ---------------------------------------------------------------------------------
 */

typedef struct subject_t {
  const armnn_backend_api_t* api;
  armnn_backend_t* backend;
  armnn_backend_context_t* context;
  armnn_layer_support_t* support;
} subject_t;

/* The objects of one layer. */
typedef struct made_t {
  armnn_memory_manager_t* manager;
  armnn_model_context_t* model_context;
  armnn_workload_factory_t* factory;
  armnn_workload_t* workload;
  armnn_workload_requirements_t needs;
  void* execution_data;
} made_t;

/* The text of the last call that failed. */
extern char error_text[1024];

/* Opens the backend in this process. */
subject_t open_backend(const char* path, uint32_t device);
void close_backend(subject_t* subject);
armnn_status_t ask(const subject_t* subject, const case_t* one, uint64_t time);
/* Makes the layer's workload; returns the function that failed, or null. */
const char* make(const subject_t* subject, const case_t* one, made_t* made,
                 armnn_status_t* out_status);
void unmake(made_t* made);
/* The calls around execute, in the order of the host. */
armnn_status_t execute(const subject_t* subject, made_t* made, armnn_execute_args_t* args);

/* ---- one_case.c --------------------------------------------------------------------------------
 */

void run_case(const subject_t* subject, const case_t* one);

#endif /* ARMNN_BOARD_H_ */
