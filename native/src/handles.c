/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * handles.c - steps that move tensors between memory of the host and memory of backends: copies,
 * imports, and maps. Each counts what it copies in the run.
 */
#include <string.h>

#include "core.h"

typedef unsigned long long ull;
typedef armnn_i_move_t move_t;

/* ---- Calls of a handle --------------------------------------------------------------------- */

/* Buffer for the message of a handle's function, so that the function's name can go before it. */
typedef struct words_t {
  armnn_error_t error;
  char text[512];
} words_t;

static armnn_error_t* listen(words_t* words) {
  memset(&words->error, 0, sizeof words->error);
  words->error.header.struct_size = sizeof words->error;
  words->error.header.struct_type = ARMNN_STRUCT_ERROR;
  words->error.text = words->text;
  words->error.capacity = sizeof words->text;
  words->text[0] = '\0';
  return &words->error;
}

static armnn_status_t blame(armnn_error_t* error, const char* function, armnn_status_t status,
                            words_t* words) {
  words->text[sizeof words->text - 1] = '\0'; /* the backend may have filled it to its end */
  return armnn_i_fail(error, status, "%s: %s", function,
                      words->text[0] != '\0' ? words->text : armnn_i_status_name(status));
}

#define HAS(entry, function) ARMNN_HAS_FN((entry)->handle->api, armnn_tensor_handle_api_t, function)

