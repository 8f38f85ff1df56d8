/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * integer_weights.c - constant weights of integer products.
 *
 * Where kernels add four products of bytes in 32 bits, weights are what fits a byte, and the rest
 * of those few that do not is listed, to be added to the sums one by one.
 *
 * Where kernels multiply bytes in 16 bits, four weights of a channel together must not be too large
 * for that (kernels/dynamic/dynamic.h). What is too much is taken off and listed as well: hardly
 * any of what networks have, whose few large weights decide the scale. Weights with longer lists
 * are packed as levels of 16 bits.
 */
#include "integer_weights.h"

#include "packs.h"
#include "safe_weights.h"
#include "shared_weights.h"

/* One listed weight for so many others costs as much as they do. */
enum { WEIGHTS_FOR_AN_EXCESS = 128 };

typedef struct packing_t {
  const armnn_i_acc_tensor_t* weights;
  const int32_t* zero_points;
  armnn_i_acc_integer_weights_t* out;
  uint32_t count, limit; /* of excesses */
} packing_t;

static int32_t weight_at(const packing_t* packing, int64_t k, int64_t n) {
  const armnn_i_acc_tensor_t* weights = packing->weights;
  if (k >= weights->dims[0]) return 0;
  const char* at = (const char*)weights->values + k * weights->strides[0] + n * weights->strides[1];
  const int32_t number =
      weights->element.type == ARMNN_DATA_TYPE_QASYMM_U8 ? *(const uint8_t*)at : *(const int8_t*)at;
  return number - packing->zero_points[n];
}

/* ---- Bytes --------------------------------------------------------------------------------- */

static bool list(packing_t* packing, int64_t k, int64_t channel, int32_t weight) {
  if (packing->count == packing->limit) return false;
  packing->out->excesses[packing->count++] =
      (armnn_i_acc_excess_t){(uint32_t)k, (int16_t)channel, (int16_t)weight};
  return true;
}

/* Weights that are multiplied in the same 16 bits, of depths |at|: what is too much for that goes
 * to the list. */
static bool make_safe(packing_t* packing, const int64_t at[4], int64_t channel,
                      int32_t weights[4]) {
  int32_t excess[4];
  if (armnn_i_acc_is_safe(weights)) return true;
  armnn_i_acc_make_safe(weights, excess);
  for (int64_t i = 0; i < 4; ++i) {
    if (excess[i] != 0 && !list(packing, at[i], channel, excess[i])) return false;
  }
  return true;
}

static bool pack_bytes(packing_t* packing, int64_t p, char* packed) {
  const armnn_i_acc_integer_weights_t* out = packing->out;
  const int64_t lanes = out->panel / 2, channels = packing->weights->dims[1];
  int32_t* channel_sums = (int32_t*)(void*)packed;
  int8_t* bytes = (int8_t*)(void*)(packed + (uint64_t)out->panel * sizeof *channel_sums);
  for (int64_t c = 0; c < out->panel && p * out->panel + c < channels; ++c) {
    const int64_t n = p * out->panel + c;
    for (int64_t group = 0; group < out->width / ARMNN_ACC_BYTE_GROUP; ++group) {
      for (int64_t pair = 0; pair < ARMNN_ACC_BYTE_HALF / ARMNN_ACC_BYTE_PAIR; ++pair) {
        const int64_t first = group * ARMNN_ACC_BYTE_GROUP + pair * ARMNN_ACC_BYTE_PAIR;
        const int64_t at[4] = {first, first + 1, first + ARMNN_ACC_BYTE_HALF,
                               first + ARMNN_ACC_BYTE_HALF + 1};
        int32_t weights[4];
        for (int32_t i = 0; i < 4; ++i) {
          weights[i] = weight_at(packing, at[i], n);
          channel_sums[c] += weights[i];
        }
        if (!make_safe(packing, at, c, weights)) return false;
        for (int64_t i = 0; i < 4; ++i) {
          const int64_t half = i / ARMNN_ACC_BYTE_PAIR;
          const int64_t vector = (group * 2 + c / lanes) * 2 + half;
          const int64_t place = (vector * lanes + c % lanes) * ARMNN_ACC_BYTE_HALF;
          bytes[place + pair * ARMNN_ACC_BYTE_PAIR + i % ARMNN_ACC_BYTE_PAIR] = (int8_t)weights[i];
        }
      }
    }
  }
  return true;
}

