// SPDX-License-Identifier: BSL-1.0
// Objects that stand for a type where only types matter: counting and summaries ask modules what they would do.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/operands.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::nn::detail {

/// Room for a module that does not exist: its members can be named, which is all that counting does. As a local variable
/// of a constant evaluation it costs nothing, however large the module is.
template <class M>
union unborn {
    char none;
    M object;
    constexpr unborn() : none{} {}
};

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
/// A tensor that is never defined, for expressions of which only the type matters.
template <class T>
struct undefined_tensor {
    static const T object;
};
template <class T>
constexpr const T& example() {
    return undefined_tensor<T>::object;
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class T, class Shape>
struct tensor_like;
template <class T, auto... Dims>
struct tensor_like<T, shape<Dims...>> {
    using type = basic_tensor<T, Dims...>;
};

/// A tensor of the shape that a module makes of an input.
template <class M, class X>
constexpr const auto& output_of(const M&, const X&) {
    using result = decltype(std::declval<const M&>()(std::declval<const X&>()));
    return example<typename tensor_like<element_of<result>, shape_of<result>>::type>();
}

/// A tensor of x's shape but for the last axis.
template <std::size_t Columns, class X>
constexpr const auto& with_columns(const X&) {
    if constexpr (shape_of<X>::extents[shape_of<X>::rank - 1] == Columns)
        return example<typename tensor_like<element_of<X>, shape_of<X>>::type>();
    else
        return example<typename tensor_like<element_of<X>, decltype(ashlar::detail::with_dimension<shape_of<X>, shape_of<X>::rank - 1, Columns>())>::type>();
}

/// Leaves heads as they are, where a rotation is asked for.
struct no_turn {
    template <expression X>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(X&& x, std::size_t) const noexcept {
        return ashlar::detail::hold(std::forward<X>(x));
    }
};

}  // namespace ashlar::nn::detail
