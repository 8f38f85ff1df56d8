/* The kernels alone, without armnn_py. */
#include <stdio.h>

#include "kernels.h"

static int is(const char* what, const float* got, float first, float second) {
  if (got[0] == first && got[1] == second) return 1;
  printf("%s: %g %g, expected %g %g\n", what, got[0], got[1], first, second);
  return 0;
}

int main(void) {
  const float a[] = {1.0f, 2.0f}, b[] = {3.0f, 5.0f};
  float y[2];
  add_floats(a, b, y, 2);
  int good = is("add", y, 4.0f, 7.0f);
@if compiler
  multiply_floats(a, b, y, 2);
  good &= is("multiply", y, 3.0f, 10.0f);
@end
  return good ? 0 : 1;
}
