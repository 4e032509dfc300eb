// SPDX-License-Identifier: BSL-1.0
// A strict reader of the JSON in safetensors headers.
//
// It is not a JSON library, because this header-only library depends on xsimd alone, the headers are untrusted input,
// and they have three kinds of value only: strings, lists of unsigned integers, and objects of them. This reader
// neither allocates nor recurses, so that no header can make it use memory or stack; it accepts the grammar of the
// format (https://github.com/huggingface/safetensors#format) and refuses the rest of JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/result.hpp>

namespace ashlar::inline v0_1::detail {

/// Length of the UTF-8 sequence at a position of a text, 0 if it is none: overlong forms, surrogates and code points
/// beyond U+10FFFF are refused.
template <class Config>
constexpr std::size_t utf8_length(std::string_view text, std::size_t at) noexcept {
    const auto byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
    };
    const auto follows = [&](std::size_t i, unsigned first = 0x80, unsigned last = 0xbf) {
        return byte(i) >= first && byte(i) <= last;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
    if (lead >= 0xe0 && lead <= 0xef) {
        const bool second = lead == 0xe0 ? follows(1, 0xa0) : lead == 0xed ? follows(1, 0x80, 0x9f) : follows(1);
        return second && follows(2) ? 3 : 0;
    }
    if (lead >= 0xf0 && lead <= 0xf4) {
        const bool second = lead == 0xf0 ? follows(1, 0x90) : lead == 0xf4 ? follows(1, 0x80, 0x8f) : follows(1);
        return second && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

/// A raw string of the header, between its quotes.
struct json_string {
    std::string_view raw{};
    bool has_escapes = false;
};

/// The value of four hexadecimal digits, which have been checked.
template <class Config>
constexpr std::uint32_t json_hex(std::string_view digits) noexcept {
    std::uint32_t value = 0;
    for (const char c : digits)
        value = value * 16 + static_cast<std::uint32_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    return value;
}

/// Writes the unescaped characters of a string and returns their number, at most raw.size().
template <class Config>
constexpr std::size_t json_unescape(std::string_view raw, char* to) noexcept {
    char* const begin = to;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\') {
            *to++ = raw[i];
            continue;
        }
        switch (raw[++i]) {
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u': {
            std::uint32_t code = json_hex<Config>(raw.substr(i + 1, 4));
            i += 4;
            if (code >= 0xd800 && code <= 0xdbff) {  // the second half follows, as json_reader has checked
                code = 0x10000 + ((code - 0xd800) << 10) + (json_hex<Config>(raw.substr(i + 3, 4)) - 0xdc00);
                i += 6;
            }
            const auto put = [&](std::uint32_t byte) { *to++ = static_cast<char>(static_cast<unsigned char>(byte)); };
            if (code < 0x80) {
                put(code);
            } else if (code < 0x800) {
                put(0xc0 | code >> 6);
                put(0x80 | (code & 0x3f));
            } else if (code < 0x10000) {
                put(0xe0 | code >> 12);
                put(0x80 | (code >> 6 & 0x3f));
                put(0x80 | (code & 0x3f));
            } else {
                put(0xf0 | code >> 18);
                put(0x80 | (code >> 12 & 0x3f));
                put(0x80 | (code >> 6 & 0x3f));
                put(0x80 | (code & 0x3f));
            }
            break;
        }
        default: *to++ = raw[i]; break;  // quote, backslash, slash
        }
    }
    return static_cast<std::size_t>(to - begin);
}

/// Reads a text token by token. It keeps the first failure (`reason` and `position()`), and every later call fails. It
/// reads by pointers, because the compiler reads headers of embedded weights and limits its steps.
template <class Config>
class json_reader {
public:
    constexpr explicit json_reader(std::string_view json) noexcept
        : first(json.data()), next(first), last(first + json.size()) {}

    [[nodiscard]] constexpr const char* failure() const noexcept { return reason; }
    [[nodiscard]] constexpr std::size_t position() const noexcept { return static_cast<std::size_t>(next - first); }

