/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * moves.c - steps that move tensors between memory of the host and memory of backends: copies,
 * imports, and maps. Each counts what it copies in the run.
 */
#include "handles.h"

typedef armnn_i_move_t move_t;

/* ---- Copies -------------------------------------------------------------------------------- */

/* Tells the run which side of a move fails: the backend behind it is to blame. */
static armnn_status_t side(const move_t* move, int32_t which, armnn_status_t status) {
  if (status != ARMNN_STATUS_OK) move->context->run->failed_side = which;
  return status;
}
#define SOURCE(call) side(move, ARMNN_RUN_SIDE_SOURCE, call)
#define TARGET(call) side(move, ARMNN_RUN_SIDE_TARGET, call)

static void count_copy(const move_t* move) {
  ++move->context->run->copies;
  move->context->run->copied_bytes += move->size;
}

static const armnn_run_memory_t* memory_of(const move_t* move) {
  return armnn_i_memory_of(move->context, move->external);
}

/* What a handle has imported if it has this memory. */
static const void* key_of(const move_t* move, const void* address) {
  const armnn_run_memory_t* memory = memory_of(move);
  return memory != NULL ? (const void*)memory : address;
}

static armnn_status_t copy_host(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  (void)error;
  /* The caller may have one array for an input and an output that is the same. */
  if (args->outputs[0] == args->inputs[0]) return ARMNN_STATUS_OK;
  count_copy(move);
  memmove(args->outputs[0], args->inputs[0], (size_t)move->size);
  return ARMNN_STATUS_OK;
}

static armnn_status_t import_or_copy(const move_t* move, void* address, bool may_import,
                                     armnn_error_t* error);

static armnn_status_t copy_in(armnn_workload_t* workload, const armnn_execute_args_t* args,
                              armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  if (move->size == 0) return ARMNN_STATUS_OK;
  if (memory_of(move) != NULL) {
    const bool may_import = move->context->plan->steps[move->step].may_import;
    return import_or_copy(move, (void*)(uintptr_t)args->inputs[0], may_import, error);
  }
  count_copy(move);
  return TARGET(armnn_i_write_handle(move->target, args->inputs[0], move->size, error));
}

static armnn_status_t copy_out(armnn_workload_t* workload, const armnn_execute_args_t* args,
                               armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  if (move->size == 0) return ARMNN_STATUS_OK;
  if (memory_of(move) != NULL) {
    if (move->context->externals[move->external].is_lent) return ARMNN_STATUS_OK;
    const armnn_status_t status = armnn_i_open_memory(move->context, move->external, error);
    if (status != ARMNN_STATUS_OK) return status;
  }
  count_copy(move);
  return SOURCE(armnn_i_read_handle(move->source, args->outputs[0], move->size, error));
}

/* Maps |item| to |out_memory| if its memory is dense; else that is null, and nothing is mapped. */
static armnn_status_t map_dense(armnn_i_handle_t* item, uint32_t access, uint64_t size,
                                void** out_memory, armnn_error_t* error) {
  layout_t layout;
  *out_memory = NULL;
  if (!HAS(item, map) || !HAS(item, unmap) || item->is_padded) return ARMNN_STATUS_OK;
  armnn_status_t status = armnn_i_map(item, access, out_memory, error);
  if (status != ARMNN_STATUS_OK) return status;
  status = armnn_i_get_layout(item, size, &layout, error);
  if (status != ARMNN_STATUS_OK || layout.rank == 0) return status;
  item->is_padded = true; /* and stays so: no later run maps it in vain */
  *out_memory = NULL;
  return armnn_i_unmap(item, error);
}

/* From one backend's memory to another's: through a map of either side that is dense, else through
 * a copy in the arena. */
