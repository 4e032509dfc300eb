# SPDX-License-Identifier: BSL-1.0
# Finds the peers; each is one file in peers/, compiled alone, and absent ones are named with what brings them.
set(ASHLAR_BENCH_FASTOR "" CACHE PATH "A checkout of Fastor, to measure it too")
set(ASHLAR_BENCH_GGML "" CACHE PATH "Where ggml is installed (include/ and lib/), to measure it too")

# ashlar_add_peer(<target> <name> <package> FOUND <condition> [INCLUDES dir...] [LIBRARIES library...])
function(ashlar_add_peer target name package)
  cmake_parse_arguments(PARSE_ARGV 3 peer "" "" "FOUND;INCLUDES;LIBRARIES")
  string(TOUPPER "${name}" upper)
  foreach(needed IN LISTS peer_FOUND)
    if(NOT needed)
      message(STATUS "ashlar: bench: ${name} is absent (${package})")
      set(ASHLAR_BENCH_ABSENT ${ASHLAR_BENCH_ABSENT} "${name} (${package})" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(STATUS "ashlar: bench: peer ${name}")
  # An object library, so that a peer's include directories reach nobody else.
  add_library(bench_peer_${name} OBJECT peers/${name}.cpp)
  target_compile_features(bench_peer_${name} PRIVATE cxx_std_20)
  target_include_directories(bench_peer_${name} PRIVATE "${PROJECT_SOURCE_DIR}")
  target_include_directories(bench_peer_${name} SYSTEM PRIVATE ${peer_INCLUDES})
  target_link_libraries(${target} PRIVATE bench_peer_${name} ${peer_LIBRARIES})
  set_property(SOURCE main.cpp APPEND PROPERTY COMPILE_DEFINITIONS ASHLAR_BENCH_${upper}=1)
endfunction()

macro(ashlar_add_peers target)
  set(ASHLAR_BENCH_ABSENT)
  find_path(ASHLAR_EIGEN_INCLUDE Eigen/Core PATH_SUFFIXES eigen3)
  ashlar_add_peer(${target} eigen "apt: libeigen3-dev" FOUND "${ASHLAR_EIGEN_INCLUDE}" INCLUDES "${ASHLAR_EIGEN_INCLUDE}")

  find_path(ASHLAR_OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas openblas-pthread
            x86_64-linux-gnu/openblas-pthread aarch64-linux-gnu/openblas-pthread)
  find_library(ASHLAR_OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread)
  ashlar_add_peer(${target} openblas "apt: libopenblas-dev" FOUND "${ASHLAR_OPENBLAS_INCLUDE}" "${ASHLAR_OPENBLAS_LIBRARY}"
                  INCLUDES "${ASHLAR_OPENBLAS_INCLUDE}" LIBRARIES "${ASHLAR_OPENBLAS_LIBRARY}")

  find_path(ASHLAR_LIBXSMM_INCLUDE libxsmm.h)
  find_library(ASHLAR_LIBXSMM_LIBRARY xsmm)
  find_library(ASHLAR_LIBXSMM_NOBLAS_LIBRARY xsmmnoblas)
  ashlar_add_peer(${target} libxsmm "apt: libxsmm-dev" FOUND "${ASHLAR_LIBXSMM_INCLUDE}" "${ASHLAR_LIBXSMM_LIBRARY}"
                  "${ASHLAR_LIBXSMM_NOBLAS_LIBRARY}" INCLUDES "${ASHLAR_LIBXSMM_INCLUDE}"
                  LIBRARIES "${ASHLAR_LIBXSMM_LIBRARY}" "${ASHLAR_LIBXSMM_NOBLAS_LIBRARY}" pthread dl rt m)

  find_path(ASHLAR_ONEDNN_INCLUDE dnnl.hpp)
  find_library(ASHLAR_ONEDNN_LIBRARY dnnl)
  ashlar_add_peer(${target} onednn "apt: libdnnl-dev" FOUND "${ASHLAR_ONEDNN_INCLUDE}" "${ASHLAR_ONEDNN_LIBRARY}"
                  INCLUDES "${ASHLAR_ONEDNN_INCLUDE}" LIBRARIES "${ASHLAR_ONEDNN_LIBRARY}")

  find_path(ASHLAR_XTENSOR_INCLUDE xtensor/xtensor.hpp)
  ashlar_add_peer(${target} xtensor "apt: libxtensor-dev" FOUND "${ASHLAR_XTENSOR_INCLUDE}" INCLUDES "${ASHLAR_XTENSOR_INCLUDE}")

  find_path(ASHLAR_FASTOR_INCLUDE Fastor/Fastor.h PATHS "${ASHLAR_BENCH_FASTOR}" NO_DEFAULT_PATH)
  ashlar_add_peer(${target} fastor "-DASHLAR_BENCH_FASTOR=<its checkout>" FOUND "${ASHLAR_FASTOR_INCLUDE}" INCLUDES "${ASHLAR_FASTOR_INCLUDE}")

  find_path(ASHLAR_GGML_INCLUDE ggml-cpu.h PATHS "${ASHLAR_BENCH_GGML}" PATH_SUFFIXES include NO_DEFAULT_PATH)
  foreach(part IN ITEMS ggml ggml-cpu ggml-base)
    find_library(ASHLAR_${part}_LIBRARY ${part} PATHS "${ASHLAR_BENCH_GGML}" PATH_SUFFIXES lib NO_DEFAULT_PATH)
  endforeach()
  ashlar_add_peer(${target} ggml "-DASHLAR_BENCH_GGML=<its prefix>" FOUND "${ASHLAR_GGML_INCLUDE}" "${ASHLAR_ggml-cpu_LIBRARY}"
                  INCLUDES "${ASHLAR_GGML_INCLUDE}"
                  LIBRARIES "${ASHLAR_ggml_LIBRARY}" "${ASHLAR_ggml-cpu_LIBRARY}" "${ASHLAR_ggml-base_LIBRARY}" gomp)
endmacro()
