/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * optimize.c - optimize_subgraph_view: sub-graphs become PRE_COMPILED layers.
 *
 * Where a layer cannot be compiled after all, it goes back to the host, and the layers before and
 * behind it, which follow each other in an order in which they can run, become sub-graphs of their
 * own.
 */
#include <stdlib.h>
#include <string.h>

#include "armnn/compile_kit.h"
#include "backend.h"
#include "saved/program_file.h"

typedef struct work_t {
  const armnn_i_acc_backend_t* backend;
  armnn_i_acc_maker_t maker;
  const armnn_subgraph_t* subgraph;
  const armnn_optimization_sink_t* sink;
} work_t;

/* ---- Answers ------------------------------------------------------------------------------- */

/* The program is the host's afterwards, or destroyed. */
static armnn_status_t substitute(const work_t* work, const armnn_cut_part_t* cut,
                                 armnn_i_acc_program_t* program) {
  const armnn_blob_t blob = armnn_i_acc_blob(work->backend, program);
  return armnn_replace_part(work->sink, &cut->part, &cut->place, ARMNN_ACC_ID, &blob);
}

static armnn_status_t give_back(const work_t* work, uint32_t layer, const char* reason) {
  return work->sink->add_failed(work->sink->context, &layer, 1,
                                (armnn_string_t){reason, strlen(reason)});
}

static armnn_status_t optimize_range(const work_t* work, uint32_t begin, uint32_t end,
                                     armnn_error_t* error);

/* Gives back the failed layers of a range, and compiles the layers before each; |*out_next| is the
 * layer behind the last of them. */
static armnn_status_t split(const work_t* work, uint32_t begin, const uint32_t* failed,
                            uint32_t failed_count, const char* reason, uint32_t* out_next,
                            armnn_error_t* error) {
  uint32_t next = begin;
  for (uint32_t i = 0; i < failed_count; ++i) {
    const uint32_t layer = begin + failed[i];
    ARMNN_RETURN_IF_ERROR(optimize_range(work, next, layer, error));
    ARMNN_RETURN_IF_ERROR(give_back(work, layer, reason));
    next = layer + 1;
  }
  *out_next = next;
  return ARMNN_STATUS_OK;
}

/* One compilation from layer |*next| on, which moves behind the layers that got an answer. */
static armnn_status_t optimize_some(const work_t* work, uint32_t* next, uint32_t end,
                                    armnn_error_t* error) {
  const uint32_t count = end - *next;
  uint32_t* layers = malloc(2 * ((size_t)count + 1) * sizeof *layers);
  if (layers == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  uint32_t* failed = layers + count;
  uint32_t failed_count = 0;
  for (uint32_t l = 0; l < count; ++l) layers[l] = *next + l;
  char text[256] = "out of memory";
  armnn_error_t why = {{sizeof why, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
  armnn_i_acc_program_t* program = NULL;
  armnn_cut_part_t* cut = NULL;
  armnn_status_t status = armnn_cut_part(work->subgraph, layers, count, &cut);
  if (status == ARMNN_STATUS_OK) {
    text[0] = '\0';
    status =
        armnn_i_acc_compile(&work->maker, &cut->part, true, &program, failed, &failed_count, &why);
  }
  if (status == ARMNN_STATUS_OK) {
    status = substitute(work, cut, program);
    *next = end;
  } else if (status == ARMNN_STATUS_UNSUPPORTED && failed_count > 0) {
    status = split(work, *next, failed, failed_count, text, next, error);
  } else {
    armnn_fail(error, status, "%s", text);
  }
  free(layers);
  free(cut);
  return status;
}

/* Layers before a failed one are compiled once more, in a deeper call; those behind the last failed
 * one in a further round, so that a sub-graph full of failures needs no deep stack. */
static armnn_status_t optimize_range(const work_t* work, uint32_t begin, uint32_t end,
                                     armnn_error_t* error) {
  armnn_status_t status = ARMNN_STATUS_OK;
  while (status == ARMNN_STATUS_OK && begin < end) {
    status = optimize_some(work, &begin, end, error);
  }
  return status;
}

armnn_status_t armnn_i_acc_optimize(armnn_backend_t* backend, const armnn_subgraph_t* subgraph,
                                    const armnn_options_t* model_options,
                                    const armnn_optimization_sink_t* sink, armnn_error_t* error) {
  (void)model_options;
  const armnn_i_acc_backend_t* self = (const armnn_i_acc_backend_t*)backend;
  const work_t work = {self, armnn_i_acc_maker(self), subgraph, sink};
  const armnn_status_t status = optimize_range(&work, 0, subgraph->layer_count, error);
  if (status == ARMNN_STATUS_OK || error == NULL || error->code != ARMNN_STATUS_OK) return status;
  return armnn_fail(error, status, "the host did not take the compiled sub-graph");
}
