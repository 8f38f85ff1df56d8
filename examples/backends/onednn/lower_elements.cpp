/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * Layers that work element by element, and layers that move elements.
 */
#include <algorithm>

#include "armnn/names.h"
#include "lower.hpp"

namespace onednn {

namespace {

Posts activation_posts(const armnn_activation_descriptor_t& d) {
  switch (d.function) {
    case ARMNN_ACTIVATION_SIGMOID:
      return {{Alg::eltwise_logistic, 0.0f, 0.0f}};
    case ARMNN_ACTIVATION_TANH: {
      Posts posts;
      if (d.b != 1.0f) posts.push_back({Alg::eltwise_linear, d.b, 0.0f});
      posts.push_back({Alg::eltwise_tanh, 0.0f, 0.0f});
      if (d.a != 1.0f) posts.push_back({Alg::eltwise_linear, d.a, 0.0f});
      return posts;
    }
    case ARMNN_ACTIVATION_LINEAR:
      return {{Alg::eltwise_linear, d.a, d.b}};
    case ARMNN_ACTIVATION_RELU:
      return {{Alg::eltwise_relu, 0.0f, 0.0f}};
    case ARMNN_ACTIVATION_BOUNDED_RELU:
      if (!(d.b <= d.a)) throw Refusal("a lower bound above the upper one");
      return {{Alg::eltwise_clip, d.b, d.a}};
    case ARMNN_ACTIVATION_SOFT_RELU:
      return {{Alg::eltwise_soft_relu, 1.0f, 0.0f}};
    case ARMNN_ACTIVATION_LEAKY_RELU:
      return {{Alg::eltwise_relu, d.a, 0.0f}};
    case ARMNN_ACTIVATION_ABS:
      return {{Alg::eltwise_abs, 0.0f, 0.0f}};
    case ARMNN_ACTIVATION_SQRT:
      return {{Alg::eltwise_sqrt, 0.0f, 0.0f}};
    case ARMNN_ACTIVATION_SQUARE:
      return {{Alg::eltwise_square, 0.0f, 0.0f}};
    case ARMNN_ACTIVATION_ELU:
      return {{Alg::eltwise_elu, d.a, 0.0f}};
    case ARMNN_ACTIVATION_HARD_SWISH: /* 2.x ignores the parameters, 3.x wants them */
      return {{Alg::eltwise_hardswish, 1.0f / 6.0f, 0.5f}};
    case ARMNN_ACTIVATION_GELU:
      return {{Alg::eltwise_gelu_erf, 0.0f, 0.0f}};
    case ARMNN_ACTIVATION_HARD_SIGMOID:
      return {{Alg::eltwise_linear, d.a, d.b}, {Alg::eltwise_clip, 0.0f, 1.0f}};
    case ARMNN_ACTIVATION_MISH:
      return {{Alg::eltwise_mish, 0.0f, 0.0f}};
    default:
      break;
  }
  throw Refusal("oneDNN has not this function");
}

Posts unary_posts(const armnn_elementwise_unary_descriptor_t& d) {
  switch (d.operation) {
    case ARMNN_UNARY_ABS:
      return {{Alg::eltwise_abs, 0.0f, 0.0f}};
    case ARMNN_UNARY_EXP:
      return {{Alg::eltwise_exp, 0.0f, 0.0f}};
    case ARMNN_UNARY_SQRT:
      return {{Alg::eltwise_sqrt, 0.0f, 0.0f}};
    case ARMNN_UNARY_NEG:
      return {{Alg::eltwise_linear, -1.0f, 0.0f}};
    case ARMNN_UNARY_LOG: /* 25 units in the last place; the tolerances allow half as many */
      throw Refusal("oneDNN's logarithm is not exact enough");
    case ARMNN_UNARY_ROUND:
      return {{Alg::eltwise_round, 0.0f, 0.0f}};
    default:
      break;
  }
  throw Refusal("oneDNN has not this function");
}

Alg binary_algorithm(int32_t operation) {
  switch (operation) {
    case ARMNN_BINARY_ADD:
      return Alg::binary_add;
    case ARMNN_BINARY_DIV:
      return Alg::binary_div;
    case ARMNN_BINARY_MAXIMUM:
      return Alg::binary_max;
    case ARMNN_BINARY_MINIMUM:
      return Alg::binary_min;
    case ARMNN_BINARY_MUL:
      return Alg::binary_mul;
    case ARMNN_BINARY_SUB:
    case ARMNN_BINARY_SQ_DIFF:
      return Alg::binary_sub;
    default:
      break;
  }
  throw Refusal("oneDNN has not this operation");
}

/* Whether blocks, if there are any, are of channels. Of a value that was transposed they are of
 * another dimension, and oneDNN's binary kernels (2.x, 3.x) then read beside what is padded. */
bool has_usual_blocks(const Desc& layout) {
#if DNNL_VERSION_MAJOR >= 3
  const auto blocked = layout.get_inner_idxs();
#else
  const auto& blocking = layout.data.format_desc.blocking;
  const Dims blocked(blocking.inner_idxs, blocking.inner_idxs + blocking.inner_nblks);
#endif
  return std::all_of(blocked.begin(), blocked.end(), [](auto d) { return d == 1; });
}

}  // namespace

Posts posts_of(const armnn_layer_t* layer) {
  if (layer->type == ARMNN_LAYER_ACTIVATION) {
    return activation_posts(
        *reinterpret_cast<const armnn_activation_descriptor_t*>(layer->descriptor));
  }
  return unary_posts(
      *reinterpret_cast<const armnn_elementwise_unary_descriptor_t*>(layer->descriptor));
}

void lower_function(Builder& builder, const Node& node) {
  const Desc layout = builder.layout(node.inputs[0]);
  int buffer = builder.obtain(node.inputs[0], layout);
  for (const Post& post : posts_of(node.layer)) buffer = builder.apply(post, layout, buffer);
  complete(builder, node, true, layout, buffer);
}

void lower_binary(Builder& builder, const Node& given) {
  const auto& d = descriptor_of<armnn_elementwise_binary_descriptor_t>(given);
  const Alg algorithm = binary_algorithm(d.operation);
  Node node = given;
  if (d.operation == ARMNN_BINARY_SQ_DIFF) {
    node.posts.insert(node.posts.begin(), {Alg::eltwise_square, 0.0f, 0.0f});
  }
  const Dims out = builder.dims(node.output);
  const bool commutes = algorithm != Alg::binary_sub && algorithm != Alg::binary_div;
  if (commutes && builder.dims(node.inputs[0]) != out) std::swap(node.inputs[0], node.inputs[1]);
  /* The layout of the first operand for all, if they are of one shape; else the host's, in which
   * dimensions of size 1 can be put before. */
  const auto operand = [&](int value) {
    Dims dims = builder.dims(value);
    dims.insert(dims.begin(), out.size() - dims.size(), 1);
    return dense(dims);
  };
  const Dims first = builder.dims(node.inputs[0]), second = builder.dims(node.inputs[1]);
  const auto emit = [&](const Desc& x, const Desc& y, const Desc& x_host, const Desc& y_host) {
    const auto made = make_fused(node, [&](const dnnl::primitive_attr& attributes) {
      return describe<dnnl::binary>(attributes, algorithm, x, y, any_layout(out));
    });
    const Desc target = made.description.dst_desc();
    const int buffer = builder.add_buffer(target.get_size());
    builder.add_step(made.description, {{DNNL_ARG_SRC_0, builder.obtain(node.inputs[0], x_host), x},
                                        {DNNL_ARG_SRC_1, builder.obtain(node.inputs[1], y_host), y},
                                        {DNNL_ARG_DST, buffer, target}});
    complete(builder, node, made.is_fused, target, buffer);
  };
  if (first == out && second.size() == out.size()) {
    const Desc x = builder.layout(node.inputs[0]);
    const Desc y = second == out ? x : builder.layout(node.inputs[1]);
    try {
      if (has_usual_blocks(x) && has_usual_blocks(y)) {
        emit(x, y, x, y);
        return;
      }
    } catch (const dnnl::error&) { /* not in these layouts: nothing was added yet */
    }
  }
  emit(operand(node.inputs[0]), operand(node.inputs[1]), dense(first), dense(second));
}

void lower_concat(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_concat_descriptor_t>(node);
  std::vector<Desc> sources;
  for (const int input : node.inputs) sources.push_back(builder.layout(input));
  const auto description = describe_concat(attributes(), static_cast<int>(d.axis), sources);
  std::vector<Argument> arguments;
  for (size_t i = 0; i < sources.size(); ++i) {
    arguments.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i),
                         builder.obtain(node.inputs[i], sources[i]), sources[i]});
  }
  const Desc target = description.dst_desc();
  const int buffer = builder.add_buffer(target.get_size());
  arguments.push_back({DNNL_ARG_DST, buffer, target});
  builder.add_step(description, arguments);
  complete(builder, node, true, target, buffer);
}

