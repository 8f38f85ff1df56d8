/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * tree_leaves.c - TREE_LEAVES: rows go down decision trees, one after the other.
 */
#include "indices.h"
#include "kernels.h"

typedef struct tree_job_t {
  const void *input, *splits;
  const int32_t *nodes, *roots;
  int32_t* out;
  uint64_t features, trees;
} tree_job_t;

#define DEFINE_WALK(name, T)                                                                    \
  static bool name##_hits(T x, T split, int32_t question) {                                     \
    if (x != x && (question & ARMNN_TREE_NAN_HITS) != 0) return true;                           \
    switch (question & ~ARMNN_TREE_NAN_HITS) {                                                  \
      case ARMNN_TREE_LESS_OR_EQUAL:                                                            \
        return x <= split;                                                                      \
      case ARMNN_TREE_LESS:                                                                     \
        return x < split;                                                                       \
      case ARMNN_TREE_GREATER_OR_EQUAL:                                                         \
        return x >= split;                                                                      \
      case ARMNN_TREE_GREATER:                                                                  \
        return x > split;                                                                       \
      case ARMNN_TREE_EQUAL:                                                                    \
        return x == split;                                                                      \
      default:                                                                                  \
        return x != split;                                                                      \
    }                                                                                           \
  }                                                                                             \
  static armnn_status_t name(void* argument, uint64_t begin, uint64_t end,                      \
                             uint32_t thread_index) {                                           \
    (void)thread_index;                                                                         \
    const tree_job_t* job = (const tree_job_t*)argument;                                        \
    for (uint64_t row = begin; row < end; ++row) {                                              \
      const T* x = (const T*)job->input + row * job->features;                                  \
      for (uint64_t t = 0; t < job->trees; ++t) {                                               \
        int32_t k = job->roots[t];                                                              \
        while (k >= 0) {                                                                        \
          const int32_t* node = job->nodes + (size_t)k * ARMNN_TREE_FIELDS;                     \
          const bool hit = name##_hits(x[node[ARMNN_TREE_FEATURE]], ((const T*)job->splits)[k], \
                                       node[ARMNN_TREE_QUESTION]);                              \
          k = node[hit ? ARMNN_TREE_HIT : ARMNN_TREE_MISS];                                     \
        }                                                                                       \
        job->out[row * job->trees + t] = ~k;                                                    \
      }                                                                                         \
    }                                                                                           \
    return ARMNN_STATUS_OK;                                                                     \
  }

DEFINE_WALK(walk_f32, float)
DEFINE_WALK(walk_f64, double)

armnn_status_t armnn_any_tree_leaves__ref(const armnn_kernel_call_t* call, armnn_error_t* error) {
  const armnn_tensor_info_t *input = ARMNN_IN_INFO(call, 0), *roots = ARMNN_IN_INFO(call, 3);
  tree_job_t job = {.input = call->inputs[0],
                    .splits = call->inputs[1],
                    .nodes = ARMNN_IN(call, 2, int32_t),
                    .roots = ARMNN_IN(call, 3, int32_t),
                    .out = ARMNN_OUT(call, 0, int32_t),
                    .features = input->dims[1],
                    .trees = roots->dims[0]};
  ARMNN_RETURN_IF_ERROR(armnn_check_trees(job.nodes, ARMNN_IN_INFO(call, 1)->dims[0], job.roots,
                                          job.trees, job.features, error));
  if (ARMNN_COUNT(call) == 0) return ARMNN_STATUS_OK;
  const bool wide = input->data_type == ARMNN_DATA_TYPE_FLOAT64;
  return armnn_parallel_for(call->host, wide ? walk_f64 : walk_f32, &job, input->dims[0],
                            1024 / job.trees + 1, 0);
}
