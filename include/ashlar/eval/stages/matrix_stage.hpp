// SPDX-License-Identifier: BSL-1.0
// The stage of functions of square matrices: brings matrices into a layout of the kernels, and results back.
//
// Dispatch, decided by the plan:
//   1. matrices in lanes: as many matrices of the batch as a register has lanes; the last group overlaps the one before
//   2. columns in lanes:  one matrix, whose rows fill registers
//   3. scalars:           one small matrix, whose entries stay in scalar registers
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/eval/access/stage_axes.hpp>
#include <ashlar/eval/run.hpp>
#include <ashlar/eval/stages/matrix_functions.hpp>
#include <ashlar/kernel/memory/transpose.hpp>
#include <ashlar/plan/graph/matrix_cost.hpp>

namespace ashlar::inline v0_1::detail {

/// The distances of neighbours in memory: of matrices of the batch, of rows and of columns.
struct matrix_strides {
    std::ptrdiff_t batch = 0, row = 0, column = 0;

    /// Whether a matrix lies row after row without gaps, and matrices do not overlap.
    constexpr bool are_dense(std::size_t rows, std::size_t columns) const {
        return (column == 1 || columns == 1) && (row == static_cast<std::ptrdiff_t>(columns) || rows == 1) &&
               batch >= static_cast<std::ptrdiff_t>(rows * columns);
    }
};

template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct matrix_stage : stage_axes<Plan, Element, Stage, Rows> {
    using base = stage_axes<Plan, Element, Stage, Rows>;
    using base::f, base::stage;
    using typename base::config;
    using typename base::output;
    static constexpr auto core = stage.core;
    static constexpr const graph_node& node = Plan::nodes[core];
    using element = element_of<typename Plan::template node<core>>;
    static constexpr std::size_t width = lane_width<element, config>;
    using reader = typename base::template reader<base::width>;

    static constexpr matrix_sizes sizes = sizes_of_matrices(node, Plan::nodes[node.operands[0]]);
    static constexpr matrix_kind function = sizes.function;
    static constexpr std::size_t order = sizes.order, sides = sizes.sides, batch_axes = batch_rank(node);
    static constexpr matrix_form form = form_of_matrices(sizes, stage.lanes == lane_axis::rows);
    static constexpr bool symmetric = is_symmetric(function), has_right = node.operand_count > 1;

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        if constexpr (form == matrix_form::matrices_in_lanes) {
            constexpr std::size_t full = Rows / width * width;
            for (std::size_t first = 0; first < full; first += width) run_lanes<width>(first);
            if constexpr (full == 0)
                run_lanes<Rows>(0);
            else if constexpr (full != Rows)
                run_lanes<width>(Rows - width);
        } else {
            for (std::size_t i = 0; i < Rows; ++i) run_one(i);
        }
    }

private:
    // -------------------------------------------------------------- memory

    template <std::size_t Slot>
    static constexpr matrix_strides strides_of = [] {
        constexpr auto id = node.operands[Slot < node.operand_count ? Slot : 0];
        const graph_node& operand = Plan::nodes[id];
        std::array<bool, max_rank> fixed{};
        for (std::size_t a = 0; a < node.rank; ++a) fixed[a] = stage.bindings[a] != whole_axis;
        const axis_list all = reader::memory.strides(id, operand_fixed(node, operand, Slot, fixed)).strides;
        matrix_strides out{0, all[operand.rank - 2u], all[operand.rank - 1u]};
        const axis_map from = carried_axes(node, operand, Slot);
        for (std::size_t a = 0; a + 2 < operand.rank; ++a)
            if (from[a] == stage.row_axis && stage.row_axis != no_axis && operand.extents[a] != 1) out.batch = all[a];
        return out;
    }();
    static constexpr matrix_strides written_strides = [] {
        matrix_strides out;
        if (stage.row_axis != no_axis) out.batch = stage.strides[stage.row_axis];
        if (batch_axes == node.rank) return out;
        out.row = stage.strides[node.rank - 2u];
        out.column = stage.strides[node.rank - 1u];
        return out;
    }();

