/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fuse_gelu.c - GELU that networks spell out: x / 2 (1 + erf(x / sqrt 2)), and its approximation
 * x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), with factors in any order and place.
 *
 * The product is taken apart into its factors: a number, x, and s (1 + f(p(x))), where p is a
 * polynomial that is computed from the nodes. The halving may be anywhere, also in the weights of a
 * product behind: what is left of it is the function's factor.
 */
#include <math.h>

#include "compile/ir.h"

enum { DEGREES = 4, FACTORS = 2, NODES = 16 };

typedef struct product_t {
  float scale;
  uint32_t factors[FACTORS];
  uint32_t factor_count;
  const ir_node_t* nodes[NODES]; /* that become one, but for the product's last node */
  uint32_t node_count;
} product_t;

static bool near(double value, double expected) {
  return fabs(value - expected) <= 6e-6 * fabs(expected);
}

static bool is_product(const ir_node_t* node) {
  return node->kind == IR_BINARY && node->binary.operation == ARMNN_BINARY_MUL &&
         node->function == ARMNN_ACC_IDENTITY;
}

static bool is_scale(const ir_node_t* node) {
  return node->kind == IR_UNARY && node->function == ARMNN_ACC_LINEAR && node->b == 0.0f;
}

static bool note(product_t* product, const ir_node_t* node) {
  if (product->node_count == NODES) return false;
  product->nodes[product->node_count++] = node;
  return true;
}

/* Adds the factors of what |node| makes. */
static bool take_apart(const ir_graph_t* graph, const ir_node_t* node, product_t* product) {
  if (is_scale(node)) product->scale *= node->a;
  for (uint32_t i = 0; i < node->input_count; ++i) {
    const ir_node_t* maker = armnn_i_acc_source(graph, node->inputs[i], 1);
    if (maker != NULL && (is_product(maker) || is_scale(maker))) {
      if (!note(product, maker) || !take_apart(graph, maker, product)) return false;
      continue;
    }
    if (product->factor_count == FACTORS) return false;
    product->factors[product->factor_count++] = node->inputs[i];
  }
  return true;
}

/* ---- The argument as a polynomial of x ----------------------------------------------------- */

static bool multiply(const double* left, const double* right, double* out) {
  for (uint32_t i = 0; i < DEGREES; ++i) {
    for (uint32_t j = 0; j < DEGREES; ++j) {
      const double term = left[i] * right[j];
      if (i + j < DEGREES) out[i + j] += term;
      if (i + j >= DEGREES && term != 0.0) return false;
    }
  }
  return true;
}

static bool is_whole_power(const ir_graph_t* graph, const ir_node_t* node, float* out_exponent) {
  if (node->kind != IR_BINARY || node->binary.operation != ARMNN_BINARY_POWER) return false;
  const float* exponent = ir_floats(graph, node->inputs[1]);
  if (exponent == NULL || ir_count(ir_shape(graph, node->inputs[1])) != 1) return false;
  *out_exponent = *exponent;
  return *exponent == 2.0f || *exponent == 3.0f;
}

/* |out|, zeros before, becomes the coefficients of |value|, by degree; false if it is not a
 * polynomial of |x|. */
