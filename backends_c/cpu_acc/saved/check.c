/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "check.h"

#include "ops/walk.h"

#define MOST_TAPS 65536
#define MOST_ELEMENTS (INT64_C(1) << 40) /* of a tensor */
#define MOST_SEEN (INT64_C(1) << 44)     /* by all windows, and in padding */

typedef armnn_i_acc_tensor_t tensor_t;

static bool same_dims(const tensor_t* a, const tensor_t* b) {
  if (a->rank != b->rank) return false;
  for (uint32_t d = 0; d < a->rank; ++d) {
    if (a->dims[d] != b->dims[d]) return false;
  }
  return true;
}

static bool same_type(const tensor_t* a, const tensor_t* b) {
  return a->element.type == b->element.type;
}

static bool alike(const tensor_t* a, const tensor_t* b) {
  return same_dims(a, b) && same_type(a, b);
}

/* Whether |a| can be broadcast to |to|: as many dimensions, each the same or 1. */
static bool broadcasts(const tensor_t* a, const tensor_t* to) {
  if (a->rank != to->rank) return false;
  for (uint32_t d = 0; d < a->rank; ++d) {
    if (a->dims[d] != to->dims[d] && a->dims[d] != 1) return false;
  }
  return true;
}

/* The same for all dimensions but the last two, which are a matrix. */
static bool batch_broadcasts(const tensor_t* a, const tensor_t* to) {
  if (a->rank != to->rank || a->rank < 2) return false;
  for (uint32_t d = 0; d + 2 < a->rank; ++d) {
    if (a->dims[d] != to->dims[d] && a->dims[d] != 1) return false;
  }
  return true;
}

static bool is_matrix_of(const tensor_t* tensor, bool transposed, int64_t rows, int64_t columns) {
  const int64_t* sides = tensor->dims + tensor->rank - 2;
  return sides[transposed ? 1 : 0] == rows && sides[transposed ? 0 : 1] == columns;
}

static bool within(int64_t number, int64_t low, int64_t high) {
  return number >= low && number <= high;
}

static bool is_epilogue(const armnn_i_acc_epilogue_t* epilogue, const tensor_t* output) {
  return epilogue->has_residual ? alike(&epilogue->residual, output) : epilogue->residual.rank == 0;
}

static bool is_alone(const armnn_i_acc_epilogue_t* epilogue) { return !epilogue->has_residual; }

/* ---- Images -------------------------------------------------------------------------------- */

static bool is_image(const tensor_t* tensor) {
  return tensor->rank == 4 && tensor->dims[1] <= ARMNN_ACC_MOST_SIDE &&
         tensor->dims[2] <= ARMNN_ACC_MOST_SIDE;
}

typedef struct window_t {
  const tensor_t *input, *output;
  int64_t kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x, pad_top, pad_left;
} window_t;

/* Whether numbers of 32 bits hold where windows begin and end along a side. */
static bool is_near(int64_t outputs, int64_t kernel, int64_t stride, int64_t dilation) {
  return (outputs - 1) * stride <= ARMNN_ACC_MOST_SIDE - (kernel - 1) * dilation;
}

/* How many places windows reach over along a side, if it is near. */
static int64_t reach(int64_t outputs, int64_t kernel, int64_t stride, int64_t dilation) {
  return (outputs - 1) * stride + (kernel - 1) * dilation + 1;
}

/* Whether 64 bits hold the size of an image of all that windows see, padding included: operators
 * make parts of it. */
static bool sees_an_image(const window_t* window) {
  const int64_t* sides = window->output->dims;
  const int64_t height = reach(sides[1], window->kernel_y, window->stride_y, window->dilation_y);
  const int64_t width = reach(sides[2], window->kernel_x, window->stride_x, window->dilation_x);
  return height <= MOST_SEEN / width / window->input->dims[3];
}

static bool is_window(const window_t* window) {
  return is_image(window->input) && is_image(window->output) &&
         window->input->dims[0] == window->output->dims[0] &&
         is_near(window->output->dims[1], window->kernel_y, window->stride_y, window->dilation_y) &&
         is_near(window->output->dims[2], window->kernel_x, window->stride_x, window->dilation_x) &&
         sees_an_image(window);
}

