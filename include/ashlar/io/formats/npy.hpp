// SPDX-License-Identifier: BSL-1.0
// NumPy's .npy: a magic string, a version, a Python dictionary as the header, and one array.
// Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/formats/file_format.hpp>
#include <ashlar/io/formats/stored_array.hpp>

namespace ashlar::inline v0_1::detail {

/// Reads the dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }: these keys, each once, in any
/// order. It refuses Python's other literals.
template <class Config>
class npy_header {
public:
    constexpr explicit npy_header(std::string_view header) noexcept : text(header) {}

    /// Fills in type, order and shape of an array.
    constexpr io::result read(io::stored_array& out, std::uint64_t header_begin) noexcept {
        if (!dictionary(out)) {
            if (error == io::error::malformed_header) return io_error_at<Config>(error, header_begin + at, reason);
            io::result r = io_error<Config>(error, out.name);
            r.reason = reason;
            return r;
        }
        return {};
    }

private:
    std::string_view text;
    std::size_t at = 0;
    io::error error = io::error::malformed_header;
    const char* reason = "";

    constexpr bool fail(const char* why, io::error what = io::error::malformed_header) noexcept {
        reason = why;
        error = what;
        return false;
    }
    constexpr void skip_spaces() noexcept {
        while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t')) ++at;
    }
    constexpr bool take(std::string_view token) noexcept {
        skip_spaces();
        if (!text.substr(at).starts_with(token)) return false;
        at += token.size();
        return true;
    }
    /// A string in either kind of quotes, without escapes.
    constexpr bool read(std::string_view& out) noexcept {
        skip_spaces();
        const char quote = at < text.size() ? text[at] : '\0';
        if (quote != '\'' && quote != '"') return fail("a string is expected");
        const std::size_t end = text.find(quote, at + 1);
        if (end == std::string_view::npos) return fail("a string does not end");
        out = text.substr(at + 1, end - at - 1);
        if (out.find('\\') != std::string_view::npos) return fail("an escape in a string");
        at = end + 1;
        return true;
    }

    constexpr bool dictionary(io::stored_array& out) noexcept {
        constexpr unsigned has_descr = 1, has_order = 2, has_shape = 4;
        unsigned seen = 0;
        if (!take("{")) return fail("the header does not begin with a brace");
        while (!take("}")) {
            std::string_view key;
            if (!read(key)) return false;
            if (!take(":")) return fail("a colon is expected after a key");
            const unsigned field = key == "descr"           ? has_descr
                                   : key == "fortran_order" ? has_order
                                   : key == "shape"         ? has_shape
                                                            : 0;
            if (field == 0) return fail("a key that is neither descr nor fortran_order nor shape");
            if ((seen & field) != 0) return fail("a key occurs twice");
            seen |= field;
            if (!(field == has_descr ? descr(out) : field == has_order ? order(out) : shape(out))) return false;
            if (take(",")) continue;
            if (take("}")) break;
            return fail("a comma or a closing brace is expected");
        }
        if (seen != (has_descr | has_order | has_shape)) return fail("descr, fortran_order and shape are needed");
        skip_spaces();
        return at == text.size() || fail("there is more after the closing brace");
    }

    constexpr bool order(io::stored_array& out) noexcept {
        out.is_column_major = take("True");
        return out.is_column_major || take("False") || fail("fortran_order must be True or False");
    }

    /// Byte order, kind and size: '<f4'.
    constexpr bool descr(io::stored_array& out) noexcept {
        skip_spaces();
        if (text.substr(at).starts_with('[')) return structured(out);
        std::string_view type;
        if (!read(type)) return false;
        out.type_name = type;
        struct named_type {
            std::string_view name;
            io::dtype type;
        };
        constexpr named_type types[]{{"b1", io::dtype::boolean}, {"u1", io::dtype::u8},  {"i1", io::dtype::i8},
                                     {"u2", io::dtype::u16},     {"i2", io::dtype::i16}, {"f2", io::dtype::f16},
                                     {"u4", io::dtype::u32},     {"i4", io::dtype::i32}, {"f4", io::dtype::f32},
                                     {"u8", io::dtype::u64},     {"i8", io::dtype::i64}, {"f8", io::dtype::f64},
                                     {"c8", io::dtype::c64}};
        if (type.size() == 3)
            for (const named_type& candidate : types) {
                if (type.substr(1) != candidate.name) continue;
                const char byte_order = type[0];
                if (byte_order != '<' && byte_order != '>' && !(byte_order == '|' && io::size_of(candidate.type) == 1))
                    break;
                out.dtype = candidate.type;
                out.is_big_endian = byte_order == '>';
                return true;
            }
        return true;
    }

