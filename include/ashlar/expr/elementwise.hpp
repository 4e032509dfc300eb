// SPDX-License-Identifier: BSL-1.0
// Functions applied element by element, lazily: the arguments broadcast as in NumPy.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/fast.hpp>
#include <ashlar/expr/functions.hpp>
#include <ashlar/expr/math_functions.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/operands.hpp>
#include <ashlar/expr/refused.hpp>
#include <ashlar/tensor/index.hpp>

namespace ashlar {

namespace detail {

/// A number beside an expression.
template <class A>
concept scalar_argument = element<std::remove_cvref_t<A>>;

/// What an elementwise function takes: expressions and numbers, and one expression at least.
template <class... A>
concept elementwise_arguments = (expression<A> || ...) && ((expression<A> || scalar_argument<A>) && ...);

/// The element type of the first expression, which the numbers take; of numbers alone their common type.
template <class First, class... Rest>
consteval auto element_among() {
    if constexpr (expression<First>)
        return std::type_identity<element_of<First>>{};
    else if constexpr ((expression<Rest> || ...))
        return element_among<Rest...>();
    else
        return std::type_identity<std::common_type_t<std::remove_cvref_t<First>, std::remove_cvref_t<Rest>...>>{};
}
template <class... A>
using element_among_t = typename decltype(element_among<A...>())::type;

/// The element type of an argument; of a number, T.
template <class T, class A>
struct argument_element {
    using type = T;
};
template <class T, expression A>
struct argument_element<T, A> {
    using type = element_of<A>;
};

/// The element type of the first expression whose elements are not T; T if there is none.
template <class T, class... A>
struct other_element {
    using type = T;
};
template <class T, class First, class... Rest>
struct other_element<T, First, Rest...> : other_element<T, Rest...> {};
template <class T, class First, class... Rest>
    requires(expression<First> && !std::is_same_v<element_of<First>, T>)
struct other_element<T, First, Rest...> {
    using type = element_of<First>;
};

/// The type of the first number that would lose its fraction as a T; T if there is none.
template <class T, class... A>
struct lost_fraction {
    using type = T;
};
template <class T, class First, class... Rest>
struct lost_fraction<T, First, Rest...> : lost_fraction<T, Rest...> {};
template <class T, class First, class... Rest>
    requires(scalar_argument<First> && !value_conversion<std::remove_cvref_t<First>, T>::keeps_fraction)
struct lost_fraction<T, First, Rest...> {
    using type = std::remove_cvref_t<First>;
};

/// The first two shapes that do not broadcast, the left one being the result so far; two scalars if all do.
template <class Left, class... Rest>
struct first_clash {
    using left = shape<>;
    using right = shape<>;
};
template <class Left, class Right, class... Rest>
struct first_clash<Left, Right, Rest...> {
    using left = Left;
    using right = Right;
};
template <class Left, class Right, class... Rest>
    requires(shapes_broadcast<Left, Right>())
struct first_clash<Left, Right, Rest...> : first_clash<decltype(broadcast_two<Left, Right>()), Rest...> {};

/// An argument as a node holds it; a number becomes a T.
template <class T, class A>
ASHLAR_ALWAYS_INLINE constexpr auto as_operand(A&& a) noexcept {
    if constexpr (expression<A>)
        return hold(std::forward<A>(a));
    else
        return scalar_node<T>{static_cast<T>(a)};
}

template <class A>
consteval auto argument_shape() {
    if constexpr (expression<A>)
        return shape_of<A>{};
    else
        return shape<>{};
}

/// What an elementwise operation that is refused returns.
template <class R, class... A>
ASHLAR_ALWAYS_INLINE constexpr auto refused_map() noexcept {
    return refused<R, typename longest_shape<decltype(argument_shape<A>())...>::type>();
}

/// The result's elements of a function that is not defined for T.
template <class F, class R>
consteval auto meant_element() {
    if constexpr (requires { typename F::result_element; })
        return std::type_identity<R>{};
    else if constexpr (F::arguments == takes::floating)
        return std::type_identity<floating_or_float<R>>{};
    else if constexpr (F::arguments == takes::truth)
        return std::type_identity<bool>{};
    else if constexpr (!is_taken<R>(F::arguments))
        return std::type_identity<int>{};
    else
        return std::type_identity<R>{};
}

/// f of arguments that are known to fit; numbers become T, the result's elements are R.
template <class R, class T, class F, class... A>
ASHLAR_ALWAYS_INLINE constexpr auto make_map(F f, A&&... a) noexcept {
    return map_node<F, broadcast_shape<decltype(argument_shape<A>())...>, R,
                    decltype(as_operand<T>(std::declval<A>()))...>{{{}, {{as_operand<T>(std::forward<A>(a))}...}}, f};
}

template <class F, class T>
consteval auto result_of() {
    if constexpr (requires { typename F::result_element; })
        return std::type_identity<typename F::result_element>{};
    else
        return std::type_identity<T>{};
}

/// f of arguments of one element type.
template <class F, class... A>
ASHLAR_ALWAYS_INLINE constexpr auto elementwise(F f, A&&... a) noexcept {
    using T = element_among_t<A...>;
    using other = typename other_element<T, A...>::type;
    using result = typename decltype(result_of<F, T>())::type;
    using clash = first_clash<decltype(argument_shape<A>())...>;
    static_assert(broadcast_shapes<typename clash::left, typename clash::right>::agree,
                  "ashlar: elementwise operation: the shapes must broadcast: from the last axis on, extents are equal "
                  "or 1, and names equal; reshape, transpose or rename an operand");
    static_assert(element_types<T, other>::same,
                  "ashlar: elementwise operation: the element types must be the same; use cast<T>(x)");
    using fraction = typename lost_fraction<T, A...>::type;
    static_assert(value_conversion<fraction, T>::keeps_fraction,
                  "ashlar: elementwise operation: a floating-point number beside integers would lose its fraction; use "
                  "cast<float>(x)");
    if constexpr (element_types<T, other>::same && value_conversion<fraction, T>::keeps_fraction) {
        static_assert(function_elements<F, T>::defined,
                      "ashlar: elementwise operation: the function is not defined for these elements; use cast<T>(x)");
        if constexpr (function_elements<F, T>::defined &&
                      broadcast_shapes<typename clash::left, typename clash::right>::agree)
            return make_map<result, T>(f, std::forward<A>(a)...);
        else
            return refused_map<typename decltype(meant_element<F, result>())::type, A...>();
    } else {
        return refused_map<result, A...>();
    }
}

}  // namespace detail

/// e to the power of each element. Floating point; errors are those of the scalar function of the same name.
///
///     tensor<float, 4> y = exp(x);
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto exp(E&& x) noexcept {
    return detail::elementwise(detail::exp_function{}, std::forward<E>(x));
}

/// The same with an error of at most 1.2e-4 of each result.
///
///     tensor<float, 4> y = exp(x, fast);
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto exp(E&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::exp_function>{}, std::forward<E>(x));
}

