/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * ir.h - a sub-graph while it is compiled: nodes between values.
 *
 * The stages: read/ (layers become nodes), fuse/ (nodes swallow others), and in plan/ bufferize*.c
 * (values get buffers, nodes become steps), plan_memory.c (buffers get their offsets in the arena),
 * lower.c (steps become operators), in_place.c (which outputs may lie where an input does).
 *
 * The dimensions of a value are in **memory order**: images are N, H, W, C, also those of an NCHW
 * network. Only read/ knows the network's order: it keeps for each of its tensors a value and a
 * permutation (ir_alias_t). So a Transpose is nothing but another
 * permutation, and moves data only where an operator, or the border of the sub-graph, needs
 * another order than its value has.
 *
 * Everything of a compilation lies in one pool and is freed at once. A layer that cannot be
 * compiled, and memory that runs out, end the compilation from wherever it is (armnn_i_acc_refuse):
 * by a jump back to armnn_i_acc_compile, which cleans up.
 */
#ifndef ARMNN_CPU_ACC_IR_H_
#define ARMNN_CPU_ACC_IR_H_

#include <setjmp.h>

#include "ops/ops.h"
#include "origins.h"

#define IR_NONE UINT32_MAX
#define IR_DIMS ARMNN_ACC_MAX_RANK
#define IR_OPERANDS 4u /* the most that an operator reads, but for its residual */

typedef struct ir_shape_t {
  uint32_t rank; /* at least 1 */
  int64_t dims[IR_DIMS];
} ir_shape_t;

typedef struct ir_value_t {
  ir_shape_t shape;
  armnn_i_acc_element_t element;
  const void* constant; /* dense, or null */
  uint32_t producer;    /* node, or IR_NONE */
  uint32_t input;       /* which input of the sub-graph it is, or IR_NONE */
  uint32_t output;      /* which output of the sub-graph it becomes, or IR_NONE */
  uint32_t uses;        /* by how many nodes (uses.c) */
  uint32_t user;        /* XOR of their numbers: with one use, the number of that node */
  uint32_t reordered;   /* the last IR_TRANSPOSE that reads it (alias.c), or IR_NONE */
  /* From bufferize.c on. */
  bool has_buffer;
  uint32_t buffer;
  int64_t offset;           /* of the first element, in bytes */
  int64_t strides[IR_DIMS]; /* in bytes */
} ir_value_t;

typedef enum ir_kind_t {
  IR_DEAD,
#define KIND(kind, ...) IR_##kind,
#define KIND_LIKE(kind, ...) IR_##kind,
#define MOVE(kind, ...) IR_##kind,
#include "kinds.inc"
#undef KIND
#undef KIND_LIKE
#undef MOVE
  IR_KIND_COUNT
} ir_kind_t;

typedef enum ir_trait_t { IR_PRODUCT = 1, IR_TAKES_FUNCTION = 2, IR_IN_PLACE = 4 } ir_trait_t;

typedef struct ir_node_t ir_node_t;
struct ir_node_t {
  ir_kind_t kind;
  uint32_t input_count;
  uint32_t* inputs; /* values */
  uint32_t output;  /* value */
  uint32_t layer_count, layer_capacity;
  uint32_t* layers; /* of the sub-graph, sorted */
  uint32_t origin;  /* the layer that it was read from, or IR_NONE; the others were fused into it */

  /* The epilogue, for the kinds that have one. */
  int32_t function;
  float a, b;
  float amplified;   /* the largest factor of fused scales for an earlier fused shift */
  uint32_t residual; /* value, or IR_NONE */
  bool residual_last;
  bool plain_operands; /* the operator was refused with strides: operands become dense */
  bool bare;           /* it was refused with its epilogue, which becomes steps of its own */
  ir_node_t** rows;    /* the convolutions of a transposed one without overlaps */

