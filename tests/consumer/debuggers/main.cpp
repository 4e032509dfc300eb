// SPDX-License-Identifier: BSL-1.0
// Waits for a debugger in a function that has a tensor.
#include <ashlar/ashlar.hpp>

inline constexpr ashlar::axis<"row", 2> row;
using matrix = ashlar::tensor<float, row, 3>;

float gain(const matrix& m);

int main() {
    matrix m{{1, 2, 3}, {4, 5, 6.5f}};
    return gain(m) == 12.5f ? 0 : 1;
}
