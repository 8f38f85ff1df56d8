/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized.h - kernels of quantised numbers of 8 bits. They compute with levels, which are stored
 * numbers less their zero point, in 16 bits, or with the stored bytes themselves. Stored numbers
 * are bytes here, signed or not: bounds and zero points are in the range of the type.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_H_
#define ARMNN_CPU_ACC_QUANTIZED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Sums to numbers ----------------------------------------------------------------------- */

/* How sums become stored numbers: scaled by factors, the zero point added, bounded. */
typedef struct armnn_i_acc_store_t {
  int32_t zero_point, low, high;
  uint32_t flags;
} armnn_i_acc_store_t;

#define ARMNN_ACC_SCALE_ONCE 1u /* factors round once: |right| shifts the whole product */
/* Some factor is 1/2 or more, so that |left| counts and |right| may be 0; or it is 0. */
#define ARMNN_ACC_SCALE_EXACT 2u
#define ARMNN_ACC_SCALE_POSITIVE 4u /* what is below 0 becomes |low|, however it is rounded */
/* Factors are doubles (armnn_rescaled_sum): MULTIPLIER has the lower half of each, RIGHT the upper
 * one. */
#define ARMNN_ACC_SCALE_REAL 8u

/* What channels have of their own: arrays of as many int32 as there are channels in a panel or a
 * block, one behind another. */
enum armnn_i_acc_channel_e {
  ARMNN_ACC_CHANNEL_BIAS,
  ARMNN_ACC_CHANNEL_MULTIPLIER,
  ARMNN_ACC_CHANNEL_RIGHT,
  ARMNN_ACC_CHANNEL_HALF,
  ARMNN_ACC_CHANNEL_LEFT,
  ARMNN_ACC_CHANNEL_ARRAYS
};

/* ---- Products ------------------------------------------------------------------------------ */

#define ARMNN_ACC_PRODUCT_ROWS 14   /* the most that any tile has */
#define ARMNN_ACC_PRODUCT_VECTORS 4 /* the most that any panel has */

/* |tiles| tiles of |rows| rows of numbers by a panel of weights. */
typedef struct armnn_i_acc_product_job_t {
  const char* const* inputs; /* [tile][row] */
  uint8_t* const* outputs;   /* [tile][row] */
  ptrdiff_t offset;          /* of this panel's first channel in each output, in numbers */
  uint32_t rows, tiles;
  uint32_t channels; /* that are stored */
  uint32_t tap_count;
  const ptrdiff_t* taps; /* where each tap begins in a row, in bytes */
  size_t groups;         /* of depths in a tap */
  const int32_t* panel;  /* the channels' arrays, then weights, [tap][group][channel][depth] */
  const int32_t* more;   /* added to the sums, [tile][row][channel], or null */
  armnn_i_acc_store_t store;
} armnn_i_acc_product_job_t;

/* Products of bytes that meet in 16 bits have weights that are not too large for it
 * (armnn_i_acc_product_kernels_t): what is taken off of a channel, two of its weights at a time.
 * The positive ones of a run, and the negative ones, have a sum of ARMNN_ACC_BYTE_MOST (dynamic.h)
 * at most, so that the products of a whole run are added in 16 bits as well. */
#define ARMNN_ACC_EXCESS_PAIRS 2 /* of a run */
typedef struct armnn_i_acc_excess_run_t {
  uint32_t depths[ARMNN_ACC_EXCESS_PAIRS][2]; /* counted over all taps */
  int8_t weights[ARMNN_ACC_EXCESS_PAIRS][4];  /* of each pair, twice; 0 where there is none */
} armnn_i_acc_excess_run_t;

#define ARMNN_ACC_EXCESS_ROWS 32

/* At most ARMNN_ACC_EXCESS_ROWS rows of bytes, side by side: |columns| is [depth][row]. Rows that
 * are not there repeat the last. */
typedef struct armnn_i_acc_columns_job_t {
  const char* const* inputs;
  uint32_t rows;
  uint32_t tap_count;
  const ptrdiff_t* taps;
  size_t depths; /* of a tap; a multiple of 4 */
  uint8_t* columns;
} armnn_i_acc_columns_job_t;

/* The products of ARMNN_ACC_EXCESS_ROWS rows with what the channels of a panel have listed:
 * [row][channel]. */
typedef struct armnn_i_acc_excess_job_t {
  const uint8_t* columns;
  const uint32_t* begins; /* of each channel's part of |runs|, and the end */
  const armnn_i_acc_excess_run_t* runs;
  int32_t* sums;
} armnn_i_acc_excess_job_t;