  union {
    /* Descriptions of operators, whose tensors and epilogues are set when they are made. */
#define KIND(kind, name, ...) armnn_i_acc_##name##_t name;
#define KIND_LIKE(...)
#include "kinds.inc"
#undef KIND
#undef KIND_LIKE
    struct {
      int64_t (*origins)[IR_DIMS]; /* where each input begins in the output */
    } concat;
    struct {
      int64_t begin[IR_DIMS], stride[IR_DIMS];
    } slice;
    struct {
      uint32_t order[IR_DIMS]; /* output dimension d is input dimension order[d] */
      uint32_t earlier;        /* another IR_TRANSPOSE of the same value, or IR_NONE */
    } transpose;
  };
};

/* A tensor of the network: dimension i of the value is its dimension perm[i]. */
typedef struct ir_alias_t {
  uint32_t value;
  uint32_t perm[IR_DIMS];
} ir_alias_t;

/* The dimension of the value that is |dimension| of the network's tensor. */
static inline uint32_t ir_axis(const ir_alias_t* alias, uint32_t dimension) {
  uint32_t axis = 0;
  while (alias->perm[axis] != dimension) ++axis;
  return axis;
}

typedef struct ir_block_t ir_block_t;

typedef struct ir_graph_t {
  const armnn_subgraph_t* subgraph;
  const armnn_i_acc_maker_t* maker;
  ir_node_t** nodes; /* in an order in which they can run */
  ir_value_t** values;
  uint32_t node_count, node_capacity;
  uint32_t value_count, value_capacity;
  ir_alias_t** aliases; /* [layer][output] */
  uint32_t layer;       /* that is being read */
  ir_block_t* blocks;   /* of the pool */
  armnn_i_acc_origins_t origins;
  jmp_buf escape;
  armnn_status_t status; /* why the compilation was ended */
  const ir_node_t* culprit;
  char reason[160];
} ir_graph_t;

/* ---- graph.c ------------------------------------------------------------------------------- */

/* Zeros, aligned to a line; valid until the end of the compilation. Does not return null. */
void* armnn_i_acc_pool(ir_graph_t* graph, uint64_t size);
void armnn_i_acc_pool_free(ir_graph_t* graph);
/* Ends the compilation: |node|, or the layer that is being read, cannot be done. */
#if defined(__GNUC__)
__attribute__((noreturn, format(printf, 3, 4)))
#endif
void armnn_i_acc_refuse(ir_graph_t* graph, const ir_node_t* node, const char* format, ...);

uint32_t armnn_i_acc_value(ir_graph_t* graph, armnn_i_acc_element_t element,
                           const ir_shape_t* shape);
uint32_t armnn_i_acc_constant(ir_graph_t* graph, armnn_i_acc_element_t element,
                              const ir_shape_t* shape, const void* values);
/* A node of the layer that is being read, with a fresh output of |shape| and of the same elements
 * as |inputs|, which are copied. */
ir_node_t* armnn_i_acc_node(ir_graph_t* graph, ir_kind_t kind, const uint32_t* inputs,
                            uint32_t input_count, const ir_shape_t* shape);
ir_node_t* armnn_i_acc_node_of(ir_graph_t* graph, ir_kind_t kind, uint32_t input,
                               const ir_shape_t* shape);
/* Float32 weights that lie densely as [o, y, x, i]. */
armnn_i_acc_tensor_t armnn_i_acc_dense_weights(const float* values, int64_t o, int64_t y, int64_t x,
                                               int64_t i);
/* |node| takes over the layers of |other|. */
void armnn_i_acc_adopt_layers(ir_graph_t* graph, ir_node_t* node, const ir_node_t* other);

static inline const ir_shape_t* ir_shape(const ir_graph_t* graph, uint32_t value) {
  return &graph->values[value]->shape;
}

static inline int64_t ir_count(const ir_shape_t* shape) {
  int64_t count = 1;
  for (uint32_t d = 0; d < shape->rank; ++d) count *= shape->dims[d];
  return count;
}

static inline bool ir_same_shape(const ir_shape_t* a, const ir_shape_t* b) {
  if (a->rank != b->rank) return false;
  for (uint32_t d = 0; d < a->rank; ++d) {
    if (a->dims[d] != b->dims[d]) return false;
  }
  return true;
}

