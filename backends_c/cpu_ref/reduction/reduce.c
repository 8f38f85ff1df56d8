/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * reduce.c - REDUCE over any set of axes.
 *
 * float32 and float64 are accumulated in double, integers in 64 bits that wrap; an integer mean
 * truncates towards zero. MAX and MIN give NaN when an element is NaN. Over nothing at all SUM is
 * 0, PROD 1, MAX and MIN the lowest and highest value of the type, MEAN NaN (0 for integers).
 *
 * A quantised MEAN follows TensorFlow Lite's specification: the sum of levels times a factor into
 * which the count is divided (fixed_point.h); by ARMNN_RESCALING_REAL it is rounded once
 * (real_rescale.h). Other operations on types that are not float32 are
 * widened (widened.h).
 *
 * The dimensions fall into those kept and those reduced. Where the innermost one is reduced, each
 * result folds contiguous rows; where it is kept, a tile of neighbouring results folds row after
 * row. Each result is formed by one thread in a fixed order, so that results do not depend on the
 * number of threads.
 */
#include <math.h>

#include "fixed_point.h"
#include "kernels.h"
#include "real_rescale.h"
#include "shared/codec.h"
#include "shared/widened.h"
#include "tensor_shape.h"
#include "tensor_walk.h"

#define TILE 512u /* results that are accumulated side by side */
#define LANES 8u  /* independent sums of a row, for the sake of vector registers */

typedef struct fold_t {
  void (*start)(void* results, uint64_t count);
  /* results[0] takes |count| contiguous elements. */
  void (*row)(void* results, const void* x, uint64_t count);
  /* results[i] takes x[i]. */
  void (*column)(void* results, const void* x, uint64_t count);
  /* Converts the results; |divisor| is the number of elements in each for a mean, else 1. */
  void (*finish)(void* out, const void* results, uint64_t count, uint64_t divisor);
} fold_t;

/* Defines fold |name| of elements T in accumulators A; |combine| is written in a and b. */
#define DEFINE_FOLD(name, T, A, initial, combine, finish_function)               \
  static void name##_start(void* results, uint64_t count) {                      \
    for (uint64_t i = 0; i < count; ++i) ((A*)results)[i] = (initial);           \
  }                                                                              \
  static void name##_row(void* results, const void* x_data, uint64_t count) {    \
    const T* x = (const T*)x_data;                                               \
    A lanes[LANES];                                                              \
    uint64_t i = 0;                                                              \
    name##_start(lanes, LANES);                                                  \
    for (; i + LANES <= count; i += LANES) {                                     \
      for (uint32_t lane = 0; lane < LANES; ++lane) {                            \
        const A a = lanes[lane], b = (A)x[i + lane];                             \
        lanes[lane] = (combine);                                                 \
      }                                                                          \
    }                                                                            \
    for (; i < count; ++i) {                                                     \
      const A a = lanes[0], b = (A)x[i];                                         \
      lanes[0] = (combine);                                                      \
    }                                                                            \
    for (uint32_t lane = 0; lane < LANES; ++lane) {                              \
      const A a = *(A*)results, b = lanes[lane];                                 \
      *(A*)results = (combine);                                                  \
    }                                                                            \
  }                                                                              \
  static void name##_column(void* results, const void* x_data, uint64_t count) { \
    const T* x = (const T*)x_data;                                               \
    A* total = (A*)results;                                                      \
    for (uint64_t i = 0; i < count; ++i) {                                       \
      const A a = total[i], b = (A)x[i];                                         \
      total[i] = (combine);                                                      \
    }                                                                            \
  }                                                                              \
  static const fold_t name = {name##_start, name##_row, name##_column, finish_function};

static void finish_f32(void* out, const void* results, uint64_t count, uint64_t divisor) {
  for (uint64_t i = 0; i < count; ++i) {
    ((float*)out)[i] = (float)(((const double*)results)[i] / (double)divisor);
  }
}

static void finish_s32(void* out, const void* results, uint64_t count, uint64_t divisor) {
  for (uint64_t i = 0; i < count; ++i) {
    int64_t value = ((const int64_t*)results)[i];
    ((int32_t*)out)[i] = (int32_t)(divisor == 0 ? 0 : value / (int64_t)divisor);
  }
}

static void finish_s64(void* out, const void* results, uint64_t count, uint64_t divisor) {
  for (uint64_t i = 0; i < count; ++i) {
    int64_t value = ((const int64_t*)results)[i];
    ((int64_t*)out)[i] = divisor == 0 ? 0 : value / (int64_t)divisor;
  }
}

static void finish_f64(void* out, const void* results, uint64_t count, uint64_t divisor) {
  for (uint64_t i = 0; i < count; ++i) {
    ((double*)out)[i] = ((const double*)results)[i] / (double)divisor;
  }
}

#define DEFINE_UNSIGNED_FINISH(suffix, T)                                                         \
  static void finish_##suffix(void* out, const void* results, uint64_t count, uint64_t divisor) { \
    const uint64_t* values = (const uint64_t*)results;                                            \
    for (uint64_t i = 0; i < count; ++i) {                                                        \
      ((T*)out)[i] = (T)(divisor == 0 ? 0 : values[i] / divisor);                                 \
    }                                                                                             \
  }
