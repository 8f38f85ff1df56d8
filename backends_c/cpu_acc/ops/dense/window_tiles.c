/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * window_tiles.c - where the inputs of a block's tiles are.
 *
 * A tile inside a line, whose windows lie in the image, is regular: one address and one distance
 * are enough. Others get a table of addresses, made once for all panels: a run that lies in the
 * padding is the run of zeros. Rows of the window that are padding for all pixels of a tile are
 * left out.
 */
#include "window.h"

typedef struct armnn_i_acc_line_tile_t {
  int64_t x;
  uint32_t rows, repeat;
  bool inside; /* padding on the left or right cuts no window of it */
} line_tile_t;

typedef struct cursor_t {
  int64_t image, y, x; /* of the output */
} cursor_t;

typedef struct cutter_t {
  const armnn_i_acc_window_t* window;
  const char* input;
  armnn_i_acc_window_tile_t* tiles;
  uint32_t tile_count;
  const float** runs; /* free space */
  char* edges;        /* free space */
} cutter_t;

static void next_line(const armnn_i_acc_window_t* window, cursor_t* at) {
  at->x = 0;
  if (++at->y == window->what.output.dims[1]) {
    at->y = 0;
    ++at->image;
  }
}

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

/* Offset of a window's first tap, in bytes; with padding it may be before the image. */
static int64_t window_offset(const armnn_i_acc_window_t* window, const cursor_t* at) {
  const armnn_i_acc_convolution_t* what = &window->what;
  const int64_t* strides = what->input.strides;
  return at->image * strides[0] + (at->y * what->stride_y - what->pad_top) * strides[1] +
         (at->x * what->stride_x - what->pad_left) * strides[2];
}

static const float* input_at(const cutter_t* cutter, int64_t offset) {
  return (const float*)(const void*)(cutter->input + offset);
}

static armnn_i_acc_window_tile_t tile_at(const armnn_i_acc_window_t* window, const cursor_t* at,
                                         uint32_t first, uint32_t end) {
  const int64_t *output = window->output_steps, *residual = window->residual_steps;
  armnn_i_acc_window_tile_t tile = {
      .repeat = 1,
      .first_tap = first * window->taps_x,
      .tap_count = (end - first) * window->taps_x,
      .output = at->image * output[0] + at->y * output[1] + at->x * output[2],
  };
  if (window->what.epilogue.has_residual) {
    tile.residual = at->image * residual[0] + at->y * residual[1] + at->x * residual[2];
  }
  return tile;
}

/* ---- Tables of addresses ------------------------------------------------------------------- */

/* Copies a row of a window that padding cuts: zeros outside the image. */
static const float* copy_edge(cutter_t* cutter, const void* row, int64_t left) {
  const armnn_i_acc_convolution_t* what = &cutter->window->what;
  const int64_t size = what->kernel_x, pixel = what->input.dims[3] * what->input.element.size;
  const int64_t before = left < 0 ? (left < -size ? size : -left) : 0;
  int64_t end = what->input.dims[2] - left;
  if (end > size) end = size;
  char* run = cutter->edges;
  memset(run, 0, (size_t)(size * pixel));
  if (end > before) {
    memcpy(run + before * pixel, (const char*)row + before * pixel,
           (size_t)((end - before) * pixel));
  }
  cutter->edges += size * pixel;
  return (const float*)(const void*)run;
}

/* Corrects the column of one pixel, some of whose window is padding. */
static void pad_runs(cutter_t* cutter, const cursor_t* at, uint32_t first, uint32_t end,
                     const float** runs) {
  const armnn_i_acc_window_t* window = cutter->window;
  const armnn_i_acc_convolution_t* what = &window->what;
  const int64_t left = at->x * what->stride_x - what->pad_left;
  const bool cut = at->x < window->inside_begin || at->x >= window->inside_end;
  uint32_t inside = 0, inside_end = 0;
  rows_inside(window, at->y, &inside, &inside_end);
  for (uint32_t y = first; y < end; ++y) {
    for (uint32_t x = 0; x < window->taps_x; ++x, runs += ARMNN_ACC_GEMM_ROWS) {
      if (y < inside || y >= inside_end) {
        *runs = window->zeros;
      } else if (window->rows_as_runs) {
        if (cut) *runs = copy_edge(cutter, *runs, left);
      } else if ((uint64_t)(left + x * what->dilation_x) >= (uint64_t)what->input.dims[2]) {
        *runs = window->zeros;
      }
    }
  }
}

