/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compile.c - the first stage of the compiler: which layers become one instruction.
 *
 * A convolution, depthwise convolution or fully connected layer swallows what follows it as long
 * as nobody else reads the value between: an Add of a constant per channel (more bias), one Add of
 * a tensor, then ReLU or BoundedReLU. Add and pooling swallow the latter. The instruction is
 * emitted where the last of its layers was, when all that it reads has been computed.
 */
#include "compile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t npu_value_of(const npu_compiler_t* compiler, armnn_slot_t slot) {
  return armnn_value_of(compiler->readers, slot);
}

int32_t npu_row_axis(const armnn_tensor_info_t* row, const armnn_tensor_info_t* out) {
  for (uint32_t d = 0; d < row->rank; ++d) {
    if (row->dims[d] != 1) return (int32_t)(out->rank - row->rank + d);
  }
  return -1;
}

/* Every layer is one that support.c accepts, with its constants at hand. */
static armnn_status_t check_part(const npu_compiler_t* compiler, armnn_error_t* error) {
  const armnn_subgraph_t* part = compiler->part;
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    const armnn_layer_t* layer = part->layers[l];
    if (layer->type == ARMNN_LAYER_PRE_COMPILED) {
      return npu_fail(error, ARMNN_STATUS_UNSUPPORTED, "a compiled part is not compiled again");
    }
    const armnn_layer_query_t query = {
        .header = {sizeof query, ARMNN_STRUCT_LAYER_QUERY},
        .type = layer->type,
        .input_count = layer->input_count,
        .output_count = layer->output_count,
        .descriptor = layer->descriptor,
        .input_infos = layer->input_infos,
        .output_infos = layer->output_infos,
        .fields_used = layer->fields_used,
    };
    const armnn_status_t status = npu_check_layer(&query, error);
    if (status != ARMNN_STATUS_OK) return status;
    for (uint32_t i = 0; i < layer->input_count; ++i) {
      if (layer->input_infos[i] == NULL) continue;
      const armnn_const_tensor_t* constant = armnn_constant_of(layer, i);
      const bool promised = (layer->input_infos[i]->flags & ARMNN_TENSOR_CONSTANT) != 0;
      if (promised && (constant == NULL || constant->size < npu_tensor_bytes(constant->info))) {
        return npu_fail(error, ARMNN_STATUS_UNSUPPORTED, "a constant came without its values");
      }
    }
  }
  return ARMNN_STATUS_OK;
}

static armnn_status_t find_values(npu_compiler_t* compiler, armnn_error_t* error) {
  const armnn_subgraph_t* part = compiler->part;
  npu_value_t* values = compiler->values;
  for (uint32_t v = 0; v < part->input_count + part->layer_count; ++v) {
    values[v] = (npu_value_t){NULL, {NPU_NONE, NPU_NONE}, NPU_NONE};
    values[v].info = v < part->input_count ? part->input_infos[v]
                                           : part->layers[v - part->input_count]->output_infos[0];
  }
  for (uint32_t i = 0; i < part->input_count; ++i) {
    const uint64_t bytes = npu_tensor_bytes(values[i].info);
    if (bytes == 0) return npu_fail(error, ARMNN_STATUS_UNSUPPORTED, "an input is not float32");
    values[i].forms[NPU_PLAIN] = npu_emit_tensor(&compiler->emitter, i, bytes);
  }
  for (uint32_t k = 0; k < part->output_count; ++k) {
    const uint32_t value = npu_value_of(compiler, part->outputs[k]);
    if (value < part->input_count || values[value].binding != NPU_NONE) {
      return npu_fail(error, ARMNN_STATUS_UNSUPPORTED, "output %u is not one of a layer's own", k);
    }
    values[value].binding = npu_emit_tensor(&compiler->emitter, part->input_count + k,
                                            npu_tensor_bytes(values[value].info));
  }
  return ARMNN_STATUS_OK;
}

/* ---- Fusing -------------------------------------------------------------------------------- */

static bool multiplies(int32_t type) {
  return type == ARMNN_LAYER_CONVOLUTION2D || type == ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D ||
         type == ARMNN_LAYER_FULLY_CONNECTED;
}

static float clamped(const npu_chain_t* chain, float value) {
  value = value < chain->low ? chain->low : value;
  return value > chain->high ? chain->high : value;
}

static void swallow_activation(npu_chain_t* chain, const armnn_layer_t* layer) {
  const armnn_activation_descriptor_t* d = (const void*)layer->descriptor;
  const bool bounded = d->function == ARMNN_ACTIVATION_BOUNDED_RELU;
  const npu_chain_t now = {.low = bounded ? d->b : 0.0f, .high = bounded ? d->a : INFINITY};
  /* Bounds of bounds: what came out at an old bound goes on to where the new ones put it. */
  chain->low = clamped(&now, chain->low);
  chain->high = clamped(&now, chain->high);
  chain->clamped = true;
}

