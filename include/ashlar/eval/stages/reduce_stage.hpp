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
    ASHLAR_STAGE_INLINE static void step(Fold& fold, Value x, [[maybe_unused]] std::size_t column,
                                         [[maybe_unused]] std::ptrdiff_t distance) {
        if constexpr (gives_position(kind)) {
            const integers index = integers(static_cast<std::int32_t>(column)) +
                                   integers::iota() * integers(static_cast<std::int32_t>(distance));
            fold.step(x, index);
        } else if constexpr (kind == reduction_kind::all || kind == reduction_kind::any) {
            fold.step(convert_mask<typename decltype(fold.answer)::operand_type::value_type>(x));
        } else {
            fold.step(x);
        }
    }
    /// Replaces lanes past the last column by values that change nothing.
    template <class Fold, std::size_t Width, class Value>
    ASHLAR_STAGE_INLINE static auto padded(Value x, std::integral_constant<std::size_t, Width>) {
        if constexpr (Width == width)
            return x;
        else if constexpr (kind == reduction_kind::all)
            return x || !decltype(x)::first(Width);
        else if constexpr (kind == reduction_kind::any)
            return x && decltype(x)::first(Width);
        else
            return select(Value::mask_type::first(Width), x, Fold::identity());
    }

    template <class Fold>
    ASHLAR_STAGE_INLINE static Fold merged(Fold (&states)[4]) {
        states[0].merge(states[1]);
        states[2].merge(states[3]);
        states[0].merge(states[2]);
        return states[0];
    }

    template <class Fold, class Finish>
    ASHLAR_STAGE_INLINE void fold(Finish finish) const {
        if constexpr (base::how.form == row_form::rows_in_lanes) {
            this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_STAGE_LAMBDA {
                Fold states[4];
                this->template fold_down<n>(row, all, states,
                                            [](Fold& s, auto x, std::size_t c, auto)
                                                ASHLAR_STAGE_LAMBDA { step(s, x, c, 0); });
                this->template store_row_numbers<base::first_buffer, n, element>(row, finish(merged(states).rows()));
            });
        } else {
            this->each_row([&](std::size_t row) ASHLAR_STAGE_LAMBDA {
                Fold states[4];
                this->fold_along(row, all, states, [](Fold& s, auto x, std::size_t c, auto n) ASHLAR_STAGE_LAMBDA {
                    step(s, padded<Fold>(x, n), c, 1);
                });
                *this->template row_number<base::first_buffer, element>(row) = finish(merged(states).one());
            });
        }
    }

    /// Two passes: the mean, then squared distances from it; divided by the number of elements.
    ASHLAR_STAGE_INLINE void run_variance() const {
        using vec = typename base::template lanes_of<input>;
        using fold_type = sum_fold<vec>;
        constexpr element share = element(1) / element(columns);
        if constexpr (base::how.form == row_form::rows_in_lanes) {
            this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_STAGE_LAMBDA {
                fold_type sums[4], squares[4];
                this->template fold_down<n>(
                    row, all, sums, [](fold_type& s, vec x, std::size_t, auto) ASHLAR_STAGE_LAMBDA { s.step(x); });
                const vec mean = merged(sums).rows() * share;
                this->template fold_down<n>(row, all, squares,
                                            [&](fold_type& s, vec x, std::size_t, auto)
                                                ASHLAR_STAGE_LAMBDA { s.total = fma(x - mean, x - mean, s.total); });
                this->template store_row_numbers<base::first_buffer, n, element>(row, merged(squares).rows() * share);
            });
        } else {
            this->each_row([&](std::size_t row) ASHLAR_STAGE_LAMBDA {
                fold_type sums[4], squares[4];
                this->fold_along(row, all, sums, [](fold_type& s, vec x, std::size_t, auto n) ASHLAR_STAGE_LAMBDA {
                    s.step(padded<fold_type>(x, n));
                });
                const vec mean(merged(sums).one() * share);
                this->fold_along(row, all, squares, [&](fold_type& s, vec x, std::size_t, auto n) ASHLAR_STAGE_LAMBDA {
                    const vec d = padded<fold_type>(x - mean, n);
                    s.total = fma(d, d, s.total);
                });
                *this->template row_number<base::first_buffer, element>(row) = merged(squares).one() * share;
            });
        }
    }

    /// maximum + log of the sum of exp(x - maximum); minus infinity for a row of minus infinities.
    ASHLAR_STAGE_INLINE void run_logsumexp() const {
        using vec = typename base::template lanes_of<input>;
        using greatest = extreme_fold<vec, true>;
        using fold_type = sum_fold<vec>;
        const auto finish = [](vec most, vec shift, vec total) ASHLAR_STAGE_LAMBDA {
            const vec infinity(detail::infinity<element>);
            return select(most == infinity, infinity, shift + log(total));
        };
        const vec lowest(lowest_value<element>);
        if constexpr (base::how.form == row_form::rows_in_lanes) {
            this->each_register_of_rows([&](std::size_t row, auto n) ASHLAR_STAGE_LAMBDA {
                greatest tops[4];
                fold_type sums[4];
                this->template fold_down<n>(
                    row, all, tops, [](greatest& s, vec x, std::size_t, auto) ASHLAR_STAGE_LAMBDA { s.step(x); });
                const vec most = merged(tops).rows(), shift = max<>(lowest, most);
                this->template fold_down<n>(
                    row, all, sums, [&](fold_type& s, vec x, std::size_t, auto) ASHLAR_STAGE_LAMBDA {
                        s.step(exp_nonpositive_as<exp_form::precise, exp_arguments::any>(x - shift));
                    });
                this->template store_row_numbers<base::first_buffer, n, element>(
                    row, finish(most, shift, merged(sums).rows()));
            });
        } else {
            this->each_row([&](std::size_t row) ASHLAR_STAGE_LAMBDA {
                greatest tops[4];
                fold_type sums[4];
                this->fold_along(row, all, tops, [](greatest& s, vec x, std::size_t, auto n) ASHLAR_STAGE_LAMBDA {
                    s.step(padded<greatest>(x, n));
                });
                const vec most(merged(tops).one()), shift = max<>(lowest, most);
                this->fold_along(row, all, sums, [&](fold_type& s, vec x, std::size_t, auto n) ASHLAR_STAGE_LAMBDA {
                    s.step(padded<fold_type>(
                        exp_nonpositive_as<exp_form::precise, exp_arguments::any>(repeat_first<n>(x) - shift), n));
                });
                *this->template row_number<base::first_buffer, element>(row) =
                    finish(most, shift, vec(merged(sums).one()))[0];
            });
        }
    }
};

}  // namespace ashlar::detail
