/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 */
#include "quantized_excess.h"

#include "ops/dynamic/safe_weights.h"

enum { ROWS = ARMNN_ACC_EXCESS_ROWS, GROUP = 4 };
enum { COLUMN_BYTES = 128 * 1024, FIRST_CAPACITY = 1024 };
enum { RUN = 2 * ARMNN_ACC_EXCESS_PAIRS, OPEN_RUNS = 16 };

/* ---- Lists --------------------------------------------------------------------------------- */

/* What a run holds. */
typedef struct fill_t {
  int32_t count, sums[2]; /* of positive weights, and of negative ones less their sign */
} fill_t;

typedef struct list_t {
  const armnn_host_t* host;
  armnn_i_acc_excess_run_t* runs;
  fill_t fills[OPEN_RUNS];         /* of the last runs, of run r at r % OPEN_RUNS */
  uint32_t count, capacity, begin; /* |begin|: the first run of the channel */
} list_t;

static armnn_status_t add_run(list_t* list) {
  if (list->count == list->capacity) {
    if (list->capacity > UINT32_MAX / 2) return ARMNN_STATUS_OUT_OF_MEMORY;
    const uint32_t capacity = list->capacity == 0 ? FIRST_CAPACITY : 2 * list->capacity;
    armnn_i_acc_excess_run_t* larger =
        armnn_alloc(list->host, capacity * sizeof *larger, ARMNN_ACC_LINE);
    if (larger == NULL) return ARMNN_STATUS_OUT_OF_MEMORY;
    if (list->count > 0) memcpy(larger, list->runs, list->count * sizeof *larger);
    if (list->runs != NULL) armnn_free(list->host, list->runs);
    list->runs = larger;
    list->capacity = capacity;
  }
  list->fills[list->count % OPEN_RUNS] = (fill_t){0, {0, 0}};
  memset(&list->runs[list->count++], 0, sizeof *list->runs);
  return ARMNN_STATUS_OK;
}

/* To the first of the channel's last runs that has room for it. */
static armnn_status_t add(list_t* list, int64_t depth, int32_t weight) {
  const int32_t size = weight < 0 ? -weight : weight;
  uint32_t r = list->count - list->begin > OPEN_RUNS ? list->count - OPEN_RUNS : list->begin;
  while (r < list->count) {
    const fill_t* fill = &list->fills[r % OPEN_RUNS];
    if (fill->count < RUN && fill->sums[weight < 0] + size <= ARMNN_ACC_BYTE_MOST) break;
    ++r;
  }
  if (r == list->count) ARMNN_RETURN_IF_ERROR(add_run(list));
  fill_t* fill = &list->fills[r % OPEN_RUNS];
  const int32_t pair = fill->count / 2, of_pair = fill->count % 2;
  armnn_i_acc_excess_run_t* run = &list->runs[r];
  /* What is not there yet has the depth of what is, which is read anyway. */
  for (int32_t i = fill->count; i < RUN; ++i) run->depths[i / 2][i % 2] = (uint32_t)depth;
  run->weights[pair][of_pair] = run->weights[pair][of_pair + 2] = (int8_t)weight;
  fill->sums[weight < 0] += size;
  ++fill->count;
  return ARMNN_STATUS_OK;
}

/* A channel's weights, of which |next| bytes behind a group is the next one: what kernels add in 16
 * bits, quad by quad. */
static armnn_status_t list_channel(const armnn_i_acc_panel_layout_t* layout, int8_t* weights,
                                   int64_t next, list_t* list) {
  list->begin = list->count;
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

/* Whether |begins| and |runs| lead nowhere else: a file may say anything. */
static bool are_lists(const armnn_i_acc_panel_layout_t* layout, const uint32_t* begins,
                      uint64_t channels, const armnn_i_acc_excess_run_t* runs, uint32_t count) {
  const uint64_t depths = (uint64_t)(layout->taps * layout->tap_groups * GROUP);
  if (begins[0] != 0 || begins[channels] != count) return false;
  for (uint64_t c = 0; c < channels; ++c) {
    if (begins[c] > begins[c + 1]) return false;
  }
  for (uint32_t i = 0; i < count; ++i) {
    for (int32_t k = 0; k < RUN; ++k) {
      if (runs[i].depths[k / 2][k % 2] >= depths) return false;
    }
  }
  return true;
}

/* Lists of |count| runs, saved ones or a copy of what was found: where each channel's begins, then
 * runs. */
static armnn_status_t take_lists(const armnn_i_acc_maker_t* maker,
                                 const armnn_i_acc_panel_layout_t* layout, uint64_t channels,
                                 const uint32_t* begins, const list_t* list, uint32_t count,
                                 armnn_i_acc_packed_t* packed, armnn_i_acc_excesses_t* out) {
  const uint64_t head = (channels + 1) * sizeof *begins, size = head + count * sizeof *out->runs;
  const uint64_t key =
      ARMNN_ACC_LAYOUT(8, channels, (uint64_t)layout->taps, (uint64_t)layout->tap_groups);
  armnn_i_acc_name_t name = {.is_void = true}; /* shared by what they hold alone */
  ARMNN_RETURN_IF_ERROR(armnn_i_acc_take_packed(maker, size, key, &name, packed));
  if (!packed->is_saved) {
    memcpy(packed->data, begins, head);
    memcpy((char*)packed->data + head, list->runs, size - head);
    armnn_i_acc_share_packed(maker, size, key, packed);
  }
  out->begins = packed->data;
  out->runs = (const void*)((const char*)packed->data + head);
  const bool fits = !packed->is_saved || are_lists(layout, out->begins, channels, out->runs, count);
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
  const int64_t row = layout->taps * layout->tap_groups * GROUP;
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
  if (list.runs != NULL) armnn_free(maker->host, list.runs);
  return status;
}

/* ---- Sums ---------------------------------------------------------------------------------- */

static int64_t columns_of(const armnn_i_acc_excesses_t* excesses) {
  return (int64_t)(excesses->columns.tap_count * excesses->columns.depths) * ROWS;
}

void armnn_i_acc_read_columns(const armnn_i_acc_excesses_t* excesses, const char* const* inputs,
                              int64_t rows, uint8_t* columns) {
  armnn_i_acc_columns_job_t job = excesses->columns;
  for (int64_t r = 0; r < rows; r += ROWS, columns += columns_of(excesses)) {
    job.inputs = inputs + r;
    job.rows = (uint32_t)(rows - r < ROWS ? rows - r : ROWS);
    job.columns = columns;
    excesses->kernels->columns(&job);
  }
}

bool armnn_i_acc_sum_excesses(const armnn_i_acc_excesses_t* excesses, int64_t panel, int64_t rows,
                              const uint8_t* columns, int32_t* sums) {
  const int64_t width = excesses->kernels->panel;
  armnn_i_acc_excess_job_t job = {.columns = columns,
                                  .begins = excesses->begins + panel * width,
                                  .runs = excesses->runs,
                                  .sums = sums};
  if (job.begins[0] == job.begins[width]) return false;
  for (int64_t r = 0; r < rows; r += ROWS) {
    excesses->kernels->excess(&job);
    job.columns += columns_of(excesses);
    job.sums += ROWS * width;
  }
  return true;
}
