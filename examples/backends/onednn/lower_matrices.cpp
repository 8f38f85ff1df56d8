/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Matrix products, softmax and reductions.
 */
#include "lower.hpp"

namespace onednn {

void lower_fully_connected(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_fully_connected_descriptor_t>(node);
  const Dims host = dims_of(node.layer->input_infos[1]);
  const bool is_turned = d.transpose_weight_matrix != 0; /* [O, I] instead of [I, O] */
  const int64_t outputs = host[is_turned ? 0 : 1], inputs = host[is_turned ? 1 : 0];
  const Desc input = dense(builder.dims(node.inputs[0]));
  const Desc output = dense(builder.dims(node.output));
  const int64_t rows = static_cast<int64_t>(node.layer->input_infos[0]->element_count) / inputs;
  const Desc source = dense({rows, inputs}), target = dense({rows, outputs});
  const Desc packed = any_layout({outputs, inputs}), bias = dense({outputs});
  const Desc view({outputs, inputs}, kFloat, is_turned ? Dims{inputs, 1} : Dims{1, outputs});
  const bool has_bias = has_input(node.layer, 2);
  if (has_bias && node.layer->input_infos[2]->element_count != static_cast<uint64_t>(outputs)) {
    throw Refusal("a bias that has not one value for each output");
  }
  const auto made = make_fused(node, [&](const dnnl::primitive_attr& attributes) {
    return has_bias ? describe<dnnl::inner_product_forward>(attributes, kInference, source, packed,
                                                            bias, target)
                    : describe<dnnl::inner_product_forward>(attributes, kInference, source, packed,
                                                            target);
  });
  const Desc weights = made.description.weights_desc();
  std::vector<Argument> arguments{
      {DNNL_ARG_SRC, builder.obtain(node.inputs[0], input), source},
      {DNNL_ARG_WEIGHTS, builder.pack(armnn_constant_of(node.layer, 1), view, weights), weights}};
  if (has_bias) {
    arguments.push_back(
        {DNNL_ARG_BIAS, builder.pack(armnn_constant_of(node.layer, 2), bias, bias), bias});
  }
  const int buffer = output_buffer(builder, node, made.is_fused, output, arguments);
  arguments.push_back({DNNL_ARG_DST, buffer, target});
  builder.add_step(made.description, arguments);
  complete(builder, node, made.is_fused, output, buffer);
}

namespace {

/* A dense operand of a product of matrices: as many dimensions as |rank|, the last two turned if
 * asked for. */
Desc matrix(const Dims& dims, size_t rank, bool is_turned) {
  Dims named(rank - dims.size(), 1), strides(rank, 1);
  named.insert(named.end(), dims.begin(), dims.end());
  for (size_t d = rank - 1; d > 0; --d) strides[d - 1] = strides[d] * named[d];
  if (is_turned) {
    std::swap(named[rank - 1], named[rank - 2]);
    std::swap(strides[rank - 1], strides[rank - 2]);
  }
  return Desc(named, kFloat, strides);
}

}  // namespace

void lower_batch_mat_mul(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_batch_mat_mul_descriptor_t>(node);
  if (d.adjoint_x != 0 || d.adjoint_y != 0) throw Refusal("oneDNN has no adjoint matrices");
  const Dims x = builder.dims(node.inputs[0]), y = builder.dims(node.inputs[1]);
  const Dims out = builder.dims(node.output);
  if (x.size() < 2 || y.size() < 2) throw Refusal("an operand of fewer than two dimensions");
  const size_t rank = out.size();
  const Desc source = matrix(x, rank, d.transpose_x != 0);
  const Desc weights = matrix(y, rank, d.transpose_y != 0);
  const Desc target = dense(out);
  const auto made = make_fused(node, [&](const dnnl::primitive_attr& attributes) {
    return describe<dnnl::matmul>(attributes, source, weights, target);
  });
  const int buffer = builder.add_buffer(target.get_size());
  builder.add_step(made.description,
                   {{DNNL_ARG_SRC, builder.obtain(node.inputs[0], dense(x)), source},
                    {DNNL_ARG_WEIGHTS, builder.obtain(node.inputs[1], dense(y)), weights},
                    {DNNL_ARG_DST, buffer, target}});
  complete(builder, node, made.is_fused, target, buffer);
}

void lower_softmax(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_softmax_descriptor_t>(node);
  const Desc layout = builder.layout(node.inputs[0]);
  const int rank = static_cast<int>(builder.dims(node.output).size());
  const int axis = d.axis < 0 ? d.axis + rank : d.axis;
  int source = builder.obtain(node.inputs[0], layout);
  const auto description =
      describe<Softmax>(attributes(), kInference, Alg::softmax_accurate, layout, layout, axis);
  if (d.beta != 1.0f) source = builder.apply({Alg::eltwise_linear, d.beta, 0.0f}, layout, source);
  const int buffer = builder.add_buffer(layout.get_size());
  builder.add_step(description, {{DNNL_ARG_SRC, source, layout}, {DNNL_ARG_DST, buffer, layout}});
  complete(builder, node, true, layout, buffer);
}

void lower_reduce(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_reduce_descriptor_t>(node);
  Alg algorithm = Alg::reduction_mean;
  switch (d.operation) {
    case ARMNN_REDUCE_SUM:
      algorithm = Alg::reduction_sum;
      break;
    case ARMNN_REDUCE_MAX:
      algorithm = Alg::reduction_max;
      break;
    case ARMNN_REDUCE_MEAN:
      break;
    case ARMNN_REDUCE_MIN:
      algorithm = Alg::reduction_min;
      break;
    case ARMNN_REDUCE_PROD:
      algorithm = Alg::reduction_mul;
      break;
    default:
      throw Refusal("no primitive for this reduction");
  }
  const Dims in = builder.dims(node.inputs[0]);
  Dims kept = in;
  for (size_t a = 0; a < in.size(); ++a) {
    bool goes = d.axis_count == 0;
    for (uint32_t i = 0; i < d.axis_count; ++i) {
      const int32_t axis = d.axes[i] < 0 ? d.axes[i] + static_cast<int32_t>(in.size()) : d.axes[i];
      goes = goes || axis == static_cast<int32_t>(a);
    }
    if (goes) kept[a] = 1;
  }
  if (kept == in) throw Refusal("a reduction of dimensions of size 1 alone");
  const Desc source = dense(in), target = dense(kept), output = dense(builder.dims(node.output));
  const auto made = make_fused(node, [&](const dnnl::primitive_attr& attributes) {
    return describe<dnnl::reduction>(attributes, algorithm, source, target, 0.0f, 0.0f);
  });
  const int buffer = builder.add_buffer(target.get_size());
  builder.add_step(made.description,
                   {{DNNL_ARG_SRC, builder.obtain(node.inputs[0], source), source},
                    {DNNL_ARG_DST, buffer, target}});
  complete(builder, node, made.is_fused, output, buffer);
}

}  // namespace onednn
