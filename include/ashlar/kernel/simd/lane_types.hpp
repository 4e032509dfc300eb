// SPDX-License-Identifier: BSL-1.0
// The types of Width values computed side by side and of masks over them, the same for registers and for arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/narrow_float.hpp>
#include <ashlar/kernel/simd/array_lanes.hpp>

namespace ashlar::inline v0_1 {

/// Lanes of `Element` in one register of this build; at least 1.
template <class Element, class Config = current_config>
inline constexpr std::size_t lane_width = Config::register_bits / 8 / sizeof(Element) > 1
                                              ? Config::register_bits / 8 / sizeof(Element)
                                              : 1;

template <class Element, std::size_t Width, class Config>
struct lane_mask;

namespace detail {
template <class Stored, std::size_t Width, class Config>
struct narrow_lanes;

/// The conversions between lanes and batches of xsimd; <ashlar/kernel/xsimd.hpp> defines them.
template <class Batch, class Lanes>
struct batch_conversion {
    static constexpr bool exists = false;
};

}  // namespace detail

/// `Width` values of arithmetic type `Element`: a vector register if this build has one of that size (with
/// <ashlar/kernel/simd.hpp> included), otherwise an array. One lane is always an array and works in constant
/// expressions. Uninitialised unless built from a value.
///
///     using f = lanes<float, lane_width<float>>;
///     f y = max(f::load(x) * 2 + 0.5f, 0);
template <class Element, std::size_t Width, class Config = current_config>
struct lanes {
    using value_type = Element;
    using config_type = Config;
    using mask_type = lane_mask<Element, Width, Config>;
    using ops = detail::lane_ops<Element, Width, Config>;
    using storage = typename ops::storage;
    static constexpr std::size_t size = Width;

    storage data;

    lanes() = default;
    /// The representation, for kernel/simd.hpp and the functions below.
    ASHLAR_ALWAYS_INLINE constexpr explicit lanes(storage value) : data(value) {}
    /// The same value in all lanes, converted to Element.
    template <class Scalar>
        requires std::is_arithmetic_v<Scalar>
    ASHLAR_ALWAYS_INLINE constexpr lanes(Scalar value) : data(ops::broadcast(static_cast<Element>(value))) {}
    template <class Scalar>
        requires(detail::is_narrow<Scalar> && !std::is_arithmetic_v<Scalar>)
    ASHLAR_ALWAYS_INLINE constexpr lanes(Scalar value) : lanes(static_cast<float>(value)) {}
    /// To and from `xsimd::batch` of as many elements, with <ashlar/kernel/xsimd.hpp>. One lane is the first of a batch
    /// and fills all of one.
    template <class Batch>
        requires detail::batch_conversion<Batch, lanes>::exists
    ASHLAR_ALWAYS_INLINE lanes(Batch value) : lanes(detail::batch_conversion<Batch, lanes>::from_batch(value)) {}
    template <class Batch>
        requires detail::batch_conversion<Batch, lanes>::exists
    ASHLAR_ALWAYS_INLINE operator Batch() const {
        return detail::batch_conversion<Batch, lanes>::to_batch(*this);
    }

