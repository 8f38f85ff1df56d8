/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * shared_weights.h - packed weights and constants that several programs have in common.
 *
 * A network with free dimensions gets a program for each set of shapes, and nearly all of its
 * weights are packed alike in all of them. What has the same bytes is kept once for each host,
 * whichever networks it is of. What has a name (origins.h) is found by it, before it is packed. Any
 * thread may call any function.
 */
#ifndef ARMNN_CPU_ACC_SHARED_WEIGHTS_H_
#define ARMNN_CPU_ACC_SHARED_WEIGHTS_H_

#include "origins.h"

/* Memory for |size| bytes, aligned to a line; null if memory is out. Its maker writes it, then
 * calls armnn_i_acc_share_weights, or frees it by armnn_i_acc_release_weights. */
void* armnn_i_acc_new_weights(const armnn_host_t* host, uint64_t size);

/* |weights|, which must not change any more, or equal ones that were there: then |weights| are
 * freed. The result is given back by armnn_i_acc_release_weights. */
void* armnn_i_acc_share_weights(void* weights);

/* The same for a copy of |size| bytes of |data|; null if memory is out. */
void* armnn_i_acc_keep_weights(const armnn_host_t* host, const void* data, uint64_t size);

/* Shared weights of this name, which is not void, or null; the caller owns them, too. */
void* armnn_i_acc_find_weights(const armnn_host_t* host, const armnn_i_acc_name_t* name);

/* From now on shared |weights| are found by |name| as well; by a few such names at most. */
void armnn_i_acc_label_weights(void* weights, const armnn_i_acc_name_t* name);

/* Bytes of shared weights, and whether they have several owners. */
uint64_t armnn_i_acc_size_of_weights(void* weights, bool* out_is_shared);

/* One more owner of shared weights. */
void armnn_i_acc_retain_weights(void* weights);

/* Frees them with the last of those who share them; null is allowed. */
void armnn_i_acc_release_weights(void* weights);

#endif /* ARMNN_CPU_ACC_SHARED_WEIGHTS_H_ */