    /// A list of fields, [('x', '<f4'), ('y', '<i4', (2,))]: skipped as a whole.
    constexpr bool structured(io::stored_array& out) noexcept {
        const std::size_t first = at;
        std::size_t depth = 0;
        while (at < text.size()) {
            const char c = text[at];
            std::string_view name;
            if (c == '\'' || c == '"') {
                if (!read(name)) return false;
                continue;
            }
            ++at;
            if (c == '[' || c == '(') ++depth;
            if ((c == ']' || c == ')') && --depth == 0) {
                out.type_name = text.substr(first, at - first);
                return true;
            }
        }
        return fail("a list does not end");
    }

    constexpr bool shape(io::stored_array& out) noexcept {
        if (!take("(")) return fail("a shape must be a tuple");
        while (!take(")")) {
            std::uint64_t extent = 0;
            if (!integer(extent)) return false;
            if (out.shape.rank == io::dimensions::max_rank) return fail("", io::error::too_many_axes);
            out.shape.extents[out.shape.rank++] = extent;
            if (take(",")) continue;
            if (take(")")) return out.shape.rank != 1 || fail("a tuple of one entry needs a comma");
            return fail("a comma or a closing parenthesis is expected");
        }
        return true;
    }

    constexpr bool integer(std::uint64_t& out) noexcept {
        skip_spaces();
        const std::size_t first = at;
        for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
            if (out > (std::uint64_t{1} << 59)) return fail("an extent is too large");
            out = out * 10 + static_cast<std::uint64_t>(text[at] - '0');
        }
        return at != first || fail("an unsigned integer is expected");
    }
};

/// Reads one .npy file, or one member of an archive, into an entry of an index: everything but its name. `offset` is
/// where the bytes begin in the file.
template <class Config>
io::result read_npy(io::bytes npy, std::uint64_t offset, io::stored_array& out) noexcept {
    constexpr std::size_t magic = 8;  // and version
    if (npy.size() < magic + 2) return io_truncated<Config>(offset + magic + 2, offset + npy.size());
    if (!text_of<Config>(npy).starts_with("\x93NUMPY"))
        return io_error_at<Config>(io::error::malformed_header, offset, "no NumPy array");
    const auto version = std::to_integer<unsigned>(npy[6]);
    if (version < 1 || version > 3 || npy[7] != std::byte{}) {
        io::result r = io_error<Config>(io::error::unsupported, out.name);
        r.reason = "a version of .npy other than 1.0, 2.0 and 3.0";
        return r;
    }
    const std::size_t begin = version == 1 ? magic + 2 : magic + 4;
    if (npy.size() < begin) return io_truncated<Config>(offset + begin, offset + npy.size());
    const std::uint64_t length =
        version == 1 ? little_endian<2, Config>(npy, magic) : little_endian<4, Config>(npy, magic);
    if (length > npy.size() - begin) return io_truncated<Config>(offset + begin + length, offset + npy.size());

    io::result r = npy_header<Config>(text_of<Config>(npy).substr(begin, static_cast<std::size_t>(length)))
                       .read(out, offset + begin);
    if (!r) return r;
    std::uint64_t needed = 0;
    if (!bytes_of<Config>(out.shape, out.dtype, needed))
        return io_error_at<Config>(io::error::malformed_header, offset + begin, "a shape is too large for 64 bits");
    const std::uint64_t there = npy.size() - begin - length;
    if (out.dtype != io::dtype::unknown && needed > there) {
        r = io_error<Config>(io::error::truncated, out.name);
        r.position = needed;
        r.limit = there;
        return r;
    }
    out.data = npy.subspan(static_cast<std::size_t>(begin + length));
    out.offset = offset + begin + length;
    if (out.dtype == io::dtype::unknown) {
        out.unknown_bytes = there;
        return r;
    }
    if (needed < there) {
        r = io_error<Config>(io::error::unused_bytes, out.name);
        r.position = out.offset + needed;
        r.limit = there - needed;
    }
    return r;
}

/// Indexes a .npy file: one array, whose name is empty.
template <class Config>
io::result index_npy(io::bytes file, archive_index& index) noexcept {
    if (!index.arrays.allocate(1)) return io_error<Config>(io::error::out_of_memory);
    return read_npy<Config>(file, 0, index.arrays[0]);
}

}  // namespace ashlar::detail