/* |rows| rows of levels, |input_row| apart, by a panel of weights of |pairs| pairs: the sums alone,
 * [row][channel]. */
typedef struct armnn_i_acc_sums_job_t {
  const int16_t* input;
  ptrdiff_t input_row;
  uint32_t rows; /* any number */
  size_t pairs;
  const int32_t* weights;
  int32_t* sums;
} armnn_i_acc_sums_job_t;

/* ---- Winograd's algorithm for windows of 3 x 3, in whole numbers ---------------------------- */

#define ARMNN_ACC_SQUARE_POSITIONS 16

/* Squares of 4 x 4 pixels, each 2 pixels behind the last, become 16 positions. */
typedef struct armnn_i_acc_level_squares_t {
  const int16_t* input;
  ptrdiff_t line, pixel; /* in levels */
  int16_t* output;
  ptrdiff_t position, tile; /* in levels, of the output */
  size_t tiles, channels;
} armnn_i_acc_level_squares_t;

/* Sums of 16 positions become 2 x 2 numbers of the channels of a panel. */
typedef struct armnn_i_acc_square_sums_t {
  const int32_t* sums; /* [position][tile][channel] */
  ptrdiff_t position;  /* in int32 */
  size_t tiles;
  uint8_t* const (*outputs)[4]; /* [tile]: of the first channel of the output; null: none */
  ptrdiff_t offset;             /* of the panel's first channel */
  uint32_t channels;
  const int32_t* arrays; /* of the channels */
  armnn_i_acc_store_t store;
} armnn_i_acc_square_sums_t;

/* ---- Images -------------------------------------------------------------------------------- */

/* Levels of |pixels| pixels: (in ^ flip) - offset, zero behind the last channel. Or bytes: in ^
 * flip.
 */
typedef struct armnn_i_acc_levels_of_t {
  const uint8_t* input;
  ptrdiff_t input_step; /* from pixel to pixel */
  void* output;
  size_t pixels, channels, width; /* |width| numbers of the output for each pixel */
  uint8_t flip;                   /* 0x80 for signed numbers, which are then unsigned, or back */
  int16_t offset;
} armnn_i_acc_levels_of_t;

typedef void (*armnn_i_acc_levels_fn_t)(const armnn_i_acc_levels_of_t* job);

/* One way to multiply tiles of rows by panels. */
typedef struct armnn_i_acc_product_kernels_t {
  uint32_t panel; /* channels of a panel */
  uint32_t rows;  /* the most of a tile */
  uint32_t bytes; /* of a number of a row */
  uint32_t weight_bytes;
  uint32_t group; /* neighbouring depths whose weights lie side by side, channel by channel */
  armnn_i_acc_levels_fn_t read; /* images to rows */
  void (*multiply)(const armnn_i_acc_product_job_t* job);
  /* Not null where products of bytes are added in 16 bits. Of two neighbouring groups of a tap,
   * the first two weights of both, and the last two, of the same sign must then have a sum of
   * ARMNN_ACC_BYTE_MOST (dynamic.h) at most; of a last group without neighbour, its first two and
   * last two. */
  void (*columns)(const armnn_i_acc_columns_job_t* job);
  void (*excess)(const armnn_i_acc_excess_job_t* job);
  const char* name;
} armnn_i_acc_product_kernels_t;

#define ARMNN_ACC_MATRIX_ROWS 16   /* of pixels, at most; half a tile of |matrices| (kernels.h) */
#define ARMNN_ACC_MATRIX_GROUPS 16 /* of four depths, at most */

/* How many of the |groups| of a tap each matrix has. All matrices have one size, because another
 * one needs another configuration. 0 if only small matrices divide the tap. */
static inline size_t armnn_i_acc_matrix_groups(size_t groups) {
  const size_t least = (groups + ARMNN_ACC_MATRIX_GROUPS - 1) / ARMNN_ACC_MATRIX_GROUPS;
  if (groups < ARMNN_ACC_MATRIX_GROUPS) return 0;
  for (size_t matrices = least; matrices <= 2 * least; ++matrices) {
    if (groups % matrices == 0) return groups / matrices;
  }
  return 0;
}

/* One line of windows, each channel by itself. Blocks of channels, as wide as a panel, have their
 * arrays, then for each two taps pairs of weights; sums lie as vi_zip_low and vi_zip_high have
 * them: armnn_i_acc_zipped. A block is read as a whole, past the last channel.
 *
 * A |side| of 3 or 5 are square windows of neighbouring pixels, with strides of 1 or 2 along a
 * line, and their taps lie two by two: first those above each other, line after line, then of the
 * last line those side by side. The pixel behind the last window is read there, too. Otherwise
 * |side| is 0. */
