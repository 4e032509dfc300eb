// SPDX-License-Identifier: BSL-1.0
// feed_forward: two products with an activation between them, plain or gated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/inspect/example.hpp>
#include <ashlar/nn/layers/activation.hpp>
#include <ashlar/nn/layers/linear.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `feed_forward`: outer and hidden width, the activation, whether it gates a second product (silu:
/// SwiGLU, gelu: GeGLU), and whether the products have biases.
struct feed_forward_options {
    width embed, hidden;
    nn::activation activation = nn::activation::relu;
    bool gated = false;
    bool bias = true;
};

namespace detail {

/// Passes an expression to f, which may use it several times: an array is borrowed, a lazy node is named by `let`.
template <class Input, class Function>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto used_often(Input&& x, const Function& f) noexcept {
    if constexpr (array_expression<Input> && ashlar::detail::viewable<Input>)
        return f(x);
    else
        return let(std::forward<Input>(x), f);
}

}  // namespace detail

/// linear2(activation(linear1(x))): [..., embed] to [..., embed], lazily and in one loop over rows, so that only one
/// tile of hidden values exists at a time. Members `linear1`, `linear2`, as in PyTorch's TransformerEncoderLayer.
///
///     nn::feed_forward<{.embed = 64, .hidden = 256, .activation = nn::activation::gelu}> block{};
///     y = block(x);
template <feed_forward_options Options, class Element = float, class Weight = Element,
          std::size_t Panel = detail::panel<Weight>>
struct feed_forward {
    static constexpr feed_forward_options options = Options;
    static constexpr std::size_t embed = Options.embed, hidden = Options.hidden;

    linear<{Options.embed, Options.hidden, Options.bias}, Element, Weight, Panel> linear1;
    linear<{hidden, embed, options.bias}, Element, typename detail::weights_by_use<Weight>::second,
           detail::second_panel<Weight, Panel>>
        linear2;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!detail::module_input<shape_of<Input>, embed>::fits)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return linear2(activate<Options.activation>(linear1(std::forward<Input>(x))));
    }
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x));
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("linear1", self.linear1);
        visit("linear2", self.linear2);
    }
    /// For summaries: what the module calls, and with what.
    template <class Input, class Visitor>
    static constexpr void parts(const feed_forward& self, const Input& x, Visitor&& visit) {
        visit("linear1", self.linear1, x);
        visit("linear2", self.linear2, detail::output_of(self.linear1, x));
    }
};

/// down_proj(activation(gate_proj(x)) * up_proj(x)): SwiGLU with silu, GeGLU with gelu (Shazeer 2020). Members
/// `gate_proj`, `up_proj`, `down_proj`, as in Hugging Face's LlamaMLP.
///
///     nn::feed_forward<{.embed = 64, .hidden = 172, .activation = nn::activation::silu, .gated = true, .bias = false}>
///     swiglu{};
template <feed_forward_options Options, class Element, class Weight, std::size_t Panel>
    requires(Options.gated)
struct feed_forward<Options, Element, Weight, Panel> {
    static constexpr feed_forward_options options = Options;
    static constexpr std::size_t embed = Options.embed, hidden = Options.hidden;

    linear<{Options.embed, Options.hidden, Options.bias}, Element, Weight, Panel> gate_proj;
    linear<{Options.embed, Options.hidden, Options.bias}, Element, Weight, Panel> up_proj;
    linear<{hidden, embed, options.bias}, Element, typename detail::weights_by_use<Weight>::second,
           detail::second_panel<Weight, Panel>>
        down_proj;

    /// The expression; it borrows the module.
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const& noexcept {
        static_assert(detail::module_input<shape_of<Input>, embed>::fits,
                      "ashlar: nn: the last axis of the input must be as wide as the module's options say; change one");
        if constexpr (!detail::module_input<shape_of<Input>, embed>::fits)
            return detail::refused_rows<shape_of<Input>, embed, element_of<Input>>();
        else
            return down_proj(detail::used_often(std::forward<Input>(x), [this](const auto& y) ASHLAR_LAMBDA_INLINE {
                return activate<Options.activation>(gate_proj(y)) * up_proj(y);
            }));
    }
    template <any_expression Input>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(Input&& x) const&& noexcept {
        return detail::named(*this)(std::forward<Input>(x));
    }
    void operator()(ashlar::detail::refused_module_call, ashlar::detail::any_argument = {},
                    ashlar::detail::any_argument = {}) const;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("gate_proj", self.gate_proj);
        visit("up_proj", self.up_proj);
        visit("down_proj", self.down_proj);
    }
    /// For summaries: what the module calls, and with what.
    template <class Input, class Visitor>
    static constexpr void parts(const feed_forward& self, const Input& x, Visitor&& visit) {
        visit("gate_proj", self.gate_proj, x);
        visit("up_proj", self.up_proj, x);
        visit("down_proj", self.down_proj, detail::output_of(self.up_proj, x));
    }
};

}  // namespace ashlar::nn
