// SPDX-License-Identifier: BSL-1.0
// The base of stages that fold rows: the range of columns, and loops over them with rows or columns in lanes.
#pragma once

#include <ashlar/eval/access/key_range.hpp>
#include <ashlar/eval/access/stage_axes.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/kernel/simd/shuffles.hpp>

namespace ashlar::inline v0_1::detail {

/// The base of row stages: the range of columns, and the place of a row's numbers.
template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct row_stage : stage_axes<Plan, Element, Stage, Rows> {
    using base = stage_axes<Plan, Element, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width;
    using typename base::config;
    static constexpr row_strategy how = base::strategy.rows;
    static constexpr auto core = stage.core;
    using element = element_of<typename Plan::template node<core>>;
    using input = element_of<typename Plan::template node<base::top>>;
    template <class Other>
    using lanes_of = lanes<Other, width, config>;

    struct range {
        std::size_t first, last;
    };

    /// The columns that the mask, if there is one, may keep for these rows, perhaps some of those that it may keep
    /// `all`.
    ASHLAR_STAGE_INLINE range column_range(std::size_t row, std::size_t count, const range* all = nullptr) const {
        return range_of<base::key_loop>(row, count, all);
    }
    /// The same in a block of keys, or over all of them.
    template <loop_index Blocks>
    ASHLAR_STAGE_INLINE range range_of(std::size_t row, [[maybe_unused]] std::size_t count,
                                       const range* all = nullptr) const {
        if constexpr (stage.support == no_node) {
            return all != nullptr ? *all : range{0, Blocks == no_loop ? base::all_columns : columns};
        } else if constexpr (rows_are_queries) {
            return support_of<base::top, Blocks>(this->in_top(row, 0), count, all);
        } else {
            // A tile of batch entries, or one row: each entry has one query.
            range kept = support_of<base::top, Blocks>(this->in_top(row, 0), 1, all);
            if constexpr (!mask_is_uniform)
                for (std::size_t r = row + 1; r < row + count; ++r) {
                    const range more = support_of<base::top, Blocks>(this->in_top(r, 0), 1, all);
                    if (more.last <= more.first) continue;
                    if (kept.last <= kept.first || more.first < kept.first) kept.first = more.first;
                    if (more.last > kept.last) kept.last = more.last;
                }
            return kept;
        }
    }
    /// Whether rows are the queries of the support, whose axes are those of the space.
    static constexpr bool rows_are_queries = stage.row_axis + 2 == base::space_rank;
    /// Whether the mask keeps the same keys for all rows that are not queries.
    static constexpr bool mask_is_uniform = [] {
        if constexpr (stage.support == no_node)
            return true;
        else
            return stage.row_axis == no_axis || Plan::nodes[stage.support].static_mask;
    }();
    template <node_index Id, loop_index Blocks, std::size_t Rank>
    ASHLAR_STAGE_INLINE range support_of(const std::array<std::size_t, Rank>& at, std::size_t queries,
                                         const range* all) const {
        if constexpr (Id == stage.support) {
            constexpr std::size_t step = how.exact_keys ? 1 : key_group;
            const k_range keys = all == nullptr
                                     ? supported_keys<Id, Blocks>(f, at, queries)
                                     : supported_keys_within<Id, step, Blocks>(
                                           f, at, queries, k_range{all->first, all->first, all->first, all->last});
            return {keys.first, keys.last};
        } else {
            return support_of<Plan::nodes[Id].same_as, Blocks>(at, queries, all);
        }
    }

    /// The core's coordinates of a row: the operand's, without a reduced axis.
    static constexpr std::size_t core_rank = Plan::nodes[core].rank;
    ASHLAR_STAGE_INLINE std::array<std::size_t, core_rank> in_core(std::size_t row, std::size_t column) const {
        return picked_indices<axes_of_core>(this->in_space(row, column), std::make_index_sequence<core_rank>{});
    }
    /// For each axis of the core: the axis of the space, or no_axis if it has one entry.
    static constexpr axis_map axes_of_core = [] {
        const graph_node& g = Plan::nodes[core];
        const graph_node& operand = Plan::nodes[g.operands[0]];
        const graph_node& space = Plan::nodes[base::space];
        const bool drops = g.kind == node_kind::reduce && g.rank < operand.rank;
        axis_map merged = same_axes,  // of the operand, which may have folded axes of the space as one
            axes = no_axes;
        if (stage.fold_first != no_axis) {
            merged = axes;
            const axis_map from = carried_axes(operand, space, 0);
            for (std::size_t a = 0; a < space.rank; ++a)
                if (from[a] != no_axis) merged[from[a]] = a;
        }
        for (std::size_t a = 0; a < g.rank; ++a)
            if (g.kind != node_kind::reduce || drops || a != g.axis) axes[a] = merged[drops && a >= g.axis ? a + 1 : a];
        return spelled_out(axes);
    }();

    /// The address of a row's number in Buffer.
    template <buffer_index Buffer, class Other>
    ASHLAR_STAGE_INLINE Other* row_number(std::size_t row) const {
        return f.template buffer<Other, Buffer>() + f.template buffer_offset<Buffer>(in_core(row, 0));
    }
    static constexpr buffer_index first_buffer = stage.buffer == no_buffer ? buffer_index{} : stage.buffer;
    static constexpr buffer_index second_buffer =
        stage.second_buffer == no_buffer ? buffer_index{} : stage.second_buffer;

    /// Writes one number for each of the Width rows from `row`. Contiguous numbers end at a full register and are
    /// stored whole, because memory that a masked store wrote is slow to read again.
    template <buffer_index Buffer, std::size_t Width, class Other, class Lanes>
    ASHLAR_STAGE_INLINE void store_row_numbers(std::size_t row, const Lanes& x) const {
        Other* p = row_number<Buffer, Other>(row);
        constexpr std::ptrdiff_t step = row_number_stride<Buffer>();
        store_lanes<step, step == 1 ? Lanes::size : Width>(x, p);
    }
    template <buffer_index Buffer>
    static consteval std::ptrdiff_t row_number_stride() {
        constexpr std::size_t row = stage.row_axis;
        if (row == no_axis || stage.fold_first != no_axis) return 0;
        const bool dropped = Plan::nodes[core].kind == node_kind::reduce && core_rank < base::space_rank;
        return Plan::code.buffers[Buffer].strides[dropped && row > Plan::nodes[core].axis ? row - 1 : row];
    }

    /// Calls f(first row, lane_count) for registers of rows.
    template <class Function>
    ASHLAR_STAGE_INLINE void each_register_of_rows(Function body) const {
        const std::size_t first = this->first_row();
        for_each_register<Rows, width>([&](std::size_t i, auto n) ASHLAR_STAGE_LAMBDA { body(first + i, n); });
    }
    /// Calls f(row) for single rows.
    template <class Function>
    ASHLAR_STAGE_INLINE void each_row(Function body) const {
        const std::size_t first = this->first_row();
        for (std::size_t r = 0; r < Rows; ++r) body(first + r);
    }

    /// Additional work of a pass: none, or that of other rows at the same columns.
    struct nothing {
        template <std::size_t Width>
        ASHLAR_STAGE_INLINE void operator()(std::size_t, std::integral_constant<std::size_t, Width>) const {}
    };
    /// One number for each of these rows, in all lanes.
    template <std::size_t Count>
    struct of_rows {
        lanes_of<element> of[Count];
    };

    template <std::size_t Width>
    ASHLAR_STAGE_INLINE auto at(std::size_t row, std::size_t column) const {
        return this->template value<Width>(row, column);
    }

    /// Folds the columns `r` of Width rows in lanes, or of one row; `step(state, x, column, lane_count)`. States
    /// independent states hide the latency of a chain.
    template <std::size_t Width, std::size_t States, class State, class Step>
    ASHLAR_STAGE_INLINE void fold_down(std::size_t row, range r, State (&states)[States], Step step) const {
        constexpr std::integral_constant<std::size_t, Width> count{};
        std::size_t c = r.first;
        if constexpr (States > 1)
            for (; c + States <= r.last; c += States) {
                ASHLAR_UNROLL
                for (std::size_t u = 0; u < States; ++u) step(states[u], at<Width>(row, c + u), c + u, count);
            }
        for (; c < r.last; ++c) step(states[0], at<Width>(row, c), c, count);
    }
    template <class State, std::size_t States, class Step>
    ASHLAR_STAGE_INLINE void fold_along(std::size_t row, range r, State (&states)[States], Step step) const {
        fold_rows_along<1>(row, r, states,
                           [&](State& s, auto x, std::size_t, std::size_t c, auto n)
                               ASHLAR_STAGE_LAMBDA { step(s, x, c, n); });
    }
    /// The same for Count rows side by side with States / Count states each; `step(state, x, row, column, lane_count)`
    /// gets the row's number among them.
    template <std::size_t Count, class State, std::size_t States, class Step>
    ASHLAR_STAGE_INLINE void fold_rows_along(std::size_t row, range r, State (&states)[States], Step step) const {
        constexpr std::size_t chains = States / Count, tail = columns % width;
        const std::size_t whole_end = r.last / width * width;
        const auto each_row_at = [&](std::size_t c, std::size_t chain, auto n) ASHLAR_STAGE_LAMBDA {
            ASHLAR_UNROLL
            for (std::size_t q = 0; q < Count; ++q) step(states[q * chains + chain], at<n>(row + q, c), q, c, n);
        };
        constexpr std::integral_constant<std::size_t, width> count{};
        std::size_t c = r.first;
        const std::size_t chained_end = whole_end > (chains - 1) * width ? whole_end - (chains - 1) * width : 0;
        for (; c < chained_end; c += chains * width) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < chains; ++u) each_row_at(c + u * width, u, count);
        }
        if constexpr (chains > 1)
            for (; c < whole_end; c += width) each_row_at(c, 0, count);
        if constexpr (tail != 0)
            if (r.last == columns) each_row_at(columns - tail, chains - 1, std::integral_constant<std::size_t, tail>{});
    }

    /// The first pass over Count rows with columns in lanes, in a loop of its own or together with other rows. Stage
    /// has `states` that begin with `start`, `step(state, x, lane_count)`, and `finished<Count>(row, states)`. If it
    /// does not `walk`, it needs no pass.
    template <class Derived, std::size_t Count>
    struct first_pass {
        const Derived& s;
        std::size_t row;
        lanes_of<element> states[Derived::states];

        ASHLAR_STAGE_INLINE first_pass(const Derived& stage_, std::size_t first) : s(stage_), row(first) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < Derived::states; ++u) states[u] = Derived::start();
        }
        ASHLAR_STAGE_INLINE void walk(range r) {
            if constexpr (Derived::walks)
                s.template fold_rows_along<Count>(row, r, states,
                                                  [](auto& state, auto x, std::size_t, std::size_t, auto n)
                                                      ASHLAR_STAGE_LAMBDA { Derived::step(state, x, n); });
        }
        template <std::size_t Width>
        ASHLAR_STAGE_INLINE void at(std::size_t column, std::integral_constant<std::size_t, Width> n) {
            if constexpr (Derived::walks) {
                ASHLAR_UNROLL
                for (std::size_t q = 0; q < Count; ++q)
                    Derived::step(states[q * (Derived::states / Count)], s.template at<Width>(row + q, column), n);
            }
        }
        ASHLAR_STAGE_INLINE auto finish() const { return s.template finished<Count>(row, states); }
    };
    /// Both passes over all rows of the tile.
    template <class Derived>
    ASHLAR_STAGE_INLINE static void both_passes(const Derived& s, range r) {
        for_each_group<Rows, how.together>([&](std::size_t row, auto count) ASHLAR_STAGE_LAMBDA {
            first_pass<Derived, count> first(s, s.first_row() + row);
            first.walk(r);
            s.second_pass(s.first_row() + row, r, first.finish());
        });
    }

    /// How states of element lanes combine, and the lanes of one state.
    struct adding : lane_sum {
        ASHLAR_ALWAYS_INLINE static element across(lanes_of<element> x) { return reduce_add(x); }
    };
    struct maximising {
        ASHLAR_ALWAYS_INLINE lanes_of<element> operator()(lanes_of<element> x, lanes_of<element> y) const {
            return max<>(x, y);
        }
        ASHLAR_ALWAYS_INLINE static element across(lanes_of<element> x) { return reduce_max(x); }
    };
    /// One number for each of Count rows.
    template <std::size_t Count>
    using numbers_of = lanes<element, Count, config>;

    /// Reduces the states of Count rows to their numbers. If Count is the number of lanes in 128 bits, the same
    /// shuffles serve all rows.
    template <std::size_t Count, std::size_t States, class Fold>
    ASHLAR_STAGE_INLINE static numbers_of<Count> across_lanes(const lanes_of<element> (&states)[States], Fold fold) {
        constexpr std::size_t chunk = lane_patterns<element, width>::chunk;
        static_assert(States % Count == 0);
        lanes_of<element> one[Count];
        ASHLAR_UNROLL
        for (std::size_t q = 0; q < Count; ++q)
            one[q] = merged_states<States / Count>(states + q * (States / Count), fold);
        element numbers[Count];
        if constexpr (Count == chunk && shuffles<element, width, config>()) {
            fold_lanes<1, Count, Count>(one, fold);
            store_lanes<1, Count>(combine_groups<chunk>(one[0], fold), numbers);
        } else {
            ASHLAR_UNROLL
            for (std::size_t q = 0; q < Count; ++q) numbers[q] = fold.across(one[q]);
        }
        return numbers_of<Count>::load(numbers);
    }
    template <std::size_t Size, class State, class Merge>
    ASHLAR_STAGE_INLINE static State merged_states(const State* states, Merge merge) {
        if constexpr (Size == 1)
            return states[0];
        else
            return merge(merged_states<Size / 2>(states, merge), merged_states<Size / 2>(states + Size / 2, merge));
    }
    /// Repeats each of these numbers in all lanes of a register.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static of_rows<Count> in_all_lanes(numbers_of<Count> numbers) {
        of_rows<Count> all;
        ASHLAR_UNROLL
        for (std::size_t q = 0; q < Count; ++q) all.of[q] = lanes_of<element>(numbers[q]);
        return all;
    }
    /// The inverse.
    template <std::size_t Count>
    ASHLAR_STAGE_INLINE static numbers_of<Count> from_all_lanes(const of_rows<Count>& all) {
        element numbers[Count];
        ASHLAR_UNROLL
        for (std::size_t q = 0; q < Count; ++q) numbers[q] = all.of[q][0];
        return numbers_of<Count>::load(numbers);
    }
    /// Writes them.
    template <buffer_index Buffer, std::size_t Count>
    ASHLAR_STAGE_INLINE void store_numbers(std::size_t row, numbers_of<Count> numbers) const {
        store_lanes<row_number_stride<Buffer>(), Count>(numbers, row_number<Buffer, element>(row));
    }
};

}  // namespace ashlar::detail
