/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * handles.c - the calls of a tensor handle: map, unmap, import, and dense memory from and to it.
 */
#include "handles.h"

/* ---- Calls of a handle --------------------------------------------------------------------- */

armnn_status_t armnn_i_map(armnn_i_handle_t* item, uint32_t access, void** out_memory,
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

armnn_status_t armnn_i_unmap(armnn_i_handle_t* item, armnn_error_t* error) {
  if (item->map_count == 0 || --item->map_count != 0) return ARMNN_STATUS_OK;
  item->mapped = NULL;
  CALL(item, unmap, error, );
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_unimport(armnn_i_handle_t* item, armnn_error_t* error) {
  if (item->imported == NULL) return ARMNN_STATUS_OK;
  if (item->lender != NULL) --item->lender->borrower_count;
  item->lender = NULL;
  item->term = ARMNN_IMPORT_KEPT; /* until it is given back; nothing is imported before */
  if (HAS(item, unimport_memory)) CALL(item, unimport_memory, error, );
  item->imported = NULL;
  return ARMNN_STATUS_OK;
}

armnn_status_t armnn_i_unimport_term(armnn_context_t* context, int32_t term,
                                     const armnn_i_handle_t* lender, armnn_i_handle_t** out_item,
                                     armnn_error_t* error) {
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  armnn_status_t first = ARMNN_STATUS_OK;
  for (uint32_t i = 0; i < context->plan->handle_count; ++i) {
    armnn_i_handle_t* item = &context->handles[i];
    if (item->imported == NULL || item->term != term || item->lender != lender) continue;
    const bool is_first = first == ARMNN_STATUS_OK;
    const armnn_status_t status = armnn_i_unimport(item, is_first ? error : &ignored);
    if (is_first && status != ARMNN_STATUS_OK && out_item != NULL) *out_item = item;
    if (is_first) first = status;
  }
  return first;
}

armnn_status_t armnn_i_unimport_callers(armnn_context_t* context, uint32_t* out_step,
                                        armnn_error_t* error) {
  armnn_i_handle_t* item = NULL;
  const armnn_status_t status =
      armnn_i_unimport_term(context, ARMNN_IMPORT_FOR_RUN, NULL, &item, error);
  if (item != NULL && out_step != NULL) *out_step = item->import_step;
  return status;
}

void armnn_i_unmap_all(armnn_context_t* context) {
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  for (uint32_t i = 0; i < context->plan->handle_count; ++i) {
    armnn_i_handle_t* item = &context->handles[i];
    if (item->borrower_count != 0) {
      (void)armnn_i_unimport_term(context, ARMNN_IMPORT_FOR_MAP, item, NULL, &ignored);
    }
    while (item->map_count != 0)
      (void)armnn_i_unmap(item, &ignored); /* the run's own failure counts */
  }
}

void armnn_i_unimport_all(armnn_context_t* context) {
  armnn_error_t ignored = {{sizeof ignored, ARMNN_STRUCT_ERROR}, 0, 0, NULL, 0, 0};
  if (context->handles == NULL) return;
  for (uint32_t i = 0; i < context->plan->handle_count; ++i) {
    (void)armnn_i_unimport(&context->handles[i], &ignored);
  }
}

/* ---- Layouts ------------------------------------------------------------------------------- */

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

armnn_status_t armnn_i_get_layout(const armnn_i_handle_t* item, uint64_t size, layout_t* out,
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

void armnn_i_copy_rows(const layout_t* layout, unsigned char* mapped, unsigned char* dense,
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

void armnn_i_copy_strided(const armnn_run_memory_t* memory, void* dense, bool to_strided) {
  layout_t layout = {.rank = memory->rank, .row = memory->element};
  uint64_t size = memory->element;
  for (uint32_t i = 0; i < memory->rank; ++i) {
    layout.shape[i] = memory->shape[i];
    layout.strides[i] = memory->memory->byte_strides[i];
    size *= memory->shape[i];
  }
  armnn_i_copy_rows(&layout, (unsigned char*)memory->memory->address, (unsigned char*)dense,
                    to_strided, size);
}

/* ---- Dense memory from and to a handle ------------------------------------------------------ */

armnn_status_t armnn_i_write_handle(armnn_i_handle_t* item, const void* source, uint64_t size,
                                    armnn_error_t* error) {
  if (HAS(item, copy_in_from)) {
    CALL(item, copy_in_from, error, WITH(source, size));
    return ARMNN_STATUS_OK;
  }
  void* memory;
  layout_t layout;
  armnn_status_t status = armnn_i_map(item, ARMNN_MAP_WRITE, &memory, error);
  if (status != ARMNN_STATUS_OK) return status;
  status = armnn_i_get_layout(item, size, &layout, error);
  if (status != ARMNN_STATUS_OK) return status; /* the end of the run closes the handle */
  armnn_i_copy_rows(&layout, (unsigned char*)memory, (unsigned char*)(uintptr_t)source, true, size);
  return armnn_i_unmap(item, error);
}

armnn_status_t armnn_i_read_handle(armnn_i_handle_t* item, void* target, uint64_t size,
                                   armnn_error_t* error) {
  if (HAS(item, copy_out_to)) {
    CALL(item, copy_out_to, error, WITH(target, size));
    return ARMNN_STATUS_OK;
  }
  void* memory;
  layout_t layout;
  armnn_status_t status = armnn_i_map(item, ARMNN_MAP_READ, &memory, error);
  if (status != ARMNN_STATUS_OK) return status;
  status = armnn_i_get_layout(item, size, &layout, error);
  if (status != ARMNN_STATUS_OK) return status;
  armnn_i_copy_rows(&layout, (unsigned char*)memory, (unsigned char*)target, false, size);
  return armnn_i_unmap(item, error);
}
