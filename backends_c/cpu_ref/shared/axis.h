/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * axis.h - a tensor seen along one of its dimensions, for operations that work on lines.
 *
 * Element (o, a, i) lies at (o * length + a) * inner + i. Lines that are neighbours in memory are
 * worked on together, ARMNN_REF_LANES at a time, so that the innermost loop is contiguous for every
 * axis but the last.
 */
#ifndef ARMNN_CPU_REF_AXIS_H_
#define ARMNN_CPU_REF_AXIS_H_

#include "armnn/backend_kit.h"
#include "int_math.h"

enum { ARMNN_REF_LANES = 64 };

typedef struct armnn_i_ref_axis_t {
  uint64_t outer, length, inner;
} armnn_i_ref_axis_t;

static inline armnn_i_ref_axis_t armnn_i_ref_axis(const armnn_tensor_info_t* info, uint32_t axis) {
  armnn_i_ref_axis_t view = {1, info->dims[axis], 1};
  for (uint32_t d = 0; d < axis; ++d) view.outer *= info->dims[d];
  for (uint32_t d = axis + 1; d < info->rank; ++d) view.inner *= info->dims[d];
  return view;
}

static inline int armnn_i_ref_channels_first(int32_t data_layout) {
  return data_layout == ARMNN_DATA_LAYOUT_NCHW || data_layout == ARMNN_DATA_LAYOUT_NCDHW;
}

/* A tensor of any rank has its channels in dimension 1, or last. */
static inline uint32_t armnn_i_ref_channel_axis(const armnn_tensor_info_t* info,
                                                int32_t data_layout) {
  return armnn_i_ref_channels_first(data_layout) ? 1 : info->rank - 1;
}

/* A group of neighbouring lines. */
typedef struct armnn_i_ref_lanes_t {
  uint64_t start; /* of the first line, in elements */
  uint64_t count;
} armnn_i_ref_lanes_t;

static inline uint64_t armnn_i_ref_lane_groups(const armnn_i_ref_axis_t* view) {
  return view->outer * armnn_div_up(view->inner, ARMNN_REF_LANES);
}

static inline armnn_i_ref_lanes_t armnn_i_ref_lanes(const armnn_i_ref_axis_t* view,
                                                    uint64_t group) {
  const uint64_t groups = armnn_div_up(view->inner, ARMNN_REF_LANES);
  const uint64_t first = group % groups * ARMNN_REF_LANES;
  armnn_i_ref_lanes_t lanes = {group / groups * view->length * view->inner + first,
                               view->inner - first};
  if (lanes.count > ARMNN_REF_LANES) lanes.count = ARMNN_REF_LANES;
  return lanes;
}

#endif /* ARMNN_CPU_REF_AXIS_H_ */
