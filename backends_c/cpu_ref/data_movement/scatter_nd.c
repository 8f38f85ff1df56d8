/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * scatter_nd.c - SCATTER_ND: slices of a tensor, or of zeros, joined with updates.
 *
 * Updates are applied in the order of their indices, each to what the one before left, whatever the
 * number of threads: these share the elements of a slice among them. Types that are not float32 or
 * integers are decoded, joined as float32 and encoded again; an UPDATE moves bytes of any type.
 */
#include "indices.h"
#include "int_math.h"
#include "kernels.h"
#include "shared/codec.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

typedef struct scatter_job_t {
  const void* indices;
  const unsigned char* updates;
  unsigned char* out;
  int32_t index_type, function;
  const uint64_t* dims;
  uint32_t depth, size; /* indices of one vector; bytes of an element */
  uint64_t vectors, piece;
  uint64_t strides[ARMNN_MAX_DIMS]; /* in elements */
  armnn_i_ref_codec_t codec;
} scatter_job_t;

/* ---- Joining --------------------------------------------------------------------------------- */

/* Joins |count| updates with what is in their places. NaN on either side stays. */
#define DEFINE_JOIN(name, T, add, sub, mul)                                      \
  static void name(int32_t function, T* out, const T* updates, uint64_t count) { \
    for (uint64_t i = 0; i < count; ++i) {                                       \
      const T a = out[i], b = updates[i];                                        \
      switch (function) {                                                        \
        case ARMNN_SCATTER_ADD:                                                  \
          out[i] = (T)(add);                                                     \
          break;                                                                 \
        case ARMNN_SCATTER_SUB:                                                  \
          out[i] = (T)(sub);                                                     \
          break;                                                                 \
        case ARMNN_SCATTER_MAX:                                                  \
          out[i] = b > a || b != b ? b : a;                                      \
          break;                                                                 \
        case ARMNN_SCATTER_MIN:                                                  \
          out[i] = b < a || b != b ? b : a;                                      \
          break;                                                                 \
        case ARMNN_SCATTER_MUL:                                                  \
          out[i] = (T)(mul);                                                     \
          break;                                                                 \
        default:                                                                 \
          out[i] = b;                                                            \
          break;                                                                 \
      }                                                                          \
    }                                                                            \
  }

DEFINE_JOIN(join_f32, float, a + b, a - b, a* b)
DEFINE_JOIN(join_s32, int32_t, (uint32_t)a + (uint32_t)b, (uint32_t)a - (uint32_t)b,
            (uint32_t)a*(uint32_t)b)
DEFINE_JOIN(join_s64, int64_t, (uint64_t)a + (uint64_t)b, (uint64_t)a - (uint64_t)b,
            (uint64_t)a*(uint64_t)b)

DEFINE_JOIN(join_f64, double, a + b, a - b, a* b)
DEFINE_JOIN(join_u16, uint16_t, (uint32_t)a + b, (uint32_t)a - b, (uint32_t)a* b)
DEFINE_JOIN(join_u32, uint32_t, a + b, a - b, a* b)
DEFINE_JOIN(join_u64, uint64_t, a + b, a - b, a* b)

static void join_decoded(const scatter_job_t* job, uint64_t target, uint64_t source,
                         uint64_t count) {
  float old[ARMNN_REF_ROW], updates[ARMNN_REF_ROW];
  for (uint64_t done = 0; done < count; done += ARMNN_REF_ROW) {
    const uint64_t part = armnn_min_u64(ARMNN_REF_ROW, count - done);
    armnn_i_ref_decode(&job->codec, job->out, target + done, part, old);
    armnn_i_ref_decode(&job->codec, job->updates, source + done, part, updates);
    join_f32(job->function, old, updates, part);
    armnn_i_ref_encode(&job->codec, old, part, job->out, target + done);
  }
}

#define JOIN(suffix, T)                                                                        \
  join_##suffix(job->function, (T*)job->out + target, (const T*)job->updates + source, count); \
  break

