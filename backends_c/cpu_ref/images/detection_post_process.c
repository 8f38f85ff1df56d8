/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * detection_post_process.c - DETECTION_POST_PROCESS: boxes are decoded against anchors, then the
 * best are kept by non-maximum suppression, of all classes together ("fast") or of each by itself
 * ("regular").
 *
 * As TensorFlow Lite's TFLite_Detection_PostProcess: box and anchor are (y, x, height, width), a
 * found box is (top, left, bottom, right). Of equal scores the one of the lower class, then of the
 * lower box comes first; a score of NaN is below every threshold. What was not found is 0.
 */
#include <math.h>
#include <stdlib.h>

#include "int_math.h"
#include "kernels.h"
#include "shared/codec.h"
#include "shared/scratch.h"
#include "suppression.h"

typedef struct candidate_t {
  float score;
  uint64_t class_index, box;
} candidate_t;

typedef struct detection_t {
  const armnn_detection_post_process_descriptor_t* descriptor;
  uint64_t boxes, score_columns; /* the latter with a background, if there is one */
  armnn_suppression_t suppression;
  float* all_scores;      /* rows of |score_columns| */
  const float* scores;    /* of the first class behind the background */
  armnn_kept_box_t* kept; /* |most_of_class| */
  candidate_t* found;     /* |most_found| + |most_of_class| */
  uint64_t most_found, most_of_class;
} detection_t;

static detection_t sizes_of(const armnn_workload_info_t* info) {
  const armnn_detection_post_process_descriptor_t* d =
      ARMNN_DESCRIPTOR(info, armnn_detection_post_process_descriptor_t);
  const uint64_t* dims = info->input_infos[1]->dims;
  detection_t job = {.descriptor = d,
                     .boxes = dims[1],
                     .score_columns = dims[2],
                     .suppression = {.overlap = d->nms_iou_threshold}};
  job.most_found = armnn_min_u64(d->max_detections, dims[1] * dims[2]);
  job.most_of_class = armnn_min_u64(
      dims[1], armnn_min_u64(d->max_detections,
                             d->use_regular_nms ? d->detections_per_class : d->max_detections));
  return job;
}

armnn_status_t armnn_i_ref_prepare_detections(const armnn_workload_info_t* info,
                                              const armnn_host_t* host, armnn_backend_t* backend,
                                              void** out_prepared,
                                              armnn_workload_requirements_t* requirements,
                                              armnn_error_t* error) {
  (void)host, (void)backend, (void)error;
  *out_prepared = NULL;
  const detection_t job = sizes_of(info);
  armnn_i_ref_scratch_ask(requirements, armnn_suppression_bytes(job.boxes, job.most_of_class), 1);
  armnn_i_ref_scratch_ask(requirements, job.boxes * job.score_columns, sizeof(float));
  armnn_i_ref_scratch_ask(requirements, job.most_of_class, sizeof(armnn_kept_box_t));
  armnn_i_ref_scratch_ask(requirements, job.most_found + job.most_of_class, sizeof(candidate_t));
  return ARMNN_STATUS_OK;
}

/* ---- Boxes ----------------------------------------------------------------------------------- */

static void decode_boxes(const armnn_kernel_call_t* call, const detection_t* job) {
  const armnn_detection_post_process_descriptor_t* d = job->descriptor;
  const armnn_i_ref_codec_t boxes = armnn_i_ref_codec(ARMNN_IN_INFO(call, 0));
  const armnn_i_ref_codec_t anchors = armnn_i_ref_codec(ARMNN_IN_INFO(call, 2));
  for (uint64_t i = 0; i < job->boxes; ++i) {
    float box[4], anchor[4];
    armnn_i_ref_decode(&boxes, call->inputs[0], 4 * i, 4, box);
    armnn_i_ref_decode(&anchors, call->inputs[2], 4 * i, 4, anchor);
    const float y = box[0] / d->scale_y * anchor[2] + anchor[0];
    const float x = box[1] / d->scale_x * anchor[3] + anchor[1];
    const float half_height = 0.5f * expf(box[2] / d->scale_h) * anchor[2];
    const float half_width = 0.5f * expf(box[3] / d->scale_w) * anchor[3];
    armnn_box_t* own = &job->suppression.boxes[i];
    *own =
        (armnn_box_t){{y - half_height, x - half_width}, {y + half_height, x + half_width}, 0.0f};
    own->area = (own->high[0] - own->low[0]) * (own->high[1] - own->low[1]);
  }
}

/* ---- Candidates ------------------------------------------------------------------------------ */

static int compare(const void* left, const void* right) {
  const candidate_t *a = (const candidate_t*)left, *b = (const candidate_t*)right;
  if (a->score != b->score) return a->score > b->score ? -1 : 1;
  if (a->class_index != b->class_index) return a->class_index < b->class_index ? -1 : 1;
  return a->box < b->box ? -1 : a->box > b->box;
}

static float score_of(const detection_t* job, uint64_t box, uint64_t class_index) {
  return job->scores[box * job->score_columns + class_index];
}

static void add_candidate(const detection_t* job, float score, uint64_t box, uint64_t* count) {
  if (score >= job->descriptor->nms_score_threshold) {
    job->suppression.candidates[(*count)++] = armnn_candidate_key(score, box);
  }
}

