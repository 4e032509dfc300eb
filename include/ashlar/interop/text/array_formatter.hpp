// SPDX-License-Identifier: BSL-1.0
// Formatting arrays by std::format or fmt, which have one interface: the text between the brackets of a format
// string is passed to the elements.
#pragma once

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/tensor/array_printer.hpp>

namespace ashlar::inline v0_1::detail {

/// The number as which an element is formatted: characters are integers.
template <class Element>
using formatted_number =
    std::conditional_t<!std::is_integral_v<Element> || std::is_same_v<Element, bool>, Element,
                       std::conditional_t<std::is_signed_v<Element>, long long, unsigned long long>>;

/// Numbers written by a library, by one pattern such as "{:8.3f}".
template <class Config, class Library, class Element>
struct library_text {
    static constexpr bool looks_first = false;

    std::string_view pattern;
    std::string text{};

    /// The text of a number, valid until the next call.
    std::string_view text_of(Element value) {
        text.clear();
        Library::append(text, pattern, static_cast<formatted_number<Element>>(value));
        return text;
    }
};

/// The formatter of an array: without a specification the text is that of printing to a stream.
template <class Array, class Library>
class array_formatter {
    using element_type = element_of<Array>;

public:
    /// Takes the specification that the library has for elements, except arguments within it. Colons before it, which
    /// the formatters of ranges want, change nothing.
    template <class Context, class Config = current_config>
    constexpr auto parse(Context& context) {
        auto first = context.begin();
        while (first != context.end() && *first == ':') ++first;
        context.advance_to(first);
        typename Library::template formatter<formatted_number<element_type>> of_elements;
        const auto last = of_elements.parse(context);
        for (auto at = first; at != last; ++at) {
            if (*at == '{') Library::fail("ashlar: format: a width or precision cannot be an argument; write it out");
            if (length + 1 >= sizeof pattern)
                Library::fail("ashlar: format: the specification of elements is too long");
            pattern[length++] = *at;
        }
        return last;
    }

    template <class Context, class Config = current_config>
    auto format(const Array& array, Context& context) const {
        auto out = context.out();
        const auto put = [&out](std::string_view text) {
            for (const char c : text) *out++ = c;
        };
        if (length == 2) {
            number_text<Config, element_type> numbers(print_options{}.decimals);
            print_array<Config, Array>(array.data(), numbers, put);
        } else {
            char whole[sizeof pattern + 1];
            std::size_t size = 0;
            for (; size < length; ++size) whole[size] = pattern[size];
            whole[size++] = '}';
            library_text<Config, Library, element_type> numbers{std::string_view(whole, size)};
            print_array<Config, Array>(array.data(), numbers, put);
        }
        return out;
    }

private:
    char pattern[32]{'{', ':'};
    std::size_t length = 2;
};

}  // namespace ashlar::detail
