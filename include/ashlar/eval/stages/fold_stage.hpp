// SPDX-License-Identifier: BSL-1.0
// The stage of a reduction over several axes of a computed value: folds a tile's rows and columns to one number.
#pragma once

#include <ashlar/eval/stages/row_stage.hpp>
#include <ashlar/kernel/rows/reduction.hpp>

namespace ashlar::inline v0_1::detail {

/// The state of a fold: a sum, a product, a maximum or a minimum.
template <class Fold>
struct running_fold {
    typename Fold::value_type value;

    ASHLAR_ALWAYS_INLINE void merge(const running_fold& o) { Fold::merge_one(value, o.value); }
};
/// Whether all, or any, elements up to now are true.
template <bool All>
struct running_truth {
    bool answer;

    ASHLAR_ALWAYS_INLINE void merge(const running_truth& o) { answer = All ? answer && o.answer : answer || o.answer; }
};
/// Mean, and sum of squared distances from it, of the first `count` elements (Chan, Golub and LeVeque 1979).
template <class Number>
struct running_variance {
    Number mean, squares;
    std::size_t count;

    ASHLAR_ALWAYS_INLINE void merge(const running_variance& o) {
        const Number share = static_cast<Number>(o.count) / static_cast<Number>(count + o.count),
                     distance = o.mean - mean;
        squares += o.squares + distance * distance * (share * static_cast<Number>(count));
        mean += distance * share;
        count += o.count;
    }
};

template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct fold_stage : row_stage<Plan, Element, Stage, Rows> {
    using base = row_stage<Plan, Element, Stage, Rows>;
    using base::f, base::stage, base::width, base::core, base::space;
    using typename base::element;
    using typename base::input;
    using vec = typename base::template lanes_of<input>;
    using integers = lanes<std::int32_t, base::width, typename base::config>;
    static constexpr auto kind = static_cast<reduction_kind>(Plan::nodes[core].variant);

    /// Rows without gaps between them are one row: they need not end at a register.
    static constexpr bool is_one_row = base::how.form == row_form::one_row;
    static constexpr std::size_t rows = is_one_row ? 1 : Rows,
                                 columns = is_one_row ? Rows * base::columns : base::columns;

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        if constexpr (is_plain_fold(kind))
            run_fold<typename fold_of<kind>::template type<vec>>();
        else if constexpr (kind == reduction_kind::all || kind == reduction_kind::any)
            run_truth();
        else if constexpr (gives_position(kind))
            run_position();
        else
            run_variance();
    }

private:
    template <class Fold>
    ASHLAR_STAGE_INLINE void run_fold() const {
        const Fold all =
            folded<Fold>([](auto& s, vec x, auto n, auto) ASHLAR_STAGE_LAMBDA { s.step(or_else(x, n, s.identity())); });
        finish(running_fold<Fold>{all.one()}, [](const auto& s) ASHLAR_STAGE_LAMBDA {
            if constexpr (kind == reduction_kind::mean)
                return s.value * (element(1) / element(count));
            else
                return s.value;
        });
    }

    /// The number of all folded elements.
    static constexpr std::size_t count = Plan::nodes[Plan::nodes[core].operands[0]].extents[Plan::nodes[core].axis];

    template <std::size_t Width>
    ASHLAR_STAGE_INLINE static vec or_else(vec x, std::integral_constant<std::size_t, Width>, vec nothing) {
        if constexpr (Width == base::width)
            return x;
        else
            return select(vec::mask_type::first(Width), x, nothing);
    }

    /// Calls step(state, lanes, lane_count, position) for all registers of the tile. Four states hide the latency of a
    /// chain. The position is a function of the register's row and column, called where it is needed.
    template <class Fold, class Step>
    ASHLAR_STAGE_INLINE Fold folded(Step step) const {
        Fold states[4];
        const std::size_t first = this->first_row();
        const auto one = [&](Fold& s, std::size_t row, std::size_t column, auto n) ASHLAR_STAGE_LAMBDA {
            step(s, this->template value<n>(row, column), n, [&] { return position(row, column); });
        };
        if constexpr (base::how.form == row_form::rows_in_lanes) {
            for_each_register<rows, base::width>([&](std::size_t i, auto n) ASHLAR_STAGE_LAMBDA {
                walk<columns>([&](std::size_t c, std::size_t chain)
                                  ASHLAR_STAGE_LAMBDA { one(states[chain], first + i, c, n); });
            });
        } else {
            constexpr std::size_t whole = columns / base::width;
            for (std::size_t r = 0; r < rows; ++r) {
                walk<whole>([&](std::size_t c, std::size_t chain) ASHLAR_STAGE_LAMBDA {
                    one(states[chain], first + r, c * base::width, std::integral_constant<std::size_t, base::width>{});
                });
                if constexpr (columns % base::width != 0)
                    one(states[3], first + r, whole * base::width,
                        std::integral_constant<std::size_t, columns % base::width>{});
            }
        }
        states[0].merge(states[1]);
        states[2].merge(states[3]);
        states[0].merge(states[2]);
        return states[0];
    }
    /// Calls f(i, chain) for all i < Count, in four chains.
    template <std::size_t Count, class Function>
    ASHLAR_STAGE_INLINE static void walk(Function f) {
        for (std::size_t i = 0; i < Count / 4 * 4; i += 4) {
            ASHLAR_UNROLL
            for (std::size_t u = 0; u < 4; ++u) f(i + u, u);
        }
        ASHLAR_UNROLL
        for (std::size_t u = 0; u < Count % 4; ++u) f(Count / 4 * 4 + u, u);
    }
    template <class Function>
    ASHLAR_STAGE_INLINE input total(Function change) const {
        return folded<sum_fold<vec>>([&](auto& s, vec x, auto n, auto)
                                         ASHLAR_STAGE_LAMBDA { s.step(or_else(change(x), n, vec(0))); })
            .one();
    }

