/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * suppression.c - non-maximum suppression; the vectors are the compiler's. It is compiled so that
 * no product and sum are fused.
 */
#include "suppression.h"

#include "kernels/kernels.h"
#include "kernels/simd/simd.h"

static void run(const armnn_suppression_layer_t* layer, const float* boxes, const float* scores,
                void* memory, int32_t* indices, float* best, int32_t* count) {
  armnn_run_suppression_layer(layer, boxes, scores, memory, indices, best, count);
}

extern const armnn_i_acc_suppression_kernels_t ACC_NAME(armnn_i_acc_suppression_kernels);
const armnn_i_acc_suppression_kernels_t ACC_NAME(armnn_i_acc_suppression_kernels) = {
    .run = run,
    .name = "armnn_f32_suppression__" ACC_ISA_TEXT,
};