#define WINDOW_OF(what)                                                                    \
  (&(window_t){&(what)->input, &(what)->output, (what)->kernel_y, (what)->kernel_x,        \
               (what)->stride_y, (what)->stride_x, (what)->dilation_y, (what)->dilation_x, \
               (what)->pad_top, (what)->pad_left})

static bool are_weights(const tensor_t* weights, const window_t* window, int64_t groups) {
  const int64_t inputs = window->input->dims[3], outputs = window->output->dims[3];
  /* Each channel of the input may be repeated for the output's that read it. */
  const bool is_repeated = groups == inputs && outputs > inputs;
  if (is_repeated && armnn_i_acc_count(window->input) / inputs > MOST_ELEMENTS / outputs) {
    return false;
  }
  return weights->rank == 4 && groups >= 1 && inputs % groups == 0 && outputs % groups == 0 &&
         window->kernel_y <= MOST_TAPS && window->kernel_x <= MOST_TAPS / window->kernel_y &&
         weights->dims[0] == outputs && weights->dims[1] == window->kernel_y &&
         weights->dims[2] == window->kernel_x && weights->dims[3] == inputs / groups;
}

static bool fits_convolution(const armnn_i_acc_convolution_t* what) {
  return is_window(WINDOW_OF(what)) && are_weights(&what->weights, WINDOW_OF(what), what->groups) &&
         same_type(&what->input, &what->output);
}

/* A 1x1 convolution within a separable one, from |inputs| channels to |outputs|. */
static bool is_pointwise(const armnn_i_acc_convolution_t* part, int64_t inputs, int64_t outputs) {
  const int64_t dims[] = {outputs, 1, 1, inputs};
  return part->groups == 1 && part->weights.rank == 4 &&
         memcmp(part->weights.dims, dims, sizeof dims) == 0 && is_alone(&part->epilogue);
}

static bool fits_separable(const armnn_i_acc_separable_t* what) {
  const armnn_i_acc_convolution_t* depthwise = what->depthwise;
  if (depthwise == NULL || what->input.rank != 4 || what->output.rank != 4 ||
      depthwise->groups < 1 || depthwise->groups > ARMNN_ACC_MOST_SIDE) {
    return false;
  }
  /* The depthwise convolution alone, as it sees its tensors. */
  tensor_t input = what->input, output = what->output;
  const int64_t inputs = input.dims[3], outputs = output.dims[3], channels = depthwise->groups;
  input.dims[3] = output.dims[3] = channels;
  armnn_i_acc_convolution_t middle = *depthwise;
  middle.input = input;
  middle.output = output;
  return armnn_i_acc_count(&what->input) / inputs <= MOST_ELEMENTS / channels &&
         armnn_i_acc_count(&what->output) / outputs <= MOST_ELEMENTS / channels &&
         armnn_i_acc_check_convolution(&middle) && is_alone(&depthwise->epilogue) &&
         (what->expand != NULL ? is_pointwise(what->expand, inputs, channels)
                               : inputs == channels) &&
         (what->project != NULL ? is_pointwise(what->project, channels, outputs)
                                : outputs == channels) &&
         (what->expand != NULL || what->project != NULL) && same_type(&what->input, &what->output);
}

/* Of an array: those of a description are fields with this range. */
static bool is_factor(armnn_factor_t factor) {
  return factor.multiplier >= 0 &&
         within(factor.shift, -ARMNN_ACC_MOST_SHIFT, ARMNN_ACC_MOST_SHIFT);
}

/* A factor that is used as |rounding| says. */
static bool is_factor_of(armnn_factor_t factor, int32_t rounding) {
  const double real = armnn_i_acc_real_of_factor(factor);
  if (rounding == ARMNN_ACC_ROUND_REAL) return real >= 0.0 && real < 0x1p31;
  return within(rounding, 0, ARMNN_ACC_ROUND_COUNT - 1) && is_factor(factor);
}

