// SPDX-License-Identifier: BSL-1.0
// Printing tensors and views to a stream, opt-in: nested brackets with aligned columns, as PyTorch prints them.
#pragma once

#include <ostream>
#include <string_view>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/tensor/array_printer.hpp>

namespace ashlar::inline v0_1 {
/// Writes a tensor or view as nested brackets: four decimals, or none if all are whole numbers, or scientific notation
/// if magnitudes differ much; beyond 1,000 elements the middle of long axes is omitted. The stream's width and
/// precision are ignored.
///
///     std::cout << t;   // [[0.4421, 0.5931, 0.5790],
///                       //  [0.7020, 0.1012, 0.3363]]
template <array_expression Array, class Config = current_config>
std::ostream& operator<<(std::ostream& os, const Array& array) {
    const auto put = [&os](std::string_view text) { os.write(text.data(), static_cast<std::streamsize>(text.size())); };
    detail::number_text<Config, element_of<Array>> numbers;
    detail::print_array<Config>(array, numbers, put);
    return os;
}

}  // namespace ashlar
