/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compile.c - all stages in a row: from layers to a program.
 *
 * An operator that is refused gets other operands (dense ones, nothing fused behind it) before the
 * sub-graph is given up; then everything is bufferized again, since lifetimes of buffers change.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "armnn/lasting_constants.h"
#include "backend.h"
#include "compile/plan/lower.h"

typedef struct compilation_t {
  ir_graph_t graph;
  ir_schedule_t schedule;
  armnn_i_acc_program_t* program;
} compilation_t;

/* The layers of a node, as guids. */
static uint64_t* guids_of(const ir_graph_t* graph, const ir_node_t* node) {
  uint64_t* guids = malloc((node->layer_count + (size_t)1) * sizeof *guids);
  for (uint32_t i = 0; guids != NULL && i < node->layer_count; ++i) {
    guids[i] = graph->subgraph->layers[node->layers[i]]->guid;
  }
  return guids;
}

/* Constants of the network and of the pool do not outlive the compilation: operators that read them
 * when they run get copies. Weights are packed by their operators instead. */
static void keep_constants(compilation_t* self, ir_step_t* step) {
  for (uint32_t i = 0; i < IR_OPERANDS; ++i) {
    armnn_i_acc_tensor_t* tensor = &step->in[i];
    const bool packed = i == 1 && step->action == IR_ACT_NODE && step->node->kind == IR_MATMUL;
    if (tensor->rank == 0 || tensor->values == NULL || packed) continue;
    uint64_t size = tensor->element.size; /* up to the last element that is reached */
    const char *values = tensor->values, *first = values;
    for (uint32_t d = 0; d < tensor->rank; ++d) {
      const int64_t reach = (tensor->dims[d] - 1) * tensor->strides[d];
      if (reach < 0) first += reach;
      size += (uint64_t)(reach < 0 ? -reach : reach);
    }
    const char* kept = armnn_i_acc_program_keep(self->program, first, size);
    if (kept == NULL) {
      self->graph.status = ARMNN_STATUS_OUT_OF_MEMORY;
      longjmp(self->graph.escape, 1);
    }
    tensor->values = kept + (values - first);
  }
}

/* Where operators are written, which may be in constants that were kept until now; or null. */
static armnn_i_acc_fields_t* recipe_of(const compilation_t* self) {
  armnn_i_acc_program_t* program = self->program;
  program->recipe.constants = program->constants;
  program->recipe.constant_count = program->constant_count;
  return program->saves ? &program->recipe : NULL;
}

/* Operators for all steps; false if some node was refused and wants other operands. */
static bool make_operators(compilation_t* self) {
  ir_graph_t* graph = &self->graph;
  bool all = true;
  for (uint32_t s = 0; s < self->schedule.step_count; ++s) {
    ir_step_t* step = &self->schedule.steps[s];
    armnn_i_acc_op_t* op = NULL;
    keep_constants(self, step);
    const armnn_status_t status = armnn_i_acc_lower(graph->maker, step, recipe_of(self), &op);
    if (status == ARMNN_STATUS_OK) {
      uint64_t* guids = guids_of(graph, step->node);
      if (guids == NULL ||
          !armnn_i_acc_program_add(self->program, op, guids, step->node->layer_count)) {
        free(guids);
        op->destroy(op);
        graph->status = ARMNN_STATUS_OUT_OF_MEMORY;
        longjmp(graph->escape, 1);
      }
      armnn_i_acc_program_note(self->program, guids, step->node->layer_count);
      continue;
    }
    if (status != ARMNN_STATUS_UNSUPPORTED) {
      graph->status = status;
      longjmp(graph->escape, 1);
    }
    /* Nodes are the graph's own; only the schedule sees them as constant. */
    ir_node_t* node = (ir_node_t*)(uintptr_t)step->node;
    const bool has_epilogue = node->kind != IR_UNARY && node->kind != IR_QUANTIZED_CONVOLUTION &&
                              (node->function != ARMNN_ACC_IDENTITY || node->residual != IR_NONE);
    if (step->action == IR_ACT_NODE && !node->plain_operands) {
      node->plain_operands = true;
    } else if (step->action == IR_ACT_NODE && has_epilogue && !node->bare) {
      node->bare = true;
    } else {
      armnn_i_acc_refuse(graph, node, "no operator takes its sizes");
    }
    all = false;
  }
  return all;
}

