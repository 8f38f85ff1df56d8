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

typedef struct work_t {
  armnn_i_acc_maker_t maker;
  const armnn_subgraph_t* subgraph;
  const armnn_optimization_sink_t* sink;
} work_t;

static void blob_release(void* object) { armnn_i_acc_program_destroy(object); }

/* ---- A range of layers as a sub-graph of its own ------------------------------------------- */

typedef struct range_t {
  armnn_subgraph_t subgraph;
  uint32_t begin, end;
  uint32_t* numbers;     /* of its layers in the host's sub-graph */
  armnn_slot_t* sources; /* of its inputs there */
  armnn_slot_t* targets; /* of its outputs there */
  /* Copies of the layers with slots that count from |begin|. */
  armnn_layer_t* layers;
  const armnn_layer_t** pointers;
  armnn_slot_t* slots;
  const armnn_tensor_info_t** input_infos;
  armnn_slot_t* outputs;
} range_t;

static void range_free(range_t* range) {
  free(range->numbers);
  free(range->sources);
  free(range->targets);
  free(range->layers);
  free(range->pointers);
  free(range->slots);
  free(range->input_infos);
  free(range->outputs);
}

static bool is_read_outside(const armnn_subgraph_t* whole, uint32_t layer, uint32_t slot,
                            uint32_t end) {
  for (uint32_t k = 0; k < whole->output_count; ++k) {
    if (whole->outputs[k].layer == layer && whole->outputs[k].slot == slot) return true;
  }
  for (uint32_t l = end; l < whole->layer_count; ++l) {
    for (uint32_t i = 0; i < whole->layers[l]->input_count; ++i) {
      const armnn_slot_t from = whole->layers[l]->inputs[i];
      if (from.layer == layer && from.slot == slot) return true;
    }
  }
  return false;
}

static armnn_slot_t range_input(range_t* range, const armnn_subgraph_t* whole, armnn_slot_t from) {
  for (uint32_t i = 0; i < range->subgraph.input_count; ++i) {
    if (range->sources[i].layer == from.layer && range->sources[i].slot == from.slot) {
      return (armnn_slot_t){ARMNN_SLOT_BOUNDARY, i};
    }
  }
  const uint32_t index = range->subgraph.input_count++;
  range->sources[index] = from;
  range->input_infos[index] = from.layer == ARMNN_SLOT_BOUNDARY
                                  ? whole->input_infos[from.slot]
                                  : whole->layers[from.layer]->output_infos[from.slot];
  return (armnn_slot_t){ARMNN_SLOT_BOUNDARY, index};
}

static bool range_make(range_t* range, const armnn_subgraph_t* whole, uint32_t begin,
                       uint32_t end) {
  size_t inputs = 1, outputs = 1;
  for (uint32_t l = begin; l < end; ++l) {
    inputs += whole->layers[l]->input_count;
    outputs += whole->layers[l]->output_count;
  }
  *range = (range_t){.begin = begin, .end = end};
  range->numbers = malloc((end - begin + (size_t)1) * sizeof *range->numbers);
  range->sources = malloc(inputs * sizeof *range->sources);
  range->targets = malloc(outputs * sizeof *range->targets);
  range->layers = malloc((end - begin + (size_t)1) * sizeof *range->layers);
  range->pointers = malloc((end - begin + (size_t)1) * sizeof *range->pointers);
  range->slots = malloc(inputs * sizeof *range->slots);
  range->input_infos = malloc(inputs * sizeof *range->input_infos);
  range->outputs = malloc(outputs * sizeof *range->outputs);
  if (range->numbers == NULL || range->sources == NULL || range->targets == NULL ||
      range->layers == NULL || range->pointers == NULL || range->slots == NULL ||
      range->input_infos == NULL || range->outputs == NULL) {
    range_free(range);
    return false;
  }
  armnn_slot_t* slots = range->slots;
  range->subgraph.header = whole->header;
  for (uint32_t l = begin; l < end; ++l) {
    armnn_layer_t* layer = &range->layers[l - begin];
    *layer = *whole->layers[l];
    layer->inputs = slots;
    for (uint32_t i = 0; i < layer->input_count; ++i, ++slots) {
      const armnn_slot_t from = whole->layers[l]->inputs[i];
      const bool outside = from.layer == ARMNN_SLOT_BOUNDARY || from.layer < begin;
      *slots = outside ? range_input(range, whole, from) : from;
      if (!outside && from.layer < whole->layer_count) slots->layer -= begin;
    }
    range->pointers[l - begin] = layer;
    range->numbers[l - begin] = l;
    for (uint32_t k = 0; k < layer->output_count; ++k) {
      if (!is_read_outside(whole, l, k, end)) continue;
      range->targets[range->subgraph.output_count] = (armnn_slot_t){l, k};
      range->outputs[range->subgraph.output_count++] = (armnn_slot_t){l - begin, k};
    }
  }
  range->subgraph.layers = range->pointers;
  range->subgraph.layer_count = end - begin;
  range->subgraph.input_infos = range->input_infos;
  range->subgraph.outputs = range->outputs;
  return true;
}

