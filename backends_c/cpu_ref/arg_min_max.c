/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * arg_min_max.c - ARG_MIN_MAX along one axis.
 *
 * The lower index wins a tie; the first NaN wins over everything, as in numpy. A tile of
 * neighbouring results goes along the axis together, so that the inner loop is contiguous.
 */
#include "kernels.h"
#include "tensor_shape.h"

#define TILE 256u

/* Writes the index, along the axis, of the best of |length| rows of |count| elements that lie
 * |stride| elements apart. */
typedef void (*search_fn_t)(const void* x, uint64_t length, uint64_t stride, uint64_t count,
                            int64_t* out_index);

/* |better| tells whether b beats the best value so far, a. */
#define DEFINE_SEARCH(name, T, better)                                                   \
  static void name(const void* x_data, uint64_t length, uint64_t stride, uint64_t count, \
                   int64_t* out_index) {                                                 \
    const T* x = (const T*)x_data;                                                       \
    T best[TILE];                                                                        \
    for (uint64_t j = 0; j < count; ++j) {                                               \
      best[j] = x[j];                                                                    \
      out_index[j] = 0;                                                                  \
    }                                                                                    \
    for (uint64_t i = 1; i < length; ++i) {                                              \
      const T* row = x + i * stride;                                                     \
      for (uint64_t j = 0; j < count; ++j) {                                             \
        const T a = best[j], b = row[j];                                                 \
        const int wins = (better);                                                       \
        best[j] = wins ? b : a;                                                          \
        out_index[j] = wins ? (int64_t)i : out_index[j];                                 \
      }                                                                                  \
    }                                                                                    \
  }

#define FIRST_NAN ((b != b) & (a == a))
DEFINE_SEARCH(max_f32, float, (b > a) | FIRST_NAN)
DEFINE_SEARCH(min_f32, float, (b < a) | FIRST_NAN)
DEFINE_SEARCH(max_s32, int32_t, b > a)
DEFINE_SEARCH(min_s32, int32_t, b < a)
DEFINE_SEARCH(max_s64, int64_t, b > a)
DEFINE_SEARCH(min_s64, int64_t, b < a)
DEFINE_SEARCH(max_f64, double, (b > a) | FIRST_NAN)
DEFINE_SEARCH(min_f64, double, (b < a) | FIRST_NAN)
DEFINE_SEARCH(max_u16, uint16_t, b > a)
DEFINE_SEARCH(min_u16, uint16_t, b < a)
DEFINE_SEARCH(max_u32, uint32_t, b > a)
DEFINE_SEARCH(min_u32, uint32_t, b < a)
DEFINE_SEARCH(max_u64, uint64_t, b > a)
DEFINE_SEARCH(min_u64, uint64_t, b < a)

typedef struct search_job_t {
  search_fn_t search;
  const unsigned char* x;
  void* out;
  uint64_t length, inner, element_size;
  int32_t output_type;
} search_job_t;

/* Result r is that of outer index r / inner and inner index r % inner. */
static armnn_status_t search_range(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const search_job_t* job = (const search_job_t*)argument;
  int64_t index[TILE];
  uint64_t count = 0;
  for (uint64_t result = begin; result < end; result += count) {
    uint64_t inner = result % job->inner;
    uint64_t first = result / job->inner * job->length * job->inner + inner;
    count = job->inner - inner;
    if (count > end - result) count = end - result;
    if (count > TILE) count = TILE;
    job->search(job->x + first * job->element_size, job->length, job->inner, count, index);
    if (job->output_type == ARMNN_DATA_TYPE_SIGNED32) {
      for (uint64_t j = 0; j < count; ++j) ((int32_t*)job->out)[result + j] = (int32_t)index[j];
    } else {
      memcpy((int64_t*)job->out + result, index, (size_t)count * sizeof index[0]);
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t run(const armnn_kernel_call_t* call, search_fn_t min, search_fn_t max) {
  const armnn_arg_min_max_descriptor_t* descriptor =
      ARMNN_DESCRIPTOR(call->info, armnn_arg_min_max_descriptor_t);
  const armnn_tensor_info_t* input = ARMNN_IN_INFO(call, 0);
  const uint32_t axis = armnn_axis(descriptor->axis, input->rank);
  search_job_t job = {descriptor->function == ARMNN_ARG_MAX ? max : min,
                      ARMNN_IN(call, 0, unsigned char),
                      call->outputs[0],
                      input->dims[axis],
                      armnn_dims_product(input->dims, axis + 1, input->rank),
                      armnn_data_type_size(input->data_type),
                      ARMNN_OUT_INFO(call, 0)->data_type};
  return armnn_parallel_for(call->host, search_range, &job, ARMNN_COUNT(call),
                            16384 / (job.length + 1) + 1, 0);
}

#define DEFINE_ARG_MIN_MAX(suffix)                                                  \
  armnn_status_t armnn_##suffix##_arg_min_max__ref(const armnn_kernel_call_t* call, \
                                                   armnn_error_t* error) {          \
    (void)error;                                                                    \
    return run(call, min_##suffix, max_##suffix);                                   \
  }

DEFINE_ARG_MIN_MAX(f32)
DEFINE_ARG_MIN_MAX(f64)
DEFINE_ARG_MIN_MAX(s32)
DEFINE_ARG_MIN_MAX(s64)
DEFINE_ARG_MIN_MAX(u16)
DEFINE_ARG_MIN_MAX(u32)
DEFINE_ARG_MIN_MAX(u64)