    ASHLAR_STAGE_INLINE void run_truth() const {
        using fold_type = truth_fold<typename base::template reader<base::width>::truth, kind == reduction_kind::all>;
        using truth = decltype(fold_type::answer);
        const fold_type found = folded<fold_type>([](fold_type& s, auto given, auto n, auto) ASHLAR_STAGE_LAMBDA {
            const truth x = convert_mask<typename truth::operand_type::value_type>(given);
            if constexpr (n == base::width)
                s.step(x);
            else
                s.step(kind == reduction_kind::all ? x || !truth::first(n) : x && truth::first(n));
        });
        finish(running_truth < kind == reduction_kind::all > {found.one()},
               [](const auto& s) ASHLAR_STAGE_LAMBDA { return s.answer; });
    }

    /// The distance of neighbours along an axis in the order of the folded elements.
    static constexpr axis_list fold_strides = [] {
        axis_list strides{};
        std::ptrdiff_t stride = 1;
        for (std::size_t a = base::stage.fold_last; a-- > base::stage.fold_first;) {
            strides[a] = stride;
            stride *= static_cast<std::ptrdiff_t>(Plan::nodes[base::space].extents[a]);
        }
        return strides;
    }();
    /// The number of a register's first element among all folded elements, and the numbers of its lanes.
    ASHLAR_STAGE_INLINE integers position(std::size_t row, std::size_t column) const {
        const auto at = this->in_space(row, column);
        const std::ptrdiff_t number = offset_of(at, fold_strides);
        constexpr std::ptrdiff_t step =
            fold_strides[base::rows_in_lanes ? base::stage.row_axis : base::stage.column_axis];
        return integers(static_cast<std::int32_t>(number)) +
               integers::iota() * integers(static_cast<std::int32_t>(step));
    }
    ASHLAR_STAGE_INLINE void run_position() const {
        using fold_type = position_fold<vec, integers, kind == reduction_kind::argmax>;
        const fold_type found = folded<fold_type>([](fold_type& s, vec x, auto n, auto where) ASHLAR_STAGE_LAMBDA {
            if constexpr (n == base::width)
                s.step(x, where());
            else  // Lanes that are none never win, not even against lowest values.
                s.step(or_else(x, n, s.identity()),
                       select(integers::mask_type::first(n), where(), integers(fold_type::nowhere)));
        });
        finish(found.best(), [](const auto& s) ASHLAR_STAGE_LAMBDA { return s.where; });
    }

    /// Two passes over a tile: the mean, then squared distances from it.
    ASHLAR_STAGE_INLINE void run_variance() const {
        constexpr std::size_t here = rows * columns;
        const input mean = total([](vec x) ASHLAR_STAGE_LAMBDA { return x; }) * (input(1) / input(here));
        const input squares = total([&](vec x) ASHLAR_STAGE_LAMBDA { return (x - vec(mean)) * (x - vec(mean)); });
        finish(running_variance<input>{mean, squares, here},
               [](const auto& s) ASHLAR_STAGE_LAMBDA { return s.squares * (element(1) / element(count)); });
    }

    /// Whether a tile is the first, or the last, of the loops over folded axes.
    struct tile_place {
        bool is_first = true, is_last = true;
    };
    ASHLAR_STAGE_INLINE tile_place place() const {
        tile_place here;
        ASHLAR_UNROLL
        for (std::size_t a = base::stage.fold_first; a < base::stage.fold_last; ++a) {
            const loop_index loop = base::stage.bindings[a];
            if (loop == whole_axis) continue;
            const plan_loop& over = Plan::code.loops[loop];
            const std::size_t index = this->f.index[loop];
            here.is_first = here.is_first && index == 0;
            here.is_last = here.is_last && index + over.tile >= over.extent;
        }
        return here;
    }
    /// Adds a tile to the tiles before it; the last tile gives the number.
    template <class State, class Result>
    ASHLAR_STAGE_INLINE void finish(State state, Result result) const {
        element* const out = this->template row_number<base::first_buffer, element>(this->first_row());
        if constexpr (base::stage.second_buffer != no_buffer) {
            static_assert(sizeof(State) <= fold_state_bytes);
            State& so_far = *f.template buffer<State, base::second_buffer>();
            const tile_place here = place();
            if (!here.is_first) {
                State before = so_far;
                before.merge(state);
                state = before;
            }
            so_far = state;
            if (!here.is_last) return;
        }
        *out = result(state);
    }
};

}  // namespace ashlar::detail
