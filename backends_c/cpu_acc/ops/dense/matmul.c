/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * matmul.c - products of matrices.
 *
 * A constant right side, the same for the whole batch, is a window of one tap over an image
 * whose pixels are the left side's rows. Everything else is done here: each item is one panel of
 * one right side, packed to the thread's scratch (or when made, if constant), and the left rows
 * that it is multiplied with.
 */
#include "panel_rows.h"
#include "window.h"

/* Rows of the left side that make packing a panel for them alone a small part of the work. */
#define ROWS_FOR_A_PANEL 64

typedef struct matmul_t {
  armnn_i_acc_op_t base;
  const armnn_host_t* host;
  const armnn_i_acc_kernels_t* kernels;
  bool as_window;
  armnn_i_acc_window_t window;
  /* Otherwise: */
  armnn_i_acc_matmul_t what;
  int64_t left_steps[ARMNN_ACC_MAX_RANK], right_steps[ARMNN_ACC_MAX_RANK];
  int64_t output_steps[ARMNN_ACC_MAX_RANK], residual_steps[ARMNN_ACC_MAX_RANK];
  armnn_i_acc_panels_t panels;        /* of one right side */
  const float* packed;                /* all right sides, one behind another; or null */
  armnn_i_acc_packed_t rights_packed; /* the memory of |packed| */
  uint32_t batch_rank;
  int64_t batches, lefts, rights; /* matrices of the output and of either side */
  int64_t m, n, k;
  int64_t row_blocks, block_rows;
  uint32_t threads;
  uint64_t thread_offset, thread_scratch; /* of scratch, in elements */
  armnn_i_acc_gemm_job_t job;             /* the members that are the same for all tiles */
  armnn_i_acc_gemm_tap_t tap;
  bool in_tile; /* tiles do the whole epilogue */
} matmul_t;

/* ---- Matrices of a batch ------------------------------------------------------------------- */

/* Offset and number of the matrix of |tensor| that belongs to matrix |batch| of the output. */
static int64_t matrix_offset(const matmul_t* matmul, const armnn_i_acc_tensor_t* tensor,
                             const int64_t* steps, int64_t batch, int64_t* out_index) {
  int64_t offset = 0, index = 0, weight = 1;
  for (uint32_t d = matmul->batch_rank; d-- > 0;) {
    const int64_t at = batch % matmul->what.output.dims[d];
    batch /= matmul->what.output.dims[d];
    if (tensor->dims[d] > 1) {
      offset += at * steps[d];
      index += at * weight;
      weight *= tensor->dims[d];
    }
  }
  if (out_index != NULL) *out_index = index;
  return offset;
}

static int64_t count_matrices(const armnn_i_acc_tensor_t* tensor) {
  int64_t count = 1;
  for (uint32_t d = 0; d + 2 < tensor->rank; ++d) count *= tensor->dims[d];
  return count;
}

static armnn_i_acc_panel_source_t right_source(const matmul_t* matmul, const float* values) {
  const uint32_t rank = matmul->what.right.rank;
  const int64_t rows = matmul->right_steps[rank - 2], columns = matmul->right_steps[rank - 1];
  const bool transposed = matmul->what.transpose_right;
  return (armnn_i_acc_panel_source_t){
      .values = values,
      .step_o = transposed ? rows : columns,
      .step_i = transposed ? columns : rows,
      .size_y = 1,
      .size_x = 1,
      .channels = (uint64_t)matmul->k,
  };
}

/* ---- Run ----------------------------------------------------------------------------------- */

typedef struct matmul_run_t {
  const matmul_t* matmul;
  const armnn_i_acc_run_t* run;
  const float *left, *right, *residual;
  float *output, *scratch;
} matmul_run_t;

