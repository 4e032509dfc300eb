// SPDX-License-Identifier: BSL-1.0
// Headers that all tests include and no edit here changes, parsed once for each preset: CMake has them read before each
// test. ashlar's own headers are left out, so that a change of one recompiles only its users, and macros that tests set
// have an effect. Nearly all tests of some layers include ashlar.hpp: for these tests/CMakeLists.txt has it parsed by
// clang.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <climits>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

// g++ 12 forgets which warnings are off for code that was precompiled, and xsimd's intrinsics need them off. What
// ashlar includes of xsimd on x86, the registers, is enough. On WebAssembly ashlar must include it first.
#if defined(__clang__) && !defined(__wasm__)
#include <xsimd/types/xsimd_all_registers.hpp>
#endif
#if defined(ASHLAR_TEST_PRECOMPILES_ASHLAR)
#include <ashlar/ashlar.hpp>
#endif
