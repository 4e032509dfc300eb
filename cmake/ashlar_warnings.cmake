# SPDX-License-Identifier: BSL-1.0
# Warnings for what this checkout builds; never passed on to those who use the library.
option(ASHLAR_WERROR "Treat warnings as errors" OFF)

add_library(ashlar_warnings INTERFACE)
target_compile_options(ashlar_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion $<$<BOOL:${ASHLAR_WERROR}>:-Werror>
  # g++ 12 warns of loops whose bounds it cannot see at iteration 2^59.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-aggressive-loop-optimizations>)
