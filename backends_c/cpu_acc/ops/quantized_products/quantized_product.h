/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_product.h - what operators of quantised products have in common: how they are made, and
 * how their items are shared out among threads.
 */
#ifndef ARMNN_CPU_ACC_QUANTIZED_PRODUCT_H_
#define ARMNN_CPU_ACC_QUANTIZED_PRODUCT_H_

#include "packs.h"
#include "quantized_pack.h"
#include "quantized_sum.h"

/* First member of each of them. */
typedef struct armnn_i_acc_product_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_quantized_convolution_t what; /* without its constants once it is made */
  const armnn_i_acc_quantized_kernels_t* kernels;
  armnn_i_acc_store_t store;
  armnn_i_acc_sum_t sum;
  int32_t* packed;              /* to be filled, unless |weights| are packed */
  armnn_i_acc_packed_t weights; /* the memory of |packed| */
  armnn_i_acc_packed_t lists;   /* beside them (quantized_excess.h), or none */
  uint64_t packed_size, layout; /* of |weights| */
  bool is_shared;
  uint64_t thread_scratch;
  uint32_t threads;
} armnn_i_acc_product_t;

/* One run of it. */
typedef struct armnn_i_acc_product_run_t {
  const armnn_i_acc_product_t* op;
  const uint8_t *input, *addend; /* of the sum, or null */
  uint8_t* output;
  char* scratch;
} armnn_i_acc_product_run_t;

/* Zeroed memory for an operator of |size| bytes with |extra| bytes behind it, and zeroed |packed|
 * of |packed_size| int32, which the maker fills as |layout| says, unless they are packed.
 * Without |is_named| they are packed anew for each plan: lists of what they lack belong to them.
 * OUT_OF_MEMORY; INCOMPATIBLE: other weights were saved. |operations| are those of a
 * run: they decide how many threads take part. */
armnn_status_t armnn_i_acc_new_product(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_quantized_convolution_t* what, size_t size,
                                       size_t extra, void** out_extra, bool is_named,
                                       int64_t packed_size, uint64_t layout, int64_t operations,
                                       void** out_op);

/* What |packed| holds is final, and shared from here on. */
void armnn_i_acc_share_product(const armnn_i_acc_maker_t* maker, armnn_i_acc_product_t* op);

/* Shares it, if that was not done, and lets the constants go. */
void armnn_i_acc_finish_product(const armnn_i_acc_maker_t* maker, armnn_i_acc_product_t* op,
                                const char* kernel,
                                void (*run)(const armnn_i_acc_op_t*, const armnn_i_acc_run_t*));

/* A run of |count| items, |body|'s argument being an armnn_i_acc_product_run_t. */
void armnn_i_acc_run_product(const armnn_i_acc_op_t* op, const armnn_i_acc_run_t* run,
                             armnn_range_fn_t body, int64_t count);

/* Into how many parts the panels of each of |blocks| are cut, so that all threads have work. */
static inline int64_t armnn_i_acc_parts(const armnn_i_acc_product_t* op, int64_t blocks,
                                        int64_t panels) {
  int64_t parts = 1;
  while (op->threads > 1 && parts * 2 <= panels && blocks * parts < 3 * (int64_t)op->threads) {
    parts *= 2;
  }
  return parts;
}

#endif /* ARMNN_CPU_ACC_QUANTIZED_PRODUCT_H_ */
