# SPDX-License-Identifier: BSL-1.0
# ashlar_precompile(<target> [nn] [io] [FROM <other target>]): the headers are parsed once for all sources of a target:
# ashlar.hpp, and nn.hpp and io.hpp where asked for. FROM takes what was precompiled for another target, which must have
# the same flags. Macros of ashlar that a source defines before its include come too late: define them for the target.
function(ashlar_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "nn;io" "FROM" "")
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "ashlar_precompile: there is no target ${target}; add it first")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "ashlar_precompile(${target}): unknown ${arg_UNPARSED_ARGUMENTS}; there are nn, io and FROM <target>")
  endif()
  if(arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
  else()
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<ashlar/ashlar.hpp$<ANGLE-R>>"
                              "$<$<AND:$<BOOL:${arg_nn}>,$<COMPILE_LANGUAGE:CXX>>:<ashlar/nn.hpp$<ANGLE-R>>"
                              "$<$<AND:$<BOOL:${arg_io}>,$<COMPILE_LANGUAGE:CXX>>:<ashlar/io.hpp$<ANGLE-R>>")
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 forgets that these warnings are off within the compiler's own headers of vector instructions.
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized;-Wno-uninitialized>")
  endif()
endfunction()
