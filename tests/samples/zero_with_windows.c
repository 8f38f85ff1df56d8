/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Sample_Zero as a device with one window for each tensor: map makes a copy, whose rows lie PAD
 * bytes apart, and unmap takes it away. With NO_COPIES there is no other way to a tensor.
 */
#define zero_handle_create make_plain_handle
#include "handles.c"
#undef zero_handle_create

enum { MAX_WINDOWS = 64 };

typedef struct window_t {
  const zero_handle_t* handle;
  char* memory;
  uint32_t access;
} window_t;

static window_t windows[MAX_WINDOWS];
static armnn_tensor_handle_api_t window_api;

static window_t* find_window(const zero_handle_t* handle) {
  for (int i = 0; i < MAX_WINDOWS; ++i) {
    if (windows[i].handle == handle) return &windows[i];
  }
  return NULL;
}

static uint64_t row_of(const zero_handle_t* self) {
  const uint64_t element = armnn_data_type_size(self->data_type);
  return self->rank == 0 ? element : element * self->dims[self->rank - 1];
}

static void copy_window(const zero_handle_t* self, const window_t* window, int out) {
  const uint64_t row = row_of(self);
  for (uint64_t at = 0, i = 0; at < self->size; at += row, ++i) {
    char* there = window->memory + i * (row + PAD);
    char* here = zero_address(self) + at;
    memcpy(out ? there : here, out ? here : there, (size_t)row);
  }
}

static armnn_status_t open_window(armnn_tensor_handle_t* handle, uint32_t access, void** out_memory,
                                  armnn_error_t* error) {
  const zero_handle_t* self = (const zero_handle_t*)handle;
  ARMNN_RETURN_IF_ERROR(map(handle, access, out_memory, error)); /* refuses a second one */
  window_t* window = find_window(NULL);
  if (window == NULL) return armnn_fail(error, ARMNN_STATUS_INTERNAL, "too many windows");
  window->handle = self;
  window->access = access;
  window->memory = (char*)calloc(self->size / row_of(self) + 1, row_of(self) + PAD);
  if ((access & ARMNN_MAP_READ) != 0) copy_window(self, window, 1);
  *out_memory = window->memory;
  return ARMNN_STATUS_OK;
}

static armnn_status_t close_window(armnn_tensor_handle_t* handle, armnn_error_t* error) {
  const zero_handle_t* self = (const zero_handle_t*)handle;
  ARMNN_RETURN_IF_ERROR(unmap(handle, error));
  window_t* window = find_window(self);
  if ((window->access & ARMNN_MAP_WRITE) != 0) copy_window(self, window, 0);
  memset(window->memory, 0xff, (size_t)self->size); /* who still reads here sees that */
  free(window->memory);
  *window = (window_t){NULL, NULL, 0};
  return ARMNN_STATUS_OK;
}

static armnn_status_t window_layout(armnn_tensor_handle_t* handle, uint64_t* out_shape,
                                    uint64_t* out_byte_strides, uint32_t* out_rank) {
  const zero_handle_t* self = (const zero_handle_t*)handle;
  uint64_t stride = armnn_data_type_size(self->data_type);
  for (uint32_t d = self->rank; d-- > 0;) {
    out_shape[d] = self->dims[d];
    out_byte_strides[d] = stride;
    stride = stride * self->dims[d] + (d + 1 == self->rank ? PAD : 0);
  }
  *out_rank = self->rank;
  return ARMNN_STATUS_OK;
}

static armnn_status_t decorate_window(armnn_tensor_handle_t* handle,
                                      const armnn_tensor_info_t* info,
                                      armnn_tensor_handle_t** out_handle, armnn_error_t* error) {
  ARMNN_RETURN_IF_ERROR(decorate(handle, info, out_handle, error));
  (*out_handle)->api = &window_api;
  return ARMNN_STATUS_OK;
}

zero_handle_t* zero_handle_create(zero_backend_t* backend, const armnn_tensor_info_t* info) {
  zero_handle_t* handle = make_plain_handle(backend, info);
  if (handle == NULL) return NULL;
  window_api = handle_api;
  window_api.map = open_window;
  window_api.unmap = close_window;
  window_api.get_layout = window_layout;
  window_api.decorate = decorate_window;
#ifdef NO_COPIES
  window_api.copy_in_from = NULL;
  window_api.copy_out_to = NULL;
#endif
  handle->base.api = &window_api;
  return handle;
}
