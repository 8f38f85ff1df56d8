# What goes into the wheel, relative to site-packages. None of these folders exists in the source
# tree: a folder that exists in both places has no single path in an editable install.
include(CMakePackageConfigHelpers)

set(ARMNN_SDK_DIR armnn_py/sdk)

install(TARGETS armnn_core LIBRARY DESTINATION armnn_py/_native/lib)
install(TARGETS armnn_probe RUNTIME DESTINATION armnn_py/_native/lib)

get_property(armnn_bundled GLOBAL PROPERTY ARMNN_BUNDLED_BACKEND_TARGETS)
if(armnn_bundled)
  install(TARGETS ${armnn_bundled} LIBRARY DESTINATION armnn_py/_backends)
endif()

# The SDK: what a vendor's build needs, and nothing of the private interface (runtime.h).
foreach(header types.h descriptors.h names.h backend_api.h
        backend_kit.h kit_base.h kit_options.h kit_rows.h kit_hooks.h kit_support.h kit_workloads.h
        kit_entry.h compile_kit.h compile_cache.h lasting_constants.h loading_time.h guard.hpp)
  install(FILES "native/include/armnn/${header}" DESTINATION ${ARMNN_SDK_DIR}/include/armnn)
endforeach()
install(FILES "backends_c/common/include/armnn/layer_rules.h"
        DESTINATION ${ARMNN_SDK_DIR}/include/armnn)
# The sources of run_cases, a project of its own.
install(DIRECTORY "native/board" DESTINATION ${ARMNN_SDK_DIR}/cmake)

write_basic_package_version_file(
  "${CMAKE_CURRENT_BINARY_DIR}/armnn_py-config-version.cmake"
  VERSION ${PROJECT_VERSION}
  COMPATIBILITY SameMajorVersion # the backend API grows and never breaks inside a major version
  ARCH_INDEPENDENT)
install(FILES
        "${CMAKE_CURRENT_LIST_DIR}/armnn_py-config.cmake"
        "${CMAKE_CURRENT_LIST_DIR}/ArmnnBackend.cmake"
        "${CMAKE_CURRENT_LIST_DIR}/backend_exports.map"
        "${CMAKE_CURRENT_BINARY_DIR}/armnn_py-config-version.cmake"
        DESTINATION ${ARMNN_SDK_DIR}/cmake)