/* Transposes left sides that are given transposed, so that their rows are rows of the product. */
static armnn_status_t turn_left(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const matmul_run_t* state = argument;
  const matmul_t* matmul = state->matmul;
  const armnn_i_acc_tensor_t* left = &matmul->what.left;
  const int64_t strips = armnn_i_acc_ceil_div(matmul->m, 16);
  for (uint64_t i = begin; i < end; ++i) {
    const int64_t matrix = (int64_t)i / strips, row = (int64_t)i % strips * 16;
    int64_t offset = 0;
    for (int64_t rest = matrix, d = (int64_t)matmul->batch_rank - 1; d >= 0; --d) {
      offset += rest % left->dims[d] * matmul->left_steps[d];
      rest /= left->dims[d];
    }
    const int64_t rows = matmul->m - row < 16 ? matmul->m - row : 16;
    float* to = state->scratch + (matrix * matmul->m + row) * matmul->k;
    matmul->panels.gemm->pack(to, (uint32_t)matmul->k, state->left + offset + row,
                              (uint32_t)matmul->k, matmul->left_steps[left->rank - 2], 1,
                              (uint64_t)rows, 1, (uint64_t)rows);
  }
  return ARMNN_STATUS_OK;
}

static void multiply_rows(const matmul_run_t* state, armnn_i_acc_gemm_job_t* job, int64_t batch,
                          int64_t from, int64_t to, const armnn_i_acc_panel_t* panel) {
  const matmul_t* matmul = state->matmul;
  const armnn_i_acc_matmul_t* what = &matmul->what;
  const armnn_i_acc_epilogue_t* epilogue = &what->epilogue;
  int64_t left_matrix = 0;
  int64_t left = matrix_offset(matmul, &what->left, matmul->left_steps, batch, &left_matrix);
  job->input = state->left + left;
  if (what->transpose_left) {
    job->input = state->scratch + left_matrix * matmul->m * matmul->k;
  }
  job->input += from * job->input_stride;
  job->output = state->output +
                matrix_offset(matmul, &what->output, matmul->output_steps, batch, NULL) +
                from * job->output_stride + panel->first;
  job->residual = job->output;
  if (epilogue->has_residual) {
    job->residual =
        state->residual +
        matrix_offset(matmul, &epilogue->residual, matmul->residual_steps, batch, NULL) +
        from * job->residual_stride + panel->first;
  }
  float* const output = job->output;
  const float* const residual = job->residual;
  const int64_t rows = to - from;
  armnn_i_acc_multiply_rows(&matmul->panels, panel, rows, job);
  if (matmul->in_tile) return;
  armnn_i_acc_apply_rows(matmul->kernels->elementwise->apply[epilogue->function], output,
                         (size_t)rows, panel->columns, (size_t)job->output_stride, epilogue->a,
                         epilogue->b);
  if (epilogue->has_residual && epilogue->residual_last) {
    matmul->panels.gemm->add_rows(output, job->output_stride, residual, job->residual_stride,
                                  (size_t)rows, panel->columns);
  }
}

/* Items: batches, panels, blocks of rows. */
static armnn_status_t run_items(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  const matmul_run_t* state = argument;
  const matmul_t* matmul = state->matmul;
  float* packed = state->scratch + matmul->thread_offset + thread_index * matmul->thread_scratch;
  int64_t packed_right = -1;
  uint32_t packed_panel = 0;
  for (uint64_t i = begin; i < end; ++i) {
    const int64_t block = (int64_t)i % matmul->row_blocks;
    const int64_t product = (int64_t)i / matmul->row_blocks;
    const uint32_t p = (uint32_t)(product % matmul->panels.count);
    const int64_t batch = product / matmul->panels.count;
    const armnn_i_acc_panel_t* panel = &matmul->panels.panels[p];
    int64_t right = 0;
    const int64_t offset =
        matrix_offset(matmul, &matmul->what.right, matmul->right_steps, batch, &right);
    armnn_i_acc_gemm_job_t job = matmul->job;
    job.taps = &matmul->tap;
    job.bias = armnn_i_acc_bias_of(&matmul->panels, panel);
    job.last = panel->columns - (panel->vectors - 1) * matmul->panels.gemm->lanes;
    if (matmul->packed != NULL) {
      job.panel = matmul->packed + (uint64_t)right * matmul->panels.floats + panel->offset;
    } else {
      if (packed_right != right || packed_panel != p) {
        const armnn_i_acc_panel_source_t source = right_source(matmul, state->right + offset);
        armnn_i_acc_pack_panels(&matmul->panels, &source, (uint64_t)matmul->n, p, p + 1, packed);
        packed_right = right;
        packed_panel = p;
      }
      job.panel = packed;
    }
    const int64_t from = block * matmul->block_rows;
    const int64_t to = from + matmul->block_rows;
    multiply_rows(state, &job, batch, from, to < matmul->m ? to : matmul->m, panel);
  }
  return ARMNN_STATUS_OK;
}

