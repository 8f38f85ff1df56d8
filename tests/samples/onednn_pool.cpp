/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * HostPool of the oneDNN example on hosts that run bodies in odd ways: each task once, nested calls
 * serial, exceptions of tasks with the caller.
 */
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "threads.hpp"

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  ++failures;
}

uint32_t four(void*) noexcept { return 4; }

/* Backwards, in chunks of three, each on a thread of its own. */
armnn_status_t backwards(void*, armnn_range_fn_t body, void* argument, uint64_t count, uint64_t,
                         uint32_t max_threads) noexcept {
  expect(max_threads == 4, "as many threads as the work was cut for");
  for (uint64_t end = count; end > 0;) {
    const uint64_t begin = end > 3 ? end - 3 : 0;
    std::thread([=] { body(argument, begin, end, 0); }).join();
    end = begin;
  }
  return ARMNN_STATUS_OK;
}

armnn_status_t refusing(void*, armnn_range_fn_t, void*, uint64_t, uint64_t, uint32_t) noexcept {
  return ARMNN_STATUS_INVALID_ARGUMENT;
}

armnn_host_t host_with(decltype(armnn_host_t::parallel_for) parallel_for) {
  armnn_host_t host{};
  host.header = {sizeof host, ARMNN_STRUCT_HOST};
  host.concurrency = four;
  host.parallel_for = parallel_for;
  return host;
}

void each_task_once(const armnn_host_t* host, const char* name) {
  onednn::HostPool pool(host, 4);
  std::vector<std::atomic<int>> seen(11);
  bool is_inside = true;
  pool.parallel_for(11, [&](int task, int count) {
    seen[static_cast<size_t>(task)] += count == 11 ? 1 : 100;
    is_inside = is_inside && pool.get_in_parallel();
    std::vector<int> inner;
    pool.parallel_for(3, [&](int i, int) { inner.push_back(i); });
    expect(inner == std::vector<int>({0, 1, 2}), "a nested call is serial");
  });
  expect(std::all_of(seen.begin(), seen.end(), [](const auto& n) { return n == 1; }), name);
  expect(is_inside && !pool.get_in_parallel(), "it knows where it is");
}

}  // namespace

int main() {
  const armnn_host_t odd = host_with(backwards), no = host_with(refusing), none{};
  expect(onednn::host_threads(&odd) == 4, "the host's number of threads");
  expect(onednn::host_threads(&none) == 1 && onednn::host_threads(nullptr) == 1, "no number");
  each_task_once(&odd, "backwards");
  each_task_once(&no, "a host that refuses");
  each_task_once(&none, "a host without a pool");
  each_task_once(nullptr, "no host");
  try {
    onednn::HostPool(&odd, 4).parallel_for(9, [](int task, int) {
      if (task == 5) throw std::runtime_error("five");
    });
    expect(false, "an exception comes back");
  } catch (const std::runtime_error&) {
  }
  return failures;
}
