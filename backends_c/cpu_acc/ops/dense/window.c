/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * window.c - how a window's work is cut.
 */
#include "window.h"

#include <math.h>

#include "ops/caches.h"

/* A block's inputs and outputs, and weights that may be read again for each block: these shares of
 * the second cache. */
#define BLOCK_SHARE 4
#define NEAR_WEIGHTS_SHARE 2
/* Work of a block that is worth being handed out by itself. */
#define ITEM_OPERATIONS 3000000

/* Bytes of scratch for a thread; blocks become smaller before they want more. A single tile of a
 * window of thousands of pixels may: such a window is not taken. */
#define MOST_SCRATCH 33554432

/* Weights that all tiles of a block read before the next are this share of it, too. */
#define WEIGHTS_SHARE 4
/* Panels for which copying their inputs to one place pays. */
#define GATHERED_PANELS 4

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Whether the pixels of all lines and images lie at equal distances. */
static bool is_flat(const armnn_i_acc_tensor_t* tensor) {
  const int64_t* dims = tensor->dims;
  const int64_t* strides = tensor->strides;
  const int64_t step = dims[2] > 1 ? strides[2] : dims[1] > 1 ? strides[1] : strides[0];
  return (dims[1] == 1 || strides[1] == dims[2] * step) &&
         (dims[0] == 1 || strides[0] == dims[1] * dims[2] * step);
}

static int64_t pixel_step(const armnn_i_acc_tensor_t* tensor) {
  return armnn_i_acc_step(tensor, tensor->dims[2] > 1 ? 2 : tensor->dims[1] > 1 ? 1 : 0);
}

uint32_t armnn_i_acc_guess_vectors(const armnn_i_acc_gemm_kernels_t* gemm, uint64_t columns) {
  const uint64_t all = (columns + gemm->lanes - 1) / gemm->lanes;
  if (all <= 2) return (uint32_t)all;
  if (gemm->max_rows[4] > 0) return all == 4 ? 4 : 3;
  /* Of 16 registers, tiles of three vectors need the fewest loads: 7 for 12 products, where those
   * of two need 8. Four vectors are better as two panels alike than as 3 + 1. */
  return all == 4 ? 2 : 3;
}

static int64_t count_pixels(const armnn_i_acc_convolution_t* what) {
  return what->output.dims[0] * what->output.dims[1] * what->output.dims[2];
}

/* Elements read for each pixel of the output, from memory or of what was gathered. */
static int64_t elements_read(const armnn_i_acc_window_t* window) {
  const armnn_i_acc_convolution_t* what = &window->what;
  if (window->gathered) return what->input.dims[3];
  return armnn_i_acc_count(&what->input) / most(count_pixels(what), 1);
}

/* Few pixels and many weights: panels are divided among threads, so that each reads its own. */
static bool divides_panels(const armnn_i_acc_convolution_t* what, uint32_t threads) {
  const int64_t weights =
      what->output.dims[3] * what->kernel_y * what->kernel_x * (what->input.dims[3] / what->groups);
  return threads > 1 &&
         weights > armnn_i_acc_count(&what->input) + armnn_i_acc_count(&what->output);
}

static void size_blocks(armnn_i_acc_window_t* window) {
  const int64_t groups = armnn_i_acc_ceil_div(window->units, window->grain);
  window->block_units = armnn_i_acc_ceil_div(groups, window->blocks) * window->grain;
}

/* Makes blocks whose data stays in cache; with threads a few for each thread, and as many for one
 * as for another. */
