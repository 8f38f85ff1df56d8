/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * panel_rows.h - any number of rows times one panel, as tiles that are as even as they come.
 */
#ifndef ARMNN_CPU_ACC_PANEL_ROWS_H_
#define ARMNN_CPU_ACC_PANEL_ROWS_H_

#include "panels.h"

/* |rows| rows from those on that |job| names, which is moved on. */
static inline void armnn_i_acc_multiply_rows(const armnn_i_acc_panels_t* panels,
                                             const armnn_i_acc_panel_t* panel, int64_t rows,
                                             armnn_i_acc_gemm_job_t* job) {
  const armnn_i_acc_gemm_fn_t* functions = armnn_i_acc_tiles_of(panels, panel);
  const int64_t tiles = (rows + panels->rows - 1) / panels->rows;
  const int64_t height = rows / tiles, longer = rows % tiles;
  job->flags |= panels->flags;
  for (int part = 0; part < 2; ++part) {
    job->tiles = (uint32_t)(part == 0 ? longer : tiles - longer);
    if (job->tiles == 0) continue;
    const int64_t tile = height + (part == 0);
    functions[tile](job);
    job->input += job->tiles * tile * job->input_stride;
    job->output += job->tiles * tile * job->output_stride;
    job->residual += job->tiles * tile * job->residual_stride;
  }
}

/* |rows| rows times panels [begin, end), whose weights are at |packed|. */
static inline void armnn_i_acc_multiply_panels(const armnn_i_acc_panels_t* panels,
                                               const float* packed, uint32_t begin, uint32_t end,
                                               int64_t rows, const armnn_i_acc_gemm_job_t* job) {
  for (uint32_t p = begin; p < end; ++p) {
    const armnn_i_acc_panel_t* panel = &panels->panels[p];
    armnn_i_acc_gemm_job_t part = *job;
    part.panel = packed + panel->offset;
    part.bias = armnn_i_acc_bias_of(panels, panel);
    part.last = panel->columns - (panel->vectors - 1) * panels->gemm->lanes;
    part.output += panel->first;
    part.residual += panel->first;
    armnn_i_acc_multiply_rows(panels, panel, rows, &part);
  }
}

#endif /* ARMNN_CPU_ACC_PANEL_ROWS_H_ */
