/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * tensor_copy.h - copies a box of elements between two strided tensors, for any data type.
 *
 * Concat, slice, tile, transpose and their relatives are this one function with different strides.
 * A stride of zero in the source repeats an element, a negative one reverses. Contiguous stretches
 * are copied as memory; where source and target run along different dimensions (a transpose) the
 * copy goes in square blocks, so that each line of the cache that is fetched is used whole.
 */
#ifndef ARMNN_COMMON_TENSOR_COPY_H_
#define ARMNN_COMMON_TENSOR_COPY_H_

#include "armnn/backend_kit.h"
#include "tensor_walk.h"

#define ARMNN_COPY_BLOCK 32u          /* side of a block of a transposing copy, in elements */
#define ARMNN_COPY_GRAIN_BYTES 65536u /* least bytes for a thread */

/* Copies |count| elements; strides in elements of |element_size| bytes. memcpy of a fixed size
 * compiles to one load and one store, and is indifferent to alignment and effective types. */
#define ARMNN_I_COPY_LOOP(size)                                          \
  for (uint64_t i = 0; i < count; ++i) {                                 \
    memcpy(target + (int64_t)i * target_stride * (int64_t)(size),        \
           source + (int64_t)i * source_stride * (int64_t)(size), size); \
  }

static inline void armnn_copy_row(unsigned char* target, int64_t target_stride,
                                  const unsigned char* source, int64_t source_stride,
                                  uint64_t count, uint32_t element_size) {
  if (target_stride == 1 && source_stride == 1) {
    memcpy(target, source, (size_t)(count * element_size));
    return;
  }
  switch (element_size) {
    case 1:
      ARMNN_I_COPY_LOOP(1)
      break;
    case 2:
      ARMNN_I_COPY_LOOP(2)
      break;
    case 4:
      ARMNN_I_COPY_LOOP(4)
      break;
    default:
      ARMNN_I_COPY_LOOP(8)
      break;
  }
}

#undef ARMNN_I_COPY_LOOP

typedef struct armnn_copy_job_t {
  unsigned char* target;       /* operand 0 of the walk */
  const unsigned char* source; /* operand 1 */
  uint32_t element_size;
  armnn_walk_t walk;      /* of a transposing copy: without the two dimensions of the block */
  uint64_t rows, columns; /* of the transposed matrix: columns are contiguous in the target */
  int64_t row_target_stride, column_target_stride;
  int64_t row_source_stride, column_source_stride;
} armnn_copy_job_t;

static inline armnn_status_t armnn_copy_spans(void* argument, uint64_t begin, uint64_t end,
                                              uint32_t thread_index) ARMNN_NOEXCEPT {
  (void)thread_index;
  const armnn_copy_job_t* job = (const armnn_copy_job_t*)argument;
  int64_t size = job->element_size;
  armnn_walker_t walker;
  armnn_walker_start(&walker, &job->walk, begin, end);
  while (armnn_walker_next(&walker)) {
    armnn_copy_row(job->target + walker.offsets[0] * size, armnn_walk_inner(&job->walk, 0),
                   job->source + walker.offsets[1] * size, armnn_walk_inner(&job->walk, 1),
                   walker.span, job->element_size);
  }
  return ARMNN_STATUS_OK;
}

