// SPDX-License-Identifier: BSL-1.0
// What is written to a stream without being printable: errors that say how.
#pragma once

#include <type_traits>

#include <ashlar/core/concepts.hpp>

namespace ashlar {

namespace detail {

/// An expression that is written to a stream by its name or as it is made. What frameworks of tests ask of const
/// objects has its answer by other functions: there is no printing of them, or that of tensor/print.hpp.
template <class Stream, class Expression>
concept streamed_expression =
    any_expression<Expression> && !std::is_const_v<std::remove_reference_t<Expression>> && requires {
        requires shape_of<Expression>::rank != 0;  // else it is a number
        typename Stream::char_type;
        typename Stream::traits_type;
    };

/// Whether elements are in memory, to be printed.
template <class Expression>
struct printed_elements {
    static constexpr bool are_evaluated = array_expression<Expression>;
    static constexpr bool are_printable = false;
};

}  // namespace detail

template <class Stream, class Expression>
    requires detail::streamed_expression<Stream, Expression>
Stream& operator<<(Stream& stream, Expression&&) {
    using plain = std::remove_cvref_t<Expression>;
    static_assert(detail::printed_elements<plain>::are_evaluated,
                  "ashlar: print: a lazy expression has no elements; include <ashlar/tensor/print.hpp> and write "
                  "std::cout << eval(e)");
    static_assert(!detail::printed_elements<plain>::are_evaluated || detail::printed_elements<plain>::are_printable,
                  "ashlar: print: tensors are printed by a header of its own; include <ashlar/tensor/print.hpp>");
    return stream;
}

}  // namespace ashlar
