/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * quantized_factors.c - factors and zero points of the weights of a quantised product: those of
 * TensorFlow Lite's specification, or real ones.
 */
#include "quantized.h"
#include "rescaling.h"

/* The factor as armnn_scale64 takes it: of 16 bits, rounded once by armnn_scale. */
static armnn_factor_t reduced(armnn_factor_t factor) {
  const int32_t multiplier =
      factor.multiplier < 0x7fff0000 ? (factor.multiplier + (1 << 15)) >> 16 : 0x7fff;
  return (armnn_factor_t){multiplier, factor.shift + 16};
}

bool armnn_i_acc_is_real(const ir_graph_t* graph) {
  const armnn_layer_t* layer = ir_layer(graph);
  return armnn_rescaling(layer->type, layer->descriptor) == ARMNN_RESCALING_REAL;
}

const armnn_factor_t* armnn_i_acc_factors_of(ir_graph_t* graph, int64_t outputs, bool is_matrix,
                                             bool is_reduced) {
  const armnn_layer_t* layer = ir_layer(graph);
  const armnn_tensor_info_t *x = layer->input_infos[0], *weights = layer->input_infos[1];
  const bool one = weights->quantization_count == 1;
  armnn_factor_t* factors = armnn_i_acc_pool(graph, (uint64_t)outputs * sizeof *factors);
  for (int64_t o = 0; o < outputs; ++o) {
    const float scale = weights->scales[one ? 0 : o], out = layer->output_infos[0]->scales[0];
    if (armnn_i_acc_is_real(graph)) {
      const double real = armnn_product_factor(x->scales[0], scale, out);
      factors[o] = armnn_i_acc_factor_of_real(real);
      continue;
    }
    const double product =
        is_matrix && one ? (double)(x->scales[0] * scale) : (double)x->scales[0] * (double)scale;
    factors[o] = armnn_factor(product / (double)out);
    if (is_reduced) factors[o] = reduced(factors[o]);
  }
  return factors;
}

const int32_t* armnn_i_acc_weight_zero_points(ir_graph_t* graph, int64_t outputs) {
  const armnn_tensor_info_t* weights = ir_layer(graph)->input_infos[1];
  int32_t* points = armnn_i_acc_pool(graph, (uint64_t)outputs * sizeof *points);
  for (int64_t o = 0; o < outputs; ++o) {
    points[o] = weights->zero_points[weights->quantization_count == 1 ? 0 : o];
  }
  return points;
}