    /// The first element of an operand's matrix.
    template <std::size_t Slot>
    ASHLAR_STAGE_INLINE const element* operand(std::size_t row) const {
        constexpr auto id = node.operands[Slot];
        constexpr std::size_t rank = Plan::nodes[id].rank;
        const auto at = this->in_space(row, 0);
        std::array<std::size_t, rank> in_operand{};
        for (std::size_t a = 0; a + 2 < rank; ++a)
            in_operand[a] = Plan::nodes[id].extents[a] == 1 ? 0 : at[a + batch_axes + 2 - rank];
        return reader{f}.template address<id>(in_operand);
    }
    ASHLAR_STAGE_INLINE output* result(std::size_t row) const {
        return this->written() + static_cast<std::ptrdiff_t>(row) * written_strides.batch;
    }
    /// Where the order of a matrix's rows belongs.
    ASHLAR_STAGE_INLINE std::int32_t* row_order(std::size_t row) const {
        const auto at = this->in_space(row, 0);
        std::size_t number = 0;
        for (std::size_t a = 0; a < batch_axes; ++a) number = number * node.extents[a] + at[a];
        return node_at<core>(f.expression).order + number * order;
    }

    // -------------------------------------------------------------- matrices in lanes

    template <std::size_t Count>
    ASHLAR_STAGE_INLINE void run_lanes(std::size_t first) const {
        using vec = lanes<element, width, config>;
        using layout = lane_matrices<vec, order, sides, symmetric>;
        element* const table = f.template buffer<element, stage.table>();
        const layout a{{table, table + layout::elements}};
        gather<Count, order, order, strides_of<0>>(operand<0>(first), a.matrix);
        if constexpr (has_right) gather<Count, order, sides, strides_of<1>>(operand<1>(first), a.sides);
        [[maybe_unused]] const auto outcome = run_matrix_function<function>(a);
        output* const out = result(first);
        if constexpr (function == matrix_kind::determinant) {
            store_lanes<written_strides.batch, Count>(outcome.determinant, out);
        } else if constexpr (function == matrix_kind::cholesky) {
            for (std::size_t i = 0; i < order; ++i)
                for (std::size_t j = i + 1; j < order; ++j) vec(element(0)).store(a.matrix + (i * order + j) * width);
            scatter<Count, order, order>(a.matrix, out);
        } else if constexpr (function == matrix_kind::lu) {
            scatter<Count, order, order>(a.matrix, out);
            for (std::size_t n = 0; n < Count; ++n)
                for (std::size_t i = 0; i < order; ++i)
                    row_order(first + n)[i] = static_cast<std::int32_t>(a.side(i, 0)[n]);
        } else {
            scatter<Count, order, sides>(a.sides, out);
        }
    }

    /// Brings one entry of each matrix side by side; lanes without a matrix repeat the first one.
    template <std::size_t Count, std::size_t Height, std::size_t Width, matrix_strides From>
    ASHLAR_STAGE_INLINE static void gather(const element* from, element* to) {
        using vec = lanes<element, width, config>;
        if constexpr (From.are_dense(Height, Width)) {
            constexpr transpose_shape shape{Count, Height * Width, static_cast<std::size_t>(From.batch), width, true};
            transpose_tile<element, config, shape>(from, to);
            if constexpr (Count != width)
                for (std::size_t n = 0; n < Height * Width; ++n)
                    repeat_first<Count>(vec::load(to + n * width)).store(to + n * width);
        } else {
            for (std::size_t i = 0; i < Height; ++i)
                for (std::size_t j = 0; j < Width; ++j) {
                    const element* const p =
                        from + static_cast<std::ptrdiff_t>(i) * From.row + static_cast<std::ptrdiff_t>(j) * From.column;
                    repeat_first<Count>(base::template reader<Count>::template load<From.batch>(p))
                        .store(to + (i * Width + j) * width);
                }
        }
    }
    template <std::size_t Count, std::size_t Height, std::size_t Width>
    ASHLAR_STAGE_INLINE static void scatter(const element* from, output* to) {
        using vec = lanes<element, width, config>;
        if constexpr (written_strides.are_dense(Height, Width) && std::is_same_v<output, element>) {
            constexpr transpose_shape shape{Height * Width, Count, width,
                                            static_cast<std::size_t>(written_strides.batch), false};
            transpose_tile<element, config, shape>(from, to);
        } else {
            for (std::size_t i = 0; i < Height; ++i)
                for (std::size_t j = 0; j < Width; ++j)
                    store_lanes<written_strides.batch, Count>(
                        vec::load(from + (i * Width + j) * width),
                        to + static_cast<std::ptrdiff_t>(i) * written_strides.row +
                            static_cast<std::ptrdiff_t>(j) * written_strides.column);
        }
    }

    // -------------------------------------------------------------- one matrix

    /// Lanes of rows and of their right-hand sides.
    static constexpr std::size_t row_width = form == matrix_form::scalars ? 1 : width,
                                 side_width = form == matrix_form::scalars && sides <= 2 ? 1 : width;

