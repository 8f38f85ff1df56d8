/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "panels.h"

#include "half_float.h"

/* Rows of a panel that are packed as float32 before they are stored in 16 bits. */
enum { STORED_ROWS = 16, MOST_WIDTH = 64 };

const float armnn_i_acc_no_bias[MOST_WIDTH];

/* Units of four bytes that a panel fills. */
static uint64_t floats_of(const armnn_i_acc_panels_t* panels, const armnn_i_acc_panel_t* panel) {
  const uint64_t width = (uint64_t)panel->vectors * panels->gemm->lanes;
  const uint64_t weights = width * panels->taps * panels->depth;
  return weights * armnn_i_acc_weight_size(panels) / sizeof(float);
}

/* Each begins with a line of its own. */
static void place_panels(armnn_i_acc_panels_t* panels) {
  panels->floats = 0;
  for (uint32_t p = 0; p < panels->count; ++p) {
    panels->panels[p].offset = panels->floats;
    panels->floats += (floats_of(panels, &panels->panels[p]) + 15) / 16 * 16;
  }
}

armnn_status_t armnn_i_acc_plan_panels(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_gemm_kernels_t* gemm, uint32_t groups,
                                       uint64_t columns, uint64_t channels, uint64_t taps,
                                       uint64_t depth, uint32_t vectors, uint32_t multiple,
                                       armnn_i_acc_panels_t* out_panels) {
  const uint64_t lanes = gemm->lanes;
  const uint64_t all = (columns + lanes - 1) / lanes;
  uint64_t per_group = (all + vectors - 1) / vectors;
  const uint64_t rounded = (per_group + multiple - 1) / multiple * multiple;
  if (rounded <= all) per_group = rounded;
  *out_panels = (armnn_i_acc_panels_t){
      .host = maker->host,
      .gemm = gemm,
      .vectors = (uint32_t)((all + per_group - 1) / per_group),
      .taps = taps,
      .depth = depth,
      .flags = maker->isa->is_reproducible ? ARMNN_ACC_GEMM_IN_ORDER : 0,
  };
  out_panels->rows = gemm->max_rows[out_panels->vectors];
  if (per_group * groups > UINT32_MAX) return ARMNN_STATUS_UNSUPPORTED;
  out_panels->count = (uint32_t)(per_group * groups);
  out_panels->panels = armnn_alloc(
      maker->host, sizeof(armnn_i_acc_panel_t) * (uint64_t)out_panels->count, ARMNN_ACC_LINE);
  if (out_panels->panels == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  armnn_i_acc_panel_t* panel = out_panels->panels;
  uint64_t bias = 0;
  for (uint32_t group = 0; group < groups; ++group) {
    uint64_t first = 0;
    for (uint64_t i = 0; i < per_group; ++i, ++panel) {
      const uint64_t width = all / per_group + (i < all % per_group ? 1 : 0);
      const uint64_t left = columns - first;
      panel->vectors = (uint32_t)width;
      panel->columns = (uint32_t)(left < width * lanes ? left : width * lanes);
      const uint64_t last = panel->columns - (width - 1) * lanes;
      panel->pairs = 2 * last <= lanes && gemm->pair_tiles[width][1] != NULL;
      panel->first = (int64_t)(group * columns + first);
      panel->bias = bias;
      bias += width * lanes;
      panel->input = (int64_t)(group * channels);
      first += width * lanes;
    }
  }
  place_panels(out_panels);
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_store_panels(armnn_i_acc_panels_t* panels, int32_t stored) {
  panels->stored = stored;
  for (uint32_t p = 0; p < panels->count; ++p) panels->panels[p].pairs = false;
  place_panels(panels);
}

/* The second half of the last vector becomes like the first, in |rows| rows. */
static void repeat_half(const armnn_i_acc_panels_t* panels, const armnn_i_acc_panel_t* panel,
                        uint64_t rows, float* weights) {
  const size_t width = (size_t)panel->vectors * panels->gemm->lanes, half = panels->gemm->lanes / 2;
  for (uint64_t row = 1; row <= rows; ++row) {
    float* end = weights + row * width;
    memcpy(end - half, end - 2 * half, half * sizeof(float));
  }
}

void armnn_i_acc_pack_panel(const armnn_i_acc_panels_t* panels, const armnn_i_acc_panel_t* panel,
                            const armnn_i_acc_panel_source_t* source, const float* in,
                            float* weights) {
  const armnn_i_acc_gemm_kernels_t* gemm = panels->gemm;
  const uint32_t width = panel->vectors * gemm->lanes;
  const uint64_t taps = source->size_y * source->size_x;
  const bool whole = source->step_x == 1 && source->step_i == (int64_t)taps &&
                     (source->size_y == 1 || source->step_y == (int64_t)source->size_x);
  if (whole) {
    /* Channels outside, window inside: the weights of a column lie in one run. */
    gemm->pack(weights, width, in, panel->columns, source->step_o, 1, taps * source->channels, taps,
               source->channels);
  } else {
    for (uint64_t t = 0; t < taps; ++t) {
      const int64_t y = (int64_t)(t / source->size_x), x = (int64_t)(t % source->size_x);
      gemm->pack(weights + t * width * source->channels, width,
                 in + y * source->step_y + x * source->step_x, panel->columns, source->step_o,
                 source->step_i, source->channels, 1, source->channels);
    }
  }
  if (panel->pairs) repeat_half(panels, panel, panels->taps * panels->depth, weights);
}

/* Of a panel's first column. */
static const float* first_weight(const armnn_i_acc_panel_source_t* source,
                                 const armnn_i_acc_panel_t* panel, uint64_t columns) {
  const int64_t group = panel->first / (int64_t)columns;
  return source->values + group * source->step_group +
         (panel->first - group * (int64_t)columns) * source->step_o;
}

void armnn_i_acc_pack_panels(const armnn_i_acc_panels_t* panels,
                             const armnn_i_acc_panel_source_t* source, uint64_t columns,
                             uint32_t begin, uint32_t end, float* weights) {
  for (uint32_t p = begin; p < end; ++p) {
    const armnn_i_acc_panel_t* panel = &panels->panels[p];
    armnn_i_acc_pack_panel(panels, panel, source, first_weight(source, panel, columns),
                           weights + (panel->offset - panels->panels[begin].offset));
  }
}

typedef struct packing_t {
  const armnn_i_acc_panels_t* panels;
  const armnn_i_acc_panel_source_t* source;
  uint64_t columns;
} packing_t;

/* Packs a panel whose first column's first weight is |in|, weights in 16 bits. */
static void pack_half_panel(const armnn_i_acc_panels_t* panels, const armnn_i_acc_panel_t* panel,
                            const armnn_i_acc_panel_source_t* source, const float* in,
                            float* weights) {
  const uint32_t width = panel->vectors * panels->gemm->lanes;
  const bool is_bfloat = panels->stored == ARMNN_ACC_STORED_BFLOAT16;
  uint16_t* out = (uint16_t*)(void*)weights;
  for (uint64_t t = 0; t < source->size_y * source->size_x; ++t) {
    const int64_t y = (int64_t)(t / source->size_x), x = (int64_t)(t % source->size_x);
    const float* tap = in + y * source->step_y + x * source->step_x;
    for (uint64_t i = 0; i < source->channels; i += STORED_ROWS) {
      const uint64_t left = source->channels - i, rows = left < STORED_ROWS ? left : STORED_ROWS;
      float packed[STORED_ROWS * MOST_WIDTH];
      panels->gemm->pack(packed, width, tap + (int64_t)i * source->step_i, panel->columns,
                         source->step_o, source->step_i, rows, 1, rows);
      for (uint64_t k = 0; k < rows * width; ++k) {
        *out++ = is_bfloat ? armnn_bfloat_from_float(packed[k]) : armnn_half_from_float(packed[k]);
      }
    }
  }
}

static armnn_status_t pack_some(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const packing_t* packing = argument;
  const armnn_i_acc_panels_t* panels = packing->panels;
  for (uint64_t p = begin; p < end; ++p) {
    const armnn_i_acc_panel_t* panel = &panels->panels[p];
    const float* in = first_weight(packing->source, panel, packing->columns);
    (panels->stored == ARMNN_ACC_STORED_FLOAT32 ? armnn_i_acc_pack_panel : pack_half_panel)(
        panels, panel, packing->source, in, panels->weights + panel->offset);
  }
  return ARMNN_STATUS_OK;
}

/* Zeros between the panels, so that what is packed alike has the same bytes. */
static void fill_gaps(const armnn_i_acc_panels_t* panels) {
  for (uint32_t p = 0; p < panels->count; ++p) {
    const armnn_i_acc_panel_t* panel = &panels->panels[p];
    const uint64_t begin = panel->offset + floats_of(panels, panel);
    const uint64_t end = p + 1 < panels->count ? panel[1].offset : panels->floats;
    memset(panels->weights + begin, 0, (size_t)(end - begin) * sizeof(float));
  }
}

uint64_t armnn_i_acc_panels_layout(const armnn_i_acc_panels_t* panels) {
  uint64_t layout =
      ARMNN_ACC_LAYOUT(1, panels->gemm->lanes, panels->rows, panels->vectors, panels->taps,
                       panels->depth, (uint64_t)panels->stored, panels->floats);
  for (uint32_t p = 0; p < panels->count; ++p) {
    const armnn_i_acc_panel_t* panel = &panels->panels[p];
    layout = ARMNN_ACC_LAYOUT(layout, panel->vectors, panel->pairs, panel->columns,
                              (uint64_t)panel->first, panel->offset);
  }
  return layout;
}

static void name_source(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                        const armnn_i_acc_panel_source_t* source) {
  ARMNN_ACC_NAME(name, (uint64_t)source->step_group, (uint64_t)source->step_o,
                 (uint64_t)source->step_y, (uint64_t)source->step_x, (uint64_t)source->step_i,
                 source->size_y, source->size_x, source->channels);
  armnn_i_acc_name_weights(name, maker, source->values);
}

armnn_status_t armnn_i_acc_pack_by(const armnn_i_acc_maker_t* maker, armnn_i_acc_panels_t* panels,
                                   armnn_i_acc_name_t* name, armnn_range_fn_t body, void* argument,
                                   uint64_t count) {
  const uint64_t size = panels->floats * sizeof(float), layout = armnn_i_acc_panels_layout(panels);
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_take_packed(maker, size, layout, name, &panels->packed));
  panels->weights = panels->packed.data;
  if (!panels->packed.is_packed) {
    const armnn_i_acc_run_t run = {.host = maker->host, .max_threads = maker->max_threads};
    armnn_i_acc_parallel(&run, body, argument, count, 1,
                         panels->floats < 65536 ? 1 : maker->max_threads);
    fill_gaps(panels);
  }
  armnn_i_acc_share_packed(maker, size, layout, &panels->packed);
  panels->weights = panels->packed.data;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_acc_pack_constant(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_panel_source_t* source,
                                         const float* bias, uint64_t columns,
                                         armnn_i_acc_panels_t* panels) {
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_pack_bias(maker, bias, panels));
  packing_t packing = {.panels = panels, .source = source, .columns = columns};
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_PANELS, columns);
  name_source(&name, maker, source);
  return armnn_i_acc_pack_by(maker, panels, &name, pack_some, &packing, panels->count);
}

