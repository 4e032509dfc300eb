// SPDX-License-Identifier: BSL-1.0
// Tensors and views for std::format: nested brackets, summarised as NumPy does; specifications go to the elements.
//
//     std::format("{}", t)          [[0.4421, 0.5931], [0.7020, 0.1012]] on two lines, as by a stream
//     std::format("{:+.2e}", t)     each element by {:+.2e}, columns aligned; the middle of long axes is left out
#pragma once

#include <format>
#include <iterator>
#include <string>
#include <string_view>
#include <version>

#include <ashlar/core/concepts.hpp>
#include <ashlar/interop/text/array_formatter.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::detail {

struct std_format {
    template <class Number>
    using formatter = std::formatter<Number, char>;

    [[noreturn]] static void fail(const char* what) { throw std::format_error(what); }
    template <class Number>
    static void append(std::string& text, std::string_view pattern, Number value) {
        std::vformat_to(std::back_inserter(text), pattern, std::make_format_args(value));
    }
};

}  // namespace ashlar::detail

template <ashlar::array_expression Array>
struct std::formatter<Array, char> : ashlar::detail::array_formatter<Array, ashlar::detail::std_format> {};

// Where ranges have formatters, the one of arrays is to be chosen.
#if defined(__cpp_lib_format_ranges)
template <class Element, auto... Dims>
inline constexpr std::range_format std::format_kind<ashlar::basic_tensor<Element, Dims...>> =
    std::range_format::disabled;
template <class Element, auto... Dims>
inline constexpr std::range_format std::format_kind<ashlar::basic_view<Element, Dims...>> = std::range_format::disabled;
template <class Element, auto Strides, auto... Dims>
inline constexpr std::range_format std::format_kind<ashlar::strided_view<Element, Strides, Dims...>> =
    std::range_format::disabled;
#endif