static armnn_status_t copy_across(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                  armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  armnn_i_handle_t* source = move->source;
  armnn_i_handle_t* target = move->target;
  const uint64_t size = move->size;
  void* memory;
  (void)args;
  if (size == 0) return ARMNN_STATUS_OK;
  count_copy(move);
  armnn_status_t status = SOURCE(map_dense(source, ARMNN_MAP_READ, size, &memory, error));
  if (status != ARMNN_STATUS_OK) return status;
  if (memory != NULL) {
    status = TARGET(armnn_i_write_handle(target, memory, size, error));
    if (status != ARMNN_STATUS_OK) return status;
    return SOURCE(armnn_i_unmap(source, error));
  }
  status = TARGET(map_dense(target, ARMNN_MAP_WRITE, size, &memory, error));
  if (status != ARMNN_STATUS_OK) return status;
  if (memory != NULL) {
    status = SOURCE(armnn_i_read_handle(source, memory, size, error));
    if (status != ARMNN_STATUS_OK) return status;
    return TARGET(armnn_i_unmap(target, error));
  }
  if (move->staging == NULL) {
    return armnn_i_fail(error, ARMNN_STATUS_UNSUPPORTED,
                        "neither side can be mapped as dense memory, and the plan has no place "
                        "for a copy in between");
  }
  count_copy(move);
  status = SOURCE(armnn_i_read_handle(source, move->staging, size, error));
  if (status != ARMNN_STATUS_OK) return status;
  return TARGET(armnn_i_write_handle(target, move->staging, size, error));
}

/* ---- Imports ------------------------------------------------------------------------------- */

/* Offers |memory| to a handle. |out_taken| is false if the backend refuses it, and then |error|
 * says why. */
static armnn_status_t offer(armnn_i_handle_t* item, const armnn_memory_t* memory, bool* out_taken,
                            armnn_error_t* error) {
  words_t words;
  armnn_error_t* reason = listen(&words);
  *out_taken = false;
  if (HAS(item, can_be_imported)) {
    const armnn_status_t answer = item->handle->api->can_be_imported(item->handle, memory, reason);
    if (answer != ARMNN_STATUS_OK) {
      (void)blame(error, "can_be_imported", answer, &words);
      return ARMNN_STATUS_OK;
    }
  }
  const armnn_status_t answer =
      item->handle->api->import_memory(item->handle, memory, listen(&words));
  if (answer != ARMNN_STATUS_OK) {
    (void)blame(error, "import_memory", answer, &words);
    return answer == ARMNN_STATUS_UNSUPPORTED ? ARMNN_STATUS_OK : answer;
  }
  *out_taken = true;
  return ARMNN_STATUS_OK;
}

/* What the handle gets to see of an input or output with a descriptor, if it takes such memory. */
static bool describe(const move_t* move, const armnn_i_handle_t* item, uint32_t flags,
                     const armnn_run_memory_t* external, armnn_memory_t* out) {
  if ((flags & (uint32_t)external->memory->source) == 0) return false;
  *out = *external->memory;
  if (out->byte_strides[0] != 0) return !move->is_part && HAS(item, can_be_imported);
  out->offset += move->offset;
  if (out->address != NULL) out->address = (char*)out->address + move->offset;
  out->size = move->size;
  return true;
}

/* Imports the memory at |address|, or that of the run behind it, into |item|. |out_taken| is false
 * if the backend refuses it, and then |error| says why. */
static armnn_status_t take(const move_t* move, armnn_i_handle_t* item, void* address,
                           bool* out_taken, armnn_error_t* error) {
  const armnn_run_memory_t* external = memory_of(move);
  const void* key = key_of(move, address);
  const bool waits = external != NULL && external->memory->ready != NULL;
  *out_taken = true;
  /* Imported by an earlier run, and kept since: the memory was valid all the time. */
  if (item->imported == key && item->term == move->term && !waits) return ARMNN_STATUS_OK;
  armnn_status_t status = armnn_i_unimport(item, error);
  if (status != ARMNN_STATUS_OK) return status;
  *out_taken = false;
  const uint32_t flags = HAS(item, get_import_flags) && HAS(item, import_memory)
                             ? item->handle->api->get_import_flags(item->handle)
                             : 0;
  armnn_memory_t memory;
  if (external != NULL && describe(move, item, flags, external, &memory)) {
    if (waits && !move->context->plan->steps[move->step].takes_ready) {
      memory.ready = NULL;
      status = armnn_i_await_ready(move->context, move->external, error);
    }
    if (status == ARMNN_STATUS_OK) status = offer(item, &memory, out_taken, error);
  } else if (external != NULL) {
    (void)armnn_i_fail(
        error, ARMNN_STATUS_UNSUPPORTED, "the tensor handle imports no memory of source %d%s",
        external->memory->source, external->memory->byte_strides[0] != 0 ? " with strides" : "");
  } else if ((flags & ARMNN_MEMORY_SOURCE_MALLOC) == 0) {
    (void)armnn_i_fail(error, ARMNN_STATUS_UNSUPPORTED,
                       "the tensor handle imports no memory of the host");
  }
  const bool is_mapped = external == NULL || (external->memory->address != NULL &&
                                              external->memory->byte_strides[0] == 0);
  if (status == ARMNN_STATUS_OK && !*out_taken && is_mapped &&
      (flags & ARMNN_MEMORY_SOURCE_MALLOC) != 0) {
    if (external != NULL) status = armnn_i_open_memory(move->context, move->external, error);
    memory = (armnn_memory_t){.header = {sizeof memory, ARMNN_STRUCT_MEMORY},
                              .source = ARMNN_MEMORY_SOURCE_MALLOC,
                              .fd = -1,
                              .address = address,
                              .size = move->size};
    if (status == ARMNN_STATUS_OK) status = offer(item, &memory, out_taken, error);
  }
  if (status != ARMNN_STATUS_OK || !*out_taken) return status;
  item->imported = key;
  item->term = move->term;
  item->import_step = move->step;
  item->lender = move->lender;
  if (item->lender != NULL) ++item->lender->borrower_count;
  if (armnn_i_error_is_used(error)) armnn_i_error_clear(error); /* of a first offer */
  return ARMNN_STATUS_OK;
}

