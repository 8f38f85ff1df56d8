# armnn_add_backend(<name> VENDOR <vendor> SOURCES <file>... [ENTRY <file>]
#                   [INCLUDE_DIRECTORIES <folder>...] [LIBRARIES <library>...])
#
# Builds <vendor>_<name>_backend.so with hidden visibility and exactly the three exported functions
# GetBackendId, GetVersion and BackendFactory. The target is called <vendor>_<name>_backend. It is
# compiled with -O2 where the project has no CMAKE_BUILD_TYPE. The C library's functions of mathematics
# are there. In a cross build a compiler for another processor than CMAKE_SYSTEM_PROCESSOR is an error.
#
# Inside the armnn_py tree a backend may be linked into the core as well or instead
# (ARMNN_STATIC_BACKENDS). SOURCES are then compiled once for both forms if the file with the entry
# points is given apart as ENTRY, and once for each form otherwise.

set(ARMNN_BACKEND_EXPORTS "${CMAKE_CURRENT_LIST_DIR}/backend_exports.map")

function(armnn_check_backend_name what value)
  if(NOT "${value}" MATCHES "^[A-Za-z0-9]+$")
    message(FATAL_ERROR
      "armnn_add_backend: ${what} '${value}' is not valid: only the letters A-Z a-z and the digits "
      "0-9 are allowed, because the file is called <vendor>_<name>_backend.so")
  endif()
endfunction()

function(armnn_i_configure_backend_target target)
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden
                        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                        POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${target} PRIVATE armnn_py::backend_api ${ARG_LIBRARIES})
  target_include_directories(${target} PRIVATE ${ARG_INCLUDE_DIRECTORIES})
  # A toolchain file that names no compiler for a language gets this machine's, without a word.
  if(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    target_compile_definitions(${target} PRIVATE ARMNN_I_FOR_AARCH64)
  elseif(CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_definitions(${target} PRIVATE ARMNN_I_FOR_X86_64)
  endif()
  # Without a build type a project is compiled without any -O: kernels 10 to 20 times slower.
  get_property(has_types GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT has_types)
    target_compile_options(${target} PRIVATE -O2)
  endif()
endfunction()

function(armnn_add_backend name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "VENDOR;ENTRY" "SOURCES;INCLUDE_DIRECTORIES;LIBRARIES")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "armnn_add_backend: unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "armnn_add_backend: SOURCES is missing or empty")
  endif()
  armnn_check_backend_name("VENDOR" "${ARG_VENDOR}")
  armnn_check_backend_name("name" "${name}")
  set(target ${ARG_VENDOR}_${name}_backend)

  set(static OFF)
  set(dynamic ON)
  if(ARMNN_IN_TREE)
    if(name IN_LIST ARMNN_STATIC_BACKENDS)
      set(static ON)
      if(NOT name IN_LIST ARMNN_DYNAMIC_BACKENDS AND NOT ARMNN_DYNAMIC_BACKENDS STREQUAL "ALL")
        set(dynamic OFF)
      endif()
    endif()
  endif()

  set_property(GLOBAL APPEND PROPERTY ARMNN_BACKEND_NAMES "${name}")

  set(shared_objects "")
  set(form_sources ${ARG_SOURCES})
  if(ARG_ENTRY)
    add_library(${target}_objects OBJECT ${ARG_SOURCES})
    armnn_i_configure_backend_target(${target}_objects)
    set(shared_objects $<TARGET_OBJECTS:${target}_objects>)
    set(form_sources ${ARG_ENTRY})
  endif()

  if(static)
    add_library(${target}_static OBJECT ${form_sources})
    armnn_i_configure_backend_target(${target}_static)
    target_compile_definitions(${target}_static PRIVATE ARMNN_STATIC_BACKEND=${name})
    set_property(GLOBAL APPEND PROPERTY ARMNN_STATIC_BACKEND_LIST "${ARG_VENDOR}|${name}")
    set_property(GLOBAL APPEND PROPERTY ARMNN_STATIC_BACKEND_OBJECTS
                 $<TARGET_OBJECTS:${target}_static> ${shared_objects})
    set_property(GLOBAL APPEND PROPERTY ARMNN_STATIC_BACKEND_LIBRARIES ${ARG_LIBRARIES})
  endif()

  if(dynamic)
    add_library(${target} MODULE ${form_sources} ${shared_objects})
    armnn_i_configure_backend_target(${target})
    # Kernels use functions of mathematics; a backend that uses none does not need the library.
    target_link_libraries(${target} PRIVATE
      -Wl,--push-state,--as-needed -lm -Wl,--pop-state)
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${target} SUFFIX ".so"
                          LINK_DEPENDS "${ARMNN_BACKEND_EXPORTS}")
    target_link_options(${target} PRIVATE
      "LINKER:--version-script=${ARMNN_BACKEND_EXPORTS}" "LINKER:-Bsymbolic")
    if(NOT ARMNN_SANITIZE)
      # With sanitizers the runtime's symbols stay undefined until the process provides them.
      target_link_options(${target} PRIVATE "LINKER:--no-undefined")
    endif()
    set_property(GLOBAL APPEND PROPERTY ARMNN_DYNAMIC_BACKEND_TARGETS ${target})
    if(NOT static)
      set_property(GLOBAL APPEND PROPERTY ARMNN_BUNDLED_BACKEND_TARGETS ${target})
    endif()
  endif()
endfunction()
