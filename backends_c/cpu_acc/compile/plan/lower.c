/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower.c - steps become operators.
 */
#include "lower.h"

#include <math.h>
#include <string.h>

#include "saved/descriptions.h"

static armnn_i_acc_epilogue_t epilogue_of(const ir_step_t* step) {
  const ir_node_t* node = step->node;
  armnn_i_acc_epilogue_t epilogue = {.function = ARMNN_ACC_IDENTITY};
  if (step->bare) return epilogue;
  epilogue.function = node->function;
  epilogue.a = node->a;
  epilogue.b = node->b;
  epilogue.has_residual = node->residual != IR_NONE;
  epilogue.residual_last = node->residual_last;
  if (epilogue.has_residual) epilogue.residual = step->residual;
  return epilogue;
}

/* Whether elements [0, dims[d]) of dimension |d| and those behind it are finite as float16. Beyond
 * its range they would become infinite; what is infinite stays so. */
static bool fits_float16(const armnn_i_acc_tensor_t* tensor, uint32_t d, int64_t offset) {
  for (int64_t i = 0; i < tensor->dims[d]; ++i, offset += tensor->strides[d]) {
    if (d + 1 < tensor->rank) {
      if (!fits_float16(tensor, d + 1, offset)) return false;
      continue;
    }
    const float size = fabsf(*(const float*)((const char*)tensor->values + offset));
    if (size >= 65520.0f && size < INFINITY) return false;
  }
  return true;
}

int32_t armnn_i_acc_stored_of(const armnn_i_acc_maker_t* maker,
                              const armnn_i_acc_tensor_t* weights) {
  if (weights->values == NULL || weights->rank == 0) return ARMNN_ACC_STORED_FLOAT32;
  if (maker->weights == ARMNN_ACC_STORED_FLOAT16 && !fits_float16(weights, 0, 0)) {
    return ARMNN_ACC_STORED_FLOAT32;
  }
  return maker->weights;
}

/* The sum of what the operator stores and the residual. */
static void set_operands(armnn_i_acc_quantized_binary_t* sum, const ir_step_t* step) {
  const armnn_i_acc_element_t stored = sum->left.element;
  sum->left = sum->output = step->out;
  sum->left.element = stored;
  sum->right = step->residual;
}

/* lower_<kind>: the description in the node, with the tensors and the epilogue of the step. */
#define INPUT(member) what.member = step->in[0];
#define INPUTS(first, second) \
  what.first = step->in[0];   \
  what.second = step->in[1];
#define INPUTS3(first, second, third) INPUTS(first, second) what.third = step->in[2];
#define INPUTS4(first, second, third, fourth) \
  INPUTS3(first, second, third) what.fourth = step->in[3];
#define STORED(member) what.stored = armnn_i_acc_stored_of(maker, &what.member);
#define EPILOGUE what.epilogue = epilogue_of(step);
#define SUM \
  if (what.has_sum) set_operands(&what.sum, step);
#define KIND(kind, name, operands, traits, ...) KIND_LIKE(kind, name, name, operands, traits)
#define KIND_LIKE(kind, name, other, operands, traits)                                         \
  static armnn_status_t lower_##name(const armnn_i_acc_maker_t* maker, const ir_step_t* step,  \
                                     armnn_i_acc_fields_t* saved, armnn_i_acc_op_t** out_op) { \
    armnn_i_acc_##other##_t what = step->node->other;                                          \
    operands what.output = step->out;                                                          \
    const armnn_status_t status = armnn_i_acc_make_##name(maker, &what, out_op);               \
    if (status == ARMNN_STATUS_OK && saved != NULL) armnn_i_acc_save_##name(saved, &what);     \
    return status;                                                                             \
  }
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE

typedef armnn_status_t (*lower_t)(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                  armnn_i_acc_fields_t* saved, armnn_i_acc_op_t** out_op);

/* By kind. */
static const lower_t lower[IR_KIND_COUNT] = {
#define KIND(kind, name, ...) [IR_##kind] = lower_##name,
#define KIND_LIKE(kind, name, ...) [IR_##kind] = lower_##name,
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE
};

static armnn_status_t lower_copy(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                 armnn_i_acc_fields_t* saved, armnn_i_acc_op_t** out_op) {
  armnn_i_acc_copy_t what = {.input = step->in[0], .output = step->out};
  memcpy(what.order, step->order, sizeof what.order);
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_make_copy(maker, &what, out_op));
  if (saved != NULL) armnn_i_acc_save_copy(saved, &what);
  return ARMNN_STATUS_OK;
}

static armnn_status_t lower_function(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                     armnn_i_acc_fields_t* saved, armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_unary_t what = {
      .input = step->in[0],
      .output = step->out,
      .epilogue = {.function = step->node->function, .a = step->node->a, .b = step->node->b},
  };
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_make_unary(maker, &what, out_op));
  if (saved != NULL) armnn_i_acc_save_unary(saved, &what);
  return ARMNN_STATUS_OK;
}

static armnn_status_t lower_add(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                armnn_i_acc_fields_t* saved, armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_binary_t what = {
      .left = step->in[0],
      .right = step->in[1],
      .output = step->out,
      .operation = ARMNN_BINARY_ADD,
  };
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_make_binary(maker, &what, out_op));
  if (saved != NULL) armnn_i_acc_save_binary(saved, &what);
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_lower(const armnn_i_acc_maker_t* maker, const ir_step_t* step,
                                 armnn_i_acc_fields_t* saved, armnn_i_acc_op_t** out_op) {
  *out_op = NULL;
  switch (step->action) {
    case IR_ACT_COPY:
      return lower_copy(maker, step, saved, out_op);
    case IR_ACT_FUNCTION:
      return lower_function(maker, step, saved, out_op);
    case IR_ACT_ADD:
      return lower_add(maker, step, saved, out_op);
    default:
      return lower[step->node->kind](maker, step, saved, out_op);
  }
}
