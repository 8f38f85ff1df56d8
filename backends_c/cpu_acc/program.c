/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * program.c - a compiled sub-graph: made by the compiler, run by any number of threads at a time.
 */
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "shared_weights.h"

armnn_i_acc_maker_t armnn_i_acc_maker(const armnn_i_acc_backend_t* backend) {
  const armnn_host_t* host = backend->host;
  uint32_t count = 1;
  if (host != NULL && ARMNN_HAS_FN(host, armnn_host_t, concurrency)) {
    count = host->concurrency(host->context);
  }
  if (backend->threads > 0 && backend->threads < (int64_t)count) {
    count = (uint32_t)backend->threads;
  }
  return (armnn_i_acc_maker_t){
      .host = host,
      .isa = backend->isa,
      .max_threads = count < 1 ? 1 : count,
      .winograd = backend->winograd,
      .separable = backend->separable,
      .weights = backend->weights,
  };
}

static uint64_t rounded(uint64_t size) {
  return (size + ARMNN_ACC_LINE - 1) / ARMNN_ACC_LINE * ARMNN_ACC_LINE;
}

static armnn_i_acc_border_t border_of(const armnn_tensor_info_t* info) {
  const armnn_i_acc_element_t element = armnn_i_acc_element_of(info);
  return (armnn_i_acc_border_t){element, info->element_count * element.size};
}

static armnn_string_t text_of(const char* text) {
  return (armnn_string_t){text, text == NULL ? 0 : strlen(text)};
}

armnn_i_acc_program_t* armnn_i_acc_program_create(const armnn_i_acc_maker_t* maker,
                                                  const armnn_subgraph_t* subgraph, bool saves) {
  armnn_i_acc_program_t* program = calloc(1, sizeof *program);
  if (program == NULL) return NULL;
  program->maker = *maker;
  program->saves = saves;
  program->maker.packs = &program->packs;
  program->packs.notes = saves;
  program->input_count = subgraph->input_count;
  program->output_count = subgraph->output_count;
  program->border =
      calloc((size_t)subgraph->input_count + subgraph->output_count + 1, sizeof *program->border);
  program->in_place = calloc((size_t)subgraph->output_count + 1, sizeof *program->in_place);
  if (program->border == NULL || program->in_place == NULL) {
    free(program->border);
    free(program->in_place);
    free(program);
    return NULL;
  }
  armnn_i_acc_border_t* border = program->border;
  for (uint32_t i = 0; i < subgraph->input_count; ++i) {
    *border++ = border_of(subgraph->input_infos[i]);
  }
  for (uint32_t k = 0; k < subgraph->output_count; ++k, ++border) {
    const armnn_slot_t slot = subgraph->outputs[k];
    if (slot.layer < subgraph->layer_count &&
        slot.slot < subgraph->layers[slot.layer]->output_count) {
      *border = border_of(subgraph->layers[slot.layer]->output_infos[slot.slot]);
    }
  }
  return program;
}

bool armnn_i_acc_program_add(armnn_i_acc_program_t* program, armnn_i_acc_op_t* op, uint64_t* guids,
                             uint32_t guid_count) {
  if (program->count == program->capacity) {
    const uint32_t capacity = 2 * program->capacity + 16;
    armnn_i_acc_entry_t* larger = realloc(program->entries, capacity * sizeof *larger);
    if (larger == NULL) return false;
    program->entries = larger;
    program->capacity = capacity;
  }
  program->entries[program->count++] =
      (armnn_i_acc_entry_t){op, guids, guid_count, text_of(op->kernel)};
  return true;
}

void armnn_i_acc_program_note(armnn_i_acc_program_t* program, const uint64_t* guids,
                              uint32_t guid_count) {
  if (!program->saves) return;
  armnn_i_acc_field_count(&program->recipe, &guid_count);
  armnn_i_acc_field_bytes(&program->recipe, (void*)(uintptr_t)guids, guid_count * sizeof *guids);
}

const void* armnn_i_acc_program_keep(armnn_i_acc_program_t* program, const void* data,
                                     uint64_t size) {
  for (uint32_t i = 0; i < program->constant_count; ++i) {
    if (program->originals[i] == data && program->constants[i].size >= size) {
      return program->constants[i].data;
    }
  }
  if (program->constant_count == program->constant_capacity) {
    const uint32_t capacity = 2 * program->constant_capacity + 16;
    armnn_i_acc_span_t* constants = realloc(program->constants, capacity * sizeof *constants);
    if (constants != NULL) program->constants = constants;
    const void** originals = realloc(program->originals, capacity * sizeof *originals);
    if (originals != NULL) program->originals = originals;
    if (constants == NULL || originals == NULL) return NULL;
    program->constant_capacity = capacity;
  }
  void* copy = armnn_i_acc_keep_constant(&program->maker, data, size);
  if (copy == NULL) return NULL;
  program->constants[program->constant_count] = (armnn_i_acc_span_t){copy, size};
  program->originals[program->constant_count++] = data;
  return copy;
}

