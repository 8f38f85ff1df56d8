/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * case_file.h - the two files of run_cases. armnn_py writes cases as the structures of the backend
 * API in memory, with offsets for pointers: the reader adds the address of the file. Numbers are
 * those of a 64-bit little-endian processor.
 */
#ifndef ARMNN_CASE_FILE_H_
#define ARMNN_CASE_FILE_H_

#define ARMNN_NO_ENTRY_DECLARATIONS
#include "armnn/backend_api.h"

#define CASE_MAGIC UINT64_C(0x3153455341434e41)   /* "ANCASES1" */
#define RESULT_MAGIC UINT64_C(0x31544c5553455241) /* "ARESULT1" */

/* Where tensors and scratch lie in a run. */
typedef enum layout_t {
  LAYOUT_END = 0,       /* an unreadable page behind */
  LAYOUT_START = 1,     /* an unreadable page before */
  LAYOUT_LEAST = 2,     /* aligned to no more than the workload asked for */
  LAYOUT_READ_ONLY = 3, /* as END; inputs cannot be written */
  LAYOUT_MIDDLE = 4,    /* at a page, nothing unreadable near */
  LAYOUT_MAX_ENUM = INT32_MAX
} layout_t;

/* One call of execute: operands in order, null where one is absent; constants included. */
typedef struct run_t {
  const void* const* inputs;
  uint64_t layout; /* layout_t */
} run_t;

typedef struct case_t {
  armnn_layer_query_t query;
  armnn_workload_info_t info;
  uint64_t batch; /* cases with the same number follow each other and share a process */
  uint64_t run_count;
  const run_t* runs;
} case_t;

typedef struct case_file_t {
  uint64_t magic;
  uint64_t case_size; /* sizeof(case_t) of the writer */
  uint64_t case_count;
  const case_t* cases;
  uint64_t pointer_count; /* where pointers are, as offsets in the file */
  const uint64_t* pointers;
  armnn_string_t note; /* for the reader of the results */
} case_file_t;

/* Results are records, each with |size| bytes behind it. */
typedef enum record_kind_t {
  RECORD_NOTE = 1,     /* of the case file */
  RECORD_LOADED = 2,   /* the backend's id; |status|: 1 if it calculates with finite numbers only */
  RECORD_ANSWER = 3,   /* of is_layer_supported, with the reason */
  RECORD_MADE = 4,     /* the status of create_workload and what follows it, with the text */
  RECORD_RAN = 5,      /* the status of a run: the outputs one after the other, or the text */
  RECORD_DAMAGE = 6,   /* what a run wrote beside a tensor */
  RECORD_ENDED = 7,    /* a process ended too soon; |status| as of waitpid, -1: killed, it was late;
                          the text: the step */
  RECORD_COMPLETE = 8, /* the last one */
  RECORD_MAX_ENUM = INT32_MAX
} record_kind_t;

#define NO_CASE UINT64_MAX

typedef struct record_t {
  uint32_t kind;
  int32_t status;
  uint64_t number; /* of the case, or NO_CASE */
  uint64_t run;    /* of RAN, DAMAGE and ENDED; of an answer: how often it was asked before */
  uint64_t place;  /* of the case in its process */
  uint64_t size;
} record_t;

#endif /* ARMNN_CASE_FILE_H_ */
