/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * checks.h - what support functions ask of a query, with the reasons in words.
 *
 * Every check returns OK, or writes a reason and returns UNSUPPORTED; use ARMNN_RETURN_IF_ERROR.
 */
#ifndef ARMNN_CPU_REF_CHECKS_H_
#define ARMNN_CPU_REF_CHECKS_H_

#include "armnn/backend_kit.h"

/* Sides of images, kernels and windows stay below this, so that int64_t holds every product of two
 * of them and every sum with 32-bit paddings. */
#define ARMNN_REF_MAX_SIDE ((uint64_t)INT32_MAX)

#define ARMNN_REF_REFUSE(reason, ...) armnn_fail(reason, ARMNN_STATUS_UNSUPPORTED, __VA_ARGS__)

/* A tensor that is there, whose shape is known, and whose size fits its shape and the machine. */
static inline armnn_status_t armnn_i_ref_check_tensor(const armnn_tensor_info_t* info,
                                                      const char* what, int32_t data_type,
                                                      armnn_error_t* reason) {
  if (info == NULL) return ARMNN_REF_REFUSE(reason, "%s is missing", what);
  if (data_type != ARMNN_ANY && info->data_type != data_type) {
    return ARMNN_REF_REFUSE(reason, "%s is %s, the kernel takes %s", what,
                            armnn_data_type_name(info->data_type), armnn_data_type_name(data_type));
  }
  if (info->rank > ARMNN_MAX_DIMS) {
    return ARMNN_REF_REFUSE(reason, "%s has %u dimensions, at most %d are possible", what,
                            (unsigned)info->rank, ARMNN_MAX_DIMS);
  }
  uint64_t count = 1; /* elements */
  uint64_t span = 1;  /* the same without empty dimensions: strides are made of it */
  const uint64_t limit = (uint64_t)PTRDIFF_MAX / 16; /* bytes of the widest element, with room */
  for (uint32_t d = 0; d < info->rank; ++d) {
    if ((info->dim_known_mask >> d & 1u) == 0) {
      return ARMNN_REF_REFUSE(reason, "dimension %u of %s is not known", (unsigned)d, what);
    }
    uint64_t side = info->dims[d];
    if (side > limit || (side != 0 && span > limit / side)) {
      return ARMNN_REF_REFUSE(reason, "%s is larger than the address space", what);
    }
    count *= side;
    if (side != 0) span *= side;
  }
  if (count != info->element_count) {
    return ARMNN_REF_REFUSE(reason, "%s states %llu elements, its shape has %llu", what,
                            (unsigned long long)info->element_count, (unsigned long long)count);
  }
  return ARMNN_STATUS_OK;
}

/* Between |least| and |most| inputs, all of which may still be absent, and |outputs| outputs. */
static inline armnn_status_t armnn_i_ref_check_counts(const armnn_layer_query_t* query,
                                                      uint32_t least, uint32_t most,
                                                      uint32_t outputs, armnn_error_t* reason) {
  if (query->input_count < least || query->input_count > most) {
    return ARMNN_REF_REFUSE(reason, "the layer has %u inputs, the kernel takes %u to %u",
                            (unsigned)query->input_count, (unsigned)least, (unsigned)most);
  }
  if (query->output_count != outputs) {
    return ARMNN_REF_REFUSE(reason, "the layer has %u outputs, the kernel takes %u",
                            (unsigned)query->output_count, (unsigned)outputs);
  }
  return ARMNN_STATUS_OK;
}

/* The descriptor is there and at least as long as this code reads. */
static inline armnn_status_t armnn_i_ref_check_descriptor(const armnn_layer_query_t* query,
                                                          uint64_t size, armnn_error_t* reason) {
  if (query->descriptor == NULL) return ARMNN_REF_REFUSE(reason, "the layer has no descriptor");
  if (query->descriptor->struct_size < size) {
    return ARMNN_REF_REFUSE(reason, "the descriptor has %u bytes, the kernel reads %llu",
                            (unsigned)query->descriptor->struct_size, (unsigned long long)size);
  }
  return ARMNN_STATUS_OK;
}

static inline armnn_status_t armnn_i_ref_check_rank(const armnn_tensor_info_t* info,
                                                    const char* what, uint32_t rank,
                                                    armnn_error_t* reason) {
  if (info->rank == rank) return ARMNN_STATUS_OK;
  return ARMNN_REF_REFUSE(reason, "%s must have %u dimensions, not %u", what, (unsigned)rank,
                          (unsigned)info->rank);
}

static inline armnn_status_t armnn_i_ref_check_same_shape(const armnn_tensor_info_t* info,
                                                          const char* what,
                                                          const armnn_tensor_info_t* other,
                                                          const char* other_what,
                                                          armnn_error_t* reason) {
  if (info->rank == other->rank &&
      memcmp(info->dims, other->dims, info->rank * sizeof info->dims[0]) == 0) {
    return ARMNN_STATUS_OK;
  }
  return ARMNN_REF_REFUSE(reason, "the shapes of %s and %s differ", what, other_what);
}

/* One input and one output of |data_type| and one shape. */
static inline armnn_status_t armnn_i_ref_check_pointwise(const armnn_layer_query_t* query,
                                                         int32_t data_type, armnn_error_t* reason) {
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_counts(query, 1, 1, 1, reason));
  const armnn_tensor_info_t* input = query->input_infos[0];
  const armnn_tensor_info_t* output = query->output_infos[0];
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_tensor(input, "the input", data_type, reason));
  ARMNN_RETURN_IF_ERROR(armnn_i_ref_check_tensor(output, "the output", data_type, reason));
  return armnn_i_ref_check_same_shape(input, "the input", output, "the output", reason);
}

#endif /* ARMNN_CPU_REF_CHECKS_H_ */
