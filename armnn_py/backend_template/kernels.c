#include "kernels.h"

void add_floats(const float* a, const float* b, float* y, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) y[i] = a[i] + b[i];
}
@if compiler

void multiply_floats(const float* a, const float* b, float* y, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) y[i] = a[i] * b[i];
}
@end
