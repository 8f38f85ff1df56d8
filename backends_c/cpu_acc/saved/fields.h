/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * fields.h - a run of bytes, written or read field by field by the same functions, so that both
 * sides cannot differ.
 *
 * A reader believes nothing: each field is copied once and checked as the copy, since whoever may
 * write to the file may change its bytes meanwhile. The first fault is kept, and what is read after
 * it is zero.
 */
#ifndef ARMNN_CPU_ACC_FIELDS_H_
#define ARMNN_CPU_ACC_FIELDS_H_

#include "program.h"

/* Constants that operators read when they run, and packed weights: bytes in a file. */
typedef struct armnn_i_acc_span_t {
  const char* data;
  uint64_t size; /* bytes */
} armnn_i_acc_span_t;

struct armnn_i_acc_fields_t {
  bool reads;
  const char* fault; /* a static text, or null; written: memory was out */
  /* Written. */
  char* bytes;
  uint64_t size, capacity;
  /* Read: what is left. */
  const char* at;
  uint64_t left;
  /* What tensors may be in. Written: the constants as they are in memory. */
  const armnn_i_acc_span_t* constants;
  uint32_t constant_count;
  /* Read: sizes of the bindings, 0 is the arena; outputs begin at |first_output|. */
  const uint64_t* bindings;
  uint32_t binding_count, first_output;
  bool has_packed; /* a tensor that was read is in packed weights */
  void* parts;     /* read: room for descriptions inside of the one that is read */
};
typedef struct armnn_i_acc_fields_t armnn_i_acc_fields_t;

/* Stands for the address of constants that were packed: it is never read. */
extern const char armnn_i_acc_packed_mark[];

void armnn_i_acc_fail_fields(armnn_i_acc_fields_t* fields, const char* fault);

/* Bytes that are no numbers, or numbers that any value suits: nothing is indexed by them. */
void armnn_i_acc_field_bytes(armnn_i_acc_fields_t* fields, void* value, uint64_t size);

/* Numbers. Each states its range, so that no field of an operator can be read unchecked: those of
 * the enumeration or table that it indexes, or of the dimensions that it counts. A table with gaps
 * is asked by its maker, which answers UNSUPPORTED where it finds null. A number out of its range
 * is a fault, and read as the least one. */
void armnn_i_acc_field_u32(armnn_i_acc_fields_t* fields, uint32_t* value, uint32_t most);
void armnn_i_acc_field_i32(armnn_i_acc_fields_t* fields, int32_t* value, int32_t least,
                           int32_t most);
void armnn_i_acc_field_u64(armnn_i_acc_fields_t* fields, uint64_t* value, uint64_t most);
void armnn_i_acc_field_i64(armnn_i_acc_fields_t* fields, int64_t* value, int64_t least,
                           int64_t most);
/* How many things follow, each of which has some bytes. */
void armnn_i_acc_field_count(armnn_i_acc_fields_t* fields, uint32_t* value);
/* Numbers to compute with: any, NaN included. */
void armnn_i_acc_field_float(armnn_i_acc_fields_t* fields, float* value);
void armnn_i_acc_field_bool(armnn_i_acc_fields_t* fields, bool* value);
/* An array of |count| elements of |size| bytes; if it is read, |*array| is in the bytes. Null stays
 * null. */
void armnn_i_acc_field_array(armnn_i_acc_fields_t* fields, const void** array, uint64_t count,
                             uint64_t size);

void armnn_i_acc_field_element(armnn_i_acc_fields_t* fields, armnn_i_acc_element_t* element);

typedef enum armnn_i_acc_use_e {
  ARMNN_ACC_USE_READ,
  ARMNN_ACC_USE_READ_ANY, /* by an operator that asks no order of the last dimension */
  ARMNN_ACC_USE_WRITE,
  ARMNN_ACC_USE_WRITE_ANY,
} armnn_i_acc_use_e;

/* A tensor; read, it lies within its binding or constant as far as |use| reaches. Rank 0: there is
 * none. */
void armnn_i_acc_field_tensor(armnn_i_acc_fields_t* fields, armnn_i_acc_tensor_t* tensor,
                              armnn_i_acc_use_e use);
/* Dims and element of weights that were packed. */
void armnn_i_acc_field_weights(armnn_i_acc_fields_t* fields, armnn_i_acc_tensor_t* tensor);

#endif /* ARMNN_CPU_ACC_FIELDS_H_ */