static void run_matmul(const armnn_i_acc_op_t* op, const armnn_i_acc_run_t* run) {
  const matmul_t* matmul = (const matmul_t*)op;
  if (matmul->as_window) {
    armnn_i_acc_run_window(&matmul->window, run);
    return;
  }
  matmul_run_t state = {
      .matmul = matmul,
      .run = run,
      .left = armnn_i_acc_address(run, &matmul->what.left),
      .right = matmul->packed == NULL ? armnn_i_acc_address(run, &matmul->what.right) : NULL,
      .output = armnn_i_acc_address(run, &matmul->what.output),
      .scratch = (float*)run->scratch,
  };
  state.residual = state.output; /* not read without a residual */
  if (matmul->what.epilogue.has_residual) {
    state.residual = armnn_i_acc_address(run, &matmul->what.epilogue.residual);
  }
  if (matmul->what.transpose_left) {
    armnn_i_acc_parallel(run, turn_left, &state,
                         (uint64_t)(matmul->lefts * armnn_i_acc_ceil_div(matmul->m, 16)), 4,
                         matmul->threads);
  }
  armnn_i_acc_parallel(run, run_items, &state,
                       (uint64_t)(matmul->batches * matmul->panels.count * matmul->row_blocks), 1,
                       matmul->threads);
}

/* ---- Making -------------------------------------------------------------------------------- */

static void destroy_matmul(armnn_i_acc_op_t* op) {
  matmul_t* matmul = (matmul_t*)op;
  const armnn_host_t* host = matmul->host;
  if (matmul->as_window) armnn_i_acc_free_window(host, &matmul->window);
  armnn_i_acc_free_panels(&matmul->panels);
  armnn_i_acc_release_packed(&matmul->rights_packed);
  armnn_free(host, matmul);
}

/* [batch.., rows, columns] as [n, h, w, c]; false if it has more dimensions than that. */
static bool as_image(const armnn_i_acc_tensor_t* tensor, armnn_i_acc_tensor_t* out_image) {
  if (tensor->rank > 4) {
    for (uint32_t d = 0; d + 4 < tensor->rank; ++d) {
      if (tensor->dims[d] != 1) return false;
    }
  }
  *out_image = *tensor;
  out_image->rank = 4;
  for (uint32_t d = 0; d < 4; ++d) {
    const bool has = d + tensor->rank >= 4;
    out_image->dims[d] = has ? tensor->dims[d + tensor->rank - 4] : 1;
    out_image->strides[d] = has ? tensor->strides[d + tensor->rank - 4] : 0;
  }
  return true;
}

static bool same_batch(const armnn_i_acc_tensor_t* a, const armnn_i_acc_tensor_t* b) {
  for (uint32_t d = 0; d + 2 < a->rank; ++d) {
    if (a->dims[d] != b->dims[d]) return false;
  }
  return true;
}

