/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * kit_options.h - options that a backend declares, and those that it is given; part of
 * backend_kit.h.
 */
#ifndef ARMNN_KIT_OPTIONS_H_
#define ARMNN_KIT_OPTIONS_H_

#include "armnn/kit_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Options that are declared --------------------------------------------------------------- */

/* Options with their defaults, and their descriptions, which run in parallel or are null. */
typedef struct armnn_kit_options_t {
  armnn_options_t defaults;
  const armnn_option_description_t* descriptions;
} armnn_kit_options_t;

/* One list is enough; each row has a default and what there is to say of it:
 *
 *   #define MY_OPTIONS(X)                                                                  \
 *     X(ARMNN_DEFAULT_UINT("streams", 2), ARMNN_SAY_RANGE("queues at work", "", 1, 8, 0))  \
 *     X(ARMNN_DEFAULT_STRING("key", ""), ARMNN_SAY("licence key", ARMNN_OPTION_SECRET))
 *   ARMNN_KIT_OPTIONS(my_options, MY_OPTIONS)
 *
 * ARMNN_KIT_OPTIONS_OF(my_options) is then a member of the hooks. */
#define ARMNN_KIT_OPTIONS(name, list)                                        \
  static const armnn_option_t name##_defaults[] = {list(ARMNN_KIT_DEFAULT)}; \
  static const armnn_option_description_t name##_descriptions[] = {list(ARMNN_KIT_DESCRIPTION)};
#define ARMNN_KIT_OPTIONS_OF(name) \
  {{name##_defaults, sizeof name##_defaults / sizeof name##_defaults[0]}, name##_descriptions}
#define ARMNN_KIT_DEFAULT(option, ...) option,
#define ARMNN_KIT_DESCRIPTION(option, ...) __VA_ARGS__,

/* Defaults, each of its type. |option| and texts are string literals. */
#define ARMNN_I_DEFAULT(option, option_type, ...)                                             \
  ARMNN_INIT(armnn_option_t, ARMNN_SET(name, ARMNN_TEXT(option)) ARMNN_SET(type, option_type) \
                                 ARMNN_SET(__VA_ARGS__))
#define ARMNN_DEFAULT_BOOL(option, value) ARMNN_I_DEFAULT(option, ARMNN_OPTION_BOOL, integer, value)
#define ARMNN_DEFAULT_INT(option, value) ARMNN_I_DEFAULT(option, ARMNN_OPTION_INT, integer, value)
#define ARMNN_DEFAULT_UINT(option, value) ARMNN_I_DEFAULT(option, ARMNN_OPTION_UINT, integer, value)
#define ARMNN_DEFAULT_FLOAT(option, value) ARMNN_I_DEFAULT(option, ARMNN_OPTION_FLOAT, real, value)
#define ARMNN_DEFAULT_STRING(option, value) \
  ARMNN_I_DEFAULT(option, ARMNN_OPTION_STRING, string, ARMNN_TEXT(value))

/* Descriptions. |bits|: of armnn_option_bits_e. |text| and |unit_text|, which may be "", are string
 * literals; |values|: a static array of armnn_string_t. */
#define ARMNN_I_SAY(bits, text, unit_text, ...)                                                \
  ARMNN_INIT(                                                                                  \
      armnn_option_description_t,                                                              \
      ARMNN_SET(header, {sizeof(armnn_option_description_t), ARMNN_STRUCT_OPTION_DESCRIPTION}) \
          ARMNN_SET(flags, bits) ARMNN_SET(help, ARMNN_TEXT(text))                             \
              ARMNN_SET(unit, ARMNN_TEXT(unit_text)) __VA_ARGS__)
#define ARMNN_SAY(text, bits) ARMNN_I_SAY(bits, text, "", ARMNN_SET(choice_count, 0))
#define ARMNN_SAY_RANGE(text, unit_text, least, most, bits) \
  ARMNN_I_SAY(bits, text, unit_text, ARMNN_SET(minimum, least) ARMNN_SET(maximum, most))
#define ARMNN_SAY_REAL_RANGE(text, unit_text, least, most, bits) \
  ARMNN_I_SAY(bits, text, unit_text, ARMNN_SET(real_minimum, least) ARMNN_SET(real_maximum, most))
#define ARMNN_SAY_CHOICES(text, values, bits) \
  ARMNN_I_SAY(bits, text, "",                 \
              ARMNN_SET(choices, values)      \
                  ARMNN_SET(choice_count, sizeof(values) / sizeof((values)[0])))

/* ---- Options that are given ------------------------------------------------------------------ */

/* The option of this name and type (armnn_option_type_e) among |options|, which may be null; null:
 * nobody gave it, so that your default holds. */
static inline const armnn_option_t* armnn_find_option(const armnn_options_t* options,
                                                      const char* name, int32_t type) {
  for (uint64_t i = 0; options != NULL && i < options->count; ++i) {
    const armnn_option_t* one = &options->items[i];
    if (one->type == type && armnn_string_equals(one->name, name)) return one;
  }
  return NULL;
}

/* A copy with its texts, to be freed by free(); null if |options| is null or memory is out. */
static inline armnn_options_t* armnn_copy_options(const armnn_options_t* options) {
  if (options == NULL) return NULL;
  size_t size = sizeof *options + (size_t)options->count * sizeof(armnn_option_t);
  for (uint64_t i = 0; i < options->count; ++i) {
    size += (size_t)(options->items[i].name.size + options->items[i].string.size);
  }
  armnn_options_t* copy = (armnn_options_t*)malloc(size);
  if (copy == NULL) return NULL;
  armnn_option_t* items = (armnn_option_t*)(void*)(copy + 1);
  char* texts = (char*)(items + options->count);
  copy->items = items;
  copy->count = options->count;
  for (uint64_t i = 0; i < options->count; ++i) {
    items[i] = options->items[i];
    armnn_string_t* const strings[] = {&items[i].name, &items[i].string};
    for (int s = 0; s < 2; ++s) {
      const size_t length = (size_t)strings[s]->size;
      if (length == 0) continue;
      memcpy(texts, strings[s]->data, length);
      strings[s]->data = texts;
      texts += length;
    }
  }
  return copy;
}

#ifdef __cplusplus
}
#endif
#endif /* ARMNN_KIT_OPTIONS_H_ */
