// SPDX-License-Identifier: BSL-1.0
// The index of a safetensors file: 8 bytes of header length, a JSON header, and the arrays without a gap between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/formats/file_format.hpp>
#include <ashlar/io/formats/json.hpp>
#include <ashlar/io/formats/stored_array.hpp>

namespace ashlar::inline v0_1::detail {

/// The longest header that the format allows.
inline constexpr std::uint64_t safetensors_header_limit = 100'000'000;

/// An array's entry in the header.
struct safetensors_entry {
    json_string name{};
    io::dtype dtype = io::dtype::unknown;
    std::string_view type_name{};
    io::dimensions shape{};
    std::uint64_t begin = 0, end = 0;
};

template <class Config>
constexpr io::dtype safetensors_dtype(std::string_view name) noexcept {
    for (auto i = std::uint8_t{1}; i <= static_cast<std::uint8_t>(io::dtype::c64); ++i) {
        // Character by character: a std::string_view of each name would take the compiler more steps.
        const char *known = dtype_names[i], *given = name.data(), *const end = given + name.size();
        while (given != end && *given == *known) ++given, ++known;
        if (given == end && *known == '\0') return static_cast<io::dtype>(i);
    }
    return io::dtype::unknown;
}

/// Reads a header and hands each entry to a function.
template <class Config>
class safetensors_header {
public:
    constexpr explicit safetensors_header(std::string_view header) noexcept : json(header) {}

    template <class Function>
    constexpr io::result read(Function&& take_entry) noexcept {
        using namespace std::string_view_literals;
        json.expect('{', "the header does not begin with a brace");
        bool has_metadata = false;
        if (!json.take('}')) {
            do {
                safetensors_entry entry;
                if (!json.read(entry.name) || !json.expect(':', "a colon is expected after a name")) break;
                if (compare_names(entry.name.raw, "__metadata__"sv) == 0) {
                    if (has_metadata) return io_error<Config>(io::error::duplicate_name, entry.name.raw);
                    has_metadata = true;
                    if (!skip_metadata()) break;
                    continue;
                }
                if (!read_entry(entry) || !check(entry)) return wrong;
                take_entry(entry);
            } while (json.take(','));
            if (json.failure() == nullptr) json.expect('}', "a comma or a closing brace is expected");
        }
        if (json.failure() == nullptr) json.expect_end();
        return malformed();
    }

private:
    json_reader<Config> json;
    io::result wrong{};  // of an entry; not returned by value for each, which would take the compiler long

    /// The failure of the reader, with its position in the file.
    constexpr io::result malformed() const noexcept {
        if (json.failure() == nullptr) return {};
        return io_error_at<Config>(io::error::malformed_header, json.position() + 8, json.failure());
    }
    constexpr bool malformed(const safetensors_entry& entry, const char* why) noexcept {
        json.fail(why);
        wrong = malformed();
        wrong.name = printable_name<Config>(entry.name.raw);
        return false;
    }
    constexpr bool fail(const safetensors_entry& entry, io::error error, std::uint64_t position = 0,
                        std::uint64_t limit = 0) noexcept {
        wrong = io_error<Config>(error, entry.name.raw);
        wrong.position = position;
        wrong.limit = limit;
        return false;
    }

    /// An object of strings. Its keys are ignored, so duplicates are harmless.
    constexpr bool skip_metadata() noexcept {
        if (!json.expect('{', "the metadata must be an object")) return false;
        if (json.take('}')) return true;
        do {
            json_string key, value;
            if (!json.read(key) || !json.expect(':', "a colon is expected after a name") || !json.read(value))
                return false;
        } while (json.take(','));
        return json.expect('}', "a comma or a closing brace is expected");
    }

    constexpr bool read_entry(safetensors_entry& entry) noexcept {
        using namespace std::string_view_literals;
        constexpr unsigned has_dtype = 1, has_shape = 2, has_offsets = 4;
        unsigned seen = 0;
        if (!json.expect('{', "an array must be described by an object")) return malformed(entry, "");
        do {
            json_string key;
            if (!json.read(key) || !json.expect(':', "a colon is expected after a name")) return malformed(entry, "");
            const auto is = [&](std::string_view field) { return compare_names(key.raw, field) == 0; };
            const unsigned field = is("dtype"sv)          ? has_dtype
                                   : is("shape"sv)        ? has_shape
                                   : is("data_offsets"sv) ? has_offsets
                                                          : 0;
            if (field == 0) return malformed(entry, "a field that is neither dtype nor shape nor data_offsets");
            if ((seen & field) != 0) return malformed(entry, "a field of an array occurs twice");
            seen |= field;
            if (field == has_dtype) {
                json_string type;
                if (!json.read(type)) return malformed(entry, "");
                entry.dtype = safetensors_dtype<Config>(type.raw);
                entry.type_name = type.raw;
            } else if (field == has_shape) {
                if (!read_shape(entry)) return false;
            } else if (!json.expect('[', "data_offsets must be two integers") || !json.read(entry.begin) ||
                       !json.expect(',', "data_offsets must be two integers") || !json.read(entry.end) ||
                       !json.expect(']', "data_offsets must be two integers")) {
                return malformed(entry, "");
            }
        } while (json.take(','));
        if (!json.expect('}', "a comma or a closing brace is expected")) return malformed(entry, "");
        return seen == (has_dtype | has_shape | has_offsets) ||
               malformed(entry, "an array needs dtype, shape and data_offsets");
    }

