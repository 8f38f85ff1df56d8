/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * wrong.h - a backend of four layers that is right, and wrong in one way: -DDEFECT=NAME.
 *
 * It is written without the kit, so that what the kit would forbid can be done. Each defect is at
 * the place where it would be made: search for its name.
 */
#ifndef WRONG_H_
#define WRONG_H_

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armnn/backend_api.h"

enum defect_e {
  NONE,
  /* Memory. */
  WRITES_BEHIND_OUTPUT,
  WRITES_BEFORE_OUTPUT,
  READS_BEHIND_INPUT,
  WRITES_INPUT,
  LEAVES_LAST_ELEMENT,
  KEEPS_ADDRESS,
  READS_FRESH_SCRATCH,
  WRITES_BEHIND_SCRATCH,
  READS_CONSTANT_LATER,
  FINDS_WEIGHTS_BY_ADDRESS,
  ASSUMES_ALIGNMENT,
  TOUCHES_EMPTY_OUTPUT,
  OFFERS_WRONG_PLACE,
  READS_FURTHER_THAN_ASKED,
  USES_WHAT_LIES_BEHIND,
  WRITES_WHERE_IT_MAY_READ,
  WRITES_BEHIND_STATE,
  LEAKS_IN_EXECUTE,
  LEAKS_PAGES_IN_EXECUTE,
  /* Numbers. */
  WRONG_BY_A_THOUSANDTH,
  SWALLOWS_NAN,
  BROADCASTS_WRONGLY,
  IGNORES_AXIS,
  IGNORES_NEGATIVE_AXES,
  FORGETS_FACTOR_OF_TANH,
  HAS_ROOM_FOR_1024,
  FORGETS_HIGH_RANKS,
  FORGETS_BIAS,
  KEEPS_24_BITS_OF_SUMS,
  /* Truth of support. */
  TAKES_EVERYTHING,
  ANSWERS_4242,
  GIVES_NO_REASON,
  CHANGES_ITS_MIND,
  PLURAL_DIFFERS,
  COUNTS_ITS_CALLS,
  READS_ABSENT_BIAS,
  EXECUTE_FAILS,
  ODD_ALIGNMENT,
  CONSUMES_WHAT_IS_NOT_CONSTANT,
  ABORTS,
  LOOPS,
  EXITS,
  /* Re-entrance. */
  SHARES_ITS_ARGUMENT,
  SCRATCH_TOO_SMALL_FOR_MORE_THREADS,
  EXPECTS_ORDER,
  INDEX_OF_THREAD_AS_PLACE,
  SHARES_SCRATCH_OF_THREADS,
  ROUNDS_UPWARD,
  CHANGES_FOLDER,
  ROUNDS_UPWARD_IN_OTHER_THREADS,
  FLUSHES_DENORMALS_IN_OTHER_THREADS,
  LEAVES_FILES_OPEN,
  WRITES_DESCRIPTOR,
  /* Sub-graphs. */
  HAS_ROOM_FOR_FEW_LAYERS,
  /* Loading. */
  SLEEPS_IN_CREATE,
  DIES_IN_DESTROY,
  /* Layers that the process had before. */
  ADDS_OTHERWISE_AFTER_OTHERS,
  ABORTS_AFTER_OTHERS,
  DIES_IN_DESTROY_AFTER_MANY,
};

#ifndef DEFECT
#define DEFECT NONE
#endif
#define HAS(defect) (DEFECT == (defect))
#define WRONG_MANY 12 /* workloads */

typedef struct wrong_backend_t {
  armnn_backend_t base;
  const armnn_host_t* host;
} wrong_backend_t;

typedef struct wrong_workload_t {
  armnn_workload_t base;
  const armnn_workload_info_t* info;
  const armnn_host_t* host;
  uint32_t threads;      /* that scratch was sized for */
  uint32_t number;       /* HAS_ROOM_FOR_FEW_LAYERS: which of all workloads it is */
  float* weights;        /* of a FullyConnected: packed, then bias */
  const float* unpacked; /* READS_CONSTANT_LATER */
  float* first_output;   /* KEEPS_ADDRESS */
} wrong_workload_t;

/* layers.c */
armnn_status_t wrong_supports(const armnn_layer_query_t* query, armnn_error_t* error);
armnn_status_t wrong_execute(armnn_workload_t* workload, const armnn_execute_args_t* args,
                             armnn_error_t* error);
uint64_t wrong_scratch_per_thread(const armnn_workload_info_t* info);

static inline armnn_status_t wrong_say(armnn_error_t* error, armnn_status_t status,
                                       const char* text) {
  if (error != NULL && error->text != NULL) {
    snprintf(error->text, (size_t)error->capacity, "%s", text);
    error->needed = strlen(text) + 1;
    error->code = status;
  }
  return status;
}

#endif /* WRONG_H_ */
