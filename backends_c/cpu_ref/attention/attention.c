/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * attention.c - ATTENTION, a tile of queries at a time. The scores of a tile of keys are made
 * twice: first for the largest one and the sum of exponentials, then for the sum of values.
 */
#include <math.h>

#include "kernels.h"
#include "shared/tile.h"
#include "shared/work.h"
#include "tensor_shape.h"

enum { QUERY, KEY, VALUE, MASK };

typedef struct attention_job_t {
  const armnn_attention_descriptor_t* d;
  const float *query, *key, *value;
  float* output;
  const float* added;     /* a mask of numbers, or null */
  const uint8_t* visible; /* one of booleans, or null */
  int64_t mask_steps[4];
  int64_t heads, group, queries, keys, size, columns;
  int64_t row_tiles;
} attention_job_t;

/* Queries of one head that are worked on together, and their softmax so far. */
typedef struct rows_t {
  int64_t batch, head, first, count;
  const float *query, *key, *value;
  float* output;
  float top[ARMNN_REF_TILE];
  double sum[ARMNN_REF_TILE];
} rows_t;

static rows_t rows_of(const attention_job_t* job, int64_t item) {
  const int64_t matrix = item / job->row_tiles;
  rows_t rows = {.batch = matrix / job->heads,
                 .head = matrix % job->heads,
                 .first = item % job->row_tiles * ARMNN_REF_TILE};
  rows.count = armnn_i_ref_part(job->queries, rows.first);
  const int64_t row = matrix * job->queries + rows.first, shared = matrix / job->group;
  rows.query = job->query + row * job->size;
  rows.output = job->output + row * job->columns;
  rows.key = job->key + shared * job->keys * job->size;
  rows.value = job->value + shared * job->keys * job->columns;
  return rows;
}

/* ---- Scores ---------------------------------------------------------------------------------- */

/* Products of queries with the keys of a tile. */
static void multiply_keys(const attention_job_t* job, const rows_t* rows, int64_t first,
                          int64_t keys, armnn_i_ref_tile_t scores) {
  armnn_i_ref_tile_t right;
  const int64_t filled = armnn_i_ref_tile_columns(keys);
  armnn_i_ref_tile_fill(scores, rows->count, NULL);
  for (int64_t from = 0; from < job->size; from += ARMNN_REF_TILE) {
    const int64_t depth = armnn_i_ref_part(job->size, from);
    for (int64_t k = 0; k < depth; ++k) {
      for (int64_t n = 0; n < filled; ++n) {
        right[k][n] = n < keys ? rows->key[(first + n) * job->size + from + k] : 0.0f;
      }
    }
    armnn_i_ref_tile_multiply(rows->query + from, job->size, 1, rows->count, depth, right, keys,
                              scores);
  }
}

static float bounded(const armnn_attention_descriptor_t* d, float product) {
  const float score = product * d->scale;
  return d->softcap == 0.0f ? score : d->softcap * tanhf(score / d->softcap);
}

/* Scores with mask and all of the tile of keys that begins at |first|. */
static void make_scores(const attention_job_t* job, const rows_t* rows, int64_t first, int64_t keys,
                        armnn_i_ref_tile_t scores) {
  const int64_t* steps = job->mask_steps;
  multiply_keys(job, rows, first, keys, scores);
  for (int64_t r = 0; r < rows->count; ++r) {
    const int64_t query = rows->first + r;
    const int64_t mask =
        rows->batch * steps[0] + rows->head * steps[1] + query * steps[2] + first * steps[3];
    const int64_t seen = job->d->causal ? query + job->keys - job->queries + 1 - first : keys;
    for (int64_t n = 0; n < keys; ++n) {
      float score = bounded(job->d, scores[r][n]);
      if (job->added != NULL) score += job->added[mask + n * steps[3]];
      const int is_hidden =
          n >= seen || (job->visible != NULL && !job->visible[mask + n * steps[3]]);
      scores[r][n] = is_hidden ? -INFINITY : score;
    }
  }
}

/* ---- Softmax --------------------------------------------------------------------------------- */

/* Minus infinity has a share of 0, also where it is the largest score. */
static float power(float score, float top) { return score == -INFINITY ? 0.0f : expf(score - top); }

static void add_powers(rows_t* rows, int64_t keys, armnn_i_ref_tile_t scores) {
  for (int64_t r = 0; r < rows->count; ++r) {
    float top = rows->top[r];
    for (int64_t n = 0; n < keys; ++n) top = scores[r][n] > top ? scores[r][n] : top;
    if (top != rows->top[r]) rows->sum[r] *= (double)power(rows->top[r], top);
    for (int64_t n = 0; n < keys; ++n) rows->sum[r] += (double)power(scores[r][n], top);
    rows->top[r] = top;
  }
}

