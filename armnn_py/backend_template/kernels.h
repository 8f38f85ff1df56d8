/* The arithmetic, which knows nothing of armnn_py: tests call it directly. */
#pragma once

#include <stdint.h>

void add_floats(const float* a, const float* b, float* y, uint64_t count);
@if compiler
void multiply_floats(const float* a, const float* b, float* y, uint64_t count);
@end
