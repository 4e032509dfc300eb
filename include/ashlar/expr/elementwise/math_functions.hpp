// SPDX-License-Identifier: BSL-1.0
// The mathematical functions of elementwise nodes, and the wrapper of user functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/fast.hpp>
#include <ashlar/expr/elementwise/functions.hpp>

namespace ashlar::inline v0_1 {

// The kernel layer defines these; a generic user function is called with them.
template <class Element, std::size_t Width, class Config>
struct lanes;
template <class Element, std::size_t Width, class Config>
struct lane_mask;

namespace detail {

struct exp_function {
    static constexpr const char* name = "exp";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return exp(x);
    }
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, fast_t) const {
        return exp(x, fast);
    }
};

struct log_function {
    static constexpr const char* name = "log";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return log(x);
    }
};

struct sqrt_function {
    static constexpr const char* name = "sqrt";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return sqrt(x);
    }
};

struct rsqrt_function {
    static constexpr const char* name = "rsqrt";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return rsqrt(x);
    }
};

struct tanh_function {
    static constexpr const char* name = "tanh";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return tanh(x);
    }
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, fast_t) const {
        return tanh(x, fast);
    }
};

struct erf_function {
    static constexpr const char* name = "erf";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return erf(x);
    }
};

struct sigmoid_function {
    static constexpr const char* name = "sigmoid";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return sigmoid(x);
    }
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, fast_t) const {
        return sigmoid(x, fast);
    }
};

struct gelu_function {
    static constexpr const char* name = "gelu";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return gelu(x);
    }
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, fast_t) const {
        return gelu(x, fast);
    }
};

struct gelu_tanh_function {
    static constexpr const char* name = "gelu_tanh";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return gelu_tanh(x);
    }
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, fast_t) const {
        return gelu_tanh(x, fast);
    }
};

struct silu_function {
    static constexpr const char* name = "silu";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return silu(x);
    }
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, fast_t) const {
        return silu(x, fast);
    }
};

/// The fast form of Function, for results that need no more than half precision.
template <class Function>
struct fast_function {
    static constexpr const char* name = Function::name;
    static constexpr std::size_t flops = Function::flops;
    static constexpr takes arguments = Function::arguments;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return Function{}(x, fast);
    }
};

struct pow_function {
    static constexpr const char* name = "pow";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument base, Argument exponent) const {
        return pow(base, exponent);
    }
};

struct abs_function {
    static constexpr const char* name = "abs";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        if constexpr (std::is_unsigned_v<typename Argument::value_type>)
            return x;
        else
            return abs(x);
    }
};

// min and max of lanes propagate a NaN only from their second argument; hence the order of the arguments below.

struct relu_function {
    static constexpr const char* name = "relu";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x) const {
        return max<>(Argument(typename Argument::value_type(0)), x);
    }
};

struct clamp_function {
    static constexpr const char* name = "clamp";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, Argument lowest, Argument highest) const {
        const auto inside = min<>(highest, max<>(lowest, x));
        if constexpr (std::is_floating_point_v<typename Argument::value_type>) {
            using number = typename Argument::value_type;
            using bits = std::conditional_t<sizeof(number) == 4, std::int32_t, std::int64_t>;
            // The bits of NaN where a bound is NaN. If the bounds are numbers, they are computed once, before the loop.
            const auto nan = convert_mask<bits>((lowest != lowest) | (highest != highest));
            using bit_lanes = typename std::remove_cv_t<decltype(nan)>::operand_type;
            constexpr bits quiet_nan = sizeof(number) == 4 ? bits{0x7FC00000} : static_cast<bits>(0x7FF8000000000000LL);
            const auto added = select(nan, bit_lanes(quiet_nan), bit_lanes(0));
            return bit_cast_lanes<number>(bit_cast_lanes<bits>(inside) | added);
        } else {
            return inside;
        }
    }
};

/// cap * tanh(x / cap), or x if the inverse of the cap is 0.
struct softcap_function {
    static constexpr const char* name = "softcap";
    static constexpr std::size_t flops = tanh_function::flops + 2;
    static constexpr takes arguments = takes::floating;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument x, Argument inverse, Argument cap) const {
        return select(inverse != Argument(typename Argument::value_type(0)), tanh(x * inverse) * cap, x);
    }
};

struct maximum_function {
    static constexpr const char* name = "max";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        if constexpr (std::is_floating_point_v<typename Argument::value_type>)
            return select(a != a, a, max<>(a, b));
        else
            return max<>(a, b);
    }
};

struct minimum_function {
    static constexpr const char* name = "min";
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument a, Argument b) const {
        if constexpr (std::is_floating_point_v<typename Argument::value_type>)
            return select(a != a, a, min<>(a, b));
        else
            return min<>(a, b);
    }
};

/// The type of the numbers in the lanes of a user's function: that of the first argument that is not bool.
template <class First, class... Rest>
consteval auto number_of() {
    if constexpr (!std::is_same_v<First, bool>)
        return std::type_identity<First>{};
    else if constexpr (sizeof...(Rest) > 0)
        return number_of<Rest...>();
    else
        return std::type_identity<std::int32_t>{};
}

/// The element type of lanes; bool for a mask.
template <class Argument>
struct element_in {
    using type = typename Argument::value_type;
};
template <truth_lanes Argument>
struct element_in<Argument> {
    using type = bool;
};