/* For products of four bytes in 32 bits. */
static bool pack_whole_bytes(packing_t* packing, int64_t p, char* packed) {
  const armnn_i_acc_integer_weights_t* out = packing->out;
  int32_t* channel_sums = (int32_t*)(void*)packed;
  int8_t* bytes = (int8_t*)(void*)(packed + (uint64_t)out->panel * sizeof *channel_sums);
  const int64_t size = ARMNN_ACC_BYTE_HALF; /* depths of a group */
  for (int64_t c = 0; c < out->panel && p * out->panel + c < packing->weights->dims[1]; ++c) {
    for (int64_t k = 0; k < out->depth; ++k) {
      const int32_t weight = weight_at(packing, k, p * out->panel + c);
      const int32_t byte = weight > INT8_MAX ? INT8_MAX : weight < INT8_MIN ? INT8_MIN : weight;
      channel_sums[c] += weight;
      if (byte != weight && !list(packing, k, c, weight - byte)) return false;
      bytes[(k / size * out->panel + c) * size + k % size] = (int8_t)byte;
    }
  }
  return true;
}

/* ---- Levels of 16 bits --------------------------------------------------------------------- */

static void pack_levels(const packing_t* packing, int64_t p, char* packed) {
  const armnn_i_acc_integer_weights_t* out = packing->out;
  int16_t* levels = (int16_t*)(void*)packed;
  for (int64_t c = 0; c < out->panel && p * out->panel + c < packing->weights->dims[1]; ++c) {
    for (int64_t k = 0; k < out->depth; ++k) {
      levels[(k / 2 * out->panel + c) * 2 + k % 2] =
          (int16_t)weight_at(packing, k, p * out->panel + c);
    }
  }
}

/* ---- Packing ------------------------------------------------------------------------------- */

