/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * window_run.c - how a window's work is done.
 *
 * Loop order: groups of panels and blocks of pixels (given to threads one by one), panels,
 * tiles. A panel's weights come from the second cache or beyond once for each block, and stay near
 * while the block's tiles pass; the block's inputs stay in the second cache while panels pass.
 */
#include "window.h"

/* Up to this many columns, gathering them for whole vectors of a function pays. */
#define FEW_COLUMNS 32
#define GATHERED_FLOATS 512

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct window_run_t {
  const armnn_i_acc_window_t* window;
  const armnn_i_acc_run_t* run;
  const float* input;
  const float* residual;
  float* output;
} window_run_t;

/* |function| of a few columns of many pixels: gathered, so that whole vectors are worked on. */
static void apply_to_columns(armnn_i_acc_apply_fn_t apply, const armnn_i_acc_epilogue_t* epilogue,
                             float* data, int64_t pixels, int64_t columns, int64_t step) {
  float gathered[GATHERED_FLOATS];
  const int64_t most_pixels = GATHERED_FLOATS / columns;
  for (int64_t done = 0; done < pixels; done += most_pixels) {
    const int64_t count = least(pixels - done, most_pixels);
    float* from = data + done * step;
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t c = 0; c < columns; ++c) gathered[i * columns + c] = from[i * step + c];
    }
    apply(gathered, gathered, (size_t)(count * columns), epilogue->a, epilogue->b);
    for (int64_t i = 0; i < count; ++i) {
      for (int64_t c = 0; c < columns; ++c) from[i * step + c] = gathered[i * columns + c];
    }
  }
}

/* The rest of an epilogue that tiles do not finish in registers, while the block is in cache. */
static void finish(const window_run_t* state, const armnn_i_acc_window_tile_t* tiles,
                   uint32_t tile_count, uint32_t begin, uint32_t end) {
  const armnn_i_acc_window_t* window = state->window;
  if (window->in_tile) return;
  const armnn_i_acc_epilogue_t* epilogue = &window->what.epilogue;
  const armnn_i_acc_apply_fn_t apply = window->kernels->elementwise->apply[epilogue->function];
  const armnn_i_acc_panel_t *first = &window->panels.panels[begin],
                            *last = &window->panels.panels[end - 1];
  const int64_t columns = last->first + last->columns - first->first;
  for (uint32_t t = 0; t < tile_count; ++t) {
    const int64_t pixels = (int64_t)tiles[t].rows * tiles[t].repeat;
    float* data = state->output + tiles[t].output + first->first;
    if (columns < FEW_COLUMNS && columns != window->output_step) {
      apply_to_columns(apply, epilogue, data, pixels, columns, window->output_step);
    } else {
      armnn_i_acc_apply_rows(apply, data, (size_t)pixels, (size_t)columns,
                             (size_t)window->output_step, epilogue->a, epilogue->b);
    }
    if (epilogue->has_residual && epilogue->residual_last) {
      window->panels.gemm->add_rows(data, window->output_step,
                                    state->residual + tiles[t].residual + first->first,
                                    window->residual_step, (size_t)pixels, (size_t)columns);
    }
  }
}

/* Gives a job those of a tile's taps that are in [begin, end); false if none is. */
static bool take_taps(const armnn_i_acc_window_t* window, const armnn_i_acc_window_tile_t* tile,
                      uint32_t begin, uint32_t end, armnn_i_acc_gemm_job_t* job) {
  const uint32_t first = tile->first_tap, last = first + tile->tap_count;
  if (tile->tap_count == 0) { /* nothing but padding: the bias */
    if (begin > 0) return false;
    end = begin = first;
  } else {
    if (begin < first) begin = first;
    if (end > last) end = last;
    if (begin >= end) return false;
  }
  job->tap_count = end - begin;
  job->taps = window->taps + begin;
  job->runs = tile->runs;
  if (tile->runs != NULL) job->runs += (size_t)(begin - first) * ARMNN_ACC_GEMM_ROWS;
  job->flags = window->flags;
  if (begin > first) job->flags |= ARMNN_ACC_GEMM_RESUME;
  if (end < last) job->flags |= ARMNN_ACC_GEMM_PAUSE;
  return true;
}

/* Weights that come next, asked for while tiles use those at hand. */
typedef struct fetch_t {
  const char* at;
  uint64_t lines; /* that are left */
  uint32_t per_tile;
} fetch_t;

/* What lies behind taps [begin, end) of a panel, as much as they are: the next taps or the next
 * panel. */
static fetch_t next_weights(const armnn_i_acc_panels_t* panels, const armnn_i_acc_panel_t* panel,
                            uint64_t begin, uint64_t end, uint64_t tiles) {
  const uint64_t width = (uint64_t)panel->vectors * panels->gemm->lanes;
  if (end > panels->taps) end = panels->taps;
  const uint64_t tap = panels->depth * width * armnn_i_acc_weight_size(panels);
  const char* first = (const char*)(panels->weights + panel->offset);
  const char* next = first + end * tap;
  const uint64_t left = (uint64_t)((const char*)(panels->weights + panels->floats) - next);
  const uint64_t size = (end - begin) * tap < left ? (end - begin) * tap : left;
  const uint64_t lines = size / ARMNN_ACC_LINE;
  return (fetch_t){next, lines, (uint32_t)(lines / tiles + 1)};
}

