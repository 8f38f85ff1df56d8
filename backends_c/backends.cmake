# Reads every backend of this folder: common.cmake files first, so that backends can depend on
# common code, then each subfolder's backend.cmake. A new backend needs no change outside its folder.
set(ARMNN_IN_TREE ON)

add_library(armnn_backend_api INTERFACE)
add_library(armnn_py::backend_api ALIAS armnn_backend_api)
target_include_directories(armnn_backend_api INTERFACE "${PROJECT_SOURCE_DIR}/native/include")

file(GLOB armnn_common_files CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*/common.cmake")
foreach(armnn_common_file IN LISTS armnn_common_files)
  include("${armnn_common_file}")
endforeach()

file(GLOB armnn_backend_files CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*/backend.cmake")
foreach(armnn_backend_file IN LISTS armnn_backend_files)
  include("${armnn_backend_file}")
endforeach()
