/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * panels.h - weights, packed in the order in which tiles of kernels/dense/gemm.h read them.
 *
 * Output channels are cut into panels of one to four vectors, as even as they come: 80 channels in
 * vectors of 16 are 48 + 32, not 64 + 16. All panels are used with tiles of up to |rows| rows.
 */
#ifndef ARMNN_CPU_ACC_PANELS_H_
#define ARMNN_CPU_ACC_PANELS_H_

#include "kernels/kernels.h"
#include "packs.h"

typedef struct armnn_i_acc_panel_t {
  uint32_t vectors;
  bool pairs;       /* tiles of kernels/dense/gemm.h's pair_tiles */
  uint32_t columns; /* output channels, the last vector may have fewer than lanes */
  int64_t first;    /* output channel */
  int64_t input;    /* input channel of its group */
  uint64_t offset;  /* in the packed weights, in units of four bytes */
  uint64_t bias;    /* where its bias begins in that of all panels */
} armnn_i_acc_panel_t;

typedef struct armnn_i_acc_panels_t {
  const armnn_host_t* host;
  const armnn_i_acc_gemm_kernels_t* gemm;
  uint32_t rows;
  uint32_t vectors; /* of the widest panel */
  uint32_t count;
  uint64_t taps, depth;
  int32_t stored;  /* how weights are packed: armnn_i_acc_stored_e */
  uint32_t flags;  /* of all jobs: armnn_i_acc_gemm_bits_e */
  uint64_t floats; /* packed, in units of four bytes */
  armnn_i_acc_panel_t* panels;
  float* weights;              /* or null: packed at run, to where |floats| fit */
  armnn_i_acc_packed_t packed; /* the memory of |weights| */
  /* Of all panels, or null. Apart from the weights, which layers of unlike biases may share. */
  const float* bias;
  armnn_i_acc_packed_t packed_bias;
} armnn_i_acc_panels_t;

/* Tiles of a panel, by their rows. */
static inline const armnn_i_acc_gemm_fn_t* armnn_i_acc_tiles_of(const armnn_i_acc_panels_t* panels,
                                                                const armnn_i_acc_panel_t* panel) {
  if (panels->stored != ARMNN_ACC_STORED_FLOAT32) {
    return panels->gemm->half_tiles[panels->stored - 1][panel->vectors];
  }
  return panel->pairs ? panels->gemm->pair_tiles[panel->vectors]
                      : panels->gemm->tiles[panel->vectors];
}

/* Names of the kernels, by what they compute. */
static inline const armnn_i_acc_gemm_names_t* armnn_i_acc_names_of(
    const armnn_i_acc_panels_t* panels) {
  return &panels->gemm->names[panels->stored][panels->vectors];
}

/* Zeros, as many as the widest panel has columns. */
extern const float armnn_i_acc_no_bias[];

/* Of a panel. */
static inline const float* armnn_i_acc_bias_of(const armnn_i_acc_panels_t* panels,
                                               const armnn_i_acc_panel_t* panel) {
  return panels->bias != NULL ? panels->bias + panel->bias : armnn_i_acc_no_bias;
}

/* Bytes of one weight. */
static inline uint64_t armnn_i_acc_weight_size(const armnn_i_acc_panels_t* panels) {
  return panels->stored == ARMNN_ACC_STORED_FLOAT32 ? sizeof(float) : sizeof(uint16_t);
}

/* Where weights come from: column o of a group, tap (y, x) of the window, channel i of the group
 * are at values[group * step_group + o * step_o + y * step_y + x * step_x + i * step_i].
 */
typedef struct armnn_i_acc_panel_source_t {
  const float* values;
  int64_t step_group, step_o, step_y, step_x, step_i;
  uint64_t size_y, size_x, channels;
} armnn_i_acc_panel_source_t;

/* Chooses panels for |groups| x |columns| channels; |vectors| is how many a panel should have,
 * |multiple| what their number should be a multiple of. */
armnn_status_t armnn_i_acc_plan_panels(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_gemm_kernels_t* gemm, uint32_t groups,
                                       uint64_t columns, uint64_t channels, uint64_t taps,
                                       uint64_t depth, uint32_t vectors, uint32_t multiple,
                                       armnn_i_acc_panels_t* out_panels);
/* Has the weights stored as |stored| (armnn_i_acc_stored_e), before they are packed by
 * armnn_i_acc_pack_constant. */
void armnn_i_acc_store_panels(armnn_i_acc_panels_t* panels, int32_t stored);
/* Packs panels [begin, end) as float32, the first of them to |weights|. */
void armnn_i_acc_pack_panels(const armnn_i_acc_panels_t* panels,
                             const armnn_i_acc_panel_source_t* source, uint64_t columns,
                             uint32_t begin, uint32_t end, float* weights);
/* Packs one of them, whose first column's first weight is |in|. */
void armnn_i_acc_pack_panel(const armnn_i_acc_panels_t* panels, const armnn_i_acc_panel_t* panel,
                            const armnn_i_acc_panel_source_t* source, const float* in,
                            float* weights);
/* A number for where each weight lies. */
uint64_t armnn_i_acc_panels_layout(const armnn_i_acc_panels_t* panels);
/* Memory of their own for all of them, packed by |body| over [0, count) on the host's threads:
 * each panel to |weights| + its offset; or what was packed under |name|, which is taken. */
armnn_status_t armnn_i_acc_pack_by(const armnn_i_acc_maker_t* maker, armnn_i_acc_panels_t* panels,
                                   armnn_i_acc_name_t* name, armnn_range_fn_t body, void* argument,
                                   uint64_t count);
/* The same from |source|, and the bias of all columns, or null. */
armnn_status_t armnn_i_acc_pack_constant(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_panel_source_t* source,
                                         const float* bias, uint64_t columns,
                                         armnn_i_acc_panels_t* panels);
/* The bias alone. */
armnn_status_t armnn_i_acc_pack_bias(const armnn_i_acc_maker_t* maker, const float* bias,
                                     armnn_i_acc_panels_t* panels);
void armnn_i_acc_free_panels(armnn_i_acc_panels_t* panels);

#endif /* ARMNN_CPU_ACC_PANELS_H_ */
