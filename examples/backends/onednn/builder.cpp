/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "builder.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

namespace onednn {

Dims dims_of(const armnn_tensor_info_t* info) {
  Dims dims(info->dims, info->dims + info->rank);
  if (dims.empty()) dims.push_back(1);
  return dims;
}

Desc dense(const Dims& dims) {
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size() - 1; d > 0; --d) strides[d - 1] = strides[d] * dims[d];
  return Desc(dims, kFloat, strides);
}

Desc any_layout(const Dims& dims) { return Desc(dims, kFloat, dnnl::memory::format_tag::any); }

dnnl::primitive_attr attributes(const Posts& posts, bool adds) {
  dnnl::primitive_attr result;
  result.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (adds || !posts.empty()) {
    dnnl::post_ops chain;
    if (adds) chain.append_sum(1.0f);
    for (const Post& post : posts) append_eltwise(chain, post.algorithm, post.alpha, post.beta);
    result.set_post_ops(chain);
  }
  return result;
}

namespace {

std::shared_ptr<void> allocate(size_t size) {
  constexpr size_t kAlignment = 64;
  void* memory = std::aligned_alloc(kAlignment, (size + kAlignment) / kAlignment * kAlignment);
  if (memory == nullptr) throw std::bad_alloc();
  return std::shared_ptr<void>(memory, std::free);
}

}  // namespace

/* ---- Values ---------------------------------------------------------------------------------- */

int Builder::add_value(const armnn_tensor_info_t* info) {
  values_.push_back({dims_of(info), {}, 0});
  return static_cast<int>(values_.size()) - 1;
}

int Builder::add_input(const armnn_tensor_info_t* info, uint32_t index) {
  const int value = add_value(info);
  const Desc layout = dense(dims(value));
  buffers.push_back({Place::INPUT, index, layout.get_size()});
  define(value, layout, static_cast<int>(buffers.size()) - 1);
  return value;
}

int Builder::add_constant(const armnn_tensor_info_t* info, const armnn_const_tensor_t* constant) {
  const int value = add_value(info);
  const Desc layout = dense(dims(value));
  define(value, layout, pack(constant, layout, layout));
  return value;
}

const Desc& Builder::layout(int value) const {
  return values_[static_cast<size_t>(value)].versions.front().layout;
}

void Builder::define(int value, const Desc& layout, int buffer) {
  values_[static_cast<size_t>(value)].versions.push_back({layout, buffer});
}

int Builder::reordered(const Desc& from, int source, const Desc& to) {
  const int target = add_buffer(to.get_size());
  const dnnl::reorder::primitive_desc description(cpu_engine(), from, cpu_engine(), to,
                                                  attributes());
  add_step(description, {{DNNL_ARG_FROM, source, from}, {DNNL_ARG_TO, target, to}});
  return target;
}

int Builder::obtain(int value, const Desc& wanted) {
  Value& self = values_[static_cast<size_t>(value)];
  for (const Version& version : self.versions) {
    if (version.layout == wanted) return version.buffer;
  }
  const Version first = self.versions.front();
  const Buffer& from = buffers[static_cast<size_t>(first.buffer)];
  int buffer = 0;
  if (from.place == Place::FIXED) { /* now, instead of in each run */
    const std::shared_ptr<void> values = from.constant;
    const armnn_const_tensor_t constant{{}, nullptr, values.get(), from.size};
    buffer = pack(values == nullptr ? nullptr : &constant, first.layout, wanted);
  } else {
    buffer = reordered(first.layout, first.buffer, wanted);
  }
  define(value, wanted, buffer);
  return buffer;
}

int Builder::obtain_to_overwrite(int value, const Desc& wanted, const std::vector<Argument>& busy) {
  Value& self = values_[static_cast<size_t>(value)];
  const int buffer = obtain(value, wanted);
  const Buffer& place = buffers[static_cast<size_t>(buffer)];
  bool is_free = self.readers <= 1 && place.place == Place::ARENA && !place.is_shared;
  for (const Argument& argument : busy) is_free = is_free && argument.buffer != buffer;
  return is_free ? buffer : reordered(wanted, buffer, wanted);
}

void Builder::deliver(int value, uint32_t output) {
  const Desc host = dense(dims(value));
  int buffer = obtain(value, host);
  if (buffers[static_cast<size_t>(buffer)].place != Place::ARENA) {
    buffer = reordered(host, buffer, host); /* an input, or an output already: a copy */
  }
  buffers[static_cast<size_t>(buffer)].place = Place::OUTPUT;
  buffers[static_cast<size_t>(buffer)].index = output;
}

/* ---- Steps ----------------------------------------------------------------------------------- */

int Builder::add_buffer(size_t size) {
  buffers.push_back({Place::ARENA, 0, size});
  return static_cast<int>(buffers.size()) - 1;
}

int Builder::pack(const armnn_const_tensor_t* constant, const Desc& view, const Desc& wanted) {
  buffers.push_back({Place::FIXED, 0, wanted.get_size()});
  if (with_data_) {
    if (constant == nullptr || constant->size < view.get_size()) {
      throw Refusal("a constant came without its values");
    }
    const std::shared_ptr<void> packed = allocate(wanted.get_size());
    if (view == wanted) {
      std::memcpy(packed.get(), constant->data, view.get_size());
    } else {
      dnnl::memory source(view, cpu_engine(), const_cast<void*>(constant->data));
      dnnl::memory target(wanted, cpu_engine(), packed.get());
      dnnl::stream stream(cpu_engine());
      dnnl::reorder(source, target).execute(stream, source, target);
      stream.wait();
    }
    buffers.back().constant = packed;
  }
  return static_cast<int>(buffers.size()) - 1;
}

void Builder::add_step(dnnl::primitive_desc_base description, std::vector<Argument> arguments) {
  steps.push_back({std::move(description), std::move(arguments), guids});
}

int Builder::apply(const Post& post, const Desc& desc, int buffer) {
  const auto description =
      describe_eltwise(attributes(), post.algorithm, desc, post.alpha, post.beta);
  const int target = add_buffer(desc.get_size());
  add_step(description, {{DNNL_ARG_SRC, buffer, desc}, {DNNL_ARG_DST, target, desc}});
  return target;
}

}  // namespace onednn
