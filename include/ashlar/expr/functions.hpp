// SPDX-License-Identifier: BSL-1.0
// The functions of elementwise nodes: what each takes, what it gives, and how it computes on lanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::detail {

/// The elements that a function is defined for.
enum class takes : std::uint8_t { anything, numbers, integers, floating, truth };

template <class T>
consteval bool is_taken(takes what) {
    switch (what) {
    case takes::numbers:
        return !std::is_same_v<T, bool>;
    case takes::integers:
        return std::is_integral_v<T> && !std::is_same_v<T, bool>;
    case takes::floating:
        return std::is_floating_point_v<T>;
    case takes::truth:
        return std::is_same_v<T, bool>;
    default:
        return true;
    }
}

/// Whether an elementwise function is defined for elements of type T.
template <class F, class T>
struct function_elements {
    static constexpr bool defined = is_taken<T>(F::arguments);
};

/// Values of type bool travel as lane masks, of any lane type; everything else as lanes.
template <class A>
concept truth_lanes = requires { typename A::operand_type; };

/// A mask for lanes of the same type as those of the mask M.
template <class M, truth_lanes B>
ASHLAR_ALWAYS_INLINE constexpr auto mask_like(B b) {
    return convert_mask<typename M::operand_type::value_type>(b);
}

/// The lanes of numbers that are as many as those of A, which may be a mask.
template <class R, class A>
ASHLAR_ALWAYS_INLINE constexpr auto number_lanes(A a) {
    if constexpr (truth_lanes<A>)
        return typename decltype(convert_mask<R>(a))::operand_type(R(0));
    else
        return decltype(convert_lanes<R>(a))(R(0));
}

// The calls below are unqualified and their arguments dependent: they find the functions of lanes where the node is
// evaluated, so that this file needs no kernel.

struct plus_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a + b;
    }
};

struct minus_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a - b;
    }
};

struct times_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a * b;
    }
};

struct divides_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a / b;
    }
};

struct modulo_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::integers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a % b;
    }
};

struct negate_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a) const {
        return -a;
    }
};

struct equal_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::anything;
    using result_element = bool;
    template <class A, class B>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, B b) const {
        if constexpr (truth_lanes<A>)
            return !(a ^ mask_like<A>(b));
        else
            return a == b;
    }
};

struct not_equal_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::anything;
    using result_element = bool;
    template <class A, class B>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, B b) const {
        if constexpr (truth_lanes<A>)
            return a ^ mask_like<A>(b);
        else
            return a != b;
    }
};

struct less_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    using result_element = bool;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a < b;
    }
};

struct less_equal_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    using result_element = bool;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a <= b;
    }
};

struct greater_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    using result_element = bool;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a > b;
    }
};

struct greater_equal_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    using result_element = bool;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        return a >= b;
    }
};

struct and_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::truth;
    template <class A, class B>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, B b) const {
        return a & mask_like<A>(b);
    }
};

struct or_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::truth;
    template <class A, class B>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, B b) const {
        return a | mask_like<A>(b);
    }
};

struct not_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::truth;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a) const {
        return !a;
    }
};

/// One of two values by a condition: where(condition, a, b).
struct where_function {
    static constexpr std::size_t flops = 1;
    template <class M, class A, class B>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(M condition, A a, B b) const {
        if constexpr (truth_lanes<A>) {
            const auto keep = mask_like<A>(condition);
            return (keep & a) | (~keep & mask_like<A>(b));
        } else {
            return select(convert_mask<typename A::value_type>(condition), a, b);
        }
    }
};

/// Elements converted as by static_cast; from bool 0 and 1, to bool whether they differ from 0.
template <class U>
struct cast_function {
    static constexpr std::size_t flops = 0;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a) const {
        if constexpr (truth_lanes<A> && std::is_same_v<U, bool>) {
            return a;
        } else if constexpr (truth_lanes<A>) {
            const auto mask = convert_mask<U>(a);
            using number = typename std::remove_cv_t<decltype(mask)>::operand_type;
            return select(mask, number(U(1)), number(U(0)));
        } else if constexpr (std::is_same_v<U, bool>) {
            return a != A(typename A::value_type(0));
        } else {
            return convert_lanes<U>(a);
        }
    }
};

}  // namespace ashlar::detail
