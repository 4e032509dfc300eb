// SPDX-License-Identifier: BSL-1.0
// A right operand at most half as wide as a vector, whose rows lie without gaps: one vector is several depth steps.
//
// Lane d*J + j of a vector loaded at step k is V(k + d, j), and against it stands S(i, k + d), W/J scalars loaded at
// once and spread over the lanes. So a row takes J/W multiply-adds for each depth step, and log2(W/J) levels of
// additions at the end. It is the product of weights and values of narrow heads.
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/product_block.hpp>
#include <ashlar/kernel/product/product_cut.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/product/register_block.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::detail {

/// All columns of some rows over a depth.
template <class Element, class Config, product_shape Product, std::size_t Rows>
struct strip_rows {
    static constexpr std::size_t width = lane_width<Element, Config>, steps = Product.cut.strip_steps,
                                 columns = Product.j;
    static constexpr std::size_t chains = depth_chains(Rows, 1, Product.k / steps, machine_of<Config>);
    using vec = lanes<Element, width, Config>;

    /// S(i, k + d) in the lanes of V(k + d, .), picked from the same 16 bytes where these hold it.
    struct spread {
        static constexpr std::size_t chunk = lane_patterns<Element, width>::chunk;
        static constexpr std::size_t from(std::size_t lane) {
            return (steps <= chunk ? lane / chunk * chunk : 0) + lane / columns;
        }
    };

    vec sum[chains][Rows];

    ASHLAR_STAGE_INLINE void step(const Element* s, const Element* v, std::size_t chain) {
        const vec b = opaque(vec::load(v));
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) {
            const vec some = load_repeated<vec, steps>(s + r * Product.si);
            sum[chain][r] = fma(shuffle_as<spread>(some, some), b, sum[chain][r]);
        }
    }

    /// `count` depth steps from s and v on, as sums of columns in all groups of lanes.
    ASHLAR_STAGE_INLINE strip_rows(const Element* s, const Element* v, std::size_t count) {
        ASHLAR_UNROLL
        for (std::size_t u = 0; u < chains; ++u) {
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < Rows; ++r) sum[u][r] = vec(Element(0));
        }
        for (std::size_t left = count / (chains * steps); left != 0; --left, s += chains * steps, v += chains * width) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < chains; ++u) step(s + u * steps, v + u * width, u);
        }
        if constexpr (chains > 1)
            for (std::size_t left = count % (chains * steps) / steps; left != 0; --left, s += steps, v += width)
                step(s, v, 0);
        join();
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r)
            sum[0][r] = combine_groups<columns>(sum[0][r], [](vec x, vec y) ASHLAR_LAMBDA_INLINE { return x + y; });
        for (std::size_t left = count % steps; left != 0; --left, ++s, v += columns) {
            const vec b = vec::template load_partial<columns>(v);
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < Rows; ++r) sum[0][r] = fma(vec(s[r * Product.si]), b, sum[0][r]);
        }
    }

    template <std::size_t Half = chains / 2>
    ASHLAR_STAGE_INLINE void join() {
        if constexpr (Half != 0) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < Half; ++u) {
                ASHLAR_UNROLL
                for (std::size_t r = 0; r < Rows; ++r) sum[u][r] = sum[u][r] + sum[u + Half][r];
            }
            join<Half / 2>();
        }
    }
};

/// All columns of the rows [i, i + Rows); `depth` as in `product_block`.
template <class Element, class Config, product_shape Product, std::size_t Rows, class Depth, class Epilogue>
ASHLAR_STAGE_INLINE void strip_block(const Element* s, const Element* v, Depth depth, Epilogue& epilogue,
                                     std::size_t i) {
    static_assert(!has_hook<Epilogue, hook::interleave> && !has_hook<Epilogue, hook::group>);
    constexpr lane_count<Product.j> count;
    const block_verdict verdict = verdict_on(epilogue, i, i + Rows, 0, Product.j);
    if (verdict == block_verdict::skip) return;
    strip_rows<Element, Config, Product, Rows> rows(s + i * Product.si + depth.first, v + depth.first * Product.vk,
                                                    depth.last - depth.first);
    if constexpr (requires { depth.plain_first; }) {
        // What excluded pairs may have spoilt is done again, step by step.
        if ((depth.first != depth.plain_first || depth.plain_last != depth.last) && any_nan(total(rows.sum[0])))
            [[unlikely]] {
            product_block<Element, Config, Product, block_shape{Rows, 1, rows.chains, Product.j}>(s, v, depth, epilogue,
                                                                                                  i, 0);
            return;
        }
    }
    add_initial(epilogue, i, 0, rows.sum[0], count);
    with_verdict<Epilogue>(
        verdict, [&](auto tag) ASHLAR_STAGE_LAMBDA { finish_column(epilogue, i, 0, rows.sum[0], count, tag); });
    finish_block(epilogue, i, Rows, 0, 1);
}

}  // namespace ashlar::detail
