/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * compile_cache.h - optional help for backends that keep what they compiled in files of their own.
 *
 * armnn_hash_part says what a part is, in 128 bits; armnn_cache_load and armnn_cache_store keep an
 * object under such a key, in the file that armnn_cache_path names. A network that is saved by its
 * user needs none of this: see get_size and serialize of armnn_blob_t. All functions are static;
 * files are those of POSIX.
 *
 * A cache is never a reason to fail: whatever is wrong with a file or a folder, compile again. Its
 * sum finds damage, and no forgery: whoever may write to the folder may write any object.
 */
#ifndef ARMNN_COMPILE_CACHE_H_
#define ARMNN_COMPILE_CACHE_H_

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "armnn/kit_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What a part is -------------------------------------------------------------------------- */

/* clang-format off */
/* Not cryptographic: for keys and sums. The same on every host, but for descriptors and constants
 * of a part, which are taken in the order of bytes in which the host has them:
 *
 *   start           a = 0xcbf29ce484222325, b = 0x9ae16a3b2f90404f
 *   a word w        a = f(a ^ w, 0x9e3779b97f4a7c15), then b = f(b ^ (w + a), 0xc2b2ae3d27d4eb4f)
 *   f(x, k)         y ^ (y >> 29) with y = x * k, in 64 bits
 *   bytes           each 8 of them as a little-endian word, the last ones filled with zeros, then
 *                   their number as a word
 */
/* clang-format on */
typedef struct armnn_hash_t {
  uint64_t a, b;
} armnn_hash_t;

/* The hash of nothing, to which the functions below add. */
static inline armnn_hash_t armnn_hash_start(void) {
  armnn_hash_t hash;
  hash.a = UINT64_C(0xcbf29ce484222325);
  hash.b = UINT64_C(0x9ae16a3b2f90404f);
  return hash;
}

/* Adds one number. */
static inline armnn_hash_t armnn_hash_word(armnn_hash_t hash, uint64_t word) {
  hash.a = (hash.a ^ word) * UINT64_C(0x9e3779b97f4a7c15);
  hash.a ^= hash.a >> 29;
  hash.b = (hash.b ^ (word + hash.a)) * UINT64_C(0xc2b2ae3d27d4eb4f);
  hash.b ^= hash.b >> 29;
  return hash;
}

static inline uint64_t armnn_i_word(const unsigned char* at) {
  return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
         (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
         (uint64_t)at[7] << 56;
}

/* Adds |size| bytes, and their number. */
static inline armnn_hash_t armnn_hash_bytes(armnn_hash_t hash, const void* bytes, uint64_t size) {
  const unsigned char* at = (const unsigned char*)bytes;
  for (uint64_t words = size / 8; words > 0; --words, at += 8) {
    hash = armnn_hash_word(hash, armnn_i_word(at));
  }
  if (size % 8 != 0) {
    unsigned char last[8] = {0};
    memcpy(last, at, size % 8);
    hash = armnn_hash_word(hash, armnn_i_word(last));
  }
  return armnn_hash_word(hash, size);
}

/* Whether two hashes are one. */
static inline int32_t armnn_hash_equal(armnn_hash_t one, armnn_hash_t other) {
  return one.a == other.a && one.b == other.b;
}

static inline armnn_hash_t armnn_i_hash_info(armnn_hash_t hash, const armnn_tensor_info_t* info) {
  if (info == NULL) return armnn_hash_word(hash, ~UINT64_C(0));
  hash = armnn_hash_word(hash, (uint64_t)(uint32_t)info->data_type);
  hash = armnn_hash_word(hash, info->rank);
  for (uint32_t d = 0; d < info->rank; ++d) hash = armnn_hash_word(hash, info->dims[d]);
  hash = armnn_hash_word(hash, info->quantization_count);
  for (uint32_t q = 0; q < info->quantization_count; ++q) {
    uint32_t scale;
    memcpy(&scale, &info->scales[q], sizeof scale);
    hash = armnn_hash_word(hash, scale);
    hash = armnn_hash_word(hash, (uint64_t)(int64_t)info->zero_points[q]);
  }
  hash = armnn_hash_word(hash, (uint64_t)(int64_t)info->quantization_dim);
  return armnn_hash_word(hash, info->flags);
}

static inline armnn_hash_t armnn_i_hash_slots(armnn_hash_t hash, const armnn_slot_t* slots,
                                              uint32_t count) {
  hash = armnn_hash_word(hash, count);
  for (uint32_t i = 0; i < count; ++i) {
    hash = armnn_hash_word(hash, (uint64_t)slots[i].layer << 32 | slots[i].slot);
  }
  return hash;
}

static inline armnn_hash_t armnn_i_hash_views(armnn_hash_t hash, const armnn_view_t* views,
                                              uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    for (uint32_t d = 0; d < ARMNN_MAX_DIMS; ++d) {
      hash = armnn_hash_word(hash, views[i].origin[d]);
      hash = armnn_hash_word(hash, views[i].size[d]);
    }
  }
  return armnn_hash_word(hash, count);
}