/* Of a dense tensor, in elements. */
static inline void ir_dense_steps(const ir_shape_t* shape, int64_t* out_steps) {
  int64_t step = 1;
  for (uint32_t d = shape->rank; d-- > 0;) {
    out_steps[d] = step;
    step *= shape->dims[d];
  }
}

static inline bool ir_is_float32(const ir_graph_t* graph, uint32_t value) {
  return graph->values[value]->element.type == ARMNN_DATA_TYPE_FLOAT32;
}

/* The values of a float32 constant, or null. */
static inline const float* ir_floats(const ir_graph_t* graph, uint32_t value) {
  return ir_is_float32(graph, value) ? graph->values[value]->constant : NULL;
}

extern const uint8_t armnn_i_acc_traits[IR_KIND_COUNT]; /* by kind: bits of ir_trait_t */

static inline bool ir_has(const ir_node_t* node, ir_trait_t trait) {
  return (armnn_i_acc_traits[node->kind] & trait) != 0;
}

/* ---- alias.c ------------------------------------------------------------------------------- */

/* Strides of |to| for elements that lie as |strides| say in the shape |from|; false if there are
 * none. Both have the same number of elements, none of them 0. */
bool armnn_i_acc_reshape_strides(const ir_shape_t* from, const int64_t* strides,
                                 const ir_shape_t* to, int64_t* out_strides);

ir_alias_t armnn_i_acc_alias(const ir_graph_t* graph, uint32_t value); /* in its own order */
ir_shape_t armnn_i_acc_logical(const ir_graph_t* graph, const ir_alias_t* alias);
/* The value of |alias| whose dimension i is dimension perm[i] of the network's tensor. */
uint32_t armnn_i_acc_ordered(ir_graph_t* graph, const ir_alias_t* alias, const uint32_t* perm);
/* The same in the network's own order. */
uint32_t armnn_i_acc_plain(ir_graph_t* graph, const ir_alias_t* alias);
/* The value with the network's shape |shape|. */
ir_alias_t armnn_i_acc_reshaped(ir_graph_t* graph, const ir_alias_t* alias,
                                const ir_shape_t* shape);
/* |alias| as an operand of rank |rank|, dimensions of 1 before its own, in the order |perm|. */
uint32_t armnn_i_acc_operand(ir_graph_t* graph, const ir_alias_t* alias, uint32_t rank,
                             const uint32_t* perm);

/* ---- read/ --------------------------------------------------------------------------------- */

void armnn_i_acc_read(ir_graph_t* graph);

static inline const armnn_layer_t* ir_layer(const ir_graph_t* graph) {
  return graph->subgraph->layers[graph->layer];
}

ir_shape_t armnn_i_acc_shape_of(const armnn_tensor_info_t* info);
bool armnn_i_acc_has_input(const ir_graph_t* graph, uint32_t index);
ir_alias_t armnn_i_acc_input(ir_graph_t* graph, uint32_t index);
/* Values of a constant input; refuses the layer if it has none. */
const void* armnn_i_acc_constant_input(ir_graph_t* graph, uint32_t index, const char* what);
void armnn_i_acc_set_output(ir_graph_t* graph, uint32_t index, ir_alias_t alias);
/* How many bytes the outputs have together, and bytes from |*begin| on of the flat |value| as
 * output |index|: nodes have one output. */
ir_shape_t armnn_i_acc_bytes_of_outputs(const ir_graph_t* graph);
void armnn_i_acc_set_part(ir_graph_t* graph, uint32_t index, uint32_t value, int64_t* begin);
ir_alias_t armnn_i_acc_apply(ir_graph_t* graph, const ir_alias_t* alias, int32_t function, float a,
                             float b);
/* The operand whose order of dimensions an elementwise function keeps: the first that has the shape
 * |logical| and is computed, or else has that shape; null if none has. */
const ir_alias_t* armnn_i_acc_leading(const ir_graph_t* graph, const ir_alias_t* operands,
                                      uint32_t count, const ir_shape_t* logical);
