option(ARMNN_CPU_ACC "Build the CpuAcc backend" OFF)
if(ARMNN_CPU_ACC)
  add_subdirectory("${PROJECT_SOURCE_DIR}/backends_c/cpu_acc")
endif()
