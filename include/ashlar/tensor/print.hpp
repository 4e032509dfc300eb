// SPDX-License-Identifier: BSL-1.0
// Printing tensors, views and values of expressions, opt-in: nested brackets with aligned columns, as PyTorch prints.
#pragma once

#include <iostream>
#include <string_view>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/tensor/array_printer.hpp>
#include <ashlar/tensor/print_heat_map.hpp>
#include <ashlar/tensor/print_options.hpp>
#include <ashlar/tensor/printed_value.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Prints an array of any memory to a stream.
template <class Config, class Array>
void print_to_stream(std::ostream& os, const typename Array::value_type* data, const print_options& how) {
    const auto put = [&os](std::string_view text) { os.write(text.data(), static_cast<std::streamsize>(text.size())); };
    number_text<Config, element_of<Array>> numbers(how.decimals);
    print_array<Config, Array>(data, numbers, put, how);
}

}  // namespace detail

/// Writes a tensor or view as nested brackets: four decimals, or none if all are whole numbers, or scientific notation
/// if magnitudes differ much; beyond 1,000 elements the middle of long axes is omitted. The stream's width and
/// precision are ignored.
///
///     std::cout << t;   // [[0.4421, 0.5931, 0.5790],
///                       //  [0.7020, 0.1012, 0.3363]]
template <array_expression Array, class Config = current_config>
std::ostream& operator<<(std::ostream& os, const Array& array) {
    detail::print_to_stream<Config, Array>(os, array.data(), {});
    return os;
}

/// Writes the values of a tensor, a view or a lazy expression, which it evaluates into memory of the heap, and ends the
/// line. Options say what is omitted.
///
///     print(std::cerr, softmax(t));
template <any_expression Expression, class Config = current_config>
void print(std::ostream& os, const Expression& e, const print_options& how = {}) {
    const detail::printed_value<Expression, Config> value(e);
    detail::print_to_stream<Config, typename detail::printed_value<Expression, Config>::array>(os, value.data(), how);
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