/* Calls |function| of |item| with the arguments behind it; a failure names the function. */
#define CALL(item, function, error, ...)                                             \
  do {                                                                               \
    words_t words;                                                                   \
    const armnn_status_t answer =                                                    \
        (item)->handle->api->function((item)->handle, __VA_ARGS__ listen(&words));   \
    if (answer != ARMNN_STATUS_OK) return blame((error), #function, answer, &words); \
  } while (0)
#define WITH(...) __VA_ARGS__,

/* A second map gives the same memory: only the first map and the last unmap reach the backend. The
 * check of the plan made sure that nothing writes to memory that is mapped for reading. */
static armnn_status_t map(armnn_i_handle_t* item, uint32_t access, void** out_memory,
                          armnn_error_t* error) {
  if (item->map_count != 0) {
    ++item->map_count;
    *out_memory = item->mapped;
    return ARMNN_STATUS_OK;
  }
  *out_memory = NULL;
  if (!HAS(item, map) || !HAS(item, unmap)) {
    return armnn_i_fail(error, ARMNN_STATUS_UNSUPPORTED,
                        "the tensor handle can neither be copied nor mapped");
  }
  CALL(item, map, error, WITH(access, out_memory));
  if (*out_memory == NULL) {
    words_t words;
    (void)item->handle->api->unmap(item->handle, listen(&words));
    return armnn_i_fail(error, ARMNN_STATUS_INTERNAL, "map: it answered OK but gave no address");
  }
  item->mapped = *out_memory;
  item->map_count = 1;
  return ARMNN_STATUS_OK;
}

static armnn_status_t unmap(armnn_i_handle_t* item, armnn_error_t* error) {
  if (item->map_count == 0 || --item->map_count != 0) return ARMNN_STATUS_OK;
  item->mapped = NULL;
  CALL(item, unmap, error, );
  return ARMNN_STATUS_OK;
}

static armnn_status_t unimport(armnn_i_handle_t* item, armnn_error_t* error) {
  if (item->imported == NULL) return ARMNN_STATUS_OK;
  if (item->lender != NULL) --item->lender->borrower_count;
  item->lender = NULL;
  item->term = ARMNN_IMPORT_KEPT; /* until it is given back; nothing is imported before */
  if (HAS(item, unimport_memory)) CALL(item, unimport_memory, error, );
  item->imported = NULL;
  return ARMNN_STATUS_OK;
}

/* Unimports memory of |term| from all handles; only memory of |lender|, if that is not null. Goes
 * on after a failure and answers the first one, of handle |out_item|. */
static armnn_status_t unimport_term(armnn_context_t* context, int32_t term,
                                    const armnn_i_handle_t* lender, armnn_i_handle_t** out_item,
                                    armnn_error_t* error) {
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  armnn_status_t first = ARMNN_STATUS_OK;
  for (uint32_t i = 0; i < context->plan->handle_count; ++i) {
    armnn_i_handle_t* item = &context->handles[i];
    if (item->imported == NULL || item->term != term || item->lender != lender) continue;
    const bool is_first = first == ARMNN_STATUS_OK;
    const armnn_status_t status = unimport(item, is_first ? error : &ignored);
    if (is_first && status != ARMNN_STATUS_OK && out_item != NULL) *out_item = item;
    if (is_first) first = status;
  }
  return first;
}

armnn_status_t armnn_i_unimport_callers(armnn_context_t* context, uint32_t* out_step,
                                        armnn_error_t* error) {
  armnn_i_handle_t* item = NULL;
  const armnn_status_t status = unimport_term(context, ARMNN_IMPORT_FOR_RUN, NULL, &item, error);
  if (item != NULL && out_step != NULL) *out_step = item->import_step;
  return status;
}

void armnn_i_unmap_all(armnn_context_t* context) {
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  for (uint32_t i = 0; i < context->plan->handle_count; ++i) {
    armnn_i_handle_t* item = &context->handles[i];
    if (item->borrower_count != 0) {
      (void)unimport_term(context, ARMNN_IMPORT_FOR_MAP, item, NULL, &ignored);
    }
    while (item->map_count != 0) (void)unmap(item, &ignored); /* the run's own failure counts */
  }
}

void armnn_i_unimport_all(armnn_context_t* context) {
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  if (context->handles == NULL) return;
  for (uint32_t i = 0; i < context->plan->handle_count; ++i) {
    (void)unimport(&context->handles[i], &ignored);
  }
}

/* ---- Layouts ------------------------------------------------------------------------------- */

/* Mapped memory: |rank| dimensions with strides, of which the last ones may be one dense row. */
typedef struct layout_t {
  uint64_t shape[ARMNN_MAX_DIMS];
  uint64_t strides[ARMNN_MAX_DIMS];
  uint32_t rank; /* without the dimensions of the row */
  uint64_t row;  /* bytes that lie together */
} layout_t;

/* Addresses have fewer bits: no two bytes in memory are farther apart. */
#define FARTHEST ((uint64_t)1 << 47)

/* Whether no two elements, of |element| bytes each, overlap: each stride, from the smallest on, is
 * at least the extent of the dimensions before it. */
static bool strides_are_sound(const layout_t* layout, uint32_t rank, uint64_t element) {
  bool is_done[ARMNN_MAX_DIMS] = {false};
  uint64_t extent = element;
  for (;;) {
    uint32_t next = rank;
    for (uint32_t i = 0; i < rank; ++i) {
      if (is_done[i] || layout->shape[i] == 1) continue;
      if (next == rank || layout->strides[i] < layout->strides[next]) next = i;
    }
    if (next == rank) return true;
    is_done[next] = true;
    const uint64_t stride = layout->strides[next], steps = layout->shape[next] - 1;
    if (stride < extent || stride > FARTHEST / steps) return false;
    extent += stride * steps;
    if (extent > FARTHEST) return false;
  }
}

static armnn_status_t get_layout(const armnn_i_handle_t* item, uint64_t size, layout_t* out,
                                 armnn_error_t* error) {
  memset(out, 0, sizeof *out);
  out->row = size;
  if (size == 0 || !HAS(item, get_layout)) return ARMNN_STATUS_OK;
  uint32_t rank = 0;
  const armnn_status_t status =
      item->handle->api->get_layout(item->handle, out->shape, out->strides, &rank);
  if (status == ARMNN_STATUS_UNSUPPORTED) return ARMNN_STATUS_OK;
  if (status != ARMNN_STATUS_OK) {
    return armnn_i_fail(error, status, "get_layout: %s", armnn_i_status_name(status));
  }
  uint64_t count = 1;
  if (rank > ARMNN_MAX_DIMS) count = 0;
  for (uint32_t i = 0; count != 0 && i < rank; ++i) {
    count = out->shape[i] > size / count ? 0 : count * out->shape[i];
  }
  if (count == 0 || size % count != 0) {
    return armnn_i_fail(error, ARMNN_STATUS_INTERNAL,
                        "get_layout: rank %u and its shape do not fit a tensor of %llu bytes", rank,
                        (ull)size);
  }
  out->row = size / count;
  if (!strides_are_sound(out, rank, out->row)) {
    return armnn_i_fail(error, ARMNN_STATUS_INTERNAL,
                        "get_layout: with these strides elements lie in each other, or nowhere");
  }
  while (rank > 0 && (out->strides[rank - 1] == out->row || out->shape[rank - 1] == 1)) {
    out->row *= out->shape[--rank];
  }
  out->rank = rank;
  return ARMNN_STATUS_OK;
}

/* Copies between |mapped|, which has |layout|, and |dense|. */
static void copy_rows(const layout_t* layout, unsigned char* mapped, unsigned char* dense,
                      bool to_mapped, uint64_t size) {
  uint64_t position[ARMNN_MAX_DIMS] = {0};
  for (uint64_t done = 0; done < size; done += layout->row) {
    unsigned char* place = mapped;
    for (uint32_t i = 0; i < layout->rank; ++i) place += position[i] * layout->strides[i];
    if (to_mapped) {
      memcpy(place, dense + done, (size_t)layout->row);
    } else {
      memmove(dense + done, place, (size_t)layout->row);
    }
    for (uint32_t i = layout->rank; i-- > 0;) {
      if (++position[i] < layout->shape[i]) break;
      position[i] = 0;
    }
  }
}

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

armnn_status_t armnn_i_write_handle(armnn_i_handle_t* item, const void* source, uint64_t size,
                                    armnn_error_t* error) {
  if (HAS(item, copy_in_from)) {
    CALL(item, copy_in_from, error, WITH(source, size));
    return ARMNN_STATUS_OK;
  }
  void* memory;
  layout_t layout;
  armnn_status_t status = map(item, ARMNN_MAP_WRITE, &memory, error);
  if (status != ARMNN_STATUS_OK) return status;
  status = get_layout(item, size, &layout, error);
  if (status != ARMNN_STATUS_OK) return status; /* the end of the run closes the handle */
  copy_rows(&layout, (unsigned char*)memory, (unsigned char*)(uintptr_t)source, true, size);
  return unmap(item, error);
}

armnn_status_t armnn_i_read_handle(armnn_i_handle_t* item, void* target, uint64_t size,
                                   armnn_error_t* error) {
  if (HAS(item, copy_out_to)) {
    CALL(item, copy_out_to, error, WITH(target, size));
    return ARMNN_STATUS_OK;
  }
  void* memory;
  layout_t layout;
  armnn_status_t status = map(item, ARMNN_MAP_READ, &memory, error);
  if (status != ARMNN_STATUS_OK) return status;
  status = get_layout(item, size, &layout, error);
  if (status != ARMNN_STATUS_OK) return status;
  copy_rows(&layout, (unsigned char*)memory, (unsigned char*)target, false, size);
  return unmap(item, error);
}

static armnn_status_t copy_host(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  (void)error;
  count_copy(move);
  memmove(args->outputs[0], args->inputs[0], (size_t)move->size);
  return ARMNN_STATUS_OK;
}

static armnn_status_t copy_in(armnn_workload_t* workload, const armnn_execute_args_t* args,
                              armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  if (move->size == 0) return ARMNN_STATUS_OK;
  count_copy(move);
  return TARGET(armnn_i_write_handle(move->target, args->inputs[0], move->size, error));
}

static armnn_status_t copy_out(armnn_workload_t* workload, const armnn_execute_args_t* args,
                               armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  if (move->size == 0) return ARMNN_STATUS_OK;
  count_copy(move);
  return SOURCE(armnn_i_read_handle(move->source, args->outputs[0], move->size, error));
}

/* Maps |item| to |out_memory| if its memory is dense; else that is null, and nothing is mapped. */
static armnn_status_t map_dense(armnn_i_handle_t* item, uint32_t access, uint64_t size,
                                void** out_memory, armnn_error_t* error) {
  layout_t layout;
  *out_memory = NULL;
  if (!HAS(item, map) || !HAS(item, unmap) || item->is_padded) return ARMNN_STATUS_OK;
  armnn_status_t status = map(item, access, out_memory, error);
  if (status != ARMNN_STATUS_OK) return status;
  status = get_layout(item, size, &layout, error);
  if (status != ARMNN_STATUS_OK || layout.rank == 0) return status;
  item->is_padded = true; /* and stays so: no later run maps it in vain */
  *out_memory = NULL;
  return unmap(item, error);
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
    return SOURCE(unmap(source, error));
  }
  status = TARGET(map_dense(target, ARMNN_MAP_WRITE, size, &memory, error));
  if (status != ARMNN_STATUS_OK) return status;
  if (memory != NULL) {
    status = SOURCE(armnn_i_read_handle(source, memory, size, error));
    if (status != ARMNN_STATUS_OK) return status;
    return TARGET(unmap(target, error));
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

/* Imports |memory| into the target's handle. |out_taken| is false if the backend refuses it, and
 * then |error| says why. */
static armnn_status_t take(const move_t* move, void* memory, bool* out_taken,
                           armnn_error_t* error) {
  armnn_i_handle_t* item = move->target;
  *out_taken = true;
  /* Imported by an earlier run, and kept since: the memory was valid all the time. */
  if (item->imported == memory && item->term == move->term) return ARMNN_STATUS_OK;
  const armnn_status_t status = unimport(item, error);
  if (status != ARMNN_STATUS_OK) return status;
  words_t words;
  armnn_error_t* reason = listen(&words);
  *out_taken = false;
  const uint32_t flags =
      HAS(item, get_import_flags) ? item->handle->api->get_import_flags(item->handle) : 0;
  if (!(flags & ARMNN_MEMORY_SOURCE_MALLOC) || !HAS(item, import_memory)) {
    (void)armnn_i_fail(error, ARMNN_STATUS_UNSUPPORTED,
                       "the tensor handle imports no memory of the host");
    return ARMNN_STATUS_OK;
  }
  if (HAS(item, can_be_imported)) {
    const armnn_status_t answer = item->handle->api->can_be_imported(
        item->handle, memory, ARMNN_MEMORY_SOURCE_MALLOC, reason);
    if (answer != ARMNN_STATUS_OK) {
      (void)blame(error, "can_be_imported", answer, &words);
      return ARMNN_STATUS_OK;
    }
  }
  const armnn_status_t answer = item->handle->api->import_memory(
      item->handle, memory, ARMNN_MEMORY_SOURCE_MALLOC, listen(&words));
  if (answer != ARMNN_STATUS_OK) {
    (void)blame(error, "import_memory", answer, &words);
    return answer == ARMNN_STATUS_UNSUPPORTED ? ARMNN_STATUS_OK : answer;
  }
  item->imported = memory;
  item->term = move->term;
  item->import_step = move->step;
  item->lender = move->lender;
  if (item->lender != NULL) ++item->lender->borrower_count;
  *out_taken = true;
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
  /* Strict is about the caller's memory only: between backends a copy is no error. */
  const bool is_strict = move->context->run->strict != 0 && move->term == ARMNN_IMPORT_FOR_RUN;
  if (is_strict) return error->code != ARMNN_STATUS_OK ? error->code : ARMNN_STATUS_UNSUPPORTED;
  return own_memory(move->target, error);
}

static armnn_status_t import(armnn_workload_t* workload, const armnn_execute_args_t* args,
                             armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  bool taken = true;
  if (move->size == 0) return ARMNN_STATUS_OK;
  armnn_status_t status = take(move, (void*)(uintptr_t)args->inputs[0], &taken, error);
  if (status == ARMNN_STATUS_OK && !taken) {
    status = refused(move, error);
    if (status != ARMNN_STATUS_OK) return TARGET(status);
    count_copy(move);
    status = armnn_i_write_handle(move->target, args->inputs[0], move->size, error);
  }
  return TARGET(status);
}

static armnn_status_t lend(armnn_workload_t* workload, const armnn_execute_args_t* args,
                           armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  bool taken = true;
  if (move->size == 0) return ARMNN_STATUS_OK;
  const armnn_status_t status = take(move, args->outputs[1], &taken, error);
  return TARGET(status != ARMNN_STATUS_OK || taken ? status : refused(move, error));
}

static armnn_status_t give_back(armnn_workload_t* workload, const armnn_execute_args_t* args,
                                armnn_error_t* error) {
  const move_t* move = (const move_t*)workload;
  if (move->size == 0 || move->source->imported == args->outputs[0]) return ARMNN_STATUS_OK;
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
    armnn_status_t status = map(move->source, ARMNN_MAP_READ, &memory, error);
    if (status != ARMNN_STATUS_OK) return SOURCE(status);
    status = get_layout(move->source, move->size, &layout, error);
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
      copy_rows(&layout, (unsigned char*)memory, (unsigned char*)move->staging, false, move->size);
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
        unimport_term(move->context, ARMNN_IMPORT_FOR_MAP, source, &item, error);
    if (status != ARMNN_STATUS_OK) {
      move->context->run->failed_step = item->import_step;
      return TARGET(status);
    }
  }
  return SOURCE(unmap(source, error));
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
