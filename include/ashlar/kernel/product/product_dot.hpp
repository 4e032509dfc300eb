// SPDX-License-Identifier: BSL-1.0
// Dot products of one row with many: out[n] = sum over k of a[k] * b[n*ld + k], with lanes along k. Elements of b may
// be f16 or bf16 where those of a are float.
//
// Dispatch, decided by the types, for W lanes:
//   1. the row a stays in registers if it fits, else it is loaded again for each row of b
//   2. W rows make one vector of sums: each row is one sequential stream, a few are added up by shuffles at a time
//   3. the last rows likewise, fewer; the rest of k is loaded partially
#pragma once

#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/product_block.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// Extents and strides (in elements): `n` rows of `k` elements, `ld` apart.
struct dot_shape {
    std::size_t n, k, ld;
};

/// The dot products of one row a[0, k) with the rows of b.
template <class Element, class Config, dot_shape Product>
struct dot_block {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t vectors = (Product.k + width - 1) / width;
    static constexpr std::size_t rest = Product.k - (vectors - 1) * width;
    static constexpr std::size_t chains = vectors <= 4 ? 1 : vectors <= 8 ? 2 : 4;
    static constexpr std::size_t together = lane_patterns<Element, width>::chunk;
    static constexpr bool keeps_row = vectors + chains + together + 2 <= machine_of<Config>.registers;
    using vec = lanes<Element, width, Config>;

    const Element* a;
    vec row[keeps_row ? vectors : 1];

    ASHLAR_STAGE_INLINE explicit dot_block(const Element* origin) : a(origin) {
        if constexpr (keeps_row) {
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < vectors; ++c) row[c] = load(a, c);
        }
    }

    ASHLAR_STAGE_INLINE static vec load(const auto* from, std::size_t c) {
        return c + 1 == vectors ? vec::template load_partial<rest>(from + c * width) : vec::load(from + c * width);
    }

    /// The products with one row of b, added up to one vector.
    ASHLAR_STAGE_INLINE vec products(const auto* b) const {
        vec sum[chains];
        if constexpr (keeps_row) {
            ASHLAR_UNROLL
            for (std::size_t c = 0; c < vectors; ++c)
                sum[c % chains] = c < chains ? row[c] * load(b, c) : fma(row[c], load(b, c), sum[c % chains]);
        } else {
            constexpr std::size_t left = (vectors - 1) % chains + 1;
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < chains; ++u) sum[u] = vec(Element(0));
            for (std::size_t c = 0; c + left < vectors; c += chains) {
                ASHLAR_UNROLL
                for (std::size_t u = 0; u < chains; ++u)
                    sum[u] = fma(vec::load(a + (c + u) * width), vec::load(b + (c + u) * width), sum[u]);
            }
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < left; ++u)
                sum[u] = fma(load(a, vectors - left + u), load(b, vectors - left + u), sum[u]);
        }
        ASHLAR_UNROLL
        for (std::size_t u = 1; u < chains; ++u) sum[0] = sum[0] + sum[u];
        return sum[0];
    }

    /// Folds the products of the next `Count` rows of b into one vector at `at`. Returns the row after them.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE auto group(const auto* b, Element* at) const {
        vec sums[together];
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < together; ++r) {
            sums[r] = r < Count ? products(b + r * Product.ld) : vec(Element(0));
            keep_load_order();
        }
        fold_lanes<1, together, together>(sums);
        sums[0].store(at);
        return b + Count * Product.ld;
    }

    /// The dot products with `Count` <= W rows of b.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE vec rows(const auto* b) const {
        if constexpr (shuffles<Element, width, Config>()) {
            alignas(64) Element waiting[width / together * width];
            Element* at = waiting;
            for (std::size_t left = Count / together; left != 0; left = opaque_count(left - 1), at += width)
                b = group<together>(b, at);
            if constexpr (Count % together != 0) group<Count % together>(b, at);
            vec folded[width / together];
            ASHLAR_UNROLL
            for (std::size_t n = 0; n < width / together; ++n)
                folded[n] = n * together < Count ? vec::load(waiting + n * width) : vec(Element(0));
            fold_lanes<together, width, width / together>(folded);
            return folded[0];
        } else {
            Element sums[width] = {};
            for (std::size_t r = 0; r < Count; ++r) sums[r] = reduce_add(products(b + r * Product.ld));
            return vec::load(sums);
        }
    }
};

/// The hooks that it calls. Row a is row 0, and the rows of b are the columns.
inline constexpr hook served_by_dots = hook::vector;

/// Hands the dot products of a[0, k) and the rows of b to the epilogue in vectors, for the blocks of W rows
/// [first_block, last_block). Reads nothing outside these rows.
template <class Element, class Config, dot_shape Product, class Epilogue>
ASHLAR_STAGE_INLINE void dot_row_blocks(const Element* a, const auto* b, Epilogue& epilogue, std::size_t first_block,
                                        std::size_t last_block) {
    constexpr std::size_t width = lane_width<Element, Config>;
    constexpr std::size_t whole = Product.n / width, rest = Product.n % width;
    if constexpr (fits_kernel<Epilogue, lanes<Element, width, Config>, served_by_dots, Config::checks>()) {
        const dot_block<Element, Config, Product> block(a);
        for (std::size_t n = first_block; n < last_block && n < whole; ++n)
            epilogue.vector(0, n * width, block.template rows<width>(b + n * width * Product.ld), lane_count<width>{},
                            masked_block{});
        if constexpr (rest != 0)
            if (first_block <= whole && whole < last_block)
                epilogue.vector(0, whole * width, block.template rows<rest>(b + whole * width * Product.ld),
                                lane_count<rest>{}, masked_block{});
    }
}

/// The same for all rows.
template <class Element, class Config, dot_shape Product, class Epilogue>
ASHLAR_STAGE_INLINE void dot_rows(const Element* a, const auto* b, Epilogue& epilogue) {
    constexpr std::size_t width = lane_width<Element, Config>;
    dot_row_blocks<Element, Config, Product>(a, b, epilogue, 0, (Product.n + width - 1) / width);
}

}  // namespace ashlar::detail
