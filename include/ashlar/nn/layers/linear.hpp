// SPDX-License-Identifier: BSL-1.0
// linear: a product with a learnt matrix, and a learnt bias.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/weights.hpp>
#include <ashlar/nn/layers/width.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `linear`: extents of the last axis of input and output, and whether there is a bias.
struct linear_options {
    width in, out;
    bool bias = true;
};

/// x W + b along the last axis: [..., in] to [..., out], lazily. In weight files `weight` is [out, in] and `bias`
/// [out], as PyTorch's nn.Linear has them; here the matrix is packed [in, out]. in * out + out parameters.
///
/// With weights of bf16 and elements of float x is not rounded. With elements of bf16, as PyTorch's after
/// .to(torch.bfloat16), x is rounded to bf16 (relative error up to 2^-9), which allows instructions that multiply pairs
/// of bf16; sums are float.
///
/// With weights of std::int8_t the matrix is `quantized`. Weight files may then also have integers and `weight_scale`
/// [out].
///
///     nn::linear<{.in = 64, .out = 10}> head{};
///     tensor<float, 32, 10> y = head(x);   // x: tensor<float, 32, 64>
template <linear_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct linear {
    static constexpr linear_options options = Options;
    static constexpr auto initialization = detail::initialization::linear;
    static constexpr std::size_t in = Options.in, out = Options.out;

    detail::weight_matrix<Weight, Panel, in, out> weight;
    [[no_unique_address]] detail::optional_vector<Options.bias, Element, out> bias;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, in>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!detail::module_input<shape_of<Input>, in>::fits)
            return detail::refused_rows<shape_of<Input>, out, element_of<Input>>();
        else if constexpr (Options.bias && ashlar::detail::is_bf16<Element>)
            return matmul(cast<bf16>(std::forward<Input>(x)), weight) + bias;
        else if constexpr (ashlar::detail::is_bf16<Element>)
            return matmul(cast<bf16>(std::forward<Input>(x)), weight);
        else if constexpr (Options.bias)
            return matmul(std::forward<Input>(x), weight) + bias;
        else
            return matmul(std::forward<Input>(x), weight);
    }
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x));
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", transposed(self.weight));
        if constexpr (Options.bias) visit("bias", self.bias);
    }
};

}  // namespace ashlar::nn
