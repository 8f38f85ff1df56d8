/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * window_tiles.c - where the inputs of a block's tiles are.
 *
 * A tile inside a line, whose windows lie in the image, is regular: one address and a distance say
 * it all. Others get a table of addresses, made once for all panels: a run that lies in the padding
 * is the run of zeros. Rows of the window that are padding for all pixels of a tile are left out.
 */
#include "window.h"

typedef struct cursor_t {
  int64_t image, y, x; /* of the output */
} cursor_t;

typedef struct cutter_t {
  const armnn_i_acc_window_t* window;
  const float* input;
  armnn_i_acc_window_tile_t* tiles;
  uint32_t tile_count;
  const float** runs; /* free space */
  float* edges;       /* free space */
} cutter_t;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Rows [*first, *end) of the window lie in the image for row |y| of the output. */
static void rows_inside(const armnn_i_acc_window_t* window, int64_t y, uint32_t* first,
                        uint32_t* end) {
  const armnn_i_acc_convolution_t* what = &window->what;
  const int64_t top = y * what->stride_y - what->pad_top;
  const int64_t height = what->input.dims[1];
  uint32_t begin = 0, stop = window->taps_y;
  while (begin < stop && top + begin * what->dilation_y < 0) ++begin;
  while (stop > begin && top + (stop - 1) * what->dilation_y >= height) --stop;
  *first = begin;
  *end = stop;
}

static const float* window_address(const cutter_t* cutter, const cursor_t* at) {
  const armnn_i_acc_convolution_t* what = &cutter->window->what;
  const int64_t* strides = what->input.strides;
  return cutter->input + at->image * strides[0] +
         (at->y * what->stride_y - what->pad_top) * strides[1] +
         (at->x * what->stride_x - what->pad_left) * strides[2];
}

/* The part of a row of the window that is in the image, zeros around it. */
static const float* copy_edge(cutter_t* cutter, const float* row, int64_t left) {
  const armnn_i_acc_convolution_t* what = &cutter->window->what;
  const int64_t channels = what->input.dims[3];
  const int64_t before = left < 0 ? -left : 0;
  int64_t end = what->input.dims[2] - left;
  if (end > what->kernel_x) end = what->kernel_x;
  float* run = cutter->edges;
  for (int64_t x = 0; x < what->kernel_x; ++x) {
    const bool inside = x >= before && x < end;
    for (int64_t c = 0; c < channels; ++c) {
      run[x * channels + c] = inside ? row[x * channels + c] : 0.0f;
    }
  }
  cutter->edges += what->kernel_x * channels;
  return run;
}

/* Addresses of one pixel's runs: |runs| is its column of the table. */
static void list_runs(cutter_t* cutter, const cursor_t* at, uint32_t first, uint32_t end,
                      const float** runs) {
  const armnn_i_acc_window_t* window = cutter->window;
  const armnn_i_acc_convolution_t* what = &window->what;
  const float* address = window_address(cutter, at);
  const int64_t top = at->y * what->stride_y - what->pad_top;
  const int64_t left = at->x * what->stride_x - what->pad_left;
  const uint64_t height = (uint64_t)what->input.dims[1], width = (uint64_t)what->input.dims[2];
  const bool cut = at->x < window->inside_begin || at->x >= window->inside_end;
  for (uint32_t y = first; y < end; ++y) {
    const armnn_i_acc_gemm_tap_t* taps = window->taps + (size_t)y * window->taps_x;
    const bool row_inside = (uint64_t)(top + y * what->dilation_y) < height;
    if (!row_inside) {
      for (uint32_t x = 0; x < window->taps_x; ++x) {
        *runs = window->zeros;
        runs += ARMNN_ACC_GEMM_ROWS;
      }
    } else if (window->rows_as_runs) {
      *runs = cut ? copy_edge(cutter, address + taps->offset, left) : address + taps->offset;
      runs += ARMNN_ACC_GEMM_ROWS;
    } else {
      for (uint32_t x = 0; x < window->taps_x; ++x) {
        const bool inside = (uint64_t)(left + x * what->dilation_x) < width;
        *runs = inside ? address + taps[x].offset : window->zeros;
        runs += ARMNN_ACC_GEMM_ROWS;
      }
    }
  }
}

