// SPDX-License-Identifier: BSL-1.0
// What is written to a stream without being printable: errors that say how.
#pragma once

#include <type_traits>
#include <utility>

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
    template <class Value>
    constexpr derived_stream operator<<(const Value&) const noexcept {
        return *this;
    }
};

/// An expression that is written to a stream by its name or as it is made. What frameworks of tests ask of const
/// objects has its answer by other functions: there is no printing of them, or that of tensor/print.hpp.
template <class Expression>
concept streamed_expression = any_expression<Expression> && !std::is_const_v<std::remove_reference_t<Expression>> &&
                              requires { requires shape_of<Expression>::rank != 0; };  // else it is a number

/// Such expressions as conversions, so that every printing of users' is a better match.
struct streamed_array {
    template <streamed_expression Array>
        requires array_expression<Array>
    constexpr streamed_array(Array&&) noexcept {}
};
struct streamed_node {
    template <streamed_expression Expression>
        requires(!array_expression<Expression>)
    constexpr streamed_node(Expression&&) noexcept {}
};

/// Whether elements are in memory, to be printed.
template <auto... Given>
struct printed_elements {
    static constexpr bool are_evaluated = false, are_printable = false;
};
template <auto... Given>
constexpr void refuse_array() noexcept {
    static_assert(printed_elements<Given...>::are_printable,
                  "ashlar: print: tensors are printed by a header of its own; include <ashlar/tensor/print.hpp>");
}
template <auto... Given>
constexpr void refuse_node() noexcept {
    static_assert(printed_elements<Given...>::are_evaluated,
                  "ashlar: print: a lazy expression has no elements; include <ashlar/tensor/print.hpp> and write "
                  "std::cout << eval(e)");
}

}  // namespace detail

template <detail::basic_stream Stream, auto... Given>
Stream& operator<<(Stream& stream, detail::streamed_array) {
    detail::refuse_array<Given...>();
    return stream;
}
template <detail::basic_stream Stream, auto... Given>
Stream& operator<<(Stream& stream, detail::streamed_node) {
    detail::refuse_node<Given...>();
    return stream;
}
template <auto... Given>
detail::derived_stream operator<<(detail::derived_stream stream, detail::streamed_array) {
    detail::refuse_array<Given...>();
    return stream;
}
template <auto... Given>
detail::derived_stream operator<<(detail::derived_stream stream, detail::streamed_node) {
    detail::refuse_node<Given...>();
    return stream;
}

}  // namespace ashlar
