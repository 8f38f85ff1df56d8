/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * status.c - errors in the caller's buffer.
 */
#include <stdio.h>
#include <string.h>

#include "core.h"

static bool has_text(const armnn_error_t* error) {
  if (error->needed > 1) return true;
  return error->text != NULL && error->capacity > 0 && error->text[0] != '\0';
}

/* Closes a text that may fill the buffer to its end. */
static void end_text(armnn_error_t* error) {
  if (error->text == NULL || error->capacity == 0) return;
  const size_t last = (size_t)error->capacity - 1;
  if (memchr(error->text, '\0', last) == NULL) {
    error->text[armnn_i_whole_characters(error->text, last)] = '\0';
  }
}

static void write_text(armnn_error_t* error, armnn_status_t code, const char* format,
                       va_list arguments) {
  int needed =
      vsnprintf(error->text, error->text != NULL ? (size_t)error->capacity : 0, format, arguments);
  error->needed = needed < 0 ? 0 : (uint64_t)needed + 1;
  if (error->needed > error->capacity) end_text(error);
  error->code = code;
}

armnn_status_t armnn_i_fail(armnn_error_t* error, armnn_status_t code, const char* format, ...) {
  if (error == NULL) return code;
  armnn_i_mend_error(error);
  va_list arguments;
  va_start(arguments, format);
  write_text(error, code, format, arguments);
  va_end(arguments);
  return code;
}

armnn_status_t armnn_i_fail_if_silent(armnn_error_t* error, armnn_status_t code, const char* format,
                                      ...) {
  if (error == NULL) return code;
  armnn_i_mend_error(error);
  if (has_text(error)) {
    error->code = code;
    end_text(error); /* the callee may have cut its text inside a character */
    return code;
  }
  va_list arguments;
  va_start(arguments, format);
  write_text(error, code, format, arguments);
  va_end(arguments);
  return code;
}

void armnn_i_error_clear(armnn_error_t* error) {
  if (error == NULL) return;
  armnn_i_mend_error(error);
  error->code = ARMNN_STATUS_OK;
  error->vendor_code = 0;
  error->needed = 0;
  if (error->text != NULL && error->capacity > 0) error->text[0] = '\0';
}

const char* armnn_i_status_name(armnn_status_t status) {
  switch (status) {
    case ARMNN_STATUS_OK:
      return "OK";
    case ARMNN_STATUS_UNSUPPORTED:
      return "UNSUPPORTED";
    case ARMNN_STATUS_UNAVAILABLE:
      return "UNAVAILABLE";
    case ARMNN_STATUS_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case ARMNN_STATUS_OUT_OF_MEMORY:
      return "OUT_OF_MEMORY";
    case ARMNN_STATUS_CANCELLED:
      return "CANCELLED";
    case ARMNN_STATUS_TIMEOUT:
      return "TIMEOUT";
    case ARMNN_STATUS_INCOMPATIBLE:
      return "INCOMPATIBLE";
    case ARMNN_STATUS_DEVICE_LOST:
      return "DEVICE_LOST";
    case ARMNN_STATUS_UNIMPLEMENTED:
      return "UNIMPLEMENTED";
    case ARMNN_STATUS_INTERNAL:
      return "INTERNAL";
    default:
      return "of an unknown kind";
  }
}
