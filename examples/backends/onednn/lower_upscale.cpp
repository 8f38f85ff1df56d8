/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * A transposed convolution whose windows do not overlap (stride = kernel, no padding) is a product
 * of matrices: each pixel gives kernel_y * kernel_x pixels of its own. As a convolution of one
 * pixel and a move of what came out it takes a fraction of the time of oneDNN's deconvolution.
 */
#include <string>

#include "lower.hpp"

namespace onednn {
namespace {

/* A constant of the program, as one that the host gave. */
armnn_const_tensor_t made(const Buffer& buffer) {
  return {{}, nullptr, buffer.constant.get(), buffer.size};
}

/* One bias for each pixel that a pixel gives. */
int repeated_bias(Builder& builder, const armnn_const_tensor_t* bias, int64_t outputs,
                  int64_t times) {
  const Desc row = dense({outputs}), all = dense({outputs * times});
  if (bias == nullptr) return builder.pack(nullptr, all, all); /* without data */
  std::vector<float> values(static_cast<size_t>(outputs * times));
  const float* const given = static_cast<const float*>(bias->data);
  if (bias->size < row.get_size()) throw Refusal("a constant came without its values");
  for (size_t i = 0; i < values.size(); ++i) values[i] = given[i / static_cast<size_t>(times)];
  const armnn_const_tensor_t constant{{}, nullptr, values.data(), values.size() * sizeof(float)};
  return builder.pack(&constant, all, all);
}

/* Without AVX-512 the library has no quick product of plain channels, but one of blocked ones. */
bool is_slow(const dnnl::primitive_desc_base& description) {
  return std::string(description.impl_info_str()).rfind("ref", 0) == 0;
}

}  // namespace

void lower_upscale(Builder& builder, const Node& node, bool is_nhwc) {
  const Dims in = builder.dims(node.inputs[0]), host = dims_of(node.layer->input_infos[1]);
  const int64_t n = in[0], c = in[is_nhwc ? 3 : 1], h = in[is_nhwc ? 1 : 2],
                w = in[is_nhwc ? 2 : 3];
  const int64_t o = host[0], ky = host[is_nhwc ? 1 : 2], kx = host[is_nhwc ? 2 : 3], k = ky * kx;
  /* Weights as [O, ky * kx, C], whose first two dimensions are the outputs of the product. */
  const Desc view({o, k, c}, kFloat, is_nhwc ? Dims{k * c, c, 1} : Dims{c * k, 1, k});
  const int turned = builder.pack(armnn_constant_of(node.layer, 1), view, dense({o, k, c}));
  const armnn_const_tensor_t matrix = made(builder.buffers[static_cast<size_t>(turned)]);
  const bool has_bias = has_input(node.layer, 2);
  const Dims named{n, c, h, w};
  const Desc source = any_layout(named), packed = any_layout({o * k, c, 1, 1});
  const Desc bias = dense({o * k});
  const Desc product({n, o * k, h, w}, kFloat, {h * w * o * k, 1, w * o * k, o * k});
  const Dims one{1, 1}, none{0, 0};
  const auto describe_into = [&](const Desc& target) {
    return make_fused(node, [&](const dnnl::primitive_attr& attributes) {
      return has_bias ? describe<dnnl::convolution_forward>(attributes, kInference,
                                                            Alg::convolution_direct, source, packed,
                                                            bias, target, one, none, none, none)
                      : describe<dnnl::convolution_forward>(attributes, kInference,
                                                            Alg::convolution_direct, source, packed,
                                                            target, one, none, none, none);
    });
  };
  auto made_of = describe_into(product);
  if (is_slow(made_of.description)) made_of = describe_into(any_layout({n, o * k, h, w}));
  const Desc from = made_of.description.src_desc(), weights = made_of.description.weights_desc(),
             result = made_of.description.dst_desc();
  const Desc wanted = is_nhwc ? from.permute_axes({0, 3, 1, 2}) : from;
  const int written = builder.add_buffer(result.get_size());
  std::vector<Argument> arguments{
      {DNNL_ARG_SRC, builder.obtain(node.inputs[0], wanted), from},
      {DNNL_ARG_WEIGHTS,
       builder.pack(matrix.data == nullptr ? nullptr : &matrix, dense({o * k, c, 1, 1}), weights),
       weights},
      {DNNL_ARG_DST, written, result}};
  if (has_bias) {
    arguments.push_back(
        {DNNL_ARG_BIAS, repeated_bias(builder, armnn_constant_of(node.layer, 2), o, k), bias});
  }
  builder.add_step(made_of.description, arguments);
  const int middle = result == product ? written : builder.reordered(result, written, product);
  /* Both sides as [N, O, ky, kx, H, W], the channels of the output last in memory. */
  const Dims six{n, o, ky, kx, h, w};
  const Desc apart(six, kFloat, {h * w * o * k, k, kx, 1, w * o * k, o * k});
  const int64_t row = w * kx * o;
  const Desc together(six, kFloat, {h * ky * row, 1, row, o, ky * row, kx * o});
  const int buffer = builder.reordered(apart, middle, together);
  const Desc pixels = dense({n, h * ky, w * kx, o});
  complete(builder, node, made_of.is_fused, is_nhwc ? pixels : pixels.permute_axes({0, 2, 3, 1}),
           buffer);
}

}  // namespace onednn