typedef struct armnn_i_acc_channelwise_job_t {
  const int16_t* input; /* first tap of the first window */
  uint32_t side;
  ptrdiff_t line, pixel; /* from tap to tap of a square window */
  const ptrdiff_t* taps; /* an even number: without a second one the last is repeated */
  size_t pairs;          /* of taps */
  ptrdiff_t input_step, output_step;
  uint8_t* output;
  size_t pixels, channels;
  const int32_t* blocks;
  armnn_i_acc_store_t store;
} armnn_i_acc_channelwise_job_t;

/* Where in the sums of a block of |panel| channels that of channel |c| lies. */
static inline uint32_t armnn_i_acc_zipped(uint32_t c, uint32_t panel) {
  return c % 8 / 4 * (panel / 2) + c / 8 * 4 + c % 4;
}

#define ARMNN_ACC_BYTE_WINDOW 3    /* lines and columns */
#define ARMNN_ACC_BYTE_CHANNELS 64 /* of a block */

/* Lines of windows of bytes, each channel by itself. Half a block are 32 neighbouring channels;
 * those of the upper half follow them, or are the same ones of another line. */
typedef struct armnn_i_acc_byte_windows_t {
  const uint8_t* input; /* first tap of the first window, of the lower half */
  ptrdiff_t line, pixel;
  uint32_t stride; /* 1 or 2 */
  uint8_t* output;
  ptrdiff_t output_step;
  ptrdiff_t input_upper, output_upper; /* from the lower half to the upper one */
  size_t lines;
  ptrdiff_t input_line, output_line; /* from one of them to the next */
  size_t pixels, channels[2];        /* of each half, what is stored */
  const int32_t* block;              /* arrays, then weights, [column][channel][line], four bytes */
  armnn_i_acc_store_t store;
} armnn_i_acc_byte_windows_t;

/* Where in the arrays of such a block channel |c| is. */
static inline uint32_t armnn_i_acc_quartered(uint32_t c) {
  return c % 16 / 4 * 16 + c / 16 * 4 + c % 4;
}

#define ARMNN_ACC_SUM_BITS 20 /* behind the point of the terms of a sum */

/* ---- Elements ------------------------------------------------------------------------------ */

/* |rows| rows of |columns| of two operands; a step of 0 repeats the first number of a row. */
typedef struct armnn_i_acc_pair_job_t {
  const uint8_t *left, *right;
  uint8_t* output;
  ptrdiff_t left_row, right_row, output_row; /* from row to row */
  ptrdiff_t left_step, right_step;           /* 1 or 0 */
  size_t rows, columns;
  int32_t operation; /* ARMNN_BINARY_ADD, SUB or MUL */
  /* A level is (number ^ flip) - offset, shifted to the left, and of a sum scaled by a factor:
   * 1/2 if |right| is 0. */
  struct armnn_i_acc_operand_t {
    uint8_t flip;
    int32_t offset, multiplier, right, half;
  } operands[2];
  int32_t left_shift, multiplier, right_shift, half; /* of what comes out */
  bool is_quick;   /* float32, or 16 bits behind the point, tells nearly all sums for sure */
  bool is_real;    /* in float32, by the scales of both operands and of the output */
  float scales[3]; /* that of what is taken off is negative */
  double quick[2]; /* from levels to levels of the output */
  armnn_i_acc_store_t store;
} armnn_i_acc_pair_job_t;

/* So far from a whole number a quick sum may be. */
#define ARMNN_ACC_SURE_SUM (0.5f - 0x1p-11f)

/* Bilinear interpolation of real numbers between four pixels, top left, top right, bottom left,
 * bottom right, stored by |store| in steps of |out_scale|. */
typedef struct armnn_i_acc_blend_job_t {
  const uint8_t* from[4];
  float across, down;
  uint8_t* output;
  size_t count;
  uint8_t flip; /* a level is (number ^ flip) - offset */
  int32_t offset;
  float in_scale, out_scale;
  armnn_i_acc_store_t store;
} armnn_i_acc_blend_job_t;

/* The taps of a window that see the image. */
typedef struct armnn_i_acc_window_job_t {
  const uint8_t* input;  /* the first of them */
  ptrdiff_t line, pixel; /* from tap to tap */
  size_t lines, columns; /* below 2^22 taps */
  size_t channels;
  uint8_t* output;
  uint8_t flip;
  /* Of an average: what the sum has too much, by how much it is divided, and how it is stored. */
  int32_t zeros;
  double counted;
  bool is_real; /* armnn_rescaled_mean, by the scales below */
  armnn_i_acc_store_t store;
  /* Of an average of real numbers, scale * ((in ^ flip) - offset). */
  int32_t offset;
  float in_scale, out_scale;
} armnn_i_acc_window_job_t;

