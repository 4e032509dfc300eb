// SPDX-License-Identifier: BSL-1.0
// Text of a fixed capacity, held by value: plans, summaries and error messages without a heap.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// Characters held by value, with a terminating zero after them; made at compile time, printable anywhere.
///
///     std::puts(explain(e).c_str());
///     std::string_view view(text.data(), text.size());
template <std::size_t Capacity>
struct fixed_text {
    std::array<char, Capacity + 1> characters{};
    std::size_t length = 0;

    /// The most characters that it holds.
    ASHLAR_ALWAYS_INLINE static constexpr std::size_t capacity() noexcept { return Capacity; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return length; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool empty() const noexcept { return length == 0; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const char* data() const noexcept { return characters.data(); }
    /// The characters, with a terminating zero after the last one.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const char* c_str() const noexcept { return characters.data(); }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const char* begin() const noexcept { return characters.data(); }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const char* end() const noexcept { return characters.data() + length; }

    /// Whether a string occurs in the text.
    template <class Config = current_config>
    [[nodiscard]] constexpr bool contains(const char* part) const noexcept {
        for (std::size_t i = 0; i <= length; ++i)
            for (std::size_t k = 0;; ++k) {
                if (part[k] == '\0') return true;
                if (i + k >= length || characters[i + k] != part[k]) break;
            }
        return false;
    }
};

}  // namespace ashlar
