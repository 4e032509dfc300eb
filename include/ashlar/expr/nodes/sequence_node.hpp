// SPDX-License-Identifier: BSL-1.0
// A sequence: steps evaluated one after another, each on the previous result, such as the layers of a model.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/tensor/explained_members.hpp>

namespace ashlar::inline v0_1 {

/// Marks sequences, as their expression_category.
struct sequence_category {};

/// An expression that is evaluated in steps, such as the call of an `nn::encoder`: when it is assigned or passed to
/// `eval` or `evaluate`. As an operand it is evaluated when the expression around it is built, which then owns the
/// values (and whose `flops` do not include it). `plan`, `explain`, `flops` and the bytes of scratch cover all steps;
/// equal steps share one plan.
template <class Expression>
concept sequence_expression =
    any_expression<Expression> &&
    std::same_as<typename std::remove_cvref_t<Expression>::expression_category, sequence_category>;

namespace detail {

template <class... Expression>
struct expression_list {};

struct object_bytes {
    const void* first = nullptr;
    std::size_t count = 0;
};
template <class Object>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr object_bytes bytes_of(const Object& object) noexcept {
    return {&object, sizeof(Object)};
}

/// Steps applied to an input; all results have the input's shape and element type. The steps run in the order given
/// here, each of them `count` times. A step has only these members; plan and eval do the rest:
///
///     static constexpr std::size_t count;
///     // The expression of repetition i. x is a dense view of the previous result.
///     template <class Source>
///     constexpr auto operator()(const Source& x, std::size_t i, std::byte* memory) const noexcept;
///
/// A step whose call has effects, such as decoding, which appends to caches, declares its needs. It is called once per
/// evaluation; other steps may be called more often, to find out what they read.
///
///     // Bytes of `memory`, which the expression uses for its own scratch afterwards. (None in constant expressions.)
///     template <class Source, class Config>
///     static constexpr std::size_t call_bytes;
///     // What the call evaluates, for `flops` and `explain`.
///     template <class Source>
///     using call_expressions = expression_list<...>;
///     // Objects of which it reads another part each time: results of earlier steps are not placed there.
///     std::array<object_bytes, N> objects;
template <class Input, class... Steps>
struct sequence_node : explained_members<sequence_node<Input, Steps...>> {
    using shape_type = shape_of<Input>;
    using value_type = element_of<Input>;
    using expression_category = sequence_category;

    [[no_unique_address]] Input input;
    [[no_unique_address]] operand_list<Steps...> steps;

    template <std::size_t Index>
    ASHLAR_ALWAYS_INLINE constexpr const auto& step() const noexcept {
        return step_at<Index>(steps);
    }

private:
    template <std::size_t Index, class Step>
    ASHLAR_ALWAYS_INLINE static constexpr const Step& step_at(const indexed_operand<Index, Step>& held) noexcept {
        return held.value;
    }
};

/// The sequence of these steps, starting from x.
template <any_expression Input, class... Steps>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto in_sequence(Input&& x, const Steps&... steps) noexcept {
    return sequence_node<held<Input>, Steps...>{{}, hold(std::forward<Input>(x)), {{steps}...}};
}

}  // namespace detail
}  // namespace ashlar
