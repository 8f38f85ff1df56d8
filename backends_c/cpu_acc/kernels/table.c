/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * table.c - the table of one instruction set; compiled for each.
 */
#include "armnn/backend_api.h"
#include "kernels.h"
#include "simd.h"

#if defined(__AVX512F__)
#define FEATURES                                                             \
  (ARMNN_CPU_X86_AVX512F | ARMNN_CPU_X86_AVX512BW | ARMNN_CPU_X86_AVX512VL | \
   ARMNN_CPU_X86_AVX512DQ | ARMNN_CPU_X86_AVX2 | ARMNN_CPU_X86_FMA)
#elif defined(__AVX2__)
#define FEATURES (ARMNN_CPU_X86_AVX2 | ARMNN_CPU_X86_FMA)
#else
#define FEATURES 0 /* every machine of the architecture has them */
#endif

extern const armnn_i_acc_gemm_kernels_t ACC_NAME(armnn_i_acc_gemm_kernels);
extern const armnn_i_acc_depthwise_kernels_t ACC_NAME(armnn_i_acc_depthwise_kernels);
extern const armnn_i_acc_elementwise_kernels_t ACC_NAME(armnn_i_acc_elementwise_kernels);
extern const armnn_i_acc_pooling_kernels_t ACC_NAME(armnn_i_acc_pooling_kernels);
extern const armnn_i_acc_reduce_kernels_t ACC_NAME(armnn_i_acc_reduce_kernels);
extern const armnn_i_acc_move_kernels_t ACC_NAME(armnn_i_acc_move_kernels);
extern const armnn_i_acc_winograd_kernels_t ACC_NAME(armnn_i_acc_winograd_kernels);
extern const armnn_i_acc_move_kernels_t ACC_NAME(armnn_i_acc_move_kernels_8);
extern const armnn_i_acc_move_kernels_t ACC_NAME(armnn_i_acc_move_kernels_16);
extern const armnn_i_acc_move_kernels_t ACC_NAME(armnn_i_acc_move_kernels_64);

extern const armnn_i_acc_block_kernels_t ACC_NAME(armnn_i_acc_block_kernels);
extern const armnn_i_acc_dynamic_kernels_t ACC_NAME(armnn_i_acc_dynamic_kernels);
extern const armnn_i_acc_quantized_kernels_t ACC_NAME(armnn_i_acc_quantized_kernels);

static const armnn_i_acc_kernels_t float32 = {
    .lanes = VF_LANES,
    .gemm = &ACC_NAME(armnn_i_acc_gemm_kernels),
    .depthwise = &ACC_NAME(armnn_i_acc_depthwise_kernels),
    .elementwise = &ACC_NAME(armnn_i_acc_elementwise_kernels),
    .pooling = &ACC_NAME(armnn_i_acc_pooling_kernels),
    .reduce = &ACC_NAME(armnn_i_acc_reduce_kernels),
    .move = &ACC_NAME(armnn_i_acc_move_kernels),
    .winograd = &ACC_NAME(armnn_i_acc_winograd_kernels),
};

extern const armnn_i_acc_isa_t ACC_NAME(armnn_i_acc_isa);
const armnn_i_acc_isa_t ACC_NAME(armnn_i_acc_isa) = {
    .name = ACC_ISA_TEXT,
    .features = FEATURES,
    .kernels = {[ARMNN_DATA_TYPE_FLOAT32] = &float32},
    .moves = {[1] = &ACC_NAME(armnn_i_acc_move_kernels_8),
              [2] = &ACC_NAME(armnn_i_acc_move_kernels_16),
              [4] = &ACC_NAME(armnn_i_acc_move_kernels),
              [8] = &ACC_NAME(armnn_i_acc_move_kernels_64)},
    .quantized = &ACC_NAME(armnn_i_acc_quantized_kernels),
    .blocks = &ACC_NAME(armnn_i_acc_block_kernels),
    .dynamic = &ACC_NAME(armnn_i_acc_dynamic_kernels),
};
