/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * operators_8bit.c - steps of QASYMM_S8 and QASYMM_U8 as operators of XNNPACK.
 *
 * The two sets of functions differ in little but their names, so both are made of one text,
 * operators_8bit.inc.
 */
#include <math.h>

#include "xn.h"

/* A real bound as a number of the output's, in [least, most]. */
static int32_t bound_of(const xn_step_t* s, float real, int32_t least, int32_t most) {
  const float number = rintf(real / s->to.scale) + (float)s->to.zero;
  if (number <= (float)least) return least;
  return number >= (float)most ? most : (int32_t)number;
}

#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b

#define NUMBER int8_t
#define LEAST INT8_MIN
#define MOST INT8_MAX
#define QUANTISED(name) JOIN(name, qs8)
#define PLAIN(name) JOIN(name, s8)
#define WEIGHT_ZERO(s) /* they are symmetric */
#include "operators_8bit.inc"
#undef NUMBER
#undef LEAST
#undef MOST
#undef QUANTISED
#undef PLAIN
#undef WEIGHT_ZERO

#define IS_UNSIGNED
#define NUMBER uint8_t
#define LEAST 0
#define MOST UINT8_MAX
#define QUANTISED(name) JOIN(name, qu8)
#define PLAIN(name) JOIN(name, u8)
#define WEIGHT_ZERO(s) (uint8_t)(s)->weight_quantum.zero,
#include "operators_8bit.inc"

enum xnn_status xn_8bit_create(const xn_step_t* step, xnn_operator_t* out_operator) {
  return step->type == ARMNN_DATA_TYPE_QASYMM_U8 ? create_qu8(step, out_operator)
                                                 : create_qs8(step, out_operator);
}

enum xnn_status xn_8bit_setup(const xn_step_t* step, xnn_operator_t op, const void* a,
                              const void* b, void* y, pthreadpool_t pool) {
  return step->type == ARMNN_DATA_TYPE_QASYMM_U8 ? setup_qu8(step, op, a, b, y, pool)
                                                 : setup_qs8(step, op, a, b, y, pool);
}
