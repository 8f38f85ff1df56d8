/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * float_control.h - how a thread rounds and what it does with numbers near 0.
 *
 * A backend that changes it would change the numbers of everybody who computes later on the thread.
 * Flags of exceptions that happened are no part of it.
 */
#ifndef ARMNN_FLOAT_CONTROL_H
#define ARMNN_FLOAT_CONTROL_H

#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)

#define ARMNN_MXCSR_FLAGS 0x3fu

static inline uint64_t armnn_i_float_control(void) {
  uint32_t mxcsr;
  uint16_t x87;
  __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return ((uint64_t)x87 << 32) | (mxcsr & ~ARMNN_MXCSR_FLAGS);
}

static inline void armnn_i_set_float_control(uint64_t control) {
  uint32_t mxcsr;
  const uint16_t x87 = (uint16_t)(control >> 32);
  __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
  mxcsr = (mxcsr & ARMNN_MXCSR_FLAGS) | (uint32_t)control;
  __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
  /* A pending exception that becomes unmasked would trap. */
  __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87));
}

/* Code that uses MMX, or long double and leaves numbers behind, would leave no room for others:
 * their next number would be NaN. By the ABI the registers are empty around a call. */
static inline void armnn_i_empty_x87(void) { __asm__ volatile("emms"); }

#elif defined(__aarch64__)

static inline uint64_t armnn_i_float_control(void) {
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}

static inline void armnn_i_set_float_control(uint64_t control) {
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
}

#else

#include <fenv.h>

static inline uint64_t armnn_i_float_control(void) { return (uint64_t)(unsigned)fegetround(); }

static inline void armnn_i_set_float_control(uint64_t control) { fesetround((int)control); }

#endif

#if !defined(__x86_64__) && !defined(__i386__)
static inline void armnn_i_empty_x87(void) {}
#endif

#endif /* ARMNN_FLOAT_CONTROL_H */
