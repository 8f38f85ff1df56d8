/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * winograd_points.h - where the polynomials of Winograd's convolutions are evaluated.
 *
 * Tiles of 2: 0, 1, -1 and infinity. Tiles of 4: 0, A, -A, B, -B and infinity, with A and B chosen
 * for small errors among numbers whose products below are exact: with 5/8 and 3/2 the mean error is
 * half of what the usual 1 and 2 give, and the largest a fourth (benchmarks/results/winograd.md).
 *
 * Row k of the inputs' transform holds the coefficients of the product of (x - q) over the other
 * points q, that of the weights' transform the powers of the point over that product at the
 * point itself. Points +p and -p share their even and their odd part.
 */
#ifndef ARMNN_CPU_ACC_WINOGRAD_POINTS_H_
#define ARMNN_CPU_ACC_WINOGRAD_POINTS_H_

#define WINOGRAD_A 0.625
#define WINOGRAD_B 1.5
#define WINOGRAD_AA (WINOGRAD_A * WINOGRAD_A)
#define WINOGRAD_BB (WINOGRAD_B * WINOGRAD_B)

/* Transforms three weights of a line, |step| apart, to |size| + 2 numbers. */
static inline void armnn_i_acc_winograd_weights(unsigned size, const double* in, int step,
                                                double* out) {
  const double even = in[0], odd = in[step], last = in[2 * step];
  if (size == 2) {
    out[0] = even;
    out[1] = 0.5 * (even + odd + last);
    out[2] = 0.5 * (even - odd + last);
    out[3] = last;
    return;
  }
  const double a = 1.0 / (2.0 * WINOGRAD_AA * (WINOGRAD_AA - WINOGRAD_BB));
  const double b = 1.0 / (2.0 * WINOGRAD_BB * (WINOGRAD_BB - WINOGRAD_AA));
  out[0] = even / (WINOGRAD_AA * WINOGRAD_BB);
  out[1] = a * (even + WINOGRAD_A * odd + WINOGRAD_AA * last);
  out[2] = a * (even - WINOGRAD_A * odd + WINOGRAD_AA * last);
  out[3] = b * (even + WINOGRAD_B * odd + WINOGRAD_BB * last);
  out[4] = b * (even - WINOGRAD_B * odd + WINOGRAD_BB * last);
  out[5] = last;
}

#endif /* ARMNN_CPU_ACC_WINOGRAD_POINTS_H_ */
