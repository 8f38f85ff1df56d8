#include <algorithm>
#include <exception>
#include <functional>
#include <new>

#include "armnn/backend_kit.h"
@if compiler
#include "compiler.h"
@end
@if split
#include "kernels.h"
@end

namespace {

/* No exception may leave a backend: one becomes a status, with its words. */
template <class Body>
armnn_status_t guarded(armnn_error_t* error, Body body) noexcept {
  try {
    body();
    return ARMNN_STATUS_OK;
  } catch (const std::bad_alloc&) {
    return armnn_fail(error, ARMNN_STATUS_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& thrown) {
    return armnn_fail(error, ARMNN_STATUS_INTERNAL, "%s", thrown.what());
  } catch (...) {
    return armnn_fail(error, ARMNN_STATUS_INTERNAL, "an exception without words");
  }
}

/* Shapes and types were checked before this kernel was chosen. */
armnn_status_t add_f32(const armnn_kernel_call_t* call, armnn_error_t* error) noexcept {
  return guarded(error, [&] {
    const float *a = ARMNN_IN(call, 0, float), *b = ARMNN_IN(call, 1, float);
@if one file
    std::transform(a, a + ARMNN_COUNT(call), b, ARMNN_OUT(call, 0, float), std::plus<float>());
@end
@if split
    add_floats(a, b, ARMNN_OUT(call, 0, float), ARMNN_COUNT(call));
@end
  });
}
@if compiler

armnn_status_t multiply_f32(const armnn_kernel_call_t* call, armnn_error_t* error) noexcept {
  return guarded(error, [&] {
    const float *a = ARMNN_IN(call, 0, float), *b = ARMNN_IN(call, 1, float);
    multiply_floats(a, b, ARMNN_OUT(call, 0, float), ARMNN_COUNT(call));
  });
}

armnn_status_t run_compiled(const armnn_kernel_call_t* call, armnn_error_t* error) noexcept {
  return guarded(error, [&] {
    program_run(static_cast<const program_t*>(call->prepared), call->inputs, call->outputs,
                static_cast<float*>(call->scratch));
  });
}
@end

@if no compiler
const armnn_kernel_t kernels[] = {ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32)};

}  // namespace

ARMNN_DEFINE_BACKEND("@NAME@", kernels)
@end
@if compiler
const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32),
    ARMNN_KERNEL_BINARY(MUL, FLOAT32, multiply_f32),
    /* What `optimize` made of several layers. */
    ARMNN_KERNEL_FULL(PRE_COMPILED, ARMNN_ANY, ANY, run_compiled, compiled_supports,
                      compiled_prepare, nullptr),
};

constexpr armnn_kit_hooks_t hooks = [] {
  armnn_kit_hooks_t made = {};
  made.optimize = compile_subgraph;
  return made;
}();

}  // namespace

ARMNN_DEFINE_BACKEND_WITH("@NAME@", kernels, 1, "1.0", "one program for a chain of layers", 0,
                          hooks)
@end
