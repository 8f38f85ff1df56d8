/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * backend.h - the files of CpuAcc that face the host: entry.c, support.c, optimize.c, workload.c,
 * program.c and saved/program_file.c.
 */
#ifndef ARMNN_CPU_ACC_BACKEND_H_
#define ARMNN_CPU_ACC_BACKEND_H_

#include "packs.h"
#include "program.h"
#include "saved/fields.h"

#define ARMNN_ACC_ID "CpuAcc"
#define ARMNN_ACC_VERSION "0.1.0"

typedef struct armnn_i_acc_backend_t {
  armnn_backend_t base;
  const armnn_host_t* host;
  const armnn_i_acc_isa_t* isa;
  int64_t threads; /* the option: 0 = as many as the host has when something is compiled */
  int32_t winograd, separable; /* the options: armnn_i_acc_choice_e */
  int32_t weights;             /* the option: armnn_i_acc_stored_e */
  char programs[160]; /* what programs made here say of themselves (saved/program_file.h) */
} armnn_i_acc_backend_t;

/* entry.c */
armnn_i_acc_maker_t armnn_i_acc_maker(const armnn_i_acc_backend_t* backend);

/* ---- program.c ----------------------------------------------------------------------------- */

typedef struct armnn_i_acc_entry_t {
  armnn_i_acc_op_t* op;
  uint64_t* guids; /* of the layers that it does, in their order */
  uint32_t guid_count;
  armnn_string_t kernel; /* its name, whose length would be counted at each run */
} armnn_i_acc_entry_t;

/* A tensor that crosses the border of the sub-graph. */
typedef struct armnn_i_acc_border_t {
  armnn_i_acc_element_t element;
  uint64_t size; /* bytes */
} armnn_i_acc_border_t;

/* A compiled sub-graph; constant from the end of the compilation on. */
typedef struct armnn_i_acc_program_t {
  armnn_i_acc_maker_t maker;
  uint32_t input_count, output_count;
  armnn_i_acc_border_t* border; /* of each input, then of each output */
  uint64_t* in_place;           /* of each output: bit i: it may be the same memory as input i */
  armnn_i_acc_entry_t* entries;
  uint32_t count, capacity;
  uint64_t arena_size;   /* first in the scratch of a run */
  uint64_t op_scratch;   /* then the scratch of the operator that runs */
  uint64_t scratch_size; /* both, and the addresses of the bindings */
  /* Copies of constants that operators read when they run; of a file, its bytes. */
  armnn_i_acc_span_t* constants;
  const void** originals; /* of what they are copies */
  uint32_t constant_count, constant_capacity;
  /* For a file: the operators as fields, each with the guids of its layers, and packed weights. */
  bool saves;
  armnn_i_acc_fields_t recipe;
  armnn_i_acc_packs_t packs;
  armnn_i_acc_span_t file; /* the bytes that it was made of, which outlive it; or null */
} armnn_i_acc_program_t;

/* |saves|: it can become a file. */
armnn_i_acc_program_t* armnn_i_acc_program_create(const armnn_i_acc_maker_t* maker,
                                                  const armnn_subgraph_t* subgraph, bool saves);
/* Takes |op| and |guids| (from malloc); false if memory is out: then they stay the caller's. */
bool armnn_i_acc_program_add(armnn_i_acc_program_t* program, armnn_i_acc_op_t* op, uint64_t* guids,
                             uint32_t guid_count);
/* Writes the guids of the operator that was written last. */
void armnn_i_acc_program_note(armnn_i_acc_program_t* program, const uint64_t* guids,
                              uint32_t guid_count);
/* A copy of |size| bytes that lives as long as the program; null if memory is out. */
const void* armnn_i_acc_program_keep(armnn_i_acc_program_t* program, const void* data,
                                     uint64_t size);
void armnn_i_acc_program_clear(armnn_i_acc_program_t* program);
void armnn_i_acc_program_finish(armnn_i_acc_program_t* program, uint64_t arena_size);
void armnn_i_acc_program_destroy(armnn_i_acc_program_t* program);

/* The tensors of one run. Input i of the program is inputs[order[i]] for a single layer; a
 * sub-graph has no |order|, its input i is inputs[i], and the trace shows its operators by their
 * layers. */
typedef struct armnn_i_acc_borders_t {
  const void* const* inputs;
  const uint32_t* order;
  void* const* outputs;
} armnn_i_acc_borders_t;

/* |scratch| has scratch_size bytes and is aligned to a line. */
armnn_status_t armnn_i_acc_program_run(const armnn_i_acc_program_t* program,
                                       const armnn_i_acc_borders_t* borders, char* scratch,
                                       uint64_t run_id, armnn_error_t* error);

/* ---- compile/ ------------------------------------------------------------------------------ */

/* UNSUPPORTED: |out_layers|, which has room for all, lists the layers that cannot be compiled, in
 * their order. */
armnn_status_t armnn_i_acc_compile(const armnn_i_acc_maker_t* maker,
                                   const armnn_subgraph_t* subgraph, bool saves,
                                   armnn_i_acc_program_t** out_program, uint32_t* out_layers,
                                   uint32_t* out_count, armnn_error_t* error);

/* ---- support.c ----------------------------------------------------------------------------- */

armnn_status_t armnn_i_acc_check_layer(const armnn_layer_query_t* query, armnn_error_t* reason);
/* support.c: whether a convolution whose weights or bias values are computed may become a product
 * of slices: each place of the window is a copy. */
bool armnn_i_acc_is_small_window(const armnn_layer_query_t* query);

/* check_quantized.c: whether a layer is one of kinds.inc's QUANTIZED, and whether it can be done.
 * The layer's rule holds. */
bool armnn_i_acc_is_quantized(const armnn_layer_query_t* query);
armnn_status_t armnn_i_acc_check_quantized(const armnn_layer_query_t* query, armnn_error_t* reason);
armnn_status_t armnn_i_acc_get_layer_support(armnn_backend_t* backend,
                                             const armnn_options_t* model_options,
                                             armnn_layer_support_t** out_support,
                                             armnn_error_t* error);

/* ---- optimize.c, workload.c ---------------------------------------------------------------- */

armnn_status_t armnn_i_acc_optimize(armnn_backend_t* backend, const armnn_subgraph_t* subgraph,
                                    const armnn_options_t* model_options,
                                    const armnn_optimization_sink_t* sink, armnn_error_t* error);
armnn_status_t armnn_i_acc_create_workload_factory(armnn_backend_t* backend,
                                                   const armnn_factory_args_t* args,
                                                   armnn_workload_factory_t** out_factory,
                                                   armnn_error_t* error);

#endif /* ARMNN_CPU_ACC_BACKEND_H_ */
