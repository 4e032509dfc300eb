// SPDX-License-Identifier: BSL-1.0
// Writes JSON in a constant expression, into memory or only to count its characters.
#pragma once

#include <cstddef>

namespace ashlar::inline v0_1::detail {

/// Writes the commas itself, between values in the same brackets.
struct json_writer {
    char* to = nullptr;  // nothing: characters are only counted
    std::size_t length = 0;
    bool after_value = false;

    constexpr void begin(char bracket) {
        separate();
        put(bracket);
        after_value = false;
    }
    template <class... Brackets>
    constexpr void end(Brackets... brackets) {
        (put(brackets), ...);
        after_value = true;
    }
    constexpr void key(const char* name) {
        text(name);
        put(':');
        after_value = false;
    }
    constexpr void begin(const char* name, char bracket) {
        key(name);
        begin(bracket);
    }

    constexpr void number(std::size_t n) {
        separate();
        char digits[32]{};
        std::size_t count = 0;
        do {
            digits[count++] = static_cast<char>('0' + n % 10);
            n /= 10;
        } while (n != 0);
        while (count != 0) put(digits[--count]);
        after_value = true;
    }
    constexpr void boolean(bool b) {
        separate();
        for (const char* c = b ? "true" : "false"; *c != '\0'; ++c) put(*c);
        after_value = true;
    }
    /// Characters beyond ASCII are UTF-8 already.
    constexpr void text(const char* characters, std::size_t count) {
        separate();
        put('"');
        for (std::size_t i = 0; i < count; ++i) put_escaped(characters[i]);
        put('"');
        after_value = true;
    }
    constexpr void text(const char* characters) {
        std::size_t count = 0;
        while (characters[count] != '\0') ++count;
        text(characters, count);
    }
    /// JSON that is one value.
    constexpr void raw(const char* characters, std::size_t count) {
        separate();
        for (std::size_t i = 0; i < count; ++i) put(characters[i]);
        after_value = true;
    }

    constexpr void member(const char* name, std::size_t n) {
        key(name);
        number(n);
    }
    constexpr void member(const char* name, bool b) {
        key(name);
        boolean(b);
    }
    constexpr void member(const char* name, const char* characters) {
        key(name);
        text(characters);
    }
    /// Several members: a name, its value, the next name.
    template <class Value, class... Rest>
        requires(sizeof...(Rest) != 0)
    constexpr void member(const char* name, Value value, Rest... rest) {
        member(name, value);
        member(rest...);
    }

private:
    constexpr void put(char c) {
        if (to != nullptr) to[length] = c;
        ++length;
    }
    constexpr void separate() {
        if (after_value) put(',');
        after_value = false;
    }
    constexpr void put_escaped(char c) {
        const auto code = static_cast<unsigned char>(c);
        if (code < 0x20) {
            for (const char* hex = "\\u00"; *hex != '\0'; ++hex) put(*hex);
            put("0123456789abcdef"[code / 16]);
            put("0123456789abcdef"[code % 16]);
            return;
        }
        if (c == '"' || c == '\\') put('\\');
        put(c);
    }
};

}  // namespace ashlar::detail
