// SPDX-License-Identifier: BSL-1.0
// One register block of a product: its accumulators, one pass over the depth, the epilogue.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/epilogue.hpp>
#include <ashlar/kernel/product/product_accumulators.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>

namespace ashlar::inline v0_1::detail {

/// Calls f(index, lane_count<Valid>) for each vector of a block.
template <block_shape Block, std::size_t Width, class Function>
ASHLAR_STAGE_INLINE void for_each_vector(Function f) {
    [&]<std::size_t... Index>(std::index_sequence<Index...>) ASHLAR_STAGE_LAMBDA {
        (f(std::integral_constant<std::size_t, Index>{},
           lane_count<(Index + 1 == Block.vectors ? Block.last_lanes : Width)>{}),
         ...);
    }(std::make_index_sequence<Block.vectors>{});
}

/// The steps of `depth` in which all rows take part.
template <class Depth>
ASHLAR_STAGE_INLINE auto even_steps(const Depth& depth) {
    if constexpr (requires { depth.even(); })
        return depth.even();
    else
        return depth;
}

/// The block of C at (i, j) over a depth as in `product`; s and v point to the origins of the operands.
template <class Element, class Config, product_shape Product, block_shape Block, class Depth, class Epilogue>
ASHLAR_STAGE_INLINE void product_block(const Element* s, const auto* v, Depth of_blocks, Epilogue& epilogue,
                                       std::size_t i, std::size_t j) {
    constexpr std::size_t width = lane_width<Element, Config>;
    using vec = lanes<Element, width, Config>;
    static_assert(!has_hook<Epilogue, hook::group>);

    const std::size_t end = j + (Block.vectors - 1) * width + Block.last_lanes;
    const auto depth = [&]() ASHLAR_STAGE_LAMBDA {
        if constexpr (requires { of_blocks.per_row(i, i); })
            return of_blocks.per_row(i, i + Block.rows);
        else if constexpr (requires { of_blocks(i, i, j, j); })
            return of_blocks(i, i + Block.rows, j, end);
        else
            return of_blocks;
    }();
    const block_verdict verdict = verdict_on(epilogue, i, i + Block.rows, j, end);
    if (verdict == block_verdict::skip) return;

    using accumulators = product_accumulators<Element, Config, Product, Block>;
    accumulators acc;
    // The start value of sums that begin as products: -0 plus -0 is -0.
    constexpr Element nothing = Product.cut.multiplies_first ? -Element(0) : Element(0);
    const auto start = [&]() ASHLAR_STAGE_LAMBDA {
        for_each_vector<Block, width>([&](auto c, auto count) ASHLAR_STAGE_LAMBDA {
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < Block.rows; ++r) {
                acc.sum[0][c][r] = initial_sum<vec>(epilogue, i + r, j + c * width, count, nothing);
                ASHLAR_UNROLL
                for (std::size_t u = 1; u < Block.chains; ++u) acc.sum[u][c][r] = vec(nothing);
            }
        });
    };
    const auto even = even_steps(depth);
    const Element* s_at = s + i * Product.si + even.first * Product.sk;
    const auto* v_at = v + Product.column_offset(j, width) + even.first * Product.vk;
    constexpr bool has_own_steps = requires { depth.run(acc, s_at, v_at, j, epilogue); };
    if constexpr (has_own_steps) {
        start();
        depth.run(acc, s_at, v_at, j, epilogue);
    } else if constexpr (Product.cut.multiplies_first) {
        constexpr std::size_t steps = Depth::last - Depth::first, begun = accumulators::together;
        static_assert(steps >= begun && !has_hook<Epilogue, hook::initial>);
        acc.begin(s_at, v_at);
        acc.template run<begun>(s_at + begun * Product.sk, v_at + begun * Product.vk, steps - begun, epilogue);
    } else {
        start();
        acc.run(s_at, v_at, even.last - even.first, epilogue);
    }
    if constexpr (requires { depth.even(); })
        acc.run_uneven(s + i * Product.si, v + Product.column_offset(j, width), depth, even);
    if constexpr (Product.group_rest != 0)
        acc.template step<false, Product.group_rest>(s_at + (even.last - even.first) * Product.sk,
                                                     v_at + (even.last - even.first) * Product.vk, 0);
    acc.join();
    if constexpr (requires { depth.plain_first; }) {
        // Zero times a finite value adds nothing. So an excluded pair can only have spoilt sums that are NaN.
        const bool excludes = depth.first != depth.plain_first || depth.plain_last != depth.last;
        if (excludes && acc.has_nan()) [[unlikely]] {
            start();
            acc.run_excluding(s_at, v_at, depth);
            acc.join();
        }
    }

    with_verdict<Epilogue>(verdict, [&](auto tag) ASHLAR_STAGE_LAMBDA {
        for_each_vector<Block, width>([&](auto c, auto count) ASHLAR_STAGE_LAMBDA {
            finish_column(epilogue, i, j + c * width, acc.sum[0][c], count, tag);
        });
    });
    finish_block(epilogue, i, Block.rows, j, Block.vectors);
}

}  // namespace ashlar::detail
