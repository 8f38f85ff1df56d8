/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * cache.c - compiled programs as files: <hash>.npu in the folder of the option cache_dir.
 */
#include <stdlib.h>

#include "armnn/compile_cache.h"
#include "npu.h"

static const char suffix[] = "npu";

/* Everything that changes the program goes in, the version of the compiler included. */
static armnn_hash_t key_of(const armnn_subgraph_t* part) {
  armnn_hash_t hash = armnn_hash_bytes(armnn_hash_start(), NPU_VERSION, sizeof NPU_VERSION);
  hash = armnn_hash_word(hash, NPU_BLOCK);
  hash = armnn_hash_word(hash, sizeof(npu_program_t) << 32 | sizeof(npu_instruction_t));
  return armnn_hash_part(hash, part);
}

npu_program_t* npu_cache_load(const npu_backend_t* backend, const armnn_subgraph_t* part) {
  char text[256];
  armnn_error_t reason = armnn_error_in(text, sizeof text);
  void* program = NULL;
  uint64_t size = 0;
  const armnn_status_t status =
      armnn_cache_load(backend->cache_dir, key_of(part), suffix, &program, &size, &reason);
  if (status == ARMNN_STATUS_OK && npu_program_is_sound(program, size)) return program;
  free(program);
  if (status != ARMNN_STATUS_OK && status != ARMNN_STATUS_UNAVAILABLE) { /* not merely missing */
    armnn_log(backend->host, ARMNN_LOG_WARNING, NPU_ID, "cache_dir: %s", text);
  }
  return NULL;
}

void npu_cache_store(const npu_backend_t* backend, const armnn_subgraph_t* part,
                     const npu_program_t* program) {
  char text[256];
  armnn_error_t reason = armnn_error_in(text, sizeof text);
  if (armnn_cache_store(backend->cache_dir, key_of(part), suffix, program, program->total_size,
                        &reason) != ARMNN_STATUS_OK) {
    armnn_log(backend->host, ARMNN_LOG_WARNING, NPU_ID, "cache_dir: %s", text);
  }
}

uint32_t npu_cache_count(const char* folder) { return armnn_cache_count(folder, suffix); }