    /// Width consecutive values from any address that is aligned for Element.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes load(const Element* source) {
        return lanes(ops::load(source));
    }
    /// The first `count` <= Width values; the other lanes are zero and their memory is not touched.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes load_partial(const Element* source, std::size_t count) {
        return lanes(ops::load_partial(source, count));
    }
    /// The same with a constant count, which needs no mask arithmetic.
    template <std::size_t Count>
        requires(Count <= Width)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes load_partial(const Element* source) {
        if constexpr (Count == Width)
            return load(source);
        else if constexpr (Count == 0)
            return lanes(Element(0));
        else if constexpr (requires { ops::template load_low<Count>(source); })
            return lanes(ops::template load_low<Count>(source));
        else
            return lanes(ops::load_partial(source, Count));
    }
    /// Every `stride`-th value from source[0]; a negative stride goes down.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes gather_strided(const Element* source,
                                                                             std::ptrdiff_t stride) {
        return lanes(ops::gather_strided(source, stride));
    }
    /// Of float from memory of f16 or bf16, exactly; Element is float.
    template <class Stored>
        requires detail::is_narrow<Stored>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes load(const Stored* source) {
        return detail::narrow_lanes<Stored, Width, Config>::load(source);
    }
    template <std::size_t Count, class Stored>
        requires(Count <= Width && detail::is_narrow<Stored>)
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes load_partial(const Stored* source) {
        return detail::narrow_lanes<Stored, Width, Config>::template load_some<Count>(source);
    }
    template <class Stored>
        requires detail::is_narrow<Stored>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes gather_strided(const Stored* source,
                                                                             std::ptrdiff_t stride) {
        return detail::narrow_lanes<Stored, Width, Config>::gather(source, stride);
    }
    /// 0, 1, 2, ...
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lanes iota() { return lanes(ops::iota()); }

    /// Writes all lanes to memory of any alignment.
    ASHLAR_ALWAYS_INLINE constexpr void store(Element* target) const { ops::store(data, target); }
    /// Writes the first `count` <= Width lanes and touches nothing else.
    ASHLAR_ALWAYS_INLINE constexpr void store_partial(Element* target, std::size_t count) const {
        ops::store_partial(data, target, count);
    }
    template <std::size_t Count>
        requires(Count <= Width)
    ASHLAR_ALWAYS_INLINE constexpr void store_partial(Element* target) const {
        if constexpr (Count == Width)
            store(target);
        else if constexpr (requires { ops::template store_low<Count>(data, target); })
            ops::template store_low<Count>(data, target);
        else if constexpr (Count != 0)
            ops::store_partial(data, target, Count);
    }

    /// Of float to memory of f16 or bf16, rounded to the nearest; Element is float.
    template <class Stored>
        requires detail::is_narrow<Stored>
    ASHLAR_ALWAYS_INLINE constexpr void store(Stored* target) const {
        detail::narrow_lanes<Stored, Width, Config>::store(*this, target);
    }
    template <std::size_t Count, class Stored>
        requires(Count <= Width && detail::is_narrow<Stored>)
    ASHLAR_ALWAYS_INLINE constexpr void store_partial(Stored* target) const {
        detail::narrow_lanes<Stored, Width, Config>::template store_some<Count>(*this, target);
    }

    /// One lane; slow for registers, which go through memory.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element operator[](std::size_t i) const { return ops::get(data, i); }
    /// The same lanes with lane `i` replaced; slow for registers.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr lanes insert(std::size_t i, Element value) const {
        return lanes(ops::insert(data, i, value));
    }

    // The functions of <cmath> find this and give one error: users' functions are tried with one lane first. Not
    // defined for more lanes.
    operator Element()
        requires(std::is_floating_point_v<Element> && Width == 1)
    {
        constexpr bool lanes_are_one_number = sizeof(Element) == 0;
        static_assert(lanes_are_one_number,
                      "ashlar: map: lanes are several numbers; write exp(v) rather than std::exp(v), max(v, 0.0f) "
                      "rather than std::max(v, 0.0f), or let the function take a float");
        return {};
    }
    operator Element()
        requires(std::is_floating_point_v<Element> && Width != 1);
    // Not numbers in constant expressions, so that a function of a number is not taken for one of lanes.
    operator Element() const  // ashlar: map: lanes are several numbers; write exp(v), or let the function take a float
        requires std::is_floating_point_v<Element>
    = delete;

    ASHLAR_ALWAYS_INLINE constexpr lanes& operator+=(lanes b) { return *this = lanes(ops::add(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator-=(lanes b) { return *this = lanes(ops::sub(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator*=(lanes b) { return *this = lanes(ops::mul(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator/=(lanes b) { return *this = lanes(ops::div(data, b.data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator&=(lanes b)
        requires std::is_integral_v<Element>
    {
        return *this = lanes(ops::bit_and(data, b.data));
    }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator|=(lanes b)
        requires std::is_integral_v<Element>
    {
        return *this = lanes(ops::bit_or(data, b.data));
    }
    ASHLAR_ALWAYS_INLINE constexpr lanes& operator^=(lanes b)
        requires std::is_integral_v<Element>
    {
        return *this = lanes(ops::bit_xor(data, b.data));
    }

    ASHLAR_ALWAYS_INLINE constexpr lanes operator+() const { return *this; }
    ASHLAR_ALWAYS_INLINE constexpr lanes operator-() const { return lanes(ops::neg(data)); }
    ASHLAR_ALWAYS_INLINE constexpr lanes operator~() const
        requires std::is_integral_v<Element>
    {
        return lanes(ops::bit_not(data));
    }
};

/// One truth value for each lane of a `lanes<Element, Width, Config>`.
template <class Element, std::size_t Width, class Config = current_config>
struct lane_mask {
    using operand_type = lanes<Element, Width, Config>;
    using ops = detail::lane_ops<Element, Width, Config>;
    using storage = typename ops::mask;
    static constexpr std::size_t size = Width;

    storage data;

    lane_mask() = default;
    ASHLAR_ALWAYS_INLINE constexpr explicit lane_mask(storage value) : data(value) {}
    /// The same truth value in all lanes.
    template <class Truth>
        requires std::is_same_v<Truth, bool>
    ASHLAR_ALWAYS_INLINE constexpr lane_mask(Truth value) : data(ops::mask_broadcast(value)) {}
    /// From and to `xsimd::batch_bool`, likewise.
    template <class Batch>
        requires detail::batch_conversion<Batch, lane_mask>::exists
    ASHLAR_ALWAYS_INLINE lane_mask(Batch value)
        : lane_mask(detail::batch_conversion<Batch, lane_mask>::from_batch(value)) {}
    template <class Batch>
        requires detail::batch_conversion<Batch, lane_mask>::exists
    ASHLAR_ALWAYS_INLINE operator Batch() const {
        return detail::batch_conversion<Batch, lane_mask>::to_batch(*this);
    }

    /// True in the lanes below `count`.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lane_mask first(std::size_t count) {
        return lane_mask(ops::mask_first(count));
    }
    /// From Width bools.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lane_mask load(const bool* source) {
        return lane_mask(ops::mask_load(source));
    }
    /// From the first `count` <= Width bools; the other lanes are false and their memory is not touched.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr lane_mask load_partial(const bool* source, std::size_t count) {
        return lane_mask(ops::mask_load_partial(source, count));
    }
    /// Writes a bool for each lane.
    ASHLAR_ALWAYS_INLINE constexpr void store(bool* target) const { ops::mask_store(data, target); }
    /// Writes a bool for each of the first `count` lanes.
    ASHLAR_ALWAYS_INLINE constexpr void store_partial(bool* target, std::size_t count) const {
        bool values[Width] = {};
        store(values);
        for (std::size_t i = 0; i < Width && i < count; ++i) target[i] = values[i];
    }
    /// One lane; slow for registers.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool operator[](std::size_t i) const { return ops::mask_get(data, i); }

    // The same for conditions.
    explicit operator bool() const
        requires(Width == 1)
    {
        constexpr bool lanes_are_one_condition = sizeof(Element) == 0;
        static_assert(lanes_are_one_condition,
                      "ashlar: map: lanes differ, so they are not a condition; write select(v > 0, a, b) rather than "
                      "if or ?:, or let the function take a float");
        return false;
    }
    explicit operator bool() const
        requires(Width != 1);

    ASHLAR_ALWAYS_INLINE constexpr lane_mask operator!() const { return lane_mask(ops::mask_not(data)); }
    ASHLAR_ALWAYS_INLINE constexpr lane_mask operator~() const { return lane_mask(ops::mask_not(data)); }
    ASHLAR_ALWAYS_INLINE constexpr lane_mask& operator&=(lane_mask b) {
        return *this = lane_mask(ops::mask_and(data, b.data));
    }
    ASHLAR_ALWAYS_INLINE constexpr lane_mask& operator|=(lane_mask b) {
        return *this = lane_mask(ops::mask_or(data, b.data));
    }
    ASHLAR_ALWAYS_INLINE constexpr lane_mask& operator^=(lane_mask b) {
        return *this = lane_mask(ops::mask_xor(data, b.data));
    }
};

/// True for every `lanes` type.
template <class Lanes>
inline constexpr bool is_lanes = false;
template <class Element, std::size_t Width, class Config>
inline constexpr bool is_lanes<lanes<Element, Width, Config>> = true;

}  // namespace ashlar
