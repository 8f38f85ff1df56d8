/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse.cpp - which layers of a part become one primitive, and in which order they come.
 *
 * A layer that multiplies swallows what follows it as long as nobody else reads the value between:
 * first an Add of another value of the same shape, then activations. A value times its own Sigmoid
 * is one activation, Swish. What became one primitive comes where the last of its layers was: all
 * that any of them reads is there by then.
 */
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "lower.hpp"
#include "program.hpp"

namespace onednn {
namespace {

class Compiler {
 public:
  explicit Compiler(const armnn_subgraph_t* part)
      : part_(part), builder_(true), values_(armnn_values_of_part(part), std::free) {
    if (values_ == nullptr) throw std::bad_alloc();
  }
  Builder&& build();

 private:
  const armnn_layer_t* layer(uint32_t index) const { return part_->layers[index]; }
  uint32_t value_of(armnn_slot_t slot) const;
  void make_values();
  uint32_t follow(Node& node, uint32_t tail, bool& goes_on);
  bool follow_swish(Node& node, uint32_t value, uint32_t& tail);
  void swallow(Node& node, uint32_t index);
  Node node_of(uint32_t head);

  const armnn_subgraph_t* part_;
  Builder builder_;
  std::unique_ptr<armnn_part_values_t, void (*)(void*)> values_;
  std::vector<bool> swallowed_;
};

/* Inputs of the part come first, then output 0 of each layer. */
uint32_t Compiler::value_of(armnn_slot_t slot) const { return armnn_value_of(values_.get(), slot); }

void Compiler::make_values() {
  for (uint32_t i = 0; i < part_->input_count; ++i) builder_.add_input(part_->input_infos[i], i);
  for (uint32_t l = 0; l < part_->layer_count; ++l) {
    if (layer(l)->type == ARMNN_LAYER_PRE_COMPILED) {
      throw Refusal("a compiled part is not compiled again");
    }
    if (layer(l)->output_count != 1) throw Refusal("a layer that has not one output");
    builder_.add_value(layer(l)->output_infos[0]);
  }
}

bool has_function(const armnn_layer_t* layer, int32_t function) {
  return layer->type == ARMNN_LAYER_ACTIVATION &&
         reinterpret_cast<const armnn_activation_descriptor_t*>(layer->descriptor)->function ==
             function;
}

bool has_operation(const armnn_layer_t* layer, int32_t operation) {
  return layer->type == ARMNN_LAYER_ELEMENTWISE_BINARY &&
         reinterpret_cast<const armnn_elementwise_binary_descriptor_t*>(layer->descriptor)
                 ->operation == operation;
}

void Compiler::swallow(Node& node, uint32_t index) {
  swallowed_[index] = true;
  node.guids.push_back(layer(index)->guid);
}

/* x * sigmoid(x), the two readers of |value|. */
bool Compiler::follow_swish(Node& node, uint32_t value, uint32_t& tail) {
  if (armnn_reader_count(values_.get(), value) != 2) return false;
  const uint32_t* const readers = values_->readers + values_->first[value];
  const uint32_t sigmoid = readers[0], product = readers[1]; /* in the order of layers */
  if (product == ARMNN_NO_LAYER || !has_function(layer(sigmoid), ARMNN_ACTIVATION_SIGMOID) ||
      armnn_only_reader(values_.get(), part_->input_count + sigmoid) != product ||
      !has_operation(layer(product), ARMNN_BINARY_MUL)) {
    return false;
  }
  node.posts.push_back({Alg::eltwise_swish, 1.0f, 0.0f});
  swallow(node, sigmoid);
  swallow(node, product);
  tail = product;
  return true;
}

/* Swallows one more thing behind |tail|; where the node ends now. */
uint32_t Compiler::follow(Node& node, uint32_t tail, bool& goes_on) {
  const uint32_t value = part_->input_count + tail;
  goes_on = follow_swish(node, value, tail);
  if (goes_on) return tail;
  const uint32_t next = armnn_only_reader(values_.get(), value);
  if (next == ARMNN_NO_LAYER || swallowed_[next]) return tail;
  if (layer(next)->type == ARMNN_LAYER_ACTIVATION) {
    const Posts more = posts_of(layer(next));
    node.posts.insert(node.posts.end(), more.begin(), more.end());
    goes_on = true;
  } else if (has_operation(layer(next), ARMNN_BINARY_ADD) && takes_residual(node.layer) &&
             node.residual == kNone && node.posts.empty() &&
             armnn_constant_of(layer(next), 0) == nullptr &&
             armnn_constant_of(layer(next), 1) == nullptr) {
    const uint32_t first = value_of(layer(next)->inputs[0]);
    const uint32_t other = first == value ? value_of(layer(next)->inputs[1]) : first;
    const int residual = static_cast<int>(other);
    if (builder_.dims(residual) == builder_.dims(static_cast<int>(value))) {
      node.residual = residual;
      goes_on = true;
    }
  }
  if (!goes_on) return tail;
  swallow(node, next);
  return next;
}

Node Compiler::node_of(uint32_t head) {
  Node node{layer(head), {}, kNone, kNone, {}, {layer(head)->guid}};
  uint32_t tail = head;
  for (bool goes_on = takes_posts(node.layer); goes_on;) tail = follow(node, tail, goes_on);
  node.output = static_cast<int>(part_->input_count + tail);
  for (uint32_t i = 0; i < node.layer->input_count; ++i) {
    node.inputs.push_back(kNone);
    if (!has_input(node.layer, i) || is_packed(node.layer, i)) continue;
    const armnn_const_tensor_t* constant = armnn_constant_of(node.layer, i);
    node.inputs.back() = constant != nullptr
                             ? builder_.add_constant(node.layer->input_infos[i], constant)
                             : static_cast<int>(value_of(node.layer->inputs[i]));
  }
  return node;
}

Builder&& Compiler::build() {
  make_values();
  swallowed_.assign(part_->layer_count, false);
  std::vector<Node> nodes;
  for (uint32_t l = 0; l < part_->layer_count; ++l) {
    if (!swallowed_[l]) nodes.push_back(node_of(l));
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const Node& a, const Node& b) { return a.output < b.output; });
  const auto each_read = [this](const Node& node, void (Builder::*change)(int)) {
    for (const int input : node.inputs) {
      if (input != kNone) (builder_.*change)(input);
    }
    if (node.residual != kNone) (builder_.*change)(node.residual);
  };
  for (const Node& node : nodes) each_read(node, &Builder::add_reader);
  for (uint32_t k = 0; k < part_->output_count; ++k) {
    builder_.add_reader(static_cast<int>(value_of(part_->outputs[k])));
  }
  for (const Node& node : nodes) {
    lower(builder_, node);
    each_read(node, &Builder::drop_reader);
  }
  for (uint32_t k = 0; k < part_->output_count; ++k) {
    builder_.guids.clear();
    builder_.deliver(static_cast<int>(value_of(part_->outputs[k])), k);
  }
  return std::move(builder_);
}

}  // namespace

std::unique_ptr<Program> compile(const armnn_subgraph_t* part, const armnn_host_t* host,
                                 uint32_t threads) {
  const Team team(threads);
  Compiler compiler(part);
  return std::make_unique<Program>(compiler.build(), host, threads);
}

}  // namespace onednn
