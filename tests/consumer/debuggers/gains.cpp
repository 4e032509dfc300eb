// SPDX-License-Identifier: BSL-1.0
// The part of the program that is in a shared library.
#include <ashlar/ashlar.hpp>

inline constexpr ashlar::axis<"row", 2> row;
using matrix = ashlar::tensor<float, row, 3>;

ashlar::tensor<int, 2> counts{3, 4};

float gain(const matrix& m) { return m(1, 1) + m(0, 0) + m(1, 2); }
