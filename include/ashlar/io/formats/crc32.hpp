// SPDX-License-Identifier: BSL-1.0
// The checksum of ZIP archives and of model images: CRC-32 of IEEE 802.3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/io/formats/dtype.hpp>

namespace ashlar::inline v0_1::detail {

/// The contribution of each byte to the checksum, with 0 to 3 bytes after it.
consteval std::array<std::array<std::uint32_t, 256>, 4> crc32_tables() {
    std::array<std::array<std::uint32_t, 256>, 4> tables{};
    for (std::uint32_t i = 0; i < 256; ++i) {
        std::uint32_t crc = i;
        for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        tables[0][i] = crc;
    }
    for (std::size_t k = 1; k < 4; ++k)
        for (std::size_t i = 0; i < 256; ++i) tables[k][i] = tables[k - 1][i] >> 8 ^ tables[0][tables[k - 1][i] & 255];
    return tables;
}

inline constexpr std::array<std::array<std::uint32_t, 256>, 4> crc32_table = crc32_tables();

/// The checksum of bytes, continued from the bytes before. Four bytes at a time, with tables of 4 KiB.
template <class Config>
constexpr std::uint32_t crc32(io::bytes data, std::uint32_t before = 0) noexcept {
    constexpr auto& tables = crc32_table;
    std::uint32_t crc = ~before;
    std::size_t i = 0;
    for (; i + 4 <= data.size(); i += 4) {
        for (std::size_t k = 0; k < 4; ++k) crc ^= std::to_integer<std::uint32_t>(data[i + k]) << 8 * k;
        crc = tables[3][crc & 255] ^ tables[2][crc >> 8 & 255] ^ tables[1][crc >> 16 & 255] ^ tables[0][crc >> 24];
    }
    for (; i < data.size(); ++i) crc = crc >> 8 ^ tables[0][(crc ^ std::to_integer<std::uint32_t>(data[i])) & 255];
    return ~crc;
}

}  // namespace ashlar::detail
