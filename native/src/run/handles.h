/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * handles.h - calls of tensor handles, for the files that move tensors.
 */
#ifndef ARMNN_HANDLES_H_
#define ARMNN_HANDLES_H_

#include <string.h>

#include "core.h"

typedef unsigned long long ull;

/* Buffer for the message of a handle's function, so that the function's name can go before it. */
typedef struct words_t {
  armnn_error_t error;
  char text[512];
} words_t;

static inline armnn_error_t* listen(words_t* words) {
  memset(&words->error, 0, sizeof words->error);
  words->error.header.struct_size = sizeof words->error;
  words->error.header.struct_type = ARMNN_STRUCT_ERROR;
  words->error.text = words->text;
  words->error.capacity = sizeof words->text;
  words->text[0] = '\0';
  return &words->error;
}

static inline armnn_status_t blame(armnn_error_t* error, const char* function,
                                   armnn_status_t status, words_t* words) {
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

/* Mapped memory: |rank| dimensions with strides, of which the last ones may be one dense row. */
typedef struct layout_t {
  uint64_t shape[ARMNN_MAX_DIMS];
  uint64_t strides[ARMNN_MAX_DIMS];
  uint32_t rank; /* without the dimensions of the row */
  uint64_t row;  /* bytes that lie together */
} layout_t;

/* handles.c. A second map gives the same memory: only the first map and the last unmap reach the
 * backend. The check of the plan made sure that nothing writes to memory that is mapped for
 * reading.
 */
armnn_status_t armnn_i_map(armnn_i_handle_t* item, uint32_t access, void** out_memory,
                           armnn_error_t* error);
armnn_status_t armnn_i_unmap(armnn_i_handle_t* item, armnn_error_t* error);
armnn_status_t armnn_i_unimport(armnn_i_handle_t* item, armnn_error_t* error);
/* Unimports memory of |term| from all handles; only memory of |lender|, if that is not null. Goes
 * on after a failure and answers the first one, of handle |out_item|. */
armnn_status_t armnn_i_unimport_term(armnn_context_t* context, int32_t term,
                                     const armnn_i_handle_t* lender, armnn_i_handle_t** out_item,
                                     armnn_error_t* error);
/* The layout of a mapped handle of |size| dense bytes; nonsense is refused. */
armnn_status_t armnn_i_get_layout(const armnn_i_handle_t* item, uint64_t size, layout_t* out,
                                  armnn_error_t* error);
/* Copies between |mapped|, which has |layout|, and |dense|. */
void armnn_i_copy_rows(const layout_t* layout, unsigned char* mapped, unsigned char* dense,
                       bool to_mapped, uint64_t size);

#endif /* ARMNN_HANDLES_H_ */
