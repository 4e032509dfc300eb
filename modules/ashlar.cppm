// SPDX-License-Identifier: BSL-1.0
// The module `ashlar`: what <ashlar/ashlar.hpp> declares. Experimental, by clang 19 or later: docs/install.md.
module;

// What the headers include stays outside the module.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <numeric>
#include <ranges>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <xsimd/xsimd.hpp>

export module ashlar;

// Names that templates of the headers use, and that clang looks for where an importer instantiates them.
export namespace std {
using std::initializer_list;  // a range-based for over braces
using std::operator==;
using std::get;  // and the next two: structured bindings of an array
using std::tuple_element;
using std::tuple_size;
}

// Of the global module, so that one program may import ashlar in some units and include it in others.
export extern "C++" {
#include <ashlar/ashlar.hpp>
}
