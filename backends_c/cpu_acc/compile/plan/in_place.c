/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * in_place.c - which outputs of a program may lie where one of its inputs does.
 *
 * A decoder's caches go in and come out with a row replaced: the caller may have one array for
 * both. That is right for an output that is written first after the last step that reads the input.
 * A copy between the two that leaves each element at its offset does not count: in one array it
 * does nothing (ops/data_movement/copy.c).
 */
#include "compile/ir.h"

#define NEVER UINT32_MAX
#define SEVERAL (UINT32_MAX - 1) /* partners */
#define MOST_INPUTS 64           /* of a mask */

/* Steps are counted from 1 on. Of an input: the last step that reads it, 0 for none; of an output:
 * the first that writes it. |others|: without the copies between it and |partner|. */
typedef struct use_t {
  uint32_t all, others;
  uint32_t partner; /* number of the only output or input that it has such copies with, or NEVER */
  uint64_t size;    /* bytes */
} use_t;

typedef struct borders_t {
  use_t *inputs, *outputs;
  uint32_t input_count, output_count;
} borders_t;

/* Number of the input that |tensor| is in, or NEVER. */
static uint32_t input_of(const borders_t* borders, const armnn_i_acc_tensor_t* tensor) {
  if (tensor->rank == 0 || tensor->values != NULL || tensor->memory.binding == ARMNN_ACC_ARENA) {
    return NEVER;
  }
  const uint32_t input = tensor->memory.binding - 1;
  return input < borders->input_count ? input : NEVER;
}

static uint32_t output_of(const borders_t* borders, const armnn_i_acc_tensor_t* tensor) {
  if (tensor->rank == 0 || tensor->values != NULL || tensor->memory.binding == ARMNN_ACC_ARENA) {
    return NEVER;
  }
  const uint32_t number = tensor->memory.binding - 1;
  return number >= borders->input_count ? number - borders->input_count : NEVER;
}

/* Whether |step| copies from an input to an output, each element to its own offset. */
static bool keeps_places(const borders_t* borders, const ir_step_t* step) {
  const armnn_i_acc_tensor_t *in = &step->in[0], *out = &step->out;
  if (step->action != IR_ACT_COPY || input_of(borders, in) == NEVER ||
      output_of(borders, out) == NEVER || in->memory.offset != out->memory.offset ||
      in->element.size != out->element.size) {
    return false;
  }
  for (uint32_t d = 0; d < out->rank; ++d) {
    const uint32_t from = step->order[d];
    if (in->dims[from] != out->dims[d]) return false;
    if (out->dims[d] != 1 && in->strides[from] != out->strides[d]) return false;
  }
  return true;
}

static void add_partner(use_t* use, uint32_t partner) {
  use->partner = use->partner == NEVER || use->partner == partner ? partner : SEVERAL;
}

static void note_read(const borders_t* borders, const armnn_i_acc_tensor_t* tensor, uint32_t step,
                      bool counts) {
  const uint32_t input = input_of(borders, tensor);
  if (input == NEVER) return;
  borders->inputs[input].all = step;
  if (counts) borders->inputs[input].others = step;
}

static void note_step(const borders_t* borders, const ir_step_t* step, uint32_t number) {
  const bool keeps = keeps_places(borders, step);
  if (keeps) {
    const uint32_t input = input_of(borders, &step->in[0]);
    const uint32_t output = output_of(borders, &step->out);
    add_partner(&borders->inputs[input], output);
    add_partner(&borders->outputs[output], input);
  }
  for (uint32_t i = 0; i < IR_OPERANDS; ++i) note_read(borders, &step->in[i], number, !keeps);
  note_read(borders, &step->residual, number, true);
  const uint32_t output = output_of(borders, &step->out);
  if (output == NEVER) return;
  use_t* use = &borders->outputs[output];
  if (use->all == NEVER) use->all = number;
  if (use->others == NEVER && !keeps) use->others = number;
}

static borders_t borders_of(ir_graph_t* graph) {
  borders_t borders = {.input_count = graph->subgraph->input_count,
                       .output_count = graph->subgraph->output_count};
  borders.inputs =
      armnn_i_acc_pool(graph, (borders.input_count + UINT64_C(1)) * sizeof *borders.inputs);
  borders.outputs =
      armnn_i_acc_pool(graph, (borders.output_count + UINT64_C(1)) * sizeof *borders.outputs);
  for (uint32_t i = 0; i < borders.input_count; ++i) {
    borders.inputs[i] = (use_t){.partner = NEVER};
  }
  for (uint32_t k = 0; k < borders.output_count; ++k) {
    borders.outputs[k] = (use_t){.all = NEVER, .others = NEVER, .partner = NEVER};
  }
  for (uint32_t v = 0; v < graph->value_count; ++v) {
    const ir_value_t* value = graph->values[v];
    const uint64_t size = (uint64_t)ir_count(&value->shape) * value->element.size;
    if (value->input != IR_NONE) borders.inputs[value->input].size = size;
    if (value->output != IR_NONE) borders.outputs[value->output].size = size;
  }
  return borders;
}

void armnn_i_acc_find_in_place(ir_graph_t* graph, const ir_schedule_t* schedule,
                               uint64_t* out_masks) {
  const borders_t borders = borders_of(graph);
  for (uint32_t s = 0; s < schedule->step_count; ++s) {
    note_step(&borders, &schedule->steps[s], s + 1);
  }
  for (uint32_t k = 0; k < borders.output_count; ++k) {
    const use_t* output = &borders.outputs[k];
    out_masks[k] = 0;
    for (uint32_t i = 0; i < borders.input_count && i < MOST_INPUTS; ++i) {
      const use_t* input = &borders.inputs[i];
      const bool partners = input->partner == k && output->partner == i;
      const uint32_t read = partners ? input->others : input->all;
      const uint32_t written = partners ? output->others : output->all;
      if (input->size == output->size && read < written) out_masks[k] |= UINT64_C(1) << i;
    }
  }
}
