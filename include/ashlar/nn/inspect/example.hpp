// SPDX-License-Identifier: BSL-1.0
// Placeholder objects for code that only needs types: counting and summaries call modules without evaluation.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/module/unborn.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn::detail {

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
/// A tensor that is never defined, for expressions that are only used for their type.
template <class Element>
struct undefined_tensor {
    static const Element object;
};
template <class Element>
constexpr const Element& example() {
    return undefined_tensor<Element>::object;
}
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

template <class Element, class Shape>
struct tensor_like;
template <class Element, auto... Dims>
struct tensor_like<Element, shape<Dims...>> {
    using type = basic_tensor<Element, Dims...>;
};

/// A tensor of a module's result shape for an input.
template <class Module, class Input>
constexpr const auto& output_of(const Module&, const Input&) {
    using result = decltype(std::declval<const Module&>()(std::declval<const Input&>()));
    return example<typename tensor_like<element_of<result>, shape_of<result>>::type>();
}

/// A tensor of x's shape but for the last axis.
template <std::size_t Columns, class Input>
constexpr const auto& with_columns(const Input&) {
    if constexpr (shape_of<Input>::extents[shape_of<Input>::rank - 1] == Columns)
        return example<typename tensor_like<element_of<Input>, shape_of<Input>>::type>();
    else
        return example<typename tensor_like<
            element_of<Input>,
            decltype(ashlar::detail::with_dimension<shape_of<Input>, shape_of<Input>::rank - 1, Columns>())>::type>();
}

/// A rotation that leaves heads unchanged.
struct no_turn {
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x, std::size_t) const noexcept {
        return ashlar::detail::hold(std::forward<Input>(x));
    }
};

}  // namespace ashlar::nn::detail
