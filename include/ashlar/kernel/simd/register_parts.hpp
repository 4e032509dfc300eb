// SPDX-License-Identifier: BSL-1.0
// Parts of a register as narrower registers or scalars: its first lanes, and groups of lanes that are apart in memory.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/config.hpp>
#include <ashlar/kernel/simd.hpp>

#if defined(ASHLAR_HAS_REGISTERS)

namespace ashlar::inline v0_1::detail {

template <class Element, std::size_t Width, class Config>
struct register_parts {
    template <std::size_t Count>
    using vector = gnu_vector_t<Element, Count>;

    /// True if `Count` lanes are a register of their own.
    template <std::size_t Count>
    static constexpr bool has =
        registers_are_vectors && 2 * Count <= Width && Count * sizeof(Element) >= 16 && (Count & (Count - 1)) == 0;

    /// True if `Count` lanes are a scalar: usually no register is as narrow.
    template <std::size_t Count>
    static constexpr bool is_scalar =
        registers_are_vectors && Count < Width && (Count * sizeof(Element) == 4 || Count * sizeof(Element) == 8);

    /// `Count` values followed by zeros.
    template <std::size_t Count>
        requires(has<Count>)
    ASHLAR_ALWAYS_INLINE static vector<Width> load_low(const Element* source) {
        vector<Count> low;
        __builtin_memcpy(&low, source, sizeof low);
        return widened<Count>(low);
    }
    template <std::size_t Count>
        requires(is_scalar<Count>)
    ASHLAR_ALWAYS_INLINE static vector<Width> load_low(const Element* source) {
        return __builtin_bit_cast(vector<Width>, scalars<Count>{scalar_at<Count>(source)});
    }

    /// `Size / Count` groups of `Count` values, `distance` apart.
    template <std::size_t Count, std::size_t Size>
    ASHLAR_ALWAYS_INLINE static vector<Size> load_groups(const Element* source, std::ptrdiff_t distance) {
        if constexpr (Size == Count) {
            vector<Size> values;
            __builtin_memcpy(&values, source, sizeof values);
            return values;
        } else {
            const auto low = load_groups<Count, Size / 2>(source, distance);
            const auto high = load_groups<Count, Size / 2>(
                source + static_cast<std::ptrdiff_t>(Size / 2 / Count) * distance, distance);
            return picked(low, high, std::make_index_sequence<Size>{});
        }
    }

    /// The same in the first lanes, also for scalars; the lanes after them are unspecified.
    template <std::size_t Count, std::size_t Size>
        requires((has<Count> || is_scalar<Count>) && Size <= Width && Size * sizeof(Element) >= 16)
    ASHLAR_ALWAYS_INLINE static vector<Width> gather_groups(const Element* source, std::ptrdiff_t distance) {
        return widened<Size>(gathered<Count, Size>(source, distance));
    }

    /// The lanes [First, First + Count).
    template <std::size_t First, std::size_t Count>
    ASHLAR_ALWAYS_INLINE static void store_part(vector<Width> a, Element* target) {
        const auto some = shifted<First>(a, std::make_index_sequence<Count>{});
        __builtin_memcpy(target, &some, sizeof some);
    }
    template <std::size_t Count>
        requires(is_scalar<Count>)
    ASHLAR_ALWAYS_INLINE static void store_low(vector<Width> a, Element* target) {
        const scalar<Count> value = __builtin_bit_cast(scalars<Count>, a)[0];
        __builtin_memcpy(target, &value, sizeof value);
    }
    template <std::size_t Count>
        requires(has<Count>)
    ASHLAR_ALWAYS_INLINE static void store_low(vector<Width> a, Element* target) {
        store_part<0, Count>(a, target);
    }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static void store_groups(vector<Width> a, Element* target, std::ptrdiff_t distance) {
        [&]<std::size_t... Group>(std::index_sequence<Group...>) ASHLAR_LAMBDA_INLINE {
            (store_part<Group * Count, Count>(a, target + static_cast<std::ptrdiff_t>(Group) * distance), ...);
        }(std::make_index_sequence<Width / Count>{});
    }

private:
    template <std::size_t Count>
    using scalar = std::conditional_t<Count == 1, lane_element<Element>, signed_of_size<Count * sizeof(Element)>>;
    template <std::size_t Count>
    using scalars = gnu_vector_t<scalar<Count>, Width / Count>;

    template <std::size_t Count, std::size_t Size>
    ASHLAR_ALWAYS_INLINE static vector<Size> gathered(const Element* source, std::ptrdiff_t distance) {
        if constexpr (has<Count>) {
            return load_groups<Count, Size>(source, distance);
        } else if constexpr (Size * sizeof(Element) == 16) {
            return [&]<std::size_t... Group>(std::index_sequence<Group...>) ASHLAR_LAMBDA_INLINE {
                return __builtin_bit_cast(
                    vector<Size>, gnu_vector_t<scalar<Count>, Size / Count>{
                                      scalar_at<Count>(source + static_cast<std::ptrdiff_t>(Group) * distance)...});
            }(std::make_index_sequence<Size / Count>{});
        } else {
            const auto low = gathered<Count, Size / 2>(source, distance);
            const auto high =
                gathered<Count, Size / 2>(source + static_cast<std::ptrdiff_t>(Size / 2 / Count) * distance, distance);
            return picked(low, high, std::make_index_sequence<Size>{});
        }
    }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static scalar<Count> scalar_at(const Element* source) {
        scalar<Count> value;
        __builtin_memcpy(&value, source, sizeof value);
        return value;
    }
    template <std::size_t Count>
    ASHLAR_ALWAYS_INLINE static vector<Width> widened(vector<Count> low) {
        if constexpr (Count == Width)
            return low;
        else
            return widened<2 * Count>(picked(low, vector<Count>{}, std::make_index_sequence<2 * Count>{}));
    }
    template <class Half, std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static auto picked(Half low, Half high, std::index_sequence<Index...>) {
        return __builtin_shufflevector(low, high, static_cast<int>(Index)...);
    }
    template <std::size_t First, std::size_t... Index>
    ASHLAR_ALWAYS_INLINE static auto shifted(vector<Width> a, std::index_sequence<Index...>) {
        return __builtin_shufflevector(a, a, static_cast<int>(First + Index)...);
    }
};

}  // namespace ashlar::detail

#endif