/* Whether a sum behind a convolution finds the bytes that it reads as such. */
static bool are_bytes(const tensor_t* tensor) { return armnn_i_acc_is_8bit(tensor->element.type); }

/* Whether a thread's scratch holds what the windows of a line see, as with check_quantized.c. */
static bool is_seen_at_once(const window_t* window) {
  const int64_t lines = reach(1, window->kernel_y, 1, window->dilation_y);
  const int64_t pixels =
      reach(window->output->dims[2], window->kernel_x, window->stride_x, window->dilation_x);
  return armnn_i_acc_is_seen(lines, pixels, window->input->dims[3]);
}

static bool fits_quantized_convolution(const armnn_i_acc_quantized_convolution_t* what) {
  if (!is_window(WINDOW_OF(what)) || !is_seen_at_once(WINDOW_OF(what)) ||
      !are_weights(&what->weights, WINDOW_OF(what), what->groups) || what->factors == NULL ||
      what->rounding == ARMNN_ACC_ROUND_64_BITS) {
    return false;
  }
  for (int64_t o = 0; o < what->output.dims[3]; ++o) {
    if (!is_factor_of(what->factors[o], what->rounding)) return false;
  }
  return !what->has_sum ||
         (same_dims(&what->sum.right, &what->output) && are_bytes(&what->sum.left) &&
          are_bytes(&what->sum.right) && armnn_i_acc_check_quantized_binary(&what->sum));
}

static bool is_pooling(const window_t* window) {
  return is_window(window) && window->input->dims[3] == window->output->dims[3] &&
         same_type(window->input, window->output);
}

static bool fits_quantized_pooling(const armnn_i_acc_quantized_pooling_t* what) {
  return what->method == ARMNN_POOLING_MAX || what->method == ARMNN_POOLING_AVERAGE;
}

static bool is_resized(const tensor_t* input, const tensor_t* output) {
  return is_image(input) && is_image(output) && input->dims[0] == output->dims[0] &&
         input->dims[3] == output->dims[3];
}

/* ---- Matrices ------------------------------------------------------------------------------ */

static bool is_product(const tensor_t* left, bool transpose_left, const tensor_t* right,
                       bool transpose_right, const tensor_t* output) {
  if (!batch_broadcasts(left, output) || !batch_broadcasts(right, output)) return false;
  const int64_t m = output->dims[output->rank - 2], n = output->dims[output->rank - 1];
  const int64_t k = left->dims[left->rank - (transpose_left ? 2 : 1)];
  return is_matrix_of(left, transpose_left, m, k) && is_matrix_of(right, transpose_right, k, n);
}

static bool fits_matmul(const armnn_i_acc_matmul_t* what) {
  const tensor_t *left = &what->left, *right = &what->right, *output = &what->output;
  return is_product(left, what->transpose_left, right, what->transpose_right, output) &&
         same_type(left, output) && same_type(right, output);
}

static bool fits_quantized_matmul(const armnn_i_acc_quantized_matmul_t* what) {
  return is_product(&what->left, what->transpose_left, &what->right, what->transpose_right,
                    &what->output) &&
         (what->rounding == ARMNN_ACC_ROUND_TWICE || what->rounding == ARMNN_ACC_ROUND_REAL) &&
         is_factor_of(what->factor, what->rounding);
}

/* The same for keys and values that |group| matrices of the last batch dimension share. */
static bool shares(const tensor_t* tensor, const tensor_t* output, int64_t group) {
  if (group == 1) return batch_broadcasts(tensor, output);
  if (tensor->rank != output->rank || tensor->rank < 3) return false;
  const uint32_t last = tensor->rank - 3;
  tensor_t whole = *tensor;
  if (group > output->dims[last] || output->dims[last] % group != 0) return false;
  if (whole.dims[last] != 1 && whole.dims[last] != output->dims[last] / group) return false;
  whole.dims[last] = 1;
  return batch_broadcasts(&whole, output);
}

