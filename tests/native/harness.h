/* SPDX-FileCopyrightText: armnn_py contributors
 * SPDX-License-Identifier: MIT
 *
 * harness.h - checks that stop the program, and a main that runs tests by name.
 */
#ifndef ARMNN_TESTS_HARNESS_H_
#define ARMNN_TESTS_HARNESS_H_

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                        \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

#define CHECK_EQUAL(got, expected)                                                            \
  do {                                                                                        \
    const int64_t got_ = (int64_t)(got), expected_ = (int64_t)(expected);                     \
    if (got_ != expected_) {                                                                  \
      fprintf(stderr, "%s:%d: %s is %" PRId64 ", expected %" PRId64 "\n", __FILE__, __LINE__, \
              #got, got_, expected_);                                                         \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

/* |part| occurs in |text|. */
#define CHECK_TEXT(text, part)                                                         \
  do {                                                                                 \
    if (strstr((text), (part)) == NULL) {                                              \
      fprintf(stderr, "%s:%d: '%s' lacks '%s'\n", __FILE__, __LINE__, (text), (part)); \
      exit(1);                                                                         \
    }                                                                                  \
  } while (0)

typedef struct test_t {
  const char* name;
  void (*function)(void);
} test_t;

#define TEST(function) {#function, function}

/* Runs every test, or those whose names are given. */
static inline int run_tests(const test_t* tests, size_t count, int argument_count,
                            char** arguments) {
  for (size_t i = 0; i < count; ++i) {
    int wanted = argument_count < 2;
    for (int k = 1; k < argument_count; ++k) wanted |= strcmp(arguments[k], tests[i].name) == 0;
    if (!wanted) continue;
    printf("%s\n", tests[i].name);
    fflush(stdout);
    tests[i].function();
  }
  return 0;
}

#define MAIN(tests)                                                                         \
  int main(int argument_count, char** arguments) {                                          \
    return run_tests(tests, sizeof(tests) / sizeof((tests)[0]), argument_count, arguments); \
  }

/* Repeatable random numbers (xorshift64*). */
static inline uint64_t next_random(uint64_t* state) {
  uint64_t x = *state;
  x ^= x >> 12;
  x ^= x << 25;
  x ^= x >> 27;
  *state = x;
  return x * UINT64_C(2685821657736338717);
}

static inline uint64_t random_below(uint64_t* state, uint64_t limit) {
  return (next_random(state) >> 11) % limit;
}

#endif /* ARMNN_TESTS_HARNESS_H_ */
