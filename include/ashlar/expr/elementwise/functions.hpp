// SPDX-License-Identifier: BSL-1.0
// The functions of elementwise nodes: their arguments, their results, and their computation on lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// The elements that a function is defined for.
enum class takes : std::uint8_t { anything, numbers, integers, floating, truth };

template <class Element>
consteval bool is_taken(takes what) {
    switch (what) {
    case takes::numbers: return !std::is_same_v<Element, bool>;
    case takes::integers: return std::is_integral_v<Element> && !std::is_same_v<Element, bool>;
    case takes::floating: return std::is_floating_point_v<Element>;
    case takes::truth: return std::is_same_v<Element, bool>;
    default: return true;
    }
}

template <class Function, class Element>
struct function_elements {
    static constexpr bool defined = is_taken<Element>(Function::arguments);
};

/// Bool values are lane masks, of any lane type; all other values are lanes.
template <class Argument>
concept truth_lanes = requires { typename Argument::operand_type; };

/// A mask for lanes of the same type as those of the Mask.
template <class Mask, truth_lanes Other>
ASHLAR_ALWAYS_INLINE constexpr auto mask_like(Other b) {
    return convert_mask<typename Mask::operand_type::value_type>(b);
}

/// Zeros of type Result, with as many lanes as the argument, which may be a mask.
template <class Result, class Argument>
ASHLAR_ALWAYS_INLINE constexpr auto number_lanes(Argument a) {
    if constexpr (truth_lanes<Argument>)
        return typename decltype(convert_mask<Result>(a))::operand_type(Result(0));
    else
        return decltype(convert_lanes<Result>(a))(Result(0));
}

// The calls below are unqualified and their arguments dependent: they find the functions of lanes where the node is
// evaluated, so this file includes no kernel.

struct plus_function {
    static constexpr const char* name = "+";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a + b;
    }
};

struct minus_function {
    static constexpr const char* name = "-";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a - b;
    }
};

struct times_function {
    static constexpr const char* name = "*";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a * b;
    }
};

struct divides_function {
    static constexpr const char* name = "/";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a / b;
    }
};

struct modulo_function {
    static constexpr const char* name = "%";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::integers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a % b;
    }
};

struct negate_function {
    static constexpr const char* name = "-";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a) const {
        return -a;
    }
};

struct equal_function {
    static constexpr const char* name = "==";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::anything;
    using result_element = bool;
    template <class Argument, class Other>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Other b) const {
        if constexpr (truth_lanes<Argument>)
            return !(a ^ mask_like<Argument>(b));
        else
            return a == b;
    }
};

struct not_equal_function {
    static constexpr const char* name = "!=";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::anything;
    using result_element = bool;
    template <class Argument, class Other>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Other b) const {
        if constexpr (truth_lanes<Argument>)
            return a ^ mask_like<Argument>(b);
        else
            return a != b;
    }
};

struct less_function {
    static constexpr const char* name = "<";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    using result_element = bool;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a < b;
    }
};

struct less_equal_function {
    static constexpr const char* name = "<=";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    using result_element = bool;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a <= b;
    }
};

struct greater_function {
    static constexpr const char* name = ">";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    using result_element = bool;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a > b;
    }
};

struct greater_equal_function {
    static constexpr const char* name = ">=";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    using result_element = bool;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        return a >= b;
    }
};

struct and_function {
    static constexpr const char* name = "&&";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::truth;
    template <class Argument, class Other>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Other b) const {
        return a & mask_like<Argument>(b);
    }
};

struct or_function {
    static constexpr const char* name = "||";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::truth;
    template <class Argument, class Other>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Other b) const {
        return a | mask_like<Argument>(b);
    }
};

struct not_function {
    static constexpr const char* name = "!";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::truth;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a) const {
        return !a;
    }
};

/// One of two values by a condition: where(condition, a, b).
struct where_function {
    static constexpr const char* name = "where";
    static constexpr std::size_t flops = 1;
    template <class Mask, class Argument, class Other>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Mask condition, Argument a, Other b) const {
        if constexpr (truth_lanes<Argument>) {
            const auto keep = mask_like<Argument>(condition);
            return (keep & a) | (~keep & mask_like<Argument>(b));
        } else {
            return select(convert_mask<typename Argument::value_type>(condition), a, b);
        }
    }
};

/// Elements converted like static_cast; bool becomes 0 or 1, and to bool tests whether an element
/// differs from 0.
template <class Target>
struct cast_function {
    static constexpr const char* name = "cast";
    static constexpr std::size_t flops = 0;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a) const {
        if constexpr (truth_lanes<Argument> && std::is_same_v<Target, bool>) {
            return a;
        } else if constexpr (truth_lanes<Argument>) {
            const auto mask = convert_mask<Target>(a);
            using number = typename std::remove_cv_t<decltype(mask)>::operand_type;
            return select(mask, number(Target(1)), number(Target(0)));
        } else if constexpr (std::is_same_v<Target, bool>) {
            return a != Argument(typename Argument::value_type(0));
        } else {
            return convert_lanes<Target>(a);
        }
    }
};

/// Elements rounded to the numbers of Target, f16 or bf16.
template <class Target>
struct rounded_function {
    static constexpr std::size_t flops = 0;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a) const {
        Target all[Argument::size];
        a.store(all);
        return Argument::load(all);
    }
};

/// Whether a function may compute on lanes without an element. They hold zeros, or the results of such functions for
/// zeros. Functions of floating-point numbers only, division, casts and a user's functions may not.
template <class Function>
inline constexpr bool takes_idle_lanes = [] {
    if constexpr (requires { Function::arguments; })
        return Function::arguments != takes::floating;
    else
        return false;
}();
template <>
inline constexpr bool takes_idle_lanes<where_function> = true;
template <>
inline constexpr bool takes_idle_lanes<divides_function> = false;
template <>
inline constexpr bool takes_idle_lanes<modulo_function> = false;
template <class Target>
inline constexpr bool takes_idle_lanes<cast_function<Target>> = false;

}  // namespace ashlar::detail
