/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * convolution.c - dense and grouped convolutions: one window, or Winograd's algorithm.
 */
#include "window.h"
#include "winograd.h"

typedef struct convolution_t {
  armnn_i_acc_op_t base;
  const armnn_host_t* host;
  armnn_i_acc_window_t window;
} convolution_t;

static void run_convolution(const armnn_i_acc_op_t* op, const armnn_i_acc_run_t* run) {
  const convolution_t* convolution = (const convolution_t*)op;
  armnn_i_acc_run_window(&convolution->window, run);
}

static void destroy_convolution(armnn_i_acc_op_t* op) {
  convolution_t* convolution = (convolution_t*)op;
  const armnn_host_t* host = convolution->host;
  armnn_i_acc_free_window(host, &convolution->window);
  armnn_free(host, convolution);
}

armnn_status_t armnn_i_acc_make_convolution(const armnn_i_acc_maker_t* maker,
                                            const armnn_i_acc_convolution_t* what,
                                            armnn_i_acc_op_t** out_op) {
  *out_op = NULL;
  if (what->groups > 1 && what->groups == what->input.dims[3]) {
    return armnn_i_acc_make_depthwise(maker, what, out_op);
  }
  const uint32_t tile = armnn_i_acc_choose_winograd(maker, what);
  if (tile != 0) return armnn_i_acc_make_winograd(maker, what, tile, out_op);
  convolution_t* convolution = armnn_alloc(maker->host, sizeof *convolution, ARMNN_ACC_LINE);
  if (convolution == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  const armnn_status_t status = armnn_i_acc_make_window(maker, what, 0, &convolution->window);
  if (status != ARMNN_STATUS_OK) {
    armnn_free(maker->host, convolution);
    return status;
  }
  const armnn_i_acc_panels_t* panels = &convolution->window.panels;
  convolution->host = maker->host;
  convolution->base = (armnn_i_acc_op_t){
      .run = run_convolution,
      .destroy = destroy_convolution,
      .kernel = armnn_i_acc_names_of(panels)->conv2d,
      .scratch_size = convolution->window.scratch_size,
      .operations = convolution->window.operations,
  };
  *out_op = &convolution->base;
  return ARMNN_STATUS_OK;
}