/// Natural logarithm of each element; NaN below 0, minus infinity at 0.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto log(E&& x) noexcept {
    return detail::elementwise(detail::log_function{}, std::forward<E>(x));
}

/// Square root of each element, exactly rounded; NaN below 0.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sqrt(E&& x) noexcept {
    return detail::elementwise(detail::sqrt_function{}, std::forward<E>(x));
}

/// 1 / sqrt(x) of each element; infinity at 0, NaN below.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rsqrt(E&& x) noexcept {
    return detail::elementwise(detail::rsqrt_function{}, std::forward<E>(x));
}

/// Hyperbolic tangent of each element, in [-1, 1].
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto tanh(E&& x) noexcept {
    return detail::elementwise(detail::tanh_function{}, std::forward<E>(x));
}

/// The same with an error of at most 1e-4 of each result.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto tanh(E&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::tanh_function>{}, std::forward<E>(x));
}

/// Error function of each element, in [-1, 1]: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto erf(E&& x) noexcept {
    return detail::elementwise(detail::erf_function{}, std::forward<E>(x));
}

/// 1 / (1 + exp(-x)) of each element, in [0, 1].
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sigmoid(E&& x) noexcept {
    return detail::elementwise(detail::sigmoid_function{}, std::forward<E>(x));
}

/// The same with an error of at most 1.2e-4 of each result.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sigmoid(E&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::sigmoid_function>{}, std::forward<E>(x));
}

/// max(x, 0) of each element; NaN stays NaN. Integers too.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto relu(E&& x) noexcept {
    return detail::elementwise(detail::relu_function{}, std::forward<E>(x));
}

/// x / 2 * (1 + erf(x / sqrt(2))) of each element (Hendrycks and Gimpel 2016, the exact form).
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gelu(E&& x) noexcept {
    return detail::elementwise(detail::gelu_function{}, std::forward<E>(x));
}

/// The same with an error of at most 5e-5, and 5e-4 of each result from -1 on.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gelu(E&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::gelu_function>{}, std::forward<E>(x));
}

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) of each element: the approximation of `gelu`.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gelu_tanh(E&& x) noexcept {
    return detail::elementwise(detail::gelu_tanh_function{}, std::forward<E>(x));
}

/// The same with an error of at most 1.2e-4 of each result from -4 on.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gelu_tanh(E&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::gelu_tanh_function>{}, std::forward<E>(x));
}

/// x * sigmoid(x) of each element, also known as swish.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto silu(E&& x) noexcept {
    return detail::elementwise(detail::silu_function{}, std::forward<E>(x));
}

/// The same with an error of at most 1.2e-4 of each result.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto silu(E&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::silu_function>{}, std::forward<E>(x));
}

/// Magnitude of each element. Integers too.
template <expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto abs(E&& x) noexcept {
    return detail::elementwise(detail::abs_function{}, std::forward<E>(x));
}

