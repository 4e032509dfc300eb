// SPDX-License-Identifier: BSL-1.0
// unscaled: matrices in 8 bits whose left operands are integers already.
#pragma once

#include <ashlar/core/smoothed.hpp>

namespace ashlar::inline v0_1 {

/// As the element type of a matrix in 8 bits, `quantized<unscaled<float>, 64, 256>`: it multiplies rows of integers
/// from -128 to 127, held as floats, which keep their values instead of getting a scale for each row. `quantize(w, x)`
/// takes integers from -127 to 127 as they are. Then `matmul(x, w)` is the exact sum, if its magnitude is at most 2^24.
/// Entries outside these ranges, and fractions, give unspecified results. For models that come with their own integers,
/// scales and zero points; the ONNX importer writes it.
///
///     static quantized<unscaled<float>, 64, 256> integers;
template <class Element>
struct unscaled {};

namespace detail {

template <class Element>
struct smoothed_traits<unscaled<Element>> {
    using value = Element;
    static constexpr bool is_smoothed = false;
    static constexpr bool scales_rows = false;
};

}  // namespace detail
}  // namespace ashlar
