// SPDX-License-Identifier: BSL-1.0
// Reductions and norms that are called as in libraries whose axes are known at run time: errors that say how.
#pragma once

#include <concepts>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar {

template <auto... Given>
constexpr auto sum(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto mean(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto(max)(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto(min)(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto variance(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto argmax(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto all(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto any(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto logsumexp(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reduction: takes one tensor, view or expression, and axes as template arguments; write sum<1>(x), sum<0, 1>(x, keep_dims)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto softmax(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: softmax: takes one tensor, view or expression, and the axis as template argument; write softmax<1>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto log_softmax(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: softmax: takes one tensor, view or expression, and the axis as template argument; write softmax<1>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto layer_norm(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                          detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: norm: takes a tensor, view or expression, whose rows are normalised, then gamma and beta, then eps; write layer_norm(x, gamma, beta), rms_norm(x, gamma), normalize<1>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto rms_norm(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                        detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: norm: takes a tensor, view or expression, whose rows are normalised, then gamma and beta, then eps; write layer_norm(x, gamma, beta), rms_norm(x, gamma), normalize<1>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto normalize(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                         detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: norm: takes a tensor, view or expression, whose rows are normalised, then gamma and beta, then eps; write layer_norm(x, gamma, beta), rms_norm(x, gamma), normalize<1>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto masked_mean(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: masked_mean: takes one tensor, view or expression and a mask, and the axis as template argument; write masked_mean<0>(x, keys_below(n))");
    return detail::refused<float, shape<>>();
}
}  // namespace ashlar
