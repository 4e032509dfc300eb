// SPDX-License-Identifier: BSL-1.0
// Products of rows of floats with a matrix of int4. Rows are rounded once, group by group. The integers of a group are
// added up exactly, and sums of groups in floats, which stay in registers until the epilogue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/core/narrow_float.hpp>
#include <ashlar/kernel/product/int4_rows.hpp>
#include <ashlar/kernel/product/int4_shape.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/kernel/product/quantized_product.hpp>
#include <ashlar/kernel/simd/narrow_lanes.hpp>
#include <ashlar/kernel/simd/nibble_dots.hpp>

namespace ashlar::inline v0_1::detail {

/// A register block: sums of Rows rows by Vectors vectors of columns.
template <class Config, int4_shape Product, std::size_t Rows, std::size_t Vectors, std::size_t LastLanes>
struct int4_sums {
    static constexpr std::size_t width = lane_width<float, Config>;
    using dots = nibble_dots<width, Config>;
    static constexpr std::size_t panel = int4_layout::panel, groups = Product.right.groups(),
                                 panel_bytes = groups * sizeof(int4_block), step = dots::pairs * 2 * int4_block::quad;
    using left_rows = int4_rows<Config, Product>;
    using partial = typename dots::partial;
    using values = lanes<float, width, Config>;
    using all_vectors = std::make_index_sequence<Vectors>;
    using all_rows = std::make_index_sequence<Rows>;

    /// Lanes of a vector with columns in memory, including those that fill up a panel.
    template <std::size_t Vector>
    static constexpr std::size_t held = width <= panel || Vector + 1 != Vectors ? width : LastLanes;

    values sum[Vectors][Rows];

    // Index sequences here and below, because g++ unrolls loops too late to keep sums in registers.
    template <std::size_t Row, std::size_t... Vector>
    ASHLAR_STAGE_INLINE static void add_row(partial (&to)[Vectors][Rows], const std::uint8_t* x,
                                            const typename dots::pair (&w)[Vectors], std::index_sequence<Vector...>) {
        const typename dots::left bytes = dots::spread(x);
        ((to[Vector][Row] = dots::add(to[Vector][Row], bytes, w[Vector])), ...);
    }
    /// `step` depth steps.
    template <std::size_t Step, std::size_t... Vector, std::size_t... Row>
    ASHLAR_STAGE_INLINE static void add_steps(partial (&to)[Vectors][Rows], const std::uint8_t* x,
                                              const std::uint8_t* const (&right)[Vectors],
                                              std::index_sequence<Vector...> vectors, std::index_sequence<Row...>) {
        const typename dots::pair w[Vectors]{
            dots::template load<panel_bytes, held<Vector>>(right[Vector] + Step * dots::pairs * int4_block::line)...};
        (add_row<Row>(to, x + Row * left_rows::line + Step * step, w, vectors), ...);
    }
    /// Scales of rows come last: for a row with the largest floats, a product of both scales would be infinite.
    template <std::size_t Vector, std::size_t... Row>
    ASHLAR_STAGE_INLINE void add_group(const partial (&of)[Rows], const left_rows& left, std::size_t i, std::size_t g,
                                       values scale, std::index_sequence<Row...>) {
        ((sum[Vector][Row] = fma(convert_lanes<float>(dots::finish(of[Row]) + integers(left.start(i + Row, g))) * scale,
                                 values(left.scale(i + Row, g)), sum[Vector][Row])),
         ...);
    }
    using integers = typename dots::sums;

    /// The scales of the columns of a vector.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static values load_scales(const f16* from) {
        if constexpr (width <= panel) {
            return values::template load_partial<Count>(from);
        } else {
            float all[width] = {};
            for (std::size_t l = 0; l < Count; ++l)
                all[l] = static_cast<float>(from[l / panel * (panel_bytes / sizeof(f16)) + l % panel]);
            return values::load(all);
        }
    }
    template <std::size_t... Vector, std::size_t... Step>
    ASHLAR_STAGE_INLINE void add_all(const left_rows& left, const int4_block* right, std::size_t i, std::size_t j,
                                     std::index_sequence<Vector...> vectors, std::index_sequence<Step...>) {
        const int4_block* blocks[Vectors]{right + Product.right.block(0, j + Vector * width)...};
        const std::uint8_t* x = left.row(i);
        for (std::size_t g = 0; g < groups; ++g, x += int4_layout::group) {
            partial of_group[Vectors][Rows];
            const std::uint8_t* const columns[Vectors]{blocks[Vector]->integers +
                                                       (j + Vector * width) % panel * int4_block::quad...};
            (add_steps<Step>(of_group, x, columns, vectors, all_rows{}), ...);
            (add_group<Vector>(of_group[Vector], left, i, g,
                               load_scales<held<Vector>>(blocks[Vector]->scales + (j + Vector * width) % panel),
                               all_rows{}),
             ...);
            (++blocks[Vector], ...);
        }
    }

    template <class Epilogue>
    ASHLAR_STAGE_INLINE static void run(const left_rows& left, const int4_block* right, Epilogue& epilogue,
                                        std::size_t i, std::size_t j) {
        const block_verdict verdict = verdict_on(epilogue, i, i + Rows, j, j + (Vectors - 1) * width + LastLanes);
        if (verdict == block_verdict::skip) return;
        int4_sums block;
        const auto each = [](auto f) ASHLAR_STAGE_LAMBDA {
            for_each_vector<block_shape{Rows, Vectors, 1, LastLanes}, width>(f);
        };
        each([&](auto c, auto) ASHLAR_STAGE_LAMBDA {
            [&]<std::size_t... Row>(std::index_sequence<Row...>)
                ASHLAR_STAGE_LAMBDA { ((block.sum[c][Row] = values(0.0f)), ...); }(all_rows{});
        });
        block.add_all(left, right, i, j, all_vectors{}, std::make_index_sequence<int4_layout::group / step>{});
        with_verdict<Epilogue>(verdict, [&](auto tag) ASHLAR_STAGE_LAMBDA {
            each([&](auto c, auto count)
                     ASHLAR_STAGE_LAMBDA { finish_column(epilogue, i, j + c * width, block.sum[c], count, tag); });
        });
        finish_block(epilogue, i, Rows, j, Vectors);
    }
};

/// The product of the row blocks below `last_block`. Rows of s are Product.row_distance apart and dense. `scratch` has
/// int4_rows_bytes bytes. Each element is, for one group of 32 after the other, the exact sum of products of integers,
/// times the scale of its column, multiplied by that of the row and added.
template <class Config, int4_shape Product, class Epilogue>
ASHLAR_STAGE_INLINE void int4_product(const float* s, const int4_block* right, Epilogue& epilogue, float* scratch,
                                      std::size_t last_block = Product.cut.row_blocks) {
    constexpr product_shape in_groups = Product.in_groups();
    using walk = product_walk<float, Config, in_groups, constant_depth<0, in_groups.k>, Epilogue>;
    if constexpr (fits_kernel<Epilogue, lanes<float, walk::width, Config>, served_by_quantized_product,
                              Config::checks>()) {
        const int4_rows<Config, Product> left{reinterpret_cast<std::uint8_t*>(scratch)};
        left.fill(s, walk::plan.rows.first(last_block));
        walk::each_column_block([&](auto vectors, auto last, std::size_t j) ASHLAR_STAGE_LAMBDA {
            walk::each_row_block(0, last_block, [&](auto rows, std::size_t i) ASHLAR_STAGE_LAMBDA {
                int4_sums<Config, Product, rows, vectors, last>::run(left, right, epilogue, i, j);
            });
        });
    }
}

}  // namespace ashlar::detail