    /// Whether the next token is a character; consumes it if so.
    constexpr bool take(char c) noexcept {
        skip_spaces();
        if (reason != nullptr || next == last || *next != c) return false;
        ++next;
        return true;
    }
    /// The next token must be a character.
    constexpr bool expect(char c, const char* otherwise) noexcept { return take(c) || fail(otherwise); }

    /// Nothing but spaces may follow.
    constexpr bool expect_end() noexcept {
        skip_spaces();
        return next == last || fail("there is more after the closing brace");
    }

    constexpr bool read(json_string& out) noexcept {
        if (!expect('"', "a string is expected")) return false;
        const char* const begin = next;
        out.has_escapes = false;
        for (skip_plain(); next != last; skip_plain()) {
            const char c = *next;
            if (c == '"') {
                out.raw = {begin, static_cast<std::size_t>(next - begin)};
                ++next;
                return true;
            }
            if (static_cast<unsigned char>(c) < 0x20) return fail("a control character in a string");
            if (c == '\\') {
                out.has_escapes = true;
                if (!skip_escape()) return false;
                continue;
            }
            const std::size_t length = utf8_length<Config>(rest(), 0);
            if (length == 0) return fail("a string is not UTF-8");
            next += length;
        }
        return fail("a string does not end");
    }

    /// An integer of at most 64 bits without sign, fraction, exponent or leading zeros.
    constexpr bool read(std::uint64_t& out) noexcept {
        skip_spaces();
        if (reason != nullptr) return false;
        if (next == last || !is_digit(*next)) return fail("an unsigned integer is expected");
        if (*next == '0' && next + 1 != last && is_digit(next[1])) return fail("an integer has leading zeros");
        constexpr std::uint64_t most = (std::numeric_limits<std::uint64_t>::max)();
        out = 0;
        for (; next != last && is_digit(*next); ++next) {
            const auto digit = static_cast<std::uint64_t>(*next - '0');
            if (out > most / 10 || (out == most / 10 && digit > most % 10))
                return fail("an integer needs more than 64 bits");
            out = out * 10 + digit;
        }
        if (next != last && (*next == '.' || *next == 'e' || *next == 'E'))
            return fail("an integer is expected, not a fraction");
        return true;
    }

    constexpr bool fail(const char* why) noexcept {
        if (reason == nullptr) reason = why;
        return false;
    }

private:
    const char* first;
    const char* next;
    const char* last;
    const char* reason = nullptr;

    static constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

    [[nodiscard]] constexpr std::string_view rest() const noexcept {
        return {next, static_cast<std::size_t>(last - next)};
    }

    constexpr void skip_spaces() noexcept {
        while (next != last && (*next == ' ' || *next == '\n' || *next == '\r' || *next == '\t')) ++next;
    }
    /// Skips the characters of a string that mean themselves.
    constexpr void skip_plain() noexcept {
        while (next != last && *next >= ' ' && *next < 0x7f && *next != '"' && *next != '\\') ++next;
    }

    static constexpr bool is_hex(std::string_view digits) noexcept {
        if (digits.size() < 4) return false;
        for (const char digit : digits.substr(0, 4))
            if (const char c = static_cast<char>(digit | 0x20); !is_digit(digit) && (c < 'a' || c > 'f')) return false;
        return true;
    }

    constexpr bool skip_escape() noexcept {
        const char kind = ++next != last ? *next++ : '\0';
        if (kind != 'u')
            return (kind != '\0' && std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos) ||
                   fail("an unknown escape in a string");
        if (!is_hex(rest())) return fail("an escape needs four hexadecimal digits");
        const std::uint32_t code = json_hex<Config>(rest().substr(0, 4));
        next += 4;
        if (code < 0xd800 || code > 0xdfff) return true;
        if (code > 0xdbff || !rest().starts_with("\\u") || !is_hex(rest().substr(2)))
            return fail("half a surrogate pair in a string");
        const std::uint32_t second = json_hex<Config>(rest().substr(2, 4));
        if (second < 0xdc00 || second > 0xdfff) return fail("half a surrogate pair in a string");
        next += 6;
        return true;
    }
};

}  // namespace ashlar::detail