/* UNSUPPORTED: bytes with too long a list. */
static armnn_status_t pack(packing_t* packing, bool bytes) {
  armnn_i_acc_integer_weights_t* out = packing->out;
  const int64_t unit = bytes ? ARMNN_ACC_BYTE_GROUP : 2;
  out->bytes = bytes;
  out->width = armnn_i_acc_ceil_div(out->depth, unit) * unit;
  out->panel_size = (uint64_t)(out->panel * out->width) * (bytes ? 1 : sizeof(int16_t));
  if (bytes) out->panel_size += (uint64_t)out->panel * sizeof(int32_t);
  const uint64_t size = (uint64_t)out->panels * out->panel_size;
  out->packed = armnn_i_acc_new_weights(out->host, size);
  if (out->packed == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  memset(out->packed, 0, size);
  bool fits = true;
  for (int64_t p = 0; p < out->panels && fits; ++p) {
    char* packed = out->packed + (uint64_t)p * out->panel_size;
    if (bytes) {
      out->excess_begin[p] = packing->count;
      fits = (out->has_dot_product ? pack_whole_bytes : pack_bytes)(packing, p, packed);
    } else {
      pack_levels(packing, p, packed);
    }
  }
  if (fits) {
    out->excess_begin[out->panels] = packing->count;
    out->packed = armnn_i_acc_share_weights(out->packed);
    return ARMNN_STATUS_OK;
  }
  armnn_i_acc_release_weights(out->packed);
  out->packed = NULL;
  return ARMNN_STATUS_UNSUPPORTED;
}

armnn_status_t armnn_i_acc_pack_integers(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_tensor_t* weights,
                                         const int32_t* zero_points,
                                         armnn_i_acc_integer_weights_t* out) {
  const int64_t depth = weights->dims[0], channels = weights->dims[1];
  *out = (armnn_i_acc_integer_weights_t){
      .host = maker->host,
      .quantized = maker->isa->quantized,
      .dynamic = maker->isa->dynamic,
      .depth = depth,
      .panel = maker->isa->quantized->panel,
      .has_dot_product = maker->isa->quantized->byte_sums != NULL,
  };
  out->panels = armnn_i_acc_ceil_div(channels, out->panel);
  packing_t packing = {.weights = weights, .zero_points = zero_points, .out = out};
  packing.limit = (uint32_t)(depth * channels / WEIGHTS_FOR_AN_EXCESS);
  const uint64_t begins =
      armnn_i_acc_round_up(((size_t)out->panels + 1) * sizeof *out->excess_begin, ARMNN_ACC_LINE);
  out->excess_begin = armnn_alloc(
      maker->host, begins + (packing.limit + UINT64_C(1)) * sizeof *out->excesses, ARMNN_ACC_LINE);
  if (out->excess_begin == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
  out->excesses = (armnn_i_acc_excess_t*)(void*)((char*)out->excess_begin + begins);
  armnn_status_t status = ARMNN_STATUS_UNSUPPORTED;
  if (out->has_dot_product || out->dynamic->byte_sums != NULL) status = pack(&packing, true);
  if (status == ARMNN_STATUS_UNSUPPORTED) status = pack(&packing, false);
  if (status != ARMNN_STATUS_OK) {
    armnn_i_acc_free_integers(out);
    return status;
  }
  armnn_i_acc_count_kept(maker->packs, out->packed);
  return ARMNN_STATUS_OK;
}

void armnn_i_acc_free_integers(armnn_i_acc_integer_weights_t* weights) {
  armnn_i_acc_release_weights(weights->packed);
  if (weights->excess_begin != NULL) armnn_free(weights->host, weights->excess_begin);
  weights->packed = NULL;
  weights->excess_begin = NULL;
}

/* ---- Sums ---------------------------------------------------------------------------------- */

/* Sums wrap on their way, as in the kernels. */
static void add_excesses(const armnn_i_acc_integer_weights_t* weights, int64_t panel,
                         const uint8_t* input, int64_t rows, int32_t* sums) {
  for (uint32_t i = weights->excess_begin[panel]; i < weights->excess_begin[panel + 1]; ++i) {
    const armnn_i_acc_excess_t excess = weights->excesses[i];
    for (int64_t r = 0; r < rows; ++r) {
      int32_t* sum = &sums[r * weights->panel + excess.channel];
      const int32_t product = input[r * weights->width + excess.depth] * excess.weight;
      *sum = (int32_t)((uint32_t)*sum + (uint32_t)product);
    }
  }
}

void armnn_i_acc_sum_integers(const armnn_i_acc_integer_weights_t* weights, int64_t panel,
                              const void* input, const int32_t* zero_points, int64_t rows,
                              int32_t* sums) {
  const char* packed = weights->packed + (uint64_t)panel * weights->panel_size;
  if (!weights->bytes) {
    const armnn_i_acc_sums_job_t job = {
        .input = (const int16_t*)input,
        .input_row = weights->width,
        .rows = (uint32_t)rows,
        .pairs = (size_t)(weights->width / 2),
        .weights = (const int32_t*)(const void*)packed,
        .sums = sums,
    };
    weights->quantized->sums(&job);
    return;
  }
  const int64_t group = weights->has_dot_product ? ARMNN_ACC_BYTE_HALF : ARMNN_ACC_BYTE_GROUP;
  const armnn_i_acc_byte_sums_job_t job = {
      .input = (const uint8_t*)input,
      .input_row = weights->width,
      .rows = (uint32_t)rows,
      .groups = (size_t)(weights->width / group),
      .weights = (const int8_t*)(const void*)(packed + (uint64_t)weights->panel * sizeof(int32_t)),
      .zero_points = zero_points,
      .channel_sums = (const int32_t*)(const void*)packed,
      .sums = sums,
  };
  (weights->has_dot_product ? weights->quantized->byte_sums : weights->dynamic->byte_sums)(&job);
  add_excesses(weights, panel, (const uint8_t*)input, rows, sums);
}
