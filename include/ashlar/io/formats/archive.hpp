// SPDX-License-Identifier: BSL-1.0
// The index of a weight file: its arrays and their places.
#pragma once

#include <cstddef>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/files/source.hpp>
#include <ashlar/io/files/temporary_memory.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/formats/file_format.hpp>
#include <ashlar/io/formats/npy.hpp>
#include <ashlar/io/formats/npz.hpp>
#include <ashlar/io/formats/safetensors.hpp>
#include <ashlar/io/formats/stored_array.hpp>

namespace ashlar::inline v0_1::io {

/// The arrays of a safetensors, .npy or .npz file, in the order of their names. The first bytes determine the format.
/// Opening checks all of the file's structure and copies no array. Memory: the file, unless it is given as bytes, and
/// about 140 bytes for each array.
///
///     io::archive weights;
///     if (io::result r = weights.open("weights.safetensors"); !r) std::puts(r.message().c_str());
///     for (const io::stored_array& a : weights) std::printf("%.*s\n", int(a.name.size()), a.name.data());
class archive {
public:
    archive() noexcept = default;

    /// Opens a file, or bytes in memory that must live as long as this object is used. After an error it is empty.
    template <class Config = current_config>
    result open(const source& from) noexcept {
        index.arrays.release();
        index.names.release();
        content = {};
        result r = content.open(from);
        if (r) r = read<Config>();
        if (!r) index.arrays.release();
        return r;
    }
    template <ashlar::detail::temporary_memory Range>
    result open(  // ashlar: io: the bytes of a temporary would dangle; name the memory first
        Range&&) = delete;

    /// The number of arrays.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE std::size_t size() const noexcept { return index.arrays.size(); }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE const stored_array* begin() const& noexcept { return index.arrays.data(); }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE const stored_array* end() const& noexcept {
        return index.arrays.data() + index.arrays.size();
    }
    /// The i-th array by name; i must be less than size() (not checked).
    [[nodiscard]] ASHLAR_ALWAYS_INLINE const stored_array& operator[](std::size_t i) const& noexcept {
        return index.arrays[i];
    }
    void begin() const&& = delete;  // ashlar: io: the arrays of a temporary archive would dangle; name it first
    void end() const&& = delete;    // ashlar: io: the arrays of a temporary archive would dangle; name it first
    void operator[](                // ashlar: io: the arrays of a temporary archive would dangle; name it first
        std::size_t) const&& = delete;

    /// The array with a name, or null; by binary search.
    template <class Config = current_config>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE const stored_array* find(std::string_view name) const& noexcept {
        return ashlar::detail::find_array<Config>(index.arrays, name);
    }
    void find(  // ashlar: io: the arrays of a temporary archive would dangle; name it first
        std::string_view) const&& = delete;

private:
    ashlar::detail::source_bytes content;
    ashlar::detail::archive_index index;

    template <class Config>
    result read() noexcept {
        const bytes file = content.content();
        switch (ashlar::detail::format_of<Config>(file)) {
        case ashlar::detail::file_format::npy: return ashlar::detail::index_npy<Config>(file, index);
        case ashlar::detail::file_format::npz: return ashlar::detail::index_npz<Config>(file, index);
        default: return ashlar::detail::index_safetensors<Config>(file, index);
        }
    }
};

}  // namespace ashlar::io
