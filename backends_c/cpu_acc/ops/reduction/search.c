/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * search.c - the place of the least or greatest element along a dimension.
 */
#include "ops/op_base.h"
#include "search_rows.h"

typedef struct search_op_t {
  armnn_i_acc_base_t base;
  armnn_i_acc_search_t what;
  armnn_search_fn_t search;
  int64_t tiles; /* of each outer index */
  uint32_t threads;
} search_op_t;

typedef struct search_run_t {
  const search_op_t* op;
  const char* input;
  char* output;
} search_run_t;

static armnn_status_t run_tiles(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) {
  (void)thread_index;
  const search_run_t* run = (const search_run_t*)argument;
  const search_op_t* op = run->op;
  const armnn_i_acc_tensor_t *input = &op->what.input, *output = &op->what.output;
  const int64_t in_size = input->element.size, out_size = output->element.size;
  int64_t found[ARMNN_SEARCH_TILE];
  for (uint64_t i = begin; i < end; ++i) {
    const int64_t outer = (int64_t)i / op->tiles;
    const int64_t inner = (int64_t)i % op->tiles * (int64_t)ARMNN_SEARCH_TILE;
    int64_t count = input->dims[2] - inner;
    if (count > (int64_t)ARMNN_SEARCH_TILE) count = ARMNN_SEARCH_TILE;
    op->search(run->input + outer * input->strides[0] + inner * in_size, (uint64_t)input->dims[1],
               (uint64_t)armnn_i_acc_step(input, 1), (uint64_t)count, found);
    armnn_store_found(found, (uint64_t)count, output->element.type,
                      run->output + outer * output->strides[0] + inner * out_size);
  }
  return ARMNN_STATUS_OK;
}

static void run_search(const armnn_i_acc_op_t* base, const armnn_i_acc_run_t* run) {
  const search_op_t* op = (const search_op_t*)base;
  search_run_t self = {op, armnn_i_acc_address(run, &op->what.input),
                       armnn_i_acc_address(run, &op->what.output)};
  armnn_i_acc_parallel(run, run_tiles, &self, (uint64_t)(op->what.input.dims[0] * op->tiles), 1,
                       op->threads);
}

bool armnn_i_acc_has_search(int32_t data_type) {
  return data_type >= 0 && data_type < ARMNN_DATA_TYPE_COUNT &&
         armnn_search(data_type, ARMNN_ARG_MIN) != NULL;
}

armnn_status_t armnn_i_acc_make_search(const armnn_i_acc_maker_t* maker,
                                       const armnn_i_acc_search_t* what,
                                       armnn_i_acc_op_t** out_op) {
  const armnn_i_acc_tensor_t *input = &what->input, *output = &what->output;
  const bool has_gaps = (input->dims[2] != 1 && armnn_i_acc_step(input, 2) != 1) ||
                        (output->dims[1] != 1 && armnn_i_acc_step(output, 1) != 1);
  const bool goes_back = input->dims[1] != 1 && input->strides[1] < 0;
  if (!armnn_i_acc_has_search(input->element.type) || has_gaps || goes_back ||
      (output->element.type != ARMNN_DATA_TYPE_SIGNED32 &&
       output->element.type != ARMNN_DATA_TYPE_SIGNED64)) {
    return ARMNN_STATUS_UNSUPPORTED;
  }
  search_op_t* op = (search_op_t*)armnn_i_acc_new_op(maker, sizeof *op, 0, NULL);
  if (op == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  op->what = *what;
  op->search = armnn_search(input->element.type, what->function);
  op->tiles = armnn_i_acc_ceil_div(input->dims[2], ARMNN_SEARCH_TILE);
  op->base.op.run = run_search;
  op->base.op.kernel = "armnn_any_search";
  op->base.op.operations = (uint64_t)armnn_i_acc_count(input);
  op->threads = armnn_i_acc_threads(maker, 4 * op->base.op.operations);
  *out_op = &op->base.op;
  return ARMNN_STATUS_OK;
}
