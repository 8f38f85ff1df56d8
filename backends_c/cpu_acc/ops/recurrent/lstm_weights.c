/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lstm_weights.c - see lstm_weights.h. Panels are those of other products of bytes: the arrays of
 * the channels, then weights. Channels are the cells of one gate after the other.
 */
#include "lstm_weights.h"

#include "ops/quantized_products/quantized_pack.h"

/* What one product is packed from. */
typedef struct source_t {
  const int8_t* const* weights; /* by gate: [cells, depth]; null: none of these channels */
  const int32_t* const* bias;   /* by gate, each perhaps null; or null */
  armnn_factor_t factors[ARMNN_LSTM_GATES];
  int64_t cells;
} source_t;

static armnn_i_acc_lstm_product_t plan(const armnn_i_acc_maker_t* maker, const source_t* source,
                                       int64_t depth, int32_t zero_point) {
  const armnn_i_acc_quantized_kernels_t* all = maker->isa->quantized;
  const armnn_i_acc_lstm_int8_kernels_t* kernels = all->lstm;
  const int64_t panel = kernels->panel, group = kernels->group;
  armnn_i_acc_lstm_product_t product = {.depth = depth, .flip = 0x80};
  product.zero = (int16_t)(zero_point + 0x80);
  if (kernels->bytes == 1) {
    product.flip ^= all->byte_sign;
    product.zero = (int16_t)(product.zero - all->byte_sign);
  }
  for (int gate = 0; gate < ARMNN_LSTM_GATES; ++gate) {
    if (source->weights[gate] == NULL) continue;
    product.channels += source->cells;
    product.flags |= armnn_i_acc_scale_of(source->factors[gate]);
  }
  product.groups = armnn_i_acc_ceil_div(depth, group);
  product.width = product.groups * group * kernels->bytes;
  product.panels = armnn_i_acc_ceil_div(product.channels, panel);
  product.panel_size =
      panel * ARMNN_ACC_CHANNEL_ARRAYS + panel * product.groups * group / (int64_t)sizeof(int32_t);
  return product;
}

/* As armnn_i_acc_pack_channel, of a factor that rounds twice. */
static void pack_arrays(armnn_factor_t factor, int32_t bias, int32_t* arrays, int64_t width) {
  const int32_t left = factor.shift > 0 ? factor.shift : 0, right = left - factor.shift;
  arrays[ARMNN_ACC_CHANNEL_BIAS * width] = bias;
  arrays[ARMNN_ACC_CHANNEL_MULTIPLIER * width] = factor.multiplier;
  arrays[ARMNN_ACC_CHANNEL_RIGHT * width] = right;
  arrays[ARMNN_ACC_CHANNEL_HALF * width] = right == 0 ? 0 : 1 << (right - 1);
  arrays[ARMNN_ACC_CHANNEL_LEFT * width] = left;
}

/* The bias of rows of bytes takes off what their zero point adds to a sum: sums wrap. */
static void pack(const armnn_i_acc_lstm_int8_kernels_t* kernels, const source_t* source,
                 const armnn_i_acc_lstm_product_t* product, int32_t* packed) {
  const int64_t width = kernels->panel, group = kernels->group;
  int64_t channel = 0;
  for (int gate = 0; gate < ARMNN_LSTM_GATES; ++gate) {
    if (source->weights[gate] == NULL) continue;
    const int32_t* bias = source->bias == NULL ? NULL : source->bias[gate];
    for (int64_t cell = 0; cell < source->cells; ++cell, ++channel) {
      const int8_t* from = source->weights[gate] + cell * product->depth;
      int32_t* panel = packed + channel / width * product->panel_size;
      const int64_t c = channel % width;
      int8_t* to = (int8_t*)(void*)(panel + ARMNN_ACC_CHANNEL_ARRAYS * width);
      uint32_t total = 0;
      for (int64_t k = 0; k < product->depth; ++k) {
        to[(k / group * width + c) * group + k % group] = from[k];
        total += (uint32_t)from[k];
      }
      const uint32_t own = bias == NULL ? 0 : (uint32_t)bias[cell];
      const uint32_t taken = kernels->bytes == 1 ? (uint32_t)product->zero * total : 0;
      pack_arrays(source->factors[gate], (int32_t)(own - taken), panel + c, width);
    }
  }
}

