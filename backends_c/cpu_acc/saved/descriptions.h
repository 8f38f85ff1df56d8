/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * descriptions.h - descriptions of operators (ops/ops.h) as fields.
 *
 * What is read is what the makers may rely on: tensors lie where they may, operands fit each other,
 * parameters have a range. Weights that were packed are not there: the maker gets them by packs.h.
 */
#ifndef ARMNN_CPU_ACC_DESCRIPTIONS_H_
#define ARMNN_CPU_ACC_DESCRIPTIONS_H_

#include "fields.h"
#include "ops/ops.h"

/* One for each kind of operator, by the names of kinds.inc. */
typedef enum armnn_i_acc_saved_e {
#define KIND(kind, name, ...) ARMNN_ACC_SAVED_##kind,
#define KIND_LIKE(kind, name, ...) ARMNN_ACC_SAVED_##kind,
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE
  ARMNN_ACC_SAVED_COPY,
  ARMNN_ACC_SAVED_COUNT
} armnn_i_acc_saved_e;

/* Writes the operator that was made of |what|: its kind and its description. */
#define KIND(kind, name, ...) KIND_LIKE(kind, name, name, 0)
#define KIND_LIKE(kind, name, other, ...) \
  void armnn_i_acc_save_##name(armnn_i_acc_fields_t* fields, const armnn_i_acc_##other##_t* what);
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE
void armnn_i_acc_save_copy(armnn_i_acc_fields_t* fields, const armnn_i_acc_copy_t* what);

/* Makes the operator that is read next. INCOMPATIBLE: |fields->fault| says why. */
armnn_status_t armnn_i_acc_make_saved(const armnn_i_acc_maker_t* maker,
                                      armnn_i_acc_fields_t* fields, armnn_i_acc_op_t** out_op);

/* A number for the kinds and their descriptions: files of another one have other fields. */
uint32_t armnn_i_acc_saved_stamp(void);

#endif /* ARMNN_CPU_ACC_DESCRIPTIONS_H_ */
