// SPDX-License-Identifier: BSL-1.0
// Activations as options of modules, and as modules without parameters.
#pragma once

#include <cstdint>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/activations.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1::nn {

/// The elementwise function of a layer, with PyTorch's default parameters; gelu is the erf form, gelu_tanh PyTorch's
/// approximate='tanh'.
enum class activation : std::uint8_t {
    identity,
    relu,
    gelu,
    gelu_tanh,
    silu,
    sigmoid,
    tanh,
    softplus,
    leaky_relu,
    elu,
    hard_sigmoid,
    hard_swish,
    mish
};

/// The activation of every element, lazily.
///
///     auto y = nn::activate<nn::activation::gelu>(matmul(x, w));
template <activation Kind, any_expression Input>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto activate(Input&& x) noexcept {
    if constexpr (Kind == activation::relu)
        return ashlar::relu(std::forward<Input>(x));
    else if constexpr (Kind == activation::gelu)
        return ashlar::gelu(std::forward<Input>(x));
    else if constexpr (Kind == activation::gelu_tanh)
        return ashlar::gelu_tanh(std::forward<Input>(x));
    else if constexpr (Kind == activation::silu)
        return ashlar::silu(std::forward<Input>(x));
    else if constexpr (Kind == activation::sigmoid)
        return ashlar::sigmoid(std::forward<Input>(x));
    else if constexpr (Kind == activation::tanh)
        return ashlar::tanh(std::forward<Input>(x));
    else if constexpr (Kind == activation::softplus)
        return ashlar::softplus(std::forward<Input>(x));
    else if constexpr (Kind == activation::leaky_relu)
        return ashlar::leaky_relu(std::forward<Input>(x));
    else if constexpr (Kind == activation::elu)
        return ashlar::elu(std::forward<Input>(x));
    else if constexpr (Kind == activation::hard_sigmoid)
        return ashlar::hard_sigmoid(std::forward<Input>(x));
    else if constexpr (Kind == activation::hard_swish)
        return ashlar::hard_swish(std::forward<Input>(x));
    else if constexpr (Kind == activation::mish)
        return ashlar::mish(std::forward<Input>(x));
    else
        return ashlar::detail::hold(std::forward<Input>(x));
}

/// An activation as a module, without parameters: [...] to [...], lazily.
///
///     nn::activation_layer<nn::activation::relu> relu;
///     auto y = relu(first(x));
template <activation Kind>
struct activation_layer {
    /// The expression, of the shape of x.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const noexcept {
        return activate<Kind>(std::forward<Input>(x));
    }

    template <class Self, class Visitor>
    static constexpr void members(Self&, Visitor&&) {}
};

}  // namespace ashlar::nn