/* Constants that the host has numbered are named by their numbers. */
static void name_constants(ir_graph_t* graph) {
  const armnn_host_t* host = graph->maker->host;
  if (host == NULL || !ARMNN_HAS_FN(host, armnn_host_t, extension)) return;
  const armnn_lasting_constants_t* lasting =
      host->extension(host->context, ARMNN_LASTING_CONSTANTS);
  if (lasting == NULL) return;
  for (uint32_t l = 0; l < graph->subgraph->layer_count; ++l) {
    const armnn_layer_t* layer = graph->subgraph->layers[l];
    for (uint32_t i = 0; layer->constants != NULL && i < layer->input_count; ++i) {
      const armnn_const_tensor_t* constant = layer->constants[i];
      if (constant == NULL) continue;
      const uint64_t number = lasting->number_of(lasting->context, constant->data, constant->size);
      if (number == 0) continue;
      armnn_i_acc_name_t name = {0};
      ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_CONSTANT, number);
      armnn_i_acc_add_origin(&graph->origins, constant->data, constant->size, &name);
    }
  }
}

static void compile(compilation_t* self) {
  ir_graph_t* graph = &self->graph;
  name_constants(graph);
  armnn_i_acc_read(graph);
  graph->layer = graph->subgraph->layer_count; /* nodes from here on belong to no layer */
  armnn_i_acc_fuse_blocks(graph);
  armnn_i_acc_fuse_dynamic(graph);
  armnn_i_acc_fuse_rotary(graph);
  armnn_i_acc_fuse_patterns(graph);
  armnn_i_acc_fuse_gelu(graph);
  armnn_i_acc_fuse_normalization(graph);
  armnn_i_acc_fuse_attention(graph);
  armnn_i_acc_fuse(graph);
  armnn_i_acc_fuse_quantized(graph);
  armnn_i_acc_fuse_separable(graph);
  do {
    armnn_i_acc_program_clear(self->program);
    armnn_i_acc_bufferize(graph, &self->schedule);
    armnn_i_acc_plan_memory(graph, &self->schedule);
  } while (!make_operators(self));
  armnn_i_acc_find_in_place(graph, &self->schedule, self->program->in_place);
  armnn_i_acc_program_finish(self->program, self->schedule.arena_size);
}

static armnn_status_t report(const ir_graph_t* graph, uint32_t* out_layers, uint32_t* out_count,
                             armnn_error_t* error) {
  *out_count = 0;
  if (graph->status != ARMNN_STATUS_UNSUPPORTED) {
    return armnn_fail(error, graph->status, "out of memory");
  }
  const ir_node_t* node = graph->culprit;
  if (node == NULL || node->layer_count == 0) {
    out_layers[(*out_count)++] = graph->layer < graph->subgraph->layer_count
                                     ? graph->layer
                                     : graph->subgraph->layer_count - 1;
  } else if (node->origin != IR_NONE) { /* layers fused into it may compile without it */
    out_layers[(*out_count)++] = node->origin;
  } else {
    for (uint32_t i = 0; i < node->layer_count; ++i) out_layers[(*out_count)++] = node->layers[i];
  }
  return armnn_fail(error, ARMNN_STATUS_UNSUPPORTED, "%s", graph->reason);
}

armnn_status_t armnn_i_acc_compile(const armnn_i_acc_maker_t* maker,
                                   const armnn_subgraph_t* subgraph, bool saves,
                                   armnn_i_acc_program_t** out_program, uint32_t* out_layers,
                                   uint32_t* out_count, armnn_error_t* error) {
  *out_program = NULL;
  *out_count = 0;
  compilation_t* self = calloc(1, sizeof *self);
  if (self == NULL) return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  self->graph.subgraph = subgraph;
  self->program = armnn_i_acc_program_create(maker, subgraph, saves);
  armnn_status_t status = ARMNN_STATUS_OK;
  if (self->program == NULL) {
    status = armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  } else if (setjmp(self->graph.escape) == 0) {
    self->graph.maker = &self->program->maker; /* operators may keep it */
    self->program->packs.origins = &self->graph.origins;
    compile(self);
    self->program->packs.origins = NULL;
    *out_program = self->program;
  } else {
    armnn_i_acc_program_destroy(self->program);
    status = report(&self->graph, out_layers, out_count, error);
  }
  armnn_i_acc_free_origins(&self->graph.origins);
  armnn_i_acc_pool_free(&self->graph);
  free(self);
  return status;
}