DEFINE_UNSIGNED_FINISH(u16, uint16_t)
DEFINE_UNSIGNED_FINISH(u32, uint32_t)
DEFINE_UNSIGNED_FINISH(u64, uint64_t)

#define GREATER (((b > a) | (b != b)) ? b : a) /* a NaN on either side stays */
#define LESS (((b < a) | (b != b)) ? b : a)
#define WRAPPED(operator) ((int64_t)((uint64_t)a operator(uint64_t) b))

DEFINE_FOLD(sum_f32, float, double, 0.0, a + b, finish_f32)
DEFINE_FOLD(prod_f32, float, double, 1.0, a* b, finish_f32)
DEFINE_FOLD(max_f32, float, double, (double)-INFINITY, GREATER, finish_f32)
DEFINE_FOLD(min_f32, float, double, (double)INFINITY, LESS, finish_f32)
DEFINE_FOLD(sum_s32, int32_t, int64_t, 0, WRAPPED(+), finish_s32)
DEFINE_FOLD(prod_s32, int32_t, int64_t, 1, WRAPPED(*), finish_s32)
DEFINE_FOLD(max_s32, int32_t, int64_t, INT32_MIN, b > a ? b : a, finish_s32)
DEFINE_FOLD(min_s32, int32_t, int64_t, INT32_MAX, b < a ? b : a, finish_s32)
DEFINE_FOLD(sum_s64, int64_t, int64_t, 0, WRAPPED(+), finish_s64)
DEFINE_FOLD(prod_s64, int64_t, int64_t, 1, WRAPPED(*), finish_s64)
DEFINE_FOLD(max_s64, int64_t, int64_t, INT64_MIN, b > a ? b : a, finish_s64)
DEFINE_FOLD(min_s64, int64_t, int64_t, INT64_MAX, b < a ? b : a, finish_s64)

DEFINE_FOLD(sum_f64, double, double, 0.0, a + b, finish_f64)
DEFINE_FOLD(prod_f64, double, double, 1.0, a* b, finish_f64)
DEFINE_FOLD(max_f64, double, double, (double)-INFINITY, GREATER, finish_f64)
DEFINE_FOLD(min_f64, double, double, (double)INFINITY, LESS, finish_f64)

