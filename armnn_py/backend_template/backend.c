#include "armnn/backend_kit.h"
@if compiler
#include "compiler.h"
@end
@if split
#include "kernels.h"
@end

static armnn_status_t add_f32(const armnn_kernel_call_t* call,
                              armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error; /* shapes and types were checked before this kernel was chosen */
@if one file
  const float *a = ARMNN_IN(call, 0, float), *b = ARMNN_IN(call, 1, float);
  float* y = ARMNN_OUT(call, 0, float);
  for (uint64_t i = 0; i < ARMNN_COUNT(call); ++i) y[i] = a[i] + b[i];
@end
@if split
  add_floats(ARMNN_IN(call, 0, float), ARMNN_IN(call, 1, float), ARMNN_OUT(call, 0, float),
             ARMNN_COUNT(call));
@end
  return ARMNN_STATUS_OK;
}
@if compiler

static armnn_status_t multiply_f32(const armnn_kernel_call_t* call,
                                   armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  multiply_floats(ARMNN_IN(call, 0, float), ARMNN_IN(call, 1, float), ARMNN_OUT(call, 0, float),
                  ARMNN_COUNT(call));
  return ARMNN_STATUS_OK;
}

static armnn_status_t run_compiled(const armnn_kernel_call_t* call,
                                   armnn_error_t* error) ARMNN_NOEXCEPT {
  (void)error;
  const program_t* program = (const program_t*)call->prepared;
  program_run(program, call->inputs, call->outputs, (float*)call->scratch);
  return ARMNN_STATUS_OK;
}
@end
@if no compiler
static const armnn_kernel_t kernels[] = {ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32)};
ARMNN_DEFINE_BACKEND("@NAME@", kernels)
@end
@if compiler

static const armnn_kernel_t kernels[] = {
    ARMNN_KERNEL_BINARY(ADD, FLOAT32, add_f32),
    ARMNN_KERNEL_BINARY(MUL, FLOAT32, multiply_f32),
    /* What `optimize` made of several layers. */
    ARMNN_KERNEL_FULL(PRE_COMPILED, ARMNN_ANY, ANY, run_compiled, compiled_supports,
                      compiled_prepare, NULL),
};

ARMNN_KIT_OPTIONS(options, COMPILER_OPTIONS)
static const armnn_kit_hooks_t hooks = {
    .open = compiler_open,
    .close = compiler_close,
    .optimize = compile_subgraph,
    .options = ARMNN_KIT_OPTIONS_OF(options),
    .check_blob = compiler_check_blob,
    .deserialize_blob = compiler_deserialize_blob,
    .get_number_of_cache_files = compiler_count_files,
};
ARMNN_DEFINE_BACKEND_WITH("@NAME@", kernels, 1, "1.0", "one program for a chain of layers", 0,
                          hooks)
@end
