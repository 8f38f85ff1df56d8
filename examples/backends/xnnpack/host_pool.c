/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * host_pool.c - each loop of pthreadpool is a parallel_for over its tiles, counted row by row.
 *
 * PTHREADPOOL_FLAG_DISABLE_DENORMALS is not heeded: a backend leaves rounding modes alone, and
 * denormals come out as those of every other backend. PTHREADPOOL_FLAG_YIELD_WORKERS is the host's
 * business.
 */
#include "host_pool.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "armnn/backend_kit.h"

#pragma GCC visibility push(default)

static _Atomic uint64_t serial_calls;

uint64_t host_pool_serial_calls(void) { return atomic_load(&serial_calls); }

#define MOST_DIMS 6

/* A loop nest: the last |tiled| of |dims| ranges are cut into tiles. */
typedef struct nest_t {
  void (*task)(void);
  void* context;
  size_t ranges[MOST_DIMS];
  size_t steps[MOST_DIMS]; /* size of a tile, 1 where there is none */
  uint32_t dims;
  uint32_t tiled;
  bool with_id;
  uint32_t id;
} nest_t;

typedef void (*task_2_t)(void*, size_t);
typedef void (*task_3_t)(void*, size_t, size_t);
typedef void (*task_4_t)(void*, size_t, size_t, size_t);
typedef void (*task_5_t)(void*, size_t, size_t, size_t, size_t);
typedef void (*task_6_t)(void*, size_t, size_t, size_t, size_t, size_t);
typedef void (*task_7_t)(void*, size_t, size_t, size_t, size_t, size_t, size_t);
typedef void (*task_8_t)(void*, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
typedef void (*task_9_t)(void*, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);

/* |a|: first indices, then sizes of tiles; |count| of them. */
static void call_plain(const nest_t* nest, const size_t* a, uint32_t count) {
  void* c = nest->context;
  switch (count) {
    case 1:
      ((task_2_t)nest->task)(c, a[0]);
      break;
    case 2:
      ((task_3_t)nest->task)(c, a[0], a[1]);
      break;
    case 3:
      ((task_4_t)nest->task)(c, a[0], a[1], a[2]);
      break;
    case 4:
      ((task_5_t)nest->task)(c, a[0], a[1], a[2], a[3]);
      break;
    case 5:
      ((task_6_t)nest->task)(c, a[0], a[1], a[2], a[3], a[4]);
      break;
    case 6:
      ((task_7_t)nest->task)(c, a[0], a[1], a[2], a[3], a[4], a[5]);
      break;
    case 7:
      ((task_8_t)nest->task)(c, a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
      break;
    default:
      ((task_9_t)nest->task)(c, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
      break;
  }
}

static void call_with_id(const nest_t* nest, const size_t* a, uint32_t count) {
  void* c = nest->context;
  const uint32_t id = nest->id;
  switch (count) {
    case 1:
      ((pthreadpool_task_1d_with_id_t)nest->task)(c, id, a[0]);
      break;
    case 4:
      ((pthreadpool_task_2d_tile_2d_with_id_t)nest->task)(c, id, a[0], a[1], a[2], a[3]);
      break;
    case 5:
      ((pthreadpool_task_3d_tile_2d_with_id_t)nest->task)(c, id, a[0], a[1], a[2], a[3], a[4]);
      break;
    default:
      ((pthreadpool_task_4d_tile_2d_with_id_t)nest->task)(c, id, a[0], a[1], a[2], a[3], a[4],
                                                          a[5]);
      break;
  }
}

static size_t tiles_of(const nest_t* nest, uint32_t d) {
  return nest->ranges[d] / nest->steps[d] + (nest->ranges[d] % nest->steps[d] != 0);
}

static armnn_status_t run_tiles(void* argument, uint64_t begin, uint64_t end,
                                uint32_t thread_index) ARMNN_NOEXCEPT {
  const nest_t* nest = argument;
  const uint32_t dims = nest->dims, plain = dims - nest->tiled;
  size_t at[2 * MOST_DIMS]; /* room for the sizes of the tiles behind the indices */
  uint64_t rest = begin;
  (void)thread_index;
  for (uint32_t d = dims; d-- > 0;) {
    const size_t tiles = tiles_of(nest, d);
    at[d] = (size_t)(rest % tiles) * nest->steps[d];
    rest /= tiles;
  }
  for (uint64_t tile = begin; tile < end; ++tile) {
    for (uint32_t d = plain; d < dims; ++d) {
      const size_t left = nest->ranges[d] - at[d];
      at[nest->tiled + d] = left < nest->steps[d] ? left : nest->steps[d];
    }
    (nest->with_id ? call_with_id : call_plain)(nest, at, dims + nest->tiled);
    for (uint32_t d = dims; d-- > 0;) {
      at[d] += nest->steps[d];
      if (at[d] < nest->ranges[d]) break;
      at[d] = 0;
    }
  }
  return ARMNN_STATUS_OK;
}

static void run(pthreadpool_t pool, nest_t* nest) {
  uint64_t count = 1;
  for (uint32_t d = 0; d < nest->dims; ++d) count *= tiles_of(nest, d);
  if (pool == NULL) {
    atomic_fetch_add_explicit(&serial_calls, 1, memory_order_relaxed);
    run_tiles(nest, 0, count, 0);
  } else {
    armnn_parallel_for(pool->host, run_tiles, nest, count, 1, 0);
  }
}

size_t pthreadpool_get_threads_count(pthreadpool_t pool) {
  if (pool == NULL || pool->host == NULL || !ARMNN_HAS_FN(pool->host, armnn_host_t, concurrency)) {
    return 1;
  }
  return pool->host->concurrency(pool->host->context);
}

/* Parameters of the functions, in pthreadpool's order and by its names. */
#define R1 size_t range_i
#define R2 R1, size_t range_j
#define R3 R2, size_t range_k
#define R4 R3, size_t range_l
#define R5 R4, size_t range_m
#define R6 R5, size_t range_n
#define V1 range_i
#define V2 V1, range_j
#define V3 V2, range_k
#define V4 V3, range_l
#define V5 V4, range_m
#define V6 V5, range_n
#define NO_TILE {1, 1, 1, 1, 1, 1}

#define PLAIN(n)                                                                              \
  void pthreadpool_parallelize_##n##d(pthreadpool_t pool, pthreadpool_task_##n##d_t function, \
                                      void* context, R##n, uint32_t flags) {                  \
    (void)flags;                                                                              \
    run(pool, &(nest_t){(void (*)(void))function, context, {V##n}, NO_TILE, n, 0, false, 0}); \
  }
#define TILE_1D(n, x)                                                                      \
  void pthreadpool_parallelize_##n##d_tile_1d(                                             \
      pthreadpool_t pool, pthreadpool_task_##n##d_tile_1d_t function, void* context, R##n, \
      size_t tile_##x, uint32_t flags) {                                                   \
    nest_t nest = {(void (*)(void))function, context, {V##n}, NO_TILE, n, 1, false, 0};    \
    (void)flags;                                                                           \
    nest.steps[n - 1] = tile_##x;                                                          \
    run(pool, &nest);                                                                      \
  }
#define TILE_2D(n, x, y)                                                                   \
  void pthreadpool_parallelize_##n##d_tile_2d(                                             \
      pthreadpool_t pool, pthreadpool_task_##n##d_tile_2d_t function, void* context, R##n, \
      size_t tile_##x, size_t tile_##y, uint32_t flags) {                                  \
    nest_t nest = {(void (*)(void))function, context, {V##n}, NO_TILE, n, 2, false, 0};    \
    (void)flags;                                                                           \
    nest.steps[n - 2] = tile_##x;                                                          \
    nest.steps[n - 1] = tile_##y;                                                          \
    run(pool, &nest);                                                                      \
  }
/* A tile may be told on which kind of core it runs; the host does not say, so it is the default. */
#define TILE_2D_UARCH(n, x, y)                                                               \
  void pthreadpool_parallelize_##n##d_tile_2d_with_uarch(                                    \
      pthreadpool_t pool, pthreadpool_task_##n##d_tile_2d_with_id_t function, void* context, \
      uint32_t default_uarch_index, uint32_t max_uarch_index, R##n, size_t tile_##x,         \
      size_t tile_##y, uint32_t flags) {                                                     \
    nest_t nest = {(void (*)(void))function, context, {V##n}, NO_TILE, n, 2, true,           \
                   default_uarch_index};                                                     \
    (void)flags;                                                                             \
    (void)max_uarch_index;                                                                   \
    nest.steps[n - 2] = tile_##x;                                                            \
    nest.steps[n - 1] = tile_##y;                                                            \
    run(pool, &nest);                                                                        \
  }

void pthreadpool_parallelize_1d_with_uarch(pthreadpool_t pool,
                                           pthreadpool_task_1d_with_id_t function, void* context,
                                           uint32_t default_uarch_index, uint32_t max_uarch_index,
                                           R1, uint32_t flags) {
  nest_t nest = {(void (*)(void))function, context, {V1}, NO_TILE, 1, 0, true, default_uarch_index};
  (void)flags;
  (void)max_uarch_index;
  run(pool, &nest);
}

PLAIN(1)
PLAIN(2)
PLAIN(3)
PLAIN(4)
PLAIN(5)
PLAIN(6)
TILE_1D(1, i)
TILE_1D(2, j)
TILE_1D(3, k)
TILE_1D(4, l)
TILE_1D(5, m)
TILE_1D(6, n)
TILE_2D(2, i, j)
TILE_2D(3, j, k)
TILE_2D(4, k, l)
TILE_2D(5, l, m)
TILE_2D(6, m, n)
TILE_2D_UARCH(2, i, j)
TILE_2D_UARCH(3, j, k)
TILE_2D_UARCH(4, k, l)