#define DEFINE_UNSIGNED_FOLDS(suffix, T, most)                              \
  DEFINE_FOLD(sum_##suffix, T, uint64_t, 0, a + b, finish_##suffix)         \
  DEFINE_FOLD(prod_##suffix, T, uint64_t, 1, a* b, finish_##suffix)         \
  DEFINE_FOLD(max_##suffix, T, uint64_t, 0, b > a ? b : a, finish_##suffix) \
  DEFINE_FOLD(min_##suffix, T, uint64_t, most, b < a ? b : a, finish_##suffix)
DEFINE_UNSIGNED_FOLDS(u16, uint16_t, UINT16_MAX)
DEFINE_UNSIGNED_FOLDS(u32, uint32_t, UINT32_MAX)
DEFINE_UNSIGNED_FOLDS(u64, uint64_t, UINT64_MAX)

/* Of booleans a sum and a maximum are or, a product and a minimum and, as in numpy. */
static void finish_b8(void* out, const void* results, uint64_t count, uint64_t divisor) {
  (void)divisor;
  for (uint64_t i = 0; i < count; ++i) ((uint8_t*)out)[i] = (uint8_t)((const int64_t*)results)[i];
}

DEFINE_FOLD(any_b8, uint8_t, int64_t, 0, (a != 0) | (b != 0), finish_b8)
DEFINE_FOLD(all_b8, uint8_t, int64_t, 1, (a != 0) & (b != 0), finish_b8)

#define FOLDS(suffix)                                                           \
  {                                                                             \
      [ARMNN_REDUCE_SUM] = &sum_##suffix,   [ARMNN_REDUCE_MAX] = &max_##suffix, \
      [ARMNN_REDUCE_MEAN] = &sum_##suffix,  [ARMNN_REDUCE_MIN] = &min_##suffix, \
      [ARMNN_REDUCE_PROD] = &prod_##suffix,                                     \
  }

static const fold_t* find_fold(int32_t operation, int32_t data_type) {
  static const fold_t* const folds[ARMNN_DATA_TYPE_COUNT][ARMNN_REDUCE_COUNT] = {
      [ARMNN_DATA_TYPE_FLOAT32] = FOLDS(f32),
      [ARMNN_DATA_TYPE_FLOAT64] = FOLDS(f64),
      [ARMNN_DATA_TYPE_SIGNED32] = FOLDS(s32),
      [ARMNN_DATA_TYPE_SIGNED64] = FOLDS(s64),
      [ARMNN_DATA_TYPE_UNSIGNED16] = FOLDS(u16),
      [ARMNN_DATA_TYPE_UNSIGNED32] = FOLDS(u32),
      [ARMNN_DATA_TYPE_UNSIGNED64] = FOLDS(u64),
      [ARMNN_DATA_TYPE_BOOLEAN] = {[ARMNN_REDUCE_SUM] = &any_b8,
                                   [ARMNN_REDUCE_MAX] = &any_b8,
                                   [ARMNN_REDUCE_MIN] = &all_b8,
                                   [ARMNN_REDUCE_PROD] = &all_b8},
  };
  return folds[data_type][operation];
}

/* ---- Execution ------------------------------------------------------------------------------- */

/* How a mean of levels ends. */
typedef struct level_mean_t {
  armnn_factor_t factor;
  double count;   /* of ARMNN_RESCALING_REAL, else 0 */
  float in_scale; /* of the same */
  armnn_i_ref_codec_t out_codec;
} level_mean_t;

static void store_means(const level_mean_t* mean, const double* sums, uint64_t count, void* out,
                        uint64_t first) {
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t sum = (int64_t)sums[i];
    const int32_t level = mean->count > 0.0 ? armnn_rescaled_mean(sum, mean->count, mean->in_scale,
                                                                  mean->out_codec.scales[0])
                                            : armnn_scale32(armnn_saturate32(sum), mean->factor);
    armnn_i_ref_encode_levels(&mean->out_codec, &level, 1, out, first + i);
  }
}

typedef struct reduce_job_t {
  const level_mean_t* mean; /* or null */
  const fold_t* fold;
  armnn_walk_t kept;    /* operands: output, input */
  armnn_walk_t reduced; /* operand: input */
  uint64_t divisor;
  unsigned char* out;
  const unsigned char* x;
  int64_t element_size;
} reduce_job_t;

/* Folds everything that belongs to the |count| results at |x|, one row after the other. */
static void fold_rows(const reduce_job_t* job, void* results, const unsigned char* x) {
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->reduced, 0, job->reduced.count);
  while (armnn_walker_next(&walker)) {
    job->fold->row(results, x + walker.offsets[0] * job->element_size, walker.span);
  }
}

static void fold_columns(const reduce_job_t* job, void* results, const unsigned char* x,
                         uint64_t count) {
  int64_t step = armnn_walk_inner(&job->reduced, 0) * job->element_size;
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->reduced, 0, job->reduced.count);
  while (armnn_walker_next(&walker)) {
    const unsigned char* source = x + walker.offsets[0] * job->element_size;
    for (uint64_t i = 0; i < walker.span; ++i) {
      job->fold->column(results, source + (int64_t)i * step, count);
    }
  }
}

static armnn_status_t reduce_range(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const reduce_job_t* job = (const reduce_job_t*)argument;
  int rows = armnn_walk_inner(&job->reduced, 0) == 1;
  int64_t x_step = armnn_walk_inner(&job->kept, 1) * job->element_size;
  union {
    double reals[TILE];
    int64_t integers[TILE];
  } results;
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->kept, begin, end);
  while (armnn_walker_next(&walker)) {
    for (uint64_t first = 0; first < walker.span; first += TILE) {
      uint64_t count = armnn_min_u64(TILE, walker.span - first);
      const unsigned char* x =
          job->x + walker.offsets[1] * job->element_size + (int64_t)first * x_step;
      job->fold->start(&results, count);
      if (rows) {
        for (uint64_t i = 0; i < count; ++i) {
          fold_rows(job, &results.integers[i], x + (int64_t)i * x_step);
        }
      } else {
        fold_columns(job, &results, x, count);
      }
      if (job->mean != NULL) {
        store_means(job->mean, results.reals, count, job->out, (uint64_t)walker.offsets[0] + first);
        continue;
      }
      job->fold->finish(job->out + (walker.offsets[0] + (int64_t)first) * job->element_size,
                        &results, count, job->divisor);
    }
  }
  return ARMNN_STATUS_OK;
}

