/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * recurrent.h - cells that walk over a sequence: the walk, and the products of a step.
 *
 * The input's share of all sums was computed before, in one product for all steps. Here each step
 * multiplies the states with packed weights, which stay in the second cache from step to step, and
 * hands the sums to the gates of its kind of cell. Directions, and blocks of rows, do not depend on
 * each other: they are the items that threads share; where there is one item alone, they share the
 * panels of each product that is worth it. Blocks do not depend on the number of threads, so that
 * results do not either.
 */
#ifndef ARMNN_CPU_ACC_RECURRENT_H_
#define ARMNN_CPU_ACC_RECURRENT_H_

#include "ops/dense/panel_rows.h"
#include "ops/op_base.h"

#define ARMNN_ACC_DIRECTIONS 2u

typedef struct armnn_i_acc_recurrent_op_t armnn_i_acc_recurrent_op_t;

/* Some rows at one step of one direction. */
typedef struct armnn_i_acc_cell_rows_t {
  const armnn_i_acc_recurrent_op_t* op;
  const armnn_i_acc_run_t* run;
  uint32_t threads; /* that share a product */
  uint32_t direction;
  int64_t step;
  int64_t first, count; /* rows */
  const float* sums;    /* of the inputs, |sums_row| floats from row to row */
  float *hidden, *cell; /* the states, dense: of the step before, then of this one */
  const void* lengths;  /* of all rows, or null */
  float* scratch;       /* |row_floats| for each row */
} armnn_i_acc_cell_rows_t;

/* First member of the operators. */
struct armnn_i_acc_recurrent_op_t {
  armnn_i_acc_base_t base;
  const armnn_i_acc_kernels_t* kernels;
  /* Writes the states behind a step; those of rows that have ended stay. */
  void (*step)(const armnn_i_acc_cell_rows_t* rows);
  armnn_i_acc_tensor_t sums, hidden, cell, lengths, output;
  int64_t steps, rows, directions, width; /* |width|: sums of a row and direction */
  int64_t cells, outputs;
  int32_t rounding; /* armnn_row_rounding_e of rows that products of a step read */
  bool reverse[ARMNN_ACC_DIRECTIONS];
  int64_t sums_step, sums_row;                       /* in floats */
  int64_t output_step, output_direction, output_row; /* in floats */
  /* By direction: products with the states, and the second of a step, if there is one. */
  armnn_i_acc_panels_t first[ARMNN_ACC_DIRECTIONS], second[ARMNN_ACC_DIRECTIONS];
  uint64_t products;   /* multiplications of a row in one step */
  uint64_t row_floats; /* of scratch */
  int64_t blocks, block_rows;
  uint64_t thread_scratch; /* in floats */
  uint32_t threads, step_threads;
};

/* What a kind of cells states of its walk. */
typedef struct armnn_i_acc_walk_t {
  const armnn_i_acc_tensor_t *sums, *hidden, *output;
  const armnn_i_acc_tensor_t *cell, *lengths; /* null without them */
  bool rows_first;                            /* rows are the first dimension of sums and output */
  bool reverse;                               /* of one direction; the second of two always is */
  int64_t directions, gates, cells, outputs;
} armnn_i_acc_walk_t;

/* An operator of |size| bytes, and |extra| bytes behind it, without its kernel's name, step,
 * |row_floats| and weights; |products| has those of the first product. */
armnn_status_t armnn_i_acc_new_walk(const armnn_i_acc_maker_t* maker,
                                    const armnn_i_acc_walk_t* what, size_t size, size_t extra,
                                    void** out_extra, void** out_op);
/* Plans the walk if |status|, of packing the weights, is OK; otherwise destroys |op|. */
armnn_status_t armnn_i_acc_finish_walk(const armnn_i_acc_maker_t* maker, armnn_status_t status,
                                       armnn_i_acc_recurrent_op_t* op, armnn_i_acc_op_t** out_op);

/* Packs |columns| rows of weights, |depth| floats each. */
armnn_status_t armnn_i_acc_pack_state(const armnn_i_acc_maker_t* maker,
                                      const armnn_i_acc_recurrent_op_t* op, const float* weights,
                                      const float* bias, int64_t columns, int64_t depth,
                                      armnn_i_acc_panels_t* out_panels);

/* out = in times panels (+ residual), for all rows; strides in floats. */
typedef struct armnn_i_acc_state_product_t {
  const armnn_i_acc_panels_t* panels;
  const float *in, *residual; /* |residual| may be null */
  float* out;
  int64_t in_row, residual_row, out_row;
} armnn_i_acc_state_product_t;

void armnn_i_acc_multiply_state(const armnn_i_acc_cell_rows_t* rows,
                                const armnn_i_acc_state_product_t* product);

/* Rows of |width| floats, one behind the other, as products read them: |in|, or if the operator
 * rounds rows, |scratch| with them rounded. */
const float* armnn_i_acc_rounded_rows(const armnn_i_acc_cell_rows_t* rows, const float* in,
                                      int64_t width, float* scratch);

/* Whether row |i| of |rows| has this step. */
bool armnn_i_acc_row_runs(const armnn_i_acc_cell_rows_t* rows, int64_t i);

/* The walk of gated and plain units. */
static inline armnn_i_acc_walk_t armnn_i_acc_unit_walk(const armnn_i_acc_gru_t* what,
                                                       int64_t gates) {
  return (armnn_i_acc_walk_t){
      .sums = &what->sums,
      .hidden = &what->state,
      .output = &what->output,
      .lengths = &what->lengths,
      .reverse = what->reverse,
      .directions = what->directions,
      .gates = gates,
      .cells = what->cells,
      .outputs = what->cells,
  };
}

#endif /* ARMNN_CPU_ACC_RECURRENT_H_ */
