// SPDX-License-Identifier: BSL-1.0
// The product stage: a matrix product whose finished vectors pass through the rest of the expression before they are
// stored.
//
// The plan has chosen the kernel. `product` has columns in lanes (rows of the left operand are scalars, rows of the
// right one vectors) or rows in lanes (columns of the right operand are scalars, the left one lies with its rows in
// lanes). plan/choose/product_kernels.hpp describes all other kernels, which ask this stage for addresses and scratch.
#pragma once

#include <ashlar/eval/stages/map_stage.hpp>
#include <ashlar/eval/stages/product_epilogues.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/kernel/product/reloading_epilogue.hpp>
#include <ashlar/plan/choose/product_kernels.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct product_stage : product_epilogues<Plan, Element, Stage, Rows> {
    using base = product_epilogues<Plan, Element, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width;
    using base::how, base::packs_k, base::line;
    using base::in_left, base::in_right;
    using base::left, base::right, base::right_rank, base::depth, base::facts;
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
        if constexpr (stage.lanes == lane_axis::rows && !facts.part_of_depth)
            return constant_depth<0, depth>{};
        else if constexpr (facts.ranged)
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
        if constexpr (how.kernel != 0) {
            product_kernels::at<how.kernel>::template run<element, config>(s, epilogue, first);
        } else if constexpr (stage.lanes == lane_axis::rows) {
            constexpr product_shape shape = shape_of_rows(facts, Rows, how.cut);
            product<element, config, shape>(s.right_at(), s.left_at(first), s.depth_of(first), epilogue,
                                            s.template table<product_scratch_bytes<element, config, shape>>());
        } else {
            constexpr product_shape shape = cut_of_columns(facts, Rows, how.cut);
            product<element, config, shape>(s.left_at(first), s.right_at(), s.depth_of(first), epilogue,
                                            s.template table<product_scratch_bytes<element, config, shape>>(), 0,
                                            s.requested_blocks(shape.cut));
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

    // -------------------------------------------------------------- what kernels ask for

    static constexpr std::size_t tile_rows = Rows;
    using packed_operand = typename Plan::template node<Plan::resolve(right)>;
    /// The copy of the right operand that the kernel makes itself.
    using copy = map_stage<Plan, Element, stage.transposed_copy, depth>;

    ASHLAR_STAGE_INLINE const element* left_at(std::size_t first) const {
        return reader{f}.template address<left>(in_left(first));
    }
    /// The pieces of a joined left operand.
    ASHLAR_STAGE_INLINE auto pieces_at(std::size_t first) const {
        return [&]<std::size_t... Piece>(std::index_sequence<Piece...>) ASHLAR_STAGE_LAMBDA {
            return std::array{reader{f}.template address<piece_of_left<Piece>>(in_left(first))...};
        }(std::make_index_sequence<facts.left_pieces>{});
    }
    ASHLAR_STAGE_INLINE const auto* right_at(std::size_t column = 0) const {
        auto at = in_right();
        at[right_rank - 1] += column;
        return reader{f}.template address<right>(at);
    }
    /// The product of this shape, which may be of some of the columns.
    template <product_shape Shape>
    ASHLAR_STAGE_INLINE void multiply(const element* a, const auto* b, auto& epilogue, std::size_t first) const {
        product<element, config, Shape>(a, b, depth_of(first), epilogue,
                                        table<product_scratch_bytes<element, config, Shape>>(), 0,
                                        requested_blocks(Shape.cut));
    }
    ASHLAR_STAGE_INLINE const auto& weights() const { return node_at<Plan::resolve(right)>(f.expression); }

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
    ASHLAR_STAGE_INLINE std::size_t requested_blocks(const product_cut& cut) const {
        if constexpr (base::strategy.skips_rows)
            return split_near_equal(Rows, cut.row_blocks).blocks_before(requested_rows_of_tile());
        else
            return cut.row_blocks;
    }
    /// The rows of the left operand that the blocks of all panels read.
    ASHLAR_STAGE_INLINE std::size_t rows_of_panels() const {
        if constexpr (!base::strategy.skips_rows) return Rows;
        std::size_t rows = 0;
        for (const product_cut& cut : {how.cut, how.fewer_panels, how.last_panel})
            if (cut.row_blocks != 0)
                if (const std::size_t needed = split_near_equal(Rows, cut.row_blocks).first(requested_blocks(cut));
                    needed > rows)
                    rows = needed;
        return rows;
    }
    /// The panels [first, last) of this worker; an incomplete last panel counts as one. They are whole runs, so that
    /// all columns are computed as by one worker.
    ASHLAR_STAGE_INLINE std::array<std::size_t, 2> panels_of_part() const {
        constexpr std::size_t panel = facts.right_panel, all = (columns + panel - 1) / panel;
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
};

}  // namespace ashlar::detail