static uint64_t suppress(const detection_t* job, uint64_t count) {
  return armnn_suppress(&job->suppression, count, job->boxes, job->most_of_class, job->kept);
}

/* The best class of a box behind |previous| (num_classes: none) in the order of scores; num_classes
 * if there is none left. */
static uint64_t next_class(const detection_t* job, uint64_t box, uint64_t previous) {
  const uint64_t classes = job->descriptor->num_classes;
  const float* scores = job->scores + box * job->score_columns;
  uint64_t best = classes;
  for (uint64_t c = 0; c < classes; ++c) {
    const int is_left = previous == classes ? scores[c] == scores[c]
                                            : scores[c] < scores[previous] ||
                                                  (scores[c] == scores[previous] && c > previous);
    if (is_left && (best == classes || scores[c] > scores[best])) best = c;
  }
  return best;
}

/* ---- Both ways ------------------------------------------------------------------------------- */

static void show(const armnn_kernel_call_t* call, const detection_t* job, uint64_t place,
                 uint64_t box, uint64_t class_index) {
  memcpy(ARMNN_OUT(call, 0, float) + 4 * place, &job->suppression.boxes[box], 4 * sizeof(float));
  ARMNN_OUT(call, 1, float)[place] = (float)class_index;
  ARMNN_OUT(call, 2, float)[place] = score_of(job, box, class_index);
}

/* Boxes compete by their best class; each that is kept shows its best classes. */
static uint64_t find_boxes(const armnn_kernel_call_t* call, const detection_t* job) {
  const uint64_t classes = job->descriptor->num_classes;
  const uint64_t shown = job->descriptor->max_classes_per_detection;
  uint64_t count = 0;
  for (uint64_t box = 0; box < job->boxes; ++box) {
    const uint64_t best = next_class(job, box, classes);
    if (best != classes) add_candidate(job, score_of(job, box, best), box, &count);
  }
  const uint64_t kept = suppress(job, count);
  for (uint64_t i = 0; i < kept; ++i) {
    const uint64_t box = job->kept[i].box;
    uint64_t one = next_class(job, box, classes);
    for (uint64_t c = 0; c < shown && one != classes; ++c) {
      show(call, job, i * shown + c, box, one);
      one = next_class(job, box, one);
    }
  }
  return kept;
}

/* Boxes compete in each class; the best of all classes are shown. */
static uint64_t find_of_classes(const armnn_kernel_call_t* call, const detection_t* job) {
  uint64_t found = 0;
  for (uint64_t class_index = 0; class_index < job->descriptor->num_classes; ++class_index) {
    uint64_t count = 0;
    for (uint64_t box = 0; box < job->boxes; ++box) {
      add_candidate(job, score_of(job, box, class_index), box, &count);
    }
    const uint64_t kept = suppress(job, count);
    if (kept == 0) continue;
    for (uint64_t i = 0; i < kept; ++i) {
      job->found[found + i] = (candidate_t){job->kept[i].score, class_index, job->kept[i].box};
    }
    qsort(job->found, (size_t)(found + kept), sizeof(candidate_t), compare);
    found = armnn_min_u64(found + kept, job->most_found);
  }
  for (uint64_t i = 0; i < found; ++i) {
    show(call, job, i, job->found[i].box, job->found[i].class_index);
  }
  return found;
}

armnn_status_t armnn_any_detection_post_process__ref(const armnn_kernel_call_t* call,
                                                     armnn_error_t* error) {
  (void)error;
  detection_t job = sizes_of(call->info);
  const armnn_tensor_info_t* scores = ARMNN_IN_INFO(call, 1);
  unsigned char* scratch = (unsigned char*)call->scratch;
  armnn_suppression_take(
      &job.suppression,
      armnn_i_ref_scratch_take(&scratch, armnn_suppression_bytes(job.boxes, job.most_of_class), 1),
      job.boxes, job.most_of_class);
  job.all_scores =
      (float*)armnn_i_ref_scratch_take(&scratch, job.boxes * job.score_columns, sizeof(float));
  job.kept = (armnn_kept_box_t*)armnn_i_ref_scratch_take(&scratch, job.most_of_class,
                                                         sizeof(armnn_kept_box_t));
  job.found = (candidate_t*)armnn_i_ref_scratch_take(&scratch, job.most_found + job.most_of_class,
                                                     sizeof(candidate_t));
  job.scores = job.all_scores + (job.score_columns - job.descriptor->num_classes);
  for (uint32_t o = 0; o < 4; ++o) {
    const size_t size = (size_t)ARMNN_OUT_INFO(call, o)->element_count * sizeof(float);
    if (size > 0) memset(call->outputs[o], 0, size);
  }
  if (job.boxes == 0 || job.most_found == 0) return ARMNN_STATUS_OK;
  const armnn_i_ref_codec_t codec = armnn_i_ref_codec(scores);
  armnn_i_ref_decode(&codec, call->inputs[1], 0, scores->element_count, job.all_scores);
  decode_boxes(call, &job);
  ARMNN_OUT(call, 3, float)
  [0] = (float)(job.descriptor->use_regular_nms ? find_of_classes(call, &job)
                                                : find_boxes(call, &job));
  return ARMNN_STATUS_OK;
}
