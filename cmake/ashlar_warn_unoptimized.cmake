# SPDX-License-Identifier: BSL-1.0
# Warns where CMake gives the compiler no optimisation. The headers warn too, but g++ drops warnings of system headers.
option(ASHLAR_UNOPTIMIZED "Do not warn of a build without optimisation" OFF)

function(ashlar_warn_unoptimized)
  get_property(multiple GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT multiple AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CXX_FLAGS MATCHES "(^| )-O" AND NOT ASHLAR_UNOPTIMIZED)
    message(WARNING "ashlar: CMAKE_BUILD_TYPE is empty, so the compiler does not optimise, and evaluations are some forty "
                    "times slower. Pass -DCMAKE_BUILD_TYPE=Release, or -DASHLAR_UNOPTIMIZED=ON to switch this warning off.")
  endif()
endfunction()
