/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * lasting_constants.c - the constants of the process that stay as they are until they are given up,
 * by address and size, and the numbers that the extension of that name tells.
 */
#include <stdlib.h>

#include "core.h"

struct armnn_i_lasting_constant_t {
  const void* data;
  uint64_t size, number;
  uint64_t owners;
  armnn_i_lasting_constant_t* next; /* in its list */
};

static armnn_i_lasting_constant_t** list_of(armnn_i_lasting_t* lasting, const void* data) {
  const uint64_t hash = (uint64_t)(uintptr_t)data * UINT64_C(0x9e3779b97f4a7c15);
  return &lasting->lists[hash >> 32 & (ARMNN_LASTING_LISTS - 1)];
}

/* Where the list points to the constant, or its end. */
static armnn_i_lasting_constant_t** find(armnn_i_lasting_t* lasting, const void* data,
                                         uint64_t size) {
  armnn_i_lasting_constant_t** link = list_of(lasting, data);
  while (*link != NULL && ((*link)->data != data || (*link)->size != size)) link = &(*link)->next;
  return link;
}

bool armnn_i_lasting_add(armnn_i_lasting_t* lasting, const void* data, uint64_t size) {
  armnn_i_lasting_constant_t* fresh = malloc(sizeof *fresh);
  if (fresh == NULL) return false;
  pthread_mutex_lock(&lasting->mutex);
  armnn_i_lasting_constant_t** link = find(lasting, data, size);
  armnn_i_lasting_constant_t* known = *link;
  if (known != NULL) {
    known->owners += 1;
  } else {
    *fresh = (armnn_i_lasting_constant_t){data, size, ++lasting->last_number, 1, NULL};
    *link = fresh;
  }
  pthread_mutex_unlock(&lasting->mutex);
  if (known != NULL) free(fresh);
  return true;
}

void armnn_i_lasting_remove(armnn_i_lasting_t* lasting, const void* data, uint64_t size) {
  armnn_i_lasting_constant_t* gone = NULL;
  pthread_mutex_lock(&lasting->mutex);
  armnn_i_lasting_constant_t** link = find(lasting, data, size);
  if (*link != NULL && --(*link)->owners == 0) {
    gone = *link;
    *link = gone->next;
  }
  pthread_mutex_unlock(&lasting->mutex);
  free(gone);
}

uint64_t armnn_i_lasting_number(armnn_i_lasting_t* lasting, const void* data, uint64_t size) {
  pthread_mutex_lock(&lasting->mutex);
  const armnn_i_lasting_constant_t* known = *find(lasting, data, size);
  const uint64_t number = known != NULL ? known->number : 0;
  pthread_mutex_unlock(&lasting->mutex);
  return number;
}
