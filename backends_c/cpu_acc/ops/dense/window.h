/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * window.h - shared by convolutions, transposed convolutions and matrix products: a window that
 * moves over an image, as tiles of output pixels x panels of output channels.
 */
#ifndef ARMNN_CPU_ACC_WINDOW_H_
#define ARMNN_CPU_ACC_WINDOW_H_

#include "ops/op_base.h"
#include "panels.h"

/* Pixels of all images are numbered through. A block is some whole lines of the output image or,
 * if |flat|, any range of pixels: these lie at equal distances throughout then, and a tile may run
 * on over the end of a line. */
typedef struct armnn_i_acc_window_t {
  armnn_i_acc_convolution_t what; /* paddings may be negative, a kernel may have no tap at all */
  const armnn_i_acc_kernels_t* kernels;
  armnn_i_acc_panels_t panels;
  bool flat;
  bool regular;      /* flat, and each pixel's input is |input_step| behind that of the last */
  bool gathered;     /* regular after the inputs of a block were copied, once for all panels */
  bool far;          /* weights that do not stay in the second cache from block to block */
  bool rows_as_runs; /* a run of inputs is a row of the window, not one tap */
  uint32_t taps_y, taps_x;
  armnn_i_acc_gemm_tap_t* taps;                   /* [taps_y][taps_x] */
  float* zeros;                                   /* a run of padding, for any group */
  int64_t input_step, output_step, residual_step; /* elements from pixel to pixel */
  int64_t input_steps[ARMNN_ACC_MAX_RANK], output_steps[ARMNN_ACC_MAX_RANK];
  int64_t residual_steps[ARMNN_ACC_MAX_RANK]; /* zeros without a residual */
  int64_t inside_begin, inside_end; /* columns of the output whose windows padding does not cut */
  struct armnn_i_acc_line_tile_t* line_tiles; /* how a line is cut, unless |flat| */
  uint32_t line_tile_count;
  uint32_t flags; /* of the kernels */
  float low, high;
  bool in_tile; /* tiles do the whole epilogue */
  /* Work is cut into |blocks| of at most |block_units| lines or pixels x |parts| groups of panels;
   * a block ends at a multiple of |grain|. */
  int64_t units, grain, block_units, blocks;
  uint32_t parts;
  uint32_t threads;
  uint32_t taps_at_a_time; /* of a panel, before the next; all of them unless tiles can pause */
  /* Scratch of a thread: tiles, then addresses of runs, then runs that padding cuts or gathered
   * inputs, then sums of tiles that pause. */
  uint64_t runs_offset, edges_offset, sums_offset, thread_scratch;
  uint64_t scratch_size;
  uint64_t operations;
} armnn_i_acc_window_t;

/* The best guess of how many vectors a panel of |columns| channels should have. */
uint32_t armnn_i_acc_guess_vectors(const armnn_i_acc_gemm_kernels_t* gemm, uint64_t columns);
/* |vectors| of a panel, or 0 for the best guess. Fails like a maker, leaving nothing behind. */
armnn_status_t armnn_i_acc_make_window(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_convolution_t* what, uint32_t vectors,
                                       armnn_i_acc_window_t* out_window);
/* window_run.c */
void armnn_i_acc_run_window(const armnn_i_acc_window_t* window, const armnn_i_acc_run_t* run);
/* Flags for kernels; false if the function needs a pass of its own. */
bool armnn_i_acc_set_epilogue(const armnn_i_acc_epilogue_t* epilogue, uint32_t* flags, float* low,
                              float* high);
void armnn_i_acc_free_window(const armnn_host_t* host, armnn_i_acc_window_t* window);

/* ---- Tiles of a block (window_tiles.c) ----------------------------------------------------- */

typedef struct armnn_i_acc_window_tile_t {
  uint32_t rows;   /* pixels of a tile */
  uint32_t repeat; /* tiles, one behind another */
  uint32_t first_tap, tap_count;
  const float* input;       /* of the first pixel; not used with |runs| */
  const float* const* runs; /* as in the job of kernels/dense/gemm.h, or null */
  int64_t output, residual; /* offsets of the first pixel */
} armnn_i_acc_window_tile_t;

/* Cuts lines or pixels [begin, end) into tiles at the front of |scratch|; returns how many. */
uint32_t armnn_i_acc_cut_tiles(const armnn_i_acc_window_t* window, const void* input, int64_t begin,
                               int64_t end, char* scratch);
/* Sets the members on tiles of a line. */
armnn_status_t armnn_i_acc_plan_lines(const armnn_host_t* host, armnn_i_acc_window_t* window);
/* Sets the members on scratch, for blocks of block_units. */
void armnn_i_acc_size_tiles(armnn_i_acc_window_t* window);

#endif /* ARMNN_CPU_ACC_WINDOW_H_ */
