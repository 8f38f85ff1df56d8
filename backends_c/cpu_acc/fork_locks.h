/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fork_locks.h - locks of what all networks of the process share. A fork waits for them, so that
 * the child, which has one thread, finds them free and the data behind them whole.
 */
#ifndef ARMNN_CPU_ACC_FORK_LOCKS_H_
#define ARMNN_CPU_ACC_FORK_LOCKS_H_

/* In the order in which one thread may take several. */
typedef enum armnn_i_acc_fork_lock_t {
  ARMNN_ACC_LOCK_SHARED_WEIGHTS,
  ARMNN_ACC_LOCK_SLABS,
  ARMNN_ACC_LOCK_COUNT
} armnn_i_acc_fork_lock_t;

void armnn_i_acc_lock(armnn_i_acc_fork_lock_t which);
void armnn_i_acc_unlock(armnn_i_acc_fork_lock_t which);

#endif /* ARMNN_CPU_ACC_FORK_LOCKS_H_ */