ir_alias_t armnn_i_acc_apply_binary(ir_graph_t* graph, const ir_alias_t* left,
                                    const ir_alias_t* right, int32_t operation,
                                    const ir_shape_t* logical);

/* Moves, by the network's dimensions. A slice of |alias|: |count| elements from |begin| in steps of
 * |stride| (null: 1). */
ir_alias_t armnn_i_acc_sliced(ir_graph_t* graph, const ir_alias_t* alias, const int64_t* begin,
                              const int64_t* stride, const int64_t* count);
/* The pieces at |origins|. The result has its dimensions in the order of the largest computed
 * piece.
 */
ir_alias_t armnn_i_acc_joined(ir_graph_t* graph, const ir_alias_t* pieces, uint32_t count,
                              const int64_t (*origins)[IR_DIMS], const ir_shape_t* logical);
ir_alias_t armnn_i_acc_padded(ir_graph_t* graph, const ir_alias_t* alias, const int64_t* before,
                              const int64_t* after, int32_t mode, float value);

/* A BATCH_MAT_MUL as a node of |kind|, which its operands may reach with the last two dimensions
 * exchanged. */
/* |alias| as matrices of |rank| dimensions: in the network's order, or with the last two dimensions
 * exchanged if it lies so; then |*transpose| is inverted. */
uint32_t armnn_i_acc_matrices(ir_graph_t* graph, const ir_alias_t* alias, uint32_t rank,
                              bool* transpose);
ir_node_t* armnn_i_acc_product_of_matrices(ir_graph_t* graph, ir_kind_t kind, bool* out_transpose_x,
                                           bool* out_transpose_y);
/* A REDUCE as a node of |kind| over the axes of |*out_mask|. */
ir_node_t* armnn_i_acc_fold_node(ir_graph_t* graph, ir_kind_t kind, uint32_t* out_mask);

/* The layer as an IR_PAIRS of its two inputs. */
void armnn_i_acc_read_pairs(ir_graph_t* graph, int32_t kind, int32_t operation);
/* A GATHER along |axis| by indices that are computed. */
void armnn_i_acc_read_picked_along(ir_graph_t* graph, uint32_t axis);

#define LAYER(type, reader) void armnn_i_acc_read_##reader(ir_graph_t* graph);
#define LAYER_CHECKED(type, reader, check) LAYER(type, reader)
#define MOVES(type, reader) LAYER(type, reader)
#define MOVES_CHECKED(type, reader, check) LAYER(type, reader)
#define PACKED(type, reader, check) LAYER(type, reader)
#define QUANTIZED(type, reader, check) LAYER(type, reader)
#include "kinds.inc"
#undef LAYER
#undef LAYER_CHECKED
#undef MOVES
#undef MOVES_CHECKED
#undef PACKED
#undef QUANTIZED

/* ---- uses.c -------------------------------------------------------------------------------- */

/* Counts producers, uses and users of all values; drops nodes without a reader. */
void armnn_i_acc_count_uses(ir_graph_t* graph);
/* The node that makes |value|, or null; also null unless nodes read it |reads| times and it is no
 * output of the sub-graph. */
ir_node_t* armnn_i_acc_source(const ir_graph_t* graph, uint32_t value, uint32_t reads);
/* The same if it is of |kind|. */
ir_node_t* armnn_i_acc_source_of(const ir_graph_t* graph, uint32_t value, ir_kind_t kind,
                                 uint32_t reads);
/* Makes node |n| read only |inputs| and its residual; drops nodes without a reader. */
void armnn_i_acc_read_only(ir_graph_t* graph, uint32_t n, const uint32_t* inputs, uint32_t count);
void armnn_i_acc_read_alone(ir_graph_t* graph, uint32_t n, uint32_t input);
/* Uncounts what node |n| reads, before a change of the node, and counts it again afterwards. */
void armnn_i_acc_forget_reads(ir_graph_t* graph, uint32_t n);
void armnn_i_acc_note_reads(ir_graph_t* graph, uint32_t n);
/* Lets the node at |at| replace its only reader, the node at |user|: it takes the position, output
 * and layers of the reader. The reads of both must be uncounted before. */
