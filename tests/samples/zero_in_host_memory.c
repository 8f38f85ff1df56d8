/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Sample_Zero without tensors of its own: the same layers on addresses of the host.
 */
#define BackendFactory zero_factory
#include "backend.c"
#undef BackendFactory

__attribute__((visibility("default"))) void* BackendFactory(void) {
  static armnn_backend_api_t plain;
  plain = api;
  plain.register_tensor_handle_factories = NULL;
  plain.get_handle_factory_preferences = NULL;
  return &plain;
}
