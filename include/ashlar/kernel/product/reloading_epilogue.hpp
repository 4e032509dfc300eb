// SPDX-License-Identifier: BSL-1.0
// Epilogues with many instructions on machines with few registers: the sums of a block are stored first, then reloaded
// and finished.
//
// A function like gelu needs a register for each of its constants. 16 registers have none left besides the sums of a
// block. After the block the vectors are finished one by one; they overlap each other and the first multiply-adds of
// the next block.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/epilogue.hpp>

namespace ashlar::inline v0_1::detail {

/// Keeps g++ from holding the constants of an epilogue in registers during the multiply-adds of the next block, whose
/// sums it would spill.
ASHLAR_STAGE_INLINE void hold_no_constants() {
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE__)
    __asm__ volatile("" ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#if defined(__x86_64__)
    __asm__ volatile("" ::: "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
#endif
}

/// Wraps the epilogue of a whole product. Columns are full vectors of the result's type.
template <class Inner>
struct reloading_epilogue : forwarding_epilogue<Inner> {
    using vec = typename Inner::vec;
    using forwarding_epilogue<Inner>::inner;
    static_assert(Inner::hooks == hook::vector);
    static constexpr hook hooks = Inner::hooks | hook::end_block;

    ASHLAR_STAGE_INLINE auto* at(std::size_t i, std::size_t j) const { return inner.at(i, j); }
    template <std::size_t Width, class Verdict>
    ASHLAR_STAGE_INLINE void vector(std::size_t i, std::size_t j, vec acc, lane_count<Width>, Verdict) const {
        acc.store(at(i, j));
    }
    ASHLAR_STAGE_INLINE void end_block(std::size_t i, std::size_t rows, std::size_t j, std::size_t vectors) const {
        hold_no_constants();
        for (std::size_t r = i; r < i + rows; ++r)
            for (std::size_t c = j; c < j + vectors * vec::size; c += vec::size)
                inner.vector(r, c, vec::load(at(r, c)), lane_count<vec::size>{}, masked_block{});
    }
};

}  // namespace ashlar::detail
