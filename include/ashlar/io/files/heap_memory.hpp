// SPDX-License-Identifier: BSL-1.0
// Heap memory whose allocation may fail without an exception.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// An array of a length known at run time. `allocate` returns whether there was memory for it. In a constant expression
/// the compiler has the memory.
template <class Element>
class owned_array {
public:
    constexpr owned_array() noexcept = default;
    ASHLAR_ALWAYS_INLINE constexpr owned_array(owned_array&& from) noexcept
        : elements(std::exchange(from.elements, nullptr)), count(std::exchange(from.count, 0)) {}
    ASHLAR_ALWAYS_INLINE constexpr owned_array& operator=(owned_array&& from) noexcept {
        if (this != &from) {
            release();
            elements = std::exchange(from.elements, nullptr);
            count = std::exchange(from.count, 0);
        }
        return *this;
    }
    ASHLAR_ALWAYS_INLINE constexpr ~owned_array() { release(); }

    /// Elements are value-initialised. The length may be 0.
    template <class Config = current_config>
    constexpr bool allocate(std::size_t n) noexcept {
        release();
        constexpr std::size_t bytes = sizeof(Element);  // NOLINT(bugprone-sizeof-expression): also of pointers
        if (n > static_cast<std::size_t>((std::numeric_limits<std::ptrdiff_t>::max)()) / bytes) return false;
        if (std::is_constant_evaluated()) {
            if (n != 0) elements = new Element[n]{};  // NOLINT(bugprone-unhandled-exception-at-new): there are none
        } else if (n != 0) {
            elements = new (std::nothrow) Element[n]{};
        }
        count = elements != nullptr ? n : 0;
        return count == n;
    }
    /// Leaves out the elements from n on; the memory stays.
    ASHLAR_ALWAYS_INLINE constexpr void truncate(std::size_t n) noexcept { count = n < count ? n : count; }
    ASHLAR_ALWAYS_INLINE constexpr void release() noexcept {
        delete[] elements;
        elements = nullptr;
        count = 0;
    }

    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element* data() noexcept { return elements; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const Element* data() const noexcept { return elements; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return count; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element& operator[](std::size_t i) noexcept { return elements[i]; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const Element& operator[](std::size_t i) const noexcept {
        return elements[i];
    }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element* begin() noexcept { return elements; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element* end() noexcept { return elements + count; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const Element* begin() const noexcept { return elements; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr const Element* end() const noexcept { return elements + count; }

private:
    Element* elements = nullptr;
    std::size_t count = 0;
};

/// Bytes at a multiple of 64, so that a model image read from a file can be used in place.
class owned_bytes {
public:
    static constexpr std::align_val_t alignment{64};

    owned_bytes() noexcept = default;
    ASHLAR_ALWAYS_INLINE owned_bytes(owned_bytes&& from) noexcept
        : first(std::exchange(from.first, nullptr)), count(std::exchange(from.count, 0)) {}
    ASHLAR_ALWAYS_INLINE owned_bytes& operator=(owned_bytes&& from) noexcept {
        if (this != &from) {
            release();
            first = std::exchange(from.first, nullptr);
            count = std::exchange(from.count, 0);
        }
        return *this;
    }
    ASHLAR_ALWAYS_INLINE ~owned_bytes() { release(); }

    /// The bytes are not initialised.
    template <class Config = current_config>
    bool allocate(std::size_t n) noexcept {
        release();
        if (n > static_cast<std::size_t>((std::numeric_limits<std::ptrdiff_t>::max)())) return false;
        if (n != 0) first = static_cast<std::byte*>(::operator new(n, alignment, std::nothrow));
        count = first != nullptr ? n : 0;
        return count == n;
    }
    ASHLAR_ALWAYS_INLINE void release() noexcept {
        ::operator delete(first, alignment);
        first = nullptr;
        count = 0;
    }

    [[nodiscard]] ASHLAR_ALWAYS_INLINE std::byte* data() noexcept { return first; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE const std::byte* data() const noexcept { return first; }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE std::size_t size() const noexcept { return count; }

private:
    std::byte* first = nullptr;
    std::size_t count = 0;
};

}  // namespace ashlar::detail
