/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * hash.c - what a part of a network is, as 128 bits: the name of its file in the cache.
 *
 * Everything that changes the program goes in: types, descriptors, shapes, connections, values of
 * constants and the version of the compiler. Names and numbers of layers do not.
 */
#include <string.h>

#include "npu.h"

static uint64_t mixed(uint64_t hash, uint64_t word, uint64_t factor) {
  hash = (hash ^ word) * factor;
  return hash ^ (hash >> 29);
}

npu_hash_t npu_hash_start(void) {
  return (npu_hash_t){UINT64_C(0xcbf29ce484222325), UINT64_C(0x9ae16a3b2f90404f)};
}

npu_hash_t npu_hash_add(npu_hash_t hash, const void* bytes, uint64_t size) {
  const char* at = bytes;
  for (uint64_t left = size; left > 0;) {
    uint64_t word = 0;
    const uint64_t step = left < sizeof word ? left : sizeof word;
    memcpy(&word, at, step);
    hash.a = mixed(hash.a, word, UINT64_C(0x9e3779b97f4a7c15));
    hash.b = mixed(hash.b, word + hash.a, UINT64_C(0xc2b2ae3d27d4eb4f));
    at += step;
    left -= step;
  }
  hash.a = mixed(hash.a, size, UINT64_C(0x9e3779b97f4a7c15)); /* "ab", "" is not "a", "b" */
  hash.b = mixed(hash.b, size, UINT64_C(0xc2b2ae3d27d4eb4f));
  return hash;
}

static npu_hash_t add_info(npu_hash_t hash, const armnn_tensor_info_t* info) {
  if (info == NULL) return npu_hash_add(hash, NULL, 0);
  hash = npu_hash_add(hash, &info->data_type, sizeof info->data_type);
  return npu_hash_add(hash, info->dims, info->rank * sizeof info->dims[0]);
}

npu_hash_t npu_hash_part(const armnn_subgraph_t* part) {
  npu_hash_t hash = npu_hash_start();
  hash = npu_hash_add(hash, NPU_VERSION, sizeof NPU_VERSION);
  const uint32_t layout[] = {NPU_BLOCK, sizeof(npu_program_t), sizeof(npu_instruction_t)};
  hash = npu_hash_add(hash, layout, sizeof layout);
  for (uint32_t i = 0; i < part->input_count; ++i) hash = add_info(hash, part->input_infos[i]);
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    const armnn_layer_t* layer = part->layers[l];
    hash = npu_hash_add(hash, &layer->type, sizeof layer->type);
    if (layer->descriptor != NULL) {
      const uint64_t size = npu_descriptor_size(layer->type);
      const char* bytes = (const char*)layer->descriptor;
      if (size > sizeof(armnn_header_t)) {
        hash = npu_hash_add(hash, bytes + sizeof(armnn_header_t), size - sizeof(armnn_header_t));
      }
    }
    hash = npu_hash_add(hash, layer->inputs, layer->input_count * sizeof layer->inputs[0]);
    for (uint32_t i = 0; i < layer->input_count; ++i) {
      hash = add_info(hash, layer->input_infos[i]);
      const armnn_const_tensor_t* constant = layer->constants == NULL ? NULL : layer->constants[i];
      if (constant != NULL) hash = npu_hash_add(hash, constant->data, constant->size);
    }
    for (uint32_t i = 0; i < layer->output_count; ++i) {
      hash = add_info(hash, layer->output_infos[i]);
    }
  }
  return npu_hash_add(hash, part->outputs, part->output_count * sizeof part->outputs[0]);
}