static bool polynomial(const ir_graph_t* graph, uint32_t value, uint32_t x, product_t* product,
                       double* out) {
  if (value == x) {
    out[1] = 1.0;
    return true;
  }
  const ir_node_t* node = armnn_i_acc_source(graph, value, 1);
  if (node == NULL || !note(product, node)) return false;
  double left[DEGREES] = {0}, right[DEGREES] = {0}, square[DEGREES] = {0};
  if ((node->kind != IR_UNARY && node->kind != IR_BINARY) ||
      !polynomial(graph, node->inputs[0], x, product, left)) {
    return false;
  }
  if (node->kind == IR_UNARY) {
    if (node->function == ARMNN_ACC_SQUARE) return multiply(left, left, out);
    if (node->function != ARMNN_ACC_LINEAR) return false;
    for (uint32_t i = 0; i < DEGREES; ++i) out[i] = left[i] * (double)node->a;
    out[0] += (double)node->b;
    return true;
  }
  if (node->function != ARMNN_ACC_IDENTITY) return false;
  float exponent;
  if (is_whole_power(graph, node, &exponent)) {
    if (exponent == 2.0f) return multiply(left, left, out);
    return multiply(left, left, square) && multiply(square, left, out);
  }
  if (!polynomial(graph, node->inputs[1], x, product, right)) return false;
  if (node->binary.operation == ARMNN_BINARY_MUL) return multiply(left, right, out);
  if (node->binary.operation != ARMNN_BINARY_ADD) return false;
  for (uint32_t i = 0; i < DEGREES; ++i) out[i] = left[i] + right[i];
  return true;
}

/* ---- Matching ------------------------------------------------------------------------------ */

/* Whether |gate| is s (1 + f(x)) that makes |product| a GELU of |x|: which of the two, or IDENTITY.
 * Its s joins the product's scale. */
static int32_t match_gate(const ir_graph_t* graph, uint32_t x, uint32_t gate, product_t* product) {
  const ir_node_t* sum = armnn_i_acc_source(graph, gate, 1);
  if (sum == NULL || sum->kind != IR_UNARY || sum->function != ARMNN_ACC_LINEAR ||
      sum->a != sum->b) {
    return ARMNN_ACC_IDENTITY;
  }
  product->scale *= sum->a;
  const ir_node_t* function = armnn_i_acc_source(graph, sum->inputs[0], 1);
  if (function == NULL || function->kind != IR_UNARY || !note(product, sum) ||
      !note(product, function)) {
    return ARMNN_ACC_IDENTITY;
  }
  double c[DEGREES] = {0};
  if (!polynomial(graph, function->inputs[0], x, product, c) || c[0] != 0.0 || c[2] != 0.0) {
    return ARMNN_ACC_IDENTITY;
  }
  if (function->function == ARMNN_ACC_ERF && near(c[1], 0.70710678118654752) && c[3] == 0.0) {
    return ARMNN_ACC_GELU;
  }
  const double slope = 0.79788456080286536; /* sqrt(2 / pi) */
  if (function->function == ARMNN_ACC_TANH && function->a == 1.0f &&
      near(c[1] * (double)function->b, slope) &&
      near(c[3] * (double)function->b, slope * 0.044715)) {
    return ARMNN_ACC_GELU_TANH;
  }
  return ARMNN_ACC_IDENTITY;
}

static void match(ir_graph_t* graph, uint32_t n) {
  ir_node_t* node = graph->nodes[n];
  product_t product = {.scale = 1.0f};
  if (!take_apart(graph, node, &product) || product.factor_count != FACTORS) return;
  for (uint32_t side = 0; side < FACTORS; ++side) {
    const uint32_t x = product.factors[side];
    product_t whole = product;
    if (!ir_same_shape(ir_shape(graph, x), ir_shape(graph, node->output))) continue;
    const int32_t function = match_gate(graph, x, product.factors[1 - side], &whole);
    if (function == ARMNN_ACC_IDENTITY) continue;
    for (uint32_t i = 0; i < whole.node_count; ++i) {
      armnn_i_acc_adopt_layers(graph, node, whole.nodes[i]);
    }
    node->kind = IR_UNARY;
    armnn_i_acc_read_alone(graph, n, x);
    node->function = function;
    node->a = 2.0f * whole.scale;
    node->b = -0.0f;
    return;
  }
}

void armnn_i_acc_fuse_gelu(ir_graph_t* graph) {
  armnn_i_acc_count_uses(graph);
  for (uint32_t n = 0; n < graph->node_count; ++n) {
    if (is_product(graph->nodes[n])) match(graph, n);
  }
}