/* The runs of |rows| pixels from |at|, which moves behind the last: all of them as if there were no
 * padding, which is a few vector additions, then the few that padding cuts. */
static const float* const* list_runs(cutter_t* cutter, cursor_t* at, uint32_t rows, uint32_t first,
                                     uint32_t end) {
  const armnn_i_acc_window_t* window = cutter->window;
  const int64_t width = window->what.output.dims[2];
  const float** const runs = cutter->runs;
  const int64_t size = window->what.input.element.size;
  intptr_t bases[ARMNN_ACC_GEMM_ROWS] = {0};
  cursor_t pixels[ARMNN_ACC_GEMM_ROWS];
  for (uint32_t i = 0; i < rows; ++i) {
    pixels[i] = *at;
    bases[i] = (intptr_t)cutter->input + window_offset(window, at);
    if (++at->x == width) next_line(window, at);
  }
  const float** row = runs;
  const armnn_i_acc_gemm_tap_t* taps = window->taps + first * window->taps_x;
  const uint32_t tap_count = (end - first) * window->taps_x;
  for (uint32_t t = 0; t < tap_count; ++t, row += ARMNN_ACC_GEMM_ROWS) {
    const intptr_t offset = taps[t].offset * size;
    for (uint32_t i = 0; i < ARMNN_ACC_GEMM_ROWS; ++i) row[i] = (const float*)(bases[i] + offset);
  }
  int64_t y = -1;
  bool whole = false;
  for (uint32_t i = 0; i < rows; ++i) {
    if (pixels[i].y != y) {
      uint32_t inside = 0, inside_end = 0;
      y = pixels[i].y;
      rows_inside(window, y, &inside, &inside_end);
      whole = inside <= first && inside_end >= end;
    }
    if (!whole || pixels[i].x < window->inside_begin || pixels[i].x >= window->inside_end) {
      pad_runs(cutter, &pixels[i], first, end, runs + i);
    }
  }
  cutter->runs += (size_t)tap_count * ARMNN_ACC_GEMM_ROWS;
  return (const float* const*)runs;
}

/* ---- Lines --------------------------------------------------------------------------------- */

static void cut_line(cutter_t* cutter, cursor_t* at) {
  const armnn_i_acc_window_t* window = cutter->window;
  uint32_t first = 0, end = 0;
  rows_inside(window, at->y, &first, &end);
  const armnn_i_acc_window_tile_t start = tile_at(window, at, first, end);
  const float* input = input_at(cutter, window_offset(window, at));
  for (uint32_t i = 0; i < window->line_tile_count; ++i) {
    const line_tile_t* from = &window->line_tiles[i];
    armnn_i_acc_window_tile_t* tile = &cutter->tiles[cutter->tile_count++];
    *tile = start;
    tile->rows = from->rows;
    tile->repeat = from->repeat;
    tile->output += from->x * window->output_step;
    tile->residual += from->x * window->residual_step;
    if (from->inside) {
      tile->input = input + from->x * window->input_step;
    } else {
      cursor_t pixel = {at->image, at->y, from->x};
      tile->input = input_at(cutter, 0);
      tile->runs = list_runs(cutter, &pixel, from->rows, first, end);
    }
  }
  next_line(window, at);
}

