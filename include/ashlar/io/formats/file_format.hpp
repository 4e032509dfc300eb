// SPDX-License-Identifier: BSL-1.0
// Little-endian numbers in files, and formats told apart by their first bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/formats/dtype.hpp>

namespace ashlar::inline v0_1::detail {

/// The unsigned integer of `Bytes` bytes at an offset, which the caller has checked.
template <std::size_t Bytes, class Config, class Byte>
constexpr std::uint64_t little_endian(std::span<const Byte> data, std::size_t at) noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = Bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(data[at + i]);
    return value;
}

/// Writes an unsigned integer of `Bytes` bytes.
template <std::size_t Bytes, class Config>
constexpr void put_little_endian(std::byte* to, std::uint64_t value) noexcept {
    for (std::size_t i = 0; i < Bytes; ++i, value >>= 8) to[i] = static_cast<std::byte>(value & 0xff);
}

/// Bytes as characters.
template <class Config>
std::string_view text_of(io::bytes data) noexcept {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

enum class file_format : std::uint8_t { safetensors, npy, npz };

/// The format of a file: safetensors has no magic number, so it is any file that is neither of the others.
template <class Config>
file_format format_of(io::bytes file) noexcept {
    const std::string_view text = text_of<Config>(file);
    if (text.starts_with("\x93NUMPY")) return file_format::npy;
    // A local header, or the end record of an empty archive.
    if (text.starts_with("PK\3\4") || text.starts_with("PK\5\6")) return file_format::npz;
    return file_format::safetensors;
}

}  // namespace ashlar::detail
