/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * basics.h - the contract and a few macros, for the headers of libarmnn_core.so.
 */
#ifndef ARMNN_BASICS_H_
#define ARMNN_BASICS_H_

#define ARMNN_NO_ENTRY_DECLARATIONS /* the host has no entry points of a backend */
#include "armnn/runtime.h"

#define ARMNN_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define ARMNN_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define ARMNN_CACHE_LINE 64
#define ARMNN_MAX_ALIGNMENT 4096u

#endif /* ARMNN_BASICS_H_ */
