// SPDX-License-Identifier: BSL-1.0
// The mathematical functions of elementwise nodes, and the wrapper of a user's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/fast.hpp>
#include <ashlar/expr/functions.hpp>

namespace ashlar {

// The kernel layer defines these; a user's generic function is called with them.
template <class T, std::size_t N, class Config>
struct lanes;
template <class T, std::size_t N, class Config>
struct lane_mask;

namespace detail {

struct exp_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return exp(x);
    }
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x, fast_t) const {
        return exp(x, fast);
    }
};

struct log_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return log(x);
    }
};

struct sqrt_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return sqrt(x);
    }
};

struct rsqrt_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return rsqrt(x);
    }
};

struct tanh_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return tanh(x);
    }
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x, fast_t) const {
        return tanh(x, fast);
    }
};

struct erf_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return erf(x);
    }
};

struct sigmoid_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return sigmoid(x);
    }
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x, fast_t) const {
        return sigmoid(x, fast);
    }
};

struct gelu_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return gelu(x);
    }
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x, fast_t) const {
        return gelu(x, fast);
    }
};

struct gelu_tanh_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return gelu_tanh(x);
    }
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x, fast_t) const {
        return gelu_tanh(x, fast);
    }
};

struct silu_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return silu(x);
    }
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x, fast_t) const {
        return silu(x, fast);
    }
};

/// F by its fast form, where the result is to have no more than half precision.
template <class F>
struct fast_function {
    static constexpr std::size_t flops = F::flops;
    static constexpr takes arguments = F::arguments;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return F{}(x, fast);
    }
};

struct pow_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::floating;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A base, A exponent) const {
        return pow(base, exponent);
    }
};

struct abs_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        if constexpr (std::is_unsigned_v<typename A::value_type>)
            return x;
        else
            return abs(x);
    }
};

// The functions of lanes pass on a NaN in their second argument only; hence the order of the arguments below.

struct relu_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x) const {
        return max(A(typename A::value_type(0)), x);
    }
};

struct clamp_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A x, A lowest, A highest) const {
        return min(highest, max(lowest, x));
    }
};

struct maximum_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        if constexpr (std::is_floating_point_v<typename A::value_type>)
            return select(a != a, a, max(a, b));
        else
            return max(a, b);
    }
};

struct minimum_function {
    static constexpr std::size_t flops = 1;
    static constexpr takes arguments = takes::numbers;
    template <class A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A a, A b) const {
        if constexpr (std::is_floating_point_v<typename A::value_type>)
            return select(a != a, a, min(a, b));
        else
            return min(a, b);
    }
};

/// The type of number whose lanes a user's function sees: that of the first argument that is not bool.
template <class First, class... Rest>
consteval auto number_of() {
    if constexpr (!std::is_same_v<First, bool>)
        return std::type_identity<First>{};
    else if constexpr (sizeof...(Rest) > 0)
        return number_of<Rest...>();
    else
        return std::type_identity<std::int32_t>{};
}

/// The element type of lanes; of a mask, bool.
template <class A>
struct element_in {
    using type = typename A::value_type;
};
template <truth_lanes A>
struct element_in<A> {
    using type = bool;
};

/// One lane of T, as a user's function gets it beside numbers of type Number.
template <class T, class Number>
struct single_lane {
    using type = lanes<T, 1, current_config>;
};
template <class Number>
struct single_lane<bool, Number> {
    using type = lane_mask<Number, 1, current_config>;
};

template <class T>
concept complete_type = requires { sizeof(T); };

/// What a user's function gives for elements T...: its result for lanes where it takes them, else for numbers.
template <class F, class... T>
consteval auto user_result() {
    using number = typename decltype(number_of<T...>())::type;
    if constexpr (complete_type<lanes<number, 1, current_config>>) {
        if constexpr (std::is_invocable_v<const F&, typename single_lane<T, number>::type...>) {
            using result =
                std::remove_cvref_t<std::invoke_result_t<const F&, typename single_lane<T, number>::type...>>;
            if constexpr (std::is_arithmetic_v<result>)
                return std::type_identity<result>{};
            else if constexpr (truth_lanes<result> || requires { typename result::value_type; })
                return std::type_identity<typename element_in<result>::type>{};
            else
                return std::type_identity<void>{};
        } else if constexpr (std::is_invocable_v<const F&, T...>) {
            return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const F&, T...>>>{};
        } else {
            return std::type_identity<void>{};
        }
    } else if constexpr (std::is_invocable_v<const F&, T...>) {
        return std::type_identity<std::remove_cvref_t<std::invoke_result_t<const F&, T...>>>{};
    } else {
        return std::type_identity<void>{};
    }
}

/// Whether the result of a user's function can be an element.
template <class F, class Result>
struct mapped_function {
    static constexpr bool gives_element = std::is_arithmetic_v<Result>;
};

/// A function of the user's: called with lanes if it takes them, else with one element at a time.
template <class F>
struct user_function {
    static constexpr std::size_t flops = 1;
    [[no_unique_address]] F function;

    template <class... A>
    ASHLAR_ALWAYS_INLINE constexpr auto operator()(A... arguments) const {
        using number = typename decltype(number_of<typename element_in<A>::type...>())::type;
        return call(adapted<number>(arguments)...);
    }

private:
    template <class Number, class A>
    ASHLAR_ALWAYS_INLINE static constexpr auto adapted(A a) {
        if constexpr (truth_lanes<A>)
            return convert_mask<Number>(a);
        else
            return a;
    }

    template <class First, class... Rest>
    ASHLAR_ALWAYS_INLINE constexpr auto call(First first, Rest... rest) const {
        if constexpr (std::is_invocable_v<const F&, First, Rest...>) {
            if constexpr (std::is_arithmetic_v<std::invoke_result_t<const F&, First, Rest...>>)
                return broadcast(function(first, rest...), first);
            else
                return function(first, rest...);
        } else {
            return one_by_one(first, rest...);
        }
    }

    template <class R, class A>
    ASHLAR_ALWAYS_INLINE static constexpr auto broadcast(R value, A like) {
        if constexpr (std::is_same_v<R, bool> && truth_lanes<A>)
            return A(value);
        else if constexpr (std::is_same_v<R, bool>)
            return typename A::mask_type(value);
        else
            return decltype(number_lanes<R>(like))(value);
    }

    template <class T, std::size_t N>
    struct stored {
        T values[N]{};
    };
    template <class A>
    ASHLAR_ALWAYS_INLINE static constexpr auto store(A a) {
        stored<typename element_in<A>::type, A::size> to;
        a.store(to.values);
        return to;
    }

    template <class First, class... Rest>
    ASHLAR_ALWAYS_INLINE constexpr auto one_by_one(First first, Rest... rest) const {
        const auto run = [&](const auto&... from) ASHLAR_LAMBDA_INLINE {
            using result = std::remove_cvref_t<decltype(function(from.values[0]...))>;
            result to[First::size]{};
            for (std::size_t i = 0; i < First::size; ++i) to[i] = function(from.values[i]...);
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
