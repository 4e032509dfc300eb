// SPDX-License-Identifier: BSL-1.0
// Safetensors files made by the compiler, for the tests of embedded weights.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace ashlar::test {

/// Builds a file array by array.
template <std::size_t HeaderCapacity = 4096, std::size_t DataCapacity = 4096>
class constant_file {
public:
    /// Adds an array of numbers: first, first + step, ...
    template <class Number>
    constexpr constant_file& add(std::string_view name, std::string_view dtype,
                                 std::initializer_list<std::size_t> shape, Number first, Number step) {
        std::size_t count = 1;
        for (const std::size_t extent : shape) count *= extent;
        const std::size_t begin = data_bytes;
        for (std::size_t i = 0; i < count; ++i, first = static_cast<Number>(first + step)) put_number(first);
        put(header_bytes == 0 ? "{\"" : ",\"");
        put(name);
        put("\":{\"dtype\":\"");
        put(dtype);
        put("\",\"shape\":");
        put_list(shape);
        put(",\"data_offsets\":");
        put_list({begin, data_bytes});
        put("}");
        return *this;
    }

    [[nodiscard]] constexpr std::size_t size() const { return 8 + padded_header() + data_bytes; }

    /// The bytes, the header padded to a multiple of 8 as the format wants it.
    template <std::size_t Size>
    [[nodiscard]] constexpr std::array<unsigned char, Size> bytes() const {
        std::array<unsigned char, Size> file{};
        for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<unsigned char>(padded_header() >> 8 * i & 0xff);
        for (std::size_t i = 0; i < padded_header(); ++i)
            file[8 + i] = static_cast<unsigned char>(i < header_bytes ? header[i] : i == header_bytes ? '}' : ' ');
        for (std::size_t i = 0; i < data_bytes; ++i) file[8 + padded_header() + i] = data[i];
        return file;
    }

private:
    std::array<char, HeaderCapacity> header{};
    std::array<unsigned char, DataCapacity> data{};
    std::size_t header_bytes = 0, data_bytes = 0;

    [[nodiscard]] constexpr std::size_t padded_header() const { return (header_bytes + 1 + 7) / 8 * 8; }

    constexpr void put(std::string_view text) {
        for (const char c : text) header[header_bytes++] = c;
    }
    constexpr void put_list(std::initializer_list<std::size_t> numbers) {
        const char* before = "[";
        for (std::size_t n : numbers) {
            put(before);
            before = ",";
            char digits[20]{};
            std::size_t count = 0;
            do digits[count++] = static_cast<char>('0' + n % 10);
            while ((n /= 10) != 0);
            while (count != 0) header[header_bytes++] = digits[--count];
        }
        put(numbers.size() == 0 ? "[]" : "]");
    }
    template <class Number>
    constexpr void put_number(Number number) {
        if constexpr (std::is_same_v<Number, bool>) {
            data[data_bytes++] = number ? 1 : 0;
        } else {
            using bits_type = std::conditional_t<
                sizeof(Number) == 1, std::uint8_t,
                std::conditional_t<sizeof(Number) == 2, std::uint16_t,
                                   std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>>>;
            const auto bits = std::bit_cast<bits_type>(number);
            for (std::size_t i = 0; i < sizeof(Number); ++i)
                data[data_bytes++] = static_cast<unsigned char>(bits >> 8 * i & 0xff);
        }
    }
};

}  // namespace ashlar::test
