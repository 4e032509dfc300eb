// SPDX-License-Identifier: BSL-1.0
// The channel axis of inputs, and vectors along it.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/shape/reshape.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// The channel axis of an input, and whether it has the module's number of channels.
template <class Input, std::size_t Channels, bool Batch, bool ChannelsLast>
struct channel_axis {
    static constexpr std::size_t position = ChannelsLast ? (Input::rank == 0 ? 0 : Input::rank - 1) : Batch ? 1 : 0;
    static consteval bool check() {
        if constexpr (position >= Input::rank || (ChannelsLast && Batch && Input::rank < 2))
            return false;
        else
            return Input::extents[position] == Channels;
    }
    static constexpr bool fits = check();
};

/// A vector of channels, followed by as many axes of extent 1 as an input has after its channels.
template <class Input, std::size_t Position, class Vector>
ASHLAR_ALWAYS_INLINE constexpr auto broadcast_to_channels(const Vector& v) noexcept {
    return ashlar::detail::reshape_to<
        decltype(ashlar::detail::column_shape<Vector::shape_type::extents[0], Input::rank - Position>())>(v);
}

}  // namespace ashlar::nn::detail
