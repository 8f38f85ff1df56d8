/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * shared_weights.h - packed weights and constants that several programs have in common.
 *
 * A network with free dimensions gets a program for each set of shapes, and nearly all of its
 * weights are packed alike in all of them. What has the same bytes is kept once for each host,
 * whichever networks it is of. Any thread may call any function.
 */
#ifndef ARMNN_CPU_ACC_SHARED_WEIGHTS_H_
#define ARMNN_CPU_ACC_SHARED_WEIGHTS_H_

#include "armnn/backend_kit.h"

/* Memory for |size| bytes, aligned to a line; null if memory is out. Its maker writes it, then
 * calls armnn_i_acc_share_weights, or frees it by armnn_i_acc_release_weights. */
void* armnn_i_acc_new_weights(const armnn_host_t* host, uint64_t size);

/* |weights|, which nobody writes any more, or equal ones that were there: then |weights| are freed.
 * The result is given back by armnn_i_acc_release_weights. */
void* armnn_i_acc_share_weights(void* weights);

/* The same for a copy of |size| bytes of |data|; null if memory is out. */
void* armnn_i_acc_keep_weights(const armnn_host_t* host, const void* data, uint64_t size);

/* One more owner of shared weights. */
void armnn_i_acc_retain_weights(void* weights);

/* Frees them with the last of those who share them; null is allowed. */
void armnn_i_acc_release_weights(void* weights);

#endif /* ARMNN_CPU_ACC_SHARED_WEIGHTS_H_ */
