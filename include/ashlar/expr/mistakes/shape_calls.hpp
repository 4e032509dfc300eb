// SPDX-License-Identifier: BSL-1.0
// Reports shape operations that are called as in libraries with runtime shapes.
#pragma once

#include <ashlar/core/any_argument.hpp>

namespace ashlar::inline v0_1 {

template <auto... Given>
void reshape(
    detail::refused_call<
        "ashlar: reshape: takes one tensor, view or expression, and the dimensions as template arguments; write reshape<8, 4>(x), reshape<-1>(x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void broadcast_to(
    detail::refused_call<
        "ashlar: broadcast_to: takes one tensor, view or expression, and the dimensions as template arguments; write broadcast_to<8, 4>(x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void rename(
    detail::refused_call<
        "ashlar: rename: takes one tensor, view or expression, and the dimensions as template arguments; write rename<rows, columns>(x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void permute(
    detail::refused_call<
        "ashlar: permute: takes one tensor, view or expression, and the axes as template arguments; write permute<1, 0>(x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void transpose(
    detail::refused_call<
        "ashlar: transpose: takes one tensor, view or expression, and exchanges its last two axes; write transpose(x), permute<1, 0, 2>(x)">,
    detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void squeeze(
    detail::refused_call<
        "ashlar: squeeze: takes one tensor, view or expression, and axes as template arguments; write squeeze<0>(x)">,
    detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void unsqueeze(
    detail::refused_call<
        "ashlar: unsqueeze: takes one tensor, view or expression, and the position of the new axis as template argument; write unsqueeze<0>(x)">,
    detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void slice(
    detail::refused_call<
        "ashlar: slice: takes one tensor, view or expression, and the axis, first and last as template arguments; write slice<0, 1, 3>(x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void split(
    detail::refused_call<
        "ashlar: split: takes one tensor, view or expression, and the axis and the number of parts as template arguments; write split<0, 2>(x)">,
    detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void row(detail::refused_call<"ashlar: row: takes one tensor, view or expression and an integer; write row(x, i)">,
         detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void concat(
    detail::refused_call<
        "ashlar: concat: takes tensors, views or expressions one by one, and the axis as template argument; write concat<0>(x, y)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
    detail::any_argument = {});
template <auto... Given>
void stack(
    detail::refused_call<
        "ashlar: stack: takes tensors, views or expressions one by one, and the position of the new axis as template argument; write stack<0>(x, y)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {},
    detail::any_argument = {});
template <auto... Given>
void take(
    detail::refused_call<
        "ashlar: take: takes a table and a tensor of indices, and the axis as template argument; write take<0>(table, tokens), row(table, i) for one index">,
    detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void flip(detail::refused_call<
              "ashlar: flip: takes one tensor, view or expression, and axes as template arguments; write flip<0>(x)">,
          detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void roll(
    detail::refused_call<
        "ashlar: roll: takes one tensor, view or expression, and the axis and the shift as template arguments; write roll<0, 1>(x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void pad(
    detail::refused_call<
        "ashlar: pad: takes one tensor, view or expression, and the axis and the entries before and after as template arguments; write pad<0, 1, 2>(x)">,
    detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});
template <auto... Given>
void index(
    detail::refused_call<
        "ashlar: index: takes one tensor, view or expression, and the axis as template argument; write index<0>(x)">,
    detail::any_argument = {});
}  // namespace ashlar
