// SPDX-License-Identifier: BSL-1.0
// Coordinates of the elements in lanes, and the verdicts of masks on them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// For Width lanes, of which the first Wanted are needed.
template <std::size_t Width, std::size_t Wanted, class Config>
struct lane_coordinates {
    using integers = lanes<std::int32_t, Width, Config>;

    /// The coordinate along an axis.
    template <std::size_t Axis, auto Steps, std::size_t Rank>
    ASHLAR_STAGE_INLINE static integers along(const std::array<std::size_t, Rank>& at) {
        const integers first(static_cast<std::int32_t>(at[Axis]));
        if constexpr (Steps[Axis] == 0)
            return first;
        else if constexpr (Steps[Axis] == 1)
            return first + repeat_first<Wanted>(integers::iota());
        else
            return first + repeat_first<Wanted>(integers::iota()) * integers(static_cast<std::int32_t>(Steps[Axis]));
    }

    template <class Shape, auto Steps, class Mask, std::size_t Rank>
    ASHLAR_STAGE_INLINE static auto kept(const Mask& mask, const std::array<std::size_t, Rank>& at) {
        std::array<std::size_t, Rank - 2> batch{};
        for (std::size_t a = 0; a + 2 < Rank; ++a) batch[a] = at[a];
        constexpr bool moves_in_batch = [] {
            for (std::size_t a = 0; a + 2 < Rank; ++a)
                if (Steps[a] != 0) return true;
            return false;
        }();
        if constexpr (moves_in_batch) {
            bool answers[Width] = {};
            for (std::size_t i = 0; i < Wanted; ++i) {
                auto here = at;
                for (std::size_t a = 0; a < Rank; ++a) here[a] += i * static_cast<std::size_t>(Steps[a]);
                answers[i] = mask_keeps<Shape>(mask, here);
            }
            return decltype(integers(0) < integers(0))::load(answers);
        } else {
            return mask_lanes<Shape>(mask, batch, along<Rank - 2, Steps>(at), along<Rank - 1, Steps>(at), Wanted);
        }
    }
};

}  // namespace ashlar::detail
