/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * program.hpp - a compiled part of a network: primitives in order, packed weights, a plan of the
 * memory between them.
 */
#ifndef ONEDNN_PROGRAM_HPP_
#define ONEDNN_PROGRAM_HPP_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "builder.hpp"
#include "threads.hpp"

namespace onednn {

/* Objects of the library that stand for the addresses of one execution: made at the first run of
 * an execution context and kept, because making them allocates. */
struct Binding;

class Program {
 public:
  Program(Builder&& builder, const armnn_host_t* host, uint32_t threads);
  ~Program();
  uint64_t scratch_size() const { return scratch_size_; }
  uint64_t packed_size() const; /* bytes of weights and other constants */
  uint64_t step_count() const { return works_.size(); }
  /* Input i is from now on the caller's |places|[i]. */
  void move_inputs(const uint32_t* places);
  /* Any number of calls at a time, each with scratch memory of its own. */
  armnn_status_t run(const armnn_execute_args_t* args, armnn_error_t* error);

 private:
  struct Argument {
    int name;
    int memory; /* in memories_, or kScratchpad */
  };
  struct Memory {
    int buffer;
    Desc desc;
  };
  struct Work {
    dnnl::primitive primitive;
    Desc scratchpad;
    std::string kernel;
    std::vector<uint64_t> guids;
    std::vector<Argument> arguments;
  };
  friend struct Binding;

  void plan(Builder& builder);
  int memory_of(int buffer, const Desc& desc);
  void trace(const Work& work, int32_t phase) const;
  std::unique_ptr<Binding> take(void* scratch);
  void put_back(std::unique_ptr<Binding> binding);
  void bind(Binding& binding, void* scratch);

  std::deque<Buffer> buffers_;
  std::vector<Memory> memories_;
  std::vector<Work> works_;
  uint64_t arena_size_ = 0, scratch_size_ = 0;
  const armnn_host_t* host_;
  uint32_t threads_;
  HostPool pool_;
  std::mutex lock_; /* of idle_ */
  std::vector<std::unique_ptr<Binding>> idle_;
};

/* All layers of |part| as a program; throws Refusal, dnnl::error or std::bad_alloc. */
std::unique_ptr<Program> compile(const armnn_subgraph_t* part, const armnn_host_t* host,
                                 uint32_t threads);

}  // namespace onednn

#endif  // ONEDNN_PROGRAM_HPP_
