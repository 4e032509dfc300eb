// SPDX-License-Identifier: BSL-1.0
// Activations composed of other lane functions; each is written once, for expressions, lanes and numbers.
#pragma once

#include <utility>

#include <ashlar/expr/elementwise/elementwise_operation.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// max(x, 0) + log(1 + e) with e = exp(-|x|). 1 + e is rounded; what rounding lost is added to the logarithm.
struct softplus_function {
    static constexpr const char* name = "softplus";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        if (constant_nan(x)) return x;
        using number = typename Argument::value_type;
        const auto e = exp(-abs(x)), sum = opaque(e + number(1)), lost = e - opaque(sum - number(1));
        return relu(x) + (log(sum) + lost);
    }
};

}  // namespace detail

/// log(1 + exp(x)) of each element (Dugas et al. 2001), within 3 ulp: like exp(x) far below 0, like x far above, and
/// infinite only if x is. Floating point.
///
///     auto scale = softplus(matmul(x, w)) + 1e-3f;   // a positive number from any
template <detail::function_argument Argument>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto softplus(Argument&& x) noexcept {
    return detail::apply(detail::softplus_function{}, std::forward<Argument>(x));
}
template <auto... Given>
void softplus(detail::refused_elementwise_call, detail::any_argument = {});

namespace detail {

struct leaky_relu_function {
    static constexpr const char* name = "leaky_relu";
    static constexpr std::size_t flops = 2;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, Argument slope) const {
        if (constant_nan(x)) return x;
        return select(x > typename Argument::value_type(0), x, x * slope);
    }
};

}  // namespace detail

/// Elementwise: x if it is above 0, else slope * x (Maas, Hannun and Ng 2013). Floating point. With an expression as
/// the slope, which broadcasts, it is PReLU.
///
///     auto y = leaky_relu(x);               // slope 0.01, as in PyTorch
///     auto z = leaky_relu(x, 0.2f);
template <detail::function_argument Argument>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto leaky_relu(Argument&& x, double slope = 0.01) noexcept {
    return detail::apply(detail::leaky_relu_function{}, std::forward<Argument>(x), slope);
}
template <any_expression Expression, any_expression Slope>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto leaky_relu(Expression&& x, Slope&& slope) noexcept {
    return detail::elementwise(detail::leaky_relu_function{}, std::forward<Expression>(x), std::forward<Slope>(slope));
}
template <auto... Given>
void leaky_relu(detail::refused_elementwise_call, detail::any_argument = {});

namespace detail {

/// exp(x) - 1 = 2 t / (1 - t) with t = tanh(x / 2), without cancellation below 0.
struct elu_function {
    static constexpr const char* name = "elu";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, Argument alpha) const {
        if (constant_nan(x)) return x;
        using number = typename Argument::value_type;
        const auto t = tanh(min<>(Argument(number(0)), x) * number(0.5));
        return select(x > number(0), x, alpha * ((t + t) / (number(1) - t)));
    }
};

}  // namespace detail

/// Elementwise: x if it is above 0, else alpha * (exp(x) - 1) (Clevert, Unterthiner and Hochreiter 2016), within 5 ulp.
/// Floating point.
///
///     auto y = elu(x);                      // alpha 1, as in PyTorch
template <detail::function_argument Argument>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto elu(Argument&& x, double alpha = 1) noexcept {
    return detail::apply(detail::elu_function{}, std::forward<Argument>(x), alpha);
}
template <auto... Given>
void elu(detail::refused_elementwise_call, detail::any_argument = {});

namespace detail {

struct hard_sigmoid_function {
    static constexpr const char* name = "hard_sigmoid";
    static constexpr std::size_t flops = 4;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        if (constant_nan(x)) return x;
        using number = typename Argument::value_type;
        return min<>(Argument(number(6)), relu(x + number(3))) / number(6);
    }
};

}  // namespace detail

/// min(max(x + 3, 0), 6) / 6 of each element, in [0, 1]: a piecewise linear sigmoid. Floating point.
///
///     auto y = hard_sigmoid(x);
template <detail::function_argument Argument>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto hard_sigmoid(Argument&& x) noexcept {
    return detail::apply(detail::hard_sigmoid_function{}, std::forward<Argument>(x));
}
template <auto... Given>
void hard_sigmoid(detail::refused_elementwise_call, detail::any_argument = {});

namespace detail {

struct hard_swish_function {
    static constexpr const char* name = "hard_swish";
    static constexpr std::size_t flops = 5;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        if (without_product(x)) return nan_like(x);
        return x * hard_sigmoid(x);
    }
};

}  // namespace detail

/// x * hard_sigmoid(x) of each element (Howard et al. 2019); NaN for minus infinity, as in PyTorch. Floating point.
///
///     auto y = hard_swish(x);
template <detail::function_argument Argument>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto hard_swish(Argument&& x) noexcept {
    return detail::apply(detail::hard_swish_function{}, std::forward<Argument>(x));
}
template <auto... Given>
void hard_swish(detail::refused_elementwise_call, detail::any_argument = {});

namespace detail {

/// tanh(log(1 + exp(x))) as n / (n + 2) with n = exp(x) (exp(x) + 2), both divided by exp(2 x) for x above 0.
struct mish_function {
    static constexpr const char* name = "mish";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        if (without_product(x)) return nan_like(x);
        using number = typename Argument::value_type;
        const auto e = exp(-abs(x)), square = e * e;
        const auto above = x > number(0);
        const auto n = select(above, number(1), square) + number(2) * e;
        return x * (n / (n + number(2) * select(above, square, number(1))));
    }
};

}  // namespace detail

/// x * tanh(softplus(x)) of each element (Misra 2019), within 5 ulp from -87 on (double: -708); NaN for minus infinity,
/// as in PyTorch. Floating point.
///
///     auto y = mish(x);
template <detail::function_argument Argument>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto mish(Argument&& x) noexcept {
    return detail::apply(detail::mish_function{}, std::forward<Argument>(x));
}
template <auto... Given>
void mish(detail::refused_elementwise_call, detail::any_argument = {});

}  // namespace ashlar
