/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * winograd.c - the operator: pixels are transformed, multiplied point by point, and transformed
 * back, a block of tiles at a time.
 *
 * Scratch between the stages is small enough for the second cache where the channels are few, and
 * wide blocks read a layer's many weights seldom (winograd_cost.c cuts).
 */
#include "winograd.h"

/* Channels of a piece of work, where all threads share a tile. */
#define CHUNK_CHANNELS 64

typedef struct winograd_run_t {
  const armnn_i_acc_winograd_t* op;
  const float* input;
  const float* residual;
  float* output;
  char* scratch;      /* of all threads */
  int64_t first, end; /* tiles of the block that all threads share */
} winograd_run_t;

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* Where a tile lies: its image, and its first output pixel. */
typedef struct place_t {
  int64_t image, y, x;
} place_t;

static place_t place_of(const armnn_i_acc_winograd_t* op, int64_t tile) {
  const int64_t per_image = op->tiles_y * op->tiles_x, size = op->tile->size;
  const int64_t inside = tile % per_image;
  return (place_t){tile / per_image, inside / op->tiles_x * size, inside % op->tiles_x * size};
}

/* ---- Stages, of |channels| channels from |c| on -------------------------------------------- */

static void transform_inputs(const winograd_run_t* state, int64_t tile, int64_t c, int64_t channels,
                             float* out) {
  const armnn_i_acc_winograd_t* op = state->op;
  const int64_t* dims = op->what.input.dims;
  const int64_t* steps = op->input_steps;
  const int64_t side = op->tile->size + 2;
  const place_t place = place_of(op, tile);
  const float* image = state->input + place.image * steps[0] + c;
  const float* pixels[ARMNN_ACC_WINOGRAD_POINTS];
  for (int64_t i = 0; i < side; ++i) {
    const int64_t y = place.y + i - op->what.pad_top;
    const bool row_inside = y >= 0 && y < dims[1];
    for (int64_t j = 0; j < side; ++j) {
      const int64_t x = place.x + j - op->what.pad_left;
      const bool inside = row_inside && x >= 0 && x < dims[2];
      pixels[i * side + j] = inside ? image + y * steps[1] + x * steps[2] : op->zeros;
    }
  }
  const armnn_i_acc_winograd_input_t job = {
      .pixels = pixels,
      .channels = (size_t)channels,
      .out = out + c,
      .point_step = op->pixel_point_step,
  };
  op->tile->input(&job);
}

/* Product |item| of |rows| tiles: a panel of a point. */
static void multiply(const armnn_i_acc_winograd_t* op, uint32_t item, uint32_t rows,
                     const float* pixels, float* sums) {
  static const armnn_i_acc_gemm_tap_t tap = {0, 0};
  const armnn_i_acc_panels_t* panels = &op->panels;
  const armnn_i_acc_panel_t* panel = &panels->panels[item];
  const armnn_i_acc_gemm_fn_t* functions = armnn_i_acc_tiles_of(panels, panel);
  const int64_t point = item / (panels->count / op->points);
  const int64_t column = panel->first - point * op->what.output.dims[3];
  armnn_i_acc_gemm_job_t job = {
      .tiles = rows / panels->rows,
      .tap_count = 1,
      .depth = panels->depth,
      .taps = &tap,
      .input = pixels + point * op->pixel_point_step,
      .input_stride = op->pixel_step,
      .panel = panels->weights + panel->offset,
      .bias = armnn_i_acc_no_bias,
      .output = sums + point * op->sum_point_step + column,
      .output_stride = op->sum_step,
      .last = panel->columns - (panel->vectors - 1) * panels->gemm->lanes,
      .flags = ARMNN_ACC_GEMM_IN_ORDER, /* how many tiles a block has depends on threads */
  };
  job.residual = job.output; /* not read */
  if (job.tiles > 0) functions[panels->rows](&job);
  const uint32_t done = job.tiles * panels->rows;
  if (done == rows) return;
  job.tiles = 1;
  job.input += done * job.input_stride;
  job.output += done * job.output_stride;
  functions[rows - done](&job);
}

/* The rest of an epilogue that the kernel does not do. */
static void finish(const winograd_run_t* state, const armnn_i_acc_winograd_output_t* job) {
  const armnn_i_acc_winograd_t* op = state->op;
  const armnn_i_acc_epilogue_t* epilogue = &op->what.epilogue;
  const armnn_i_acc_apply_fn_t apply = op->kernels->elementwise->apply[epilogue->function];
  for (uint32_t y = 0; y < job->rows; ++y) {
    float* data = job->output + y * job->output_row;
    armnn_i_acc_apply_rows(apply, data, job->columns, job->channels, (size_t)job->output_pixel,
                           epilogue->a, epilogue->b);
    if (epilogue->has_residual && epilogue->residual_last) {
      op->panels.gemm->add_rows(data, job->output_pixel, job->residual + y * job->residual_row,
                                job->residual_pixel, job->columns, job->channels);
    }
  }
}