/* Even tiles rather than full ones and a thin rest: 28 pixels are 10 + 9 + 9. */
static void plan_line(armnn_i_acc_window_t* window) {
  const int64_t width = window->what.output.dims[2];
  const int64_t tiles = armnn_i_acc_ceil_div(width, window->panels.rows);
  const int64_t rows = width / tiles, longer = width % tiles;
  int64_t x = 0;
  for (int64_t i = 0; i < tiles; ++i) {
    const line_tile_t tile = {
        .x = x,
        .rows = (uint32_t)(rows + (i < longer)),
        .repeat = 1,
        .inside = x >= window->inside_begin && x + rows + (i < longer) <= window->inside_end,
    };
    x += tile.rows;
    line_tile_t* before = &window->line_tiles[window->line_tile_count - 1];
    if (i > 0 && before->inside && tile.inside && before->rows == tile.rows) {
      ++before->repeat;
    } else {
      window->line_tiles[window->line_tile_count++] = tile;
    }
  }
}

/* ---- Tiles that cross lines ---------------------------------------------------------------- */

static void add_tile(cutter_t* cutter, cursor_t* at, uint32_t rows) {
  const armnn_i_acc_window_t* window = cutter->window;
  const int64_t height = window->what.output.dims[1], width = window->what.output.dims[2];
  uint32_t first = 0, end = 0;
  rows_inside(window, at->y, &first, &end);
  /* A tile over several lines needs every row of the window that one of its lines needs. */
  int64_t y = at->y;
  for (int64_t left = at->x + rows - width; left > 0; left -= width) {
    uint32_t first_here = 0, end_here = 0;
    if (++y == height) y = 0;
    rows_inside(window, y, &first_here, &end_here);
    first = first_here < first ? first_here : first;
    end = end_here > end ? end_here : end;
  }
  armnn_i_acc_window_tile_t* tile = &cutter->tiles[cutter->tile_count++];
  *tile = tile_at(window, at, first, end);
  tile->rows = rows;
  if (at->x >= window->inside_begin && at->x + rows <= window->inside_end) {
    tile->input = input_at(cutter, window_offset(window, at));
    at->x += rows;
    if (at->x == width) next_line(window, at);
  } else {
    tile->input = input_at(cutter, 0);
    tile->runs = list_runs(cutter, at, rows, first, end);
  }
}

static void cut_range(cutter_t* cutter, cursor_t* at, int64_t pixels) {
  const int64_t tiles = armnn_i_acc_ceil_div(pixels, cutter->window->panels.rows);
  const int64_t rows = pixels / tiles, longer = pixels % tiles;
  for (int64_t i = 0; i < tiles; ++i) add_tile(cutter, at, (uint32_t)(rows + (i < longer)));
}

/* ---- Blocks -------------------------------------------------------------------------------- */

/* Copies the inputs of pixels, which have one tap. */
static const float* gather(const cutter_t* cutter, int64_t begin, int64_t end) {
  const armnn_i_acc_window_t* window = cutter->window;
  const int64_t height = window->what.output.dims[1], width = window->what.output.dims[2];
  const size_t size = (size_t)window->input_step * window->what.input.element.size;
  cursor_t at = {begin / (height * width), begin / width % height, begin % width};
  char* to = cutter->edges;
  for (int64_t pixel = begin; pixel < end; ++pixel, to += size) {
    memcpy(to, input_at(cutter, window_offset(window, &at)), size);
    if (++at.x == width) next_line(window, &at);
  }
  return (const float*)(const void*)cutter->edges;
}

/* Pixels at equal distances on both sides. */
static uint32_t cut_regular(const cutter_t* cutter, int64_t begin, int64_t end) {
  const armnn_i_acc_window_t* window = cutter->window;
  const int64_t pixels = end - begin, tiles = armnn_i_acc_ceil_div(pixels, window->panels.rows);
  const int64_t longer = pixels % tiles;
  armnn_i_acc_window_tile_t tile = {
      .rows = (uint32_t)(pixels / tiles),
      .repeat = (uint32_t)(tiles - longer),
      .tap_count = 1,
      .input = window->gathered ? gather(cutter, begin, end)
                                : input_at(cutter, 0) + begin * window->input_step,
      .output = begin * window->output_step,
      .residual = begin * window->residual_step,
  };
  cutter->tiles[0] = tile;
  if (longer == 0) return 1;
  const int64_t before = (int64_t)tile.rows * tile.repeat;
  tile.rows += 1;
  tile.repeat = (uint32_t)longer;
  tile.input += before * window->input_step;
  tile.output += before * window->output_step;
  tile.residual += before * window->residual_step;
  cutter->tiles[1] = tile;
  return 2;
}

