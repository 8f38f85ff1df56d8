/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * levels.c - see levels.h.
 */
#include "levels.h"

#include "armnn/layer_rules.h"
#include "int_math.h"
#include "rescaling.h"
#include "scratch.h"

/* ---- Support and scratch --------------------------------------------------------------------- */

armnn_status_t armnn_i_ref_levels_supports(const armnn_layer_query_t* query,
                                           armnn_error_t* reason) {
  const armnn_tensor_info_t *x = query->input_infos[0], *y = query->input_infos[1];
  const armnn_tensor_info_t* out = query->output_infos[0];
  const armnn_tensor_info_t* const tensors[] = {x, y, out};
  static const char* const names[] = {"input 0", "input 1", "the output"};
  for (int i = 0; i < 3; ++i) {
    if (armnn_data_type_is_quantized(tensors[i]->data_type)) continue;
    return ARMNN_RULE_REFUSE(reason, "no kernel for data type %s (%s)",
                             armnn_data_type_name(tensors[i]->data_type), names[i]);
  }
  if (!armnn_i_ref_one_scale(x) || !armnn_i_ref_one_scale(out)) {
    return ARMNN_RULE_REFUSE(reason, "%s is quantised per axis, the kernel takes that of weights",
                             armnn_i_ref_one_scale(x) ? "the output" : "input 0");
  }
  if (query->type == ARMNN_LAYER_BATCH_MAT_MUL && !armnn_i_ref_one_scale(y)) {
    return ARMNN_RULE_REFUSE(reason, "input 1 is quantised per axis, the kernel takes one scale");
  }
  return armnn_layer_rule(query, reason);
}

static int planes_of(const armnn_tensor_info_t* info) {
  return info->data_type == ARMNN_DATA_TYPE_QSYMM_S16 ? 2 : 1;
}

static uint64_t factors_of(const armnn_tensor_info_t* weights) {
  return weights->quantization_count > 1 ? weights->quantization_count : 1;
}

/* A factor of either kind of rescaling. */
typedef union factor_t {
  armnn_factor_t fixed;
  double real;
} factor_t;

/* Prepare leaves this where has_sums is true. Bounded shapes are tried with their bounds. */
static const int with_sums = 1;

/* Whether float32 holds each sum of the layer exactly, so that a float32 nest may store them. */
static int has_sums(const armnn_workload_info_t* info) {
  const armnn_tensor_info_t* weights = info->input_infos[1];
  return info->type == ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D &&
         planes_of(info->input_infos[0]) == 1 && weights->dims[1] <= ARMNN_REF_EXACT &&
         weights->dims[2] <= ARMNN_REF_EXACT &&
         weights->dims[1] * weights->dims[2] <= ARMNN_REF_EXACT;
}

armnn_status_t armnn_i_ref_prepare_levels(const armnn_workload_info_t* info,
                                          const armnn_host_t* host, armnn_backend_t* backend,
                                          void** out_prepared,
                                          armnn_workload_requirements_t* requirements,
                                          armnn_error_t* error) {
  (void)host, (void)backend, (void)error;
  *out_prepared = has_sums(info) ? (void*)(uintptr_t)&with_sums : NULL;
  for (int i = 0; i < 2; ++i) {
    const armnn_tensor_info_t* one = info->input_infos[i];
    armnn_i_ref_scratch_ask(requirements, one->element_count * (uint64_t)planes_of(one),
                            sizeof(float));
  }
  armnn_i_ref_scratch_ask(requirements, factors_of(info->input_infos[1]), sizeof(factor_t));
  if (has_sums(info)) {
    armnn_i_ref_scratch_ask(requirements, info->output_infos[0]->element_count, sizeof(float));
  }
  return ARMNN_STATUS_OK;
}

/* ---- Decoding -------------------------------------------------------------------------------- */

typedef struct decode_job_t {
  armnn_i_ref_codec_t codec;
  const void* source;
  float* target;
  uint64_t plane; /* elements from plane to plane, 0: there is one */
} decode_job_t;

