// SPDX-License-Identifier: BSL-1.0
// A product of few rows with many columns, both contiguous along the depth, rows in lanes: C(i, j) = sum over k of
// S(i, k) * R(j, k) for at most W/2 rows j.
//
// Lane q*p + d of a packed vector is R(q, k + d); against it stand S(i, k) to S(i, k + p), one load repeated W/p times.
// So a column takes K/p multiply-adds instead of K, and log2 p levels of shuffled additions fold p columns into one
// vector, which has no idle lanes.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product_block.hpp>
#include <ashlar/kernel/product_shape.hpp>
#include <ashlar/kernel/register_block.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd_transpose.hpp>

#include <cstddef>
#include <utility>

namespace ashlar::detail {

/// `columns` i and `rows` j of `depth` elements, `column_distance` and `row_distance` apart.
struct few_shape {
    std::size_t rows, columns, depth;
    std::size_t row_distance, column_distance;
};

template <class T, class Config, few_shape P>
struct few_product {
    static constexpr std::size_t width = lane_width<T, Config>;
    static constexpr std::size_t line = few_line(P.rows);
    static constexpr std::size_t packs = width / line;
    static constexpr std::size_t steps = P.depth / packs;
    static_assert(fits_few(P.rows, P.depth, width));
    using vec = lanes<T, width, Config>;

    /// Columns that are computed side by side: a multiple of those that one vector holds in the end.
    static constexpr std::size_t most_sums = Config::registers >= 32 ? 16 : 8;
    static constexpr std::size_t together = packs >= most_sums ? packs : most_sums;

    vec packed[steps];

    /// The rows from `r` on.
    ASHLAR_ALWAYS_INLINE explicit few_product(const T* r) {
        constexpr std::size_t rest = P.depth % width;
        ASHLAR_UNROLL
        for (std::size_t k = 0; k + width <= P.depth; k += width)
            pack<width>(r + k, packed + k / packs);
        if constexpr (rest != 0)
            pack<rest>(r + (P.depth - rest), packed + (P.depth - rest) / packs);
    }

    template <std::size_t Depth>
    ASHLAR_ALWAYS_INLINE static void pack(const T* r, vec* to) {
        vec tile[line];
        ASHLAR_UNROLL
        for (std::size_t j = 0; j < line; ++j)
            tile[j] = j < P.rows ? vec::template load_partial<Depth>(r + j * P.row_distance) : vec(T(0));
        transpose_groups<packs>(tile);
        ASHLAR_UNROLL
        for (std::size_t t = 0; t < Depth / packs; ++t)
            to[t] = tile[t];
    }

    /// Where column `i` of a folded vector has row `lane % line`.
    template <std::size_t First>
    struct in_order {
        static constexpr std::size_t from(std::size_t lane) {
            return folded_lane<T, width, packs>((First + lane / line) % packs, lane % line);
        }
    };

    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static void step(const T* s, vec r, vec (&sums)[Count]) {
        ASHLAR_UNROLL
        for (std::size_t i = 0; i < Count; ++i)
            sums[i] = fma(load_repeated<vec, packs>(s + i * P.column_distance), r, sums[i]);
    }

    /// The columns [i, i + Count).
    template <std::size_t Count, class Epilogue>
    ASHLAR_ALWAYS_INLINE void block(const T* s, Epilogue& epilogue, std::size_t i) const {
        const block_verdict verdict = verdict_on(epilogue, i, i + Count, 0, P.rows);
        if (verdict == block_verdict::skip)
            return;
        constexpr std::size_t unrolled = 64;
        vec sums[Count];
        ASHLAR_UNROLL
        for (std::size_t c = 0; c < Count; ++c)
            sums[c] = vec(T(0));
        s += i * P.column_distance;
        if constexpr (steps * Count <= unrolled) {
            ASHLAR_UNROLL
            for (std::size_t t = 0; t < steps; ++t)
                step(s + t * packs, packed[t], sums);
        } else {
            for (std::size_t t = 0; t < steps; ++t)
                step(s + t * packs, opaque(packed[t]), sums);
        }
        fold_lanes<1, packs, Count>(sums);
        with_verdict<Epilogue>(verdict, [&](auto... tag) ASHLAR_LAMBDA_INLINE {
            [&]<std::size_t... V>(std::index_sequence<V...>) ASHLAR_LAMBDA_INLINE {
                (finish<(V + 1) * packs <= Count ? packs : Count - V * packs>(sums[V], epilogue, i + V * packs, tag...), ...);
            }(std::make_index_sequence<(Count + packs - 1) / packs>{});
        });
    }

    /// A folded vector, which holds the columns [i, i + Count).
    template <std::size_t Count, class Epilogue, class... Verdict>
    ASHLAR_ALWAYS_INLINE static void finish(vec sums, Epilogue& epilogue, std::size_t i, Verdict... verdict) {
        if constexpr (requires { epilogue.group(i, sums, lane_count<Count>{}, verdict...); }) {
            epilogue.group(i, shuffle_as<in_order<0>>(sums, sums), lane_count<Count>{}, verdict...);
        } else {
            [&]<std::size_t... C>(std::index_sequence<C...>) ASHLAR_LAMBDA_INLINE {
                (finish_column(epilogue, i + C, 0, {shuffle_as<in_order<C>>(sums, sums)}, lane_count<P.rows>{}, verdict...), ...);
            }(std::make_index_sequence<Count>{});
        }
    }
};

/// Computes all columns. `epilogue` is that of `product`, and may have, with the verdict behind them if it gives any,
///     group(i, lanes x, lane_count<Count>)     lane c*line + j is the element of column i + c < i + Count and row j
/// instead of Count calls.
template <class T, class Config, few_shape P, class Epilogue>
ASHLAR_ALWAYS_INLINE void multiply_few(const T* s, const T* r, Epilogue& epilogue) {
    using few = few_product<T, Config, P>;
    constexpr std::size_t rest = P.columns % few::together;
    const few rows(r);
    for (std::size_t i = 0; i + few::together <= P.columns; i += few::together)
        rows.template block<few::together>(s, epilogue, i);
    if constexpr (rest != 0)
        rows.template block<rest>(s, epilogue, P.columns - rest);
}

}  // namespace ashlar::detail
