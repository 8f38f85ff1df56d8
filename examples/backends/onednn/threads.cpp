/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <mutex>

#include "library.hpp"

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL
#if DNNL_VERSION_MAJOR < 3
#error "take oneDNN 3.x for the thread-pool runtime: 2.x is not told for how many threads it makes"
#endif
#include <oneapi/dnnl/dnnl_threadpool.hpp>
#endif

/* Of the OpenMP runtime that the library was linked with, whichever it is; null in other builds. */
extern "C" {
void omp_set_num_threads(int threads) __attribute__((weak));
int omp_get_max_threads(void) __attribute__((weak));
}

namespace onednn {
namespace {

thread_local bool in_body = false;

struct Work {
  const std::function<void(int, int)>* body;
  int count;
  std::mutex lock;
  std::exception_ptr failure; /* a body of the host's must not throw: the caller throws it again */
};

armnn_status_t run_range(void* argument, uint64_t begin, uint64_t end, uint32_t thread) noexcept {
  (void)thread;
  Work* const work = static_cast<Work*>(argument);
  const bool before = in_body;
  in_body = true;
  try {
    for (uint64_t i = begin; i < end; ++i) (*work->body)(static_cast<int>(i), work->count);
  } catch (...) {
    const std::lock_guard<std::mutex> hold(work->lock);
    work->failure = std::current_exception();
  }
  in_body = before;
  return ARMNN_STATUS_OK;
}

}  // namespace

uint32_t host_threads(const armnn_host_t* host) {
  if (host == nullptr || !ARMNN_HAS_FN(host, armnn_host_t, concurrency)) return 1;
  return std::max(UINT32_C(1), host->concurrency(host->context));
}

const char* runtime_name() {
  switch (dnnl_version()->cpu_runtime) {
    case DNNL_RUNTIME_SEQ:
      return "sequential";
    case DNNL_RUNTIME_OMP:
      return "OpenMP";
    case DNNL_RUNTIME_TBB:
      return "TBB";
    case DNNL_RUNTIME_THREADPOOL:
      return "threadpool";
    default:
      return "SYCL";
  }
}

bool runtime_spins() {
  if (dnnl_version()->cpu_runtime != DNNL_RUNTIME_OMP) return false;
  for (const char* name : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}) {
    if (std::getenv(name) != nullptr) return false;
  }
  return true;
}

const char kSpinAdvice[] =
    "computes with one thread: this oneDNN has threads of its own (OpenMP), which wait by "
    "spinning; "
    "start the process with OMP_WAIT_POLICY=passive to use them all, or set the option 'threads'";

bool HostPool::get_in_parallel() const { return in_body; }

void HostPool::parallel_for(int count, const std::function<void(int, int)>& body) {
  if (count <= 0) return;
  Work work{&body, count, {}, nullptr};
  const uint64_t tasks = static_cast<uint64_t>(count);
  const bool has_pool = host_ != nullptr && ARMNN_HAS_FN(host_, armnn_host_t, parallel_for);
  if (in_body || count == 1 || !has_pool ||
      host_->parallel_for(host_->context, run_range, &work, tasks, 1, threads_) !=
          ARMNN_STATUS_OK) {
    run_range(&work, 0, tasks, 0); /* an error of the host means that no body ran */
  }
  if (work.failure != nullptr) std::rethrow_exception(work.failure);
}

#if DNNL_CPU_THREADING_RUNTIME == DNNL_RUNTIME_THREADPOOL

Team::Team(uint32_t threads) : before_(0) {
  dnnl_threadpool_interop_get_max_concurrency(&before_);
  dnnl_threadpool_interop_set_max_concurrency(static_cast<int>(threads));
}
Team::~Team() { dnnl_threadpool_interop_set_max_concurrency(before_); }

dnnl::stream make_stream(HostPool* pool) {
  return dnnl::threadpool_interop::make_stream(cpu_engine(), pool);
}

#else

Team::Team(uint32_t threads) : before_(0) {
  if (omp_set_num_threads == nullptr || omp_get_max_threads == nullptr) return;
  before_ = omp_get_max_threads();
  if (before_ != static_cast<int>(threads)) omp_set_num_threads(static_cast<int>(threads));
}
Team::~Team() {
  if (before_ > 0 && before_ != omp_get_max_threads()) omp_set_num_threads(before_);
}

dnnl::stream make_stream(HostPool* pool) {
  (void)pool;
  return dnnl::stream(cpu_engine());
}

#endif

}  // namespace onednn
