/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * scratch.h - arrays in the scratch memory of a workload: prepare asks for them, execute takes them
 * in the same order.
 */
#ifndef ARMNN_CPU_REF_SCRATCH_H_
#define ARMNN_CPU_REF_SCRATCH_H_

#include "armnn/backend_kit.h"

/* Bytes of an array, rounded up so that the next one begins aligned as well. */
static inline uint64_t armnn_i_ref_scratch_size(uint64_t count, uint64_t element_size) {
  return (count * element_size + 63) / 64 * 64;
}

static inline void armnn_i_ref_scratch_ask(armnn_workload_requirements_t* requirements,
                                           uint64_t count, uint64_t element_size) {
  requirements->scratch_size += armnn_i_ref_scratch_size(count, element_size);
  requirements->scratch_alignment = 64;
}

static inline void* armnn_i_ref_scratch_take(unsigned char** scratch, uint64_t count,
                                             uint64_t element_size) {
  void* array = *scratch;
  *scratch += armnn_i_ref_scratch_size(count, element_size);
  return array;
}

#endif /* ARMNN_CPU_REF_SCRATCH_H_ */
