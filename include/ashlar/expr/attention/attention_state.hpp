// SPDX-License-Identifier: BSL-1.0
// The state of attention after some of the keys, and the merging of states of different keys.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/elementwise/math_functions.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/elementwise/where.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/tensor/assign.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1 {

template <class Element, auto... Dims>
struct basic_attention_state;

namespace detail {

template <class State, class Expression>
struct partial_attention;

template <class Element, class Shape>
struct state_of_shape;
template <class Element, auto... Dims>
struct state_of_shape<Element, shape<Dims...>> {
    using type = basic_attention_state<Element, Dims...>;
    using tensor_type = basic_tensor<Element, Dims...>;
};

/// The shape of one number per row: all axes but the last.
template <class Shape>
consteval auto row_axes() {
    if constexpr (Shape::rank == 0)
        return Shape{};
    else
        return without_axis<Shape, Shape::rank - 1, false>();
}

/// The type of the state that an argument is or yields; void if neither.
template <class Argument>
struct state_argument {
    using type = void;
};
template <class Element, auto... Dims>
struct state_argument<basic_attention_state<Element, Dims...>> {
    using type = basic_attention_state<Element, Dims...>;
};
template <class State, class Expression>
struct state_argument<partial_attention<State, Expression>> {
    using type = State;
};
template <class Argument>
using state_given_by = typename state_argument<std::remove_cvref_t<Argument>>::type;
template <class Argument>
concept gives_state = !std::is_void_v<state_given_by<Argument>>;

/// Whether two states have the same shape and element type.
template <class Left, class Right>
struct merged_states {
    static constexpr bool fit = shapes_agree<typename Left::shape_type, typename Right::shape_type>() &&
                                std::is_same_v<typename Left::value_type, typename Right::value_type>;
};

/// Whether an expression has the sums that belong to its values: never.
template <class Expression>
struct state_values {
    static constexpr bool have_sums = false;
};

/// Whether a state has an axis for the values.
template <std::size_t Rank>
struct state_axes {
    static constexpr bool are_given = Rank > 0;
};

/// Rescales both states to the greater of their maxima and adds them. The maximum of a state without keys is the lowest
/// number, not minus infinity, so that the difference of two such maxima is a number.
template <class Config, class State, class Other>
constexpr void add_state(State& to, const Other& from) noexcept {
    using rows = typename State::rows_type;
    rows shared, own, others;
    assign<Config, destination_memory::fresh>(shared, (max)(to.maximum, from.maximum));
    assign<Config, destination_memory::fresh>(own, exp(to.maximum - shared));
    assign<Config, destination_memory::fresh>(others, exp(from.maximum - shared));
    assign<Config>(to.values, to.values * unsqueeze<-1>(own) + from.values * unsqueeze<-1>(others));
    assign<Config>(to.sum, to.sum * own + from.sum * others);
    to.maximum = shared;
}

}  // namespace detail

/// The state of attention over the keys seen so far. Per query it has the greatest score, the sum of exp(score -
/// maximum), and the values weighted by these exponentials, [..., queries, width] as in the result (Milakov and
/// Gimelshein 2018, Rabe and Staats 2021). `attention_partial` returns a state for some of the keys, `merge` one for
/// the keys of both arguments, and `finish` the result. Without keys (the default), and for queries that keep none, the
/// maximum is the lowest number of the element type and the rest is 0; merging with it changes nothing. Trivially
/// copyable: it may be sent as bytes.
///
///     attention_state<float, seq, head> all;
///     for (const auto& part : parts) all = merge(all, attention_partial(q, part.keys, part.values));
///     tensor<float, seq, head> y = finish(all);   // attention to all of them
template <class Element, auto... Dims>
struct basic_attention_state {
    static_assert(detail::state_axes<sizeof...(Dims)>::are_given,
                  "ashlar: attention_state: the shape is that of an attention, [..., queries, width]; name one");
    using shape_type = shape<Dims...>;
    using value_type = Element;
    using rows_type = typename detail::state_of_shape<Element, decltype(detail::row_axes<shape_type>())>::tensor_type;

