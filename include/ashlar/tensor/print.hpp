// SPDX-License-Identifier: BSL-1.0
// Printing tensors, views and values of expressions, opt-in: nested brackets with aligned columns, as PyTorch prints.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <iostream>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/tensor/print_heat_map.hpp>
#include <ashlar/tensor/printed_value.hpp>

namespace ashlar::inline v0_1 {

/// How tensors are printed. The first two are NumPy's threshold and edgeitems.
///
///     print(scores, {.edge_items = 2, .decimals = 2});
struct print_options {
    std::size_t threshold = 1000;  ///< up to so many elements all are printed
    std::size_t edge_items = 3;    ///< beyond, so many at both ends of each axis
    int decimals = 4;              ///< digits behind the point, at most 40
    std::size_t line_width = 80;   ///< columns, beyond which a row continues on the next line
};

namespace detail {

/// Prints elements at strides. One instance for an element type and rank serves every shape.
template <class Config, class Stored, std::size_t Rank>
class array_printer {
    using Element = computed<Stored>;

public:
    array_printer(std::ostream& os, const std::array<std::size_t, Rank>& array_extents,
                  const std::array<std::ptrdiff_t, Rank>& array_strides, std::size_t size, const print_options& how)
        : stream(os),
          extents(array_extents),
          strides(array_strides),
          summarised(size > how.threshold),
          edge(how.edge_items),
          line_width(how.line_width),
          decimals(how.decimals < 0    ? 0
                   : how.decimals > 40 ? 40
                                       : how.decimals) {}

    void print(const Stored* data) {
        if constexpr (std::is_floating_point_v<Element>) {
            visit<0>(data, [&](Element value) { take(value); });
            choose_format();
        }
        visit<0>(data, [&](Element value) {
            char text[buffer_size];
            const std::size_t length = write(text, value);
            if (length > width) width = length;
        });
        print_axis<0>(data);
    }

private:
    enum class notation { whole, fixed, scientific };
    static constexpr std::size_t buffer_size = 64;

    std::ostream& stream;
    std::array<std::size_t, Rank> extents;
    std::array<std::ptrdiff_t, Rank> strides;
    bool summarised;
    std::size_t edge, line_width;
    int decimals;
    std::size_t width = 0;
    notation format = notation::whole;
    Element largest = 0, smallest = 0;
    bool all_whole = true;

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

    /// Whether a number was printed and not "nan" or "inf": under -ffast-math arithmetic cannot tell.
    static bool ends_in_a_digit(const char* first, const char* last) {
        return last != first && last[-1] >= '0' && last[-1] <= '9';
    }

    void take(Element value) {
        char text[buffer_size];
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

    std::size_t write(char* text, Element value) const {
        char* const end = text + buffer_size;
        if constexpr (std::is_same_v<Element, bool>) {
            std::size_t length = 0;
            for (const char* from = value ? "true" : "false"; *from != '\0'; ++from) text[length++] = *from;
            return length;
        } else if constexpr (std::is_integral_v<Element>) {
            // Characters are numbers here.
            using number = std::conditional_t<std::is_signed_v<Element>, long long, unsigned long long>;
            return static_cast<std::size_t>(std::to_chars(text, end, static_cast<number>(value)).ptr - text);
        } else {
            using std::chars_format;
            const auto style = format == notation::scientific ? chars_format::scientific : chars_format::fixed;
            char* last = std::to_chars(text, end, value, style, format == notation::whole ? 0 : decimals).ptr;
            if (format == notation::whole && ends_in_a_digit(text, last)) *last++ = '.';
            return static_cast<std::size_t>(last - text);
        }
    }

    void pad(std::size_t count) const {
        while (count-- > 0) stream.put(' ');
    }

    void print_element(Element value) const {
        char text[buffer_size];
        const std::size_t length = write(text, value);
        pad(width - length);
        stream.write(text, static_cast<std::streamsize>(length));
    }

    void print_row(const Stored* data) const {
        const std::size_t extent = extents[Rank - 1];
        const std::size_t step = width + 2, room = line_width > Rank ? line_width - Rank : 0;
        const std::size_t per_line = room > step ? room / step : 1;
        std::size_t on_line = 0;
        for (std::size_t i = 0; i < extent; ++i) {
            if (on_line == per_line) {
                stream.write(",\n", 2);
                pad(Rank);
                on_line = 0;
            } else if (i > 0) {
                stream.write(", ", 2);
            }
            ++on_line;
            if (is_left_out(i, extent)) {
                stream.write("...", 3);
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
                stream.put(',');
                for (std::size_t line = Axis + 1; line < Rank; ++line) stream.put('\n');
                pad(Axis + 1);
            }
            if (is_left_out(i, extents[Axis])) {
                stream.write("...", 3);
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
            stream.put('[');
            if constexpr (Axis + 1 == Rank)
                print_row(data);
            else
                print_rows<Axis>(data);
            stream.put(']');
        }
    }
};

}  // namespace detail

/// Writes a tensor or view as nested brackets: four decimals, or none if all are whole numbers, or scientific notation
/// if magnitudes differ much; beyond 1,000 elements the middle of long axes is omitted. The stream's width and
/// precision are ignored.
///
///     std::cout << t;   // [[0.4421, 0.5931, 0.5790],
///                       //  [0.7020, 0.1012, 0.3363]]
template <array_expression Array, class Config = current_config>
std::ostream& operator<<(std::ostream& os, const Array& array) {
    detail::array_printer<Config, typename Array::value_type, Array::rank>(os, Array::extents, Array::strides,
                                                                           Array::size, print_options{})
        .print(array.data());
    return os;
}

/// Writes the values of a tensor, a view or a lazy expression, which it evaluates into memory of the heap, and ends the
/// line. Options say what is omitted.
///
///     print(std::cerr, softmax(t));
template <any_expression Expression, class Config = current_config>
void print(std::ostream& os, const Expression& e, const print_options& how = {}) {
    const detail::printed_value<Expression, Config> value(e);
    using array = typename detail::printed_value<Expression, Config>::array;
    detail::array_printer<Config, typename array::value_type, array::rank>(os, array::extents, array::strides,
                                                                           array::size, how)
        .print(value.data());
    os.put('\n');
}

/// The same to the standard output.
///
///     print(softmax(t));
///     print(t, {.threshold = 4, .edge_items = 1});   // [[0.4421, ..., 0.5790],
///                                                    //  [0.7020, ..., 0.3363]]
template <any_expression Expression, class Config = current_config>
void print(const Expression& e, const print_options& how = {}) {
    print<Expression, Config>(std::cout, e, how);
}

}  // namespace ashlar
