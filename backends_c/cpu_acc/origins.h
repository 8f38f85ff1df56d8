/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * origins.h - names for what is packed: all that decides its bytes.
 *
 * A network is compiled for one set of shapes after the other, and nearly all of its weights are
 * packed alike each time. So that they are packed once, they get a name before they are packed: how
 * they lie, and the numbers of the constants that they are made of (armnn/lasting_constants.h), or
 * the bytes themselves where these are few, as of a bias. Equal names mean equal bytes. What a
 * compilation computes of constants, such as weights of all gates one behind the other, has the
 * name of how it was computed.
 */
#ifndef ARMNN_CPU_ACC_ORIGINS_H_
#define ARMNN_CPU_ACC_ORIGINS_H_

#include "program.h"

typedef struct armnn_i_acc_name_t {
  uint64_t* words; /* from malloc */
  uint32_t count, capacity;
  bool is_void; /* a part of it has no name, so neither has the whole */
} armnn_i_acc_name_t;

/* What the bytes of a name are for, its first word. */
typedef enum armnn_i_acc_name_e {
  ARMNN_ACC_NAME_CONSTANT = 1, /* of the network */
  ARMNN_ACC_NAME_TRANSPOSED,
  ARMNN_ACC_NAME_JOINED, /* one behind the other */
  ARMNN_ACC_NAME_SCALED,
  ARMNN_ACC_NAME_ROWS,
  ARMNN_ACC_NAME_KEPT, /* as they are, for operators that read them when they run */
  ARMNN_ACC_NAME_PANELS,
  ARMNN_ACC_NAME_PANELS_OF_MATRICES,
  ARMNN_ACC_NAME_WINOGRAD,
  ARMNN_ACC_NAME_DEPTHWISE,
  ARMNN_ACC_NAME_QUANTIZED,
  ARMNN_ACC_NAME_BLOCKS,
  ARMNN_ACC_NAME_LSTM_INT8,
  ARMNN_ACC_NAME_BIAS, /* of all panels */
} armnn_i_acc_name_e;

/* The memory of one compilation that has a name. */
typedef struct armnn_i_acc_origin_t {
  const char* begin;
  uint64_t size;
  armnn_i_acc_name_t name;
} armnn_i_acc_origin_t;

typedef struct armnn_i_acc_origins_t {
  armnn_i_acc_origin_t* items; /* by address */
  uint32_t count, capacity;
} armnn_i_acc_origins_t;

/* Takes |name|, which may be void. */
void armnn_i_acc_add_origin(armnn_i_acc_origins_t* origins, const void* data, uint64_t size,
                            armnn_i_acc_name_t* name);
void armnn_i_acc_free_origins(armnn_i_acc_origins_t* origins);

/* ---- Names --------------------------------------------------------------------------------- */

void armnn_i_acc_free_name(armnn_i_acc_name_t* name);
void armnn_i_acc_name_words(armnn_i_acc_name_t* name, const uint64_t* words, uint32_t count);
/* armnn_i_acc_name_words of the numbers that follow. */
#define ARMNN_ACC_NAME(name, ...)                               \
  armnn_i_acc_name_words(name, (const uint64_t[]){__VA_ARGS__}, \
                         (uint32_t)(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)))
/* The memory from |values| on, by where it comes from. */
void armnn_i_acc_name_weights(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                              const void* values);
/* The same for |size| bytes, or the bytes themselves where they are few; null is allowed. */
void armnn_i_acc_name_values(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                             const void* values, uint64_t size);
/* A constant tensor: how it lies, and its memory. */
void armnn_i_acc_name_tensor(armnn_i_acc_name_t* name, const armnn_i_acc_maker_t* maker,
                             const armnn_i_acc_tensor_t* tensor);

#endif /* ARMNN_CPU_ACC_ORIGINS_H_ */