static bool fits_attention(const armnn_i_acc_attention_t* what) {
  const tensor_t *query = &what->query, *key = &what->key, *value = &what->value;
  const tensor_t *mask = &what->mask, *output = &what->output;
  if (!batch_broadcasts(query, output) || !shares(key, output, what->group) ||
      !shares(value, output, what->group) || (mask->rank > 0 && !batch_broadcasts(mask, output))) {
    return false;
  }
  const uint32_t row = output->rank - 2;
  const bool adds = same_type(mask, output);
  const int64_t m = output->dims[row], n = key->dims[what->transpose_key ? row : row + 1];
  return what->softcap >= 0.0f && query->dims[row] == m &&
         is_matrix_of(key, what->transpose_key, query->dims[row + 1], n) &&
         is_matrix_of(value, what->transpose_value, n, output->dims[row + 1]) &&
         (mask->rank == 0 ||
          ((mask->dims[row] == m || mask->dims[row] == 1) && mask->dims[row + 1] == n &&
           (adds || mask->element.type == ARMNN_DATA_TYPE_BOOLEAN))) &&
         same_type(query, output) && same_type(key, output) && same_type(value, output);
}

/* Angles for |turned| numbers of a row, or half as many, that broadcast to |output|. */
static bool are_angles(const tensor_t* angles, const tensor_t* output, int64_t turned) {
  if (angles->rank != output->rank || !same_type(angles, output)) return false;
  const uint32_t last = output->rank - 1;
  for (uint32_t d = 0; d < last; ++d) {
    if (angles->dims[d] != output->dims[d] && angles->dims[d] != 1) return false;
  }
  return angles->dims[last] == turned || 2 * angles->dims[last] == turned;
}

static bool fits_rotary(const armnn_i_acc_rotary_t* what) {
  const tensor_t* output = &what->output;
  const uint32_t last = output->rank - 1;
  return alike(&what->input, output) && what->turned % 2 == 0 &&
         are_angles(&what->cosine, output, what->turned) &&
         are_angles(&what->sine, output, what->turned) &&
         what->cosine.dims[last] == what->sine.dims[last];
}

/* ---- Elements ------------------------------------------------------------------------------ */

static bool fits_pairs(const armnn_i_acc_pairs_t* what) {
  return armnn_i_acc_has_pairs(what->kind, what->operation, what->left.element.type);
}

static bool fits_gather(const armnn_i_acc_gather_t* what) {
  const tensor_t *input = &what->input, *indices = &what->indices, *output = &what->output;
  return input->rank >= 2 && indices->rank == 2 && output->rank == 3 &&
         indices->dims[1] == (int64_t)input->rank - 2 && output->dims[0] == input->dims[0] &&
         output->dims[1] == indices->dims[0] && output->dims[2] == input->dims[input->rank - 1];
}

static bool same_memory(const tensor_t* a, const tensor_t* b) {
  return same_dims(a, b) && a->values == NULL && b->values == NULL &&
         a->memory.binding == b->memory.binding && a->memory.offset == b->memory.offset &&
         memcmp(a->strides, b->strides, a->rank * sizeof *a->strides) == 0;
}

static bool fits_scatter(const armnn_i_acc_scatter_t* what) {
  const tensor_t *indices = &what->indices, *updates = &what->updates, *output = &what->output;
  if (indices->rank != 2 || indices->dims[1] > output->rank ||
      updates->rank != 1 + output->rank - (uint32_t)indices->dims[1] ||
      updates->dims[0] != indices->dims[0] || !same_memory(&what->base, output) ||
      !alike(&what->base, output) || !same_type(updates, output)) {
    return false;
  }
  uint32_t axes = 0, next = 1;
  for (uint32_t i = 0; i < (uint32_t)indices->dims[1]; ++i) {
    if (what->axes[i] >= output->rank || (axes >> what->axes[i] & 1u) != 0) return false;
    axes |= 1u << what->axes[i];
  }
  for (uint32_t d = 0; d < output->rank; ++d) {
    if ((axes >> d & 1u) == 0 && updates->dims[next++] != output->dims[d]) return false;
  }
  return true;
}