static void cut_work(armnn_i_acc_window_t* window) {
  const armnn_i_acc_convolution_t* what = &window->what;
  const int64_t rows = window->panels.rows, threads = window->threads;
  const int64_t pixels = count_pixels(what), panels = window->panels.count;
  window->units = window->flat ? pixels : pixels / most(what->output.dims[2], 1);
  window->grain = window->flat ? rows : 1;
  const int64_t groups = armnn_i_acc_ceil_div(window->units, window->grain);
  const int64_t read = elements_read(window);
  const uint64_t cache = armnn_i_acc_second_cache();
  const int64_t bytes = (int64_t)(cache / BLOCK_SHARE);
  int64_t block = bytes / most((read + what->output.dims[3]) * what->input.element.size, 1);
  window->far = window->panels.floats * sizeof(float) > cache / NEAR_WEIGHTS_SHARE;
  if (window->far) {
    /* Each block reads all weights from beyond: few blocks. */
    block = most(block, (int64_t)cache / most(read * what->input.element.size, 1));
  }
  block = most(block, 6 * rows);
  int64_t blocks = armnn_i_acc_ceil_div(pixels, block), parts = 1;
  if (threads > 1) {
    const int64_t wanted =
        least(4 * threads, (int64_t)(window->operations / ITEM_OPERATIONS) + threads);
    if (blocks < wanted && divides_panels(what, window->threads)) {
      parts = panels <= 2 * wanted ? panels : wanted;
    } else {
      blocks = armnn_i_acc_ceil_div(most(blocks, wanted), threads) * threads;
      if (blocks > groups) parts = least(armnn_i_acc_ceil_div(wanted, groups), panels);
    }
  }
  window->blocks = most(least(blocks, groups), 1);
  size_blocks(window);
  window->parts = (uint32_t)parts;
}

/* A panel that would fill the second cache is used in parts of some taps each: the sums of a tile
 * wait in scratch while the other tiles use the part at hand. */
static void cut_taps(armnn_i_acc_window_t* window) {
  const armnn_i_acc_panels_t* panels = &window->panels;
  const uint64_t tap =
      panels->depth * panels->vectors * panels->gemm->lanes * armnn_i_acc_weight_size(panels);
  const uint64_t at_a_time = armnn_i_acc_second_cache() / WEIGHTS_SHARE / (tap > 0 ? tap : 1);
  window->taps_at_a_time = panels->taps > 0 ? (uint32_t)panels->taps : 1;
  if (panels->gemm->pauses && at_a_time < panels->taps) {
    window->taps_at_a_time = at_a_time > 0 ? (uint32_t)at_a_time : 1;
  }
}

/* Whether tiles should go on over the ends of lines: if lines cut evenly fill them badly, or if
 * what padding cuts of a line alone takes too much scratch. */
static bool crosses_lines(const armnn_i_acc_window_t* window) {
  const int64_t width = window->what.output.dims[2], rows = window->panels.rows;
  const int64_t tiles = armnn_i_acc_ceil_div(width, rows);
  const uint64_t cut = (uint64_t)(width - (window->inside_end - window->inside_begin));
  const uint64_t addresses = ARMNN_ACC_GEMM_ROWS * sizeof(float*) / (uint64_t)rows * window->taps_x;
  const uint64_t runs = window->rows_as_runs ? window->panels.depth * sizeof(float) : 0;
  return 4 * width < 3 * tiles * rows ||
         cut * window->taps_y * (addresses + runs) > MOST_SCRATCH / 2;
}

static void set_geometry(armnn_i_acc_window_t* window) {
  armnn_i_acc_convolution_t* what = &window->what;
  const armnn_i_acc_tensor_t* input = &what->input;
  const int64_t reach = (what->kernel_x - 1) * what->dilation_x;
  const bool padded =
      what->pad_left > 0 || what->pad_top > 0 ||
      (what->output.dims[1] - 1) * what->stride_y - what->pad_top +
              (what->kernel_y - 1) * what->dilation_y >=
          input->dims[1] ||
      (what->output.dims[2] - 1) * what->stride_x - what->pad_left + reach >= input->dims[2];
  window->input_step = what->stride_x * window->input_steps[2];
  window->output_step = pixel_step(&what->output);
  const armnn_i_acc_epilogue_t* epilogue = &what->epilogue;
  bool flat = is_flat(&what->output);
  if (epilogue->has_residual) {
    window->residual_step = pixel_step(&epilogue->residual);
    flat = flat && is_flat(&epilogue->residual);
  }
  const bool one_tap = what->kernel_x == 1 && what->kernel_y == 1 && what->pad_left == 0 &&
                       what->pad_top == 0 && !padded;
  window->regular = flat && one_tap && what->stride_x == 1 && what->stride_y == 1 &&
                    input->dims[1] == what->output.dims[1] &&
                    input->dims[2] == what->output.dims[2] && is_flat(input);
  if (window->regular) window->input_step = pixel_step(input);
  /* Pixels far from each other compete for the same lines of the caches, and the processor fetches
   * the ones between. */
  window->gathered = flat && one_tap && !window->regular && what->groups == 1 &&
                     window->panels.count >= GATHERED_PANELS;
  if (window->gathered) {
    window->regular = true;
    window->input_step = input->dims[3];
  }

  int64_t begin = armnn_i_acc_ceil_div(most(what->pad_left, 0), what->stride_x);
  const int64_t room = input->dims[2] - 1 - reach + what->pad_left;
  int64_t end = room < 0 ? 0 : least(room / what->stride_x + 1, what->output.dims[2]);
  if (what->kernel_x == 0) {
    begin = 0;
    end = what->output.dims[2];
  }
  window->inside_begin = least(begin, what->output.dims[2]);
  window->inside_end = most(end, window->inside_begin);
  window->flat = flat && (window->regular || crosses_lines(window));
}