/* The import was refused: the handle needs memory of its own. */
static armnn_status_t own_memory(armnn_i_handle_t* item, armnn_error_t* error) {
  if (item->is_allocated) return ARMNN_STATUS_OK;
  if (HAS(item, allocate)) CALL(item, allocate, error, );
  item->is_allocated = true;
  return ARMNN_STATUS_OK;
}

static armnn_status_t refused(const move_t* move, armnn_error_t* error) {
  /* Strict is about the caller's memory only: between backends a copy is not an error. */
  const bool is_strict = move->context->run->strict != 0 && move->term == ARMNN_IMPORT_FOR_RUN;
  if (is_strict) return error->code != ARMNN_STATUS_OK ? error->code : ARMNN_STATUS_UNSUPPORTED;
  return own_memory(move->target, error);
}

static armnn_status_t import_or_copy(const move_t* move, void* address, bool may_import,
                                     armnn_error_t* error) {
  bool taken = false;
  armnn_status_t status = ARMNN_STATUS_OK;
  if (may_import) {
    status = take(move, move->target, address, &taken, error);
  } else if (move->context->run->strict != 0) {
    status = armnn_i_fail(error, ARMNN_STATUS_UNSUPPORTED,
                          "other tensors use the memory of this one, which cannot be imported");
  }
  if (status == ARMNN_STATUS_OK && !taken) {
    if (may_import) status = refused(move, error);
    if (status == ARMNN_STATUS_OK && memory_of(move) != NULL) {
      status = armnn_i_open_memory(move->context, move->external, error);
    }
    if (status != ARMNN_STATUS_OK) return TARGET(status);
    count_copy(move);
    status = armnn_i_write_handle(move->target, address, move->size, error);
  }
  return TARGET(status);
}

static armnn_status_t import(armnn_workload_t* workload, const armnn_execute_args_t* args,
                             armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  if (move->size == 0) return ARMNN_STATUS_OK;
  return import_or_copy(move, (void*)(uintptr_t)args->inputs[0], true, error);
}

static armnn_status_t lend(armnn_workload_t* workload, const armnn_execute_args_t* args,
                           armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  bool taken = true;
  if (move->size == 0) return ARMNN_STATUS_OK;
  const armnn_status_t status = take(move, move->target, args->outputs[1], &taken, error);
  return TARGET(status != ARMNN_STATUS_OK || taken ? status : refused(move, error));
}

armnn_status_t armnn_i_lend_memory(const armnn_i_move_t* move, armnn_error_t* error) {
  armnn_run_t* run = move->context->run;
  armnn_i_handle_t* item = move->source;
  bool taken = false;
  if (move->size == 0 || (item->imported != NULL && item->imported != key_of(move, NULL))) {
    return ARMNN_STATUS_OK; /* the tensor is an output twice: the second is copied */
  }
  void* address = run->outputs[move->external - move->context->plan->input_count];
  armnn_status_t status = take(move, item, address, &taken, error);
  if (status == ARMNN_STATUS_OK && !taken && run->strict != 0) status = ARMNN_STATUS_UNSUPPORTED;
  if (status != ARMNN_STATUS_OK) {
    run->failed_step = move->step;
    return SOURCE(status);
  }
  move->context->externals[move->external].is_lent = taken;
  if (armnn_i_error_is_used(error)) armnn_i_error_clear(error);
  return ARMNN_STATUS_OK;
}