    basic_tensor<Element, Dims...> values;
    rows_type maximum, sum;

    /// The state of no keys.
    template <class Config = current_config>
    constexpr basic_attention_state() noexcept {
        detail::clear<Config>(values.elements);
        detail::clear<Config>(sum.elements);
        detail::assign_value<Config>(maximum, std::numeric_limits<Element>::lowest());
    }

    /// Evaluates an `attention_partial` of the same shape and element type.
    template <class State, class Expression, class Config = current_config>
    constexpr basic_attention_state(const detail::partial_attention<State, Expression>& part) noexcept {
        if constexpr (detail::partial_attention<State, Expression>::template check_target<basic_attention_state>())
            part.template write<Config, detail::destination_memory::fresh>(*this);
    }
    template <class State, class Expression, class Config = current_config>
    constexpr basic_attention_state& operator=(const detail::partial_attention<State, Expression>& part) noexcept {
        if constexpr (detail::partial_attention<State, Expression>::template check_target<basic_attention_state>())
            part.template write<Config, detail::destination_memory::shared>(*this);
        return *this;
    }

    /// Reports an expression that is not a state.
    template <any_expression Expression>
    constexpr basic_attention_state(const Expression&) noexcept {
        static_assert(detail::state_values<Expression>::have_sums,
                      "ashlar: attention_state: a result has no maxima and sums, with which states are merged; use "
                      "attention_partial(q, k, v)");
    }
    template <any_expression Expression>
    constexpr basic_attention_state& operator=(const Expression&) noexcept {
        static_assert(detail::state_values<Expression>::have_sums,
                      "ashlar: attention_state: a result has no maxima and sums, with which states are merged; use "
                      "attention_partial(q, k, v)");
        return *this;
    }
};

/// The state of attention with a result of this shape, as `attention_partial` returns.
///
///     attention_state<float, 64, 32> all;   // 64 queries, values of width 32, no keys yet
template <class Element, auto... Dims>
using attention_state = basic_attention_state<Element, detail::canonical(Dims)...>;

/// The state of the keys of both arguments: states or results of `attention_partial`, of one shape and element type.
/// The order and grouping of merges affect only rounding.
///
///     auto both = merge(attention_partial(q, k0, v0), attention_partial(q, k1, v1));
template <detail::gives_state Left, detail::gives_state Right, class Config = current_config>
[[nodiscard]] constexpr auto merge(const Left& a, const Right& b) noexcept -> detail::state_given_by<Left> {
    using left = detail::state_given_by<Left>;
    using right = detail::state_given_by<Right>;
    static_assert(detail::merged_states<left, right>::fit,
                  "ashlar: merge: both states must have the same shape and element type, those of one attention; pass "
                  "the same queries, and values of the same width");
    left all(a);
    if constexpr (detail::merged_states<left, right>::fit) {
        if constexpr (std::is_same_v<Right, right>)
            detail::add_state<Config>(all, b);
        else
            detail::add_state<Config>(all, right(b));
    }
    return all;
}

/// The result of attention over all keys of a state: its values divided by its sum, lazily, of the state's shape; 0 for
/// a query that keeps no key. A named state is borrowed.
///
///     tensor<float, seq, head> y = finish(merge(a, b));
template <detail::gives_state State>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto finish(State&& state) noexcept {
    using plain = std::remove_cvref_t<State>;
    using element = typename detail::state_given_by<State>::value_type;
    if constexpr (!std::is_same_v<plain, detail::state_given_by<State>>)
        return finish(detail::state_given_by<State>(std::forward<State>(state)));
    else
        return std::forward<State>(state).values / unsqueeze<-1>(where(std::forward<State>(state).sum == element(0),
                                                                       element(1), std::forward<State>(state).sum));
}

}  // namespace ashlar