/* ---- Answers ------------------------------------------------------------------------------- */

/* The program is the host's afterwards, or destroyed. */
static armnn_status_t substitute(const work_t* work, const range_t* range,
                                 armnn_i_acc_program_t* program) {
  const armnn_part_place_t place = {range->numbers, range->sources, range->targets};
  /* Not saved as bytes: packed weights depend on the processor, and packing them is quick. */
  const armnn_blob_t blob = {.header = {sizeof blob, ARMNN_STRUCT_BLOB},
                             .object = program,
                             .release = blob_release,
                             .compatibility = {ARMNN_ACC_BLOB, sizeof ARMNN_ACC_BLOB - 1}};
  return armnn_replace_part(work->sink, &range->subgraph, &place, ARMNN_ACC_ID, &blob);
}

static armnn_status_t give_back(const work_t* work, uint32_t layer, const char* reason) {
  return work->sink->add_failed(work->sink->context, &layer, 1,
                                (armnn_string_t){reason, strlen(reason)});
}

static armnn_status_t optimize_range(const work_t* work, uint32_t begin, uint32_t end,
                                     armnn_error_t* error);

/* Gives back the failed layers of a range, and compiles the layers before each; |*out_next| is the
 * layer behind the last of them. */
static armnn_status_t split(const work_t* work, const range_t* range, const uint32_t* failed,
                            uint32_t failed_count, const char* reason, uint32_t* out_next,
                            armnn_error_t* error) {
  uint32_t next = range->begin;
  for (uint32_t i = 0; i < failed_count; ++i) {
    const uint32_t layer = range->begin + failed[i];
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
  range_t range;
  if (!range_make(&range, work->subgraph, *next, end)) {
    return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  }
  char text[256] = "";
  armnn_error_t why = {{sizeof why, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
  armnn_i_acc_program_t* program = NULL;
  uint32_t* failed = malloc((end - *next + (size_t)1) * sizeof *failed);
  uint32_t failed_count = 0;
  armnn_status_t status = ARMNN_STATUS_OUT_OF_MEMORY;
  if (failed != NULL) {
    status =
        armnn_i_acc_compile(&work->maker, &range.subgraph, &program, failed, &failed_count, &why);
  }
  if (status == ARMNN_STATUS_OK) {
    status = substitute(work, &range, program);
    *next = end;
  } else if (status == ARMNN_STATUS_UNSUPPORTED && failed_count > 0) {
    status = split(work, &range, failed, failed_count, text, next, error);
  } else {
    armnn_fail(error, status, "%s", failed == NULL ? "out of memory" : text);
  }
  free(failed);
  range_free(&range);
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
  const work_t work = {armnn_i_acc_maker((armnn_i_acc_backend_t*)backend), subgraph, sink};
  const armnn_status_t status = optimize_range(&work, 0, subgraph->layer_count, error);
  if (status == ARMNN_STATUS_OK || error == NULL || error->code != ARMNN_STATUS_OK) return status;
  return armnn_fail(error, status, "the host did not take the compiled sub-graph");
}
