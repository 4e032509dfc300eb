// SPDX-License-Identifier: BSL-1.0
// One array of a weight file, and the index of all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/compare_names.hpp>
#include <ashlar/io/formats/dtype.hpp>

namespace ashlar::inline v0_1::io {

/// An array in a file: `data` has shape.size() * size_of(dtype) bytes, at any alignment. If dtype is `unknown`,
/// `type_name` is the file's name of the type, and `data` is all bytes of the array: it can be listed and read by hand,
/// but not loaded into a tensor.
///
///     if (const io::stored_array* a = weights.find("tok_embeddings.weight"))   // weights: an io::archive
///         std::printf("%s, %zu bytes\n", io::name_of(a->dtype), a->data.size());
struct stored_array {
    std::string_view name{};
    io::dtype dtype = io::dtype::unknown;
    std::string_view type_name{};  ///< as the file has it: "F32", "F8_E8M0", "<f4"
    bool is_big_endian = false;    ///< whether the first byte of an element is the most significant
    bool is_column_major = false;  ///< whether the first index runs fastest (NumPy's fortran_order)
    dimensions shape{};
    std::uint64_t offset = 0;  ///< of data in the file
    bytes data{};
    std::uint64_t unknown_bytes = 0;  ///< of data, where dtype is unknown
};

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

struct archive_index {
    owned_array<io::stored_array> arrays;
    owned_array<char> names;  // names that are not verbatim in the file
};

/// Bytes of an array, or failure if they overflow 64 bits.
template <class Config>
constexpr bool bytes_of(const io::dimensions& shape, io::dtype type, std::uint64_t& out) noexcept {
    out = type == io::dtype::unknown ? 1 : io::size_of(type);
    for (std::size_t i = 0; i < shape.rank; ++i) {
        if (shape.extents[i] != 0 && out > (std::numeric_limits<std::uint64_t>::max)() / shape.extents[i]) return false;
        out *= shape.extents[i];
    }
    return true;
}

/// Sorts an index by name, and fails if a name occurs twice.
template <class Config>
constexpr io::result sort_by_name(archive_index& index) noexcept {
    auto& arrays = index.arrays;
    std::sort(arrays.begin(), arrays.end(),
              [](const io::stored_array& a, const io::stored_array& b) { return compare_names(a.name, b.name) < 0; });
    for (std::size_t i = 1; i < arrays.size(); ++i)
        if (compare_names(arrays[i - 1].name, arrays[i].name) == 0)
            return io_error<Config>(io::error::duplicate_name, arrays[i].name);
    return {};
}

/// The array with a name in a sorted index, or null; by binary search.
template <class Config>
constexpr const io::stored_array* find_array(const owned_array<io::stored_array>& arrays,
                                             std::string_view name) noexcept {
    // What the names before and after the range have in common with this one, so do all between them.
    std::size_t before = 0, behind = 0;
    for (const io::stored_array *first = arrays.begin(), *last = arrays.end(); first != last;) {
        const io::stored_array* const middle = first + (last - first) / 2;
        std::size_t same = before < behind ? before : behind;
        const int order = compare_names_from(same, middle->name, name);
        if (order == 0) return middle;
        if (order < 0) {
            first = middle + 1;
            before = same;
        } else {
            last = middle;
            behind = same;
        }
    }
    return nullptr;
}

/// Bytes of an array whose shape has been checked.
template <class Config>
constexpr std::uint64_t bytes_of(const io::stored_array& a) noexcept {
    return a.dtype == io::dtype::unknown ? a.unknown_bytes : a.shape.size() * io::size_of(a.dtype);
}

/// Checks that the arrays fill a file from byte `first` on: no array beyond its end, no shared byte, no gap.
template <class Config>
constexpr io::result check_places(const archive_index& index, std::uint64_t file_bytes, std::uint64_t first) noexcept {
    owned_array<const io::stored_array*> by_offset;
    if (!by_offset.allocate(index.arrays.size())) return io_error<Config>(io::error::out_of_memory);
    for (std::size_t i = 0; i < by_offset.size(); ++i) by_offset[i] = &index.arrays[i];
    std::sort(by_offset.begin(), by_offset.end(), [](const io::stored_array* a, const io::stored_array* b) {
        return a->offset != b->offset ? a->offset < b->offset : bytes_of<Config>(*a) < bytes_of<Config>(*b);
    });

    const auto unused = [&](std::uint64_t from, std::uint64_t to) {
        io::result r = io_error<Config>(io::error::unused_bytes);
        r.position = from;
        r.limit = to - from;
        return r;
    };
    io::result r;
    std::uint64_t end = first;
    const io::stored_array *last = nullptr, *beyond = nullptr;
    for (const io::stored_array* const a : by_offset) {
        const std::uint64_t a_end = a->offset + bytes_of<Config>(*a);
        if (r && a->offset > end) r = unused(end, a->offset);
        if (r && a->offset < end) {
            r = io_error<Config>(io::error::overlapping, a->name);
            if (last != nullptr) r.other = printable_name<Config>(last->name);
        }
        if (a_end > file_bytes && beyond == nullptr) beyond = a;
        if (a_end <= end) continue;
        end = a_end;
        last = a;
    }
    // If the arrays would fill a longer file, the file is truncated; otherwise the array itself is wrong.
    if (beyond != nullptr) {
        const bool cut_off = r.ok();
        r = io_error<Config>(cut_off ? io::error::truncated : io::error::offset_out_of_range, beyond->name);
        r.position = cut_off ? end : beyond->offset + bytes_of<Config>(*beyond);
        r.limit = file_bytes;
    } else if (r && end < file_bytes) {
        r = unused(end, file_bytes);
    }
    return r;
}

/// Points every array to its bytes, after the check of their places.
template <class Config>
io::result place_arrays(archive_index& index, io::bytes file, std::uint64_t first) noexcept {
    const io::result r = check_places<Config>(index, file.size(), first);
    if (!r) return r;
    for (io::stored_array& a : index.arrays)
        a.data = file.subspan(static_cast<std::size_t>(a.offset), static_cast<std::size_t>(bytes_of<Config>(a)));
    return r;
}

}  // namespace ashlar::detail