    ASHLAR_STAGE_INLINE void run_one(std::size_t row) const {
        if constexpr (form == matrix_form::scalars) {
            using side_lanes = lanes<element, side_width, config>;
            using layout = lane_matrices<lanes<element, 1, config>, order, sides, false, side_lanes>;
            element matrix[order * order], right[order * (sides == 0 ? 1 : layout::side_blocks * side_width)];
            run_in(layout{{matrix, right}}, row);
        } else {
            using layout = row_matrix<lanes<element, width, config>, order, sides>;
            element* const table = f.template buffer<element, stage.table>();
            run_in(layout{{table, table + layout::elements}}, row);
        }
    }
    template <class Layout>
    ASHLAR_STAGE_INLINE void run_in(const Layout& a, std::size_t row) const {
        load<order, row_width, symmetric, strides_of<0>>(
            operand<0>(row), [&](std::size_t i) ASHLAR_STAGE_LAMBDA { return a.matrix + i * a.row_blocks * a.width; });
        if constexpr (has_right)
            load<sides, side_width, false, strides_of<1>>(operand<1>(row), [&](std::size_t i) ASHLAR_STAGE_LAMBDA {
                return a.sides + i * a.side_blocks * side_width;
            });
        [[maybe_unused]] const auto outcome = run_matrix_function<function>(a);
        output* const out = result(row);
        if constexpr (function == matrix_kind::determinant) {
            *out = static_cast<output>(outcome.determinant[0]);
        } else if constexpr (function == matrix_kind::cholesky) {
            for (std::size_t i = 0; i < order; ++i)
                for (std::size_t j = 0; j < order; ++j)
                    *entry(out, i, j) =
                        j <= i ? static_cast<output>(a.matrix[j * a.row_blocks * a.width + i]) : output(0);
        } else if constexpr (function == matrix_kind::lu) {
            put<order, row_width>(out, [&](std::size_t i)
                                           ASHLAR_STAGE_LAMBDA { return a.matrix + i * a.row_blocks * a.width; });
            for (std::size_t i = 0; i < order; ++i)
                row_order(row)[i] = static_cast<std::int32_t>(a.sides[i * a.side_blocks * side_width]);
        } else {
            put<sides, side_width>(out, [&](std::size_t i)
                                            ASHLAR_STAGE_LAMBDA { return a.sides + i * a.side_blocks * side_width; });
        }
    }

    ASHLAR_STAGE_INLINE static output* entry(output* out, std::size_t i, std::size_t j) {
        return out + static_cast<std::ptrdiff_t>(i) * written_strides.row +
               static_cast<std::ptrdiff_t>(j) * written_strides.column;
    }
    template <class Function>
    ASHLAR_STAGE_INLINE static void for_each_row(Function f) {
        if constexpr (order <= (form == matrix_form::scalars ? most_unrolled_scalars : most_unrolled_lanes)) {
            ASHLAR_UNROLL
            for (std::size_t i = 0; i < order; ++i) f(i);
        } else {
            for (std::size_t i = 0; i < order; ++i) f(i);
        }
    }
    /// Rows into lines that end at a full register; the lower triangle as the upper one if `Lower`.
    template <std::size_t Columns, std::size_t Width, bool Lower, matrix_strides From, class Line>
    ASHLAR_STAGE_INLINE static void load(const element* from, Line line) {
        using vec = lanes<element, Width, config>;
        constexpr std::ptrdiff_t down = Lower ? From.column : From.row, along = Lower ? From.row : From.column;
        constexpr std::size_t end = (Columns + Width - 1) / Width * Width;
        const auto each_row = [&](std::size_t i) ASHLAR_STAGE_LAMBDA {
            element* const to = line(i);
            const element* const p = from + static_cast<std::ptrdiff_t>(i) * down;
            if constexpr ((along == 1 || Columns == 1) && !Lower) {
                for_each_register<Columns, Width>([&](std::size_t j, auto n) ASHLAR_STAGE_LAMBDA {
                    vec::template load_partial<n>(p + j).store(to + j);
                });
            } else {
                for (std::size_t j = 0; j < end; ++j)
                    to[j] = j < Columns && (!Lower || j >= i) ? p[static_cast<std::ptrdiff_t>(j) * along] : element(0);
            }
        };
        for_each_row(each_row);
    }
    template <std::size_t Columns, std::size_t Width, class Line>
    ASHLAR_STAGE_INLINE static void put(output* out, Line line) {
        using vec = lanes<element, Width, config>;
        for_each_row([&](std::size_t i) ASHLAR_STAGE_LAMBDA {
            for_each_register<Columns, Width>([&](std::size_t j, auto n) ASHLAR_STAGE_LAMBDA {
                store_lanes<written_strides.column, n>(vec::load(line(i) + j), entry(out, i, j));
            });
        });
    }
};

}  // namespace ashlar::detail
