/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "lower.hpp"

#include "armnn/names.h"

namespace onednn {
namespace {

struct Family {
  int32_t type;
  void (*lower)(Builder& builder, const Node& node);
  uint32_t packed; /* operands from 1 on that must be constant, as many as this */
  bool takes_posts;
  bool takes_residual;
};

constexpr Family kFamilies[] = {
    {ARMNN_LAYER_CONVOLUTION2D, lower_convolution, 2, true, true},
    {ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D, lower_depthwise, 2, true, true},
    {ARMNN_LAYER_TRANSPOSE_CONVOLUTION2D, lower_transpose_convolution, 2, true, false},
    {ARMNN_LAYER_FULLY_CONNECTED, lower_fully_connected, 2, true, true},
    {ARMNN_LAYER_BATCH_MAT_MUL, lower_batch_mat_mul, 0, true, false},
    {ARMNN_LAYER_POOLING2D, lower_pooling, 0, true, false},
    {ARMNN_LAYER_RESIZE, lower_resize, 0, true, false},
    {ARMNN_LAYER_ELEMENTWISE_BINARY, lower_binary, 0, true, false},
    {ARMNN_LAYER_SOFTMAX, lower_softmax, 0, false, false},
    {ARMNN_LAYER_REDUCE, lower_reduce, 0, true, false},
    {ARMNN_LAYER_ACTIVATION, lower_function, 0, false, false},
    {ARMNN_LAYER_ELEMENTWISE_UNARY, lower_function, 0, false, false},
    {ARMNN_LAYER_CONCAT, lower_concat, 0, false, false},
    {ARMNN_LAYER_RESHAPE, lower_reshape, 0, false, false},
    {ARMNN_LAYER_TRANSPOSE, lower_transpose, 0, false, false},
    {ARMNN_LAYER_SLICE, lower_slice, 0, false, false},
};

const Family* find_family(int32_t type) {
  for (const Family& family : kFamilies) {
    if (family.type == type) return &family;
  }
  return nullptr;
}

void check_tensor(const armnn_tensor_info_t* info, const char* what, uint32_t index) {
  if (info == nullptr) return;
  const std::string name = std::string(what) + " " + std::to_string(index);
  if (armnn_data_type_is_quantized(info->data_type)) {
    throw Refusal(name + " is " + armnn_data_type_name(info->data_type) +
                  ": sums of oneDNN saturate on the way where a processor has no VNNI");
  }
  if (info->data_type != ARMNN_DATA_TYPE_FLOAT32) {
    throw Refusal(name + " is " + armnn_data_type_name(info->data_type) +
                  ", only float32 is computed here");
  }
  if (info->element_count == 0) throw Refusal(name + " has no elements");
}

}  // namespace

bool is_packed(const armnn_layer_t* layer, uint32_t index) {
  const Family* family = find_family(layer->type);
  return family != nullptr && index > 0 && index <= family->packed;
}

bool takes_posts(const armnn_layer_t* layer) {
  const Family* family = find_family(layer->type);
  return family != nullptr && family->takes_posts;
}

bool takes_residual(const armnn_layer_t* layer) {
  const Family* family = find_family(layer->type);
  return family != nullptr && family->takes_residual;
}

void lower(Builder& builder, const Node& node) {
  const Family* family = find_family(node.layer->type);
  if (family == nullptr) throw Refusal("no primitive for this layer type");
  builder.guids = node.guids;
  family->lower(builder, node);
}

int output_buffer(Builder& builder, const Node& node, bool is_fused, const Desc& layout,
                  const std::vector<Argument>& arguments) {
  if (!is_fused || node.residual == kNone) return builder.add_buffer(layout.get_size());
  return builder.obtain_to_overwrite(node.residual, layout, arguments);
}

void complete(Builder& builder, const Node& node, bool is_fused, const Desc& layout, int buffer) {
  if (!is_fused) {
    if (node.residual != kNone) {
      const auto add =
          describe<dnnl::binary>(attributes(), Alg::binary_add, layout, layout, layout);
      const int other = builder.obtain(node.residual, layout);
      const int sum = builder.add_buffer(layout.get_size());
      builder.add_step(add, {{DNNL_ARG_SRC_0, buffer, layout},
                             {DNNL_ARG_SRC_1, other, layout},
                             {DNNL_ARG_DST, sum, layout}});
      buffer = sum;
    }
    for (const Post& post : node.posts) buffer = builder.apply(post, layout, buffer);
  }
  builder.define(node.output, layout, buffer);
}

void check_layer(const armnn_layer_query_t* query) {
  if (find_family(query->type) == nullptr) throw Refusal("no primitive for this layer type");
  for (uint32_t i = 0; i < query->input_count; ++i) check_tensor(query->input_infos[i], "input", i);
  for (uint32_t i = 0; i < query->output_count; ++i) {
    check_tensor(query->output_infos[i], "output", i);
  }
  armnn_layer_t layer{};
  layer.type = query->type;
  layer.input_count = query->input_count;
  layer.output_count = query->output_count;
  layer.descriptor = query->descriptor;
  layer.input_infos = query->input_infos;
  layer.output_infos = query->output_infos;
  Builder builder(false);
  Node node{&layer, {}, kNone, kNone, {}, {}};
  for (uint32_t i = 0; i < query->input_count; ++i) {
    const armnn_tensor_info_t* info = query->input_infos[i];
    node.inputs.push_back(kNone);
    if (info == nullptr) continue;
    if (!is_packed(&layer, i)) {
      node.inputs.back() = builder.add_input(info, i);
    } else if ((info->flags & ARMNN_TENSOR_CONSTANT) == 0) {
      throw Refusal(std::string(i == 1 ? "weights" : "a bias") +
                    " that is not constant cannot be packed");
    }
  }
  node.output = builder.add_value(query->output_infos[0]);
  try {
    lower(builder, node);
  } catch (const dnnl::error& error) {
    throw Refusal(std::string("oneDNN: ") + error.what());
  }
}

}  // namespace onednn
