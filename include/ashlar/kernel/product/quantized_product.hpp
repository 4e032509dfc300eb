// SPDX-License-Identifier: BSL-1.0
// Products of rows of floats with a matrix in 8 bits. Rows are rounded once. The sums of integers stay in registers,
// where both scales and the epilogue are applied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/kernel/product/quantized_shape.hpp>
#include <ashlar/kernel/product/rounded_rows.hpp>
#include <ashlar/kernel/simd/byte_dots.hpp>

namespace ashlar::inline v0_1::detail {

/// The right operand: integers in panels, and for each column its scale and the sum of its integers.
struct quantized_memory {
    const std::int8_t* elements;
    const float* scales;
    const std::int32_t* sums;
};

/// The hooks that it calls.
inline constexpr hook served_by_quantized_product = hook::vector | hook::column | hook::begin_block | hook::end_block;

/// A register block: sums of Rows rows by Vectors vectors of columns.
template <class Config, quantized_shape Product, std::size_t Rows, std::size_t Vectors, std::size_t LastLanes>
struct quantized_block {
    static constexpr std::size_t width = lane_width<float, Config>, chains = Product.cut.chains,
                                 panel = Product.right.panel, panel_size = Product.right.panel_size(),
                                 step = panel * Product.right.group, groups = Product.right.groups();
    using left_rows = rounded_rows<Config, Product>;
    using dots = byte_dots<width, Config>;
    using sums = typename dots::sums;
    using integers = lanes<std::int32_t, width, Config>;
    using values = lanes<float, width, Config>;

    /// Lanes of a vector with columns in memory, including those that fill up a panel.
    template <std::size_t Vector>
    static constexpr std::size_t held = width <= panel || Vector + 1 != Vectors ? width : LastLanes;

    /// Whether a core that issues one instruction at a time addresses all columns of each block from the first one.
    static constexpr bool from_first_column = machine_of<Config>.single_issue && [] {
        const axis_split across =
            split_near_equal((Product.right.columns + width - 1) / width, Product.cut.vector_blocks);
        for (std::size_t b = 0; b < across.blocks; ++b)
            if (across.first(b) * width / panel != (across.first(b) + across.size(b) - 1) * width / panel) return false;
        return true;
    }();
    /// Groups between two branches. On such a core a branch and its addresses cost what four multiply-adds do.
    static constexpr std::size_t together =
        dots::groups * (machine_of<Config>.single_issue && groups % (2 * dots::groups) == 0 ? 2 : chains);

    sums sum[chains][Vectors][Rows];

    /// The start value of the sums of a vector of columns, without the part of each row. Index sequences here and
    /// below, because g++ unrolls loops too late to keep sums in registers.
    template <std::size_t Vector, std::size_t... Row, std::size_t... Chain>
    ASHLAR_STAGE_INLINE void begin(sums start, const left_rows& left, std::size_t i, std::index_sequence<Row...>,
                                   std::index_sequence<Chain...>) {
        const auto of_row = [&]<std::size_t OneRow>() ASHLAR_STAGE_LAMBDA {
            const sums first = dots::starts_at_negatives ? sums(left.start(i + OneRow)) : start;
            ((sum[Chain][Vector][OneRow] = Chain == 0 ? first : sums(0)), ...);
        };
        (of_row.template operator()<Row>(), ...);
    }
    /// One row's products of a group.
    template <std::size_t Chain, std::size_t Row, std::size_t... Vector>
    ASHLAR_STAGE_INLINE void add_row(typename dots::left x, const typename dots::right (&w)[Vectors],
                                     std::index_sequence<Vector...>) {
        ((sum[Chain][Vector][Row] = dots::add(sum[Chain][Vector][Row], x, w[Vector])), ...);
    }

    /// Adds Groups groups of depth steps to the sums of `chain`.
    template <std::size_t Chain, std::size_t Groups = dots::groups>
    ASHLAR_STAGE_INLINE void add(const std::uint8_t* left, const std::int8_t* const (&right)[Vectors], std::size_t at) {
        typename dots::right w[Vectors];
        for_each_vector<block_shape{Rows, Vectors, chains, LastLanes}, width>([&](auto c, auto) ASHLAR_STAGE_LAMBDA {
            const std::int8_t* const column = from_first_column ? right[0] + c * width * Product.right.group : right[c];
            w[c] = dots::template load<panel, panel_size, held<c>, Groups>(column + at * step);
        });
        [&]<std::size_t... Row>(std::index_sequence<Row...>) ASHLAR_STAGE_LAMBDA {
            (add_row<Chain, Row>(
                 left_rows::template four_bytes<Rows>(left + Row * left_rows::line, at * Product.right.group), w,
                 std::make_index_sequence<Vectors>{}),
             ...);
        }(std::make_index_sequence<Rows>{});
    }

