// SPDX-License-Identifier: BSL-1.0
// The caller's integers, one per batch entry of some scores, for keys_below and causal_at.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether the axes of Integers fit the batch axes of Scores from position At.
template <class Integers, class Scores, std::size_t At>
consteval bool entry_axes_fit() {
    return []<std::size_t... Index>(std::index_sequence<Index...>) {
        return (true && ... &&
                (Integers::extents[Index] == 1 ||
                 dimensions_agree(dimension_at<Integers, Index>, dimension_at<Scores, At + Index>)));
    }(std::make_index_sequence<Integers::rank>{});
}

/// The batch axis of Scores for the first axis of Integers: 0 if that fits, else the one that aligns the last axes;
/// no_axis if neither fits.
template <class Integers, class Scores>
consteval std::size_t entry_position() {
    if constexpr (Integers::rank + 2 > Scores::rank)
        return no_axis;
    else if constexpr (entry_axes_fit<Integers, Scores, 0>())
        return 0;
    else if constexpr (entry_axes_fit<Integers, Scores, Scores::rank - 2 - Integers::rank>())
        return Scores::rank - 2 - Integers::rank;
    else
        return no_axis;
}

/// Whether the axes of an integer tensor are among the batch axes of the scores.
template <class Integers, class Scores>
struct entry_integers_shape {
    static constexpr bool fits = entry_position<Integers, Scores>() != no_axis;
};

/// Whether an expression can be such integers: an integer tensor or view.
template <class Expression>
struct entry_integers {
    static consteval bool check() {
        if constexpr (array_expression<Expression>)
            return std::is_integral_v<element_of<Expression>> && !std::is_same_v<element_of<Expression>, bool>;
        else
            return false;
    }
    static constexpr bool are_integers_in_memory = check();
};

/// The integer of the batch entry of Scores at these coordinates.
template <class Scores, class Array>
ASHLAR_ALWAYS_INLINE constexpr auto integer_of_entry(const Array& integers, const std::size_t* batch) noexcept {
    constexpr std::size_t first = entry_position<shape_of<Array>, Scores>();
    std::ptrdiff_t offset = 0;
    for (std::size_t i = 0; i < shape_of<Array>::rank; ++i)
        if (Array::extents[i] != 1) offset += static_cast<std::ptrdiff_t>(batch[first + i]) * Array::strides[i];
    return integers.data()[offset];
}

}  // namespace ashlar::detail
