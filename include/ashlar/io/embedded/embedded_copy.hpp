// SPDX-License-Identifier: BSL-1.0
// Copies embedded weights to a model: at start by the functions of loading, or in a constant expression.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/narrow_float.hpp>
#include <ashlar/io/embedded/embedded_plan.hpp>
#include <ashlar/io/formats/convert.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/formats/stored_array.hpp>
#include <ashlar/io/model/int4_array.hpp>
#include <ashlar/io/model/model_arrays.hpp>
#include <ashlar/io/model/quantized_array.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/module/parameters.hpp>
#include <ashlar/tensor/quantized_columns.hpp>

namespace ashlar::inline v0_1::detail {

/// The shape of a file's array, by the piece of it that a model has.
template <class Config, class Data>
constexpr io::dimensions shape_in_file(const embedded_array& from, const nn::basic_parameter<Data>& to) noexcept {
    io::dimensions shape;
    shape.rank = to.rank;
    for (std::size_t i = 0; i < to.rank; ++i) shape.extents[i] = i == 0 ? from.rows : to.extents[i];
    return shape;
}

/// Copies all arrays at run time. There is nothing left that can fail.
template <class Config, class Model, std::size_t Count>
void copy_embedded(io::bytes file, const std::array<embedded_array, Count>& arrays, Model& model) noexcept {
    std::size_t next = 0;
    nn::for_each_parameter(static_cast<const Model&>(model), [&](const nn::const_parameter& to) {
        const embedded_array& from = arrays[next++];
        if (!from.is_copied) return;
        io::stored_array stored;
        stored.dtype = from.dtype;
        stored.is_column_major = from.is_column_major;
        stored.shape = shape_in_file<Config>(from, to);
        stored.data =
            file.subspan(static_cast<std::size_t>(from.offset), static_cast<std::size_t>(bytes_of<Config>(stored)));
        if (to.is_quantized()) {
            const file_order order(stored.shape, stored.is_column_major);
            fill_quantized<Config>(quantized_columns_of(to), {order, from.first_row, to}, from.dtype,
                                   [&](std::size_t i) { return stored_bits<Config>(stored, i); });
        } else if (to.is_int4()) {
            copy_int4<Config>(stored, from.first_row, to);
        } else {
            copy_array<Config>(stored, from.first_row, to, const_cast<void*>(to.data));
        }
    });
}

/// An element of a model from the bits of an element of a file, as `copy_array` converts it.
template <class Config, class Element>
constexpr Element element_of_bits(std::uint64_t bits, io::dtype type) noexcept {
    if constexpr (std::is_same_v<Element, bool>) {
        return bits != 0;
    } else if constexpr (std::is_integral_v<Element>) {
        return static_cast<Element>(integer_of_bits<Config>(bits, type).bits);
    } else {
        using same_bits = std::conditional_t<sizeof(Element) == 2, std::uint16_t,
                                             std::conditional_t<sizeof(Element) == 4, std::uint32_t, std::uint64_t>>;
        if (type == io::dtype_of<Element>()) return number_of_bits<Element>(static_cast<same_bits>(bits));
        const double value = float_of_bits<Config>(bits, type);
        if constexpr (sizeof(Element) == 2) {
            const float rounded = rounded_to_odd(value);
            return number_of_bits<Element>(is_bf16<Element> ? brain_bits_of(rounded) : half_bits_of(rounded));
        } else {
            return static_cast<Element>(value);
        }
    }
}

/// Copies all arrays in a constant expression.
template <class Config, class Model, class Byte, std::size_t Count>
constexpr void copy_constant(const Byte* file, const std::array<embedded_array, Count>& arrays, Model& model) noexcept {
    std::size_t next = 0;
    nn::for_each_parameter(model, [&](const nn::parameter& to, auto& memory) {
        const embedded_array& from = arrays[next++];
        if (!from.is_copied) return;
        const Byte* const first = file + from.offset;
        const std::size_t width = io::size_of(from.dtype);
        const auto bits_at = [=](std::size_t i) {
            std::uint64_t bits = 0;
            for (const Byte *begin = first + i * width, *at = begin + width; at != begin;)
                bits = bits << 8 | static_cast<unsigned char>(*--at);
            return bits;
        };
        const file_order order(shape_in_file<Config>(from, to), from.is_column_major);
        const nn::const_parameter piece = as_const_parameter(to);
        if constexpr (nn::detail::holds_scales<std::remove_reference_t<decltype(memory)>>()) {
            fill_quantized<Config>({piece.layout(), memory.elements, memory.scales, memory.sums},
                                   {order, from.first_row, piece}, from.dtype, bits_at);
        } else if constexpr (requires { memory.blocks; }) {
            fill_int4<Config>({piece.int4_layout(), memory.blocks}, {order, from.first_row, piece}, [&](std::size_t i) {
                return static_cast<float>(float_of_bits<Config>(bits_at(i), from.dtype));
            });
        } else {
            auto* const elements = [&] {
                if constexpr (std::is_array_v<std::remove_reference_t<decltype(memory)>>)
                    return &memory[0];
                else
                    return &memory.elements[0];
            }();
            using element = std::remove_reference_t<decltype(*elements)>;
            place_elements<Config>(
                order, from.first_row, piece,
                [&](std::size_t i) { return element_of_bits<Config, element>(bits_at(i), from.dtype); },
                [&](std::size_t at, element value) { elements[at] = value; });
        }
    });
}

}  // namespace ashlar::detail
