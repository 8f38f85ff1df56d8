/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * alias.c - tensors of the network as values in another order, and with other shapes.
 */
#include <string.h>

#include "ir.h"

bool armnn_i_acc_reshape_strides(const ir_shape_t* from, const int64_t* strides,
                                 const ir_shape_t* to, int64_t* out_strides) {
  /* Both shapes fall into groups with equal products; inside a group the elements of |from| must
   * lie as if it were one dimension. Dimensions of 1 do not matter; the last ones step as the last
   * group's elements do, so that strides stay whole elements and dense tensors stay dense. */
  uint32_t f = 0, t = 0;
  int64_t step = from->rank > 0 ? strides[from->rank - 1] : 0;
  while (f < from->rank || t < to->rank) {
    while (f < from->rank && from->dims[f] == 1) ++f;
    uint32_t begin = t;
    if (f == from->rank) { /* only ones are left */
      for (; t < to->rank; ++t) out_strides[t] = step;
      return true;
    }
    int64_t from_count = from->dims[f], to_count = 1;
    uint32_t f_end = f + 1;
    while (t < to->rank && to_count == 1) to_count *= to->dims[t++];
    while (from_count != to_count) {
      if (from_count < to_count) {
        while (from->dims[f_end] == 1) ++f_end;
        from_count *= from->dims[f_end++];
      } else {
        to_count *= to->dims[t++];
      }
    }
    uint32_t last = f;
    for (uint32_t d = f; d < f_end; ++d) {
      if (from->dims[d] != 1) last = d;
    }
    step = strides[last];
    int64_t stride = step;
    int64_t expected = stride * from->dims[last];
    for (uint32_t d = last; d-- > f;) {
      if (from->dims[d] == 1) continue;
      if (strides[d] != expected) return false;
      expected *= from->dims[d];
    }
    for (uint32_t d = t; d-- > begin;) {
      out_strides[d] = stride;
      stride *= to->dims[d];
    }
    f = f_end;
    while (f < from->rank && from->dims[f] == 1) ++f;
    if (f == from->rank) {
      for (; t < to->rank; ++t) out_strides[t] = step;
      return true;
    }
  }
  return true;
}

ir_alias_t armnn_i_acc_alias(const ir_graph_t* graph, uint32_t value) {
  ir_alias_t alias = {.value = value};
  for (uint32_t d = 0; d < ir_shape(graph, value)->rank; ++d) alias.perm[d] = d;
  return alias;
}

ir_shape_t armnn_i_acc_logical(const ir_graph_t* graph, const ir_alias_t* alias) {
  const ir_shape_t* shape = ir_shape(graph, alias->value);
  ir_shape_t logical = {.rank = shape->rank};
  for (uint32_t d = 0; d < shape->rank; ++d) logical.dims[alias->perm[d]] = shape->dims[d];
  return logical;
}

/* A constant with its dimensions in another order: output dimension d is dimension order[d]. */
static uint32_t transposed_constant(ir_graph_t* graph, uint32_t value, const ir_shape_t* shape,
                                    const uint32_t* order) {
  const ir_value_t* from = graph->values[value];
  const size_t size = from->element.size;
  int64_t dense[IR_DIMS], steps[IR_DIMS], index[IR_DIMS] = {0};
  ir_dense_steps(&from->shape, dense);
  for (uint32_t d = 0; d < shape->rank; ++d) steps[d] = dense[order[d]];
  const int64_t count = ir_count(shape);
  char* values = armnn_i_acc_pool(graph, (uint64_t)count * size);
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    memcpy(values + (size_t)i * size, (const char*)from->constant + (size_t)at * size, size);
    for (uint32_t d = shape->rank; d-- > 0;) {
      at += steps[d];
      if (++index[d] < shape->dims[d]) break;
      at -= index[d] * steps[d];
      index[d] = 0;
    }
  }
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_TRANSPOSED, size, shape->rank);
  for (uint32_t d = 0; d < shape->rank; ++d) {
    ARMNN_ACC_NAME(&name, (uint64_t)shape->dims[d], (uint64_t)steps[d]);
  }
  armnn_i_acc_name_weights(&name, graph->maker, from->constant);
  armnn_i_acc_add_origin(&graph->origins, values, (uint64_t)count * size, &name);
  return armnn_i_acc_constant(graph, from->element, shape, values);
}

/* |value| viewed with another shape. */
static uint32_t viewed(ir_graph_t* graph, uint32_t value, const ir_shape_t* shape) {
  const ir_value_t* from = graph->values[value];
  if (ir_same_shape(&from->shape, shape)) return value;
  if (from->constant != NULL)
    return armnn_i_acc_constant(graph, from->element, shape, from->constant);
  return armnn_i_acc_node_of(graph, IR_RESHAPE, value, shape)->output;
}

