/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * table.c - the table of one instruction set; compiled for each. A set that only adds products of
 * bytes to another has quantised kernels of its own, and shares the others (ACC_BASE). One that
 * only adds products of matrices shares quantised kernels as well (ACC_QUANTIZED_BASE).
 */
#include "armnn/backend_api.h"
#include "kernels.h"
#include "kernels/simd/simd.h"

#if defined(__AVX512F__)
#define VECTOR_FEATURES                                                      \
  (ARMNN_CPU_X86_AVX512F | ARMNN_CPU_X86_AVX512BW | ARMNN_CPU_X86_AVX512VL | \
   ARMNN_CPU_X86_AVX512DQ | ARMNN_CPU_X86_AVX2 | ARMNN_CPU_X86_FMA | ARMNN_CPU_X86_F16C)
#elif defined(__AVX2__)
#define VECTOR_FEATURES (ARMNN_CPU_X86_AVX2 | ARMNN_CPU_X86_FMA | ARMNN_CPU_X86_F16C)
#else
#define VECTOR_FEATURES 0 /* every machine of the architecture has them */
#endif

#if defined(ACC_HAS_AMX)
#define DOT_FEATURES (ARMNN_CPU_X86_AVX512VNNI | ARMNN_CPU_X86_AMX_INT8)
#elif defined(__AVX512VNNI__)
#define DOT_FEATURES ARMNN_CPU_X86_AVX512VNNI
#elif defined(__AVXVNNI__)
#define DOT_FEATURES ARMNN_CPU_X86_AVXVNNI
#elif defined(__ARM_FEATURE_MATMUL_INT8)
#define DOT_FEATURES (ARMNN_CPU_ARM_DOTPROD | ARMNN_CPU_ARM_I8MM)
#elif defined(__ARM_FEATURE_DOTPROD)
#define DOT_FEATURES ARMNN_CPU_ARM_DOTPROD
#else
#define DOT_FEATURES 0
#endif

/* The set whose kernels of other types this one takes, or itself. */
#if defined(ACC_BASE)
#define BASE_NAME(name) ACC_PASTE(name, ACC_BASE)
#else
#define BASE_NAME ACC_NAME
#endif

#if defined(ACC_QUANTIZED_BASE)
#define QUANTIZED_NAME(name) ACC_PASTE(name, ACC_QUANTIZED_BASE)
extern const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_matrix_kernels);
#define MATRICES (&ACC_NAME(armnn_i_acc_matrix_kernels))
#else
#define QUANTIZED_NAME ACC_NAME
#define MATRICES NULL
#endif

extern const armnn_i_acc_gemm_kernels_t BASE_NAME(armnn_i_acc_gemm_kernels);
extern const armnn_i_acc_depthwise_kernels_t BASE_NAME(armnn_i_acc_depthwise_kernels);
extern const armnn_i_acc_elementwise_kernels_t BASE_NAME(armnn_i_acc_elementwise_kernels);
extern const armnn_i_acc_pooling_kernels_t BASE_NAME(armnn_i_acc_pooling_kernels);
extern const armnn_i_acc_recurrent_kernels_t BASE_NAME(armnn_i_acc_recurrent_kernels);
extern const armnn_i_acc_reduce_kernels_t BASE_NAME(armnn_i_acc_reduce_kernels);
extern const armnn_i_acc_rotary_kernels_t BASE_NAME(armnn_i_acc_rotary_kernels);
extern const armnn_i_acc_suppression_kernels_t BASE_NAME(armnn_i_acc_suppression_kernels);
extern const armnn_i_acc_move_kernels_t BASE_NAME(armnn_i_acc_move_kernels);
extern const armnn_i_acc_vector_kernels_t BASE_NAME(armnn_i_acc_vector_kernels);
extern const armnn_i_acc_winograd_kernels_t BASE_NAME(armnn_i_acc_winograd_kernels);
extern const armnn_i_acc_move_kernels_t BASE_NAME(armnn_i_acc_move_kernels_8);
extern const armnn_i_acc_move_kernels_t BASE_NAME(armnn_i_acc_move_kernels_16);
extern const armnn_i_acc_move_kernels_t BASE_NAME(armnn_i_acc_move_kernels_64);

