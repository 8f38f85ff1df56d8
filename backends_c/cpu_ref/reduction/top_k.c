/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * top_k.c - TOP_K along one axis.
 *
 * The lower index wins a tie, and a NaN wins over everything, as in ARG_MIN_MAX: the values and
 * their order are those of a stable sort, in which false is less than true. Each line keeps a heap
 * of the best in its part of the output of indices, whose root is the worst of them, and sorts that
 * in the end.
 */
#include "kernels.h"
#include "tensor_shape.h"

/* A number that orders element |i| among those of its type: a greater one comes first. */
typedef int64_t (*key_fn_t)(const void* x, uint64_t i, int least);

/* Of bits of a float, sign and size; both zeros have one key, and each NaN the greatest. */
#define DEFINE_FLOAT_KEY(name, U, infinity)                                   \
  static int64_t name(const void* x, uint64_t i, int least) {                 \
    const U bits = ((const U*)x)[i], sign = (U)(bits & ~(U)((U) ~(U)0 >> 1)); \
    const int64_t size = (int64_t)(bits ^ sign);                              \
    if (size > (infinity)) return INT64_MAX;                                  \
    return (sign != 0) != least ? -size : size;                               \
  }
/* Bitwise not reverses the order without overflow. */
#define DEFINE_INTEGER_KEY(name, T)                           \
  static int64_t name(const void* x, uint64_t i, int least) { \
    const int64_t value = ((const T*)x)[i];                   \
    return least ? ~value : value;                            \
  }

DEFINE_FLOAT_KEY(key_f32, uint32_t, 0x7f800000)
DEFINE_FLOAT_KEY(key_f16, uint16_t, 0x7c00)
DEFINE_FLOAT_KEY(key_bf16, uint16_t, 0x7f80)
DEFINE_INTEGER_KEY(key_u8, uint8_t)
DEFINE_INTEGER_KEY(key_s8, int8_t)
DEFINE_INTEGER_KEY(key_s16, int16_t)
DEFINE_INTEGER_KEY(key_s32, int32_t)
DEFINE_INTEGER_KEY(key_s64, int64_t)
DEFINE_INTEGER_KEY(key_u16, uint16_t)
DEFINE_INTEGER_KEY(key_u32, uint32_t)
DEFINE_FLOAT_KEY(key_f64, uint64_t, 0x7ff0000000000000)

/* The upper half of the numbers comes behind the lower as signed ones: the first bit is turned. */
static int64_t key_u64(const void* x, uint64_t i, int least) {
  const int64_t value = (int64_t)(((const uint64_t*)x)[i] ^ UINT64_C(1) << 63);
  return least ? ~value : value;
}

static int64_t key_b8(const void* x, uint64_t i, int least) {
  return (((const uint8_t*)x)[i] != 0) != least;
}

static key_fn_t key_of(int32_t data_type) {
  switch (data_type) {
    case ARMNN_DATA_TYPE_FLOAT32:
      return key_f32;
    case ARMNN_DATA_TYPE_FLOAT16:
      return key_f16;
    case ARMNN_DATA_TYPE_BFLOAT16:
      return key_bf16;
    case ARMNN_DATA_TYPE_QASYMM_U8:
      return key_u8;
    case ARMNN_DATA_TYPE_QSYMM_S16:
      return key_s16;
    case ARMNN_DATA_TYPE_SIGNED32:
      return key_s32;
    case ARMNN_DATA_TYPE_SIGNED64:
      return key_s64;
    case ARMNN_DATA_TYPE_UNSIGNED16:
      return key_u16;
    case ARMNN_DATA_TYPE_UNSIGNED32:
      return key_u32;
    case ARMNN_DATA_TYPE_UNSIGNED64:
      return key_u64;
    case ARMNN_DATA_TYPE_FLOAT64:
      return key_f64;
    case ARMNN_DATA_TYPE_BOOLEAN:
      return key_b8;
    default:
      return key_s8;
  }
}

typedef struct top_k_job_t {
  key_fn_t key;
  const unsigned char* x;
  unsigned char* values;
  void* indices;
  uint64_t length, inner, k;
  uint32_t size; /* bytes of an element */
  int is_wide;   /* indices of 64 bits */
  int least;
} top_k_job_t;

