// SPDX-License-Identifier: BSL-1.0
// The reduction stage: folds one axis, with the rows or the reduced axis in lanes.
#pragma once

#include <ashlar/eval/stages/row_stage.hpp>
#include <ashlar/kernel/rows/reduction.hpp>

namespace ashlar::inline v0_1::detail {

template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct reduce_stage : row_stage<Plan, Element, Stage, Rows> {
    using base = row_stage<Plan, Element, Stage, Rows>;
    using base::f, base::stage, base::columns, base::width, base::core;
    using typename base::element;
    using typename base::input;
    using integers = lanes<std::int32_t, width, typename base::config>;
    static constexpr auto kind = static_cast<reduction_kind>(Plan::nodes[core].variant);
    static constexpr typename base::range all{0, columns};
    static constexpr bool in_lanes = base::how.form == row_form::rows_in_lanes;

    ASHLAR_STAGE_ROOT ASHLAR_STAGE_INLINE void run() const {
        if constexpr (kind == reduction_kind::mean)
            fold<sum_fold<typename base::template lanes_of<input>>>(
                [](auto x) ASHLAR_STAGE_LAMBDA { return x * (element(1) / element(columns)); });
        else if constexpr (is_plain_fold(kind))
            fold<typename fold_of<kind>::template type<typename base::template lanes_of<input>>>(
                [](auto x) ASHLAR_STAGE_LAMBDA { return x; });
        else if constexpr (kind == reduction_kind::all || kind == reduction_kind::any)
            fold<truth_fold<typename base::template reader<width>::truth, kind == reduction_kind::all>>(
                [](auto x) ASHLAR_STAGE_LAMBDA { return x; });
        else if constexpr (gives_position(kind))
            fold<position_fold<typename base::template lanes_of<input>, integers, kind == reduction_kind::argmax>>(
                [](auto x) ASHLAR_STAGE_LAMBDA { return x; });
        else if constexpr (kind == reduction_kind::variance)
            run_variance();
        else
            run_logsumexp();
    }

private:
    template <class Fold, class Value>
    ASHLAR_STAGE_INLINE static void step(Fold& fold, Value x, [[maybe_unused]] std::size_t column) {
        if constexpr (gives_position(kind)) {
            const integers index = integers(static_cast<std::int32_t>(column)) +
                                   integers::iota() * integers(std::int32_t{in_lanes ? 0 : 1});
            fold.step(x, index);
        } else if constexpr (kind == reduction_kind::all || kind == reduction_kind::any) {
            fold.step(convert_mask<typename decltype(fold.answer)::operand_type::value_type>(x));
        } else {
            fold.step(x);
        }
    }
    /// Replaces lanes past the last column of a row by values that change nothing.
    template <class Fold, std::size_t Width, class Value>
    ASHLAR_STAGE_INLINE static auto padded(Value x, std::integral_constant<std::size_t, Width>) {
        if constexpr (Width == width || in_lanes)
            return x;
        else if constexpr (kind == reduction_kind::all)
            return x || !decltype(x)::first(Width);
        else if constexpr (kind == reduction_kind::any)
            return x && decltype(x)::first(Width);
        else
            return select(Value::mask_type::first(Width), x, Fold::identity());
    }

    /// Stores f(row, lane_count) for each register of rows, or for each row.
    template <class Function>
    ASHLAR_STAGE_INLINE void each_number(Function number) const {
        if constexpr (in_lanes)
            this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_STAGE_LAMBDA {
                this->template store_row_numbers<base::first_buffer, n, element>(row, number(row, n));
            });
        else
            this->each_row([&](std::size_t row) ASHLAR_STAGE_LAMBDA {
                const auto x = number(row, lane_count<1>{});
                element* const to = this->template row_number<base::first_buffer, element>(row);
                if constexpr (is_lanes<std::remove_const_t<decltype(x)>>)
                    *to = x[0];
                else
                    *to = x;
            });
    }
    /// What step(fold, lanes, column, lane_count) gives: a number for each of the rows, or for the one row.
    template <class Fold, std::size_t Width, class Step>
    ASHLAR_STAGE_INLINE auto folded(std::size_t row, lane_count<Width>, Step one) const {
        Fold states[4];
        if constexpr (in_lanes)
            this->template fold_down<Width>(row, all, states, one);
        else
            this->fold_along(row, all, states, one);
        states[0].merge(states[1]);
        states[2].merge(states[3]);
        states[0].merge(states[2]);
        if constexpr (in_lanes)
            return states[0].rows();
        else
            return states[0].one();
    }

    template <class Fold, class Finish>
    ASHLAR_STAGE_INLINE void fold(Finish finish) const {
        each_number([&](std::size_t row, auto rows) ASHLAR_STAGE_LAMBDA {
            return finish(folded<Fold>(row, rows, [](Fold& s, auto x, std::size_t c, auto n) ASHLAR_STAGE_LAMBDA {
                step(s, padded<Fold>(x, n), c);
            }));
        });
    }

    /// Two passes: the mean, then squared distances from it; divided by the number of elements.
    ASHLAR_STAGE_INLINE void run_variance() const {
        using vec = typename base::template lanes_of<input>;
        using fold_type = sum_fold<vec>;
        constexpr element share = element(1) / element(columns);
        each_number([&](std::size_t row, auto rows) ASHLAR_STAGE_LAMBDA {
            const vec mean(folded<fold_type>(row, rows,
                                             [](fold_type& s, vec x, std::size_t, auto n)
                                                 ASHLAR_STAGE_LAMBDA { s.step(padded<fold_type>(x, n)); }) *
                           share);
            return folded<fold_type>(row, rows,
                                     [&](fold_type& s, vec x, std::size_t, auto n) ASHLAR_STAGE_LAMBDA {
                                         const vec d = padded<fold_type>(x - mean, n);
                                         s.total = fma(d, d, s.total);
                                     }) *
                   share;
        });
    }

    /// maximum + log of the sum of exp(x - maximum); minus infinity for a row of minus infinities.
    ASHLAR_STAGE_INLINE void run_logsumexp() const {
        using vec = typename base::template lanes_of<input>;
        using greatest = extreme_fold<vec, true>;
        using fold_type = sum_fold<vec>;
        const vec lowest(lowest_value<element>), infinite(infinity<element>);
        each_number([&](std::size_t row, auto rows) ASHLAR_STAGE_LAMBDA {
            const vec most(folded<greatest>(row, rows, [](greatest& s, vec x, std::size_t, auto n) ASHLAR_STAGE_LAMBDA {
                s.step(padded<greatest>(x, n));
            }));
            const vec shift = max<>(lowest, most);
            const vec total(
                folded<fold_type>(row, rows, [&](fold_type& s, vec x, std::size_t, auto n) ASHLAR_STAGE_LAMBDA {
                    const vec elements = repeat_first<in_lanes ? width : std::size_t{n}>(x);
                    s.step(padded<fold_type>(
                        exp_nonpositive_as<exp_form::precise, exp_arguments::any>(elements - shift), n));
                }));
            return select(most == infinite, infinite, shift + log(total));
        });
    }
};

}  // namespace ashlar::detail