/// One lane of Element, as passed to a user's function together with numbers of type Number.
template <class Element, class Number>
struct single_lane {
    using type = lanes<Element, 1, current_config>;
};
template <class Number>
struct single_lane<bool, Number> {
    using type = lane_mask<Number, 1, current_config>;
};

template <class Element>
concept complete_type = requires { sizeof(Element); };

/// The result type of a user's function for elements Element...: for lanes if it accepts them, else for numbers.
template <class Function, class... Element>
consteval auto user_result() {
    using number = typename decltype(number_of<Element...>())::type;
    if constexpr (complete_type<lanes<number, 1, current_config>>) {
        // Without std::is_invocable_v, each error in the function has eight lines less.
        if constexpr (requires(const Function& f, const typename single_lane<Element, number>::type... a) {
                          f(a...);
                      }) {
            using result = std::remove_cvref_t<
                std::invoke_result_t<const Function&, const typename single_lane<Element, number>::type&...>>;
            if constexpr (std::is_arithmetic_v<result>)
                return std::type_identity<result>{};
            else if constexpr (truth_lanes<result> || requires { typename result::value_type; })
                return std::type_identity<typename element_in<result>::type>{};
            else
                return std::type_identity<void>{};
        } else if constexpr (std::is_invocable_v<const Function&, Element...>) {
            return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const Function&, Element...>>>{};
        } else {
            return std::type_identity<void>{};
        }
    } else if constexpr (std::is_invocable_v<const Function&, Element...>) {
        return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const Function&, Element...>>>{};
    } else {
        return std::type_identity<void>{};
    }
}

template <class Function, class Result>
struct mapped_function {
    static constexpr bool gives_element = std::is_arithmetic_v<Result>;
};

/// A user's function: called with lanes if it accepts them, else with one element at a time. `of_first` then calls it
/// for the first lanes only.
template <class Function>
struct user_function {
    static constexpr std::size_t flops = 1;
    [[no_unique_address]] Function function;

    template <class... Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(Argument... arguments) const {
        using number = typename decltype(number_of<typename element_in<Argument>::type...>())::type;
        return call<all_lanes>(adapted<number>(arguments)...);
    }
    template <std::size_t Count, class... Argument>
    ASHLAR_ALWAYS_INLINE constexpr auto of_first(Argument... arguments) const {
        using number = typename decltype(number_of<typename element_in<Argument>::type...>())::type;
        return call<Count>(adapted<number>(arguments)...);
    }

private:
    static constexpr std::size_t all_lanes = static_cast<std::size_t>(-1);

    template <class Number, class Argument>
    ASHLAR_ALWAYS_INLINE static constexpr auto adapted(Argument a) {
        if constexpr (truth_lanes<Argument>)
            return convert_mask<Number>(a);
        else
            return a;
    }

    template <std::size_t Count, class First, class... Rest>
    ASHLAR_ALWAYS_INLINE constexpr auto call(const First first, const Rest... rest) const {
        if constexpr (gives_lanes<First, Rest...>())
            return as_lanes(function(first, rest...), first);
        else
            return one_by_one<Count>(first, rest...);
    }

    /// Converts other lanes, such as a batch of xsimd, to this library's, with as many lanes as an argument.
    template <class Result, class Argument>
    ASHLAR_ALWAYS_INLINE static constexpr auto as_lanes(Result result, Argument like) {
        if constexpr (requires { typename Result::ops; })
            return result;
        else if constexpr (requires { typename Result::batch_type; })
            return typename decltype(number_lanes<typename Result::batch_type::value_type>(like))::mask_type(result);
        else
            return decltype(number_lanes<typename Result::value_type>(like))(result);
    }

    /// Whether the function returns lanes for lanes; one that always returns the same number does not. Lanes are passed
    /// as const, which never converts to a number.
    template <class... Argument>
    static consteval bool gives_lanes() {
        if constexpr (std::is_invocable_v<const Function&, const Argument&...>)
            return !std::is_arithmetic_v<std::invoke_result_t<const Function&, const Argument&...>>;
        else
            return false;
    }

    template <class Element, std::size_t Width>
    struct stored {
        Element values[Width]{};
    };
    template <class Argument>
    ASHLAR_ALWAYS_INLINE static constexpr auto store(Argument a) {
        stored<typename element_in<Argument>::type, Argument::size> to;
        a.store(to.values);
        return to;
    }

    template <std::size_t Count, class First, class... Rest>
    ASHLAR_ALWAYS_INLINE constexpr auto one_by_one(First first, Rest... rest) const {
        const auto run = [&](const auto&... from) ASHLAR_LAMBDA_INLINE {
            using result = std::remove_cvref_t<decltype(function(from.values[0]...))>;
            result to[First::size]{};
            constexpr std::size_t count = Count < First::size ? Count : First::size;
            for (std::size_t i = 0; i < count; ++i) to[i] = function(from.values[i]...);
            for (std::size_t i = count; i < First::size; ++i) to[i] = to[0];
            if constexpr (!std::is_same_v<result, bool>)
                return decltype(number_lanes<result>(first))::load(to);
            else if constexpr (truth_lanes<First>)
                return First::load(to);
            else
                return First::mask_type::load(to);
        };
        return run(store(first), store(rest)...);
    }
};

}  // namespace detail
}  // namespace ashlar
