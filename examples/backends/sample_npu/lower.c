/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lower.c - the middle stage of the compiler: a layer becomes an instruction with packed constants.
 */
#include "compile.h"

/* n, height, width, channels of a value whose channels lie as |first| says. */
typedef struct image_t {
  uint32_t n, h, w, c;
} image_t;

static image_t image_of(const armnn_tensor_info_t* info, bool first) {
  const uint64_t* d = info->dims;
  return (image_t){(uint32_t)d[0], (uint32_t)d[first ? 2 : 1], (uint32_t)d[first ? 3 : 2],
                   (uint32_t)d[first ? 1 : 3]};
}

/* The tensor that the instruction for |value| writes. */
static uint32_t result(npu_compiler_t* compiler, uint32_t value, int form) {
  npu_value_t* v = &compiler->values[value];
  v->forms[form] = form == NPU_PLAIN && v->binding != NPU_NONE
                       ? v->binding
                       : npu_emit_tensor(&compiler->emitter, NPU_NONE, npu_tensor_bytes(v->info));
  return v->forms[form];
}

uint32_t npu_as_form(npu_compiler_t* compiler, uint32_t value, int form) {
  const npu_value_t* v = &compiler->values[value];
  if (v->forms[form] != NPU_NONE) return v->forms[form];
  const image_t image = image_of(v->info, true);
  npu_instruction_t i = {.op = NPU_OP_TRANSPOSE, .second = NPU_NONE, .n = image.n, .ic = 1};
  i.ih = form == NPU_TURNED ? image.c : image.h * image.w;
  i.iw = form == NPU_TURNED ? image.h * image.w : image.c;
  i.input = v->forms[form == NPU_TURNED ? NPU_PLAIN : NPU_TURNED];
  i.output = result(compiler, value, form);
  npu_emit(&compiler->emitter, &i);
  return i.output;
}

/* Bias of the layer and of what was fused, with |more| zeros behind it. */
static uint64_t pack_bias(npu_compiler_t* compiler, uint32_t head, uint32_t channels,
                          uint32_t more) {
  const armnn_const_tensor_t* bias = armnn_constant_of(compiler->part->layers[head], 2);
  const armnn_const_tensor_t* row = compiler->chains[head].row;
  uint64_t offset;
  float* packed = npu_emit_constants(&compiler->emitter, (uint64_t)channels + more, &offset);
  for (uint32_t c = 0; packed != NULL && c < channels; ++c) {
    if (bias != NULL) packed[c] += ((const float*)bias->data)[c];
    if (row != NULL) packed[c] += ((const float*)row->data)[c];
  }
  return offset;
}

/* Strides in the weights of a layer, by output channel, tap and input channel. */
typedef struct weights_t {
  const float* values;
  uint64_t output, tap, input;
} weights_t;

static uint64_t pack_weights(npu_compiler_t* compiler, const npu_instruction_t* i,
                             const weights_t* w) {
  const uint32_t in_group = i->ic / i->groups, out_group = i->oc / i->groups;
  const uint32_t blocks = (out_group + NPU_BLOCK - 1) / NPU_BLOCK, taps = i->kh * i->kw;
  uint64_t offset;
  float* packed = npu_emit_constants(
      &compiler->emitter, (uint64_t)i->groups * blocks * taps * in_group * NPU_BLOCK, &offset);
  if (packed == NULL) return offset;
  for (uint32_t block = 0; block < i->groups * blocks; ++block) {
    const uint32_t first = block % blocks * NPU_BLOCK;
    for (uint32_t tap = 0; tap < taps; ++tap) {
      for (uint32_t c = 0; c < in_group; ++c, packed += NPU_BLOCK) {
        for (uint32_t k = 0; k < NPU_BLOCK && first + k < out_group; ++k) {
          const uint64_t channel = (uint64_t)block / blocks * out_group + first + k;
          packed[k] = w->values[channel * w->output + tap * w->tap + c * w->input];
        }
      }
    }
  }
  return offset;
}

/* What all instructions of a chain share; the operands must have their form by now. */
static void finish(npu_compiler_t* compiler, uint32_t head, npu_instruction_t* i, int form) {
  const npu_chain_t* chain = &compiler->chains[head];
  if (chain->residual != NPU_NONE) i->second = npu_as_form(compiler, chain->residual, form);
  i->low = chain->low;
  i->high = chain->high;
  i->output = result(compiler, compiler->part->input_count + chain->tail, form);
  npu_emit(&compiler->emitter, i);
}

static void set_images(npu_instruction_t* i, image_t in, image_t out) {
  i->n = in.n, i->ih = in.h, i->iw = in.w, i->ic = in.c;
  i->oh = out.h, i->ow = out.w, i->oc = out.c;
}

