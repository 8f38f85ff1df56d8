/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * workload.hpp - between backend.cpp (the table) and workload.cpp (compiled parts).
 */
#ifndef ONEDNN_WORKLOAD_HPP_
#define ONEDNN_WORKLOAD_HPP_

#include "armnn/guard.hpp"
#include "program.hpp"

namespace onednn {

struct Backend {
  armnn_backend_t base; /* first: the host has a pointer to it */
  const armnn_host_t* host;
  uint32_t threads; /* the option; 0: as many as the host's pool */
  bool is_careful;  /* but one, because more would spin */
};

inline uint32_t threads_of(const Backend* backend) {
  if (backend->is_careful) return 1;
  return backend->threads != 0 ? backend->threads : host_threads(backend->host);
}

/* armnn::guard, with the exceptions of this backend and of the library as well. */
template <typename Function>
armnn_status_t guarded(armnn_error_t* error, const Function& function) noexcept {
  return armnn::guard(error, [&]() -> armnn_status_t {
    try {
      return function();
    } catch (const Refusal& refusal) {
      return armnn_fail(error, ARMNN_STATUS_UNSUPPORTED, "%s", refusal.what());
    } catch (const dnnl::error& failure) {
      const bool is_memory = failure.status == dnnl_out_of_memory;
      return armnn_fail(error, is_memory ? ARMNN_STATUS_OUT_OF_MEMORY : ARMNN_STATUS_INTERNAL,
                        "oneDNN: %s (status %d)", failure.what(), static_cast<int>(failure.status));
    }
  });
}

armnn_status_t optimize_part(armnn_backend_t* backend, const armnn_subgraph_t* part,
                             const armnn_options_t* options, const armnn_optimization_sink_t* sink,
                             armnn_error_t* error) noexcept;
armnn_status_t check_blob(armnn_backend_t* backend, armnn_string_t compatibility,
                          armnn_error_t* why_not) noexcept;
armnn_status_t create_factory(armnn_backend_t* backend, const armnn_factory_args_t* args,
                              armnn_workload_factory_t** out_factory,
                              armnn_error_t* error) noexcept;

}  // namespace onednn

#endif  // ONEDNN_WORKLOAD_HPP_
