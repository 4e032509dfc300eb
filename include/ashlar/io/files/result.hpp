// SPDX-License-Identifier: BSL-1.0
// The result of reading and writing files: success, or the exact error, as a value without heap memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/core/fixed_text.hpp>
#include <ashlar/io/formats/dtype.hpp>

namespace ashlar::inline v0_1::io {

/// The errors of a file, or of its loading into a model.
enum class error : std::uint8_t {
    none,
    // the file as such
    cannot_open,    ///< no such file, or no permission
    cannot_read,    ///< it opened, but reading failed; or it is no regular file, as `reason` says
    cannot_write,   ///< it could not be written completely; the old file is unchanged
    out_of_memory,  ///< memory for the file or its index
    no_room,        ///< the memory to write to is too small
    // its structure
    truncated,            ///< it ends before the size in its header
    header_too_large,     ///< more than 100,000,000 bytes, or more than the file
    malformed_header,     ///< `reason` says what is wrong, `position` where
    duplicate_name,       ///< two arrays of one name
    unsupported,          ///< valid, but not supported; `reason` says what
    too_many_axes,        ///< more than 8
    size_mismatch,        ///< an array's bytes do not match its shape and element type
    offset_out_of_range,  ///< an array is beyond the end of the file, or ends before it begins
    overlapping,          ///< two arrays share bytes
    unused_bytes,         ///< bytes that belong to no array, which the format forbids
    checksum,             ///< the bytes have changed since they were written
    // what it is loaded into
    missing,             ///< the model needs an array that the file does not have
    unexpected,          ///< the file has an array that the model does not know
    wrong_shape,         ///< `expected` and `found` are the shapes
    wrong_dtype,         ///< `expected_dtype` and `found_dtype` are the types
    value_out_of_range,  ///< an integer of the file does not fit the tensor's elements
    conflict,            ///< two members of a model have the same name in the file, and differ
    name_too_long,       ///< the name of an array becomes longer than 511 characters
    // model images
    not_an_image,     ///< the magic number is not there
    wrong_version,    ///< an image of another version of this library
    wrong_size,       ///< the image's size differs from the model's
    wrong_layout,     ///< names, shapes, types or offsets are not those of the model
    misaligned,       ///< the bytes do not begin at a multiple of the model's alignment
    unlisted_members  ///< the model has state that its list of members does not name
};

/// The outcome of loading, saving or viewing: true on success, else the error and its place.
///
///     if (io::result r = io::load(model, "weights.safetensors"); !r) std::puts(r.message().c_str());
struct [[nodiscard]] result {
    io::error error = io::error::none;
    /// The array of the error, empty if there is none; the middle of a very long name is omitted.
    fixed_text<120> name{};
    /// The other array: of overlapping ones, or the model's name of one that is missing; or an unknown element type.
    fixed_text<120> other{};
    /// For a missing array: the nearest name in the file, empty if there is none.
    fixed_text<120> nearest{};
    dimensions expected{}, found{};
    dtype expected_dtype = dtype::unknown, found_dtype = dtype::unknown;
    /// Byte of the file, or bytes needed.
    std::uint64_t position = 0;
    /// Available bytes.
    std::uint64_t limit = 0;
    /// What is malformed or not supported, or why a path is not a regular file; a string literal.
    const char* reason = "";

    /// Whether there is no error; same as `if (r)`.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool ok() const noexcept { return error == io::error::none; }
    ASHLAR_ALWAYS_INLINE constexpr explicit operator bool() const noexcept { return ok(); }

    /// The error as a sentence: "encoder.weight: the model needs [4, 8], the file has [8, 4]".
    template <class Config = current_config>
    [[nodiscard]] constexpr fixed_text<511> message() const noexcept;
};

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

/// The result of a refused call, so that its error is the only one and no unused result causes a warning.
struct refused_result : io::result {};

/// Appends to a text of fixed capacity; what does not fit is lost.
template <std::size_t Capacity>
struct message_writer {
    fixed_text<Capacity> text{};