#define SET_WINDOW(i, d)                                                  \
  do {                                                                    \
    (i)->stride_y = (d)->stride_y, (i)->stride_x = (d)->stride_x;         \
    (i)->dilation_y = (d)->dilation_y, (i)->dilation_x = (d)->dilation_x; \
    (i)->pad_top = (d)->pad_top, (i)->pad_left = (d)->pad_left;           \
    (i)->pad_bottom = (d)->pad_bottom, (i)->pad_right = (d)->pad_right;   \
  } while (0)

static void lower_convolution(npu_compiler_t* compiler, uint32_t head, uint32_t input) {
  const armnn_layer_t* layer = compiler->part->layers[head];
  const armnn_convolution2d_descriptor_t* d = (const void*)layer->descriptor;
  const bool first = d->data_layout == ARMNN_DATA_LAYOUT_NCHW;
  const int form = first ? NPU_TURNED : NPU_PLAIN;
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, 1);
  const image_t window = image_of(constant->info, first);
  npu_instruction_t i = {.op = NPU_OP_CONVOLUTION, .second = NPU_NONE};
  set_images(&i, image_of(layer->input_infos[0], first), image_of(layer->output_infos[0], first));
  SET_WINDOW(&i, d);
  i.kh = window.h, i.kw = window.w, i.groups = d->groups == 0 ? 1 : d->groups;
  const uint64_t taps = (uint64_t)i.kh * i.kw, in_group = i.ic / i.groups;
  const weights_t weights = {constant->data, taps * in_group, first ? 1 : in_group,
                             first ? taps : 1};
  i.weights = pack_weights(compiler, &i, &weights);
  i.bias = pack_bias(compiler, head, i.oc, i.ic / i.groups);
  i.input = npu_as_form(compiler, input, form);
  finish(compiler, head, &i, form);
}

static void lower_depthwise(npu_compiler_t* compiler, uint32_t head, uint32_t input) {
  const armnn_layer_t* layer = compiler->part->layers[head];
  const armnn_depthwise_convolution2d_descriptor_t* d = (const void*)layer->descriptor;
  const bool first = d->data_layout == ARMNN_DATA_LAYOUT_NCHW;
  const int form = first ? NPU_TURNED : NPU_PLAIN;
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, 1);
  npu_instruction_t i = {.op = NPU_OP_DEPTHWISE, .second = NPU_NONE, .groups = 1};
  set_images(&i, image_of(layer->input_infos[0], first), image_of(layer->output_infos[0], first));
  SET_WINDOW(&i, d);
  i.kh = (uint32_t)constant->info->dims[1], i.kw = (uint32_t)constant->info->dims[2];
  const uint64_t count = (uint64_t)i.kh * i.kw * i.oc; /* they lie as the device wants them */
  float* packed = npu_emit_constants(&compiler->emitter, count, &i.weights);
  for (uint64_t k = 0; packed != NULL && k < count; ++k) {
    packed[k] = ((const float*)constant->data)[k];
  }
  i.bias = pack_bias(compiler, head, i.oc, 0);
  i.input = npu_as_form(compiler, input, form);
  finish(compiler, head, &i, form);
}

/* A convolution with one tap over an image that is one pixel high. */
static void lower_fully_connected(npu_compiler_t* compiler, uint32_t head, uint32_t input) {
  const armnn_layer_t* layer = compiler->part->layers[head];
  const armnn_fully_connected_descriptor_t* d = (const void*)layer->descriptor;
  const bool turned = d->transpose_weight_matrix != 0; /* [O, I] */
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, 1);
  const uint32_t inputs = (uint32_t)constant->info->dims[turned ? 1 : 0];
  const uint32_t outputs = (uint32_t)constant->info->dims[turned ? 0 : 1];
  const uint32_t rows = (uint32_t)(layer->input_infos[0]->element_count / inputs);
  npu_instruction_t i = {.op = NPU_OP_CONVOLUTION, .second = NPU_NONE, .groups = 1};
  i.kh = i.kw = i.stride_y = i.stride_x = i.dilation_y = i.dilation_x = 1;
  set_images(&i, (image_t){1, 1, rows, inputs}, (image_t){1, 1, rows, outputs});
  const weights_t weights = {constant->data, turned ? inputs : 1, 0, turned ? 1 : outputs};
  i.weights = pack_weights(compiler, &i, &weights);
  i.bias = pack_bias(compiler, head, i.oc, i.ic);
  i.input = npu_as_form(compiler, input, NPU_PLAIN);
  finish(compiler, head, &i, NPU_PLAIN);
}

