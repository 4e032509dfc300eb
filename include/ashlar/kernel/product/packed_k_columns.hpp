// SPDX-License-Identifier: BSL-1.0
// The last columns of a ragged product, too few for a vector: lanes hold p depth steps of each column side by side.
//
// Lane q*p + d of a packed vector is V(k + d, j + q), and of the other operand S(i, k + d), one load repeated W/p
// times. So a row takes K/p multiply-adds instead of K, and log2 p levels of shuffled additions at the end, which
// rows share: p rows are folded into one vector.
#pragma once

#include <bit>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/product_block.hpp>
#include <ashlar/kernel/product/product_cut.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/simd.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::detail {

/// The packed last columns of V, in scratch.
template <class Element, class Config, product_shape Product>
struct packed_columns {
    static constexpr std::size_t width = lane_width<Element, Config>;
    static constexpr std::size_t columns = Product.j % width;
    static constexpr std::size_t depth = Product.cut.last_steps;
    static constexpr std::size_t steps = (Product.k + depth - 1) / depth;
    /// The last step covers the last `depth` ones, of which so many have been before.
    static constexpr std::size_t repeats = steps * depth - Product.k;

    using vec = lanes<Element, width, Config>;

    const Element* values;

    /// The lanes of a and b in turn, as far as they fit.
    struct in_turn {
        static constexpr std::size_t from(std::size_t lane) { return lane % 2 * width + lane / 2; }
    };
    /// Lane q*depth + d from rows of `group` elements, the last of which are the columns.
    static constexpr std::size_t group = std::bit_ceil(columns);
    struct in_columns {
        static constexpr std::size_t from(std::size_t lane) {
            const std::size_t q = lane / depth, d = lane % depth;
            return q < columns ? d * group + group - columns + q : lane;
        }
    };
    /// Zero in place of the steps that have been before.
    struct not_repeated {
        static constexpr std::size_t from(std::size_t lane) { return lane % depth < repeats ? width + lane : lane; }
    };
    ASHLAR_STAGE_INLINE static vec without_repeats(vec x) { return shuffle_as<not_repeated>(x, vec(Element(0))); }

    ASHLAR_STAGE_INLINE packed_columns(const Element* v, Element* scratch) : values(scratch) {
        v += Product.j - columns;
        for (std::size_t t = 0; t < Product.k / depth; ++t)
            packed_step(v + t * depth * Product.vk).store(scratch + t * width);
        if constexpr (repeats != 0)
            without_repeats(packed_step(v + (Product.k - depth) * Product.vk)).store(scratch + (steps - 1) * width);
    }
    ASHLAR_STAGE_INLINE static vec packed_step(const Element* v) {
        if constexpr (Product.j >= group &&
                      requires { vec::ops::template gather_groups<group, group * depth>(v, 1); }) {
            const vec rows(vec::ops::template gather_groups<group, group * depth>(
                v - (group - columns), static_cast<std::ptrdiff_t>(Product.vk)));
            return group == 1 ? rows : shuffle_as<in_columns>(rows, rows);
        } else {
            vec rows[depth];
            ASHLAR_UNROLL
            for (std::size_t d = 0; d < depth; ++d)
                rows[d] = Product.padded ? vec::load(v + d * Product.vk)
                                         : vec::template load_partial<columns>(v + d * Product.vk);
            ASHLAR_UNROLL
            for (std::size_t half = depth / 2; half != 0; half /= 2) {
                ASHLAR_UNROLL
                for (std::size_t d = 0; d < half; ++d) rows[d] = shuffle_as<in_turn>(rows[d], rows[d + half]);
            }
            return rows[0];
        }
    }
};

/// In their place where nothing is packed.
struct no_packed_columns {
    template <class Element>
    ASHLAR_STAGE_INLINE no_packed_columns(const Element*, Element*) {}
};

/// Moves the columns of row `Row` of a folded vector to its first lanes.
template <class Element, std::size_t Width, std::size_t Depth, std::size_t Row>
struct folded_row {
    static constexpr std::size_t from(std::size_t lane) {
        return folded_lane<Element, Width, Depth>(Row, lane % (Width / Depth));
    }
};

/// The last columns of the rows [i, i + Rows).
template <class Element, class Config, product_shape Product, std::size_t Rows, class Epilogue>
ASHLAR_STAGE_INLINE void packed_block(const Element* s, const packed_columns<Element, Config, Product>& packed,
                                      Epilogue& epilogue, std::size_t i) {
    using columns = packed_columns<Element, Config, Product>;
    constexpr std::size_t width = columns::width, depth = columns::depth, j = Product.j - columns::columns;
    using vec = lanes<Element, width, Config>;
    static_assert(!has_hook<Epilogue, hook::interleave> && !has_hook<Epilogue, hook::group>);
    constexpr lane_count<columns::columns> count;

    const block_verdict verdict = verdict_on(epilogue, i, i + Rows, j, Product.j);
    if (verdict == block_verdict::skip) return;

    constexpr std::size_t chains = depth_chains(Rows, 1, columns::steps, machine_of<Config>);
    vec sums[chains][Rows];
    ASHLAR_UNROLL
    for (std::size_t u = 0; u < chains; ++u) {
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) sums[u][r] = vec(Element(0));
    }
    const Element* s_at = s + i * Product.si;
    const Element* v_at = packed.values;
    const auto step = [&](std::size_t u, auto last) ASHLAR_STAGE_LAMBDA {
        const vec b = opaque(vec::load(v_at));
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) {
            const vec a = load_repeated<vec, depth>(s_at + r * Product.si);
            sums[u][r] = fma(last ? columns::without_repeats(a) : a, b, sums[u][r]);
        }
        s_at += depth;
        v_at += width;
    };
    constexpr std::size_t whole = Product.k / depth;
    constexpr std::false_type more{};
    for (std::size_t t = 0; t < whole / chains; ++t) {
        ASHLAR_UNROLL
        for (std::size_t u = 0; u < chains; ++u) step(u, more);
    }
    ASHLAR_UNROLL
    for (std::size_t u = 0; u < whole % chains; ++u) step(u, more);
    if constexpr (columns::repeats != 0) {
        s_at -= columns::repeats;
        step(whole % chains, std::true_type{});
    }
    ASHLAR_UNROLL
    for (std::size_t u = 1; u < chains; ++u) {
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Rows; ++r) sums[0][r] = sums[0][r] + sums[u][r];
    }
    fold_lanes<1, depth, Rows>(sums[0]);

    vec rows[Rows];
    [&]<std::size_t... Row>(std::index_sequence<Row...>) ASHLAR_STAGE_LAMBDA {
        ((rows[Row] =
              shuffle_as<folded_row<Element, width, depth, Row % depth>>(sums[0][Row / depth], sums[0][Row / depth])),
         ...);
    }(std::make_index_sequence<Rows>{});
    add_initial(epilogue, i, j, rows, count);
    with_verdict<Epilogue>(verdict,
                           [&](auto tag) ASHLAR_STAGE_LAMBDA { finish_column(epilogue, i, j, rows, count, tag); });
    finish_block(epilogue, i, Rows, j, 1);
}

}  // namespace ashlar::detail
