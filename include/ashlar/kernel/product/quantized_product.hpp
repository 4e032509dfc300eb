// SPDX-License-Identifier: BSL-1.0
// Products of rows of floats with a matrix in 8 bits. Rows are rounded once. The sums of integers stay in registers,
// where both scales and the epilogue are applied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/kernel/product/quantized_shape.hpp>
#include <ashlar/kernel/product/rounded_rows.hpp>
#include <ashlar/kernel/simd/byte_dots.hpp>
#include <ashlar/kernel/simd/row_pair_dots.hpp>

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
    static constexpr bool pairs = Product.cut.pairs_rows;
    /// Rows that one call of `dots::add` takes, and such lines; the last one may have one row fewer.
    static constexpr std::size_t rows_together = Product.rows_together(),
                                 lines = (Rows + rows_together - 1) / rows_together;
    using left_rows = rounded_rows<Config, Product>;
    using dots = std::conditional_t<pairs, row_pair_dots<Config>, byte_dots<width, Config>>;
    using sums = typename dots::sums;
    using integers = lanes<std::int32_t, width, Config>;
    using values = lanes<float, width, Config>;

    /// Lanes of a vector with columns in memory, including those that fill up a panel.
    template <std::size_t Vector>
    static constexpr std::size_t held = width <= panel || Vector + 1 != Vectors ? width : LastLanes;

    /// Whether all columns of each block are addressed from the first one: on cores that issue one instruction at a
    /// time, and for pairs of rows, whose loops need all registers.
    static constexpr bool from_first_column = (machine_of<Config>.single_issue || pairs) && [] {
        const axis_split across =
            split_near_equal((Product.right.columns + width - 1) / width, Product.cut.vector_blocks);
        for (std::size_t b = 0; b < across.blocks; ++b)
            if (across.first(b) * width / panel != (across.first(b) + across.size(b) - 1) * width / panel) return false;
        return true;
    }();
    /// Groups between two branches. On such a core a branch and its addresses cost what four multiply-adds do.
    static constexpr std::size_t together =
        dots::groups * (machine_of<Config>.single_issue && groups % (2 * dots::groups) == 0 ? 2 : chains);

    sums sum[chains][Vectors][lines];

    /// The start value of the sums of a vector of columns, without the part of each row. Index sequences here and
    /// below, because g++ unrolls loops too late to keep sums in registers.
    template <std::size_t Vector, std::size_t... Line, std::size_t... Chain>
    ASHLAR_STAGE_INLINE void begin(sums start, const left_rows& left, std::size_t i, std::index_sequence<Line...>,
                                   std::index_sequence<Chain...>) {
        const auto of_line = [&]<std::size_t One>() ASHLAR_STAGE_LAMBDA {
            const sums first = dots::starts_at_negatives ? sums(left.start(i + One)) : start;
            ((sum[Chain][Vector][One] = Chain == 0 ? first : sums(0)), ...);
        };
        (of_line.template operator()<Line>(), ...);
    }
    /// One line's products of a group.
    template <std::size_t Chain, std::size_t Line, std::size_t... Vector>
    ASHLAR_STAGE_INLINE void add_line(typename dots::left x, const typename dots::right (&w)[Vectors],
                                      std::index_sequence<Vector...>) {
        ((sum[Chain][Vector][Line] = dots::add(sum[Chain][Vector][Line], x, w[Vector])), ...);
    }

    /// Adds Groups groups of depth steps to the sums of `chain`.
    template <std::size_t Chain, std::size_t Groups = dots::groups>
    ASHLAR_STAGE_INLINE void add(const std::uint8_t* left, const std::int8_t* const (&right)[Vectors], std::size_t at) {
        typename dots::right w[Vectors];
        for_each_vector<block_shape{Rows, Vectors, chains, LastLanes}, width>([&](auto c, auto) ASHLAR_STAGE_LAMBDA {
            const std::int8_t* const column = from_first_column ? right[0] + c * width * Product.right.group : right[c];
            w[c] = dots::template load<panel, panel_size, held<c>, Groups>(column + at * step);
        });
        [&]<std::size_t... Line>(std::index_sequence<Line...>) ASHLAR_STAGE_LAMBDA {
            if constexpr (pairs)
                (add_line<Chain, Line>(dots::template spread<(2 * Line + 2 <= Rows ? 2 : 1)>(
                                           left + 2 * (Line * left_rows::line + at * Product.right.group)),
                                       w, std::make_index_sequence<Vectors>{}),
                 ...);
            else
                (add_line<Chain, Line>(
                     left_rows::template four_bytes<Rows>(left + Line * left_rows::line, at * Product.right.group), w,
                     std::make_index_sequence<Vectors>{}),
                 ...);
        }(std::make_index_sequence<lines>{});
    }

    /// The column's scale comes first: for a row with the largest floats, the sum of integers times the row's scale
    /// would be infinite, whatever the weights.
    template <std::size_t... Row>
    ASHLAR_STAGE_INLINE static void scale_rows(const left_rows& left, std::size_t i, const sums (&of)[lines],
                                               values scale, values (&scaled)[Rows], std::index_sequence<Row...>) {
        if constexpr (pairs)
            ((scaled[Row] = convert_lanes<float>(dots::template row_of<Row % 2>(of[Row / 2])) * scale *
                            values(left.scale(i + Row))),
             ...);
        else
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
            block.template begin<c>(start, left, i, std::make_index_sequence<lines>{},
                                    std::make_index_sequence<chains>{});
        });
        const std::uint8_t* const rows = left.row(i);
        std::size_t g = 0;
        if constexpr (constexpr std::size_t steps = groups / dots::groups;
                      !pairs && byte_dots<width, Config>::way == byte_way::across && Rows == 2 && Vectors == 1 &&
                      steps != 0) {
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

/// The product of the row blocks that begin before `last_row`. `s` has the pieces of the first row. `scratch` has
/// rounded_rows_bytes bytes. Each element is the exact sum of products of integers, times the scale of its column,
/// times that of its row.
template <class Config, quantized_shape Product, class Epilogue>
ASHLAR_STAGE_INLINE void quantized_product(const std::array<const float*, Product.pieces>& s,
                                           const quantized_memory& right, Epilogue& epilogue, float* scratch,
                                           std::size_t last_row = Product.rows) {
    constexpr product_shape in_groups = Product.in_groups();
    using walk = product_walk<float, Config, in_groups, constant_depth<0, in_groups.k>, Epilogue>;
    if constexpr (fits_kernel<Epilogue, lanes<float, walk::width, Config>, served_by_quantized_product,
                              Config::checks>()) {
        const rounded_rows<Config, Product> left{reinterpret_cast<std::uint8_t*>(scratch)};
        constexpr std::size_t together = Product.rows_together();
        const std::size_t last_block = walk::plan.rows.blocks_before((last_row + together - 1) / together),
                          rows_of_blocks = walk::plan.rows.first(last_block) * together;
        left.fill(s, rows_of_blocks < Product.rows ? rows_of_blocks : Product.rows);
        walk::each_column_block([&](auto vectors, auto last, std::size_t j) ASHLAR_STAGE_LAMBDA {
            walk::each_row_block(0, last_block, [&](auto lines, std::size_t line) ASHLAR_STAGE_LAMBDA {
                constexpr std::size_t rows = lines * together;
                const std::size_t i = line * together;
                if constexpr (Product.rows % together != 0)
                    if (i + rows > Product.rows)
                        return quantized_block<Config, Product, rows - 1, vectors, last>::run(left, right, epilogue, i,
                                                                                              j);
                quantized_block<Config, Product, rows, vectors, last>::run(left, right, epilogue, i, j);
            });
        });
    }
}

}  // namespace ashlar::detail
