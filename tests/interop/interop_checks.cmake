# SPDX-License-Identifier: BSL-1.0
# Headers for other libraries, tested with these: programs of libc++, which has std::mdspan and std::format where
# the standard library of the other tests has not, error messages, and the page docs/interop.md.
set(interop "${CMAKE_CURRENT_LIST_DIR}")
set(interop_flags -std=c++23 -stdlib=libc++ -DFMT_HEADER_ONLY -I${PROJECT_SOURCE_DIR}/include -isystem ${xsimd_include_dir})
if(ASHLAR_EIGEN_INCLUDE_DIR)
  list(APPEND interop_flags -isystem ${ASHLAR_EIGEN_INCLUDE_DIR})
endif()

if(ASHLAR_REFERENCE_CLANG)
  file(GLOB programs CONFIGURE_DEPENDS "${interop}/libcxx/*.cpp")
  foreach(source IN LISTS programs)
    cmake_path(GET source STEM name)
    add_test(NAME interop/libcxx/${name}
      COMMAND "${ASHLAR_BASH}" "${scripts}/check_program.sh" "${source}" "${CMAKE_CURRENT_BINARY_DIR}/interop/${name}" ""
              "${ASHLAR_REFERENCE_CLANG}" ${interop_flags} -Wall -Wextra -Werror)
    set_tests_properties(interop/libcxx/${name} PROPERTIES LABELS interop SKIP_RETURN_CODE 77)
  endforeach()

  # Messages about types of other libraries, where these are at hand.
  execute_process(COMMAND "${ASHLAR_REFERENCE_CLANG}" -std=c++23 -stdlib=libc++ -fsyntax-only -include mdspan -x c++ /dev/null
                  RESULT_VARIABLE no_mdspan OUTPUT_QUIET ERROR_QUIET)
  file(GLOB diagnostics CONFIGURE_DEPENDS "${interop}/diagnostics/*.cpp")
  foreach(source IN LISTS diagnostics)
    cmake_path(GET source STEM name)
    if(no_mdspan OR (name MATCHES "^eigen_" AND NOT ASHLAR_EIGEN_INCLUDE_DIR))
      message(STATUS "ashlar: no libc++ 19 or no Eigen: the message of interop/${name} is not tested")
      continue()
    endif()
    add_test(NAME diagnostics/interop_${name}
      COMMAND "${ASHLAR_BASH}" "${scripts}/check_diagnostic.sh" "${source}" "" "${ASHLAR_REFERENCE_CLANG}" ${interop_flags} -fsyntax-only)
    set_tests_properties(diagnostics/interop_${name} PROPERTIES LABELS interop)
  endforeach()

  # The page and the comments of headers: all of the libraries at once.
  if(ASHLAR_EIGEN_INCLUDE_DIR AND ASHLAR_FMT_INCLUDE_DIR AND NOT no_mdspan)
    add_test(NAME docs/interop_snippets
      COMMAND "${ASHLAR_BASH}" "${scripts}/check_snippets.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/snippets/interop"
              "${ASHLAR_REFERENCE_CLANG}" ${interop_flags} -fsyntax-only)
    add_test(NAME docs/interop_examples
      COMMAND "${ASHLAR_BASH}" "${scripts}/check_examples.sh" "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/examples/interop"
              "${ASHLAR_REFERENCE_CLANG}" ${interop_flags} -fsyntax-only)
    set_tests_properties(docs/interop_snippets docs/interop_examples PROPERTIES LABELS interop ENVIRONMENT ASHLAR_DOCUMENTS=interop)
  else()
    message(STATUS "ashlar: no libc++ 19, Eigen or fmt: docs/interop.md is not tested")
  endif()
endif()

# Kokkos' header, where a user has it, by a standard library without std::mdspan.
if(ASHLAR_REFERENCE_GXX)
  add_test(NAME interop/kokkos_mdspan
    COMMAND "${ASHLAR_BASH}" "${scripts}/check_program.sh" "${interop}/libcxx/mdspan.cpp" "${CMAKE_CURRENT_BINARY_DIR}/interop/kokkos_mdspan" ""
            "${ASHLAR_REFERENCE_GXX}" -std=c++20 -I${PROJECT_SOURCE_DIR}/include -isystem ${xsimd_include_dir})
  set_tests_properties(interop/kokkos_mdspan PROPERTIES LABELS interop SKIP_RETURN_CODE 77)
endif()

# Arrays of NumPy, where Python has it.
if(ASHLAR_PYTHON AND reference_compilers)
  list(GET reference_compilers -1 compiler)
  add_test(NAME interop/dlpack_numpy
    COMMAND "${ASHLAR_PYTHON}" "${interop}/numpy/dlpack_numpy_test.py" --compiler "${compiler}" --
            -I${PROJECT_SOURCE_DIR}/include -isystem ${xsimd_include_dir})
  set_tests_properties(interop/dlpack_numpy PROPERTIES LABELS interop SKIP_RETURN_CODE 77)
endif()
