/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_excess.h - weights of tiles whose kernels add products of bytes in 16 bits
 * (kernels/quantized/quantized.h): what is too much for that is taken off the packed weights,
 * listed, and added to the sums from the lists.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_EXCESS_H_
#define ARMNN_CPU_ACC_QUANTIZED_EXCESS_H_

#include "quantized_product.h"

/* Packed panels of all groups, as quantized_convolution.c has them. Behind them is how many runs
 * of weights are listed. */
typedef struct armnn_i_acc_panel_layout_t {
  int64_t panels, panel_size; /* in int32 */
  int64_t taps, tap_groups;
} armnn_i_acc_panel_layout_t;

typedef struct armnn_i_acc_excesses_t {
  bool is_there; /* something is listed */
  const armnn_i_acc_product_kernels_t* kernels;
  const uint32_t* begins; /* [panels * panel + 1] */
  const armnn_i_acc_excess_run_t* runs;
  armnn_i_acc_columns_job_t columns; /* without its rows */
  int64_t slice;                     /* rows whose columns stay in cache; a multiple of 32 */
  uint64_t columns_size, sums_size;  /* of a slice, in bytes of scratch */
} armnn_i_acc_excesses_t;

/* Makes the packed weights of |product| safe, unless they are saved, and lists what they have
 * beyond that. They are final then, and shared. INCOMPATIBLE: what was saved are no lists. */
armnn_status_t armnn_i_acc_list_excesses(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_product_kernels_t* kernels,
                                         const armnn_i_acc_panel_layout_t* layout,
                                         const ptrdiff_t* taps, armnn_i_acc_product_t* product,
                                         armnn_i_acc_excesses_t* out);

/* The columns of |rows| rows at |inputs|, at most a slice. */
void armnn_i_acc_read_columns(const armnn_i_acc_excesses_t* excesses, const char* const* inputs,
                              int64_t rows, uint8_t* columns);
/* The sums of these with what panel |panel| has listed, [row][channel]; false: it has nothing. */
bool armnn_i_acc_sum_excesses(const armnn_i_acc_excesses_t* excesses, int64_t panel, int64_t rows,
                              const uint8_t* columns, int32_t* sums);

#endif /* ARMNN_CPU_ACC_QUANTIZED_EXCESS_H_ */
