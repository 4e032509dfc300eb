// SPDX-License-Identifier: BSL-1.0
// Elementwise functions, lazy: the arguments broadcast as in NumPy.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/fast.hpp>
#include <ashlar/expr/elementwise/elementwise_operation.hpp>

namespace ashlar::inline v0_1 {

/// e to the power of each element, within 1.2 ulp; infinity above the range, denormals and 0 below it. Like all
/// functions here that do not say otherwise, it takes floating point; other elements do not compile (`cast<float>(x)`
/// first). Error bounds are for float, without -ffast-math. The result has the shape of x and is computed when it is
/// assigned.
///
///     tensor<float, 4> y = exp(x);
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto exp(Expression&& x) noexcept {
    return detail::elementwise(detail::exp_function{}, std::forward<Expression>(x));
}

/// The same with a relative error of at most 1.2e-4.
///
///     tensor<float, 4> y = exp(x, fast);
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto exp(Expression&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::exp_function>{}, std::forward<Expression>(x));
}

/// Natural logarithm of each element, within 1 ulp; NaN below 0, minus infinity at 0.
///
///     auto nats = log(x);
///     auto bits = log(x) * 1.442695f;   // base 2
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto log(Expression&& x) noexcept {
    return detail::elementwise(detail::log_function{}, std::forward<Expression>(x));
}

/// Square root of each element, correctly rounded; NaN below 0.
///
///     static_assert(all(sqrt(tensor<float, 3>{0, 4, 9}) == tensor<float, 3>{0, 2, 3}));
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sqrt(Expression&& x) noexcept {
    return detail::elementwise(detail::sqrt_function{}, std::forward<Expression>(x));
}

/// 1 / sqrt(x) of each element, within 1.5 ulp; infinity at 0, NaN below.
///
///     auto y = x * rsqrt(mean<-1>(x * x, keep_dims) + 1e-5f);   // rows of root mean square 1
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rsqrt(Expression&& x) noexcept {
    return detail::elementwise(detail::rsqrt_function{}, std::forward<Expression>(x));
}

/// Hyperbolic tangent of each element, in [-1, 1], within 2.5 ulp.
///
///     auto capped = 30.0f * tanh(x / 30.0f);   // within (-30, 30)
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto tanh(Expression&& x) noexcept {
    return detail::elementwise(detail::tanh_function{}, std::forward<Expression>(x));
}

/// The same with a relative error of at most 1e-4.
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto tanh(Expression&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::tanh_function>{}, std::forward<Expression>(x));
}

/// Error function of each element, in [-1, 1]: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x. Within 1.5
/// ulp, 1.6 without fused multiply-adds.
///
///     auto y = 0.5f * (1.0f + erf(x * 0.70710678f));   // the distribution function of the standard normal
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto erf(Expression&& x) noexcept {
    return detail::elementwise(detail::erf_function{}, std::forward<Expression>(x));
}

/// 1 / (1 + exp(-x)) of each element, in [0, 1], within 2.5 ulp. Below -87.3 (double: -708.3) it is 0 or less than the
/// least normal number, below -88.1 (-709.2) exactly 0.
///
///     auto gated = sigmoid(gate) * x;
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sigmoid(Expression&& x) noexcept {
    return detail::elementwise(detail::sigmoid_function{}, std::forward<Expression>(x));
}

/// The same with a relative error of at most 1.2e-4.
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto sigmoid(Expression&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::sigmoid_function>{}, std::forward<Expression>(x));
}

/// max(x, 0) of each element; NaN stays NaN. Integers too.
///
///     static_assert(all(relu(tensor<float, 3>{-1, 0, 2}) == tensor<float, 3>{0, 0, 2}));
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto relu(Expression&& x) noexcept {
    return detail::elementwise(detail::relu_function{}, std::forward<Expression>(x));
}

/// x / 2 * (1 + erf(x / sqrt(2))) of each element (Hendrycks and Gimpel 2016, the exact form), within 3e-7 below 4, and
/// within 32 ulp from -1 on. Far below 0, results smaller than the error may be 0; minus infinity gives NaN, as in
/// PyTorch.
///
///     auto y = gelu(matmul(x, w));   // applied at the end of the product, while sums are in registers
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gelu(Expression&& x) noexcept {
    return detail::elementwise(detail::gelu_function{}, std::forward<Expression>(x));
}

/// The same with an error of at most 5e-5, and a relative error of at most 5e-4 from -1 on.
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gelu(Expression&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::gelu_function>{}, std::forward<Expression>(x));
}

/// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) of each element: the approximation of `gelu`. Within 3.5 ulp
/// from -1 on, and within 5e-7 below; NaN for minus infinity, as in PyTorch.
///
///     auto y = gelu_tanh(x);   // PyTorch: F.gelu(x, approximate='tanh')
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gelu_tanh(Expression&& x) noexcept {
    return detail::elementwise(detail::gelu_tanh_function{}, std::forward<Expression>(x));
}

/// The same with a relative error of at most 1.2e-4 from -4 on.
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto gelu_tanh(Expression&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::gelu_tanh_function>{}, std::forward<Expression>(x));
}

/// x * sigmoid(x) of each element, also called swish (Ramachandran, Zoph and Le 2017), within 3.5 ulp from -87.3 on.
/// Below -88.1 it is -0; minus infinity gives NaN, as in PyTorch.
///
///     auto y = silu(gate) * x;   // SwiGLU: the gate of one product, the values of another
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto silu(Expression&& x) noexcept {
    return detail::elementwise(detail::silu_function{}, std::forward<Expression>(x));
}

/// The same with a relative error of at most 1.2e-4.
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto silu(Expression&& x, fast_t) noexcept {
    return detail::elementwise(detail::fast_function<detail::silu_function>{}, std::forward<Expression>(x));
}

/// Absolute value of each element. Integers too.
///
///     static_assert(all(abs(tensor<int, 3>{-1, 0, 2}) == tensor<int, 3>{1, 0, 2}));
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto abs(Expression&& x) noexcept {
    return detail::elementwise(detail::abs_function{}, std::forward<Expression>(x));
}

/// The larger of a and b, elementwise; either side may be a number. NaN if one of them is.
///
///     auto y = max(x, 0.1f);   // with one argument, `max` is a reduction
template <class Argument, class Other>
    requires detail::elementwise_arguments<Argument, Other>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto(max)(Argument&& a, Other&& b) noexcept {
    return detail::elementwise_number_first(detail::maximum_function{}, std::forward<Argument>(a),
                                            std::forward<Other>(b));
}

/// The smaller of a and b, elementwise; either side may be a number. NaN if one of them is.
///
///     auto y = min(x, 6.0f);   // with one argument, `min` is a reduction
template <class Argument, class Other>
    requires detail::elementwise_arguments<Argument, Other>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto(min)(Argument&& a, Other&& b) noexcept {
    return detail::elementwise_number_first(detail::minimum_function{}, std::forward<Argument>(a),
                                            std::forward<Other>(b));
}

/// base to the power of exponent, elementwise; either may be a number. Floating point; within 2 ulp, with the special
/// cases of std::pow.
///
///     auto y = pow(x, 3.0f);
///     auto z = pow(10000.0f, x);
template <class Argument, class Other>
    requires detail::elementwise_arguments<Argument, Other>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto pow(Argument&& base, Other&& exponent) noexcept {
    return detail::elementwise(detail::pow_function{}, std::forward<Argument>(base), std::forward<Other>(exponent));
}

/// Each element limited to [lowest, highest], which are numbers or expressions. NaN if the element or a bound is, as in
/// PyTorch; the upper bound if the bounds cross.
///
///     auto y = clamp(x, -1.0f, 1.0f);
template <any_expression Expression, class Lowest, class Highest>
    requires detail::elementwise_arguments<Expression, Lowest, Highest>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto clamp(Expression&& x, Lowest&& lowest, Highest&& highest) noexcept {
    return detail::elementwise(detail::clamp_function{}, std::forward<Expression>(x), std::forward<Lowest>(lowest),
                               std::forward<Highest>(highest));
}

/// Converts each element to Target like static_cast. bool becomes 0 or 1; a cast to bool tests whether an element
/// differs from 0. For f16 and bf16 the elements are rounded and stay floats.
///
///     auto y = cast<float>(counts) * 0.5f;
template <any_element Target, any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto cast(Expression&& x) noexcept {
    using target = std::remove_cv_t<Target>;
    if constexpr (detail::is_narrow<target> && std::is_same_v<element_of<Expression>, float>)
        return detail::make_map<float, float>(detail::rounded_function<target>{}, std::forward<Expression>(x));
    else if constexpr (detail::is_narrow<target>)
        return cast<target>(cast<float>(std::forward<Expression>(x)));
    else if constexpr (std::is_same_v<element_of<Expression>, target>)
        return detail::hold(std::forward<Expression>(x));
    else
        return detail::make_map<std::remove_cv_t<Target>, element_of<Expression>>(
            detail::cast_function<std::remove_cv_t<Target>>{}, std::forward<Expression>(x));
}

