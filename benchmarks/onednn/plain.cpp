/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * oneDNN without anything around it: one convolution with ReLU, channels last, float32.
 *
 *     plain CHANNELS OUTPUTS SIDE KERNEL STRIDE
 *
 * For each line of its input, a number of executions, it prints the seconds that one of them took.
 * Addresses are set anew for each, as for a caller who has other images each time.
 */
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <unordered_map>
#include <vector>

#include "library.hpp"

/* Of a clock on the wall, or with CPU_TIME in the environment what this process used. */
static double seconds() {
  timespec time{};
  clock_gettime(std::getenv("CPU_TIME") != nullptr ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC,
                &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

int main(int count, char** words) {
  if (count != 6) return 2;
  const int64_t c = std::atoi(words[1]), o = std::atoi(words[2]), side = std::atoi(words[3]);
  const int64_t k = std::atoi(words[4]), stride = std::atoi(words[5]), pad = k / 2;
  const int64_t out = (side + 2 * pad - k) / stride + 1;
  using onednn::Desc;
  using Tag = dnnl::memory::format_tag;
  dnnl::engine& engine = onednn::cpu_engine();
  dnnl::stream stream(engine);
  dnnl::post_ops relu;
  onednn::append_eltwise(relu, dnnl::algorithm::eltwise_relu, 0.0f, 0.0f);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const Desc bias({o}, onednn::kFloat, Tag::a);
  const auto described = onednn::describe<dnnl::convolution_forward>(
      attributes, onednn::kInference, dnnl::algorithm::convolution_direct,
      Desc({1, c, side, side}, onednn::kFloat, Tag::any),
      Desc({o, c, k, k}, onednn::kFloat, Tag::any), bias,
      Desc({1, o, out, out}, onednn::kFloat, Tag::any), dnnl::memory::dims{stride, stride},
      dnnl::memory::dims{0, 0}, dnnl::memory::dims{pad, pad}, dnnl::memory::dims{pad, pad});
  const dnnl::convolution_forward convolution(described);
  std::unordered_map<int, dnnl::memory> arguments{
      {DNNL_ARG_SRC, dnnl::memory(described.src_desc(), engine)},
      {DNNL_ARG_WEIGHTS, dnnl::memory(described.weights_desc(), engine)},
      {DNNL_ARG_BIAS, dnnl::memory(bias, engine)},
      {DNNL_ARG_DST, dnnl::memory(described.dst_desc(), engine)},
      {DNNL_ARG_SCRATCHPAD, dnnl::memory(described.scratchpad_desc(), engine)}};
  for (auto& [name, memory] : arguments) {
    float* const values = static_cast<float*>(memory.get_data_handle());
    for (size_t i = 0; values != nullptr && i < memory.get_desc().get_size() / 4; ++i) {
      values[i] = 0.01f * static_cast<float>(i % 100) - 0.5f;
    }
  }
  dnnl::memory& source = arguments[DNNL_ARG_SRC];
  dnnl::memory& target = arguments[DNNL_ARG_DST];
  void *const from = source.get_data_handle(), *const to = target.get_data_handle();
  for (int times = 0; std::cin >> times;) {
    const double start = seconds();
    for (int i = 0; i < times; ++i) {
      source.set_data_handle(from);
      target.set_data_handle(to);
      convolution.execute(stream, arguments);
      stream.wait();
    }
    std::cout << (seconds() - start) / times << std::endl;
  }
  return 0;
}
