// SPDX-License-Identifier: BSL-1.0
// Reports printing of a module to a stream as an error that names the alternative.
#pragma once

#include <concepts>

#include <ashlar/core/axis.hpp>
#include <ashlar/module/module.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// A standard output stream, known without including one.
template <class Stream>
concept output_stream = requires(Stream& s) {
    typename Stream::char_type;
    typename Stream::traits_type;
    { s.flush() } -> std::same_as<Stream&>;
};

/// A deleted conversion from a module, so that every user-defined operator is a better match.
template <fixed_string Text>
struct refused_module_output {
    template <module Module>
    constexpr refused_module_output(const Module&) = delete;
};
using unprinted_module = refused_module_output<
    "ashlar: print: a module is not a tensor; write std::cout << m.bias for one of its arrays, or summary(m)">;

}  // namespace detail

template <detail::output_stream Stream, auto... Given>
Stream& operator<<(Stream&, detail::unprinted_module);

}  // namespace ashlar::nn