static inline armnn_hash_t armnn_i_hash_text(armnn_hash_t hash, armnn_string_t text) {
  return armnn_hash_bytes(hash, text.data, text.size);
}

static inline armnn_hash_t armnn_i_hash_attribute(armnn_hash_t hash, const armnn_attribute_t* one) {
  hash = armnn_i_hash_text(hash, one->name);
  hash = armnn_hash_word(hash, (uint64_t)(uint32_t)one->type << 32 | one->is_list);
  hash = armnn_hash_word(hash, one->count);
  for (uint64_t i = 0; i < one->count; ++i) {
    if (one->type == ARMNN_ATTRIBUTE_STRING) {
      hash = armnn_i_hash_text(hash, ((const armnn_string_t*)one->values)[i]);
    } else if (one->type == ARMNN_ATTRIBUTE_TENSOR) {
      const armnn_const_tensor_t* tensor = &((const armnn_const_tensor_t*)one->values)[i];
      hash = armnn_i_hash_info(hash, tensor->info);
      hash = armnn_hash_bytes(hash, tensor->data, tensor->size);
    } else { /* integers and reals are 8 bytes each */
      hash = armnn_hash_bytes(hash, (const unsigned char*)one->values + 8 * i, 8);
    }
  }
  return hash;
}

/* Members that came later are zero unless they are used, so that zeros at the end do not count: a
 * descriptor has one hash under hosts of all minors. */
static inline armnn_hash_t armnn_i_hash_descriptor(armnn_hash_t hash, int32_t layer_type,
                                                   const armnn_header_t* descriptor) {
  if (descriptor == NULL) return armnn_hash_word(hash, 0);
  if (layer_type == ARMNN_LAYER_CONCAT) {
    const armnn_concat_descriptor_t* d = (const armnn_concat_descriptor_t*)(const void*)descriptor;
    hash = armnn_hash_word(hash, (uint64_t)(int64_t)d->axis);
    return armnn_i_hash_views(hash, d->views, d->view_count);
  }
  if (layer_type == ARMNN_LAYER_SPLITTER) {
    const armnn_splitter_descriptor_t* d =
        (const armnn_splitter_descriptor_t*)(const void*)descriptor;
    hash = armnn_hash_word(hash, (uint64_t)(int64_t)d->axis);
    return armnn_i_hash_views(hash, d->views, d->view_count);
  }
  if (layer_type == ARMNN_LAYER_STAND_IN) {
    const armnn_stand_in_descriptor_t* d =
        (const armnn_stand_in_descriptor_t*)(const void*)descriptor;
    hash = armnn_hash_word(hash, d->version);
    hash = armnn_i_hash_text(armnn_i_hash_text(hash, d->domain), d->name);
    hash = armnn_hash_word(hash, d->attribute_count);
    for (uint32_t i = 0; i < d->attribute_count; ++i) {
      hash = armnn_i_hash_attribute(hash, &d->attributes[i]);
    }
    return hash;
  }
  const unsigned char* bytes = (const unsigned char*)descriptor;
  uint64_t size = descriptor->struct_size;
  while (size > sizeof *descriptor && bytes[size - 1] == 0) --size;
  return armnn_hash_bytes(hash, bytes + sizeof *descriptor, size - sizeof *descriptor);
}

/* Adds all that a compiler may look at: types, descriptors, infos, connections and the values of
 * constants; neither names nor numbers of layers. Start with your compiler's version and options:
 *   armnn_hash_part(armnn_hash_bytes(armnn_hash_start(), VERSION, sizeof VERSION), part) */