static bool fits_search(const armnn_i_acc_search_t* what) {
  const tensor_t *input = &what->input, *output = &what->output;
  return input->rank == 3 && output->rank == 2 && input->dims[0] == output->dims[0] &&
         input->dims[2] == output->dims[1];
}

static bool is_folded(const tensor_t* input, const tensor_t* output, uint32_t axis_mask) {
  if (input->rank != output->rank || axis_mask >> input->rank != 0) return false;
  for (uint32_t d = 0; d < input->rank; ++d) {
    const bool folded = (axis_mask >> d & 1u) != 0;
    if (output->dims[d] != (folded ? 1 : input->dims[d])) return false;
  }
  return true;
}

static bool fits_normalize(const armnn_i_acc_normalize_t* what) {
  const bool scaled = what->gamma != NULL || what->beta != NULL;
  return what->axis_mask >> what->input.rank == 0 &&
         (!scaled || what->scale_axis < what->input.rank);
}

/* ---- Moves --------------------------------------------------------------------------------- */

bool armnn_i_acc_check_copy(const armnn_i_acc_copy_t* what) {
  const tensor_t *input = &what->input, *output = &what->output;
  uint32_t seen = 0;
  if (input->rank != output->rank) return false;
  for (uint32_t d = 0; d < output->rank; ++d) {
    if (what->order[d] >= input->rank) return false;
    const int64_t side = input->dims[what->order[d]];
    if (side != output->dims[d] && side != 1) return false;
    seen |= 1u << what->order[d];
  }
  return seen == (1u << output->rank) - 1;
}

static bool fits_pad(const armnn_i_acc_pad_t* what) {
  const tensor_t *input = &what->input, *output = &what->output;
  if (input->rank != output->rank) return false;
  for (uint32_t d = 0; d < input->rank; ++d) {
    const int64_t side = input->dims[d];
    const int64_t most = what->mode == ARMNN_PAD_CONSTANT    ? output->dims[d]
                         : what->mode == ARMNN_PAD_SYMMETRIC ? side
                                                             : side - 1;
    if (!within(what->before[d], 0, most) || !within(what->after[d], 0, most) ||
        what->before[d] + side + what->after[d] != output->dims[d]) {
      return false;
    }
  }
  return true;
}

static bool fits_quantized_binary(const armnn_i_acc_quantized_binary_t* what) {
  return what->operation == ARMNN_BINARY_ADD || what->operation == ARMNN_BINARY_SUB ||
         what->operation == ARMNN_BINARY_MUL;
}

/* ---- Names of kinds.inc --------------------------------------------------------------------- */

#define ALIKE(a, b) alike(&what->a, &what->b)
#define SAME_DIMS(a, b) same_dims(&what->a, &what->b)
#define SAME_TYPE(a, b) same_type(&what->a, &what->b)
#define BROADCASTS(member) broadcasts(&what->member, &what->output)
#define AXIS_OF(axis, tensor) (what->axis < what->tensor.rank)
#define FOLDED is_folded(&what->input, &what->output, what->axis_mask)
#define POOLED is_pooling(WINDOW_OF(what))
#define RESIZED is_resized(&what->input, &what->output)
#define ALONE is_alone(&what->epilogue)
#define THERE(member) (what->member != NULL)
#define CHECKED(name) fits_##name(what)

/* Of the operands, an epilogue must fit the output. */
#define INPUT(...)
#define INPUTS(...)
#define INPUTS3(...)
#define INPUTS4(...)
#define STORED(...)
#define SUM
#define EPILOGUE is_epilogue(&what->epilogue, &what->output) &&
#define KIND(kind, name, operands, traits, members, fits)             \
  bool armnn_i_acc_check_##name(const armnn_i_acc_##name##_t* what) { \
    (void)what;                                                       \
    return operands(fits);                                            \
  }
#define KIND_LIKE(...)
#include "compile/kinds.inc"
#undef KIND
#undef KIND_LIKE
