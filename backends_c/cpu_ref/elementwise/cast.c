/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cast.c - CAST between any two data types.
 *
 * Elements go through a buffer by the rows of cast_rows.h, which says what becomes of them.
 */
#include "cast_rows.h"
#include "kernels.h"
#include "packed.h"
#include "shared/convert.h"
#include "tensor_copy.h"
#include "tensor_shape.h"

void armnn_i_ref_store_value(float value, int32_t data_type, void* out_element) {
  armnn_cast_store(ARMNN_DATA_TYPE_FLOAT32, data_type)(out_element, &value, 1);
}

/* ---- The layers ------------------------------------------------------------------------------ */

typedef struct cast_job_t {
  armnn_cast_load_fn_t load;
  armnn_cast_store_fn_t store;
  unsigned char* out;
  const unsigned char* x;
  uint64_t out_bits, in_bits;
  uint64_t count, per_byte; /* elements, and how many of them a byte of the output holds */
} cast_job_t;

static armnn_status_t cast_range(void* argument, uint64_t begin, uint64_t end,
                                 uint32_t thread_index) {
  (void)thread_index;
  const cast_job_t* job = (const cast_job_t*)argument;
  int64_t buffer[ARMNN_CAST_CHUNK];
  uint8_t codes[ARMNN_CAST_CHUNK];
  begin *= job->per_byte;
  end = armnn_min_u64(end * job->per_byte, job->count);
  for (uint64_t i = begin; i < end; i += ARMNN_CAST_CHUNK) {
    const uint64_t count = armnn_min_u64(ARMNN_CAST_CHUNK, end - i);
    const void* from = job->x + i * job->in_bits / 8;
    if (job->in_bits < 8) {
      armnn_unpack(job->x, (uint32_t)job->in_bits, i, count, codes);
      from = codes;
    }
    job->load(buffer, from, count);
    if (job->out_bits < 8) {
      job->store(codes, buffer, count);
      armnn_pack(codes, (uint32_t)job->out_bits, count, i, job->out);
    } else {
      job->store(job->out + i * job->out_bits / 8, buffer, count);
    }
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_any_cast__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  (void)error;
  const int32_t from = ARMNN_IN_INFO(call, 0)->data_type;
  const int32_t to = ARMNN_OUT_INFO(call, 0)->data_type;
  const uint64_t in_bits = armnn_data_type_bits(from), per_byte = armnn_per_byte(to);
  cast_job_t job = {armnn_cast_load(from),
                    armnn_cast_store(from, to),
                    ARMNN_OUT(call, 0, unsigned char),
                    ARMNN_IN(call, 0, unsigned char),
                    armnn_data_type_bits(to),
                    in_bits,
                    ARMNN_COUNT(call),
                    per_byte};
  if (from == to && from != ARMNN_DATA_TYPE_BOOLEAN) {
    return armnn_copy_bytes(call->host, call->outputs[0], call->inputs[0],
                            (job.count * in_bits + 7) / 8);
  }
  return armnn_parallel_for(call->host, cast_range, &job, (job.count + per_byte - 1) / per_byte,
                            16384, 0);
}
