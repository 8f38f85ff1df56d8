add_subdirectory("${PROJECT_SOURCE_DIR}/backends_c/common")