    /// The column's scale comes first: for a row with the largest floats, the sum of integers times the row's scale
    /// would be infinite, whatever the weights.
    template <std::size_t... Row>
    ASHLAR_STAGE_INLINE static void scale_rows(const left_rows& left, std::size_t i, const sums (&of)[Rows],
                                               values scale, values (&scaled)[Rows], std::index_sequence<Row...>) {
        ((scaled[Row] = convert_lanes<float>(integers(of[Row])) * scale * values(left.scale(i + Row))), ...);
    }

    template <class Epilogue>
    ASHLAR_STAGE_INLINE static void run(const left_rows& left, const quantized_memory& right, Epilogue& epilogue,
                                        std::size_t i, std::size_t j) {
        const block_verdict verdict = verdict_on(epilogue, i, i + Rows, j, j + (Vectors - 1) * width + LastLanes);
        if (verdict == block_verdict::skip) return;
        quantized_block block;
        const std::int8_t* columns[Vectors];
        const auto each = [](auto f) ASHLAR_STAGE_LAMBDA {
            for_each_vector<block_shape{Rows, Vectors, chains, LastLanes}, width>(f);
        };
        each([&](auto c, auto) ASHLAR_STAGE_LAMBDA {
            const std::size_t column = j + c * width;
            columns[c] = right.elements + column / panel * panel_size + column % panel * Product.right.group;
            sums start(0);
            if constexpr (dots::is_offset)
                start = integers(0) - (integers::template load_partial<held<c>>(right.sums + column) << 7);
            block.template begin<c>(start, left, i, std::make_index_sequence<Rows>{},
                                    std::make_index_sequence<chains>{});
        });
        const std::uint8_t* const rows = left.row(i);
        std::size_t g = 0;
        if constexpr (constexpr std::size_t steps = groups / dots::groups;
                      dots::way == byte_way::across && Rows == 2 && Vectors == 1 && steps != 0) {
            dots::template add_two_rows<panel, left_rows::line>(block.sum[0][0][0], block.sum[0][0][1], rows,
                                                                columns[0], steps);
            g = steps * dots::groups;
        }
        for (; g + together <= groups; g += together) {
            [&]<std::size_t... Step>(std::index_sequence<Step...>) ASHLAR_STAGE_LAMBDA {
                (block.template add<Step % chains>(rows, columns, g + Step * dots::groups), ...);
            }(std::make_index_sequence<together / dots::groups>{});
        }
        if constexpr (groups % together >= dots::groups)
            for (; g + dots::groups <= groups; g += dots::groups) block.template add<0>(rows, columns, g);
        if constexpr (groups % dots::groups != 0) block.template add<0, groups % dots::groups>(rows, columns, g);
        join_in_pairs<chains / 2>(block.sum);
        with_verdict<Epilogue>(verdict, [&](auto tag) ASHLAR_STAGE_LAMBDA {
            each([&](auto c, auto count) ASHLAR_STAGE_LAMBDA {
                const values scale = values::template load_partial<held<c>>(right.scales + j + c * width);
                values scaled[Rows];
                scale_rows(left, i, block.sum[0][c], scale, scaled, std::make_index_sequence<Rows>{});
                finish_column(epilogue, i, j + c * width, scaled, count, tag);
            });
        });
        finish_block(epilogue, i, Rows, j, Vectors);
    }
};

/// The product of the row blocks below `last_block`. `s` has the pieces of the first row. `scratch` has
/// rounded_rows_bytes bytes. Each element is the exact sum of products of integers, times the scale of its column,
/// times that of its row.
template <class Config, quantized_shape Product, class Epilogue>
ASHLAR_STAGE_INLINE void quantized_product(const std::array<const float*, Product.pieces>& s,
                                           const quantized_memory& right, Epilogue& epilogue, float* scratch,
                                           std::size_t last_block = Product.cut.row_blocks) {
    constexpr product_shape in_groups = Product.in_groups();
    using walk = product_walk<float, Config, in_groups, constant_depth<0, in_groups.k>, Epilogue>;
    if constexpr (fits_kernel<Epilogue, lanes<float, walk::width, Config>, served_by_quantized_product,
                              Config::checks>()) {
        const rounded_rows<Config, Product> left{reinterpret_cast<std::uint8_t*>(scratch)};
        left.fill(s, walk::plan.rows.first(last_block));
        walk::each_column_block([&](auto vectors, auto last, std::size_t j) ASHLAR_STAGE_LAMBDA {
            walk::each_row_block(0, last_block, [&](auto rows, std::size_t i) ASHLAR_STAGE_LAMBDA {
                quantized_block<Config, Product, rows, vectors, last>::run(left, right, epilogue, i, j);
            });
        });
    }
}

}  // namespace ashlar::detail