uint32_t armnn_i_acc_ordered(ir_graph_t* graph, const ir_alias_t* alias, const uint32_t* perm) {
  const ir_shape_t* from = ir_shape(graph, alias->value);
  ir_shape_t shape = {.rank = from->rank};
  uint32_t order[IR_DIMS] = {0}, last = 0;
  bool moves = false;
  for (uint32_t d = 0; d < shape.rank; ++d) {
    while (alias->perm[order[d]] != perm[d]) ++order[d];
    shape.dims[d] = from->dims[order[d]];
    if (shape.dims[d] == 1) continue;
    moves = moves || order[d] < last;
    last = order[d];
  }
  if (!moves) return viewed(graph, alias->value, &shape);
  if (graph->values[alias->value]->constant != NULL) {
    return transposed_constant(graph, alias->value, &shape, order);
  }
  ir_value_t* value = graph->values[alias->value];
  for (uint32_t n = value->reordered; n != IR_NONE; n = graph->nodes[n]->transpose.earlier) {
    const ir_node_t* node = graph->nodes[n]; /* perhaps it is there already */
    if (memcmp(node->transpose.order, order, sizeof order) == 0) return node->output;
  }
  ir_node_t* node = armnn_i_acc_node_of(graph, IR_TRANSPOSE, alias->value, &shape);
  memcpy(node->transpose.order, order, sizeof order);
  node->transpose.earlier = value->reordered;
  value->reordered = graph->node_count - 1;
  return node->output;
}

uint32_t armnn_i_acc_plain(ir_graph_t* graph, const ir_alias_t* alias) {
  static const uint32_t identity[IR_DIMS] = {0, 1, 2, 3, 4, 5, 6, 7};
  return armnn_i_acc_ordered(graph, alias, identity);
}

ir_alias_t armnn_i_acc_reshaped(ir_graph_t* graph, const ir_alias_t* alias,
                                const ir_shape_t* shape) {
  const ir_shape_t* own = ir_shape(graph, alias->value);
  const ir_shape_t logical = armnn_i_acc_logical(graph, alias);
  int64_t dense[IR_DIMS], strides[IR_DIMS], reshaped[IR_DIMS];
  if (ir_same_shape(&logical, shape)) return *alias;
  ir_dense_steps(own, dense);
  for (uint32_t d = 0; d < own->rank; ++d) strides[alias->perm[d]] = dense[d];
  if (!armnn_i_acc_reshape_strides(&logical, strides, shape, reshaped)) {
    const uint32_t plain = armnn_i_acc_plain(graph, alias);
    return armnn_i_acc_alias(graph, viewed(graph, plain, shape));
  }
  /* The order of the dimensions in memory: by their strides, those of 1 behind their neighbour. */
  ir_alias_t result = {.value = alias->value};
  ir_shape_t memory = {.rank = shape->rank};
  int64_t neighbour = INT64_MAX;
  for (uint32_t d = 0; d < shape->rank; ++d) {
    if (shape->dims[d] == 1) reshaped[d] = neighbour;
    neighbour = reshaped[d];
    uint32_t at = d;
    for (; at > 0 && reshaped[result.perm[at - 1]] < reshaped[d]; --at) {
      result.perm[at] = result.perm[at - 1];
    }
    result.perm[at] = d;
  }
  for (uint32_t d = 0; d < shape->rank; ++d) memory.dims[d] = shape->dims[result.perm[d]];
  result.value = viewed(graph, alias->value, &memory);
  return result;
}

uint32_t armnn_i_acc_operand(ir_graph_t* graph, const ir_alias_t* alias, uint32_t rank,
                             const uint32_t* perm) {
  const ir_shape_t own = armnn_i_acc_logical(graph, alias);
  ir_shape_t shape = {.rank = rank};
  for (uint32_t d = 0; d < rank; ++d) {
    shape.dims[d] = d + own.rank < rank ? 1 : own.dims[d + own.rank - rank];
  }
  const ir_alias_t wide = armnn_i_acc_reshaped(graph, alias, &shape);
  return armnn_i_acc_ordered(graph, &wide, perm);
}

const ir_alias_t* armnn_i_acc_leading(const ir_graph_t* graph, const ir_alias_t* operands,
                                      uint32_t count, const ir_shape_t* logical) {
  const ir_alias_t* leading = NULL;
  for (uint32_t i = 0; i < count; ++i) {
    const ir_shape_t own = armnn_i_acc_logical(graph, &operands[i]);
    if (!ir_same_shape(&own, logical)) continue;
    const ir_value_t* value = graph->values[operands[i].value];
    if (value->constant == NULL && value->input == IR_NONE) return &operands[i];
    if (leading == NULL) leading = &operands[i];
  }
  return leading;
}
