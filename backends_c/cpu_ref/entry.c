/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * entry.c - the reference backend "CpuRef": the table of kernels and the three entry points.
 */
#include "armnn/backend_kit.h"
#include "kernels.h"
#include "recurrent/lstm_int8.h"
#include "recurrent/recurrent.h"
#include "shared/levels.h"
#include "shared/widened.h"

/* Kernels of real types: the float32 kernel, widened. Other rows make nothing here. */
#define ARMNN_REF_KERNEL(layer, type, execute, supports)
#define ARMNN_REF_KERNEL_IN_PLACE(layer, type, execute, supports)
#define ARMNN_REF_KERNEL_LEVELS(layer, execute)
#define ARMNN_REF_KERNEL_DECODED(layer, execute, prepare)
#define ARMNN_REF_KERNEL_RECURRENT(layer, execute, supports, prepare)
#define ARMNN_REF_KERNEL_PREPARED(layer, type, execute, supports, prepare)
#define ARMNN_REF_KERNEL_HALVES(layer, operation, supports)                            \
  static armnn_status_t armnn_real_##operation##__ref(const armnn_kernel_call_t* call, \
                                                      armnn_error_t* error) {          \
    return armnn_i_ref_widened(call, armnn_f32_##operation##__ref, error);             \
  }
#define ARMNN_REF_KERNEL_REALS ARMNN_REF_KERNEL_HALVES
#include "kernels.inc"
#undef ARMNN_REF_KERNEL
#undef ARMNN_REF_KERNEL_IN_PLACE
#undef ARMNN_REF_KERNEL_LEVELS
#undef ARMNN_REF_KERNEL_DECODED
#undef ARMNN_REF_KERNEL_RECURRENT
#undef ARMNN_REF_KERNEL_PREPARED
#undef ARMNN_REF_KERNEL_HALVES
#undef ARMNN_REF_KERNEL_REALS

/* All kernels read shapes when they run. */
#define ROW(layer, type, execute, supports, prepare)                             \
  ARMNN_KERNEL_BOUNDED(layer, ARMNN_ANY, type, execute, supports, prepare, NULL, \
                       armnn_i_ref_takes_bounded),
#define ARMNN_REF_KERNEL(layer, type, execute, supports) ROW(layer, type, execute, supports, NULL)
#define ARMNN_REF_KERNEL_IN_PLACE(layer, type, execute, supports) \
  ROW(layer, type, execute, supports, armnn_i_ref_prepare_in_place)
#define ARMNN_REF_KERNEL_LEVELS(layer, execute) \
  LEVELS(layer, QASYMM_U8, execute)             \
  LEVELS(layer, QASYMM_S8, execute)             \
  LEVELS(layer, QSYMM_S16, execute)             \
  LEVELS(layer, QSYMM_S8, execute)
#define LEVELS(layer, type, execute) \
  ROW(layer, type, execute, armnn_i_ref_levels_supports, armnn_i_ref_prepare_levels)
#define WIDENED(layer, type, operation, supports) \
  ROW(layer, type, armnn_real_##operation##__ref, supports, armnn_i_ref_prepare_widened)
#define ARMNN_REF_KERNEL_HALVES(layer, operation, supports) \
  WIDENED(layer, FLOAT16, operation, supports)              \
  WIDENED(layer, BFLOAT16, operation, supports)
#define ARMNN_REF_KERNEL_REALS(layer, operation, supports) \
  ARMNN_REF_KERNEL_HALVES(layer, operation, supports)      \
  WIDENED(layer, QASYMM_U8, operation, supports)           \
  WIDENED(layer, QASYMM_S8, operation, supports)           \
  WIDENED(layer, QSYMM_S16, operation, supports)           \
  WIDENED(layer, QSYMM_S8, operation, supports)
#define ARMNN_REF_KERNEL_DECODED(layer, execute, prepare)   \
  ROW(layer, FLOAT16, execute, armnn_layer_rule, prepare)   \
  ROW(layer, BFLOAT16, execute, armnn_layer_rule, prepare)  \
  ROW(layer, QASYMM_U8, execute, armnn_layer_rule, prepare) \
  ROW(layer, QASYMM_S8, execute, armnn_layer_rule, prepare) \
  ROW(layer, QSYMM_S16, execute, armnn_layer_rule, prepare) \
  ROW(layer, QSYMM_S8, execute, armnn_layer_rule, prepare)

#define ARMNN_REF_KERNEL_PREPARED ROW
#define ARMNN_REF_KERNEL_RECURRENT(layer, execute, supports, prepare) \
  ROW(layer, FLOAT32, execute, supports, prepare)                     \
  ROW(layer, FLOAT16, execute, supports, prepare)                     \
  ROW(layer, BFLOAT16, execute, supports, prepare)                    \
  ROW(layer, QASYMM_U8, execute, supports, prepare)                   \
  ROW(layer, QASYMM_S8, execute, supports, prepare)                   \
  ROW(layer, QSYMM_S16, execute, supports, prepare)                   \
  ROW(layer, QSYMM_S8, execute, supports, prepare)

static const armnn_kernel_t kernels[] = {
#include "kernels.inc"
};

#undef ARMNN_REF_KERNEL
#undef ARMNN_REF_KERNEL_IN_PLACE
#undef ARMNN_REF_KERNEL_PREPARED
#undef ARMNN_REF_KERNEL_LEVELS
#undef ARMNN_REF_KERNEL_DECODED
#undef ARMNN_REF_KERNEL_RECURRENT
#undef ARMNN_REF_KERNEL_HALVES
#undef ARMNN_REF_KERNEL_REALS

#define CAPABILITY(text, value) {{text, sizeof text - 1}, ARMNN_OPTION_BOOL, 0, value, 0, {"", 0}}

/* Arm NN's names. HasFp16: each layer that takes float32 takes float16 by a kernel of its own,
 * which sums in float32 and rounds once. */
static const armnn_option_t capabilities[] = {
    CAPABILITY("NonConstWeights", 1),
    CAPABILITY("ConstantTensorsAsInputs", 1),
    CAPABILITY("ExternallyManagedMemory", 1),
    CAPABILITY("HasFp16", 1),
    CAPABILITY("ProtectedContentAllocation", 0),
};

static armnn_status_t get_capabilities(armnn_backend_t* backend, armnn_options_t* out_capabilities,
                                       armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)backend;
  (void)error;
  out_capabilities->items = capabilities;
  out_capabilities->count = sizeof capabilities / sizeof capabilities[0];
  return ARMNN_STATUS_OK;
}

ARMNN_DEFINE_BACKEND_FULL("CpuRef", kernels, 0, "0.1.0",
                          "Reference backend: plain C on one or more CPU threads",
                          ARMNN_BACKEND_REFERENCE | ARMNN_BACKEND_UNLOADABLE, get_capabilities)
