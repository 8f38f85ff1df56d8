#include <algorithm>
#include <functional>

#include "armnn/guard.hpp"
@if compiler
#include "compiler.h"
@end
@if split
#include "kernels.h"
@end

namespace {

/* Shapes and types were checked before this kernel was chosen. It may throw: a row of guarded<f>
 * makes an error of that, in the exception's words. */
armnn_status_t add_f32(const armnn_kernel_call_t* call, armnn_error_t*) {
  const float *a = ARMNN_IN(call, 0, float), *b = ARMNN_IN(call, 1, float);
@if one file
  std::transform(a, a + ARMNN_COUNT(call), b, ARMNN_OUT(call, 0, float), std::plus<float>());
@end
@if split
  add_floats(a, b, ARMNN_OUT(call, 0, float), ARMNN_COUNT(call));
@end
  return ARMNN_STATUS_OK;
}
@if compiler

armnn_status_t multiply_f32(const armnn_kernel_call_t* call, armnn_error_t*) {
  const float *a = ARMNN_IN(call, 0, float), *b = ARMNN_IN(call, 1, float);
  multiply_floats(a, b, ARMNN_OUT(call, 0, float), ARMNN_COUNT(call));
  return ARMNN_STATUS_OK;
}

armnn_status_t run_compiled(const armnn_kernel_call_t* call, armnn_error_t*) {
  program_run(static_cast<const program_t*>(call->prepared), call->inputs, call->outputs,
              static_cast<float*>(call->scratch));
  return ARMNN_STATUS_OK;
}
@end

@if no compiler
const armnn_kernel_t kernels[] = {ARMNN_KERNEL_BINARY(ADD, FLOAT32, armnn::guarded<add_f32>)};

}  // namespace

ARMNN_DEFINE_BACKEND("@NAME@", kernels)
@end
@if compiler
const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_BINARY(ADD, FLOAT32, armnn::guarded<add_f32>),
    ARMNN_KERNEL_BINARY(MUL, FLOAT32, armnn::guarded<multiply_f32>),
    /* What `optimize` made of several layers. */
    ARMNN_KERNEL_FULL(PRE_COMPILED, ARMNN_ANY, ANY, armnn::guarded<run_compiled>,
                      compiled_supports, compiled_prepare, nullptr),
};

ARMNN_KIT_OPTIONS(options, COMPILER_OPTIONS)
constexpr armnn_kit_hooks_t hooks = ARMNN_INIT(
    armnn_kit_hooks_t,
    ARMNN_SET(open, compiler_open) ARMNN_SET(close, compiler_close)
        ARMNN_SET(optimize, compile_subgraph) ARMNN_SET(options, ARMNN_KIT_OPTIONS_OF(options))
            ARMNN_SET(check_blob, compiler_check_blob)
                ARMNN_SET(deserialize_blob, compiler_deserialize_blob)
                    ARMNN_SET(get_number_of_cache_files, compiler_count_files));

}  // namespace

ARMNN_DEFINE_BACKEND_WITH("@NAME@", kernels, 1, "1.0", "one program for a chain of layers", 0,
                          hooks)
@end
