// SPDX-License-Identifier: BSL-1.0
// Printing a matrix as a heat map of blocks, by print.hpp: the darker a block, the larger the element.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/tensor/printed_value.hpp>

namespace ashlar::inline v0_1 {

/// How a heat map is printed.
///
///     constexpr const char* words[] = {"your", "journey"};
///     print_heat_map(weights, {.rows = words, .columns = words});
struct heat_map_options {
    std::span<const char* const> rows{};     ///< names of the rows; missing names are empty
    std::span<const char* const> columns{};  ///< names of the columns, cut at their width
    bool numbers = true;                     ///< prints numbers next to the blocks if a line has room for them
    double largest = 0;                      ///< the value of a full block; 0: the greatest value of the map
    std::size_t line_width = 100;            ///< columns of the terminal
};

namespace detail {

/// Prints a row-major matrix of numbers.
template <class Config>
class heat_map_printer {
public:
    heat_map_printer(std::ostream& os, const heat_map_options& options, std::size_t rows, std::size_t columns)
        : stream(os), how(options), row_count(rows), column_count(columns) {
        for (const char* name : how.rows)
            if (const std::size_t length = characters(name); length > name_width) name_width = length;
    }

    void print(const std::vector<double>& values, bool numbers) {
        double greatest = 0;
        bool negative = false;
        for (const double v : values) {
            const double magnitude = v < 0 ? -v : v;
            if (magnitude > greatest && magnitude < 1e300) greatest = magnitude;
            negative = negative || v < 0;
        }
        const std::size_t digits = number(greatest).size() + (negative ? 1 : 0);
        cell_width = numbers ? 4 + digits : 2;
        const std::size_t room = how.line_width > name_width + 1 ? how.line_width - name_width - 1 : 2;
        if (numbers && cell_width * column_count > room) {
            numbers = false;
            cell_width = 2;
        }
        const std::size_t fit = room / cell_width > 0 ? room / cell_width : 1;
        const std::size_t together = (column_count + fit - 1) / fit;
        double full = how.largest;
        if (full <= 0)
            for (std::size_t i = 0; i < row_count; i += together)
                for (std::size_t j = 0; j < column_count; j += together)
                    if (const double m = mean(values, i, j, together); m > full && m < 1e300) full = m;
        if (full <= 0) full = 1;
        if (numbers && !how.columns.empty()) print_names();
        for (std::size_t i = 0; i < row_count; i += together) {
            print_name(together == 1 ? name_of(how.rows, i) : "", name_width);
            stream.put(' ');
            for (std::size_t j = 0; j < column_count; j += together)
                print_cell(mean(values, i, j, together), full, numbers);
            stream.put('\n');
        }
        if (together > 1) {
            const std::string factor = std::to_string(together);
            stream << "a block is the mean of " << factor << " x " << factor << '\n';
        }
    }

private:
    std::ostream& stream;
    const heat_map_options& how;
    std::size_t row_count, column_count, name_width = 0, cell_width = 2;

    static const char* name_of(std::span<const char* const> names, std::size_t i) {
        return i < names.size() ? names[i] : "";
    }
    /// Of UTF-8: bytes that continue a character are not counted.
    static std::size_t characters(std::string_view text) {
        std::size_t count = 0;
        for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
        return count;
    }
    static std::string number(double value) {
        char text[350];
        return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 2).ptr};
    }

    void pad(std::size_t count) const {
        while (count-- > 0) stream.put(' ');
    }
    /// To the right of a column this wide; what is longer is cut.
    void print_name(std::string_view name, std::size_t width) const {
        std::size_t length = characters(name);
        for (; length > width; --length) {
            while ((static_cast<unsigned char>(name.back()) & 0xC0) == 0x80) name.remove_suffix(1);
            name.remove_suffix(1);
        }
        pad(width - length);
        stream << name;
    }
    void print_names() const {
        pad(name_width + 1);
        for (std::size_t j = 0; j < column_count; ++j) {
            stream.put(' ');
            print_name(name_of(how.columns, j), cell_width - 1);
        }
        stream.put('\n');
    }
    void print_cell(double value, double full, bool numbers) const {
        constexpr const char* shades[] = {"  ", "\u2591\u2591", "\u2592\u2592", "\u2593\u2593", "\u2588\u2588"};
        if (value == 0) {
            pad(cell_width - 1);
            stream.put('.');
            return;
        }
        if (value != value && !numbers) {
            stream << "??";
            return;
        }
        std::size_t shade = 0;
        while (shade < 4 && value * 5 >= full * static_cast<double>(shade + 1)) ++shade;
        if (numbers) pad(2);
        stream << shades[shade];
        if (!numbers) return;
        const std::string text = number(value);
        pad(cell_width - 4 > text.size() ? cell_width - 4 - text.size() : 0);
        stream << text;
    }
    double mean(const std::vector<double>& values, std::size_t row, std::size_t column, std::size_t together) const {
        double sum = 0;
        std::size_t count = 0;
        for (std::size_t i = row; i < row + together && i < row_count; ++i)
            for (std::size_t j = column; j < column + together && j < column_count; ++j, ++count)
                sum += values[i * column_count + j];
        return sum / static_cast<double>(count);
    }
};

}  // namespace detail

/// Prints a matrix, a view or a lazy expression, which it evaluates, as blocks of five shades with numbers of two
/// decimals; zeros, as masks make them, are dots. Axes before the last two make several maps, a vector is one row. If
/// the columns do not fit the line, numbers are left out, and then a block is the mean of several elements; NaN is ??
/// there. UTF-8; uses the heap.
///
///     print_heat_map(std::cerr, attention_weights(x, x, causal));
template <any_expression Expression, class Config = current_config>
void print_heat_map(std::ostream& os, const Expression& e, const heat_map_options& how = {}) {
    const detail::printed_value<Expression, Config> value(e);
    using array = typename detail::printed_value<Expression, Config>::array;
    constexpr std::size_t rank = array::rank;
    std::size_t maps = 1, rows = 1, columns = 1;
    for (std::size_t a = 0; a < rank; ++a) (a + 1 == rank ? columns : a + 2 == rank ? rows : maps) *= array::extents[a];
    detail::heat_map_printer<Config> printer(os, how, rows, columns);
    std::vector<double> values(rows * columns);
    for (std::size_t map = 0; map < maps; ++map) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::ptrdiff_t offset = 0;
            std::size_t left = map * values.size() + i;
            for (std::size_t a = rank; a-- > 0; left /= array::extents[a])
                offset += static_cast<std::ptrdiff_t>(left % array::extents[a]) * array::strides[a];
            values[i] =
                static_cast<double>(static_cast<detail::computed<typename array::value_type>>(value.data()[offset]));
        }
        if (maps > 1) os << (map == 0 ? "" : "\n") << "map " << map << ":\n";
        printer.print(values, how.numbers && !std::is_same_v<std::remove_cv_t<typename array::value_type>, bool>);
    }
}

/// The same to the standard output.
///
///     print_heat_map(attention_weights(x, x, causal), {.largest = 0.5});
template <any_expression Expression, class Config = current_config>
void print_heat_map(const Expression& e, const heat_map_options& how = {}) {
    print_heat_map<Expression, Config>(std::cout, e, how);
}

}  // namespace ashlar