uint32_t armnn_i_acc_cut_tiles(const armnn_i_acc_window_t* window, const void* input, int64_t begin,
                               int64_t end, char* scratch) {
  cutter_t cutter = {
      .window = window,
      .input = input,
      .tiles = (armnn_i_acc_window_tile_t*)scratch,
      .runs = (const float**)(scratch + window->runs_offset),
      .edges = scratch + window->edges_offset,
  };
  if (window->regular) return cut_regular(&cutter, begin, end);
  const int64_t height = window->what.output.dims[1], width = window->what.output.dims[2];
  if (window->flat) {
    cursor_t at = {begin / (height * width), begin / width % height, begin % width};
    cut_range(&cutter, &at, end - begin);
  } else {
    cursor_t at = {begin / height, begin % height, 0};
    for (int64_t line = begin; line < end; ++line) cut_line(&cutter, &at);
  }
  return cutter.tile_count;
}

armnn_status_t armnn_i_acc_plan_lines(const armnn_host_t* host, armnn_i_acc_window_t* window) {
  if (window->flat || window->regular) return ARMNN_STATUS_OK;
  const int64_t tiles = armnn_i_acc_ceil_div(window->what.output.dims[2], window->panels.rows);
  window->line_tiles =
      armnn_alloc(host, (uint64_t)tiles * sizeof *window->line_tiles, ARMNN_ACC_LINE);
  if (window->line_tiles == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  plan_line(window);
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_size_tiles(armnn_i_acc_window_t* window) {
  const int64_t width = window->what.output.dims[2], rows = window->panels.rows;
  const int64_t lines =
      window->flat ? armnn_i_acc_ceil_div(window->block_units, width) + 1 : window->block_units;
  uint64_t tiles = 2, tables = 0;
  if (window->flat && !window->regular) {
    tiles = tables = (uint64_t)armnn_i_acc_ceil_div(window->block_units, rows);
  } else if (!window->regular) {
    tiles = (uint64_t)window->block_units * window->line_tile_count;
    for (uint32_t i = 0; i < window->line_tile_count; ++i) {
      if (!window->line_tiles[i].inside) tables += (uint64_t)window->block_units;
    }
  }
  const uint64_t line = ARMNN_ACC_LINE, taps = (uint64_t)window->taps_y * window->taps_x;
  window->runs_offset = (tiles * sizeof(armnn_i_acc_window_tile_t) + line - 1) / line * line;
  window->edges_offset = window->runs_offset + tables * taps * ARMNN_ACC_GEMM_ROWS * sizeof(float*);
  uint64_t edges = 0;
  if (window->rows_as_runs) {
    int64_t cut = lines * (width - (window->inside_end - window->inside_begin));
    if (window->flat && cut > window->block_units) cut = window->block_units;
    edges = (uint64_t)cut * taps * window->panels.depth * window->what.input.element.size;
  }
  if (window->gathered) {
    edges = (uint64_t)(window->block_units * window->input_step) * window->what.input.element.size;
  }
  window->sums_offset = (window->edges_offset + edges + line - 1) / line * line;
  uint64_t sums = 0;
  if (window->taps_at_a_time < taps) {
    const int64_t pixels = window->flat ? window->block_units : window->block_units * width;
    sums = (uint64_t)pixels * window->panels.vectors * window->panels.gemm->lanes * sizeof(float);
  }
  window->thread_scratch = (window->sums_offset + sums + line - 1) / line * line;
  window->scratch_size = window->thread_scratch * window->threads;
}
