/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * matrices.h - the matrix registers of AMX: eight matrices of at most 16 rows of 64 bytes.
 *
 * For tests, every processor has them in C (ACC_MATRICES_IN_C): they abort where the instructions
 * would fault, and their sums wrap as those do.
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, chapter 18, and
 * volume 2, LDTILECFG and TDPBUSD.
 */
#ifndef ARMNN_CPU_ACC_MATRICES_H_
#define ARMNN_CPU_ACC_MATRICES_H_

#include "simd.h"

enum { MATRICES = 8, MATRIX_ROWS = 16, MATRIX_BYTES = 64 };

/* The operand of LDTILECFG. */
typedef struct matrix_sizes_t {
  uint8_t palette, start_row, reserved[14];
  uint16_t bytes[16]; /* of a row of each matrix */
  uint8_t rows[16];
} matrix_sizes_t;

#if defined(ACC_HAS_AMX)

#include <immintrin.h>

typedef struct matrices_t {
  char none;
} matrices_t;

/* Compilers may not know that these read and write memory. */
#define MATRIX_STATEMENT(m, intrinsic)   \
  do {                                   \
    (void)(m);                           \
    __asm__ volatile("" : : : "memory"); \
    intrinsic;                           \
    __asm__ volatile("" : : : "memory"); \
  } while (0)

/* Sizes of all matrices; a size of 0 leaves one out. Matrices have no contents then. */
#define MATRICES_BEGIN(m, sizes) MATRIX_STATEMENT(m, _tile_loadconfig(sizes))
#define MATRICES_END(m) MATRIX_STATEMENT(m, _tile_release())
/* Rows that are |step| bytes apart; a step of 0 repeats one. */
#define MATRIX_LOAD(m, number, p, step) MATRIX_STATEMENT(m, _tile_loadd(number, p, step))
#define MATRIX_STORE(m, number, p, step) MATRIX_STATEMENT(m, _tile_stored(number, p, step))
/* |sums| += |x|, unsigned bytes in rows of groups of four, by |weights|, signed bytes in rows of
 * columns of four. */
#define MATRIX_ADD_PRODUCTS(m, sums, x, weights) MATRIX_STATEMENT(m, _tile_dpbusd(sums, x, weights))

#elif defined(ACC_MATRICES_IN_C)

#include <stdlib.h>

typedef struct matrices_t {
  matrix_sizes_t sizes;
  uint8_t data[MATRICES][MATRIX_ROWS][MATRIX_BYTES];
} matrices_t;

#define MATRICES_BEGIN(m, sizes) matrices_begin(m, sizes)
#define MATRICES_END(m) memset(m, 0, sizeof *(m))
#define MATRIX_LOAD(m, number, p, step) matrix_load(m, number, p, step)
#define MATRIX_STORE(m, number, p, step) matrix_store(m, number, p, step)
#define MATRIX_ADD_PRODUCTS(m, sums, x, weights) matrix_add_products(m, sums, x, weights)

static inline void matrix_fault_if(bool is_fault) {
  if (is_fault) abort();
}

static inline void matrices_begin(matrices_t* m, const matrix_sizes_t* sizes) {
  matrix_fault_if(sizes->palette != 1 || sizes->start_row != 0);
  for (int i = 0; i < 16; ++i) {
    const bool is_out = sizes->rows[i] == 0 && sizes->bytes[i] == 0;
    matrix_fault_if(sizes->rows[i] > MATRIX_ROWS || sizes->bytes[i] > MATRIX_BYTES);
    matrix_fault_if(!is_out && (i >= MATRICES || sizes->rows[i] == 0 || sizes->bytes[i] == 0));
  }
  for (int i = 0; i < 14; ++i) matrix_fault_if(sizes->reserved[i] != 0);
  memset(m, 0, sizeof *m);
  m->sizes = *sizes;
}

static inline void matrix_load(matrices_t* m, int number, const void* p, ptrdiff_t step) {
  matrix_fault_if(m->sizes.palette != 1 || m->sizes.rows[number] == 0);
  memset(m->data[number], 0, sizeof m->data[number]);
  for (int i = 0; i < m->sizes.rows[number]; ++i) {
    memcpy(m->data[number][i], (const char*)p + i * step, m->sizes.bytes[number]);
  }
}

static inline void matrix_store(const matrices_t* m, int number, void* p, ptrdiff_t step) {
  matrix_fault_if(m->sizes.palette != 1 || m->sizes.rows[number] == 0);
  for (int i = 0; i < m->sizes.rows[number]; ++i) {
    memcpy((char*)p + i * step, m->data[number][i], m->sizes.bytes[number]);
  }
}

static inline void matrix_add_products(matrices_t* m, int sums, int x, int weights) {
  const uint8_t* rows = m->sizes.rows;
  const uint16_t* bytes = m->sizes.bytes;
  matrix_fault_if(m->sizes.palette != 1 || rows[sums] == 0 || rows[x] == 0 || rows[weights] == 0);
  matrix_fault_if(sums == x || sums == weights || x == weights);
  matrix_fault_if(bytes[sums] % 4 != 0 || bytes[x] % 4 != 0 || bytes[weights] % 4 != 0);
  matrix_fault_if(rows[sums] != rows[x] || bytes[x] / 4 != rows[weights] ||
                  bytes[sums] != bytes[weights]);
  for (int i = 0; i < rows[sums]; ++i) {
    for (int j = 0; j < bytes[sums] / 4; ++j) {
      uint32_t sum;
      memcpy(&sum, &m->data[sums][i][4 * j], sizeof sum);
      for (int k = 0; k < bytes[x]; ++k) {
        const int8_t weight = (int8_t)m->data[weights][k / 4][4 * j + k % 4];
        sum += (uint32_t)(m->data[x][i][k] * weight);
      }
      memcpy(&m->data[sums][i][4 * j], &sum, sizeof sum);
    }
  }
}

#endif

#endif /* ARMNN_CPU_ACC_MATRICES_H_ */
