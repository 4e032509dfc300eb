// SPDX-License-Identifier: BSL-1.0
// Writes a tensor as NumPy's .npy, which tools/draw_attention.py and np.load read.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

#include <ashlar/ashlar.hpp>

namespace examples {

/// False if the file cannot be written. Elements are float, or bool for masks, in this machine's byte order.
template <class Element, auto... Dims>
bool write_npy(const std::string& path, const ashlar::basic_tensor<Element, Dims...>& array) {
    static_assert(std::is_same_v<Element, float> || std::is_same_v<Element, bool>);
    const char* type = std::is_same_v<Element, bool>                ? "|b1"
                       : std::endian::native == std::endian::little ? "<f4"
                                                                    : ">f4";
    std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (";
    for (const std::size_t extent : array.extents) header += std::to_string(extent) + ", ";
    header += "), }";
    while ((10 + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    const unsigned char begin[] = {0x93,
                                   'N',
                                   'U',
                                   'M',
                                   'P',
                                   'Y',
                                   1,
                                   0,
                                   static_cast<unsigned char>(header.size() % 256),
                                   static_cast<unsigned char>(header.size() / 256)};
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) return false;
    bool good = std::fwrite(begin, 1, sizeof begin, file) == sizeof begin;
    good = std::fwrite(header.data(), 1, header.size(), file) == header.size() && good;
    good = std::fwrite(array.data(), sizeof(Element), array.size, file) == array.size && good;
    return std::fclose(file) == 0 && good;
}

}  // namespace examples
