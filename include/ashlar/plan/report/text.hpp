// SPDX-License-Identifier: BSL-1.0
// Text of a fixed capacity that is written in a constant expression.
#pragma once

#include <cstddef>

#include <ashlar/core/fixed_text.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// "24 KiB", "8,320 B".
struct byte_count {
    std::size_t bytes;
};
/// A number of things.
struct plural {
    std::size_t n;
    const char *one, *many;
};

/// Appends to text, breaks lines at spaces and indents what follows a break. Text beyond the capacity is lost.
template <std::size_t Capacity>
struct text_writer {
    static constexpr std::size_t line_width = 100;

    fixed_text<Capacity> text{};
    std::size_t line_start = 0, last_space = 0, indent = 0;
    bool unbroken = false;  // no line ends at the spaces that follow

    constexpr std::size_t column() const { return text.length - line_start; }

    constexpr void put(char c) {
        if (text.length == Capacity) return;
        if (c == '\n') {
            while (text.length > line_start && text.characters[text.length - 1] == ' ') --text.length;
            text.characters[text.length++] = c;
            line_start = text.length;
            last_space = 0;
            return;
        }
        if (c == ' ' && column() > indent && !unbroken) last_space = text.length;
        text.characters[text.length++] = c;
        if (column() > line_width && last_space != 0) wrap();
    }
    constexpr void put(const char* s) {
        while (*s != '\0') put(*s++);
    }
    /// 1,234,567
    constexpr void put(std::size_t n) {
        char digits[32]{};
        std::size_t count = 0, length = 0;
        do {
            if (count != 0 && count % 3 == 0) digits[length++] = ',';
            digits[length++] = static_cast<char>('0' + n % 10);
            n /= 10;
            ++count;
        } while (n != 0);
        while (length != 0) put(digits[--length]);
    }
    constexpr void put_signed(std::ptrdiff_t n) {
        if (n < 0) put('-');
        put(static_cast<std::size_t>(n < 0 ? -n : n));
    }
    constexpr void put(byte_count b) {
        const bool whole_kib = b.bytes != 0 && b.bytes % 1024 == 0;
        put(whole_kib ? b.bytes / 1024 : b.bytes, whole_kib ? " KiB" : " B");
    }
    constexpr void put(plural p) { put(p.n, ' ', p.n == 1 ? p.one : p.many); }
    /// Several of these, one after the other.
    template <class... Parts>
        requires(sizeof...(Parts) > 1)
    constexpr void put(Parts... parts) {
        (put(parts), ...);
    }
    /// Spaces up to a column, at least one.
    constexpr void align(std::size_t to) {
        do put(' ');
        while (column() < to && text.length < Capacity);
    }
    /// The following text starts at this column, on the next line if the current one is past it.
    constexpr void start_at(std::size_t to) {
        if (column() + 1 > to) put('\n');
        while (column() < to && text.length < Capacity) put(' ');
    }

private:
    /// Turns the last space of the line into a break.
    constexpr void wrap() {
        const std::size_t tail = text.length - last_space - 1;
        if (text.length + indent > Capacity) return;
        for (std::size_t i = tail; i-- > 0;)
            text.characters[last_space + 1 + indent + i] = text.characters[last_space + 1 + i];
        for (std::size_t i = 0; i < indent; ++i) text.characters[last_space + 1 + i] = ' ';
        text.characters[last_space] = '\n';
        line_start = last_space + 1;
        text.length += indent;
        last_space = 0;
    }
};

}  // namespace detail
}  // namespace ashlar