/* One line: element i of the input lies at |x| + i * inner, place p of the outputs at |out| + p *
 * inner. */
typedef struct line_t {
  const top_k_job_t* job;
  uint64_t x, out;
} line_t;

static uint64_t index_at(const line_t* line, uint64_t place) {
  const uint64_t at = line->out + place * line->job->inner;
  return line->job->is_wide ? (uint64_t)((const int64_t*)line->job->indices)[at]
                            : (uint64_t)((const int32_t*)line->job->indices)[at];
}

static void put(const line_t* line, uint64_t place, uint64_t index) {
  const uint64_t at = line->out + place * line->job->inner;
  if (line->job->is_wide) {
    ((int64_t*)line->job->indices)[at] = (int64_t)index;
  } else {
    ((int32_t*)line->job->indices)[at] = (int32_t)index;
  }
}

static int64_t key_at(const line_t* line, uint64_t index) {
  const top_k_job_t* job = line->job;
  return job->key(job->x, line->x + index * job->inner, job->least);
}

/* Whether element |a| comes behind element |b|. */
static int is_behind(const line_t* line, uint64_t a, uint64_t b) {
  const int64_t x = key_at(line, a), y = key_at(line, b);
  return x != y ? x < y : a > b;
}

/* Lets |index| sink from |place| of a heap of |count|, in which parents come behind children. */
static void sink(const line_t* line, uint64_t place, uint64_t count, uint64_t index) {
  for (uint64_t child; (child = 2 * place + 1) < count; place = child) {
    if (child + 1 < count && is_behind(line, index_at(line, child + 1), index_at(line, child))) {
      ++child;
    }
    if (!is_behind(line, index_at(line, child), index)) break;
    put(line, place, index_at(line, child));
  }
  put(line, place, index);
}

static void search(const line_t* line) {
  const uint64_t k = line->job->k;
  for (uint64_t i = 0; i < k; ++i) put(line, i, i);
  for (uint64_t i = k / 2; i-- > 0;) sink(line, i, k, index_at(line, i));
  int64_t worst = key_at(line, index_at(line, 0));
  for (uint64_t i = k; i < line->job->length; ++i) {
    if (key_at(line, i) <= worst) continue; /* of equal keys the earlier index is there already */
    sink(line, 0, k, i);
    worst = key_at(line, index_at(line, 0));
  }
  for (uint64_t end = k; end-- > 1;) {
    const uint64_t root = index_at(line, 0);
    sink(line, 0, end, index_at(line, end));
    put(line, end, root);
  }
}

static armnn_status_t search_range(void* argument, uint64_t begin, uint64_t end,
                                   uint32_t thread_index) {
  (void)thread_index;
  const top_k_job_t* job = (const top_k_job_t*)argument;
  for (uint64_t item = begin; item < end; ++item) {
    const uint64_t outer = item / job->inner, inner = item % job->inner;
    const line_t line = {job, outer * job->length * job->inner + inner,
                         outer * job->k * job->inner + inner};
    search(&line);
    for (uint64_t p = 0; p < job->k; ++p) {
      memcpy(job->values + (line.out + p * job->inner) * job->size,
             job->x + (line.x + index_at(&line, p) * job->inner) * job->size, job->size);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_top_k__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const armnn_top_k_descriptor_t* d = ARMNN_DESCRIPTOR(call->info, armnn_top_k_descriptor_t);
  const armnn_tensor_info_t* x = ARMNN_IN_INFO(call, 0);
  const uint32_t axis = armnn_axis(d->axis, x->rank);
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  top_k_job_t job = {key_of(x->data_type),
                     ARMNN_IN(call, 0, unsigned char),
                     ARMNN_OUT(call, 0, unsigned char),
                     call->outputs[1],
                     x->dims[axis],
                     armnn_dims_product(x->dims, axis + 1, x->rank),
                     d->k,
                     armnn_data_type_size(x->data_type),
                     ARMNN_OUT_INFO(call, 1)->data_type == ARMNN_DATA_TYPE_SIGNED64,
                     d->largest == 0};
  return armnn_parallel_for(call->host, search_range, &job,
                            armnn_dims_product(x->dims, 0, axis) * job.inner,
                            4096 / (job.length + 1) + 1, 0);
}
