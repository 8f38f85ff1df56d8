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

npu_program_t* npu_cache_load(const char* folder, const armnn_subgraph_t* part) {
  uint64_t size = 0;
  npu_program_t* program = armnn_cache_load(folder, key_of(part), suffix, &size);
  if (program != NULL && npu_program_is_sound(program, size)) return program;
  free(program);
  return NULL;
}

void npu_cache_store(npu_backend_t* backend, const armnn_subgraph_t* part,
                     const npu_program_t* program) {
  if (armnn_cache_store(backend->cache_dir, key_of(part), suffix, program, program->total_size)) {
    return;
  }
  const armnn_host_t* host = backend->host;
  if (host == NULL || !ARMNN_HAS_FN(host, armnn_host_t, log)) return;
  static const char text[] = "a compiled part could not be kept in cache_dir";
  host->log(host->context, ARMNN_LOG_WARNING, (armnn_string_t){NPU_ID, sizeof NPU_ID - 1},
            (armnn_string_t){text, sizeof text - 1});
}

uint32_t npu_cache_count(const char* folder) { return armnn_cache_count(folder, suffix); }
