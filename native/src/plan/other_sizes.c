/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * other_sizes.c - layers that get other sizes, and the questions about them.
 */
#include <string.h>

#include "core.h"

void armnn_core_write_sizes(const armnn_size_place_t* places, uint64_t place_count,
                            armnn_tensor_info_t* const* infos, uint64_t info_count,
                            const int64_t* numbers) {
  for (uint64_t i = 0; i < place_count; ++i) {
    const int64_t number = numbers[places[i].index];
    const int32_t half = (int32_t)number;
    if (places[i].bytes == sizeof number) {
      memcpy(places[i].address, &number, sizeof number);
    } else {
      memcpy(places[i].address, &half, sizeof half);
    }
  }
  for (uint64_t i = 0; i < info_count; ++i) {
    uint64_t count = 1;
    for (uint32_t d = 0; d < infos[i]->rank; ++d) count *= infos[i]->dims[d];
    infos[i]->element_count = count;
  }
}

uint64_t armnn_core_ask_again(armnn_layer_support_t* support,
                              const armnn_layer_query_t* const* queries, uint64_t count,
                              const int32_t* taken) {
  char text[256];
  for (uint64_t i = 0; i < count; ++i) {
    text[0] = '\0';
    armnn_error_t reason = {{sizeof reason, ARMNN_STRUCT_ERROR}, 0, 0, text, sizeof text, 0};
    const armnn_status_t status = support->api->is_layer_supported(support, queries[i], &reason);
    if ((status == ARMNN_STATUS_OK) != (taken[i] != 0)) return i;
  }
  return count;
}
