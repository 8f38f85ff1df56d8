/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * builder.hpp - a part of a network while it becomes a list of oneDNN's primitives.
 *
 * Values keep the order of dimensions that the host gives them; how they lie in memory is what the
 * primitive that makes them likes best. A value may exist in several versions, one for each layout
 * that somebody wanted; a reorder makes each once. At the borders of the part it is the host's
 * dense layout.
 */
#ifndef ONEDNN_BUILDER_HPP_
#define ONEDNN_BUILDER_HPP_

#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "armnn/backend_api.h"
#include "library.hpp"

namespace onednn {

/* Why a layer is not taken; becomes UNSUPPORTED with these words. */
class Refusal : public std::exception {
 public:
  explicit Refusal(std::string why) : why_(std::move(why)) {}
  const char* what() const noexcept override { return why_.c_str(); }

 private:
  std::string why_;
};

/* Memory that is written in the run (ARENA), or that is the caller's (INPUT, OUTPUT), or constant
 * and of the program (FIXED). */
enum class Place { INPUT, OUTPUT, ARENA, FIXED };

struct Buffer {
  Place place;
  uint32_t index; /* of the part's input or output */
  size_t size;
  bool is_shared = false; /* several values lie in it: it is not overwritten */
  size_t offset = 0;      /* in the arena */
  std::shared_ptr<void> constant = nullptr;
};

struct Argument {
  int name; /* DNNL_ARG_... */
  int buffer;
  Desc desc;
};

struct Step {
  dnnl::primitive_desc_base description;
  std::vector<Argument> arguments;
  std::vector<uint64_t> guids; /* of the layers that it computes; none: it only moves a tensor */
};

/* What follows the sum of a primitive and its residual, element by element. */
struct Post {
  Alg algorithm;
  float alpha;
  float beta;
};
using Posts = std::vector<Post>;

class Builder {
 public:
  /* |with_data|: constants have values. Without, the builder only finds out what can be made. */
  explicit Builder(bool with_data) : with_data_(with_data) {}

  /* ---- Values ---- */
  int add_input(const armnn_tensor_info_t* info, uint32_t index);
  int add_constant(const armnn_tensor_info_t* info, const armnn_const_tensor_t* constant);
  int add_value(const armnn_tensor_info_t* info);
  const Dims& dims(int value) const { return values_[static_cast<size_t>(value)].dims; }
  /* The layout in which it was made. */
  const Desc& layout(int value) const;
  /* The buffer that holds |value| in |wanted|; reorders it if need be. */
  int obtain(int value, const Desc& wanted);
  void define(int value, const Desc& layout, int buffer);
  void add_reader(int value) { values_[static_cast<size_t>(value)].readers += 1; }
  void drop_reader(int value) { values_[static_cast<size_t>(value)].readers -= 1; }
  /* Like obtain, for a primitive that adds to what lies there and whose other operands are
   * |busy|: nobody reads the buffer afterwards. */
  int obtain_to_overwrite(int value, const Desc& wanted, const std::vector<Argument>& busy);
  void deliver(int value, uint32_t output);

  /* ---- Steps ---- */
  int add_buffer(size_t size);
  /* The constant, read as |view|, in the layout |wanted|: packed once, here. */
  int pack(const armnn_const_tensor_t* constant, const Desc& view, const Desc& wanted);
  void add_step(dnnl::primitive_desc_base description, std::vector<Argument> arguments);
  /* A new buffer with what |source| holds, laid out as |to|. */
  int reordered(const Desc& from, int source, const Desc& to);
  /* Another value lies in the same memory. */
  void share(int buffer) { buffers[static_cast<size_t>(buffer)].is_shared = true; }
  /* Element by element, into a new buffer. */
  int apply(const Post& post, const Desc& desc, int buffer);

  /* The layers that the next steps compute. */
  std::vector<uint64_t> guids;

  /* What the program takes over. */
  std::deque<Buffer> buffers;
  std::vector<Step> steps;

 private:
  struct Version {
    Desc layout;
    int buffer;
  };
  struct Value {
    Dims dims;
    std::vector<Version> versions;
    int readers = 0;
  };

  std::deque<Value> values_;
  bool with_data_;
};

Dims dims_of(const armnn_tensor_info_t* info); /* of a scalar: {1} */
Desc dense(const Dims& dims);                  /* the host's layout */
Desc any_layout(const Dims& dims);
/* Attributes of every primitive: scratch memory is ours to give; then a sum, then |posts|. */
dnnl::primitive_attr attributes(const Posts& posts = {}, bool adds = false);

}  // namespace onednn

#endif  // ONEDNN_BUILDER_HPP_
