/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * depthwise_plan.h - how one depthwise convolution is computed: its kernel, packed weights and
 * tiles of pixels. Shared by the operator of its own and by the one that has the 1x1 convolutions
 * around it, too.
 */
#ifndef ARMNN_CPU_ACC_DEPTHWISE_PLAN_H_
#define ARMNN_CPU_ACC_DEPTHWISE_PLAN_H_

#include "ops/op_base.h"
#include "packs.h"

typedef struct armnn_i_acc_depthwise_plan_t {
  armnn_i_acc_depthwise_job_t job;          /* the members that are the same for all calls */
  armnn_i_acc_depthwise_fn_t run, run_rest; /* whole vectors; channels that fill none */
  armnn_i_acc_depthwise_walk_e walk;
  const char* name; /* of the kernel */
  const float* packed;
  armnn_i_acc_packed_t weights; /* the memory of |packed| */
  int64_t lanes;
} armnn_i_acc_depthwise_plan_t;

/* Bytes of the tiles that the plan of a convolution keeps. */
size_t armnn_i_acc_depthwise_size(const armnn_i_acc_kernels_t* kernels,
                                  const armnn_i_acc_convolution_t* what);
/* Makes the plan, with its tiles at |memory|, aligned to a line. Of the job, the places of
 * input, output and residual, rows and channels of a call remain to be set; the input's image is
 * that of |what|. */
armnn_status_t armnn_i_acc_plan_depthwise(const armnn_i_acc_maker_t* maker,
                                          const armnn_i_acc_kernels_t* kernels,
                                          const armnn_i_acc_convolution_t* what, void* memory,
                                          armnn_i_acc_depthwise_plan_t* out_plan);
void armnn_i_acc_free_depthwise(armnn_i_acc_depthwise_plan_t* plan);
/* Runs |job|, whose places are those of channel |channel|, the first of a vector, for as many
 * channels as it says. Changes the job. */
void armnn_i_acc_call_depthwise(const armnn_i_acc_depthwise_plan_t* plan, int64_t channel,
                                armnn_i_acc_depthwise_job_t* job);

#endif /* ARMNN_CPU_ACC_DEPTHWISE_PLAN_H_ */
