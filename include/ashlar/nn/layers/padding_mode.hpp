// SPDX-License-Identifier: BSL-1.0
// The padding around the input of a convolution: PyTorch's padding modes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/shape/concat.hpp>
#include <ashlar/expr/shape/pad.hpp>
#include <ashlar/expr/shape/roll.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/nn/layers/feed_forward.hpp>

namespace ashlar::inline v0_1::nn {

/// The values of a convolution's padding, as in PyTorch's `padding_mode`: zeros, the entries next to the edge in
/// reverse order without the edge, copies of the edge, or the entries of the other end.
///
///     nn::conv1d<{.in = 1, .out = 8, .kernel = 5, .padding = 2, .padding_mode = nn::padding_mode::reflect}> conv{};
enum class padding_mode : std::uint8_t { zeros, reflect, replicate, circular };

namespace detail {

/// Whether an axis has the entries that a padding repeats.
template <std::size_t Padding, std::size_t Extent, padding_mode Mode>
struct padding_entries {
    static constexpr bool exist = Mode == padding_mode::reflect    ? Padding < Extent
                                  : Mode == padding_mode::circular ? Padding <= Extent
                                                                   : true;
};

/// x with Padding entries before and after an axis.
template <padding_mode Mode, std::size_t Axis, std::size_t Padding, any_expression Input>
ASHLAR_ALWAYS_INLINE constexpr auto padded_by(Input&& x) noexcept {
    constexpr std::size_t extent = shape_of<Input>::extents[Axis];
    constexpr auto axis = static_cast<std::ptrdiff_t>(Axis);
    constexpr auto padding = static_cast<std::ptrdiff_t>(Padding), end = static_cast<std::ptrdiff_t>(extent);
    if constexpr (Padding == 0)
        return ashlar::detail::hold(std::forward<Input>(x));
    else if constexpr (Mode == padding_mode::zeros)
        return ashlar::detail::pad_along<Axis, Padding, Padding>(std::forward<Input>(x), element_of<Input>(0));
    else
        return used_often(std::forward<Input>(x), [](const auto& y) ASHLAR_LAMBDA_INLINE {
            if constexpr (Mode == padding_mode::reflect)
                return concat<axis>(flip<axis>(slice<axis, 1, padding + 1>(y)), y,
                                    flip<axis>(slice<axis, end - 1 - padding, end - 1>(y)));
            else if constexpr (Mode == padding_mode::replicate)
                return concat<axis>(repeat<axis, Padding>(slice<axis, 0, 1>(y)), y,
                                    repeat<axis, Padding>(slice<axis, end - 1, end>(y)));
            else
                return concat<axis>(slice<axis, end - padding, end>(y), y, slice<axis, 0, padding>(y));
        });
}

}  // namespace detail
}  // namespace ashlar::nn
