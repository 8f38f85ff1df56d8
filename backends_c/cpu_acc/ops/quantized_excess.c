/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "quantized_excess.h"

#include "safe_weights.h"

enum { ROWS = ARMNN_ACC_EXCESS_ROWS, GROUP = 4 };
enum { COLUMN_BYTES = 128 * 1024, FIRST_CAPACITY = 1024 };

/* ---- Lists --------------------------------------------------------------------------------- */

typedef struct list_t {
  const armnn_host_t* host;
  armnn_i_acc_excess_pair_t* pairs;
  uint32_t count, capacity;
  bool has_room; /* the last pair has one weight */
} list_t;

static armnn_status_t add(list_t* list, int64_t depth, int32_t weight) {
  if (list->has_room) {
    armnn_i_acc_excess_pair_t* last = &list->pairs[list->count - 1];
    last->depths[1] = (uint32_t)depth;
    last->weights[1] = (int16_t)weight;
    list->has_room = false;
    return ARMNN_STATUS_OK;
  }
  if (list->count == list->capacity) {
    const uint32_t capacity = list->capacity == 0 ? FIRST_CAPACITY : 2 * list->capacity;
    armnn_i_acc_excess_pair_t* larger =
        armnn_alloc(list->host, capacity * sizeof *larger, ARMNN_ACC_LINE);
    if (larger == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
    if (list->count > 0) memcpy(larger, list->pairs, list->count * sizeof *larger);
    if (list->pairs != NULL) armnn_free(list->host, list->pairs);
    list->pairs = larger;
    list->capacity = capacity;
  }
  list->pairs[list->count++] =
      (armnn_i_acc_excess_pair_t){{(uint32_t)depth, (uint32_t)depth}, {(int16_t)weight, 0}};
  list->has_room = true;
  return ARMNN_STATUS_OK;
}

/* A channel's weights, of which |next| bytes behind a group is the next one: what kernels add in 16
 * bits, quad by quad. */
static armnn_status_t list_channel(const armnn_i_acc_panel_layout_t* layout, int8_t* weights,
                                   int64_t next, list_t* list) {
  list->has_room = false;
  for (int64_t t = 0; t < layout->taps; ++t) {
    for (int64_t g = 0; g < layout->tap_groups; g += 2) {
      const int64_t group = t * layout->tap_groups + g;
      const bool alone = g + 1 == layout->tap_groups;
      int8_t* at = weights + group * next;
      for (int64_t i = 0; i < GROUP; i += 2, at += 2) {
        int32_t quad[4] = {at[0], at[1], 0, 0}, excess[4];
        if (!alone) {
          quad[2] = at[next];
          quad[3] = at[next + 1];
        }
        if (armnn_i_acc_is_safe(quad)) continue;
        armnn_i_acc_make_safe(quad, excess);
        for (int64_t k = 0; k < 4; ++k) {
          if (excess[k] == 0) continue;
          at[k / 2 * next + k % 2] = (int8_t)quad[k];
          ARMNN_RETURN_IF_ERROR(add(list, (group + k / 2) * GROUP + i + k % 2, excess[k]));
        }
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t list_all(const armnn_i_acc_panel_layout_t* layout, int64_t panel,
                               int32_t* packed, list_t* list, uint32_t* begins) {
  for (int64_t p = 0; p < layout->panels; ++p, packed += layout->panel_size) {
    int8_t* weights = (int8_t*)(packed + ARMNN_ACC_CHANNEL_ARRAYS * panel);
    for (int64_t c = 0; c < panel; ++c) {
      begins[p * panel + c] = list->count;
      ARMNN_RETURN_IF_ERROR(list_channel(layout, weights + c * GROUP, panel * GROUP, list));
    }
  }
  begins[layout->panels * panel] = list->count;
  return ARMNN_STATUS_OK;
}

/* Whether |begins| and |pairs| lead nowhere else: a file may say anything. */
static bool are_lists(const armnn_i_acc_panel_layout_t* layout, const uint32_t* begins,
                      uint64_t channels, const armnn_i_acc_excess_pair_t* pairs, uint32_t count) {
  const uint64_t depths = (uint64_t)(layout->taps * layout->tap_groups * GROUP);
  if (begins[0] != 0 || begins[channels] != count) return false;
  for (uint64_t c = 0; c < channels; ++c) {
    if (begins[c] > begins[c + 1]) return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (pairs[i].depths[0] >= depths || pairs[i].depths[1] >= depths) return false;
  }
  return true;
}

/* Lists of |count| pairs, saved ones or a copy of what was found: where each channel's begins, then
 * pairs. */
static armnn_status_t take_lists(const armnn_i_acc_maker_t* maker,
                                 const armnn_i_acc_panel_layout_t* layout, uint64_t channels,
                                 const uint32_t* begins, const list_t* list, uint32_t count,
                                 armnn_i_acc_packed_t* packed, armnn_i_acc_excesses_t* out) {
  const uint64_t head = (channels + 1) * sizeof *begins, size = head + count * sizeof *out->pairs;
  const uint64_t key =
      ARMNN_ACC_LAYOUT(6, channels, (uint64_t)layout->taps, (uint64_t)layout->tap_groups);
  armnn_i_acc_name_t name = {.is_void = true}; /* shared by what they hold alone */
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_take_packed(maker, size, key, &name, packed));
  if (!packed->is_saved) {
    memcpy(packed->data, begins, head);
    memcpy((char*)packed->data + head, list->pairs, size - head);
    armnn_i_acc_share_packed(maker, size, key, packed);
  }
  out->begins = packed->data;
  out->pairs = (const void*)((const char*)packed->data + head);
  const bool fits =
      !packed->is_saved || are_lists(layout, out->begins, channels, out->pairs, count);
  return fits ? ARMNN_STATUS_OK : ARMNN_STATUS_INCOMPATIBLE;
}

static void plan_slices(const armnn_i_acc_panel_layout_t* layout, const ptrdiff_t* taps,
                        armnn_i_acc_excesses_t* out) {
  out->is_there = true;
  out->columns = (armnn_i_acc_columns_job_t){
      .taps = taps,
      .tap_count = (uint32_t)layout->taps,
      .depths = (size_t)layout->tap_groups * GROUP,
  };
  const int64_t row = layout->taps * layout->tap_groups * GROUP * (int64_t)sizeof(int16_t);
  const int64_t fit = COLUMN_BYTES / (row * ROWS);
  out->slice = (fit > 1 ? fit : 1) * ROWS;
  out->columns_size = (uint64_t)(out->slice * row);
  out->sums_size = (uint64_t)(out->slice * out->kernels->panel) * sizeof(int32_t);
}

armnn_status_t armnn_i_acc_list_excesses(const armnn_i_acc_maker_t* maker,
                                         const armnn_i_acc_product_kernels_t* kernels,
                                         const armnn_i_acc_panel_layout_t* layout,
                                         const ptrdiff_t* taps, armnn_i_acc_product_t* product,
                                         armnn_i_acc_excesses_t* out) {
  const uint64_t channels = (uint64_t)(layout->panels * kernels->panel);
  const bool is_saved = product->weights.is_saved;
  list_t list = {.host = maker->host};
  uint32_t* begins = NULL;
  armnn_status_t status = ARMNN_STATUS_OK;
  *out = (armnn_i_acc_excesses_t){.kernels = kernels};
  if (!is_saved) {
    begins = armnn_alloc(maker->host, (channels + 1) * sizeof *begins, ARMNN_ACC_LINE);
    if (begins == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
    status = list_all(layout, kernels->panel, product->packed, &list, begins);
    product->packed[layout->panels * layout->panel_size] = (int32_t)list.count;
  }
  armnn_i_acc_share_product(maker, product);
  const int32_t count = product->packed[layout->panels * layout->panel_size];
  if (count < 0) status = ARMNN_STATUS_INCOMPATIBLE;
  if (status == ARMNN_STATUS_OK && count > 0) {
    status =
        take_lists(maker, layout, channels, begins, &list, (uint32_t)count, &product->lists, out);
    plan_slices(layout, taps, out);
  }
  if (begins != NULL) armnn_free(maker->host, begins);
  if (list.pairs != NULL) armnn_free(maker->host, list.pairs);
  return status;
}

/* ---- Sums ---------------------------------------------------------------------------------- */

static int64_t columns_of(const armnn_i_acc_excesses_t* excesses) {
  return (int64_t)(excesses->columns.tap_count * excesses->columns.depths) * ROWS;
}

void armnn_i_acc_read_columns(const armnn_i_acc_excesses_t* excesses, const char* const* inputs,
                              int64_t rows, int16_t* columns) {
  armnn_i_acc_columns_job_t job = excesses->columns;
  for (int64_t r = 0; r < rows; r += ROWS, columns += columns_of(excesses)) {
    job.inputs = inputs + r;
    job.rows = (uint32_t)(rows - r < ROWS ? rows - r : ROWS);
    job.columns = columns;
    excesses->kernels->columns(&job);
  }
}

bool armnn_i_acc_sum_excesses(const armnn_i_acc_excesses_t* excesses, int64_t panel, int64_t rows,
                              const int16_t* columns, int32_t* sums) {
  const int64_t width = excesses->kernels->panel;
  armnn_i_acc_excess_job_t job = {.columns = columns,
                                  .begins = excesses->begins + panel * width,
                                  .pairs = excesses->pairs,
                                  .sums = sums};
  if (job.begins[0] == job.begins[width]) return false;
  for (int64_t r = 0; r < rows; r += ROWS) {
    excesses->kernels->excess(&job);
    job.columns += columns_of(excesses);
    job.sums += ROWS * width;
  }
  return true;
}
