// SPDX-License-Identifier: BSL-1.0
// A stack of equal layers with, if need be, a norm behind them: what encoders and decoders are.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/sequence.hpp>
#include <ashlar/eval/workspace.hpp>
#include <ashlar/expr/nodes/sequence_node.hpp>
#include <ashlar/nn/layers/weights.hpp>

namespace ashlar::nn {

/// The call of a stack of layers, such as an `encoder`: a sequence.
template <class Expression>
concept layered_expression = sequence_expression<Expression>;

namespace detail {

/// The layers of a stack as steps: call(layer, x, i) is the expression of layer i.
template <class Layer, std::size_t Count, class Call>
struct layers_step {
    static constexpr std::size_t count = Count;

    const std::array<Layer, Count>* layers;
    [[no_unique_address]] Call call;

    template <class Source>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Source& x, std::size_t i,
                                                                 std::byte*) const noexcept {
        return call((*layers)[i], x, i);
    }
};

/// The layers where they decode: call(layer, x, i, workspace) appends to caches first. Appended says what that is, and
/// the scratch that it takes.
template <class Layer, std::size_t Count, class Appended, class Call>
struct decoding_step {
    static constexpr std::size_t count = Count;

    const std::array<Layer, Count>* layers;
    [[no_unique_address]] Call call;

    template <class Source, class Config>
    static constexpr std::size_t call_bytes = Appended::template bytes<Layer, Source, Config>;
    template <class Source>
    using call_expressions = typename Appended::template expressions<Layer, Source>;

    template <class Source>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Source& x, std::size_t i,
                                                                 std::byte* memory) const noexcept {
        using scratch = workspace<call_bytes<Source, current_config>>;
        if (std::is_constant_evaluated()) return in_constant<current_config, scratch>(x, i);
        return call((*layers)[i], x, i, *std::launder(reinterpret_cast<scratch*>(memory)));
    }

private:
    template <class Config, class Scratch, class Source>
    constexpr auto in_constant(const Source& x, std::size_t i) const noexcept {
        Scratch own{};
        return call((*layers)[i], x, i, own);
    }
};

/// What follows the layers.
template <class Module>
struct module_step {
    static constexpr std::size_t count = 1;

    const Module* called;

    template <class Source>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Source& x, std::size_t,
                                                                 std::byte*) const noexcept {
        return (*called)(x);
    }
};

/// What `decode` of layers appends to caches of type Cache: keys and values.
template <class Cache>
struct appended_to {
    template <class Layer, class Input, class Config>
    static constexpr std::size_t bytes = Layer::template append_workspace_bytes<Input, Cache, Config>;
    template <class Layer, class Input>
    using expressions = typename Layer::template appended<Input>;
};

}  // namespace detail

/// Count layers, and a norm behind them unless Norm is `no_array`: the base of `encoder`, `decoder` and
/// `decoder_stack`, which say what the call of a layer is. Example: `encoder`.
template <class Layer, std::size_t Count, class Norm = no_array>
struct layer_stack {
    using layer_type = Layer;
    static constexpr std::size_t embed = Layer::embed, layer_count = Count;
    static constexpr bool has_last_step = !std::is_same_v<Norm, no_array>;

    std::array<Layer, Count> layers;
    [[no_unique_address]] Norm norm;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("layers", self.layers);
        if constexpr (has_last_step) visit("norm", self.norm);
    }
    /// For summaries: what the module evaluates, and with what.
    template <class Self, class Input, class Visitor>
    static constexpr void parts(const Self& self, const Input& x, Visitor&& visit) {
        visit.step("layers", self.layers, x);
        if constexpr (has_last_step) visit.step("norm", self.norm, x);
    }

protected:
    /// The sequence of call(layer, x, i), and the norm. It borrows the module.
    template <any_expression Input, class Call>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_layers(Input&& x, const Call& call) const noexcept {
        return with_norm(std::forward<Input>(x), detail::layers_step<Layer, Count, Call>{&layers, call});
    }
    /// The same where call(layer, x, i, workspace) appends to caches.
    template <class Appended, any_expression Input, class Call>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode_layers(Input&& x, const Call& call) const noexcept {
        return with_norm(std::forward<Input>(x), detail::decoding_step<Layer, Count, Appended, Call>{&layers, call});
    }

private:
    template <any_expression Input, class Step>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto with_norm(Input&& x, const Step& step) const noexcept {
        if constexpr (has_last_step)
            return ashlar::detail::in_sequence(std::forward<Input>(x), step, detail::module_step<Norm>{&norm});
        else
            return ashlar::detail::in_sequence(std::forward<Input>(x), step);
    }
};

namespace detail {

/// The stack that options with `layers` and `final_norm` describe; the norm is a layer's.
template <class Layer, auto Options>
using stack_of =
    layer_stack<Layer, Options.layers, std::conditional_t<Options.final_norm, typename Layer::norm_type, no_array>>;

}  // namespace detail
}  // namespace ashlar::nn