void armnn_i_acc_take_place(ir_graph_t* graph, uint32_t at, uint32_t user);

/* ---- fuse/ --------------------------------------------------------------------------------- */

void armnn_i_acc_fuse_patterns(ir_graph_t* graph);
void armnn_i_acc_fuse_attention(ir_graph_t* graph);
void armnn_i_acc_fuse_gelu(ir_graph_t* graph);
void armnn_i_acc_fuse_normalization(ir_graph_t* graph);
void armnn_i_acc_fuse(ir_graph_t* graph);
void armnn_i_acc_fuse_quantized(ir_graph_t* graph);
void armnn_i_acc_fuse_separable(ir_graph_t* graph);
void armnn_i_acc_fuse_dynamic(ir_graph_t* graph);
void armnn_i_acc_fuse_blocks(ir_graph_t* graph);
void armnn_i_acc_fuse_rotary(ir_graph_t* graph);
/* Notes in a node, which |shifts| itself, that a scale and a shift become part of it. Notes nothing
 * and returns false if that would round what was exact. */
bool armnn_i_acc_try_amplify(ir_node_t* node, bool shifts, const float* scale, const float* shift,
                             int64_t count);
/* Channels times |*scales| plus |*shifts|, which become those of that times |scale| plus |shift|;
 * the latter have |step| 1, or 0 for one value for all. False if that is not finite. */
bool armnn_i_acc_scale_channels(ir_graph_t* graph, int64_t count, const float* scale,
                                const float* shift, int64_t step, const float** scales,
                                const float** shifts);

/* ---- plan/bufferize.c, plan/plan_memory.c -------------------------------------------------- */

#define IR_BUFFER_ARENA 0x80000000u /* buffers of the arena; others are bindings of the run */

typedef enum ir_action_t {
  IR_ACT_NODE,     /* the node's operator */
  IR_ACT_COPY,     /* in[0] to out; |order| is that of armnn_i_acc_make_copy */
  IR_ACT_FUNCTION, /* the epilogue's function, from in[0] to out */
  IR_ACT_ADD,      /* in[0] + in[1] */
} ir_action_t;

typedef struct ir_step_t {
  const ir_node_t* node;
  ir_action_t action;
  bool bare; /* the epilogue follows as further steps */
  armnn_i_acc_tensor_t in[IR_OPERANDS];
  armnn_i_acc_tensor_t residual;
  armnn_i_acc_tensor_t out;
  uint32_t order[IR_DIMS];
} ir_step_t;

typedef struct ir_buffer_t {
  uint64_t size;        /* bytes */
  uint32_t first, last; /* steps */
  uint64_t offset;      /* in the arena */
  uint32_t readers;     /* nodes that will still read a value in it */
} ir_buffer_t;

typedef struct ir_schedule_t {
  ir_step_t* steps;
  uint32_t step_count, step_capacity;
  ir_buffer_t* buffers;
  uint32_t buffer_count, buffer_capacity;
  uint64_t arena_size;
} ir_schedule_t;

/* Gives values buffers, and lists the steps that fill them; tensors name buffers of the arena as
 * bindings IR_BUFFER_ARENA + i. */
void armnn_i_acc_bufferize(ir_graph_t* graph, ir_schedule_t* schedule);
/* Gives buffers their offsets in the arena, and tensors their final bindings. */
void armnn_i_acc_plan_memory(ir_graph_t* graph, ir_schedule_t* schedule);

/* ---- plan/in_place.c ----------------------------------------------------------------------- */

/* For each output of the sub-graph: bit i: it may be the same memory as input i. Tensors of
 * |schedule| have their final bindings. */
void armnn_i_acc_find_in_place(ir_graph_t* graph, const ir_schedule_t* schedule,
                               uint64_t* out_masks);

#endif /* ARMNN_CPU_ACC_IR_H_ */
