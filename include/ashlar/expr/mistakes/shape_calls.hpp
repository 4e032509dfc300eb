// SPDX-License-Identifier: BSL-1.0
// Shape operations that are called as in libraries whose shapes are known at run time: errors that say how.
#pragma once

#include <array>

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar {

template <auto... Given>
constexpr auto reshape(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: reshape: takes one tensor, view or expression, and the dimensions as template arguments; write reshape<8, 4>(x), reshape<-1>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto broadcast_to(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                            detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: broadcast_to: takes one tensor, view or expression, and the dimensions as template arguments; write broadcast_to<8, 4>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto rename(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: rename: takes one tensor, view or expression, and the dimensions as template arguments; write rename<rows, columns>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto permute(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                       detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: permute: takes one tensor, view or expression, and the axes as template arguments; write permute<1, 0>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto transpose(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: transpose: takes one tensor, view or expression, and exchanges its last two axes; write transpose(x), permute<1, 0, 2>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto squeeze(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: squeeze: takes one tensor, view or expression, and axes as template arguments; write squeeze<0>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto unsqueeze(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: unsqueeze: takes one tensor, view or expression, and the position of the new axis as template argument; write unsqueeze<0>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto slice(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                     detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: slice: takes one tensor, view or expression, and the axis, first and last as template arguments; write slice<0, 1, 3>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto split(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: split: takes one tensor, view or expression, and the axis and the number of parts as template arguments; write split<0, 2>(x)");
    return std::array{detail::refused<float, shape<>>(), detail::refused<float, shape<>>()};
}
template <auto... Given>
constexpr auto row(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(detail::called_as_declared<Given...>::holds,
                  "ashlar: row: takes one tensor, view or expression and an integer; write row(x, i)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto concat(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                      detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: concat: takes tensors, views or expressions one by one, and the axis as template argument; write concat<0>(x, y)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto stack(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                     detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: stack: takes tensors, views or expressions one by one, and the position of the new axis as template argument; write stack<0>(x, y)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto take(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: take: takes a table and a tensor of indices, and the axis as template argument; write take<0>(table, tokens), row(table, i) for one index");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto flip(detail::any_argument, detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: flip: takes one tensor, view or expression, and axes as template arguments; write flip<0>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto roll(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                    detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: roll: takes one tensor, view or expression, and the axis and the shift as template arguments; write roll<0, 1>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto pad(detail::any_argument, detail::any_argument = {}, detail::any_argument = {},
                   detail::any_argument = {}, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: pad: takes one tensor, view or expression, and the axis and the entries before and behind as template arguments; write pad<0, 1, 2>(x)");
    return detail::refused<float, shape<>>();
}
template <auto... Given>
constexpr auto index(detail::any_argument, detail::any_argument = {}) noexcept {
    static_assert(
        detail::called_as_declared<Given...>::holds,
        "ashlar: index: takes one tensor, view or expression, and the axis as template argument; write index<0>(x)");
    return detail::refused<float, shape<>>();
}
}  // namespace ashlar