/* One tile of |rows| pixels from |at|, which moves behind it. */
static void add_tile(cutter_t* cutter, cursor_t* at, uint32_t rows) {
  const armnn_i_acc_window_t* window = cutter->window;
  const armnn_i_acc_tensor_t* output = &window->what.output;
  const armnn_i_acc_tensor_t* residual = &window->what.epilogue.residual;
  const int64_t height = output->dims[1], width = output->dims[2];
  armnn_i_acc_window_tile_t tile = {
      .rows = rows,
      .repeat = 1,
      .output =
          at->image * output->strides[0] + at->y * output->strides[1] + at->x * output->strides[2],
  };
  if (window->what.epilogue.has_residual) {
    tile.residual = at->image * residual->strides[0] + at->y * residual->strides[1] +
                    at->x * residual->strides[2];
  }
  uint32_t first = 0, end = 0;
  rows_inside(window, at->y, &first, &end);
  const bool in_line = at->x + rows <= width;
  if (in_line && at->x >= window->inside_begin && at->x + rows <= window->inside_end) {
    tile.input = window_address(cutter, at);
    at->x += rows;
  } else {
    /* A tile that goes on in other lines needs the rows that any of them does. */
    cursor_t last = *at;
    for (int64_t left = at->x + rows - width; left > 0; left -= width) {
      uint32_t first_here = 0, end_here = 0;
      if (++last.y == height) last.y = 0;
      rows_inside(window, last.y, &first_here, &end_here);
      first = first_here < first ? first_here : first;
      end = end_here > end ? end_here : end;
    }
    for (uint32_t i = 0; i < rows; ++i) {
      list_runs(cutter, at, first, end, cutter->runs + i);
      if (++at->x == width && i + 1 < rows) {
        at->x = 0;
        if (++at->y == height) {
          at->y = 0;
          ++at->image;
        }
      }
    }
    tile.runs = (const float* const*)cutter->runs;
    cutter->runs += (size_t)(end - first) * window->taps_x * ARMNN_ACC_GEMM_ROWS;
  }
  if (at->x == width) {
    at->x = 0;
    if (++at->y == height) {
      at->y = 0;
      ++at->image;
    }
  }
  tile.first_tap = first * window->taps_x;
  tile.tap_count = (end - first) * window->taps_x;

  /* Regular tiles of one line that follow each other are one entry. */
  armnn_i_acc_window_tile_t* before = &cutter->tiles[cutter->tile_count - 1];
  if (cutter->tile_count > 0 && tile.runs == NULL && before->runs == NULL && before->rows == rows &&
      before->tap_count == tile.tap_count && before->first_tap == tile.first_tap &&
      before->input + window->input_step * rows * before->repeat == tile.input &&
      before->output + window->output_step * rows * before->repeat == tile.output &&
      before->residual + window->residual_step * rows * before->repeat == tile.residual) {
    ++before->repeat;
    return;
  }
  cutter->tiles[cutter->tile_count++] = tile;
}

/* Even tiles rather than full ones and a thin rest: 28 pixels are 10 + 9 + 9. */
static void cut_range(cutter_t* cutter, cursor_t* at, int64_t pixels) {
  const int64_t tiles = ceil_div(pixels, cutter->window->panels.rows);
  const int64_t rows = pixels / tiles, longer = pixels % tiles;
  for (int64_t i = 0; i < tiles; ++i) add_tile(cutter, at, (uint32_t)(rows + (i < longer)));
}

uint32_t armnn_i_acc_cut_tiles(const armnn_i_acc_window_t* window, const float* input,
                               int64_t begin, int64_t end, char* scratch) {
  const armnn_i_acc_tensor_t* output = &window->what.output;
  cutter_t cutter = {
      .window = window,
      .input = input,
      .tiles = (armnn_i_acc_window_tile_t*)scratch,
      .runs = (const float**)(scratch + window->runs_offset),
      .edges = (float*)(scratch + window->edges_offset),
  };
  if (window->regular) {
    const int64_t pixels = end - begin, tiles = ceil_div(pixels, window->panels.rows);
    const int64_t longer = pixels % tiles;
    const armnn_i_acc_window_tile_t tile = {
        .rows = (uint32_t)(pixels / tiles),
        .repeat = (uint32_t)(tiles - longer),
        .tap_count = window->taps_y * window->taps_x,
        .input = input + begin * window->input_step,
        .output = begin * window->output_step,
        .residual = begin * window->residual_step,
    };
    cutter.tiles[0] = tile;
    if (longer == 0) return 1;
    const int64_t before = tile.rows * (int64_t)tile.repeat;
    cutter.tiles[1] = tile;
    cutter.tiles[1].rows += 1;
    cutter.tiles[1].repeat = (uint32_t)longer;
    cutter.tiles[1].input += before * window->input_step;
    cutter.tiles[1].output += before * window->output_step;
    cutter.tiles[1].residual += before * window->residual_step;
    return 2;
  }
  const int64_t height = output->dims[1], width = output->dims[2];
  if (window->flat) {
    cursor_t at = {begin / (height * width), begin / width % height, begin % width};
    cut_range(&cutter, &at, end - begin);
  } else {
    cursor_t at = {begin / height, begin % height, 0};
    for (int64_t line = begin; line < end; ++line) cut_range(&cutter, &at, width);
  }
  return cutter.tile_count;
}

void armnn_i_acc_size_tiles(armnn_i_acc_window_t* window) {
  const armnn_i_acc_convolution_t* what = &window->what;
  const int64_t width = what->output.dims[2], rows = window->panels.rows;
  const int64_t lines =
      window->flat ? ceil_div(window->block_units, width) + 1 : window->block_units;
  uint64_t tiles = 2;
  if (!window->regular) {
    tiles = (uint64_t)(window->flat ? ceil_div(window->block_units, rows)
                                    : window->block_units * ceil_div(width, rows));
  }
  const uint64_t line = ARMNN_ACC_LINE;
  window->runs_offset = (tiles * sizeof(armnn_i_acc_window_tile_t) + line - 1) / line * line;
  const uint64_t taps = (uint64_t)window->taps_y * window->taps_x;
  window->edges_offset = window->runs_offset;
  if (!window->regular) {
    window->edges_offset += tiles * taps * ARMNN_ACC_GEMM_ROWS * sizeof(float*);
  }
  uint64_t edges = 0;
  if (window->rows_as_runs) {
    const int64_t cut = width - (window->inside_end - window->inside_begin);
    edges = (uint64_t)(lines * cut) * taps * window->panels.depth * sizeof(float);
  }
  window->thread_scratch = (window->edges_offset + edges + line - 1) / line * line;
  window->scratch_size = window->thread_scratch * window->threads;
}