static void transform_sums(const winograd_run_t* state, int64_t tile, int64_t c, int64_t channels,
                           const float* sums) {
  const armnn_i_acc_winograd_t* op = state->op;
  const int64_t size = op->tile->size;
  const int64_t *dims = op->what.output.dims, *steps = op->output_steps;
  const int64_t* residual_steps = op->residual_steps;
  const place_t place = place_of(op, tile);
  const armnn_i_acc_epilogue_t* epilogue = &op->what.epilogue;
  armnn_i_acc_winograd_output_t job = {
      .sums = sums + c,
      .point_step = op->sum_point_step,
      .bias = op->bias + c,
      .channels = (size_t)channels,
      .rows = (uint32_t)least(size, dims[1] - place.y),
      .columns = (uint32_t)least(size, dims[2] - place.x),
      .output =
          state->output + place.image * steps[0] + place.y * steps[1] + place.x * steps[2] + c,
      .output_row = steps[1],
      .output_pixel = steps[2],
      .residual_row = residual_steps[1],
      .residual_pixel = residual_steps[2],
      .residual_last = epilogue->residual_last,
      .low = op->low,
      .high = op->high,
  };
  const float* residual = NULL;
  if (epilogue->has_residual) {
    residual = state->residual + place.image * residual_steps[0] + place.y * residual_steps[1] +
               place.x * residual_steps[2] + c;
  }
  job.residual = op->in_kernel || !epilogue->residual_last ? residual : NULL;
  op->tile->output(&job);
  if (op->in_kernel) return;
  job.residual = residual;
  finish(state, &job);
}

/* ---- Blocks -------------------------------------------------------------------------------- */

static int64_t first_tile(const armnn_i_acc_winograd_t* op, int64_t block) {
  return least(block * op->block_tiles, op->tiles);
}

static armnn_status_t run_blocks(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  const winograd_run_t* state = argument;
  const armnn_i_acc_winograd_t* op = state->op;
  char* scratch = state->scratch + thread_index * op->block_scratch;
  float *pixels = (float*)(void*)scratch, *sums = (float*)(void*)(scratch + op->sums_offset);
  for (uint64_t block = begin; block < end; ++block) {
    const int64_t first = first_tile(op, (int64_t)block), last = first_tile(op, (int64_t)block + 1);
    for (int64_t t = first; t < last; ++t) {
      transform_inputs(state, t, 0, op->what.input.dims[3], pixels + (t - first) * op->pixel_step);
    }
    for (uint32_t item = 0; item < op->panels.count; ++item) {
      multiply(op, item, (uint32_t)(last - first), pixels, sums);
    }
    for (int64_t t = first; t < last; ++t) {
      transform_sums(state, t, 0, op->what.output.dims[3], sums + (t - first) * op->sum_step);
    }
  }
  return ARMNN_STATUS_OK;
}

static int64_t chunks_of(int64_t channels) {
  return armnn_i_acc_ceil_div(channels, CHUNK_CHANNELS);
}