static bool window_of(const armnn_i_acc_matmul_t* what, armnn_i_acc_convolution_t* out_window) {
  const armnn_i_acc_tensor_t* right = &what->right;
  if (right->values == NULL || count_matrices(right) != 1 || what->transpose_left ||
      !same_batch(&what->left, &what->output)) {
    return false;
  }
  const uint32_t row = right->rank - 2, column = right->rank - 1;
  const uint32_t o = what->transpose_right ? row : column, i = what->transpose_right ? column : row;
  const armnn_i_acc_tensor_t weights = {
      .element = right->element,
      .rank = 4,
      .dims = {right->dims[o], 1, 1, right->dims[i]},
      .strides = {right->strides[o], 0, 0, right->strides[i]},
      .values = right->values,
  };
  *out_window = armnn_i_acc_pointwise(weights, what->bias, 1);
  out_window->stored = what->stored;
  out_window->epilogue = what->epilogue;
  return as_image(&what->left, &out_window->input) &&
         as_image(&what->output, &out_window->output) &&
         (!what->epilogue.has_residual ||
          as_image(&what->epilogue.residual, &out_window->epilogue.residual));
}

static void set_job(matmul_t* matmul) {
  const armnn_i_acc_matmul_t* what = &matmul->what;
  const armnn_i_acc_epilogue_t* epilogue = &what->epilogue;
  armnn_i_acc_gemm_job_t* job = &matmul->job;
  const uint32_t row = what->output.rank - 2;
  job->tap_count = 1;
  job->depth = (uint64_t)matmul->k;
  job->input_stride = what->transpose_left ? matmul->k : matmul->left_steps[row];
  job->output_stride = matmul->output_steps[row];
  /* One row: its stride does not matter. */
  if (matmul->m == 1) job->output_stride = matmul->n;
  if (epilogue->has_residual) {
    job->residual_stride = matmul->residual_steps[row];
  }
  matmul->in_tile = armnn_i_acc_set_epilogue(epilogue, &job->flags, &job->low, &job->high);
}

/* A constant right side for each matrix of the batch: all are packed now. */
static armnn_status_t pack_right(const armnn_i_acc_maker_t* maker, matmul_t* matmul) {
  const armnn_i_acc_tensor_t* right = &matmul->what.right;
  const uint64_t rights = (uint64_t)matmul->rights;
  const uint64_t size = matmul->panels.floats * rights * sizeof(float);
  const uint64_t layout = ARMNN_ACC_LAYOUT(armnn_i_acc_panels_layout(&matmul->panels), rights);
  armnn_i_acc_packed_t* packed = &matmul->rights_packed;
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_PANELS_OF_MATRICES, matmul->what.transpose_right,
                 (uint64_t)matmul->k, (uint64_t)matmul->n);
  armnn_i_acc_name_tensor(&name, maker, right);
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_take_packed(maker, size, layout, &name, packed));
  if (!packed->is_packed) memset(packed->data, 0, (size_t)size);
  for (int64_t i = 0; i < matmul->rights && !packed->is_packed; ++i) {
    int64_t offset = 0;
    for (int64_t rest = i, d = (int64_t)matmul->batch_rank - 1; d >= 0; --d) {
      offset += rest % right->dims[d] * matmul->right_steps[d];
      rest /= right->dims[d];
    }
    const armnn_i_acc_panel_source_t source =
        right_source(matmul, (const float*)right->values + offset);
    armnn_i_acc_pack_panels(&matmul->panels, &source, (uint64_t)matmul->n, 0, matmul->panels.count,
                            (float*)packed->data + (uint64_t)i * matmul->panels.floats);
  }
  armnn_i_acc_share_packed(maker, size, layout, packed);
  matmul->packed = packed->data;
  return ARMNN_STATUS_OK;
}