static void name_source(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                        const source_t* source, const armnn_i_acc_lstm_product_t* product) {
  ARMNN_ACC_NAME(name, (uint64_t)product->depth, (uint64_t)product->channels,
                 (uint64_t)product->zero);
  for (int gate = 0; gate < ARMNN_LSTM_GATES; ++gate) {
    const bool is_there = source->weights[gate] != NULL;
    const armnn_factor_t factor = source->factors[gate];
    ARMNN_ACC_NAME(name, is_there, (uint64_t)factor.multiplier, (uint64_t)factor.shift);
    if (!is_there) continue;
    armnn_i_acc_name_weights(name, maker, source->weights[gate]);
    armnn_i_acc_name_values(name, maker, source->bias == NULL ? NULL : source->bias[gate],
                            (uint64_t)source->cells * sizeof(int32_t));
  }
}

armnn_status_t armnn_i_acc_pack_lstm(const armnn_i_acc_maker_t* maker,
                                     const armnn_i_acc_lstm_int8_t* what,
                                     armnn_i_acc_lstm_weights_t* out) {
  const armnn_i_acc_lstm_int8_kernels_t* kernels = maker->isa->quantized->lstm;
  const armnn_lstm_int8_t* levels = &what->levels;
  const int8_t* projections[ARMNN_LSTM_GATES] = {what->projection};
  const int32_t* projection_bias[ARMNN_LSTM_GATES] = {what->projection_bias};
  source_t sources[] = {
      {.weights = what->weights, .bias = levels->options.layer_norm ? NULL : what->bias},
      {.weights = what->recurrent},
      {.weights = projections, .bias = projection_bias, .factors = {levels->projected}},
  };
  armnn_i_acc_lstm_product_t* products[] = {&out->input, &out->recurrent, &out->projection};
  for (int gate = 0; gate < ARMNN_LSTM_GATES; ++gate) {
    sources[0].factors[gate] = levels->gates[gate].input;
    sources[1].factors[gate] = levels->gates[gate].recurrent;
  }
  sources[0].cells = sources[1].cells = what->cells;
  sources[2].cells = what->outputs;
  out->input = plan(maker, &sources[0], what->input.dims[2], levels->input_zero);
  out->recurrent = plan(maker, &sources[1], what->outputs, levels->state_zero);
  out->projection = plan(maker, &sources[2], what->cells, levels->hidden_zero);
  armnn_i_acc_name_t name = {0};
  uint64_t numbers = 0, layout[3 * 3];
  ARMNN_ACC_NAME(&name, ARMNN_ACC_NAME_LSTM_INT8, kernels->panel, kernels->bytes, kernels->group);
  for (int i = 0; i < 3; ++i) {
    name_source(&name, maker, &sources[i], products[i]);
    numbers += (uint64_t)(products[i]->panels * products[i]->panel_size);
    layout[3 * i] = (uint64_t)products[i]->depth;
    layout[3 * i + 1] = (uint64_t)products[i]->channels;
    layout[3 * i + 2] = (uint64_t)products[i]->panel_size;
  }
  const uint64_t size = numbers * sizeof(int32_t);
  const uint64_t seed = armnn_i_acc_layout(8, layout, 9);
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_take_packed(maker, size, seed, &name, &out->memory));
  if (!out->memory.is_packed) {
    int32_t* packed = memset(out->memory.data, 0, size);
    for (int i = 0; i < 3; ++i) {
      pack(kernels, &sources[i], products[i], packed);
      packed += products[i]->panels * products[i]->panel_size;
    }
  }
  armnn_i_acc_share_packed(maker, size, seed, &out->memory);
  const int32_t* packed = out->memory.data;
  for (int i = 0; i < 3; ++i) {
    products[i]->packed = packed;
    packed += products[i]->panels * products[i]->panel_size;
  }
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_read_lstm_rows(const armnn_i_acc_lstm_int8_kernels_t* kernels,
                                const armnn_i_acc_lstm_product_t* product, const void* bytes,
                                int64_t step, int64_t rows, char* numbers) {
  const armnn_i_acc_levels_of_t job = {
      .input = bytes,
      .input_step = step,
      .output = numbers,
      .pixels = (size_t)rows,
      .channels = (size_t)product->depth,
      .width = (size_t)(product->width / kernels->bytes),
      .flip = product->flip,
      .offset = product->zero,
  };
  kernels->read(&job);
}
