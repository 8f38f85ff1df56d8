/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * slabs.h - memory for packed weights of middling size, side by side in slabs that are large enough
 * for large pages: what a vector is multiplied with is read from one end to the other, and waits
 * for the addresses of small pages half of the time.
 *
 * Blocks are handed out one behind the other. What is given back returns its pages to the system,
 * and its room only if it was the last one; the slab goes with the last of its blocks.
 */
#ifndef ARMNN_CPU_ACC_SLABS_H_
#define ARMNN_CPU_ACC_SLABS_H_

#include "armnn/backend_kit.h"

typedef struct armnn_i_acc_slab_t armnn_i_acc_slab_t;

/* |size| bytes, aligned to a line, and the slab that they are in; null if this is not a size for
 * slabs, or memory is out. Any thread may call it. */
void* armnn_i_acc_slab_take(const armnn_host_t* host, uint64_t size, armnn_i_acc_slab_t** out_slab);
/* Gives back what was taken with this size. */
void armnn_i_acc_slab_give(armnn_i_acc_slab_t* slab, void* memory, uint64_t size);

#endif /* ARMNN_CPU_ACC_SLABS_H_ */
