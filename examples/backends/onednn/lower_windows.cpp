/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Layers with windows over images. oneDNN counts dimensions as N, C, H, W whatever lies where, so a
 * tensor of an NHWC layer is the same memory with its dimensions named in another order.
 */
#include <algorithm>

#include "lower.hpp"

namespace onednn {
namespace {

class Images {
 public:
  explicit Images(int32_t data_layout) : is_nhwc_(data_layout == ARMNN_DATA_LAYOUT_NHWC) {}
  Dims named(const Dims& host) const {
    return is_nhwc_ ? Dims{host[0], host[3], host[1], host[2]} : host;
  }
  Desc named(const Desc& host) const { return is_nhwc_ ? host.permute_axes({0, 2, 3, 1}) : host; }
  Desc host(const Desc& named) const { return is_nhwc_ ? named.permute_axes({0, 3, 1, 2}) : named; }

 private:
  bool is_nhwc_;
};

struct Weights {
  Dims dims; /* as oneDNN names them, with a first dimension for groups if there are any */
  Desc view; /* where the host has them */
};

/* Weights of convolutions: [O, I / groups, H, W] or [O, H, W, I / groups]. */
Weights dense_weights(const armnn_tensor_info_t* info, int32_t data_layout, int64_t groups) {
  const Dims host = dims_of(info);
  const bool is_nhwc = data_layout == ARMNN_DATA_LAYOUT_NHWC;
  const int64_t o = host[0], i = host[is_nhwc ? 3 : 1];
  const int64_t h = host[is_nhwc ? 1 : 2], w = host[is_nhwc ? 2 : 3];
  Dims dims{o, i, h, w};
  Dims strides = is_nhwc ? Dims{h * w * i, 1, w * i, i} : Dims{i * h * w, h * w, w, 1};
  if (groups > 1) {
    dims = {groups, o / groups, i, h, w};
    strides.insert(strides.begin(), o / groups * strides[0]);
  }
  return {dims, Desc(dims, kFloat, strides)};
}

struct Window {
  Dims strides, dilates, before, after;
};

template <typename T>
Window window_of(const T& d) {
  return {{d.stride_y, d.stride_x},
          {std::max(1u, d.dilation_y) - 1, std::max(1u, d.dilation_x) - 1},
          {d.pad_top, d.pad_left},
          {d.pad_bottom, d.pad_right}};
}

/* A convolution of either direction; |Primitive| is oneDNN's class. */
template <typename Primitive>
void lower_weighted(Builder& builder, const Node& node, Alg algorithm, const Images& images,
                    const Weights& weights, const Window& window) {
  const Desc source = any_layout(images.named(builder.dims(node.inputs[0])));
  const Desc target = any_layout(images.named(builder.dims(node.output)));
  const Desc packed = any_layout(weights.dims);
  const bool has_bias = has_input(node.layer, 2);
  const Desc bias = dense({images.named(builder.dims(node.output))[1]});
  const auto made = make_fused(node, [&](const dnnl::primitive_attr& attributes) {
    return has_bias
               ? describe<Primitive>(attributes, kInference, algorithm, source, packed, bias,
                                     target, window.strides, window.dilates, window.before,
                                     window.after)
               : describe<Primitive>(attributes, kInference, algorithm, source, packed, target,
                                     window.strides, window.dilates, window.before, window.after);
  });
  const auto& description = made.description;
  const Desc from = description.src_desc(), to = description.dst_desc();
  std::vector<Argument> arguments{
      {DNNL_ARG_SRC, builder.obtain(node.inputs[0], images.host(from)), from},
      {DNNL_ARG_WEIGHTS,
       builder.pack(armnn_constant_of(node.layer, 1), weights.view, description.weights_desc()),
       description.weights_desc()}};
  if (has_bias) {
    arguments.push_back(
        {DNNL_ARG_BIAS, builder.pack(armnn_constant_of(node.layer, 2), bias, bias), bias});
  }
  const int buffer = output_buffer(builder, node, made.is_fused, images.host(to), arguments);
  arguments.push_back({DNNL_ARG_DST, buffer, to});
  builder.add_step(description, arguments);
  complete(builder, node, made.is_fused, images.host(to), buffer);
}

}  // namespace

void lower_convolution(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_convolution2d_descriptor_t>(node);
  lower_weighted<dnnl::convolution_forward>(
      builder, node, Alg::convolution_direct, Images(d.data_layout),
      dense_weights(node.layer->input_infos[1], d.data_layout, d.groups), window_of(d));
}

void lower_depthwise(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_depthwise_convolution2d_descriptor_t>(node);
  const Images images(d.data_layout);
  const Dims host = dims_of(node.layer->input_infos[1]); /* 1, H, W, channels * multiplier */
  const int64_t channels = images.named(builder.dims(node.inputs[0]))[1];
  const int64_t multiplier = host[3] / channels, row = host[2] * host[3];
  const Dims dims{channels, multiplier, 1, host[1], host[2]};
  const Desc view(dims, kFloat, {multiplier, 1, host[1] * row, row, host[3]});
  lower_weighted<dnnl::convolution_forward>(builder, node, Alg::convolution_direct, images,
                                            {dims, view}, window_of(d));
}

void lower_transpose_convolution(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_transpose_convolution2d_descriptor_t>(node);
  const Images images(d.data_layout);
  const Weights weights =
      dense_weights(node.layer->input_infos[1], d.data_layout, std::max(1u, d.groups));
  Window window = window_of(d);
  /* The output's shape may be stated: what is missing or too much lies at the end. */
  const Dims in = images.named(builder.dims(node.inputs[0]));
  const Dims out = images.named(builder.dims(node.output));
  bool overlaps = std::max(1u, d.groups) > 1;
  for (size_t side = 0; side < 2; ++side) {
    const int64_t kernel = weights.dims[weights.dims.size() - 2 + side];
    const int64_t extent = (kernel - 1) * (window.dilates[side] + 1) + 1;
    window.after[side] =
        (in[2 + side] - 1) * window.strides[side] + extent - out[2 + side] - window.before[side];
    overlaps = overlaps || kernel != window.strides[side] || window.dilates[side] != 0 ||
               window.before[side] != 0 || window.after[side] != 0;
  }
  if (!overlaps) return lower_upscale(builder, node, d.data_layout == ARMNN_DATA_LAYOUT_NHWC);
  lower_weighted<dnnl::deconvolution_forward>(builder, node, Alg::deconvolution_direct, images,
                                              weights, window);
}

void lower_pooling(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_pooling2d_descriptor_t>(node);
  const Images images(d.data_layout);
  Window window = window_of(d);
  const Dims kernel{d.pool_height, d.pool_width};
  const bool counts_padding = d.padding_method == ARMNN_PADDING_IGNORE_VALUE;
  if (d.pool_type == ARMNN_POOLING_L2) throw Refusal("oneDNN has no L2 pooling");
  const Dims in = images.named(builder.dims(node.inputs[0]));
  const Dims out = images.named(builder.dims(node.output));
  for (size_t side = 0; side < 2; ++side) {
    const int64_t extent = (kernel[side] - 1) * (window.dilates[side] + 1) + 1;
    const int64_t after =
        (out[2 + side] - 1) * window.strides[side] + extent - in[2 + side] - window.before[side];
    if (after > window.after[side] && d.pool_type == ARMNN_POOLING_AVERAGE && counts_padding) {
      throw Refusal("an average that counts padding, with a window beyond the padding");
    }
    window.after[side] = std::max(INT64_C(0), after);
    if (std::max(window.before[side], window.after[side]) >= extent) {
      throw Refusal("a window that lies in the padding alone");
    }
  }
  const Alg algorithm = d.pool_type == ARMNN_POOLING_MAX ? Alg::pooling_max
                        : counts_padding                 ? Alg::pooling_avg_include_padding
                                                         : Alg::pooling_avg_exclude_padding;
  const Desc host = builder.layout(node.inputs[0]), source = images.named(host);
  const auto made = make_fused(node, [&](const dnnl::primitive_attr& attributes) {
    return describe<Pooling>(attributes, kInference, algorithm, source, any_layout(out),
                             window.strides, kernel, window.dilates, window.before, window.after);
  });
  const Desc target = made.description.dst_desc();
  const int buffer = builder.add_buffer(target.get_size());
  builder.add_step(made.description, {{DNNL_ARG_SRC, builder.obtain(node.inputs[0], host), source},
                                      {DNNL_ARG_DST, buffer, target}});
  complete(builder, node, made.is_fused, images.host(target), buffer);
}

void lower_resize(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_resize_descriptor_t>(node);
  const Images images(d.data_layout);
  const Dims in = images.named(builder.dims(node.inputs[0]));
  const Dims out = images.named(builder.dims(node.output));
  const bool is_linear = d.method == ARMNN_RESIZE_BILINEAR;
  if (d.align_corners != 0) throw Refusal("oneDNN does not align corners");
  if (d.half_pixel_centers == 0 && (is_linear || out[2] % in[2] != 0 || out[3] % in[3] != 0)) {
    throw Refusal("oneDNN resizes with half pixel centers");
  }
  const Desc host = builder.layout(node.inputs[0]), source = images.named(host);
  const Alg algorithm = is_linear ? Alg::resampling_linear : Alg::resampling_nearest;
  const auto made = make_fused(node, [&](const dnnl::primitive_attr& attributes) {
    return describe<dnnl::resampling_forward>(attributes, kInference, algorithm, source,
                                              any_layout(out));
  });
  const Desc target = made.description.dst_desc();
  const int buffer = builder.add_buffer(target.get_size());
  builder.add_step(made.description, {{DNNL_ARG_SRC, builder.obtain(node.inputs[0], host), source},
                                      {DNNL_ARG_DST, buffer, target}});
  complete(builder, node, made.is_fused, images.host(target), buffer);
}

}  // namespace onednn
