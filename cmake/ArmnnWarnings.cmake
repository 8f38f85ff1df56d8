# Warnings, sanitizers and the optimisation of our own builds; not part of the SDK.
add_compile_options(-Wall -Wextra -Wpedantic)
if(ARMNN_WERROR)
  add_compile_options(-Werror)
endif()
if(ARMNN_SANITIZE)
  # -g1: reports name functions and lines. Where variables are takes a compiler as long again.
  add_compile_options(-fsanitize=${ARMNN_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -g1)
  add_link_options(-fsanitize=${ARMNN_SANITIZE})
endif()

# Of kernels, whose speed comes from loops that the compiler makes vectors of: also where the rest of
# a build is optimised less. Checks in such loops would be minutes of compiling, and nothing to gain.
set(armnn_kernel_options "$<$<NOT:$<CONFIG:Debug>>:-O3;-fno-math-errno;-fno-trapping-math>")
if(ARMNN_SANITIZE)
  set(armnn_kernel_options "-O1;-fno-math-errno;-fno-trapping-math")
endif()