static armnn_status_t list_taps(const armnn_i_acc_maker_t* maker, armnn_i_acc_window_t* window) {
  const armnn_i_acc_convolution_t* what = &window->what;
  const uint64_t taps = (uint64_t)window->taps_y * window->taps_x;
  window->taps = armnn_alloc(maker->host, (taps + 1) * sizeof *window->taps, ARMNN_ACC_LINE);
  const uint64_t zeros =
      window->panels.depth + (uint64_t)what->input.dims[3]; /* groups read from the middle */
  window->zeros = armnn_alloc(maker->host, zeros * what->input.element.size, ARMNN_ACC_LINE);
  if (window->taps == NULL || window->zeros == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  memset(window->zeros, 0, zeros * what->input.element.size);
  for (uint32_t y = 0; y < window->taps_y; ++y) {
    for (uint32_t x = 0; x < window->taps_x; ++x) {
      const uint64_t index = (uint64_t)y * window->taps_x + x;
      window->taps[index] = (armnn_i_acc_gemm_tap_t){
          .offset = y * what->dilation_y * window->input_steps[1] +
                    x * what->dilation_x * window->input_steps[2],
          .weight = (int64_t)(index * window->panels.depth),
      };
    }
  }
  return ARMNN_STATUS_OK;
}

/* Of images of so many pixels, sums are taken in one order. */
enum { ORDERED_PIXELS = 4 };

bool armnn_i_acc_set_epilogue(const armnn_i_acc_epilogue_t* epilogue, uint32_t* flags, float* low,
                              float* high) {
  const bool in_tile = epilogue->function == ARMNN_ACC_IDENTITY ||
                       epilogue->function == ARMNN_ACC_CLAMP ||
                       epilogue->function == ARMNN_ACC_HARD_SWISH;
  *flags = 0;
  if (epilogue->function == ARMNN_ACC_HARD_SWISH) {
    *flags |= ARMNN_ACC_GEMM_HARD_SWISH;
    *low = epilogue->a / 6.0f;
    *high = epilogue->b;
  }
  if (epilogue->function == ARMNN_ACC_CLAMP) {
    *low = epilogue->a;
    *high = epilogue->b;
    if (*low != -INFINITY) *flags |= ARMNN_ACC_GEMM_LOW;
    if (*high != INFINITY) *flags |= ARMNN_ACC_GEMM_HIGH;
  }
  if (epilogue->has_residual && !epilogue->residual_last) {
    *flags |= ARMNN_ACC_GEMM_RESIDUAL;
  } else if (epilogue->has_residual && in_tile) {
    *flags |= ARMNN_ACC_GEMM_RESIDUAL_LAST;
  }
  return in_tile;
}

armnn_status_t armnn_i_acc_make_window(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_convolution_t* what, uint32_t vectors,
                                       armnn_i_acc_window_t* out_window) {
  armnn_i_acc_window_t* window = out_window;
  *window = (armnn_i_acc_window_t){.what = *what,
                                   .kernels = armnn_i_acc_kernels_of(maker, &what->output)};
  if (window->kernels == NULL) return ARMNN_STATUS_UNSUPPORTED;
  armnn_i_acc_steps(&what->input, window->input_steps);
  armnn_i_acc_steps(&what->output, window->output_steps);
  if (what->epilogue.has_residual) {
    armnn_i_acc_steps(&what->epilogue.residual, window->residual_steps);
  }
  const int64_t channels = what->input.dims[3] / what->groups;
  const int64_t columns = what->output.dims[3] / what->groups;
  const int64_t taps = what->kernel_y * what->kernel_x;
  if (taps > 65536) return ARMNN_STATUS_UNSUPPORTED;
  /* Few channels: runs of one tap would be too short to pay. */
  window->rows_as_runs = what->groups == 1 && channels <= 16 && what->kernel_x > 1 &&
                         what->dilation_x == 1 && window->input_steps[2] == channels;
  window->taps_y = (uint32_t)what->kernel_y;
  window->taps_x = window->rows_as_runs ? 1 : (uint32_t)what->kernel_x;
  if (window->taps_x == 0) window->taps_y = 0;
  const uint64_t depth = (uint64_t)(window->rows_as_runs ? channels * what->kernel_x : channels);
  if (vectors == 0) vectors = armnn_i_acc_guess_vectors(window->kernels->gemm, (uint64_t)columns);
  window->operations = 2 * (uint64_t)(armnn_i_acc_count(&what->output) * taps * channels);
  window->threads = armnn_i_acc_threads(maker, window->operations);
  const uint32_t multiple = divides_panels(what, window->threads) ? window->threads : 1;
  armnn_status_t status = armnn_i_acc_plan_panels(
      maker, window->kernels->gemm, (uint32_t)what->groups, (uint64_t)columns, (uint64_t)channels,
      (uint64_t)window->taps_y * window->taps_x, depth, vectors, multiple, &window->panels);
  if (status == ARMNN_STATUS_OK) {
    if (what->stored != ARMNN_ACC_STORED_FLOAT32) {
      armnn_i_acc_store_panels(&window->panels, what->stored);
    }
    set_geometry(window);
    window->in_tile =
        armnn_i_acc_set_epilogue(&what->epilogue, &window->flags, &window->low, &window->high);
    /* Narrow lines make tiles of few rows: how sums are taken depends on the image, not on how it
     * is cut into tiles. */
    const int64_t pixels = what->output.dims[0] * what->output.dims[1] * what->output.dims[2];
    if (pixels >= ORDERED_PIXELS) window->flags |= ARMNN_ACC_GEMM_IN_ORDER;
    window->flags |= window->panels.flags;
    status = list_taps(maker, window);
  }
  if (status == ARMNN_STATUS_OK) {
    const armnn_i_acc_panel_source_t source = {
        .values = what->weights.values,
        .step_group = columns * armnn_i_acc_step(&what->weights, 0),
        .step_o = armnn_i_acc_step(&what->weights, 0),
        .step_y = armnn_i_acc_step(&what->weights, 1),
        .step_x = armnn_i_acc_step(&what->weights, 2),
        .step_i = armnn_i_acc_step(&what->weights, 3),
        .size_y = (uint64_t)what->kernel_y,
        .size_x = (uint64_t)what->kernel_x,
        .channels = (uint64_t)channels,
    };
    status =
        armnn_i_acc_pack_constant(maker, &source, what->bias, (uint64_t)columns, &window->panels);
  }
  if (status != ARMNN_STATUS_OK) {
    armnn_i_acc_free_window(maker->host, window);
    return status;
  }
  cut_work(window);
  cut_taps(window);
  status = armnn_i_acc_plan_lines(maker->host, window);
  armnn_i_acc_size_tiles(window);
  while (window->thread_scratch > MOST_SCRATCH && window->block_units > window->grain) {
    window->blocks = least(2 * window->blocks, armnn_i_acc_ceil_div(window->units, window->grain));
    size_blocks(window);
    armnn_i_acc_size_tiles(window);
  }
  if (status == ARMNN_STATUS_OK && window->thread_scratch > MOST_SCRATCH) {
    status = ARMNN_STATUS_UNSUPPORTED;
  }
  if (status != ARMNN_STATUS_OK) armnn_i_acc_free_window(maker->host, window);
  return status;
}

void armnn_i_acc_free_window(const armnn_host_t* host, armnn_i_acc_window_t* window) {
  armnn_i_acc_free_panels(&window->panels);
  if (window->taps != NULL) armnn_free(host, window->taps);
  if (window->zeros != NULL) armnn_free(host, window->zeros);
  if (window->line_tiles != NULL) armnn_free(host, window->line_tiles);
}
