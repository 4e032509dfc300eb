// SPDX-License-Identifier: BSL-1.0
// The index of a safetensors file in a constant array, read by the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/file_format.hpp>
#include <ashlar/io/formats/safetensors.hpp>
#include <ashlar/io/formats/stored_array.hpp>

namespace ashlar::inline v0_1::detail {

/// What `io::archive` is for files, for constant expressions: it reads the header and never the values.
class embedded_index {
public:
    template <class Config, class Byte>
    constexpr io::result open(std::span<const Byte> file) noexcept {
        if (file.size() < 8) return io_truncated<Config>(8, file.size());
        if (is_other_format<Config>(file)) {
            io::result r = io_error<Config>(io::error::unsupported);
            r.reason = "only a safetensors file can be embedded, not .npy or .npz";
            return r;
        }
        const std::uint64_t length = little_endian<8, Config>(file, 0);
        io::result r = check_header_length<Config>(length, file.size());
        if (!r) return r;
        if (!header.allocate(static_cast<std::size_t>(length))) return io_error<Config>(io::error::out_of_memory);
        const Byte* from = file.data() + 8;
        for (char *to = header.data(), *const end = to + length; to != end;) *to++ = static_cast<char>(*from++);
        r = index_header<Config>({header.data(), header.size()}, file.size(), index);
        return r ? check_places<Config>(index, file.size(), 8 + length) : r;
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return index.arrays.size(); }
    [[nodiscard]] constexpr const io::stored_array* begin() const noexcept { return index.arrays.begin(); }
    [[nodiscard]] constexpr const io::stored_array* end() const noexcept { return index.arrays.end(); }
    [[nodiscard]] constexpr const io::stored_array& operator[](std::size_t i) const noexcept { return index.arrays[i]; }
    /// The array with a name, or null.
    template <class Config = current_config>
    [[nodiscard]] constexpr const io::stored_array* find(std::string_view name) const noexcept {
        return find_array<Config>(index.arrays, name);
    }

private:
    owned_array<char> header;
    archive_index index;

    template <class Config, class Byte>
    static constexpr bool is_other_format(std::span<const Byte> file) noexcept {
        const auto begins_with = [&](std::string_view magic) {
            for (std::size_t i = 0; i < magic.size(); ++i)
                if (static_cast<unsigned char>(file[i]) != static_cast<unsigned char>(magic[i])) return false;
            return true;
        };
        return begins_with("\x93NUMPY") || begins_with("PK\3\4") || begins_with("PK\5\6");
    }
};

}  // namespace ashlar::detail
