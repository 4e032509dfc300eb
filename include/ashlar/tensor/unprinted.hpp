// SPDX-License-Identifier: BSL-1.0
// What is written to a stream without being printable: errors that say how.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/concepts.hpp>

namespace ashlar {

namespace detail {

/// A stream for output.
template <class Stream>
concept output_stream = requires(Stream& s) {
    typename Stream::char_type;
    typename Stream::traits_type;
    s.flush();
};
/// One that is derived from no other, as std::ostream is.
template <class Stream>
concept basic_stream = output_stream<Stream> && std::is_same_v<decltype(std::declval<Stream&>().flush()), Stream&>;

/// One that is derived, as a conversion: a function of users' for its base is a better match.
struct derived_stream {
    template <output_stream Stream>
        requires(!basic_stream<Stream>)
    constexpr derived_stream(const Stream&) noexcept {}
};

/// An expression that is written to a stream, in memory or lazy, as a conversion that there is not: every printing of
/// users' is a better match, and what frameworks of tests ask is answered by no.
template <fixed_string Text, bool InMemory>
struct refused_output {
    template <any_expression Expression>
        requires(shape_of<Expression>::rank != 0 && array_expression<Expression> == InMemory)  // else it is a number
    constexpr refused_output(const Expression&) = delete;
};
using refused_array =
    refused_output<"ashlar: print: tensors are printed by a header of its own; include <ashlar/tensor/print.hpp>",
                   true>;
using refused_node = refused_output<
    "ashlar: print: a lazy expression has no elements; include <ashlar/tensor/print.hpp> and write std::cout << eval(e)",
    false>;

}  // namespace detail

template <detail::basic_stream Stream, auto... Given>
Stream& operator<<(Stream&, detail::refused_array);
template <detail::basic_stream Stream, auto... Given>
Stream& operator<<(Stream&, detail::refused_node);
template <auto... Given>
void operator<<(detail::derived_stream, detail::refused_array);
template <auto... Given>
void operator<<(detail::derived_stream, detail::refused_node);

}  // namespace ashlar