static armnn_status_t decode_range(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const decode_job_t* job = (const decode_job_t*)argument;
  int32_t row[ARMNN_REF_ROW];
  for (uint64_t i = begin; i < end; i += ARMNN_REF_ROW) {
    const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, end - i);
    armnn_i_ref_decode_levels(&job->codec, job->source, i, count, row);
    float* low = job->target + i;
    if (job->plane == 0) {
      for (uint64_t k = 0; k < count; ++k) low[k] = (float)row[k];
    } else {
      for (uint64_t k = 0; k < count; ++k) {
        low[k] = (float)(row[k] & 255);
        low[k + job->plane] = (float)(row[k] >> 8);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t decode(const armnn_kernel_call_t* call, uint32_t index,
                             unsigned char** scratch, const float** out_planes) {
  const armnn_tensor_info_t* info = ARMNN_IN_INFO(call, index);
  const int planes = planes_of(info);
  decode_job_t job = {armnn_i_ref_codec(info), call->inputs[index],
                      (float*)armnn_i_ref_scratch_take(
                          scratch, info->element_count * (uint64_t)planes, sizeof(float)),
                      planes > 1 ? info->element_count : 0};
  *out_planes = job.target;
  return armnn_parallel_for(call->host, decode_range, &job, info->element_count, 16384, 0);
}

/* The factor from a sum to the output. Of weights of one scale FULLY_CONNECTED and BATCH_MAT_MUL
 * multiply the scales in float32, convolutions in double: so does the specification's code. */
static double scale_of(const armnn_kernel_call_t* call, uint64_t channel) {
  const armnn_i_ref_codec_t x = armnn_i_ref_codec(ARMNN_IN_INFO(call, 0));
  const armnn_i_ref_codec_t y = armnn_i_ref_codec(ARMNN_IN_INFO(call, 1));
  const armnn_i_ref_codec_t out = armnn_i_ref_codec(ARMNN_OUT_INFO(call, 0));
  const int is_matrix = call->info->type == ARMNN_LAYER_FULLY_CONNECTED ||
                        call->info->type == ARMNN_LAYER_BATCH_MAT_MUL;
  const double product = is_matrix && y.count == 1
                             ? (double)(x.scales[0] * y.scales[0])
                             : (double)x.scales[0] * (double)y.scales[channel];
  return product / (double)out.scales[0];
}

static void set_factors(const armnn_kernel_call_t* call, void* room, armnn_i_ref_levels_t* levels) {
  const armnn_i_ref_codec_t x = armnn_i_ref_codec(ARMNN_IN_INFO(call, 0));
  const armnn_i_ref_codec_t y = armnn_i_ref_codec(ARMNN_IN_INFO(call, 1));
  const armnn_i_ref_codec_t out = armnn_i_ref_codec(ARMNN_OUT_INFO(call, 0));
  const uint64_t count = factors_of(ARMNN_IN_INFO(call, 1));
  if (armnn_rescaling(call->info->type, call->info->descriptor) == ARMNN_RESCALING_REAL) {
    double* reals = (double*)room;
    for (uint64_t c = 0; c < count; ++c) {
      reals[c] = armnn_product_factor(x.scales[0], y.scales[c], out.scales[0]);
    }
    levels->reals = reals;
    return;
  }
  armnn_factor_t* factors = (armnn_factor_t*)room;
  for (uint64_t c = 0; c < count; ++c) factors[c] = armnn_factor(scale_of(call, c));
  levels->factors = factors;
}

armnn_status_t armnn_i_ref_levels(const armnn_kernel_call_t* call, int has_bias,
                                  armnn_i_ref_levels_t* out_levels, armnn_error_t* error) {
  (void)error;
  const armnn_tensor_info_t *x = ARMNN_IN_INFO(call, 0), *y = ARMNN_IN_INFO(call, 1);
  unsigned char* scratch = (unsigned char*)call->scratch;
  armnn_i_ref_levels_t levels;
  memset(&levels, 0, sizeof levels);
  ARMNN_RETURN_IF_ERROR(decode(call, 0, &scratch, &levels.x));
  ARMNN_RETURN_IF_ERROR(decode(call, 1, &scratch, &levels.y));
  for (int i = 0; i < planes_of(x); ++i) {
    for (int k = 0; k < planes_of(y); ++k) {
      levels.x_offset[levels.passes] = i * (int64_t)x->element_count;
      levels.y_offset[levels.passes] = k * (int64_t)y->element_count;
      levels.weight[levels.passes++] = 1 << 8 * (i + k);
    }
  }
  set_factors(call, armnn_i_ref_scratch_take(&scratch, factors_of(y), sizeof(factor_t)), &levels);
  if (call->prepared != NULL) {
    levels.sums = (float*)armnn_i_ref_scratch_take(&scratch, ARMNN_COUNT(call), sizeof(float));
  }
  levels.per_channel = factors_of(y) > 1;
  levels.bias = has_bias ? call->inputs[2] : NULL;
  levels.bias_type = has_bias ? ARMNN_IN_INFO(call, 2)->data_type : 0;
  const int is_wide = x->data_type == ARMNN_DATA_TYPE_QSYMM_S16 &&
                      (!has_bias || levels.bias_type == ARMNN_DATA_TYPE_SIGNED64);
  levels.rounding = levels.reals != NULL                              ? ARMNN_REF_ROUND_REAL
                    : call->info->type == ARMNN_LAYER_FULLY_CONNECTED ? ARMNN_REF_ROUND_ONCE
                    : is_wide                                         ? ARMNN_REF_ROUND_64_BITS
                                                                      : ARMNN_REF_ROUND_32_BITS;
  levels.out_codec = armnn_i_ref_codec(ARMNN_OUT_INFO(call, 0));
  levels.out = call->outputs[0];
  *out_levels = levels;
  return ARMNN_STATUS_OK;
}

/* ---- Sums ------------------------------------------------------------------------------------ */

void armnn_i_ref_levels_clear(int64_t rows, armnn_i_ref_totals_t totals) {
  memset(totals, 0, (size_t)rows * sizeof totals[0]);
}

void armnn_i_ref_levels_take(const armnn_i_ref_levels_t* levels, int pass, int64_t rows,
                             int64_t columns, armnn_i_ref_tile_t sum, armnn_i_ref_totals_t totals) {
  const int64_t weight = levels->weight[pass];
  for (int64_t m = 0; m < rows; ++m) {
    for (int64_t n = 0; n < columns; ++n) {
      totals[m][n] += (int32_t)sum[m][n] * weight;
      sum[m][n] = 0.0f;
    }
  }
}

/* ---- Results --------------------------------------------------------------------------------- */

static int32_t level_of(const armnn_i_ref_levels_t* levels, int64_t total, int64_t channel) {
  if (levels->bias != NULL) {
    total += levels->bias_type == ARMNN_DATA_TYPE_SIGNED64
                 ? ((const int64_t*)levels->bias)[channel]
                 : ((const int32_t*)levels->bias)[channel];
  }
  const int64_t own = levels->per_channel ? channel : 0;
  if (levels->rounding == ARMNN_REF_ROUND_REAL)
    return armnn_rescaled_sum(total, levels->reals[own]);
  const armnn_factor_t factor = levels->factors[own];
  if (levels->rounding == ARMNN_REF_ROUND_ONCE) return armnn_scale(total, factor);
  if (levels->rounding == ARMNN_REF_ROUND_64_BITS) return armnn_scale64(total, factor);
  return armnn_scale32(armnn_saturate32(total), factor);
}

void armnn_i_ref_levels_store(const armnn_i_ref_levels_t* levels, int64_t total, int64_t channel,
                              int64_t index) {
  const int32_t level = level_of(levels, total, channel);
  armnn_i_ref_encode_levels(&levels->out_codec, &level, 1, levels->out, (uint64_t)index);
}

void armnn_i_ref_levels_store_tile(const armnn_i_ref_levels_t* levels, armnn_i_ref_totals_t totals,
                                   int64_t rows, int64_t columns, int64_t channel, int channel_rows,
                                   int64_t index, int64_t row, int64_t column) {
  int32_t line[ARMNN_REF_TILE];
  if (column == 1) {
    for (int64_t m = 0; m < rows; ++m) {
      for (int64_t n = 0; n < columns; ++n) {
        line[n] = level_of(levels, totals[m][n], channel + (channel_rows ? m : n));
      }
      armnn_i_ref_encode_levels(&levels->out_codec, line, (uint64_t)columns, levels->out,
                                (uint64_t)(index + m * row));
    }
    return;
  }
  for (int64_t n = 0; n < columns; ++n) { /* |row| is 1: channels side by side */
    for (int64_t m = 0; m < rows; ++m) {
      line[m] = level_of(levels, totals[m][n], channel + (channel_rows ? m : n));
    }
    armnn_i_ref_encode_levels(&levels->out_codec, line, (uint64_t)rows, levels->out,
                              (uint64_t)(index + n * column));
  }
}

typedef struct sums_job_t {
  const armnn_i_ref_levels_t* levels;
  uint64_t inner; /* elements of one channel side by side */
  uint64_t channels;
} sums_job_t;

static armnn_status_t store_sums(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const sums_job_t* job = (const sums_job_t*)argument;
  const armnn_i_ref_levels_t* levels = job->levels;
  int32_t line[ARMNN_REF_ROW];
  for (uint64_t i = begin; i < end; i += ARMNN_REF_ROW) {
    const uint64_t count = armnn_min_u64(ARMNN_REF_ROW, end - i);
    uint64_t channel = i / job->inner % job->channels, left = job->inner - i % job->inner;
    for (uint64_t k = 0; k < count; ++k) {
      line[k] = level_of(levels, (int64_t)levels->sums[i + k], (int64_t)channel);
      if (--left == 0) {
        left = job->inner;
        channel = channel + 1 < job->channels ? channel + 1 : 0;
      }
    }
    armnn_i_ref_encode_levels(&levels->out_codec, line, count, levels->out, i);
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_ref_levels_store_sums(const armnn_kernel_call_t* call,
                                             const armnn_i_ref_levels_t* levels, uint64_t channels,
                                             uint64_t inner) {
  sums_job_t job = {levels, inner, channels};
  return armnn_parallel_for(call->host, store_sums, &job, ARMNN_COUNT(call), 4096, 0);
}
