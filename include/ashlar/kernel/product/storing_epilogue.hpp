// SPDX-License-Identifier: BSL-1.0
// What epilogues share that finish a block's sums after they were stored: at its end, or beside the next one.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/epilogue.hpp>

namespace ashlar::detail {

/// Wraps the epilogue of a whole product, whose columns are full vectors of the result's type: sums are stored as they
/// are, and those who derive from it say when each is finished.
template <class Inner>
struct storing_epilogue : forwarding_epilogue<Inner> {
    using vec = typename Inner::vec;
    using forwarding_epilogue<Inner>::inner;
    static_assert(Inner::hooks == hook::vector);
    static constexpr hook hooks = Inner::hooks | hook::end_block;

    ASHLAR_STAGE_INLINE auto* at(std::size_t i, std::size_t j) const { return inner.at(i, j); }
    template <std::size_t Width, class Verdict>
    ASHLAR_STAGE_INLINE void vector(std::size_t i, std::size_t j, vec acc, lane_count<Width>, Verdict) const {
        acc.store(at(i, j));
    }
    ASHLAR_STAGE_INLINE void finish_vector(std::size_t i, std::size_t j) const {
        inner.vector(i, j, vec::load(at(i, j)), lane_count<vec::size>{}, masked_block{});
    }
};

}  // namespace ashlar::detail