/* The same memory in the host's layout, with other dimensions. */
void lower_reshape(Builder& builder, const Node& node) {
  const int buffer = builder.obtain(node.inputs[0], dense(builder.dims(node.inputs[0])));
  builder.share(buffer);
  complete(builder, node, true, dense(builder.dims(node.output)), buffer);
}

/* The same memory, its dimensions named in another order. Whoever wants it otherwise moves it. */
void lower_transpose(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_permute_descriptor_t>(node);
  const Desc layout = builder.layout(node.inputs[0]);
  std::vector<int> goes_to(d.rank);
  for (uint32_t i = 0; i < d.rank; ++i) goes_to[d.mappings[i]] = static_cast<int>(i);
  const int buffer = builder.obtain(node.inputs[0], layout);
  builder.share(buffer);
  complete(builder, node, true, layout.permute_axes(goes_to), buffer);
}

void lower_slice(Builder& builder, const Node& node) {
  const auto& d = descriptor_of<armnn_slice_descriptor_t>(node);
  const Desc whole = dense(builder.dims(node.inputs[0]));
  const Dims out = builder.dims(node.output);
  const Desc box = whole.submemory_desc(out, Dims(d.begin, d.begin + d.rank));
  const int source = builder.obtain(node.inputs[0], whole);
  complete(builder, node, true, dense(out), builder.reordered(box, source, dense(out)));
}

}  // namespace onednn