static armnn_status_t make_general(const armnn_i_acc_maker_t* maker, matmul_t* matmul) {
  const armnn_i_acc_matmul_t* what = &matmul->what;
  const uint32_t rank = what->output.rank;
  matmul->batch_rank = rank - 2;
  matmul->m = what->output.dims[rank - 2];
  matmul->n = what->output.dims[rank - 1];
  matmul->k = what->left.dims[what->transpose_left ? rank - 2 : rank - 1];
  matmul->batches = count_matrices(&what->output);
  matmul->lefts = count_matrices(&what->left);
  matmul->rights = count_matrices(&what->right);
  if (what->transpose_left && matmul->k > UINT32_MAX) return ARMNN_STATUS_UNSUPPORTED;
  armnn_i_acc_steps(&what->left, matmul->left_steps);
  armnn_i_acc_steps(&what->right, matmul->right_steps);
  armnn_i_acc_steps(&what->output, matmul->output_steps);
  armnn_i_acc_steps(&what->epilogue.residual, matmul->residual_steps);
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_plan_panels(maker, matmul->kernels->gemm, 1,
                                                (uint64_t)matmul->n, 0, 1, (uint64_t)matmul->k, 2,
                                                1, &matmul->panels));
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_pack_bias(maker, what->bias, &matmul->panels));
  if (what->right.values != NULL) ARMNN_RETURN_IF_ERROR(pack_right(maker, matmul));
  set_job(matmul);
  matmul->base.operations = 2 * (uint64_t)(matmul->batches * matmul->m * matmul->n * matmul->k);
  matmul->threads = armnn_i_acc_threads(maker, matmul->base.operations);
  matmul->row_blocks = 1;
  const int64_t products = matmul->batches * matmul->panels.count, wanted = 4 * matmul->threads;
  if (matmul->threads > 1 && products < wanted) {
    matmul->row_blocks = armnn_i_acc_ceil_div(wanted, products);
    const int64_t most = armnn_i_acc_ceil_div(matmul->m, ROWS_FOR_A_PANEL);
    if (matmul->row_blocks > most) matmul->row_blocks = most;
  }
  matmul->block_rows = armnn_i_acc_ceil_div(matmul->m, matmul->row_blocks);
  matmul->row_blocks = armnn_i_acc_ceil_div(matmul->m, matmul->block_rows);
  /* Scratch: left sides that were turned, then a panel of each thread. */
  const uint64_t line = ARMNN_ACC_LINE / sizeof(float);
  uint64_t floats = 0;
  if (what->transpose_left) {
    floats = (uint64_t)(matmul->lefts * matmul->m * matmul->k);
    floats = (floats + line - 1) / line * line;
  }
  matmul->thread_offset = floats;
  if (matmul->packed == NULL) {
    const uint64_t width = (uint64_t)matmul->panels.vectors * matmul->panels.gemm->lanes;
    matmul->thread_scratch = (width * (uint64_t)matmul->k + line - 1) / line * line;
  }
  matmul->base.scratch_size = (floats + matmul->thread_scratch * matmul->threads) * sizeof(float);
  matmul->base.kernel = armnn_i_acc_names_of(&matmul->panels)->matmul;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_make_matmul(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_matmul_t* what,
                                       armnn_i_acc_op_t** out_op) {
  *out_op = NULL;
  const armnn_i_acc_kernels_t* kernels = armnn_i_acc_kernels_of(maker, &what->output);
  if (kernels == NULL) return ARMNN_STATUS_UNSUPPORTED;
  matmul_t* matmul = armnn_alloc(maker->host, sizeof *matmul, ARMNN_ACC_LINE);
  if (matmul == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  *matmul = (matmul_t){
      .base = {.run = run_matmul, .destroy = destroy_matmul},
      .host = maker->host,
      .kernels = kernels,
      .what = *what,
      .tap = {0, 0},
  };
  armnn_i_acc_convolution_t window;
  armnn_status_t status;
  if (window_of(what, &window)) {
    status = armnn_i_acc_make_window(maker, &window, 0, &matmul->window);
    matmul->as_window = status == ARMNN_STATUS_OK;
    if (status == ARMNN_STATUS_OK) {
      const armnn_i_acc_panels_t* panels = &matmul->window.panels;
      matmul->base.kernel = armnn_i_acc_names_of(panels)->matmul;
      matmul->base.scratch_size = matmul->window.scratch_size;
      matmul->base.operations = matmul->window.operations;
    }
  } else {
    status = make_general(maker, matmul);
  }
  if (status != ARMNN_STATUS_OK) {
    destroy_matmul(&matmul->base);
    return status;
  }
  *out_op = &matmul->base;
  return ARMNN_STATUS_OK;
}