static void lower_pooling(npu_compiler_t* compiler, uint32_t head, uint32_t input) {
  const armnn_layer_t* layer = compiler->part->layers[head];
  const armnn_pooling2d_descriptor_t* d = (const void*)layer->descriptor;
  const bool first = d->data_layout == ARMNN_DATA_LAYOUT_NCHW;
  const int form = first ? NPU_TURNED : NPU_PLAIN;
  const bool average = d->pool_type == ARMNN_POOLING_AVERAGE;
  npu_instruction_t i = {.op = average ? NPU_OP_POOL_AVERAGE : NPU_OP_POOL_MAX,
                         .second = NPU_NONE,
                         .groups = 1,
                         .exclude_padding = d->padding_method == ARMNN_PADDING_EXCLUDE};
  set_images(&i, image_of(layer->input_infos[0], first), image_of(layer->output_infos[0], first));
  SET_WINDOW(&i, d);
  i.dilation_y += i.dilation_y == 0;
  i.dilation_x += i.dilation_x == 0;
  i.kh = d->pool_height, i.kw = d->pool_width;
  i.input = npu_as_form(compiler, input, form);
  finish(compiler, head, &i, form);
}

/* The form that |value| has already. */
static int present_form(const npu_compiler_t* compiler, uint32_t value) {
  return compiler->values[value].forms[NPU_PLAIN] != NPU_NONE ? NPU_PLAIN : NPU_TURNED;
}

/* All elements in a row: for instructions that know no channels. */
static void set_line(npu_instruction_t* i, const armnn_tensor_info_t* info) {
  i->n = i->ih = i->iw = 1;
  i->ic = (uint32_t)info->element_count;
}

static void lower_activation(npu_compiler_t* compiler, uint32_t head, uint32_t input) {
  npu_instruction_t i = {.op = NPU_OP_CLAMP, .second = NPU_NONE};
  const int form = present_form(compiler, input);
  set_line(&i, compiler->values[input].info);
  i.input = npu_as_form(compiler, input, form);
  finish(compiler, head, &i, form);
}

static void lower_add(npu_compiler_t* compiler, uint32_t head) {
  const armnn_layer_t* layer = compiler->part->layers[head];
  const armnn_tensor_info_t* out = layer->output_infos[0];
  const uint32_t known = armnn_constant_of(layer, 0) != NULL ? 0 : 1;
  const armnn_const_tensor_t* constant = armnn_constant_of(layer, known);
  const uint32_t input = npu_value_of(compiler, layer->inputs[constant == NULL ? 0 : 1 - known]);
  npu_instruction_t i = {.op = NPU_OP_ADD, .second = NPU_NONE};
  int form = present_form(compiler, input);
  set_line(&i, out);
  if (constant == NULL) {
    const uint32_t other = npu_value_of(compiler, layer->inputs[1]);
    i.second = npu_as_form(compiler, other, form);
  } else {
    const uint64_t count = constant->info->element_count;
    const int32_t axis = npu_row_axis(constant->info, out);
    if (count != out->element_count) { /* one element, or a row along |axis| */
      i.op = NPU_OP_ADD_ROWS;
      i.iw = i.ic = 1;
      if (axis < 0) i.iw = (uint32_t)out->element_count;
      for (uint32_t k = 0; axis >= 0 && k < out->rank; ++k) {
        uint32_t* side = k == (uint32_t)axis ? &i.ic : k < (uint32_t)axis ? &i.n : &i.iw;
        *side *= (uint32_t)out->dims[k];
      }
      if (axis == 1 && form == NPU_TURNED) {
        i.n *= i.iw;
        i.iw = 1;
      } else if (axis >= 0) {
        form = NPU_PLAIN;
      }
    } else {
      form = NPU_PLAIN;
    }
    float* packed = npu_emit_constants(&compiler->emitter, count, &i.weights);
    for (uint64_t k = 0; packed != NULL && k < count; ++k) {
      packed[k] = ((const float*)constant->data)[k];
    }
  }
  i.input = npu_as_form(compiler, input, form);
  finish(compiler, head, &i, form);
}

void npu_lower(npu_compiler_t* compiler, uint32_t layer) {
  const armnn_layer_t* l = compiler->part->layers[layer];
  const uint32_t input =
      armnn_constant_of(l, 0) == NULL ? npu_value_of(compiler, l->inputs[0]) : NPU_NONE;
  switch (l->type) {
    case ARMNN_LAYER_CONVOLUTION2D:
      lower_convolution(compiler, layer, input);
      break;
    case ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D:
      lower_depthwise(compiler, layer, input);
      break;
    case ARMNN_LAYER_FULLY_CONNECTED:
      lower_fully_connected(compiler, layer, input);
      break;
    case ARMNN_LAYER_POOLING2D:
      lower_pooling(compiler, layer, input);
      break;
    case ARMNN_LAYER_ACTIVATION:
      lower_activation(compiler, layer, input);
      break;
    default: /* ELEMENTWISE_BINARY: support.c lets no other through */
      lower_add(compiler, layer);
      break;
  }
}
