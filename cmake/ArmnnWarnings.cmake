# Warnings and sanitizers of our own builds; not part of the SDK.
add_compile_options(-Wall -Wextra -Wpedantic)
if(ARMNN_WERROR)
  add_compile_options(-Werror)
endif()
if(ARMNN_SANITIZE)
  add_compile_options(-fsanitize=${ARMNN_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all -g)
  add_link_options(-fsanitize=${ARMNN_SANITIZE})
endif()
