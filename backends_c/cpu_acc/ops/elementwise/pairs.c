/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * pairs.c - functions of two operands of any type: comparisons, logic, and the arithmetic that
 * elementwise.c has no vectors for, by the row functions that CpuRef has.
 */
#include "binary_rows.h"
#include "comparison_rows.h"
#include "row_op.h"

typedef struct pairs_op_t {
  armnn_i_acc_row_op_t rows;
  armnn_binary_row_fn_t function;
} pairs_op_t;

static armnn_binary_row_fn_t function_of(int32_t kind, int32_t operation, int32_t data_type) {
  if (data_type < 0 || data_type >= ARMNN_DATA_TYPE_COUNT || operation < 0) return NULL;
  switch (kind) {
    case ARMNN_ACC_PAIRS_ARITHMETIC:
      return operation < ARMNN_BINARY_COUNT ? armnn_binary_row(data_type, operation) : NULL;
    case ARMNN_ACC_PAIRS_COMPARISON:
      return operation < ARMNN_COMPARISON_COUNT ? armnn_comparison_row(data_type, operation) : NULL;
    case ARMNN_ACC_PAIRS_LOGIC:
      return operation < ARMNN_LOGICAL_BINARY_COUNT && data_type == ARMNN_DATA_TYPE_BOOLEAN
                 ? armnn_logical_row(operation)
                 : NULL;
    default:
      return NULL;
  }
}

bool armnn_i_acc_has_pairs(int32_t kind, int32_t operation, int32_t data_type) {
  return function_of(kind, operation, data_type) != NULL;
}

static void run_row(const void* context, void* out, const char* const* operands,
                    const int64_t* steps, uint64_t count) {
  ((const pairs_op_t*)context)->function(out, operands[0], operands[1], count, steps[0], steps[1]);
}

armnn_status_t armnn_i_acc_make_pairs(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_pairs_t* what, armnn_i_acc_op_t** out_op) {
  static const char* const names[] = {"armnn_any_binary_rows", "armnn_any_comparison_rows",
                                      "armnn_b8_logical_rows"};
  const int32_t data_type = what->left.element.type;
  const int32_t result =
      what->kind == ARMNN_ACC_PAIRS_ARITHMETIC ? data_type : ARMNN_DATA_TYPE_BOOLEAN;
  const armnn_binary_row_fn_t function = function_of(what->kind, what->operation, data_type);
  if (function == NULL || what->right.element.type != data_type ||
      what->output.element.type != result) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  pairs_op_t* op = (pairs_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->function = function;
  op->rows.tensors[0] = what->output;
  op->rows.tensors[1] = what->left;
  op->rows.tensors[2] = what->right;
  op->rows.base.op.kernel = names[what->kind];
  const bool is_slow =
      what->kind == ARMNN_ACC_PAIRS_ARITHMETIC && what->operation == ARMNN_BINARY_POWER;
  armnn_i_acc_plan_rows(maker, &op->rows, run_row, 2, is_slow ? 64 : 8);
  *out_op = &op->rows.base.op;
  return ARMNN_STATUS_OK;
}
