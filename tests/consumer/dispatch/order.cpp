// SPDX-License-Identifier: BSL-1.0
// Compiled for each instruction set.
#include "order.hpp"

#include <algorithm>
#include <vector>

ASHLAR_DISPATCH(consumer::order, [](float* values, int count) {
    std::vector<float> copy(values, values + count);
    std::sort(copy.begin(), copy.end());
    std::copy(copy.begin(), copy.end(), values);
    return consumer::sum_of_squares(values, count);
});