typedef struct armnn_i_acc_window_kernels_t {
  void (*maximum)(const armnn_i_acc_window_job_t* job);
  void (*average)(const armnn_i_acc_window_job_t* job);
  void (*average_of_reals)(const armnn_i_acc_window_job_t* job);
  const char *maximum_name, *average_name;
} armnn_i_acc_window_kernels_t;

/* Rows of channels: scale * ((in ^ flip) - offset), times the scale and plus the shift of the
 * channel, stored in steps of |out_scale|. Arrays are read in whole blocks of 64 channels at most.
 */
typedef struct armnn_i_acc_affine_job_t {
  const uint8_t* input;
  uint8_t* output;
  ptrdiff_t input_row, output_row;
  size_t rows, channels;
  const float *scales, *shifts;
  uint8_t flip;
  int32_t offset;
  float in_scale, out_scale;
  armnn_i_acc_store_t store;
} armnn_i_acc_affine_job_t;

typedef struct armnn_i_acc_element_kernels_t {
  /* float32 to stored numbers. */
  void (*quantize)(const float* in, uint8_t* out, size_t count, float scale,
                   const armnn_i_acc_store_t* store);
  /* scale * ((in ^ flip) - offset), as for levels. */
  void (*dequantize)(const uint8_t* in, float* out, size_t count, float scale, uint8_t flip,
                     int32_t offset);
  void (*table)(const uint8_t* in, uint8_t* out, size_t count, const uint8_t* table);
  void (*pair)(const armnn_i_acc_pair_job_t* job);
  void (*blend)(const armnn_i_acc_blend_job_t* job);
  const char *blend_name, *quantize_name, *dequantize_name, *table_name, *add_name, *sub_name,
      *mul_name;
} armnn_i_acc_element_kernels_t;

typedef struct armnn_i_acc_int16_kernels_t armnn_i_acc_int16_kernels_t; /* quantized_int16.h */
typedef struct armnn_i_acc_lstm_int8_kernels_t armnn_i_acc_lstm_int8_kernels_t; /* lstm_int8.h */

struct armnn_i_acc_byte_sums_job_t; /* dynamic.h */

typedef struct armnn_i_acc_quantized_kernels_t {
  uint32_t panel; /* channels of a panel of |sums|, and of a block of |channelwise| */
  const armnn_i_acc_element_kernels_t* elements;
  const armnn_i_acc_window_kernels_t* pooling;
  void (*affine)(const armnn_i_acc_affine_job_t* job);
  const char* affine_name;
  const armnn_i_acc_int16_kernels_t* int16; /* of numbers of 16 bits */
  const armnn_i_acc_lstm_int8_kernels_t* lstm;
  armnn_i_acc_levels_fn_t levels;
  /* Levels of both sides in 16 bits: any zero points. */
  const armnn_i_acc_product_kernels_t* pairs;
  /* The same with weights whose levels fit 8 bits: half of what is read. */
  const armnn_i_acc_product_kernels_t* narrow_pairs;
  /* Stored bytes by levels of weights that fit 8 bits; the input's zero point goes off with the
   * bias. */
  const armnn_i_acc_product_kernels_t* bytes;
  uint8_t byte_sign;    /* 0x80 if |bytes| takes the bytes of its rows as signed numbers */
  bool has_dot_product; /* |bytes| has an instruction: it is faster than pairs and squares */
  /* As |byte_sums| of dynamic.h, with weights [group][channel][depth] of four depths, any bytes;
   * null without an instruction for it. */
  void (*byte_sums)(const struct armnn_i_acc_byte_sums_job_t* job);
  const char* byte_sums_name;
  void (*channelwise)(const armnn_i_acc_channelwise_job_t* job);
  void (*windows)(const armnn_i_acc_byte_windows_t* job); /* faster than |channelwise|, or null */
  void (*sums)(const armnn_i_acc_sums_job_t* job);
  void (*winograd_input)(const armnn_i_acc_level_squares_t* job);
  void (*winograd_output)(const armnn_i_acc_square_sums_t* job);
  const char *channelwise_name, *windows_name, *winograd_name;
} armnn_i_acc_quantized_kernels_t;

#endif /* ARMNN_CPU_ACC_QUANTIZED_H_ */
