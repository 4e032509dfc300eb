// SPDX-License-Identifier: BSL-1.0
// Sums a product in parts of its depth. Between parts the sums wait in the result.
#pragma once

#include <cstddef>

#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/product/register_block.hpp>

namespace ashlar::inline v0_1::detail {

/// The epilogue of one part of the depth. Sums start from what earlier parts left in the result at at(i, j), as single
/// vectors. After the last part they go to the real epilogue.
template <class Inner>
struct depth_part : forwarding_epilogue<Inner> {
    static_assert((Inner::hooks & (hook::column | hook::initial)) == hook::none);
    static constexpr hook hooks = Inner::hooks | hook::initial;
    using forwarding_epilogue<Inner>::inner;
    bool first, last;

    ASHLAR_STAGE_INLINE void end_block(std::size_t i, std::size_t rows, std::size_t j, std::size_t vectors) const
        requires(has_hook<Inner, hook::end_block>)
    {
        if (last) inner.end_block(i, rows, j, vectors);
    }
    template <std::size_t Width>
    ASHLAR_STAGE_INLINE auto initial(std::size_t i, std::size_t j, lane_count<Width>) const {
        using vec = typename Inner::vec;
        return first ? vec(typename vec::value_type(0)) : vec::template load_partial<Width>(inner.at(i, j));
    }
    template <std::size_t Width, class Verdict>
    ASHLAR_STAGE_INLINE void vector(std::size_t i, std::size_t j, auto acc, lane_count<Width> count,
                                    Verdict verdict) const {
        if (last)
            inner.vector(i, j, acc, count, verdict);
        else
            acc.template store_partial<Width>(inner.at(i, j));
    }
};

/// Calls f(epilogue of the part, first step, steps as a depth from 0, whether it is the last part) for near-equal
/// parts. A single part gets the epilogue itself.
template <std::size_t Depth, std::size_t Parts, class Epilogue, class Function>
ASHLAR_STAGE_INLINE void each_depth_part(Epilogue& epilogue, Function f) {
    constexpr axis_split parts = split_near_equal(Depth, Parts);
    if constexpr (parts.blocks == 1) {
        f(epilogue, std::size_t{0}, constant_depth<0, Depth>{}, true);
    } else {
        for (std::size_t p = 0; p < parts.blocks; ++p) {
            const bool last = p + 1 == parts.blocks;
            depth_part<Epilogue> part{{epilogue}, p == 0, last};
            f(part, parts.first(p), depth_range{0, parts.size(p)}, last);
        }
    }
}

}  // namespace ashlar::detail
