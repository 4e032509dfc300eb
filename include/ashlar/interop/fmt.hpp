// SPDX-License-Identifier: BSL-1.0
// Tensors and views for fmt: as `interop/format.hpp` has it for std::format.
//
//     fmt::print("{:+.2e}\n", t);   each element by {:+.2e}, columns aligned; the middle of long axes is left out
#pragma once

#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ashlar/core/concepts.hpp>
#include <ashlar/interop/text/array_formatter.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::detail {

struct fmt_format {
    template <class Number>
    using formatter = fmt::formatter<Number, char>;

    [[noreturn]] static void fail(const char* what) { throw fmt::format_error(what); }
    template <class Number>
    static void append(std::string& text, std::string_view pattern, Number value) {
        fmt::vformat_to(std::back_inserter(text), fmt::string_view(pattern.data(), pattern.size()),
                        fmt::make_format_args(value));
    }
};

}  // namespace ashlar::detail

template <ashlar::array_expression Array>
struct fmt::formatter<Array, char> : ashlar::detail::array_formatter<Array, ashlar::detail::fmt_format> {};

// They are ranges too, but not for fmt/ranges.h.
template <class Element, auto... Dims>
struct fmt::is_range<ashlar::basic_tensor<Element, Dims...>, char> : std::false_type {};
template <class Element, auto... Dims>
struct fmt::is_range<ashlar::basic_view<Element, Dims...>, char> : std::false_type {};
template <class Element, auto Strides, auto... Dims>
struct fmt::is_range<ashlar::strided_view<Element, Strides, Dims...>, char> : std::false_type {};
