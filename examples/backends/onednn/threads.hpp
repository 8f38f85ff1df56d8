/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * threads.hpp - on whose threads oneDNN computes; the README says why it matters.
 *
 * A oneDNN library is built for one runtime. THREADPOOL borrows the host's threads through
 * |HostPool|. OMP has threads of its own, of which |Team| bounds the number for the length of a
 * call. In both cases primitives are made for a number of threads and must be executed with that
 * number: their scratch memory has a part for each thread.
 */
#ifndef ONEDNN_THREADS_HPP_
#define ONEDNN_THREADS_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_threadpool_iface.hpp>

#include "armnn/backend_api.h"

namespace onednn {

/* How many threads primitives that are made now are for; at least 1. */
uint32_t host_threads(const armnn_host_t* host);

/* The library's runtime in words: "threadpool", "OpenMP", "TBB", "sequential" or "SYCL". */
const char* runtime_name();
/* Would threads of the library, when they wait, keep processors from others? OpenMP's do unless
 * somebody has said how they shall wait. */
bool runtime_spins();
/* For the user of such a runtime. */
extern const char kSpinAdvice[];

/* oneDNN's view of the host's pool. Tasks are independent of each other, so that the host may run
 * them on fewer threads than |threads|, which is only what the work is cut for. */
class HostPool final : public dnnl::threadpool_interop::threadpool_iface {
 public:
  HostPool(const armnn_host_t* host, uint32_t threads) : host_(host), threads_(threads) {}
  int get_num_threads() const override { return static_cast<int>(threads_); }
  bool get_in_parallel() const override;
  void parallel_for(int count, const std::function<void(int, int)>& body) override;
  uint64_t get_flags() const override { return 0; } /* parallel_for returns when all is done */
#if DNNL_VERSION_MAJOR > 3 || (DNNL_VERSION_MAJOR == 3 && DNNL_VERSION_MINOR >= 10)
  void wait() override {}
#endif

 private:
  const armnn_host_t* host_;
  uint32_t threads_;
};

/* While it lives, primitives that this thread makes or executes are for |threads| threads. The
 * setting of the thread is put back: a process may use OpenMP beside us. */
class Team {
 public:
  explicit Team(uint32_t threads);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

 private:
  int before_;
};

/* A stream of the engine, on |pool| if the runtime takes one. */
dnnl::stream make_stream(HostPool* pool);

}  // namespace onednn

#endif  // ONEDNN_THREADS_HPP_
