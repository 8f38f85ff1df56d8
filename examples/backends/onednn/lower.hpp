/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower.hpp - a layer, with what was fused into it, becomes primitives. lower.cpp chooses by the
 * type; lower_windows.cpp, lower_matrices.cpp and lower_elements.cpp have the families.
 */
#ifndef ONEDNN_LOWER_HPP_
#define ONEDNN_LOWER_HPP_

#include <vector>

#include "armnn/compile_kit.h"
#include "builder.hpp"

namespace onednn {

/* What one primitive computes: posts(layer(inputs) + residual). */
struct Node {
  const armnn_layer_t* layer;
  std::vector<int> inputs; /* values; kNone: absent, or a constant that is packed */
  int output;              /* value */
  int residual;            /* value or kNone */
  Posts posts;
  std::vector<uint64_t> guids; /* of the layers that are in it */
};
constexpr int kNone = -1;

/* Is operand |index| one that the primitive wants packed, and therefore constant? */
bool is_packed(const armnn_layer_t* layer, uint32_t index);
bool takes_posts(const armnn_layer_t* layer);
bool takes_residual(const armnn_layer_t* layer);
/* An activation or unary layer as functions of oneDNN; throws Refusal. */
Posts posts_of(const armnn_layer_t* layer);

/* Adds the steps of |node|, whose inputs are there. Throws Refusal, or dnnl::error where the
 * library has no primitive. */
void lower(Builder& builder, const Node& node);

/* OK, or Refusal: asks the library itself, by making everything but memory and code. */
void check_layer(const armnn_layer_query_t* query);

/* ---- Between the families -------------------------------------------------------------------- */

template <typename T>
const T& descriptor_of(const Node& node) {
  return *reinterpret_cast<const T*>(node.layer->descriptor);
}

inline bool has_input(const armnn_layer_t* layer, uint32_t index) {
  return index < layer->input_count && layer->input_infos[index] != nullptr;
}

template <typename Description>
struct Made {
  Description description;
  bool is_fused; /* the residual and the posts are in it */
};

/* make(attributes) with all that was fused, or without it if the library has no such primitive. */
template <typename Make>
auto make_fused(const Node& node, const Make& make)
    -> Made<decltype(make(dnnl::primitive_attr()))> {
  const bool adds = node.residual != kNone;
  if (adds || !node.posts.empty()) {
    try {
      return {make(attributes(node.posts, adds)), true};
    } catch (const dnnl::error&) {
      return {make(attributes()), false};
    }
  }
  return {make(attributes()), true};
}

/* The buffer for the output of a primitive in |layout|, which with a residual holds that. */
int output_buffer(Builder& builder, const Node& node, bool is_fused, const Desc& layout,
                  const std::vector<Argument>& arguments);
/* The node's output is in |buffer|, but for what was not fused. */
void complete(Builder& builder, const Node& node, bool is_fused, const Desc& layout, int buffer);

void lower_convolution(Builder& builder, const Node& node);
void lower_depthwise(Builder& builder, const Node& node);
void lower_transpose_convolution(Builder& builder, const Node& node);
/* A transposed convolution whose windows do not overlap. */
void lower_upscale(Builder& builder, const Node& node, bool is_nhwc);
void lower_pooling(Builder& builder, const Node& node);
void lower_resize(Builder& builder, const Node& node);
void lower_fully_connected(Builder& builder, const Node& node);
void lower_batch_mat_mul(Builder& builder, const Node& node);
void lower_softmax(Builder& builder, const Node& node);
void lower_reduce(Builder& builder, const Node& node);
void lower_function(Builder& builder, const Node& node);
void lower_binary(Builder& builder, const Node& node);
void lower_concat(Builder& builder, const Node& node);
void lower_reshape(Builder& builder, const Node& node);
void lower_transpose(Builder& builder, const Node& node);
void lower_slice(Builder& builder, const Node& node);

}  // namespace onednn

#endif  // ONEDNN_LOWER_HPP_