armnn_status_t armnn_i_acc_pack_bias(const armnn_i_acc_maker_t* maker, const float* bias,
                                     armnn_i_acc_panels_t* panels) {
  if (bias == NULL || panels->count == 0) return ARMNN_STATUS_OK;
  const armnn_i_acc_panel_t* last = &panels->panels[panels->count - 1];
  const uint64_t columns = (uint64_t)last->first + last->columns;
  const uint64_t lanes = panels->gemm->lanes, count = last->bias + last->vectors * lanes;
  const uint64_t layout = ARMNN_ACC_LAYOUT(armnn_i_acc_panels_layout(panels), count);
  armnn_i_acc_packed_t* packed = &panels->packed_bias;
  armnn_i_acc_name_t name = {0};
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_BIAS);
  const bool is_saved = maker->packs != NULL && maker->packs->supplies; /* then it is not memory */
  if (!is_saved) armnn_i_acc_name_values(&name, maker, bias, columns * sizeof *bias);
  ARMNN_RETURN_IF_ERROR(
      armnn_i_acc_take_packed(maker, count * sizeof *bias, layout, &name, packed));
  for (uint32_t p = 0; p < panels->count && !packed->is_packed; ++p) {
    const armnn_i_acc_panel_t* panel = &panels->panels[p];
    float* out = (float*)packed->data + panel->bias;
    memset(out, 0, panel->vectors * lanes * sizeof *out);
    memcpy(out, bias + panel->first, panel->columns * sizeof *out);
    if (panel->pairs) repeat_half(panels, panel, 1, out);
  }
  armnn_i_acc_share_packed(maker, count * sizeof *bias, layout, packed);
  panels->bias = packed->data;
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_free_panels(armnn_i_acc_panels_t* panels) {
  if (panels->panels != NULL) armnn_free(panels->host, panels->panels);
  armnn_i_acc_release_packed(&panels->packed);
  armnn_i_acc_release_packed(&panels->packed_bias);
  panels->panels = NULL;
  panels->weights = NULL;
  panels->bias = NULL;
}
