// SPDX-License-Identifier: BSL-1.0
// Reports the bitwise operators, by which other libraries join conditions and masks. Not those of what tensors of rank
// 0 convert to, nor | between a range and an adaptor.
#pragma once

#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes/refused.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <class Operand>
inline constexpr bool has_no_bits = any_mask<Operand>;
template <any_expression Operand>
inline constexpr bool has_no_bits<Operand> = shape_of<Operand>::rank != 0;

template <class Left, class Right>
concept bitwise_mistake =
    (has_no_bits<Left> && (any_expression<Right> || any_mask<Right> || std::is_arithmetic_v<Right>)) ||
    (has_no_bits<Right> && (any_expression<Left> || std::is_arithmetic_v<Left>));

template <class... Operand>
struct bitwise_operator {
    static constexpr bool exists = false;
};
template <class First, class... Rest>
ASHLAR_ALWAYS_INLINE constexpr auto refuse_bits(const First& first, const Rest&... rest) noexcept {
    static_assert(bitwise_operator<First, Rest...>::exists,
                  "ashlar: operators: tensors and masks have no bitwise ones; write a && b, a || b, a != b, !a, or "
                  "map(f, a, b)");
    if constexpr (any_mask<First>)
        return first;
    else if constexpr (has_no_bits<First>)
        return refused<bool, shape_of<First>>();
    else
        return (rest, ...);
}

}  // namespace detail

template <class Left, class Right>
    requires detail::bitwise_mistake<Left, Right>
constexpr auto operator|(const Left& a, const Right& b) noexcept {
    return detail::refuse_bits(a, b);
}
template <class Left, class Right>
    requires detail::bitwise_mistake<Left, Right>
constexpr auto operator&(const Left& a, const Right& b) noexcept {
    return detail::refuse_bits(a, b);
}
template <class Left, class Right>
    requires detail::bitwise_mistake<Left, Right>
constexpr auto operator^(const Left& a, const Right& b) noexcept {
    return detail::refuse_bits(a, b);
}
template <class Operand>
    requires detail::has_no_bits<Operand>
constexpr auto operator~(const Operand& a) noexcept {
    return detail::refuse_bits(a);
}

}  // namespace ashlar
