// SPDX-License-Identifier: BSL-1.0
// An operand for expressions that are only planned.
#pragma once

#include <ashlar/ashlar.hpp>

namespace support {

/// A tensor of this shape that outlives every expression.
template <auto... Dims>
ashlar::tensor<float, Dims...>& x() {
    static ashlar::tensor<float, Dims...> t{};
    return t;
}

}  // namespace support
