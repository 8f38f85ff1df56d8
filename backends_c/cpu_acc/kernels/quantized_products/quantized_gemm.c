/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_gemm.c - products of pairs of levels, and the table of all quantised kernels.
 */
#include "kernels/quantized/quantized.h"
#include "quantized_tile.h"

#define TILE(rows) DEFINE_TILE(tile, rows, multiply_tiles(job, rows, VECTORS, PAIRS))
TILES_UP_TO(MOST_ROWS, TILE)
#undef TILE
TILES_KERNEL(ACC_NAME(armnn_s8_gemm), MOST_ROWS)

ACC_INLINE void sum_rows(const armnn_i_acc_sums_job_t* job, const int16_t* input, int32_t* sums,
                         const int ROWS) {
  const char* weights = (const char*)job->weights;
  const char* row[MOST_ROWS];
  sums_t sum[MOST_ROWS];
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    row[i] = (const char*)(input + i * job->input_row);
    sum[i][0] = sum[i][1] = vi_set(0);
  }
  for (size_t k = 0; k < job->pairs; ++k, weights += weights_size(PAIRS)) {
    add_group(sum, row, k, weights, ROWS, VECTORS, PAIRS);
  }
  UNROLLED for (int i = 0; i < ROWS; ++i) {
    vi_store(sums + i * PANEL, sum[i][0]);
    vi_store(sums + i * PANEL + VF_LANES, sum[i][1]);
  }
}

static void ACC_NAME(armnn_s8_sums)(const armnn_i_acc_sums_job_t* job) {
  const int16_t* input = job->input;
  int32_t* sums = job->sums;
  uint32_t rows = job->rows;
  for (; rows >= MOST_ROWS; rows -= MOST_ROWS) {
    sum_rows(job, input, sums, MOST_ROWS);
    input += MOST_ROWS * job->input_row;
    sums += MOST_ROWS * PANEL;
  }
  switch (rows) {
#define TILE(rows)                    \
  case rows:                          \
    sum_rows(job, input, sums, rows); \
    break;
    TILES_UP_TO(MOST_ROWS, TILE)
#undef TILE
    default:
      break;
  }
}

void ACC_NAME(armnn_s8_levels)(const armnn_i_acc_levels_of_t* job);

static const armnn_i_acc_product_kernels_t pairs = {
    .panel = PANEL,
    .rows = MOST_ROWS,
    .bytes = sizeof(int16_t),
    .weight_bytes = sizeof(int16_t),
    .group = GROUP_BYTES / sizeof(int16_t),
    .read = ACC_NAME(armnn_s8_levels),
    .multiply = ACC_NAME(armnn_s8_gemm),
    .name = "armnn_s8_gemm__" ACC_ISA_TEXT,
};

void ACC_NAME(armnn_s8_depthwise)(const armnn_i_acc_channelwise_job_t* job);
#if VI_HAS_DOT_PRODUCT && defined(__AVX512F__)
void ACC_NAME(armnn_s8_windows)(const armnn_i_acc_byte_windows_t* job);
#endif
#if VI_HAS_DOT_PRODUCT && VI_BYTE_SIGN == 0
void ACC_NAME(armnn_s8_byte_sums)(const struct armnn_i_acc_byte_sums_job_t* job);
#endif
void ACC_NAME(armnn_s8_winograd_input)(const armnn_i_acc_level_squares_t* job);
void ACC_NAME(armnn_s8_winograd_output)(const armnn_i_acc_square_sums_t* job);
extern const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_narrow_kernels);
/* quantized_bytes.c, or quantized_mmla.c */
extern const armnn_i_acc_product_kernels_t ACC_NAME(armnn_i_acc_byte_kernels);
extern const armnn_i_acc_element_kernels_t ACC_NAME(armnn_i_acc_element_kernels);
void ACC_NAME(armnn_s8_affine)(const armnn_i_acc_affine_job_t* job);
extern const armnn_i_acc_window_kernels_t ACC_NAME(armnn_i_acc_window_kernels);
extern const armnn_i_acc_int16_kernels_t ACC_NAME(armnn_i_acc_int16_kernels);
extern const armnn_i_acc_lstm_int8_kernels_t ACC_NAME(armnn_i_acc_lstm_int8_kernels);

extern const armnn_i_acc_quantized_kernels_t ACC_NAME(armnn_i_acc_quantized_kernels);
const armnn_i_acc_quantized_kernels_t ACC_NAME(armnn_i_acc_quantized_kernels) = {
    .panel = PANEL,
    .levels = ACC_NAME(armnn_s8_levels),
    .pairs = &pairs,
    .narrow_pairs = &ACC_NAME(armnn_i_acc_narrow_kernels),
    .bytes = &ACC_NAME(armnn_i_acc_byte_kernels),
    .byte_sign = VI_BYTE_SIGN,
    .has_dot_product = VI_HAS_DOT_PRODUCT,
    .elements = &ACC_NAME(armnn_i_acc_element_kernels),
    .affine = ACC_NAME(armnn_s8_affine),
    .affine_name = "armnn_s8_affine__" ACC_ISA_TEXT,
    .pooling = &ACC_NAME(armnn_i_acc_window_kernels),
    .int16 = &ACC_NAME(armnn_i_acc_int16_kernels),
    .lstm = &ACC_NAME(armnn_i_acc_lstm_int8_kernels),
#if VI_HAS_DOT_PRODUCT && VI_BYTE_SIGN == 0
    .byte_sums = ACC_NAME(armnn_s8_byte_sums),
    .byte_sums_name = "armnn_s8_product__" ACC_ISA_TEXT,
#endif
    .channelwise = ACC_NAME(armnn_s8_depthwise),
    .channelwise_name = "armnn_s8_depthwise__" ACC_ISA_TEXT,
#if VI_HAS_DOT_PRODUCT && defined(__AVX512F__)
    .windows = ACC_NAME(armnn_s8_windows),
    .windows_name = "armnn_s8_depthwise_bytes__" ACC_ISA_TEXT,
#endif
    .sums = ACC_NAME(armnn_s8_sums),
    .winograd_input = ACC_NAME(armnn_s8_winograd_input),
    .winograd_output = ACC_NAME(armnn_s8_winograd_output),
    .winograd_name = "armnn_s8_winograd__" ACC_ISA_TEXT "_2x2",
};
