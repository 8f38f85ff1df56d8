/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cpu_features.c - instruction sets that the processor has and the operating system saves.
 */
#define _GNU_SOURCE /* syscall */
#include "core.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BIT(value, number) (((value) >> (number)) & 1u)

/* The registers that the operating system saves. */
static uint64_t saved_state(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return ((uint64_t)high << 32) | low;
}

/* Linux makes room for the tiles of a thread, 8 KiB, only in processes that ask for it. It refuses
 * where a stack for signals is too small for them. */
static bool may_use_tiles(void) {
#if defined(__linux__) && defined(SYS_arch_prctl)
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; /* asm/prctl.h, asm/fpu/types.h */
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
  return false;
#endif
}

uint64_t armnn_i_detect_cpu_features(void) {
  uint64_t features = 0;
  uint32_t eax, ebx, ecx, edx;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx)) return 0;
  if (BIT(ecx, 20)) features |= ARMNN_CPU_X86_SSE42;
  if (!BIT(ecx, 27)) return features; /* no OSXSAVE: nothing above SSE is saved */
  const uint64_t saved = saved_state();
  const bool ymm = (saved & 0x06u) == 0x06u;
  const bool zmm = (saved & 0xe6u) == 0xe6u;
  const bool tiles = (saved & 0x60000u) == 0x60000u;
  if (!ymm || !BIT(ecx, 28)) return features;
  features |= ARMNN_CPU_X86_AVX;
  if (BIT(ecx, 12)) features |= ARMNN_CPU_X86_FMA;
  if (BIT(ecx, 29)) features |= ARMNN_CPU_X86_F16C;
  uint32_t leaf_1_eax = 0, unused_b, unused_c, unused_d;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return features;
  if (eax >= 1) __get_cpuid_count(7, 1, &leaf_1_eax, &unused_b, &unused_c, &unused_d);
  if (BIT(ebx, 5)) features |= ARMNN_CPU_X86_AVX2;
  if (BIT(leaf_1_eax, 4)) features |= ARMNN_CPU_X86_AVXVNNI;
  if (!zmm || !BIT(ebx, 16)) return features;
  features |= ARMNN_CPU_X86_AVX512F;
  if (BIT(ebx, 17)) features |= ARMNN_CPU_X86_AVX512DQ;
  if (BIT(ebx, 30)) features |= ARMNN_CPU_X86_AVX512BW;
  if (BIT(ebx, 31)) features |= ARMNN_CPU_X86_AVX512VL;
  if (BIT(ecx, 11)) features |= ARMNN_CPU_X86_AVX512VNNI;
  if (BIT(leaf_1_eax, 5)) features |= ARMNN_CPU_X86_AVX512BF16;
  if (tiles && BIT(edx, 24) && BIT(edx, 25) && may_use_tiles()) {
    features |= ARMNN_CPU_X86_AMX_INT8;
  }
  return features;
}

#elif defined(__aarch64__)

#include <sys/auxv.h>

/* Bits of AT_HWCAP and AT_HWCAP2, spelt out because older headers lack some. */
#define HWCAP_BIT_ASIMD (1ul << 1)
#define HWCAP_BIT_FPHP (1ul << 9)
#define HWCAP_BIT_ASIMDHP (1ul << 10)
#define HWCAP_BIT_ASIMDDP (1ul << 20)
#define HWCAP_BIT_SVE (1ul << 22)
#define HWCAP2_BIT_I8MM (1ul << 13)
#define HWCAP2_BIT_BF16 (1ul << 14)

uint64_t armnn_i_detect_cpu_features(void) {
  const unsigned long first = getauxval(AT_HWCAP);
  const unsigned long second = getauxval(AT_HWCAP2);
  uint64_t features = 0;
  if (first & HWCAP_BIT_ASIMD) features |= ARMNN_CPU_ARM_NEON;
  if ((first & HWCAP_BIT_FPHP) && (first & HWCAP_BIT_ASIMDHP)) features |= ARMNN_CPU_ARM_FP16;
  if (first & HWCAP_BIT_ASIMDDP) features |= ARMNN_CPU_ARM_DOTPROD;
  if (first & HWCAP_BIT_SVE) features |= ARMNN_CPU_ARM_SVE;
  if (second & HWCAP2_BIT_I8MM) features |= ARMNN_CPU_ARM_I8MM;
  if (second & HWCAP2_BIT_BF16) features |= ARMNN_CPU_ARM_BF16;
  return features;
}

#else

uint64_t armnn_i_detect_cpu_features(void) { return 0; }

#endif