/// The larger of two elements at each place; either side may be a number. NaN if one of them is.
///
///     auto y = max(x, 0.1f);   // of one argument, `max` is a reduction
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto max(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::maximum_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// The smaller of two elements at each place; either side may be a number. NaN if one of them is.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto min(A&& a, B&& b) noexcept {
    return detail::elementwise(detail::minimum_function{}, std::forward<A>(a), std::forward<B>(b));
}

/// base to the power of exponent at each place; either may be a number. Floating point.
template <class A, class B>
    requires detail::elementwise_arguments<A, B>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto pow(A&& base, B&& exponent) noexcept {
    return detail::elementwise(detail::pow_function{}, std::forward<A>(base), std::forward<B>(exponent));
}

/// Each element brought into [lowest, highest], which are numbers or expressions; NaN stays NaN.
///
///     auto y = clamp(x, -1.0f, 1.0f);
template <expression E, class Lowest, class Highest>
    requires detail::elementwise_arguments<E, Lowest, Highest>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto clamp(E&& x, Lowest&& lowest, Highest&& highest) noexcept {
    return detail::elementwise(detail::clamp_function{}, std::forward<E>(x), std::forward<Lowest>(lowest),
                               std::forward<Highest>(highest));
}

/// Each element as a U, as static_cast converts; of bool 0 or 1, to bool whether it differs from 0.
///
///     auto y = cast<float>(counts) * 0.5f;
template <element U, expression E>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto cast(E&& x) noexcept {
    if constexpr (std::is_same_v<element_of<E>, std::remove_cv_t<U>>)
        return detail::hold(std::forward<E>(x));
    else
        return detail::make_map<std::remove_cv_t<U>, element_of<E>>(detail::cast_function<std::remove_cv_t<U>>{},
                                                                    std::forward<E>(x));
}

/// a where the condition is true, else b; all three broadcast. The condition is an expression of bool elements.
///
///     auto y = where(x > 0.0f, x, 0.1f * x);
template <expression C, class A, class B>
    requires((expression<A> || detail::scalar_argument<A>) && (expression<B> || detail::scalar_argument<B>))
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto where(C&& condition, A&& a, B&& b) noexcept {
    using T = detail::element_among_t<A, B>;
    using other = typename detail::other_element<T, A, B>::type;
    static_assert(detail::element_types<element_of<C>, bool>::same,
                  "ashlar: where: the condition must have bool elements; compare it with something");
    static_assert(detail::element_types<T, other>::same,
                  "ashlar: where: the element types of both values must be the same; use cast<T>(x)");
    using clash = detail::first_clash<shape_of<C>, decltype(detail::argument_shape<A>()),
                                      decltype(detail::argument_shape<B>())>;
    static_assert(detail::broadcast_shapes<typename clash::left, typename clash::right>::agree,
                  "ashlar: where: the shapes of the condition and both values must broadcast; reshape, transpose or "
                  "rename one");
    using fraction = typename detail::lost_fraction<T, A, B>::type;
    static_assert(detail::value_conversion<fraction, T>::keeps_fraction,
                  "ashlar: where: a floating-point number beside integers would lose its fraction; use cast<float>(x)");
    if constexpr (std::is_same_v<element_of<C>, bool> && std::is_same_v<T, other> && std::is_same_v<fraction, T> &&
                  detail::broadcast_shapes<typename clash::left, typename clash::right>::agree)
        return detail::make_map<T, T>(detail::where_function{}, std::forward<C>(condition), std::forward<A>(a),
                                      std::forward<B>(b));
    else
        return detail::refused_map<T, C, A, B>();
}

/// f(x...) at each place; the arguments broadcast and may have different element types, numbers take that of the
/// first expression. A generic f is called with lanes (and lane masks for bool), on which arithmetic, comparisons,
/// `select(mask, a, b)` and this library's functions work; an f that takes numbers is called for each element. The
/// result's elements are what f returns. f must be callable as const.
///
///     auto y = map([](auto v) { return v * v + 1.0f; }, x);
template <class F, class... A>
    requires(!expression<F> && detail::elementwise_arguments<A...>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto map(F f, A&&... x) noexcept {
    using T = detail::element_among_t<A...>;
    using result = typename decltype(detail::user_result<F, typename detail::argument_element<T, A>::type...>())::type;
    static_assert(detail::mapped_function<F, result>::gives_element,
                  "ashlar: map: the function must take one argument for each operand and return a number; a generic "
                  "one is called with lanes");
    using clash = detail::first_clash<decltype(detail::argument_shape<A>())...>;
    static_assert(detail::broadcast_shapes<typename clash::left, typename clash::right>::agree,
                  "ashlar: map: the shapes of the operands must broadcast; reshape, transpose or rename one");
    if constexpr (detail::mapped_function<F, result>::gives_element &&
                  detail::broadcast_shapes<typename clash::left, typename clash::right>::agree)
        return detail::make_map<result, T>(detail::user_function<F>{f}, std::forward<A>(x)...);
    else
        return detail::refused_map<std::conditional_t<std::is_arithmetic_v<result>, result, T>, A...>();
}

}  // namespace ashlar