/* Runs a tile as often as it is repeated, fetching as long as there is something to fetch; |width|
 * of its sums. */
static void run_tile(armnn_i_acc_gemm_fn_t function, const armnn_i_acc_window_tile_t* tile,
                     int64_t width, fetch_t* fetch, armnn_i_acc_gemm_job_t* job) {
  const uint64_t wanted = fetch->lines / fetch->per_tile;
  const uint32_t fetching = wanted < tile->repeat ? (uint32_t)wanted : tile->repeat;
  if (fetching > 0) {
    const int64_t rows = (int64_t)fetching * tile->rows;
    const uint64_t lines = (uint64_t)fetching * fetch->per_tile;
    job->tiles = fetching;
    job->fetch = fetch->at;
    job->fetch_lines = fetch->per_tile;
    function(job);
    fetch->at += lines * ARMNN_ACC_LINE;
    fetch->lines -= lines;
    if (fetching == tile->repeat) return;
    job->input += rows * job->input_stride;
    job->output += rows * job->output_stride;
    job->residual += rows * job->residual_stride;
    job->partial += rows * width;
  }
  job->tiles = tile->repeat - fetching;
  job->fetch_lines = 0;
  function(job);
}

static void run_item(const window_run_t* state, int64_t block, uint32_t part, char* scratch) {
  const armnn_i_acc_window_t* window = state->window;
  const armnn_i_acc_panels_t* panels = &window->panels;
  const int64_t groups = armnn_i_acc_ceil_div(window->units, window->grain);
  const int64_t from = groups * block / window->blocks * window->grain;
  const int64_t to = least(groups * (block + 1) / window->blocks * window->grain, window->units);
  if (from >= to) return; /* an output without elements */
  const uint32_t tile_count = armnn_i_acc_cut_tiles(window, state->input, from, to, scratch);
  const armnn_i_acc_window_tile_t* tiles = (const armnn_i_acc_window_tile_t*)scratch;
  const uint32_t begin = (uint32_t)((uint64_t)panels->count * part / window->parts);
  const uint32_t end = (uint32_t)((uint64_t)panels->count * (part + 1) / window->parts);
  armnn_i_acc_gemm_job_t job = {
      .depth = panels->depth,
      .input_stride = window->input_step,
      .output_stride = window->output_step,
      .residual_stride = window->residual_step,
      .low = window->low,
      .high = window->high,
  };
  const uint32_t at_a_time = window->taps_at_a_time;
  /* Later blocks of the same thread find weights near that stay in the second cache. */
  const int64_t turns = armnn_i_acc_ceil_div(window->blocks, window->threads);
  const bool fetches = window->far || block % turns == 0;
  uint64_t all_tiles = 0;
  for (uint32_t t = 0; t < tile_count; ++t) all_tiles += tiles[t].repeat;
  for (uint32_t p = begin; p < end; ++p) {
    const armnn_i_acc_panel_t* panel = &panels->panels[p];
    const armnn_i_acc_gemm_fn_t* functions = armnn_i_acc_tiles_of(panels, panel);
    job.panel = panels->weights + panel->offset;
    job.bias = armnn_i_acc_bias_of(panels, panel);
    job.last = panel->columns - (panel->vectors - 1) * panels->gemm->lanes;
    job.run_offset = panel->input;
    const int64_t width = (int64_t)panel->vectors * panels->gemm->lanes;
    for (uint32_t first = 0; first == 0 || first < panels->taps; first += at_a_time) {
      float* partial = (float*)(void*)(scratch + window->sums_offset);
      fetch_t fetch = next_weights(panels, panel, first, first + at_a_time, all_tiles);
      if (!fetches) fetch.lines = 0;
      for (uint32_t t = 0; t < tile_count; ++t) {
        const armnn_i_acc_window_tile_t* tile = &tiles[t];
        job.input = tile->input + panel->input;
        job.output = state->output + tile->output + panel->first;
        job.residual = state->residual + tile->residual + panel->first;
        job.partial = partial;
        if (take_taps(window, tile, first, first + at_a_time, &job)) {
          run_tile(functions[tile->rows], tile, width, &fetch, &job);
        }
        partial += (int64_t)tile->rows * tile->repeat * width;
      }
    }
  }
  finish(state, tiles, tile_count, begin, end);
}

static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const window_run_t* state = argument;
  const armnn_i_acc_window_t* window = state->window;
  char* scratch = state->run->scratch + thread_index * window->thread_scratch;
  for (uint64_t i = begin; i < end; ++i) {
    run_item(state, (int64_t)(i % (uint64_t)window->blocks),
             (uint32_t)(i / (uint64_t)window->blocks), scratch);
  }
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_run_window(const armnn_i_acc_window_t* window, const armnn_i_acc_run_t* run) {
  window_run_t state = {
      .window = window,
      .run = run,
      .input = armnn_i_acc_address(run, &window->what.input),
      .output = armnn_i_acc_address(run, &window->what.output),
  };
  state.residual = state.output; /* not read without a residual */
  if (window->what.epilogue.has_residual) {
    state.residual = armnn_i_acc_address(run, &window->what.epilogue.residual);
  }
  armnn_i_acc_parallel(run, run_items, &state, (uint64_t)window->blocks * window->parts, 1,
                       window->threads);
}
