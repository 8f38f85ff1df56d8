/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * float_control.c - reads, sets and restores the floating-point control of the calling thread.
 */
#include <stdio.h>
#include <string.h>

#include "core.h"

void armnn_i_restore_float_control(uint64_t control, const char* words) {
  armnn_i_set_float_control(control);
  static const char component[] = "armnn_py.state";
  char text[1200];
  snprintf(text, sizeof text,
           "%s changed how the thread rounds or treats numbers near 0; that was undone", words);
  armnn_i_log_write(&armnn_i_core.log, ARMNN_LOG_WARNING,
                    (armnn_string_t){component, sizeof component - 1},
                    (armnn_string_t){text, strlen(text)});
}

uint64_t armnn_core_float_control(void) { return armnn_i_float_control(); }

void armnn_core_set_float_control(uint64_t control) {
  armnn_i_empty_x87();
  armnn_i_set_float_control(control);
}
