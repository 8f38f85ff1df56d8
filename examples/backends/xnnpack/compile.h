/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compile.h - what the files of the compiler share.
 */
#ifndef ARMNN_XNNPACK_COMPILE_H_
#define ARMNN_XNNPACK_COMPILE_H_

#include "armnn/compile_kit.h"
#include "xn.h"

/* A tensor of the network: an input of the part, or an output of one of its layers. */
typedef struct xn_value_t {
  const armnn_tensor_info_t* info;
  uint32_t tensor; /* of the program */
} xn_value_t;

typedef struct xn_compiler_t {
  const armnn_subgraph_t* part;
  xn_program_t* program;
  xn_value_t* values;
  armnn_part_values_t* numbers; /* of the values, and who reads each */
  uint32_t* taken;              /* of each layer: not 0 if a layer before it computes it */
  uint32_t tensor_room, step_room, memory_room;
  bool out_of_memory;
} xn_compiler_t;

/* ---- values.c: after a failure |out_of_memory| is set, and results are 0 or null ------------- */

uint32_t xn_value_of(const xn_compiler_t* c, armnn_slot_t slot);
/* Memory of the program for |bytes| and XNN_EXTRA_BYTES, zeroed. */
void* xn_memory(xn_compiler_t* c, uint64_t bytes);
uint32_t xn_tensor(xn_compiler_t* c, int32_t place, uint32_t index, uint64_t bytes,
                   const void* constant);
/* A step with defaults: one input, no clamping, nothing repeated; its numbers are those of |layer|.
 * Valid until the next. */
xn_step_t* xn_step(xn_compiler_t* c, int32_t kind, const armnn_layer_t* layer, uint32_t input,
                   uint32_t output);
uint64_t xn_bytes_of(const armnn_tensor_info_t* info);
/* The tensor into which |value| is to be computed. */
uint32_t xn_result(xn_compiler_t* c, uint32_t value);
/* Operand |index| of a layer, constant or not. */
uint32_t xn_input(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t index);
/* A step that moves dimension 1 of four behind the others, or back; |info|: of what is read. */
void xn_turn(xn_compiler_t* c, const armnn_layer_t* layer, const armnn_tensor_info_t* info,
             bool goes_last, uint32_t from, uint32_t to);

/* ---- lower.c, lower_moves.c ------------------------------------------------------------------ */

/* |value|: what the layer, and the activation that was fused with it, computes first. */
void xn_lower(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value, float low, float high);
void xn_lower_move(xn_compiler_t* c, const armnn_layer_t* layer, uint32_t value);
/* The bounds of a ReLu or BoundedReLu; false for any other layer. */
bool xn_bounds(const armnn_layer_t* layer, float* out_low, float* out_high);

/* ---- support_8bit.c ---------------------------------------------------------------------------
 */

/* OK, or why an 8-bit layer is not taken. */
armnn_status_t xn_check_8bit(const armnn_layer_query_t* query, armnn_error_t* reason);
/* Do both tensors have one scale and one zero point, and the same ones? */
bool xn_same_quantum(const armnn_tensor_info_t* a, const armnn_tensor_info_t* b);
bool xn_is_8bit(const armnn_tensor_info_t* info);

/* ---- support.c ------------------------------------------------------------------------------- */

/* Is a Pooling2d or Reduce layer the average of whole images? */
bool xn_is_global_average(int32_t type, const armnn_header_t* descriptor,
                          const armnn_tensor_info_t* input);
/* |out_extra|: rows and columns to pad at the end, so that a pooling layer that rounds up gets the
 * size that it states. */
void xn_pooling_extra(const armnn_pooling2d_descriptor_t* d, const armnn_tensor_info_t* input,
                      const armnn_tensor_info_t* output, uint32_t* out_bottom, uint32_t* out_right);
/* Rows and columns of a transposed convolution that its formula does not give; false if they are
 * not as few as XNNPACK wants them. */
bool xn_adjustment(const armnn_transpose_convolution2d_descriptor_t* d,
                   const armnn_tensor_info_t* input, const armnn_tensor_info_t* weights,
                   const armnn_tensor_info_t* output, uint32_t* out_y, uint32_t* out_x);
/* The axis along which a Slice cuts, XN_NONE if there are several. */
uint32_t xn_slice_axis(const armnn_slice_descriptor_t* d, const armnn_tensor_info_t* input);

#endif /* ARMNN_XNNPACK_COMPILE_H_ */