static armnn_status_t input_items(void* argument, uint64_t begin, uint64_t end,
                                  uint32_t thread_index) {
  (void)thread_index;
  const winograd_run_t* state = argument;
  const armnn_i_acc_winograd_t* op = state->op;
  const int64_t channels = op->what.input.dims[3], chunks = chunks_of(channels);
  float* pixels = (float*)(void*)state->scratch;
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    const int64_t tile = i / chunks, c = i % chunks * CHUNK_CHANNELS;
    transform_inputs(state, state->first + tile, c, least(CHUNK_CHANNELS, channels - c),
                     pixels + tile * op->pixel_step);
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t product_items(void* argument, uint64_t begin, uint64_t end,
                                    uint32_t thread_index) {
  (void)thread_index;
  const winograd_run_t* state = argument;
  const armnn_i_acc_winograd_t* op = state->op;
  for (uint64_t item = begin; item < end; ++item) {
    multiply(op, (uint32_t)item, (uint32_t)(state->end - state->first),
             (const float*)(const void*)state->scratch,
             (float*)(void*)(state->scratch + op->sums_offset));
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t output_items(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const winograd_run_t* state = argument;
  const armnn_i_acc_winograd_t* op = state->op;
  const int64_t channels = op->what.output.dims[3], chunks = chunks_of(channels);
  const float* sums = (const float*)(const void*)(state->scratch + op->sums_offset);
  for (int64_t i = (int64_t)begin; i < (int64_t)end; ++i) {
    const int64_t tile = i / chunks, c = i % chunks * CHUNK_CHANNELS;
    transform_sums(state, state->first + tile, c, least(CHUNK_CHANNELS, channels - c),
                   sums + tile * op->sum_step);
  }
  return ARMNN_STATUS_OK;
}

static void run_winograd(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const armnn_i_acc_winograd_t* op = (const armnn_i_acc_winograd_t*)base;
  winograd_run_t state = {
      .op = op,
      .input = armnn_i_acc_address(run, &op->what.input),
      .output = armnn_i_acc_address(run, &op->what.output),
      .scratch = run->scratch,
  };
  if (op->what.epilogue.has_residual) {
    state.residual = armnn_i_acc_address(run, &op->what.epilogue.residual);
  }
  if (!op->together) {
    armnn_i_acc_parallel(run, run_blocks, &state, (uint64_t)op->blocks, 1, op->threads);
    return;
  }
  const int64_t in_chunks = chunks_of(op->what.input.dims[3]);
  const int64_t out_chunks = chunks_of(op->what.output.dims[3]);
  for (int64_t block = 0; block < op->blocks; ++block) {
    state.first = first_tile(op, block);
    state.end = first_tile(op, block + 1);
    const uint64_t tiles = (uint64_t)(state.end - state.first);
    armnn_i_acc_parallel(run, input_items, &state, tiles * (uint64_t)in_chunks, 1, op->threads);
    armnn_i_acc_parallel(run, product_items, &state, op->panels.count, 1, op->threads);
    armnn_i_acc_parallel(run, output_items, &state, tiles * (uint64_t)out_chunks, 1, op->threads);
  }
}

/* ---- Making -------------------------------------------------------------------------------- */

static void destroy_winograd(armnn_i_acc_op_t* base) {
  armnn_i_acc_winograd_t* op = (armnn_i_acc_winograd_t*)base;
  armnn_i_acc_free_panels(&op->panels);
  armnn_i_acc_destroy_op(base);
}

static void lay_scratch(armnn_i_acc_winograd_t* op) {
  const int64_t lanes = op->kernels->lanes;
  op->pixel_step = armnn_i_acc_ceil_div(op->what.input.dims[3], lanes) * lanes;
  op->sum_step = armnn_i_acc_ceil_div(op->what.output.dims[3], lanes) * lanes;
  armnn_i_acc_cut_winograd(op);
  op->pixel_point_step = op->block_tiles * op->pixel_step;
  op->sum_point_step = op->block_tiles * op->sum_step;
  op->sums_offset = armnn_i_acc_round_up(op->points * (size_t)op->pixel_point_step * sizeof(float),
                                         ARMNN_ACC_LINE);
  op->block_scratch =
      op->sums_offset +
      armnn_i_acc_round_up(op->points * (size_t)op->sum_point_step * sizeof(float), ARMNN_ACC_LINE);
}

armnn_status_t armnn_i_acc_make_winograd(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_convolution_t* what, uint32_t tile,
                                         armnn_i_acc_op_t** out_op) {
  *out_op = NULL;
  if (!armnn_i_acc_can_winograd(maker, what)) return ARMNN_STATUS_UNSUPPORTED;
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  const int64_t channels = what->input.dims[3], columns = what->output.dims[3];
  const size_t width = armnn_i_acc_round_up((size_t)columns, kernels->lanes);
  const size_t extra = ((size_t)channels + width) * sizeof(float);
  void* arrays = NULL;
  armnn_i_acc_winograd_t* op = armnn_i_acc_new_op(maker, sizeof *op, extra, &arrays);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->kernels = kernels;
  op->tile = &kernels->winograd->tiles[tile == 2 ? 0 : 1];
  op->points = (tile + 2) * (tile + 2);
  op->bias = arrays;
  op->zeros = op->bias + width;
  if (what->bias != NULL) memcpy(op->bias, what->bias, (size_t)columns * sizeof(float));
  armnn_i_acc_steps(&what->input, op->input_steps);
  armnn_i_acc_steps(&what->output, op->output_steps);
  const armnn_i_acc_epilogue_t* epilogue = &what->epilogue;
  if (epilogue->has_residual) armnn_i_acc_steps(&epilogue->residual, op->residual_steps);
  op->in_kernel = armnn_i_acc_function_is_clamp(epilogue->function, epilogue->a, epilogue->b,
                                                &op->low, &op->high);
  op->tiles_y = armnn_i_acc_ceil_div(what->output.dims[1], tile);
  op->tiles_x = armnn_i_acc_ceil_div(what->output.dims[2], tile);
  op->tiles = what->output.dims[0] * op->tiles_y * op->tiles_x;
  const uint64_t operations = 18 * (uint64_t)(armnn_i_acc_count(&what->output) * channels);
  op->threads = armnn_i_acc_threads(maker, operations);
  lay_scratch(op);
  armnn_status_t status = armnn_i_acc_plan_panels(
      maker, kernels->gemm, op->points, (uint64_t)columns, 0, 1, (uint64_t)channels,
      armnn_i_acc_winograd_vectors(kernels->gemm, columns, op->block_tiles), 1, &op->panels);
  if (status == ARMNN_STATUS_OK) status = armnn_i_acc_pack_winograd(maker, op);
  if (status != ARMNN_STATUS_OK) {
    destroy_winograd(&op->base.op);
    return status;
  }
  op->base.op = (armnn_i_acc_op_t){
      .run = run_winograd,
      .destroy = destroy_winograd,
      .kernel = op->tile->name,
      .scratch_size = op->block_scratch * (op->together ? 1 : op->threads),
      .operations = operations,
  };
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