static void join(const scatter_job_t* job, uint64_t target, uint64_t source, uint64_t count) {
  switch (job->codec.data_type) {
    case ARMNN_DATA_TYPE_FLOAT32:
      JOIN(f32, float);
    case ARMNN_DATA_TYPE_FLOAT64:
      JOIN(f64, double);
    case ARMNN_DATA_TYPE_SIGNED32:
      JOIN(s32, int32_t);
    case ARMNN_DATA_TYPE_SIGNED64:
      JOIN(s64, int64_t);
    case ARMNN_DATA_TYPE_UNSIGNED16:
      JOIN(u16, uint16_t);
    case ARMNN_DATA_TYPE_UNSIGNED32:
      JOIN(u32, uint32_t);
    case ARMNN_DATA_TYPE_UNSIGNED64:
      JOIN(u64, uint64_t);
    default:
      join_decoded(job, target, source, count);
      break;
  }
}

/* Works on elements [begin, end) of each slice. */
static armnn_status_t join_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const scatter_job_t* job = (const scatter_job_t*)argument;
  const uint64_t count = end - begin;
  for (uint64_t i = 0; i < job->vectors; ++i) {
    const uint64_t target = begin + armnn_index_offset(job->indices, job->index_type, i, job->dims,
                                                       job->depth, job->strides);
    const uint64_t source = begin + i * job->piece;
    if (job->function == ARMNN_SCATTER_UPDATE) {
      memcpy(job->out + target * job->size, job->updates + source * job->size,
             (size_t)(count * job->size));
    } else {
      join(job, target, source, count);
    }
  }
  return ARMNN_STATUS_OK;
}

/* ---- What is there before -------------------------------------------------------------------- */

static void fill_zeros(const armnn_tensor_info_t* info, const armnn_i_ref_codec_t* codec,
                       void* out) {
  static const float zeros[ARMNN_REF_ROW];
  if (!armnn_data_type_is_quantized(info->data_type)) {
    memset(out, 0, (size_t)(info->element_count * codec->bits / 8));
    return;
  }
  for (uint64_t i = 0; i < info->element_count; i += ARMNN_REF_ROW) {
    armnn_i_ref_encode(codec, zeros, armnn_min_u64(ARMNN_REF_ROW, info->element_count - i), out, i);
  }
}

armnn_status_t armnn_i_ref_scatter_nd_supports(const armnn_layer_query_t* query,
                                               armnn_error_t* reason) {
  const int32_t function = ARMNN_DESCRIPTOR(query, armnn_scatter_nd_descriptor_t)->function;
  const armnn_tensor_info_t* out = query->output_infos[0];
  if (out->data_type == ARMNN_DATA_TYPE_BOOLEAN && function != ARMNN_SCATTER_UPDATE) {
    return ARMNN_RULE_REFUSE(reason, "no kernel for data type bool with a function but UPDATE");
  }
  return armnn_layer_rule(query, reason);
}

armnn_status_t armnn_any_scatter_nd__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_scatter_nd_descriptor_t* d =
      ARMNN_DESCRIPTOR(call->info, armnn_scatter_nd_descriptor_t);
  const armnn_tensor_info_t *indices = ARMNN_IN_INFO(call, 1), *out = ARMNN_OUT_INFO(call, 0);
  const uint32_t depth = (uint32_t)indices->dims[indices->rank - 1];
  scatter_job_t job = {.indices = call->inputs[1],
                       .updates = ARMNN_IN(call, 2, unsigned char),
                       .out = ARMNN_OUT(call, 0, unsigned char),
                       .index_type = indices->data_type,
                       .function = d->function,
                       .dims = out->dims,
                       .depth = depth,
                       .size = armnn_data_type_size(out->data_type),
                       .vectors = armnn_dims_product(indices->dims, 0, indices->rank - 1),
                       .piece = armnn_dims_product(out->dims, depth, out->rank),
                       .codec = armnn_i_ref_codec(out)};
  int64_t strides[ARMNN_MAX_DIMS];
  armnn_dense_strides(out->dims, out->rank, strides);
  for (uint32_t i = 0; i < out->rank; ++i) job.strides[i] = (uint64_t)strides[i];
  ARMNN_RETURN_IF_ERROR(armnn_check_indices(job.indices, indices->data_type, indices->element_count,
                                            out->dims, depth, 0, error));
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  if (d->input_enabled) {
    ARMNN_RETURN_IF_ERROR(armnn_copy_bytes(call->host, call->outputs[0], call->inputs[0],
                                           out->element_count * job.size));
  } else {
    fill_zeros(out, &job.codec, call->outputs[0]);
  }
  return armnn_parallel_for(call->host, join_range, &job, job.piece, ARMNN_COPY_GRAIN_BYTES / 4, 0);
}