static armnn_status_t give_back(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  if (move->size == 0 || move->source->imported == key_of(move, args->outputs[0])) {
    return ARMNN_STATUS_OK;
  }
  if (memory_of(move) != NULL) {
    const armnn_status_t status = armnn_i_open_memory(move->context, move->external, error);
    if (status != ARMNN_STATUS_OK) return status;
  }
  count_copy(move);
  return SOURCE(armnn_i_read_handle(move->source, args->outputs[0], move->size, error));
}

/* ---- Exports ------------------------------------------------------------------------------- */

static armnn_status_t open_handle(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                  armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  armnn_context_t* context = move->context;
  void* memory = context->arena;
  (void)args;
  if (move->size != 0) {
    layout_t layout;
    armnn_status_t status = armnn_i_map(move->source, ARMNN_MAP_READ, &memory, error);
    if (status != ARMNN_STATUS_OK) return SOURCE(status);
    status = armnn_i_get_layout(move->source, move->size, &layout, error);
    if (status != ARMNN_STATUS_OK) return SOURCE(status);
    const bool is_fit = ((uintptr_t)memory & (move->alignment - 1)) == 0 &&
                        armnn_i_is_readable_behind(memory, move->size, move->readable);
    if (layout.rank != 0 || !is_fit) {
      if (move->staging == NULL) {
        (void)armnn_i_fail(error, ARMNN_STATUS_UNSUPPORTED, "map: the memory is not %s",
                           layout.rank != 0 ? "dense" : "aligned as its readers need it");
        return SOURCE(ARMNN_STATUS_UNSUPPORTED);
      }
      count_copy(move);
      armnn_i_copy_rows(&layout, (unsigned char*)memory, (unsigned char*)move->staging, false,
                        move->size);
      memory = move->staging;
    }
  }
  armnn_i_patch(context, move->patch, memory);
  return ARMNN_STATUS_OK;
}

static armnn_status_t close_handle(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                   armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  armnn_i_handle_t* source = move->source;
  (void)args;
  if (source->borrower_count != 0) {
    armnn_i_handle_t* item = NULL;
    const armnn_status_t status =
        armnn_i_unimport_term(move->context, ARMNN_IMPORT_FOR_MAP, source, &item, error);
    if (status != ARMNN_STATUS_OK) {
      move->context->run->failed_step = item->import_step;
      return TARGET(status);
    }
  }
  return SOURCE(armnn_i_unmap(source, error));
}

/* ---- All ----------------------------------------------------------------------------------- */

armnn_i_execute_fn_t armnn_i_find_move(int32_t kind, bool from_handle, bool to_handle,
                                       const char** out_name) {
  static const struct {
    int32_t kind;
    int8_t from_handle, to_handle;
    armnn_i_execute_fn_t execute;
    const char* name;
  } moves[] = {
      {ARMNN_PLAN_STEP_COPY, 0, 0, copy_host, "MemCopy"},
      {ARMNN_PLAN_STEP_COPY, 0, 1, copy_in, "MemCopy in"},
      {ARMNN_PLAN_STEP_COPY, 1, 0, copy_out, "MemCopy out"},
      {ARMNN_PLAN_STEP_COPY, 1, 1, copy_across, "MemCopy across"},
      {ARMNN_PLAN_STEP_IMPORT, 0, 1, import, "MemImport"},
      {ARMNN_PLAN_STEP_LEND, 0, 1, lend, "MemImport of output"},
      {ARMNN_PLAN_STEP_RETURN, 1, 0, give_back, "MemReturn"},
      {ARMNN_PLAN_STEP_MAP, 1, 0, open_handle, "MemMap"},
      {ARMNN_PLAN_STEP_UNMAP, 1, 0, close_handle, "MemUnmap"},
  };
  for (size_t i = 0; i < sizeof moves / sizeof *moves; ++i) {
    if (moves[i].kind != kind || moves[i].from_handle != from_handle ||
        moves[i].to_handle != to_handle) {
      continue;
    }
    if (out_name != NULL) *out_name = moves[i].name;
    return moves[i].execute;
  }
  return NULL;
}