/* Works on [begin, end) of (matrices x strips of ARMNN_COPY_BLOCK rows). */
static inline armnn_status_t armnn_copy_strips(void* argument, uint64_t begin, uint64_t end,
                                               uint32_t thread_index) ARMNN_NOEXCEPT {
  (void)thread_index;
  const armnn_copy_job_t* job = (const armnn_copy_job_t*)argument;
  int64_t size = job->element_size;
  uint64_t strips = armnn_div_up(job->rows, ARMNN_COPY_BLOCK);
  for (uint64_t unit = begin; unit < end; ++unit) {
    armnn_walker_t walker;
    armnn_walker_start(&walker, &job->walk, unit / strips, unit / strips + 1);
    armnn_walker_next(&walker);
    uint64_t first_row = unit % strips * ARMNN_COPY_BLOCK;
    uint64_t end_row = armnn_min_u64(first_row + ARMNN_COPY_BLOCK, job->rows);
    for (uint64_t column = 0; column < job->columns; column += ARMNN_COPY_BLOCK) {
      uint64_t columns = armnn_min_u64(ARMNN_COPY_BLOCK, job->columns - column);
      for (uint64_t row = first_row; row < end_row; ++row) {
        int64_t target = walker.offsets[0] + (int64_t)row * job->row_target_stride +
                         (int64_t)column * job->column_target_stride;
        int64_t source = walker.offsets[1] + (int64_t)row * job->row_source_stride +
                         (int64_t)column * job->column_source_stride;
        armnn_copy_row(job->target + target * size, job->column_target_stride,
                       job->source + source * size, job->column_source_stride, columns,
                       job->element_size);
      }
    }
  }
  return ARMNN_STATUS_OK;
}

/* Takes the last dimension and the one along which the source is contiguous out of the walk, if the
 * copy is a transpose of more than a few elements. */
static inline int armnn_copy_find_matrix(armnn_copy_job_t* job) {
  armnn_walk_t* walk = &job->walk;
  uint32_t last = walk->rank - 1;
  if (walk->dims[last] < 4 || walk->strides[1][last] == 1 || walk->strides[1][last] == 0) return 0;
  uint32_t row = 0;
  while (row < last && walk->strides[1][row] != 1) ++row;
  if (row == last || walk->dims[row] < 4) return 0;
  job->rows = walk->dims[row];
  job->columns = walk->dims[last];
  job->row_target_stride = walk->strides[0][row];
  job->row_source_stride = walk->strides[1][row];
  job->column_target_stride = walk->strides[0][last];
  job->column_source_stride = walk->strides[1][last];
  walk->dims[row] = 1; /* collapsing drops them */
  walk->dims[last] = 1;
  walk->count /= job->rows * job->columns;
  armnn_walk_collapse(walk);
  return 1;
}

/* Copies the box |dims| from |source| to |target|, both at their element (0, ..., 0). No element of
 * the target is written twice, and the two do not overlap. */
static inline armnn_status_t armnn_copy_strided(const armnn_host_t* host, uint32_t element_size,
                                                uint32_t rank, const uint64_t* dims, void* target,
                                                const int64_t* target_strides, const void* source,
                                                const int64_t* source_strides) {
  armnn_copy_job_t job;
  job.target = (unsigned char*)target;
  job.source = (const unsigned char*)source;
  job.element_size = element_size;
  armnn_walk_init(&job.walk, rank, dims, 2);
  if (job.walk.count == 0) return ARMNN_STATUS_OK;
  memcpy(job.walk.strides[0], target_strides, rank * sizeof target_strides[0]);
  memcpy(job.walk.strides[1], source_strides, rank * sizeof source_strides[0]);
  armnn_walk_collapse(&job.walk);
  uint64_t grain = ARMNN_COPY_GRAIN_BYTES / element_size;
  if (armnn_copy_find_matrix(&job)) {
    uint64_t strip = armnn_min_u64(job.rows, ARMNN_COPY_BLOCK) * job.columns;
    return armnn_parallel_for(host, armnn_copy_strips, &job,
                              job.walk.count * armnn_div_up(job.rows, ARMNN_COPY_BLOCK),
                              armnn_div_up(grain, strip), 0);
  }
  return armnn_parallel_for(host, armnn_copy_spans, &job, job.walk.count, grain, 0);
}

/* A plain copy of |size| bytes; nothing to do when a reshape runs in place. */
static inline armnn_status_t armnn_copy_bytes(const armnn_host_t* host, void* target,
                                              const void* source, uint64_t size) {
  const int64_t stride = 1;
  if (target == source) return ARMNN_STATUS_OK;
  return armnn_copy_strided(host, 1, 1, &size, target, &stride, source, &stride);
}

#endif /* ARMNN_COMMON_TENSOR_COPY_H_ */
