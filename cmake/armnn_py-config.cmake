# find_package(armnn_py 0.1 CONFIG REQUIRED) brings the target armnn_py::backend_api (the headers)
# and the function armnn_add_backend, which ArmnnBackend.cmake beside this file describes.
if(NOT TARGET armnn_py::backend_api)
  get_filename_component(armnn_py_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
  add_library(armnn_py::backend_api INTERFACE IMPORTED)
  set_target_properties(armnn_py::backend_api PROPERTIES
                        INTERFACE_INCLUDE_DIRECTORIES "${armnn_py_INCLUDE_DIR}")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/ArmnnBackend.cmake")
