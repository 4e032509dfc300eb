// SPDX-License-Identifier: BSL-1.0
// Weight files made by hand, right or wrong, for the tests of readers.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::test {

/// The bytes of a number, little-endian.
template <class T>
std::string bytes_of_number(T value) {
    std::string bytes(sizeof(T), '\0');
    std::memcpy(bytes.data(), &value, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

/// Those of several, one after the other.
template <class T>
std::string bytes_of(std::initializer_list<T> values) {
    std::string bytes;
    for (const T value : values) bytes += bytes_of_number(value);
    return bytes;
}

/// The number that little-endian bytes are.
template <class T>
T number_of(const void* bytes) {
    char copy[sizeof(T)];
    std::memcpy(copy, bytes, sizeof(T));
    if constexpr (std::endian::native == std::endian::big) std::reverse(copy, copy + sizeof(T));
    return std::bit_cast<T>(copy);
}

/// An unsigned integer, little-endian.
inline std::string little(std::uint64_t value, std::size_t bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes; ++i, value >>= 8) text += static_cast<char>(value & 0xff);
    return text;
}

/// A safetensors file of a header and data as they are.
inline std::vector<char> safetensors_of(std::string_view header, std::string_view data) {
    std::string file = little(header.size(), 8);
    file += header;
    file += data;
    return {file.begin(), file.end()};
}

struct array_entry {
    std::string name, dtype, shape, data;
};

/// A right safetensors file; shapes as in the header, "2,3".
inline std::vector<char> safetensors(const std::vector<array_entry>& arrays) {
    std::string header = "{", data;
    for (const array_entry& a : arrays) {
        if (header.size() > 1) header += ',';
        header += '"' + a.name + "\":{\"dtype\":\"" + a.dtype + "\",\"shape\":[" + a.shape + "],\"data_offsets\":[" +
                  std::to_string(data.size()) + ',' + std::to_string(data.size() + a.data.size()) + "]}";
        data += a.data;
    }
    header += '}';
    return safetensors_of(header, data);
}

/// A .npy file of version 1.0.
inline std::string npy(std::string_view descr, std::string_view shape, std::string_view data, bool fortran = false) {
    std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': " + (fortran ? "True" : "False") +
                         ", 'shape': " + std::string(shape) + ", }";
    while ((10 + header.size() + 1) % 64 != 0) header += ' ';
    header += '\n';
    return "\x93NUMPY\1" + std::string(1, '\0') + little(header.size(), 2) + header + std::string(data);
}

/// CRC-32, bit by bit.
inline std::uint32_t crc(std::string_view data) {
    std::uint32_t value = 0xffffffff;
    for (const char c : data) {
        value ^= static_cast<unsigned char>(c);
        for (int i = 0; i < 8; ++i) value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0u);
    }
    return ~value;
}

struct zip_member {
    std::string name, content;
    std::uint64_t method = 0, flags = 0;
};

/// A ZIP archive; names are complete ("weight.npy").
inline std::vector<char> zip(const std::vector<zip_member>& members, std::string_view comment = {}) {
    std::string file, directory;
    for (const zip_member& m : members) {
        const std::string sizes = little(crc(m.content), 4) + little(m.content.size(), 4) + little(m.content.size(), 4);
        // zipfile puts an extra field into the local header that the directory does not have.
        const std::string extra(20, '\0');
        directory += "PK\1\2" + little(20, 2) + little(20, 2) + little(m.flags, 2) + little(m.method, 2) +
                     little(0, 4) + sizes + little(m.name.size(), 2) + little(0, 2) + little(0, 2) + little(0, 8) +
                     little(file.size(), 4) + m.name;
        file += "PK\3\4" + little(20, 2) + little(m.flags, 2) + little(m.method, 2) + little(0, 4) + sizes +
                little(m.name.size(), 2) + little(extra.size(), 2) + m.name + extra + m.content;
    }
    const std::string end = "PK\5\6" + little(0, 4) + little(members.size(), 2) + little(members.size(), 2) +
                            little(directory.size(), 4) + little(file.size(), 4) + little(comment.size(), 2);
    file += directory + end + std::string(comment);
    return {file.begin(), file.end()};
}

}  // namespace ashlar::test
