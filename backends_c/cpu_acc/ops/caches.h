/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * caches.h - how large the second cache of one processor is: what blocks of work are cut by.
 */
#ifndef ARMNN_CPU_ACC_CACHES_H_
#define ARMNN_CPU_ACC_CACHES_H_

#include <stdint.h>

/* Bytes of the second cache, as the machine reports them or, where it does not, as small as they
 * are on today's machines. Asked for once. */
uint64_t armnn_i_acc_second_cache(void);

#endif /* ARMNN_CPU_ACC_CACHES_H_ */
