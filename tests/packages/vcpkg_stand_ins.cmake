# SPDX-License-Identifier: BSL-1.0
# Runs the port of vcpkg with functions that do what vcpkg's do, by CMake and a local xsimd:
#
#     cmake -DPORT=... -DXSIMD=<checkout> -DCOMMIT=<what must be asked for> -DWORK=<folder> -P vcpkg_stand_ins.cmake
cmake_minimum_required(VERSION 3.25)

function(vcpkg_from_git)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUT_SOURCE_PATH;URL;REF" "")
  if(NOT arg_URL MATCHES "^https://.*xsimd\\.git$" OR NOT arg_REF STREQUAL COMMIT)
    message(FATAL_ERROR "the port asks for '${arg_REF}' of '${arg_URL}'")
  endif()
  set(${arg_OUT_SOURCE_PATH} "${XSIMD}" PARENT_SCOPE)
endfunction()

function(run_cmake)
  execute_process(COMMAND "${CMAKE_COMMAND}" ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE failed)
  if(failed OR output MATCHES "not used by the project")
    message(FATAL_ERROR "cmake ${ARGN}\n${output}")
  endif()
endfunction()

function(vcpkg_cmake_configure)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_PATH" "OPTIONS")
  run_cmake(-S "${arg_SOURCE_PATH}" -B "${WORK}/build" "-DCMAKE_INSTALL_PREFIX=${WORK}/packages" ${arg_OPTIONS})
endfunction()

function(vcpkg_cmake_install)
  run_cmake(--install "${WORK}/build")
endfunction()

function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "CONFIG_PATH" "")
  if(NOT EXISTS "${WORK}/packages/${arg_CONFIG_PATH}/ashlarConfig.cmake")
    message(FATAL_ERROR "there is no configuration in ${arg_CONFIG_PATH}")
  endif()
endfunction()

function(vcpkg_fixup_pkgconfig)
  if(NOT EXISTS "${WORK}/packages/share/pkgconfig/ashlar.pc")
    message(FATAL_ERROR "there is no ashlar.pc")
  endif()
endfunction()

function(vcpkg_install_copyright)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "FILE_LIST")
  list(LENGTH arg_FILE_LIST count)
  list(GET arg_FILE_LIST 0 licence)
  if(NOT count EQUAL 2 OR NOT EXISTS "${licence}")
    message(FATAL_ERROR "licences: ${arg_FILE_LIST}")
  endif()
endfunction()

include("${PORT}")
foreach(header IN ITEMS ashlar/ashlar.hpp ashlar-deps/xsimd/xsimd.hpp)
  if(NOT EXISTS "${WORK}/packages/include/${header}")
    message(FATAL_ERROR "the port does not install ${header}")
  endif()
endforeach()
