/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "program.hpp"

#include <algorithm>

#include "armnn/backend_kit.h"

namespace onednn {
namespace {

constexpr uint64_t kAlignment = 64;
constexpr int kScratchpad = -1;

uint64_t rounded(uint64_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

void check(dnnl_status_t status, const char* what) {
  if (status != dnnl_success) throw dnnl::error(status, what);
}

/* What profiles print. oneDNN gives reorders the names of other primitives, "jit:uni" say. */
std::string name_of(const dnnl::primitive& primitive, const char* implementation) {
  const bool moves = primitive.get_kind() == dnnl::primitive::kind::reorder;
  return std::string(moves ? "reorder " : "") + implementation;
}

}  // namespace

struct Binding {
  char* scratch = nullptr;
  std::vector<dnnl::memory> memories;    /* as Program::memories_ */
  std::vector<dnnl::memory> scratchpads; /* one for each primitive */
  std::vector<std::vector<dnnl_exec_arg_t>> arguments;
  dnnl::stream stream;
};

Program::Program(Builder&& builder, const armnn_host_t* host, uint32_t threads)
    : host_(host), threads_(threads), pool_(host, threads) {
  plan(builder);
  buffers_ = std::move(builder.buffers);
  uint64_t scratchpad = 0;
  for (const Step& step : builder.steps) {
    dnnl::primitive primitive(step.description.get());
    const std::string name = name_of(primitive, step.description.impl_info_str());
    Work work{std::move(primitive), step.description.scratchpad_desc(), name, step.guids, {}};
    for (const onednn::Argument& argument : step.arguments) {
      work.arguments.push_back({argument.name, memory_of(argument.buffer, argument.desc)});
    }
    work.arguments.push_back({DNNL_ARG_SCRATCHPAD, kScratchpad});
    scratchpad = std::max<uint64_t>(scratchpad, work.scratchpad.get_size());
    works_.push_back(std::move(work));
  }
  scratch_size_ = arena_size_ + rounded(scratchpad);
}

Program::~Program() = default;

uint64_t Program::packed_size() const {
  uint64_t size = 0;
  for (const Buffer& buffer : buffers_) {
    if (buffer.constant != nullptr) size += buffer.size;
  }
  return size;
}

void Program::move_inputs(const uint32_t* places) {
  for (Buffer& buffer : buffers_) {
    if (buffer.place == Place::INPUT) buffer.index = places[buffer.index];
  }
}

int Program::memory_of(int buffer, const Desc& desc) {
  for (size_t i = 0; i < memories_.size(); ++i) {
    if (memories_[i].buffer == buffer && memories_[i].desc == desc) return static_cast<int>(i);
  }
  memories_.push_back({buffer, desc});
  return static_cast<int>(memories_.size()) - 1;
}

/* Gives buffers of the arena their offsets: the lowest that meets no other that lives with it. */
void Program::plan(Builder& builder) {
  struct Life {
    size_t first = SIZE_MAX, last = 0;
  };
  std::vector<Life> lives(builder.buffers.size());
  for (size_t s = 0; s < builder.steps.size(); ++s) {
    for (const onednn::Argument& argument : builder.steps[s].arguments) {
      Life& life = lives[static_cast<size_t>(argument.buffer)];
      life.first = std::min(life.first, s);
      life.last = std::max(life.last, s);
    }
  }
  std::vector<size_t> placed; /* by offset */
  for (size_t b = 0; b < builder.buffers.size(); ++b) {
    Buffer& buffer = builder.buffers[b];
    if (buffer.place != Place::ARENA || lives[b].first == SIZE_MAX) continue;
    uint64_t offset = 0;
    for (const size_t other : placed) {
      const Buffer& taken = builder.buffers[other];
      const bool meets = lives[other].first <= lives[b].last && lives[b].first <= lives[other].last;
      if (!meets) continue;
      if (offset + rounded(buffer.size) <= taken.offset) break;
      offset = std::max(offset, taken.offset + rounded(taken.size));
    }
    buffer.offset = offset;
    arena_size_ = std::max(arena_size_, offset + rounded(buffer.size));
    const auto place = std::upper_bound(
        placed.begin(), placed.end(), offset,
        [&](uint64_t wanted, size_t other) { return wanted < builder.buffers[other].offset; });
    placed.insert(place, b);
  }
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Makes the objects, or leads them to other scratch memory. Addresses of inputs and outputs come
 * with each run. */
void Program::bind(Binding& binding, void* scratch) {
  const bool is_new = binding.memories.empty() && binding.scratchpads.empty();
  char* const base = static_cast<char*>(scratch);
  for (size_t i = 0; i < memories_.size(); ++i) {
    const Buffer& buffer = buffers_[static_cast<size_t>(memories_[i].buffer)];
    void* address = buffer.place == Place::FIXED   ? buffer.constant.get()
                    : buffer.place == Place::ARENA ? base + buffer.offset
                                                   : DNNL_MEMORY_NONE;
    if (is_new) {
      binding.memories.emplace_back(memories_[i].desc, cpu_engine(), address);
    } else if (buffer.place == Place::ARENA) {
      binding.memories[i].set_data_handle(address);
    }
  }
  if (is_new) {
    for (const Work& work : works_) {
      binding.scratchpads.emplace_back(work.scratchpad, cpu_engine(), base + arena_size_);
      std::vector<dnnl_exec_arg_t> arguments;
      for (const Argument& argument : work.arguments) {
        const dnnl::memory& memory = argument.memory == kScratchpad
                                         ? binding.scratchpads.back()
                                         : binding.memories[static_cast<size_t>(argument.memory)];
        arguments.push_back({argument.name, memory.get()});
      }
      binding.arguments.push_back(std::move(arguments));
    }
    binding.stream = make_stream(&pool_);
  } else {
    for (dnnl::memory& scratchpad : binding.scratchpads) {
      scratchpad.set_data_handle(base + arena_size_);
    }
  }
  binding.scratch = base;
}

std::unique_ptr<Binding> Program::take(void* scratch) {
  std::unique_ptr<Binding> binding;
  {
    const std::lock_guard<std::mutex> hold(lock_);
    for (auto& idle : idle_) {
      if (idle->scratch == scratch) std::swap(idle, idle_.back());
    }
    if (!idle_.empty()) {
      binding = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (binding == nullptr) {
    binding = std::make_unique<Binding>();
    bind(*binding, scratch);
  } else if (binding->scratch != scratch) {
    bind(*binding, scratch);
  }
  return binding;
}

void Program::put_back(std::unique_ptr<Binding> binding) {
  const std::lock_guard<std::mutex> hold(lock_);
  idle_.push_back(std::move(binding));
}

/* The first guid says where the time went, the others what is in it; see the host's profile. */
void Program::trace(const Work& work, int32_t phase) const {
  if (work.guids.empty()) return;
  const armnn_string_t name{work.kernel.data(), work.kernel.size()};
  host_->trace(host_->context, phase, name, work.guids.front());
  if (phase != ARMNN_TRACE_BEGIN) return;
  for (size_t i = 1; i < work.guids.size(); ++i) {
    host_->trace(host_->context, ARMNN_TRACE_INSTANT, {"fused", 5}, work.guids[i]);
  }
}

armnn_status_t Program::run(const armnn_execute_args_t* args, armnn_error_t* error) {
  const bool traces = host_ != nullptr && ARMNN_HAS_FN(host_, armnn_host_t, trace);
  const bool asks = host_ != nullptr && ARMNN_HAS_FN(host_, armnn_host_t, cancelled);
  const Team team(threads_);
  std::unique_ptr<Binding> binding = take(args->scratch);
  for (size_t i = 0; i < memories_.size(); ++i) {
    const Buffer& buffer = buffers_[static_cast<size_t>(memories_[i].buffer)];
    if (buffer.place == Place::INPUT) {
      binding->memories[i].set_data_handle(const_cast<void*>(args->inputs[buffer.index]));
    } else if (buffer.place == Place::OUTPUT) {
      binding->memories[i].set_data_handle(args->outputs[buffer.index]);
    }
  }
  armnn_status_t status = ARMNN_STATUS_OK;
  for (size_t s = 0; s < works_.size() && status == ARMNN_STATUS_OK; ++s) {
    const Work& work = works_[s];
    const auto& arguments = binding->arguments[s];
    if (traces) trace(work, ARMNN_TRACE_BEGIN);
    check(dnnl_primitive_execute(work.primitive.get(), binding->stream.get(),
                                 static_cast<int>(arguments.size()), arguments.data()),
          "could not execute a primitive");
    if (traces) trace(work, ARMNN_TRACE_END);
    if (asks && host_->cancelled(host_->context, args->run_id) != 0) {
      status = armnn_fail(error, ARMNN_STATUS_CANCELLED, "cancelled behind primitive %zu of %zu",
                          s + 1, works_.size());
    }
  }
  binding->stream.wait();
  put_back(std::move(binding));
  return status;
}

}  // namespace onednn