    ASHLAR_ALWAYS_INLINE constexpr void put(char c) noexcept {
        if (text.length < Capacity) text.characters[text.length++] = c;
    }
    template <class Config = current_config>
    constexpr void put(std::string_view s) noexcept {
        for (const char c : s) put(c);
    }
    template <class Config = current_config>
    constexpr void write_number(std::uint64_t n) noexcept {
        char digits[20]{};
        std::size_t count = 0;
        do {
            digits[count++] = static_cast<char>('0' + n % 10);
            n /= 10;
        } while (n != 0);
        while (count != 0) put(digits[--count]);
    }
    /// "[4, 8]"
    template <class Config = current_config>
    constexpr void put_shape(const io::dimensions& shape) noexcept {
        put('[');
        for (std::size_t i = 0; i < shape.rank; ++i) {
            if (i != 0) put(std::string_view(", "));
            write_number(shape.extents[i]);
        }
        put(']');
    }
};

/// A name for a message: control characters become '?', and a long name keeps its beginning and end.
template <class Config>
constexpr fixed_text<120> printable_name(std::string_view name) noexcept {
    message_writer<120> out;
    const auto put = [&](std::string_view part) {
        for (const char c : part) out.put(static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c);
    };
    if (name.size() <= 120) {
        put(name);
    } else {
        // Not substr, which can throw: an object file that only uses images must not need exceptions.
        put({name.data(), 58});
        put("...");
        put({name.data() + name.size() - 59, 59});
    }
    return out.text;
}

template <class Config>
constexpr io::result io_error(io::error e) noexcept {
    io::result r;
    r.error = e;
    return r;
}
template <class Config>
constexpr io::result io_error(io::error e, std::string_view name) noexcept {
    io::result r = io_error<Config>(e);
    r.name = printable_name<Config>(name);
    return r;
}
/// An error at a byte of the file.
template <class Config>
constexpr io::result io_error_at(io::error e, std::uint64_t position, const char* reason = "") noexcept {
    io::result r = io_error<Config>(e);
    r.position = position;
    r.reason = reason;
    return r;
}
/// Fewer bytes than needed.
template <class Config>
constexpr io::result io_truncated(std::uint64_t needed, std::uint64_t there) noexcept {
    io::result r = io_error<Config>(io::error::truncated);
    r.position = needed;
    r.limit = there;
    return r;
}

/// The text of errors without numbers.
template <class Config>
constexpr const char* error_phrase(io::error e) noexcept {
    switch (e) {
    case io::error::none: return "no error";
    case io::error::cannot_open: return "the file cannot be opened";
    case io::error::cannot_read: return "the file cannot be read";
    case io::error::cannot_write: return "the file cannot be written";
    case io::error::out_of_memory: return "not enough memory";
    case io::error::no_room: return "the memory to write to is too small";
    case io::error::truncated: return "truncated";
    case io::error::header_too_large: return "the header is too large";
    case io::error::malformed_header: return "malformed header";
    case io::error::duplicate_name: return "the file has two arrays of this name";
    case io::error::unsupported: return "not supported";
    case io::error::too_many_axes: return "an array of more than 8 axes";
    case io::error::size_mismatch: return "its bytes do not fit its shape and element type";
    case io::error::offset_out_of_range: return "it lies beyond the end of the file";
    case io::error::overlapping: return "it shares bytes with";
    case io::error::unused_bytes: return "bytes that belong to no array";
    case io::error::checksum: return "the checksum is wrong, the file is damaged";
    case io::error::missing: return "missing in the file";
    case io::error::unexpected: return "in the file, but not in the model";
    case io::error::wrong_shape:
    case io::error::wrong_dtype:
    case io::error::wrong_size: return "the model needs";
    case io::error::value_out_of_range: return "the file has an integer that the elements of the tensor cannot hold";
    case io::error::conflict: return "two members of the model have this name in the file, and differ";
    case io::error::name_too_long: return "the name becomes longer than 511 characters";
    case io::error::not_an_image: return "no model image";
    case io::error::wrong_version: return "a model image of another version; make it again";
    case io::error::wrong_layout:
        return "an image of another model: names, shapes, types or offsets differ; make it again";
    case io::error::misaligned: return "the bytes must begin at a multiple of the model's alignment";
    case io::error::unlisted_members: return "the model has members that its list of members does not name";
    }
    return "unknown error";
}

}  // namespace ashlar::detail

namespace ashlar::inline v0_1::io {

template <class Config>
constexpr fixed_text<511> result::message() const noexcept {
    ashlar::detail::message_writer<511> out;
    if (!name.empty()) {
        out.put(std::string_view(name.data(), name.size()));
        out.put(std::string_view(": "));
    }
    out.put(std::string_view(ashlar::detail::error_phrase<Config>(error)));
    const auto number = [&](std::string_view before, std::uint64_t n, std::string_view after = {}) {
        out.put(before);
        out.write_number(n);
        out.put(after);
    };
    switch (error) {
    case error::truncated:
    case error::no_room:
        number(": ", position, " bytes are needed");
        number(", there are ", limit);
        break;
    case error::header_too_large:
        number(": ", position);
        number(" bytes, at most ", limit, " are allowed; is it a safetensors file?");
        break;
    case error::offset_out_of_range:
        number(": ", position, " bytes");
        number(", there are ", limit);
        break;
    case error::malformed_header:
    case error::cannot_read:
    case error::unsupported:
        if (*reason != '\0') {
            out.put(std::string_view(": "));
            out.put(std::string_view(reason));
        }
        if (error == error::unsupported && !other.empty()) {
            out.put(std::string_view(", "));
            out.put(std::string_view(other.data(), other.size()));
        }
        if (error == error::malformed_header) number(", at byte ", position);
        break;
    case error::size_mismatch:
        number(": ", position, " bytes are needed");
        number(", it has ", limit);
        break;
    case error::missing: {
        const std::string_view meant(nearest.data(), nearest.size()), missing(name.data(), name.size());
        if (!other.empty()) {
            out.put(std::string_view(", in the model "));
            out.put(std::string_view(other.data(), other.size()));
        }
        if (meant.empty()) break;
        out.put(std::string_view("; the file has "));
        out.put(meant);
        if (meant.ends_with(missing)) {
            out.put(std::string_view(": load with .prefix = \""));
            out.put(std::string_view(meant.data(), meant.size() - missing.size()));
            out.put('"');
        } else if (missing.ends_with(meant)) {
            out.put(std::string_view(": load with another .prefix, or none"));
        }
        break;
    }
    case error::unexpected:
        out.put(std::string_view("; load with .ignore_unexpected = true to leave such arrays out"));
        break;
    case error::overlapping:
        out.put(' ');
        out.put(std::string_view(other.data(), other.size()));
        break;
    case error::unused_bytes:
        number(": ", limit);
        number(" from byte ", position, " on");
        break;
    case error::wrong_shape:
        out.put(' ');
        out.put_shape(expected);
        out.put(std::string_view(", the file has "));
        out.put_shape(found);
        break;
    case error::wrong_dtype:
        out.put(' ');
        out.put(std::string_view(name_of(expected_dtype)));
        out.put(std::string_view(", the file has "));
        out.put(std::string_view(name_of(found_dtype)));
        break;
    case error::wrong_size:
        number(" ", position, " bytes");
        number(", the image has ", limit);
        break;
    default: break;
    }
    return out.text;
}

}  // namespace ashlar::io