static void make_shares(const rows_t* rows, int64_t keys, armnn_i_ref_tile_t scores) {
  for (int64_t r = 0; r < rows->count; ++r) {
    const float factor = rows->sum[r] == 0.0 ? 0.0f : (float)(1.0 / rows->sum[r]);
    for (int64_t n = 0; n < keys; ++n) scores[r][n] = power(scores[r][n], rows->top[r]) * factor;
  }
}

static void add_values(const attention_job_t* job, const rows_t* rows, int64_t first, int64_t keys,
                       armnn_i_ref_tile_t shares) {
  armnn_i_ref_tile_t right, sum;
  for (int64_t from = 0; from < job->columns; from += ARMNN_REF_TILE) {
    const int64_t columns = armnn_i_ref_part(job->columns, from);
    const size_t size = (size_t)columns * sizeof(float);
    const int64_t filled = armnn_i_ref_tile_columns(columns);
    for (int64_t n = 0; n < keys; ++n) {
      memcpy(right[n], rows->value + (first + n) * job->columns + from, size);
      for (int64_t c = columns; c < filled; ++c) right[n][c] = 0.0f;
    }
    float* out = rows->output + from;
    for (int64_t r = 0; r < rows->count; ++r) {
      memset(sum[r], 0, sizeof sum[r]);
      if (first > 0) memcpy(sum[r], out + r * job->columns, size);
    }
    armnn_i_ref_tile_multiply(&shares[0][0], ARMNN_REF_TILE, 1, rows->count, keys, right, columns,
                              sum);
    armnn_i_ref_tile_store(sum, rows->count, columns, out, job->columns, 1);
  }
}

static armnn_status_t attend(void* argument, uint64_t begin, uint64_t end, uint32_t thread_index) {
  (void)thread_index;
  const attention_job_t* job = (const attention_job_t*)argument;
  armnn_i_ref_tile_t scores;
  for (int64_t item = (int64_t)begin; item < (int64_t)end; ++item) {
    rows_t rows = rows_of(job, item);
    for (int64_t r = 0; r < rows.count; ++r) rows.top[r] = -INFINITY;
    for (int64_t first = 0; first < job->keys; first += ARMNN_REF_TILE) {
      const int64_t keys = armnn_i_ref_part(job->keys, first);
      make_scores(job, &rows, first, keys, scores);
      add_powers(&rows, keys, scores);
    }
    for (int64_t first = 0; first < job->keys; first += ARMNN_REF_TILE) {
      const int64_t keys = armnn_i_ref_part(job->keys, first);
      make_scores(job, &rows, first, keys, scores);
      make_shares(&rows, keys, scores);
      add_values(job, &rows, first, keys, scores);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_f32_attention__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t *query = ARMNN_IN_INFO(call, QUERY), *key = ARMNN_IN_INFO(call, KEY);
  const uint64_t count = ARMNN_OUT_INFO(call, 0)->element_count;
  const uint64_t *of_query = query->dims, *of_key = key->dims;
  if (count == 0) return ARMNN_STATUS_OK;
  attention_job_t job = {.d = ARMNN_DESCRIPTOR(call->info, armnn_attention_descriptor_t),
                         .query = ARMNN_IN(call, QUERY, float),
                         .key = ARMNN_IN(call, KEY, float),
                         .value = ARMNN_IN(call, VALUE, float),
                         .output = ARMNN_OUT(call, 0, float),
                         .heads = (int64_t)of_query[1],
                         .group = (int64_t)(of_query[1] / of_key[1]),
                         .queries = (int64_t)of_query[2],
                         .keys = (int64_t)of_key[2],
                         .size = (int64_t)of_query[3],
                         .columns = (int64_t)ARMNN_IN_INFO(call, VALUE)->dims[3]};
  job.row_tiles = armnn_i_ref_tiles(job.queries);
  if (job.keys == 0) memset(job.output, 0, (size_t)count * sizeof(float));
  if (call->info->input_count > MASK && ARMNN_IN_INFO(call, MASK) != NULL) {
    const armnn_tensor_info_t* mask = ARMNN_IN_INFO(call, MASK);
    const uint64_t dims[] = {of_query[0], of_query[1], of_query[2], of_key[2]};
    armnn_broadcast_strides(mask, 4, dims, job.mask_steps);
    if (mask->data_type == ARMNN_DATA_TYPE_BOOLEAN) {
      job.visible = ARMNN_IN(call, MASK, uint8_t);
    } else {
      job.added = ARMNN_IN(call, MASK, float);
    }
  }
  const uint64_t operations = 3 * of_key[2] * (of_query[3] + (uint64_t)job.columns + 16);
  return armnn_i_ref_run(call, attend, &job, of_query[0] * of_query[1] * (uint64_t)job.row_tiles,
                         operations * ARMNN_REF_TILE, error);
}