    constexpr bool read_shape(safetensors_entry& entry) noexcept {
        if (!json.expect('[', "a shape must be a list of integers")) return malformed(entry, "");
        if (json.take(']')) return true;
        do {
            std::uint64_t extent = 0;
            if (!json.read(extent)) return malformed(entry, "");
            if (entry.shape.rank == io::dimensions::max_rank) return fail(entry, io::error::too_many_axes);
            entry.shape.extents[entry.shape.rank++] = extent;
        } while (json.take(','));
        return json.expect(']', "a shape must be a list of integers") || malformed(entry, "");
    }

    constexpr bool check(const safetensors_entry& entry) noexcept {
        std::uint64_t needed = 0;
        if (!bytes_of<Config>(entry.shape, entry.dtype, needed))
            return malformed(entry, "a shape is too large for 64 bits");
        if (entry.begin > entry.end) return malformed(entry, "an array ends before it begins");
        // No file is that long, and offsets below it can be added to without overflow.
        if (entry.end > std::uint64_t{1} << 62) return fail(entry, io::error::offset_out_of_range, entry.end);
        // The name of an unknown type need not tell its size: F4 has two elements in one byte.
        if (entry.dtype != io::dtype::unknown && entry.end - entry.begin != needed)
            return fail(entry, io::error::size_mismatch, needed, entry.end - entry.begin);
        return true;
    }
};

/// Checks the length of a header, by the bytes of the whole file.
template <class Config>
constexpr io::result check_header_length(std::uint64_t length, std::uint64_t file_bytes) noexcept {
    if (length > safetensors_header_limit) {
        io::result r = io_error<Config>(io::error::header_too_large);
        r.position = length;
        r.limit = safetensors_header_limit;
        return r;
    }
    return length > file_bytes - 8 ? io_truncated<Config>(8 + length, file_bytes) : io::result{};
}

/// The shortest entry of a header.
inline constexpr std::string_view shortest_entry = "\"\":{\"dtype\":\"\",\"shape\":[],\"data_offsets\":[0,0]},";

/// Indexes the header of a safetensors file, without the bytes of the arrays. It is read twice: first to count its
/// entries, so that memory is allocated by actual and not by claimed numbers, then to store them. The compiler reads it
/// once and allocates by its length.
template <class Config>
constexpr io::result index_header(std::string_view header, std::uint64_t file_bytes, archive_index& index) noexcept {
    const std::uint64_t base = 8 + header.size();
    const auto in_file = [&](io::result r) {
        if (r.error == io::error::offset_out_of_range) {
            const std::uint64_t end = base + r.position;
            r.position = end < base ? ~std::uint64_t{} : end;
            r.limit = file_bytes;
        }
        return r;
    };
    std::size_t count = 0, characters = 0;
    if (std::is_constant_evaluated()) {
        count = header.size() / shortest_entry.size() + 1;
        characters = header.size();
    } else {
        const io::result r = safetensors_header<Config>(header).read([&](const safetensors_entry& entry) {
            ++count;
            if (entry.name.has_escapes) characters += entry.name.raw.size();
        });
        if (!r) return in_file(r);
    }
    if (!index.arrays.allocate(count) || !index.names.allocate(characters))
        return io_error<Config>(io::error::out_of_memory);

    std::size_t i = 0;
    char* names = index.names.data();
    const io::result r = safetensors_header<Config>(header).read([&](const safetensors_entry& entry) {
        io::stored_array& a = index.arrays[i++];
        a.name = entry.name.raw;
        if (entry.name.has_escapes) {
            a.name = {names, json_unescape<Config>(entry.name.raw, names)};
            names += a.name.size();
        }
        a.dtype = entry.dtype;
        a.type_name = entry.type_name;
        a.unknown_bytes = entry.dtype == io::dtype::unknown ? entry.end - entry.begin : 0;
        a.shape = entry.shape;
        a.offset = base + entry.begin;
    });
    if (!r) return in_file(r);
    index.arrays.truncate(i);
    return sort_by_name<Config>(index);
}

/// Indexes a safetensors file.
template <class Config>
io::result index_safetensors(io::bytes file, archive_index& index) noexcept {
    if (file.size() < 8) return io_truncated<Config>(8, file.size());
    const std::uint64_t length = little_endian<8, Config>(file, 0);
    io::result r = check_header_length<Config>(length, file.size());
    if (!r) return r;
    r = index_header<Config>(text_of<Config>(file).substr(8, static_cast<std::size_t>(length)), file.size(), index);
    return r ? place_arrays<Config>(index, file, 8 + length) : r;
}

}  // namespace ashlar::detail