static inline armnn_hash_t armnn_hash_part(armnn_hash_t hash, const armnn_subgraph_t* part) {
  hash = armnn_hash_word(hash, part->input_count);
  for (uint32_t i = 0; i < part->input_count; ++i) {
    hash = armnn_i_hash_info(hash, part->input_infos[i]);
  }
  hash = armnn_hash_word(hash, part->layer_count);
  for (uint32_t l = 0; l < part->layer_count; ++l) {
    const armnn_layer_t* layer = part->layers[l];
    hash = armnn_hash_word(hash, (uint64_t)(uint32_t)layer->type);
    hash = armnn_hash_word(hash, layer->fields_used);
    hash = armnn_i_hash_descriptor(hash, layer->type, layer->descriptor);
    hash = armnn_i_hash_slots(hash, layer->inputs, layer->input_count);
    for (uint32_t i = 0; i < layer->input_count; ++i) {
      hash = armnn_i_hash_info(hash, layer->input_infos[i]);
      const armnn_const_tensor_t* value = layer->constants == NULL ? NULL : layer->constants[i];
      if (value != NULL) hash = armnn_hash_bytes(hash, value->data, value->size);
    }
    hash = armnn_hash_word(hash, layer->output_count);
    for (uint32_t k = 0; k < layer->output_count; ++k) {
      hash = armnn_i_hash_info(hash, layer->output_infos[k]);
    }
  }
  return armnn_i_hash_slots(hash, part->outputs, part->output_count);
}

/* ---- Files ----------------------------------------------------------------------------------- */

/* The first 64 bytes of a file, little-endian words; the object follows. */
enum { ARMNN_CACHE_HEAD_SIZE = 64 };
#define ARMNN_CACHE_MAGIC UINT64_C(0x31454843414e4e41) /* "ANNACHE1" */

/* The file of |key|, <folder>/<key in 32 digits>.<suffix>; INVALID_ARGUMENT if |capacity| bytes do
 * not hold it. 4096 hold every path that POSIX systems open. */
static inline armnn_status_t armnn_cache_path(const char* folder, armnn_hash_t key,
                                              const char* suffix, char* out_path, size_t capacity) {
  const int length = snprintf(out_path, capacity, "%s/%016llx%016llx.%s", folder,
                              (unsigned long long)key.a, (unsigned long long)key.b, suffix);
  return length > 0 && (size_t)length < capacity ? ARMNN_STATUS_OK : ARMNN_STATUS_INVALID_ARGUMENT;
}

static inline void armnn_i_cache_head(unsigned char* head, armnn_hash_t key, const void* object,
                                      uint64_t size) {
  const armnn_hash_t check = armnn_hash_bytes(armnn_hash_start(), object, size);
  const uint64_t words[] = {ARMNN_CACHE_MAGIC, size, key.a, key.b, check.a, check.b};
  memset(head, 0, ARMNN_CACHE_HEAD_SIZE);
  for (size_t i = 0; i < sizeof words; ++i) {
    head[i] = (unsigned char)(words[i / 8] >> (8 * (i % 8)));
  }
}

static inline int32_t armnn_i_cache_read(int file, void* target, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t count = read(file, (char*)target + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    done += (uint64_t)count;
  }
  return 1;
}

static inline int32_t armnn_i_cache_write(int file, const void* source, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t count = write(file, (const char*)source + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    done += (uint64_t)count;
  }
  return 1;
}

/* Why the open |file| does not hold an object of |key|, or null; |*out_object| is to be freed. */
static inline const char* armnn_i_cache_read_object(int file, armnn_hash_t key, void** out_object,
                                                    uint64_t* out_size) {
  unsigned char head[ARMNN_CACHE_HEAD_SIZE], wanted[ARMNN_CACHE_HEAD_SIZE];
  struct stat about;
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return "it is not a file";
  if (about.st_size <= ARMNN_CACHE_HEAD_SIZE || !armnn_i_cache_read(file, head, sizeof head)) {
    return "it is too short";
  }
  const uint64_t size = (uint64_t)about.st_size - ARMNN_CACHE_HEAD_SIZE;
  armnn_i_cache_head(wanted, key, NULL, 0);
  for (int i = 0; i < 8; ++i) wanted[8 + i] = (unsigned char)(size >> (8 * i));
  if (memcmp(head, wanted, 8) != 0) return "it is not a file of compile_cache.h";
  if (memcmp(head + 8, wanted + 8, 8) != 0) return "it is not as long as it says";
  if (memcmp(head + 16, wanted + 16, 16) != 0) return "it is of another key";
  void* object = aligned_alloc(64, (size_t)((size + 63) / 64 * 64));
  if (object == NULL) return "out of memory";
  if (!armnn_i_cache_read(file, object, size)) {
    free(object);
    return "it cannot be read";
  }
  armnn_i_cache_head(wanted, key, object, size);
  if (memcmp(head, wanted, sizeof head) != 0) {
    free(object);
    return "its sum is another";
  }
  *out_object = object;
  *out_size = size;
  return NULL;
}