/// a where the condition is true, else b; all three broadcast. The condition is an expression of bool elements. Both
/// values are computed everywhere, as in NumPy. But a reduction does not load a register from memory if masks,
/// coordinates, bools or integers choose none of its elements.
///
///     auto y = where(x > 0.0f, x, 0.1f * x);
template <any_expression Condition, class Argument, class Other>
    requires((any_expression<Argument> || detail::scalar_argument<Argument>) &&
             (any_expression<Other> || detail::scalar_argument<Other>))
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto where(Condition&& condition, Argument&& a, Other&& b) noexcept {
    using Element = detail::element_among_t<Argument, Other>;
    using other = typename detail::other_element<Element, Argument, Other>::type;
    static_assert(detail::element_types<element_of<Condition>, bool>::same,
                  "ashlar: where: the condition must have bool elements; compare it with something");
    static_assert(detail::element_types<Element, other>::same,
                  "ashlar: where: the element types of both values must be the same; use cast<T>(x)");
    using clash = detail::first_clash<shape_of<Condition>, decltype(detail::argument_shape<Argument>()),
                                      decltype(detail::argument_shape<Other>())>;
    static_assert(detail::broadcast_shapes<typename clash::left, typename clash::right>::agree,
                  "ashlar: where: the shapes of the condition and both values must broadcast; reshape, transpose or "
                  "rename one");
    using fraction = typename detail::lost_fraction<Element, Argument, Other>::type;
    static_assert(detail::value_conversion<fraction, Element>::keeps_fraction,
                  "ashlar: where: a floating-point number with integers would lose its fraction; use cast<float>(x)");
    if constexpr (std::is_same_v<element_of<Condition>, bool> && std::is_same_v<Element, other> &&
                  std::is_same_v<fraction, Element> &&
                  detail::broadcast_shapes<typename clash::left, typename clash::right>::agree)
        return detail::make_map<Element, Element>(detail::where_function{}, std::forward<Condition>(condition),
                                                  std::forward<Argument>(a), std::forward<Other>(b));
    else
        return detail::refused_map<Element, Condition, Argument, Other>();
}

/// f(x...), elementwise. The arguments broadcast and may have different element types; numbers take that of the first
/// expression. A generic f is called with lanes (and lane masks for bool), which support arithmetic, comparisons,
/// `select(mask, a, b)` and this library's functions; an f that takes numbers is called for each element. The result's
/// elements are what f returns. f must be callable as const. f only sees values from the same place of the operands, in
/// any order, and perhaps more than once: lanes past the last element repeat an element.
///
///     auto y = map([](auto v) { return v * v + 1.0f; }, x);
template <class Function, class... Argument>
    requires(!any_expression<Function> && detail::elementwise_arguments<Argument...>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto map(Function f, Argument&&... x) noexcept {
    using Element = detail::element_among_t<Argument...>;
    using number =
        typename decltype(detail::number_of<typename detail::argument_element<Element, Argument>::type...>())::type;
    // An error in the function is reported at its first call: here it has one line less than in user_result.
    static_cast<void>(
        requires(const Function& g,
                 const typename detail::single_lane<typename detail::argument_element<Element, Argument>::type,
                                                    number>::type... lane) { g(lane...); });
    using result =
        typename decltype(detail::user_result<Function,
                                              typename detail::argument_element<Element, Argument>::type...>())::type;
    static_assert(detail::mapped_function<Function, result>::gives_element,
                  "ashlar: map: the function must take one argument for each operand and return a number; a generic "
                  "one is called with lanes");
    using clash = detail::first_clash<decltype(detail::argument_shape<Argument>())...>;
    static_assert(detail::broadcast_shapes<typename clash::left, typename clash::right>::agree,
                  "ashlar: map: the shapes of the operands must broadcast; reshape, transpose or rename one");
    if constexpr (detail::mapped_function<Function, result>::gives_element &&
                  detail::broadcast_shapes<typename clash::left, typename clash::right>::agree)
        return detail::make_map<result, Element>(detail::user_function<Function>{f}, std::forward<Argument>(x)...);
    else
        return detail::refused_map<std::conditional_t<std::is_arithmetic_v<result>, result, Element>, Argument...>();
}

}  // namespace ashlar
