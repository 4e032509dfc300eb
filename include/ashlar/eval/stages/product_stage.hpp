// SPDX-License-Identifier: BSL-1.0
// The product stage: a matrix product whose finished vectors pass through the rest of the expression before they are
// stored.
//
// Dispatch, decided by the plan:
//   1. columns in lanes: rows of the left operand are scalars, rows of the right one vectors
//   2. rows in lanes:    columns of the right operand are scalars, the left one lies with its rows in lanes
//   3. depth in lanes:   one row at a time, dot products with the columns of the right operand
//   4. rows and depth:   few rows, whose depth is contiguous: several depth steps of each row side by side
// With weights in 8 bits the rows of the left operand are rounded likewise first.
// A right operand that lies transposed, or whose rows compete for the same places in the caches, may be brought into
// scratch on the way.
#pragma once

#include <ashlar/eval/stages/map_stage.hpp>
#include <ashlar/eval/stages/product_epilogues.hpp>
#include <ashlar/kernel/product/grouped_rows.hpp>
#include <ashlar/kernel/product/int4_product.hpp>
#include <ashlar/kernel/product/packed_k.hpp>
#include <ashlar/kernel/product/panel_epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/kernel/product/product_dot.hpp>
#include <ashlar/kernel/product/quantized_product.hpp>
#include <ashlar/kernel/product/reloading_epilogue.hpp>
#include <ashlar/kernel/product/transposing_rhs.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct product_stage : product_epilogues<Plan, Element, Stage, Rows> {
    using base = product_epilogues<Plan, Element, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width;
    using base::how, base::packs_k, base::line, base::in_lanes;
    using base::left, base::right, base::right_rank, base::depth, base::facts;
    using base::left_row, base::left_depth, base::right_depth, base::right_column, base::in_left, base::in_right;
    using typename base::config;
    using typename base::element;
    using typename base::reader;
    using typename base::vec;
    template <class Inner>
    using greatest_epilogue = typename base::template greatest_epilogue<Inner>;
    template <node_index Id>
    static constexpr bool spans = base::template spans<Id>;

    // -------------------------------------------------------------- depth

    struct masked_depth {
        const product_stage& s;
        std::size_t first;
        k_range all;

        ASHLAR_STAGE_INLINE k_range operator()(std::size_t i0, std::size_t i1, std::size_t, std::size_t) const {
            return s.only_new_keys(s.template of_support<left>(
                s.in_left(first + i0), [&]<node_index Id>(const auto& at) ASHLAR_STAGE_LAMBDA {
                    return supported_keys_within<Id, 1, stage.depth_loop>(s.f, at, i1 - i0, all);
                }));
        }
        ASHLAR_STAGE_INLINE auto per_row(std::size_t i0, std::size_t i1) const
            requires(spans<stage.support>)
        {
            return s.only_new_keys(s.template of_support<left>(
                s.in_left(first + i0), [&]<node_index Id>(const auto& at) ASHLAR_STAGE_LAMBDA {
                    return supported_per_row<Id, stage.depth_loop>(s.f, at, i1 - i0);
                }));
        }
    };
    /// Asks the masked node that supports the stage, at the coordinates that belong to these of node Id.
    template <node_index Id, std::size_t Rank, class Ask>
    ASHLAR_STAGE_INLINE auto of_support(const std::array<std::size_t, Rank>& at, Ask ask) const {
        constexpr const graph_node& n = Plan::nodes[Id];
        if constexpr (Id == stage.support)
            return ask.template operator()<Id>(at);
        else if constexpr (n.kind == node_kind::let || n.kind == node_kind::let_value)
            return of_support<n.same_as>(at, ask);
        else
            return of_support<n.operands[0]>(operand_coordinates<0>(node_at<Id>(f.expression), at), ask);
    }

    /// The depth of a tile's product, or of each of its blocks. Only kept pairs take part: keys outside the rows' range
    /// are not read, and inside it a value is skipped if its weight is an excluded zero.
    ASHLAR_STAGE_INLINE auto depth_of(std::size_t first) const {
        if constexpr (facts.ranged)
            return masked_depth{
                *this, first, of_support<left>(in_left(first), [&]<node_index Id>(const auto& at) ASHLAR_STAGE_LAMBDA {
                    return supported_keys<Id, stage.depth_loop>(f, at, Rows);
                })};
        else if constexpr (facts.excludes)
            return k_range{0, depth, depth, depth};
        else if constexpr (facts.part_of_depth)
            return depth_range{new_keys<stage.depth_loop>(f), depth};
        else
            return constant_depth<0, depth / how.group>{};
    }
    /// The new keys of the current block in a range.
    template <class Depth>
    ASHLAR_STAGE_INLINE Depth only_new_keys(const Depth& range) const {
        if constexpr (facts.part_of_depth)
            return from_step(new_keys<stage.depth_loop>(f), range);
        else
            return range;
    }

    // -------------------------------------------------------------- running

    /// The epilogue of the tile that begins at this row: `plain` stores what follows it in the expression.
    template <class Plain>
    ASHLAR_STAGE_INLINE auto chosen_epilogue([[maybe_unused]] Plain& plain, [[maybe_unused]] vec* greatest,
                                             [[maybe_unused]] std::size_t first) const {
        if constexpr (stage.depth_loop != no_loop)
            return this->epilogue_of_block(first);
        else if constexpr (stage.maxima != no_buffer)
            return greatest_epilogue<Plain>{{plain}, greatest};
        else if constexpr (how.epilogue == epilogue_time::reloaded)
            return reloading_epilogue<Plain>{{plain}};
        else
            return plain;
    }
    /// Runs the product of the tile as the plan has chosen: its epilogue, then its kernel.
    /// With a frame of its own, so that the compiler knows that no store changes it.
    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE static void run(const frame<Plan, Element>& outer) {
        const frame<Plan, Element> f = outer;
        const product_stage s{{{f}}};
        const std::size_t first = s.first_row();
        constexpr std::size_t registers = stage.maxima == no_buffer ? 1 : (Rows + width - 1) / width;
        [[maybe_unused]] vec greatest[registers];
        if constexpr (stage.maxima != no_buffer) {
            ASHLAR_UNROLL
            for (std::size_t r = 0; r < registers; ++r) greatest[r] = vec(lowest_value<element>);
        }
        auto plain = s.epilogue(first);
        auto epilogue = s.chosen_epilogue(plain, greatest, first);
        const element* a = reader{f}.template address<left>(s.in_left(first));
        if constexpr (how.rhs == rhs_source::quantized && facts.right_is_int4) {
            constexpr int4_shape shape = [] {
                int4_shape all = shape_of_int4(facts, Rows);
                all.cut = how.cut;
                return all;
            }();
            const auto& b = node_at<Plan::resolve(right)>(f.expression);
            int4_product<config, shape>(a, b.data(), epilogue, s.template table<int4_rows_bytes(Rows, depth)>(),
                                        s.template requested_blocks<how.cut>());
        } else if constexpr (how.rhs == rhs_source::quantized) {
            constexpr quantized_shape shape = shape_of_quantized(facts, Rows, panel, how.cut);
            const auto& b = node_at<Plan::resolve(right)>(f.expression);
            const auto pieces = [&]<std::size_t... Piece>(std::index_sequence<Piece...>) ASHLAR_STAGE_LAMBDA {
                return std::array{reader{f}.template address<piece_of_left<Piece>>(s.in_left(first))...};
            }(std::make_index_sequence<shape.pieces>{});
            quantized_product<config, shape>(pieces, {b.data(), b.column_scales(), b.column_sums()}, epilogue,
                                             s.template table<rounded_rows_bytes(Rows, depth, machine_of<config>)>(),
                                             s.requested_rows_of_tile());
        } else if constexpr (how.rhs == rhs_source::panels) {
            if constexpr (how.group != 1) {
                element* const rows = s.template table<Rows * grouped_steps(depth, how.group) * sizeof(element)>();
                group_rows<config, depth, left_row>(a, s.rows_of_panels(), rows);
                a = rows;
            }
            s.multiply_panels(a, node_at<Plan::resolve(right)>(f.expression).data(), epilogue, first);
        } else if constexpr (how.rhs == rhs_source::column_blocks) {
            s.multiply_blocks(a, epilogue, first);
        } else {
            const auto* b = reader{f}.template address<right>(s.in_right());
            if constexpr (stage.transposed_copy != no_stage) {
                product_transposing_rhs<element, config, transposing, copy::source_distance()>(
                    a, const_cast<element*>(b), copy{{f}}.source(), epilogue,
                    s.template table<product_scratch_bytes<element, config, after_transposing_rows(transposing)>>());
            } else if constexpr (packs_k) {
                constexpr packed_k_shape shape{Rows, columns, depth, left_row, right_column, how.packed};
                product_packed_k<element, config, shape>(
                    b, a, epilogue, s.template table<packed_k_scratch_bytes<element, config, shape>>());
            } else if constexpr (how.form != product_form::blocks) {
                constexpr dot_shape shape{columns, depth, right_column};
                for (std::size_t r = 0; r < s.requested_rows_of_tile(); ++r) {
                    row_epilogue<decltype(epilogue)> row{{epilogue, {r}}};
                    dot_rows<element, config, shape>(a + r * left_row, b, row);
                }
            } else if constexpr (stage.lanes == lane_axis::rows) {
                auto* const scratch = s.template table<product_scratch_bytes<element, config, in_lanes()>>();
                if constexpr (facts.part_of_depth)
                    product<element, config, in_lanes()>(b, a, s.depth_of(first), epilogue, scratch);
                else
                    product<element, config, in_lanes()>(b, a, constant_depth<0, depth>{}, epilogue, scratch);
            } else {
                constexpr product_shape shape = in_columns(columns, right_step, how.cut);
                if constexpr (how.rhs_kernel != 0) {
                    using kernel = rhs_kernels::at<how.rhs_kernel>;
                    constexpr std::size_t bytes =
                        kernel::table_bytes(shape, how.k_parts, element_machine_of<element, config>);
                    kernel::template run<element, config, shape, how.k_parts, how.prefetches>(
                        a, b, epilogue, s.template table<bytes>(), s.template requested_blocks<how.cut>());
                } else {
                    product<element, config, shape>(a, b, s.depth_of(first), epilogue,
                                                    s.template table<product_scratch_bytes<element, config, shape>>(),
                                                    0, s.template requested_blocks<how.cut>());
                }
            }
        }
        if constexpr (stage.maxima != no_buffer) s.store_maxima(greatest, first);
    }
    /// Before the first and after the last block of keys.
    ASHLAR_STAGE_INLINE void begin_blocks() const {
        element* const sums = this->waiting_sums();
        constexpr std::size_t lines = base::rows_in_lanes ? columns : Rows;
        for (std::size_t n = 0; n < lines * base::waiting_line; n += width) vec(element(0)).store(sums + n);
    }
    ASHLAR_STAGE_INLINE void end_blocks() const {
        constexpr std::size_t lines = base::rows_in_lanes ? columns : Rows,
                              along = base::rows_in_lanes ? Rows : columns;
        const auto finishing = this->epilogue(this->first_row());
        const element* const sums = this->waiting_sums();
        for (std::size_t i = 0; i < lines; ++i)
            for_each_register<along, width>([&](std::size_t j, auto n) ASHLAR_STAGE_LAMBDA {
                finishing.vector(i, j, vec::load(sums + i * base::waiting_line + j), lane_count<n>{}, masked_block{});
            });
    }
    struct first_line {
        static constexpr std::size_t from(std::size_t lane) { return lane % line; }
    };
    template <std::size_t Registers>
    ASHLAR_STAGE_INLINE void store_maxima(vec (&greatest)[Registers], std::size_t first) const {
        // Repeats the maxima in each line. If columns were finished one by one, only the lanes of the first line were
        // rows; the others had sums, but no bias.
        if constexpr (packs_k && base::writes_groups)
            greatest[0] =
                combine_groups<line>(greatest[0], [](vec x, vec y) ASHLAR_LAMBDA_INLINE { return max<>(x, y); });
        else if constexpr (packs_k)
            greatest[0] = shuffle_as<first_line>(greatest[0], greatest[0]);
        constexpr auto maxima = stage.maxima;
        element* out = f.template buffer<element, maxima>() + f.template buffer_offset<maxima>(this->in_top(first, 0));
        ASHLAR_UNROLL
        for (std::size_t r = 0; r < Registers; ++r) greatest[r].store(out + r * width);
    }

    /// Scratch for what a kernel packs; the plan counts it.
    template <std::size_t Bytes>
    ASHLAR_STAGE_INLINE element* table() const {
        if constexpr (stage.table == no_buffer) {
            static_assert(Bytes == 0);
            return nullptr;
        } else {
            static_assert(Bytes <= Plan::code.buffers[stage.table].bytes);
            return f.template buffer<element, stage.table>();
        }
    }
    /// The number of rows of the tile that must be computed.
    ASHLAR_STAGE_INLINE std::size_t requested_rows_of_tile() const {
        if constexpr (base::strategy.skips_rows)
            return f.asked.count < Rows ? f.asked.count : Rows;
        else
            return Rows;
    }
    /// Row blocks with such rows, for a product with this cut.
    template <product_cut Cut>
    ASHLAR_STAGE_INLINE std::size_t requested_blocks() const {
        if constexpr (base::strategy.skips_rows)
            return split_near_equal(Rows, Cut.row_blocks).blocks_before(requested_rows_of_tile());
        else
            return Cut.row_blocks;
    }
    /// The rows of these blocks.
    template <product_cut Cut>
    ASHLAR_STAGE_INLINE std::size_t rows_of_blocks() const {
        return split_near_equal(Rows, Cut.row_blocks).first(requested_blocks<Cut>());
    }
    /// The rows of the left operand that the blocks of all panels read.
    ASHLAR_STAGE_INLINE std::size_t rows_of_panels() const {
        std::size_t rows = 0;
        const auto add = [&]<product_cut Cut>() ASHLAR_STAGE_LAMBDA {
            if constexpr (Cut.row_blocks != 0)
                if (const std::size_t needed = rows_of_blocks<Cut>(); needed > rows) rows = needed;
        };
        add.template operator()<how.cut>();
        add.template operator()<how.fewer_panels>();
        add.template operator()<how.last_panel>();
        return rows;
    }
    /// The product that copies its right operand itself, and this copy.
    static constexpr product_shape transposing{
        .i = Rows, .j = columns, .k = depth, .si = left_row, .sk = left_depth, .vk = right_depth, .cut = how.cut};
    using copy = map_stage<Plan, Element, stage.transposed_copy, depth>;
    /// The shape of the product with columns in lanes. Rows of the right operand are `distance` apart; so are the
    /// vectors of a row, if given.
    static consteval product_shape in_columns(std::size_t count, std::size_t distance, product_cut cut,
                                              std::size_t vector_distance = 0) {
        const product_shape shape{.i = Rows,
                                  .j = count,
                                  .k = depth,
                                  .si = left_row,
                                  .sk = left_depth,
                                  .vk = distance,
                                  .vw = vector_distance,
                                  .cut = cut};
        return how.group == 1 ? shape : in_groups(shape, how.group);
    }
    static constexpr std::size_t right_step = depth == 1 ? 1 : right_depth;
    /// Runs the blocks of the right operand's columns one after the other.
    template <class Epilogue>
    ASHLAR_STAGE_INLINE void multiply_blocks(const element* a, Epilogue& epilogue, std::size_t first) const {
        auto at = in_right();
        for (std::size_t column = 0; column < columns;
             column += stage.column_block, at[right_rank - 1] += stage.column_block) {
            constexpr product_shape shape = in_columns(stage.column_block, right_step, how.cut);
            panel_epilogue<Epilogue> shifted{epilogue, {column}};
            product<element, config, shape>(a, reader{f}.template address<right>(at), depth_of(first), shifted,
                                            table<product_scratch_bytes<element, config, shape>>(), 0,
                                            requested_blocks<how.cut>());
        }
    }

    /// The packed right operand, with as many panels side by side as the plan says. The next panels are prefetched at
    /// the same time.
    template <class Epilogue>
    ASHLAR_STAGE_INLINE void multiply_panels(const element* a, const auto* b, Epilogue& epilogue,
                                             std::size_t first) const {
        constexpr std::size_t whole = columns / panel, rest = columns % panel, at_once = how.panels,
                              end = how.panel_runs * at_once;
        const auto [begin, stop] = panels_of_part();
        std::size_t p = begin;
        if constexpr (end != 0)
            for (; p < end && p < stop; p += at_once)
                multiply_panel<side_by_side(at_once, how.cut)>(a, b, p * panel, epilogue, first);
        if constexpr (end != whole)
            for (; p < whole && p < stop; p += at_once - 1)
                multiply_panel<side_by_side(at_once - 1, how.fewer_panels)>(a, b, p * panel, epilogue, first);
        if constexpr (rest != 0)
            if (stop > whole)
                multiply_panel<in_columns(rest, rest, how.last_panel)>(a, b, whole * panel, epilogue, first);
    }
    /// The panels [first, last) of this worker; an incomplete last panel counts as one. They are whole runs, so that
    /// all columns are computed as by one worker.
    ASHLAR_STAGE_INLINE std::array<std::size_t, 2> panels_of_part() const {
        constexpr std::size_t all = (columns + panel - 1) / panel;
        if constexpr (!stage.shares_columns) {
            return {0, all};
        } else {
            constexpr std::size_t runs = column_runs(how, columns, panel), wide = how.panel_runs;
            const auto panel_at = [](std::size_t run) ASHLAR_LAMBDA_INLINE {
                const std::size_t at =
                    run <= wide ? run * how.panels : wide * how.panels + (run - wide) * (how.panels - 1u);
                return run == runs ? all : at;
            };
            return {panel_at(runs * f.part.number / f.part.count), panel_at(runs * (f.part.number + 1) / f.part.count)};
        }
    }
    template <std::size_t Piece>
    static constexpr node_index piece_of_left =
        facts.left_pieces == 1 ? left : Plan::nodes[Plan::resolve(left)].operands[Piece];
    static constexpr std::size_t panel = facts.right_is_packed ? Plan::nodes[Plan::resolve(right)].panel : 1;
    using packed_operand = typename Plan::template node<Plan::resolve(right)>;

    static consteval product_shape side_by_side(std::size_t panels, product_cut cut) {
        return in_columns(panels * panel, panel, cut, panels == 1 ? 0 : packed_operand::stored_rows * panel);
    }
    template <product_shape Shape, class Epilogue>
    ASHLAR_STAGE_INLINE void multiply_panel(const element* a, const auto* b, std::size_t column, Epilogue& epilogue,
                                            std::size_t first) const {
        element* const scratch = table<product_scratch_bytes<element, config, Shape>>();
        if constexpr (how.prefetches && Shape.j % width == 0) {
            prefetching_epilogue<Epilogue, Shape.group * Shape.j * sizeof(*b), Shape.cut.row_blocks> shifted{
                {epilogue, {column}}, panels_after<Shape.j>(b, column + Shape.j)};
            product<element, config, Shape>(a, b + packed_operand::panel_begin(column), depth_of(first), shifted,
                                            scratch, 0, requested_blocks<Shape.cut>());
        } else {
            panel_epilogue<Epilogue> shifted{epilogue, {column}};
            product<element, config, Shape>(a, b + packed_operand::panel_begin(column), depth_of(first), shifted,
                                            scratch, 0, requested_blocks<Shape.cut>());
        }
    }

    /// The panels from a column, as many as are side by side, or the first ones of the weights that are read next.
    template <std::size_t Columns>
    ASHLAR_STAGE_INLINE prefetch_stream panels_after(const auto* b, std::size_t column) const {
        if (column < columns)
            return panel_stream(b + packed_operand::panel_begin(column),
                                (columns - column < Columns ? columns - column : Columns) * depth);
        if constexpr (how.next_weights == no_stage) {
            return {};
        } else {
            constexpr auto next = Plan::code.stages[how.next_weights].core;
            constexpr node_index weights = Plan::resolve(Plan::nodes[next].operands[1]);
            constexpr const graph_node& n = Plan::nodes[weights];
            constexpr std::size_t across = n.extents[n.rank - 1u] < Columns ? n.extents[n.rank - 1u] : Columns;
            const auto& matrix = node_at<weights>(f.expression);
            const auto* begin = matrix.data();
            if constexpr (!n.quantized) begin += matrix.panel_begin(0);
            return panel_stream(begin, n.extents[n.rank - 2u] * across);
        }
    }
    template <class Other>
    ASHLAR_STAGE_INLINE static prefetch_stream panel_stream(const Other* first, std::size_t count) {
        return {reinterpret_cast<const char*>(first), reinterpret_cast<const char*>(first + count)};
    }

    /// Dot products belong to one row, and get no verdict.
    struct row_place {
        std::size_t r;
        ASHLAR_STAGE_INLINE std::size_t row(std::size_t) const { return r; }
        ASHLAR_STAGE_INLINE static std::size_t column(std::size_t j) { return j; }
    };
    template <class Epilogue>
    struct row_epilogue : forwarding_epilogue<Epilogue, row_place> {
        static constexpr hook hooks = Epilogue::hooks - hook::begin_block, withheld = hook::begin_block;
    };
};

}  // namespace ashlar::detail