/* |levels|: the input of a quantised mean as float32, else null. */
static armnn_status_t run(const armnn_kernel_call_t* call, const float* levels) {
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  const armnn_reduce_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_reduce_descriptor_t);
  const uint32_t mask = armnn_axes_mask(d->axes, d->axis_count, input->rank);
  int64_t strides[ARMNN_MAX_DIMS];
  armnn_dense_strides(input->dims, input->rank, strides);
  reduce_job_t job;
  armnn_walk_init(&job.kept, 0, input->dims, 2);
  armnn_walk_init(&job.reduced, 0, input->dims, 1);
  uint64_t out_stride = 1;
  int64_t out_strides[ARMNN_MAX_DIMS];
  for (uint32_t d = input->rank; d-- > 0;) {
    out_strides[d] = (int64_t)out_stride;
    if ((mask >> d & 1u) == 0) out_stride *= input->dims[d];
  }
  for (uint32_t d = 0; d < input->rank; ++d) {
    if (mask >> d & 1u) {
      armnn_walk_append(&job.reduced, input->dims[d], &strides[d]);
    } else {
      armnn_walk_append(&job.kept, input->dims[d], (int64_t[]){out_strides[d], strides[d]});
    }
  }
  armnn_walk_collapse(&job.kept);
  armnn_walk_collapse(&job.reduced);
  job.fold = find_fold(d->operation, levels ? ARMNN_DATA_TYPE_FLOAT32 : input->data_type);
  job.divisor = d->operation == ARMNN_REDUCE_MEAN ? job.reduced.count : 1;
  job.out = ARMNN_OUT(call, 0, unsigned char);
  job.x = ARMNN_IN(call, 0, unsigned char);
  job.element_size = armnn_data_type_size(input->data_type);
  job.mean = NULL;
  level_mean_t mean;
  if (levels != NULL && job.reduced.count > 0) {
    const armnn_i_ref_codec_t in_codec = armnn_i_ref_codec(input);
    mean.out_codec = armnn_i_ref_codec(ARMNN_OUT_INFO(call, 0));
    mean.factor = armnn_mean_factor((double)in_codec.scales[0] / (double)mean.out_codec.scales[0],
                                    job.reduced.count);
    mean.in_scale = in_codec.scales[0];
    mean.count = d->rescaling == ARMNN_RESCALING_REAL ? (double)job.reduced.count : 0.0;
    job.mean = &mean;
    job.x = (const unsigned char*)levels;
    job.element_size = sizeof(float);
  }
  return armnn_parallel_for(call->host, reduce_range, &job, job.kept.count,
                            16384 / (job.reduced.count + 1) + 1, 0);
}

#define DEFINE_REDUCE(suffix)                                                  \
  armnn_status_t armnn_##suffix##_reduce__ref(const armnn_kernel_call_t* call, \
                                              armnn_error_t* error) {          \
    (void)error;                                                               \
    return run(call, NULL);                                                    \
  }

DEFINE_REDUCE(f32)
DEFINE_REDUCE(f64)
DEFINE_REDUCE(s32)
DEFINE_REDUCE(s64)
DEFINE_REDUCE(u16)
DEFINE_REDUCE(u32)
DEFINE_REDUCE(u64)
DEFINE_REDUCE(b8)

armnn_status_t armnn_any_reduce__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_reduce_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_reduce_descriptor_t);
  const armnn_tensor_info_t *in = ARMNN_IN_INFO(call, 0), *out = ARMNN_OUT_INFO(call, 0);
  const int has_levels = armnn_data_type_is_quantized(in->data_type) && armnn_i_ref_one_scale(in) &&
                         armnn_i_ref_one_scale(out);
  const float* levels;
  if (!has_levels || d->operation != ARMNN_REDUCE_MEAN || in->element_count == 0) {
    return armnn_i_ref_widened(call, armnn_f32_reduce__ref, error);
  }
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_widened_input(call, &levels));
  return run(call, levels);
}
