// SPDX-License-Identifier: BSL-1.0
// The checksum of ZIP archives and of model images: CRC-32 of IEEE 802.3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/io/dtype.hpp>

namespace ashlar::detail {

/// What four bits add to the checksum: a table of 64 bytes rather than of 1 KiB, for small flash.
consteval std::array<std::uint32_t, 16> crc32_table() {
    std::array<std::uint32_t, 16> table{};
    for (std::uint32_t i = 0; i < 16; ++i) {
        table[i] = i;
        for (int bit = 0; bit < 4; ++bit) table[i] = (table[i] & 1) != 0 ? table[i] >> 1 ^ 0xedb88320u : table[i] >> 1;
    }
    return table;
}

/// The checksum of bytes, going on from that of the bytes before them.
template <class Config>
constexpr std::uint32_t crc32(io::bytes data, std::uint32_t before = 0) noexcept {
    constexpr std::array<std::uint32_t, 16> table = crc32_table();
    std::uint32_t crc = ~before;
    for (const std::byte b : data) {
        crc ^= std::to_integer<std::uint32_t>(b);
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

}  // namespace ashlar::detail