static bool swallow_add(const npu_compiler_t* compiler, uint32_t head, const armnn_layer_t* add,
                        uint32_t value) {
  npu_chain_t* chain = &compiler->chains[head];
  const armnn_layer_t* layer = compiler->part->layers[head];
  if (!multiplies(layer->type) || chain->clamped) return false;
  const uint32_t other =
      armnn_constant_of(add, 0) == NULL && npu_value_of(compiler, add->inputs[0]) == value ? 1 : 0;
  const armnn_const_tensor_t* row = armnn_constant_of(add, other);
  if (row == NULL) {
    if (chain->residual != NPU_NONE) return false;
    chain->residual = npu_value_of(compiler, add->inputs[other]);
    return true;
  }
  uint32_t axis = add->output_infos[0]->rank - 1;
  if (layer->type == ARMNN_LAYER_CONVOLUTION2D) {
    const armnn_convolution2d_descriptor_t* d = (const void*)layer->descriptor;
    axis = d->data_layout == ARMNN_DATA_LAYOUT_NCHW ? 1 : 3;
  } else if (layer->type == ARMNN_LAYER_DEPTHWISE_CONVOLUTION2D) {
    const armnn_depthwise_convolution2d_descriptor_t* d = (const void*)layer->descriptor;
    axis = d->data_layout == ARMNN_DATA_LAYOUT_NCHW ? 1 : 3;
  }
  const armnn_tensor_info_t* out = add->output_infos[0];
  if (chain->row != NULL || npu_row_axis(row->info, out) != (int32_t)axis ||
      row->info->element_count != out->dims[axis]) {
    return false;
  }
  chain->row = row;
  return true;
}

static void fuse(npu_compiler_t* compiler) {
  const armnn_subgraph_t* part = compiler->part;
  npu_chain_t* chains = compiler->chains;
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    chains[l] = (npu_chain_t){l, l, NPU_NONE, NULL, false, -INFINITY, INFINITY};
    if (part->layers[l]->type == ARMNN_LAYER_ACTIVATION) {
      swallow_activation(&chains[l], part->layers[l]);
    }
  }
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    while (chains[l].head == l) {
      const uint32_t value = part->input_count + chains[l].tail;
      const uint32_t next = armnn_only_reader(compiler->readers, value);
      if (next == ARMNN_NO_LAYER) break;
      const armnn_layer_t* layer = part->layers[next];
      if (chains[next].head != next || chains[next].tail != next) break;
      if (layer->type == ARMNN_LAYER_ACTIVATION) {
        swallow_activation(&chains[l], layer);
      } else if (multiplies(layer->type) || layer->type == ARMNN_LAYER_POOLING2D ||
                 !swallow_add(compiler, l, layer, value)) {
        break;
      }
      chains[next].head = l;
      chains[l].tail = next;
    }
  }
}

armnn_status_t npu_compile(const armnn_subgraph_t* part, npu_program_t** out_program,
                           armnn_error_t* error) {
  *out_program = NULL;
  if (part->input_count + part->output_count > NPU_MAX_BINDINGS || part->output_count == 0) {
    return npu_fail(error, ARMNN_STATUS_UNSUPPORTED, "a part has 1 to %u tensors at its border",
                    NPU_MAX_BINDINGS);
  }
  npu_compiler_t compiler;
  memset(&compiler, 0, sizeof compiler);
  compiler.part = part;
  compiler.values = calloc((size_t)part->input_count + part->layer_count, sizeof(npu_value_t));
  compiler.readers = armnn_values_of_part(part);
  compiler.chains = calloc((size_t)part->layer_count + 1, sizeof(npu_chain_t));
  armnn_status_t status = ARMNN_STATUS_OUT_OF_MEMORY;
  if (compiler.values != NULL && compiler.chains != NULL && compiler.readers != NULL) {
    status = check_part(&compiler, error);
  }
  if (status == ARMNN_STATUS_OK) status = find_values(&compiler, error);
  if (status == ARMNN_STATUS_OK) {
    fuse(&compiler);
    for (uint32_t l = 0; l < part->layer_count; ++l) {
      const uint32_t head = compiler.chains[l].head;
      if (compiler.chains[head].tail == l) npu_lower(&compiler, head);
    }
    for (uint32_t k = 0; k < part->output_count; ++k) {
      npu_as_form(&compiler, npu_value_of(&compiler, part->outputs[k]), NPU_PLAIN);
    }
    *out_program = npu_emit_program(&compiler.emitter, part->input_count, part->output_count);
    if (*out_program == NULL) status = ARMNN_STATUS_OUT_OF_MEMORY;
  }
  if (status == ARMNN_STATUS_OUT_OF_MEMORY) npu_fail(error, status, "out of memory");
  npu_emitter_clear(&compiler.emitter);
  free(compiler.values);
  free(compiler.chains);
  free(compiler.readers);
  return status;
}

armnn_status_t npu_get_program(npu_backend_t* backend, const armnn_subgraph_t* part,
                               npu_program_t** out_program, armnn_error_t* error) {
  *out_program = NULL;
  if (backend->cache_dir != NULL) {
    *out_program = npu_cache_load(backend, part);
    if (*out_program != NULL && (*out_program)->input_count == part->input_count &&
        (*out_program)->output_count == part->output_count) {
      npu_count(backend, NPU_COUNTER_CACHE_HITS, 1);
      return ARMNN_STATUS_OK;
    }
    free(*out_program);
  }
  const armnn_status_t status = npu_compile(part, out_program, error);
  if (status != ARMNN_STATUS_OK) return status;
  npu_count(backend, NPU_COUNTER_COMPILED, 1);
  if (backend->cache_dir != NULL) npu_cache_store(backend, part, *out_program);
  return ARMNN_STATUS_OK;
}
