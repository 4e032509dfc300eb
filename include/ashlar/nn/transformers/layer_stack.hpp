// SPDX-License-Identifier: BSL-1.0
// Shared parts of encoders and decoders: equal layers as the steps of a sequence, and an optional norm after them.
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

namespace ashlar::inline v0_1::nn {

/// The call of a stack of layers, such as an `encoder`: a sequence.
template <class Expression>
concept layered_expression = sequence_expression<Expression>;

namespace detail {

/// Whether no option of a layer is given among those of the stack.
template <std::size_t... Misplaced>
struct options_of_layers {
    static constexpr bool stand_in_layer = ((Misplaced == 0) && ...);
};

/// The options of a layer, with the misplaced ones, whose error has been reported already.
template <class Options, class Layer>
consteval Layer intended_layer(const Options& options, Layer layer) {
    if (options.embed.value != 0) layer.embed = options.embed;
    if (options.heads.value != 0) layer.heads = options.heads;
    if (options.hidden.value != 0) layer.hidden = options.hidden;
    return layer;
}

/// The layers of a stack as steps: call(layer, x, i) is the expression of layer i.
template <class Layer, std::size_t Count, class Call>
struct layers_step {
    static constexpr std::size_t count = Count;
    using call_type = Call;

    const std::array<Layer, Count>* layers;
    [[no_unique_address]] Call call;

    template <class Source>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Source& x, std::size_t i,
                                                                 std::byte*) const noexcept {
        return call((*layers)[i], x, i);
    }
};

/// The layers for decoding: call(layer, x, i, workspace) appends to caches first. Appended describes that and its
/// scratch. Objects counts the layers and caches.
template <class Layer, std::size_t Count, class Appended, std::size_t Objects, class Call>
struct decoding_step {
    static constexpr std::size_t count = Count;

    const std::array<Layer, Count>* layers;
    std::array<ashlar::detail::object_bytes, Objects> objects;
    [[no_unique_address]] Call call;

    template <class Source, class Config>
    static constexpr std::size_t call_bytes = Appended::template bytes<Layer, Source, Config>;
    template <class Source>
    using call_expressions = typename Appended::template expressions<Layer, Source>;

    template <class Source>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator()(const Source& x, std::size_t i,
                                                                 std::byte* memory) const noexcept {
        using scratch = workspace<call_bytes<Source, current_config>>;
        if (__builtin_is_constant_evaluated()) return in_constant<current_config, scratch>(x, i);
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

/// The keys and values that `decode` of layers appends to caches of type Cache.
template <class Cache>
struct appended_to {
    template <class Layer, class Input, class Config>
    static constexpr std::size_t bytes = Layer::template append_workspace_bytes<Input, Cache, Config>;
    template <class Layer, class Input>
    using expressions = typename Layer::template appended<Input>;
};

/// A stack is a module with an array `layers` and a `norm` after them, which may be `no_array`: `encoder`, `decoder`
/// and `llama_decoder`, which define the call of a layer. They are aggregates without a base, so that users initialise
/// their members by name; this file has their shared code.
template <class Stack>
inline constexpr bool has_norm = !std::is_same_v<decltype(Stack::norm), no_array>;

template <class Stack, class Visitor>
constexpr void members_of_stack(Stack& stack, Visitor&& visit) {
    visit("layers", stack.layers);
    if constexpr (has_norm<std::remove_const_t<Stack>>) visit("norm", stack.norm);
}
/// For summaries: the stack's parts and their inputs.
template <class Stack, class Input, class Visitor>
constexpr void parts_of_stack(const Stack& stack, const Input& x, Visitor&& visit) {
    visit.step("layers", stack.layers, x);
    if constexpr (has_norm<Stack>) visit.step("norm", stack.norm, x);
}

/// A sequence of a step and the norm after it.
template <class Stack, any_expression Input, class Step>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto with_norm(const Stack& stack, Input&& x, const Step& step) noexcept {
    if constexpr (has_norm<Stack>)
        return ashlar::detail::in_sequence(std::forward<Input>(x), step,
                                           module_step<decltype(Stack::norm)>{&stack.norm});
    else
        return ashlar::detail::in_sequence(std::forward<Input>(x), step);
}
/// The sequence of call(layer, x, i), and the norm. It borrows the stack.
template <class Stack, any_expression Input, class Call>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto call_layers(const Stack& stack, Input&& x,
                                                              const Call& call) noexcept {
    using step = layers_step<typename Stack::layer_type, Stack::layer_count, Call>;
    return detail::with_norm(stack, std::forward<Input>(x), step{&stack.layers, call});
}
/// The same, but call(layer, x, i, workspace) appends to caches; each array has one for each layer.
template <class Appended, class Stack, any_expression Input, class Call, class... Caches>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto decode_layers(const Stack& stack, Input&& x, const Call& call,
                                                                const Caches&... caches) noexcept {
    using step = decoding_step<typename Stack::layer_type, Stack::layer_count, Appended, 1 + sizeof...(Caches), Call>;
    return detail::with_norm(
        stack, std::forward<Input>(x),
        step{&stack.layers, {ashlar::detail::bytes_of(stack.layers), ashlar::detail::bytes_of(caches)...}, call});
}

}  // namespace detail
}  // namespace ashlar::nn