void armnn_i_acc_program_clear(armnn_i_acc_program_t* program) {
  for (uint32_t i = 0; i < program->count; ++i) {
    program->entries[i].op->destroy(program->entries[i].op);
    free(program->entries[i].guids);
  }
  program->count = 0;
  const bool own = program->file.data == NULL;
  for (uint32_t i = 0; i < program->constant_count && own; ++i) {
    armnn_i_acc_release_weights((void*)(uintptr_t)program->constants[i].data);
  }
  program->constant_count = 0;
  armnn_i_acc_packs_clear(&program->packs);
  program->recipe.size = 0;
  program->recipe.fault = NULL;
}

void armnn_i_acc_program_finish(armnn_i_acc_program_t* program, uint64_t arena_size) {
  program->arena_size = rounded(arena_size);
  program->op_scratch = 0;
  for (uint32_t i = 0; i < program->count; ++i) {
    const uint64_t size = rounded(program->entries[i].op->scratch_size);
    if (size > program->op_scratch) program->op_scratch = size;
  }
  const uint64_t bindings = 1 + (uint64_t)program->input_count + program->output_count;
  program->scratch_size = program->arena_size + program->op_scratch + bindings * sizeof(char*);
}

void armnn_i_acc_program_destroy(armnn_i_acc_program_t* program) {
  if (program == NULL) return;
  armnn_i_acc_program_clear(program);
  free(program->entries);
  free(program->constants);
  free(program->originals);
  armnn_i_acc_packs_free(&program->packs);
  free(program->recipe.bytes);
  free(program->border);
  free(program->in_place);
  free(program);
}

/* ---- Running ------------------------------------------------------------------------------- */

/* Which layers the operator does, by their guids: the host's profiles show them as one. */
static void trace_begin(const armnn_host_t* host, const armnn_i_acc_entry_t* entry) {
  if (entry->guid_count == 0) return;
  host->trace(host->context, ARMNN_TRACE_BEGIN, entry->kernel, entry->guids[0]);
  for (uint32_t i = 1; i < entry->guid_count; ++i) {
    host->trace(host->context, ARMNN_TRACE_INSTANT, (armnn_string_t){"fused", 5}, entry->guids[i]);
  }
}

static void trace_end(const armnn_host_t* host, const armnn_i_acc_entry_t* entry) {
  if (entry->guid_count == 0) return;
  host->trace(host->context, ARMNN_TRACE_END, entry->kernel, entry->guids[0]);
}

/* Whether to stop is asked again after so many operations, some microseconds of them: a question
 * takes as long as a tenth of a small operator. */
#define WORK_UNASKED 16384

/* The operations of an operator, and what it costs besides; of one that only moves, which may be
 * large, so many that the next one asks. */
static uint64_t work_of(const armnn_i_acc_op_t* op) {
  return op->operations != 0 ? op->operations + 1024 : WORK_UNASKED;
}

armnn_status_t armnn_i_acc_program_run(const armnn_i_acc_program_t* program,
                                       const armnn_i_acc_borders_t* borders, char* scratch,
                                       uint64_t run_id, armnn_error_t* error) {
  const armnn_host_t* host = program->maker.host;
  const bool traces =
      borders->order == NULL && host != NULL && ARMNN_HAS_FN(host, armnn_host_t, trace);
  const bool asks =
      program->count > 1 && host != NULL && ARMNN_HAS_FN(host, armnn_host_t, cancelled);
  char** bindings = (char**)(void*)(scratch + program->arena_size + program->op_scratch);
  bindings[ARMNN_ACC_ARENA] = scratch;
  for (uint32_t i = 0; i < program->input_count; ++i) {
    const void* input = borders->inputs[borders->order == NULL ? i : borders->order[i]];
    bindings[1 + i] = (char*)(uintptr_t)input;
  }
  for (uint32_t k = 0; k < program->output_count; ++k) {
    bindings[1 + program->input_count + k] = borders->outputs[k];
  }
  armnn_i_acc_failure_t failure = {ARMNN_STATUS_OK, error};
  const armnn_i_acc_run_t run = {
      .host = host,
      .run_id = run_id,
      .bindings = bindings,
      .scratch = scratch + program->arena_size,
      .max_threads = program->maker.max_threads,
      .failure = &failure,
  };
  uint64_t work = WORK_UNASKED;
  for (uint32_t i = 0; i < program->count; ++i) {
    const armnn_i_acc_entry_t* entry = &program->entries[i];
    if (asks && work >= WORK_UNASKED) {
      work = 0;
      if (host->cancelled(host->context, run_id) != 0) {
        return armnn_fail(error, ARMNN_STATUS_CANCELLED, "cancelled before operator %u of %u", i,
                          program->count);
      }
    }
    work += work_of(entry->op);
    if (traces) trace_begin(host, entry);
    entry->op->run(entry->op, &run);
    if (traces) trace_end(host, entry);
    if (failure.status != ARMNN_STATUS_OK) return (armnn_status_t)failure.status;
  }
  return ARMNN_STATUS_OK;
}
