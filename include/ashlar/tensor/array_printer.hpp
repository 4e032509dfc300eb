// SPDX-License-Identifier: BSL-1.0
// The text of arrays: nested brackets, aligned columns, and the middle of long axes left out. Where it goes and how
// numbers are written is up to the caller: a stream, or a library that formats.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/tensor/print_options.hpp>

namespace ashlar::inline v0_1::detail {

/// How numbers are written if nobody says how: four decimals, none if all are whole, scientific notation if magnitudes
/// differ much. It looks at all printed numbers before it writes one.
template <class Config, class Number>
class number_text {
    using Element = Number;

public:
    static constexpr bool looks_first = std::is_floating_point_v<Element>;

    explicit number_text(int digits) : decimals(digits < 0 ? 0 : digits > 40 ? 40 : digits) {}

    void take(Element value) {
        const auto scientific = std::chars_format::scientific;
        if (value == 0 || !ends_in_a_digit(text, std::to_chars(text, text + buffer_size, value, scientific, 0).ptr))
            return;
        const Element magnitude = value < 0 ? -value : value;
        if (magnitude > largest) largest = magnitude;
        if (smallest == 0 || magnitude < smallest) smallest = magnitude;
        // Numbers of 1e8 and more are printed in scientific notation anyway, whole or not.
        if (magnitude < Element(1e8))
            all_whole = all_whole && static_cast<Element>(static_cast<long long>(magnitude)) == magnitude;
    }

    void choose_format() {
        const bool wide =
            largest >= Element(1e8) || (!all_whole && (largest / smallest > 1000 || smallest < Element(1e-4)));
        format = wide ? notation::scientific : all_whole ? notation::whole : notation::fixed;
    }

    /// The text of a number, valid until the next call.
    std::string_view text_of(Element value) {
        char* const end = text + buffer_size;
        if constexpr (std::is_same_v<Element, bool>) {
            std::size_t length = 0;
            for (const char* from = value ? "true" : "false"; *from != '\0'; ++from) text[length++] = *from;
            return {text, length};
        } else if constexpr (std::is_integral_v<Element>) {
            // Characters are numbers here.
            using number = std::conditional_t<std::is_signed_v<Element>, long long, unsigned long long>;
            return {text, static_cast<std::size_t>(std::to_chars(text, end, static_cast<number>(value)).ptr - text)};
        } else {
            using std::chars_format;
            const auto style = format == notation::scientific ? chars_format::scientific : chars_format::fixed;
            char* last = std::to_chars(text, end, value, style, format == notation::whole ? 0 : decimals).ptr;
            if (format == notation::whole && ends_in_a_digit(text, last)) *last++ = '.';
            return {text, static_cast<std::size_t>(last - text)};
        }
    }

private:
    enum class notation : std::uint8_t { whole, fixed, scientific };
    static constexpr std::size_t buffer_size = 64;

    /// Whether a number was printed and not "nan" or "inf": under -ffast-math arithmetic cannot tell.
    static bool ends_in_a_digit(const char* first, const char* last) {
        return last != first && last[-1] >= '0' && last[-1] <= '9';
    }

    int decimals;
    char text[buffer_size];
    notation format = notation::whole;
    Element largest = 0, smallest = 0;
    bool all_whole = true;
};

/// Prints elements at strides. One instance for an element type and rank serves every shape. Numbers has `text_of(x)`
/// and, if it `looks_first`, `take(x)` and `choose_format()`; `put` takes a std::string_view.
template <class Config, class Stored, std::size_t Rank, class Numbers, class Put>
class array_printer {
    using Element = computed<Stored>;

public:
    array_printer(Numbers& numbers_of, const Put& put_text, const std::array<std::size_t, Rank>& array_extents,
                  const std::array<std::ptrdiff_t, Rank>& array_strides, std::size_t size, const print_options& how)
        : numbers(numbers_of),
          put(put_text),
          extents(array_extents),
          strides(array_strides),
          summarised(size > how.threshold),
          edge(how.edge_items),
          line_width(how.line_width) {}

    void print(const Stored* data) {
        if constexpr (Numbers::looks_first) {
            visit<0>(data, [&](Element value) { numbers.take(value); });
            numbers.choose_format();
        }
        visit<0>(data, [&](Element value) {
            const std::size_t length = numbers.text_of(value).size();
            if (length > width) width = length;
        });
        print_axis<0>(data);
    }

private:
    Numbers& numbers;
    const Put& put;
    std::array<std::size_t, Rank> extents;
    std::array<std::ptrdiff_t, Rank> strides;
    bool summarised;
    std::size_t edge, line_width;
    std::size_t width = 0;

    bool is_left_out(std::size_t i, std::size_t extent) const {
        return summarised && extent > 2 * edge && i >= edge && i < extent - edge;
    }

    template <std::size_t Axis>
    const Stored* at(const Stored* data, std::size_t i) const {
        return data + static_cast<std::ptrdiff_t>(i) * strides[Axis];
    }

    template <std::size_t Axis, class Function>
    void visit(const Stored* data, Function f) const {
        if constexpr (Axis == Rank) {
            f(*data);
        } else {
            for (std::size_t i = 0; i < extents[Axis]; ++i)
                if (!is_left_out(i, extents[Axis])) visit<Axis + 1>(at<Axis>(data, i), f);
        }
    }

    void pad(std::size_t count) const {
        while (count-- > 0) put(std::string_view(" "));
    }

    void print_element(Element value) const {
        const std::string_view text = numbers.text_of(value);
        pad(width - text.size());
        put(text);
    }

    void print_row(const Stored* data) const {
        const std::size_t extent = extents[Rank - 1];
        const std::size_t step = width + 2, room = line_width > Rank ? line_width - Rank : 0;
        const std::size_t per_line = room > step ? room / step : 1;
        std::size_t on_line = 0;
        for (std::size_t i = 0; i < extent; ++i) {
            if (on_line == per_line) {
                put(std::string_view(",\n"));
                pad(Rank);
                on_line = 0;
            } else if (i > 0) {
                put(std::string_view(", "));
            }
            ++on_line;
            if (is_left_out(i, extent)) {
                put(std::string_view("..."));
                i = extent - edge - 1;
            } else {
                print_element(*at<Rank - 1>(data, i));
            }
        }
    }

    template <std::size_t Axis>
    void print_rows(const Stored* data) const {
        for (std::size_t i = 0; i < extents[Axis]; ++i) {
            if (i > 0) {
                put(std::string_view(","));
                for (std::size_t line = Axis + 1; line < Rank; ++line) put(std::string_view("\n"));
                pad(Axis + 1);
            }
            if (is_left_out(i, extents[Axis])) {
                put(std::string_view("..."));
                i = extents[Axis] - edge - 1;
            } else {
                print_axis<Axis + 1>(at<Axis>(data, i));
            }
        }
    }

    template <std::size_t Axis>
    void print_axis(const Stored* data) const {
        if constexpr (Axis == Rank) {
            print_element(*data);
        } else {
            put(std::string_view("["));
            if constexpr (Axis + 1 == Rank)
                print_row(data);
            else
                print_rows<Axis>(data);
            put(std::string_view("]"));
        }
    }
};

/// Prints an array of this type, in this memory.
template <class Config, class Array, class Numbers, class Put>
void print_array(const typename Array::value_type* data, Numbers& numbers, const Put& put,
                 const print_options& how = {}) {
    array_printer<Config, typename Array::value_type, Array::rank, Numbers, Put>(numbers, put, Array::extents,
                                                                                 Array::strides, Array::size, how)
        .print(data);
}

}  // namespace ashlar::detail
