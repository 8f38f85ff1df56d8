/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kernels.h - all kernels of one instruction set: for each element type a table per family. Its
 * header describes the table; the .c file of that name, compiled for that set, fills it.
 */
#ifndef ARMNN_CPU_ACC_KERNELS_H_
#define ARMNN_CPU_ACC_KERNELS_H_

#include <stdint.h>

#include "kernels/dense/gemm.h"
#include "kernels/dense/vectors.h"
#include "kernels/dense/winograd.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/dynamic/blocks.h"
#include "kernels/dynamic/dynamic.h"
#include "kernels/quantized/quantized.h"
#include "kernels/quantized/quantized_int16.h"
#include "kernels/quantized_products/lstm_int8.h"
#include "kernels/rows/elementwise.h"
#include "kernels/rows/move.h"
#include "kernels/rows/pooling.h"
#include "kernels/rows/recurrent.h"
#include "kernels/rows/reduce.h"
#include "kernels/rows/rotary.h"
#include "suppression.h"

#define ARMNN_ACC_MOST_BYTES 8 /* of an element */

/* armnn_run_suppression_layer. */
typedef struct armnn_i_acc_suppression_kernels_t {
  void (*run)(const armnn_suppression_layer_t* layer, const float* boxes, const float* scores,
              void* memory, int32_t* indices, float* best, int32_t* count);
  const char* name;
} armnn_i_acc_suppression_kernels_t;

/* For tensors of one element type. */
typedef struct armnn_i_acc_kernels_t {
  uint32_t lanes; /* elements of a vector */
  const armnn_i_acc_gemm_kernels_t* gemm;
  const armnn_i_acc_depthwise_kernels_t* depthwise;
  const armnn_i_acc_elementwise_kernels_t* elementwise;
  const armnn_i_acc_pooling_kernels_t* pooling;
  const armnn_i_acc_recurrent_kernels_t* recurrent;
  const armnn_i_acc_reduce_kernels_t* reduce;
  const armnn_i_acc_rotary_kernels_t* rotary;
  const armnn_i_acc_suppression_kernels_t* suppression;
  const armnn_i_acc_move_kernels_t* move;
  const armnn_i_acc_vector_kernels_t* vectors;    /* or null */
  const armnn_i_acc_winograd_kernels_t* winograd; /* or null */
} armnn_i_acc_kernels_t;

/* A reproducible set gives float32 the same bits as those of other processors, for any number of
 * threads and rows: it lacks kernels whose sums depend on these, and tiles sum IN_ORDER. */
struct armnn_i_acc_isa_t {
  const char* name;                                            /* as in isa_list.inc */
  uint64_t features;                                           /* ARMNN_CPU_ bits that it needs */
  const armnn_i_acc_kernels_t* kernels[ARMNN_DATA_TYPE_COUNT]; /* null: none for the type */
  /* By bytes of an element: what moves, whatever its type. Null: none for the size. */
  const armnn_i_acc_move_kernels_t* moves[ARMNN_ACC_MOST_BYTES + 1];
  const armnn_i_acc_quantized_kernels_t* quantized; /* for all types of quantised bytes */
  /* Stored bytes in products of matrices (quantized_amx.c), or null. They replace |bytes| of
   * |quantized|, whose panels they read, for shapes that armnn_i_acc_matrix_groups takes. */
  const armnn_i_acc_product_kernels_t* matrices;
  const armnn_i_acc_dynamic_kernels_t* dynamic;
  const armnn_i_acc_block_kernels_t* blocks;
  bool is_reproducible;
  const armnn_i_acc_isa_t* reproducible; /* the same instructions */
};

/* Best first; only those that this library was built with. */
extern const armnn_i_acc_isa_t* const armnn_i_acc_isas[];
extern const uint32_t armnn_i_acc_isa_count;

#endif /* ARMNN_CPU_ACC_KERNELS_H_ */