extern const armnn_i_acc_block_kernels_t BASE_NAME(armnn_i_acc_block_kernels);
extern const armnn_i_acc_dynamic_kernels_t BASE_NAME(armnn_i_acc_dynamic_kernels);
extern const armnn_i_acc_quantized_kernels_t QUANTIZED_NAME(armnn_i_acc_quantized_kernels);

/* Those of FUSED_NAME are the same bits on every processor: portable ones need a fused product and
 * sum of their own. */
#define FLOAT32_KERNELS(FUSED_NAME)                                 \
  .lanes = VF_LANES, .gemm = &FUSED_NAME(armnn_i_acc_gemm_kernels), \
  .depthwise = &FUSED_NAME(armnn_i_acc_depthwise_kernels),          \
  .elementwise = &FUSED_NAME(armnn_i_acc_elementwise_kernels),      \
  .pooling = &FUSED_NAME(armnn_i_acc_pooling_kernels),              \
  .recurrent = &FUSED_NAME(armnn_i_acc_recurrent_kernels),          \
  .reduce = &FUSED_NAME(armnn_i_acc_reduce_kernels),                \
  .rotary = &BASE_NAME(armnn_i_acc_rotary_kernels),                 \
  .suppression = &BASE_NAME(armnn_i_acc_suppression_kernels),       \
  .move = &FUSED_NAME(armnn_i_acc_move_kernels)

static const armnn_i_acc_kernels_t float32 = {
    FLOAT32_KERNELS(BASE_NAME),
    .vectors = &BASE_NAME(armnn_i_acc_vector_kernels),
    .winograd = &BASE_NAME(armnn_i_acc_winograd_kernels),
};
#if defined(__AVX2__) || defined(__aarch64__)
static const armnn_i_acc_kernels_t reproducible_float32 = {FLOAT32_KERNELS(BASE_NAME)};
#else
#define PORTABLE_FMA_NAME(name) ACC_PASTE(name, portable_fma)
extern const armnn_i_acc_gemm_kernels_t PORTABLE_FMA_NAME(armnn_i_acc_gemm_kernels);
extern const armnn_i_acc_depthwise_kernels_t PORTABLE_FMA_NAME(armnn_i_acc_depthwise_kernels);
extern const armnn_i_acc_elementwise_kernels_t PORTABLE_FMA_NAME(armnn_i_acc_elementwise_kernels);
extern const armnn_i_acc_pooling_kernels_t PORTABLE_FMA_NAME(armnn_i_acc_pooling_kernels);
extern const armnn_i_acc_recurrent_kernels_t PORTABLE_FMA_NAME(armnn_i_acc_recurrent_kernels);
extern const armnn_i_acc_reduce_kernels_t PORTABLE_FMA_NAME(armnn_i_acc_reduce_kernels);
extern const armnn_i_acc_move_kernels_t PORTABLE_FMA_NAME(armnn_i_acc_move_kernels);
static const armnn_i_acc_kernels_t reproducible_float32 = {FLOAT32_KERNELS(PORTABLE_FMA_NAME)};
#endif

#define ISA(float32_kernels)                                                         \
  .name = ACC_ISA_TEXT, .features = VECTOR_FEATURES | DOT_FEATURES,                  \
  .kernels = {[ARMNN_DATA_TYPE_FLOAT32] = &(float32_kernels)},                       \
  .moves = {[1] = &BASE_NAME(armnn_i_acc_move_kernels_8),                            \
            [2] = &BASE_NAME(armnn_i_acc_move_kernels_16),                           \
            [4] = &BASE_NAME(armnn_i_acc_move_kernels),                              \
            [8] = &BASE_NAME(armnn_i_acc_move_kernels_64)},                          \
  .quantized = &QUANTIZED_NAME(armnn_i_acc_quantized_kernels), .matrices = MATRICES, \
  .blocks = &BASE_NAME(armnn_i_acc_block_kernels),                                   \
  .dynamic = &BASE_NAME(armnn_i_acc_dynamic_kernels)

static const armnn_i_acc_isa_t reproducible = {
    ISA(reproducible_float32),
    .is_reproducible = true,
    .reproducible = &reproducible,
};

extern const armnn_i_acc_isa_t ACC_NAME(armnn_i_acc_isa);
const armnn_i_acc_isa_t ACC_NAME(armnn_i_acc_isa) = {ISA(float32), .reproducible = &reproducible};