/* The object that was stored under |key|, whole, in memory to be freed by free(), 64-byte aligned.
 * What is in it is yours to check. |suffix| is of the file's name, as "npu". UNAVAILABLE: there is
 * no such file, as before the first store. Any other status, whose |reason| is worth a line in the
 * log: INCOMPATIBLE, the file is damaged or another's; INTERNAL, it cannot be opened. Either way
 * |*out_object| is null: compile, and store. A pipe in the folder does not hold it up, and a large
 * file of another kind is not read. */
static inline armnn_status_t armnn_cache_load(const char* folder, armnn_hash_t key,
                                              const char* suffix, void** out_object,
                                              uint64_t* out_size, armnn_error_t* reason) {
  char path[4096];
  *out_object = NULL;
  *out_size = 0;
  if (armnn_cache_path(folder, key, suffix, path, sizeof path) != ARMNN_STATUS_OK) {
    return armnn_fail(reason, ARMNN_STATUS_INVALID_ARGUMENT, "the path of the cache is too long");
  }
#ifdef O_CLOEXEC
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
#else
  const int file = open(path, O_RDONLY | O_NONBLOCK);
#endif
  if (file < 0) {
    const armnn_status_t status =
        errno == ENOENT || errno == ENOTDIR ? ARMNN_STATUS_UNAVAILABLE : ARMNN_STATUS_INTERNAL;
    return armnn_fail(reason, status, "%s: %s", path, strerror(errno));
  }
  const char* why_not = armnn_i_cache_read_object(file, key, out_object, out_size);
  close(file);
  if (why_not == NULL) return ARMNN_STATUS_OK;
  return armnn_fail(reason, ARMNN_STATUS_INCOMPATIBLE, "%s: %s", path, why_not);
}

/* Keeps |object| under |key|, in place of what is there: it is written under another name and
 * renamed, so that a reader sees all of it or nothing. INTERNAL, with the system's words in
 * |reason|: it could not be kept. The folder must be there. */
static inline armnn_status_t armnn_cache_store(const char* folder, armnn_hash_t key,
                                               const char* suffix, const void* object,
                                               uint64_t size, armnn_error_t* reason) {
  char path[4096], temporary[4096 + 64];
  if (armnn_cache_path(folder, key, suffix, path, sizeof path) != ARMNN_STATUS_OK) {
    return armnn_fail(reason, ARMNN_STATUS_INVALID_ARGUMENT, "the path of the cache is too long");
  }
  /* |path| is on the stack of this call: two threads never have one address. */
  snprintf(temporary, sizeof temporary, "%s.%ld.%llx.tmp", path, (long)getpid(),
           (unsigned long long)(uintptr_t)path);
  const int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0644);
  if (file < 0) {
    return armnn_fail(reason, ARMNN_STATUS_INTERNAL, "%s: %s", temporary, strerror(errno));
  }
  unsigned char head[ARMNN_CACHE_HEAD_SIZE];
  armnn_i_cache_head(head, key, object, size);
  int32_t is_stored =
      armnn_i_cache_write(file, head, sizeof head) && armnn_i_cache_write(file, object, size);
  int number = errno; /* of the first that failed */
  if (close(file) != 0 && is_stored) {
    is_stored = 0;
    number = errno;
  }
  if (is_stored && rename(temporary, path) != 0) {
    is_stored = 0;
    number = errno;
  }
  if (is_stored) return ARMNN_STATUS_OK;
  unlink(temporary);
  return armnn_fail(reason, ARMNN_STATUS_INTERNAL, "%s: %s", path, strerror(number));
}

/* How many files of this suffix the folder has; for get_number_of_cache_files. */
static inline uint32_t armnn_cache_count(const char* folder, const char* suffix) {
  DIR* directory = opendir(folder);
  if (directory == NULL) return 0;
  uint32_t count = 0;
  for (const struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
    count += strspn(entry->d_name, "0123456789abcdef") == 32 && entry->d_name[32] == '.' &&
             strcmp(entry->d_name + 33, suffix) == 0;
  }
  closedir(directory);
  return count;
}

#ifdef __cplusplus
}
#endif

#endif /* ARMNN_COMPILE_CACHE_H_ */
