# find_package(libgemm 0.1 REQUIRED) defines gemm::gemm, the shared library and its headers.
get_filename_component(libgemm_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET gemm::gemm)
  add_library(gemm::gemm SHARED IMPORTED)
  set_target_properties(gemm::gemm PROPERTIES
    IMPORTED_LOCATION "${libgemm_prefix}/lib/libgemm.so"
    IMPORTED_SONAME libgemm.so
    INTERFACE_INCLUDE_DIRECTORIES "${libgemm_prefix}/include"
    INTERFACE_COMPILE_FEATURES cxx_std_17)
endif()
unset(libgemm_prefix)
