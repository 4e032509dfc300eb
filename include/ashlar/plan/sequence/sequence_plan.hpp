// SPDX-License-Identifier: BSL-1.0
// The plan of a sequence: its steps, and the scratch for their results and for the largest step.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/expr/nodes/sequence_node.hpp>
#include <ashlar/plan/graph/cost.hpp>
#include <ashlar/plan/sequence/parts.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::detail {

/// A step of a sequence, whose results are viewed as Source, and its expression.
template <class Step, class Source>
struct planned_step {
    static constexpr std::size_t count = Step::count;
    using expression = std::remove_cvref_t<decltype(std::declval<const Step&>()(
        std::declval<const Source&>(), std::size_t{}, std::declval<std::byte*>()))>;

    /// Whether its call has effects.
    static constexpr bool acts = requires { typename Step::template call_expressions<Source>; };

    /// Bytes of scratch of the call and then of the evaluation.
    template <class Config, std::size_t Workers = 1>
    static constexpr std::size_t scratch_bytes = [] {
        std::size_t bytes = shared_scratch<expression, Workers, Config>;
        if constexpr (acts)
            if (Step::template call_bytes<Source, Config> > bytes) bytes = Step::template call_bytes<Source, Config>;
        return bytes;
    }();

    static consteval auto part() {
        if constexpr (acts)
            return part_after_calls(typename Step::template call_expressions<Source>{});
        else
            return plan_parts<plan_part<count, expression>>{};
    }

private:
    template <class... Before>
    static consteval plan_parts<plan_part<count, Before..., expression>> part_after_calls(expression_list<Before...>) {
        return {};
    }
};

template <class Sequence>
struct sequence_plan;

/// Results alternate between the destination and a buffer, so that the last one is in the destination. Every step has
/// one plan, however often it runs, for dense memory, so that it does not depend on the destination.
template <class Input, class... Steps>
struct sequence_plan<sequence_node<Input, Steps...>> {
    using sequence_type = sequence_node<Input, Steps...>;
    using shape_type = typename sequence_type::shape_type;
    using value_type = typename sequence_type::value_type;
    using source = dense_view<const value_type, shape_type>;
    using place = dense_view<value_type, shape_type>;

    static constexpr std::size_t kinds = sizeof...(Steps);
    /// How often steps run.
    static constexpr std::size_t step_count = (std::size_t{0} + ... + Steps::count);
    template <std::size_t Index>
    using step =
        planned_step<std::remove_cvref_t<decltype(std::declval<const sequence_type&>().template step<Index>())>,
                     source>;

    /// Calls f<Index>() for each kind of step.
    template <class Function>
    ASHLAR_ALWAYS_INLINE static constexpr void for_each_kind(Function f) {
        [&]<std::size_t... Index>(std::index_sequence<Index...>)
            ASHLAR_LAMBDA_INLINE { (f.template operator()<Index>(), ...); }(std::make_index_sequence<kinds>{});
    }

    /// Whether the input is read in place.
    static constexpr bool reads_input = std::is_same_v<Input, source>;

    static constexpr std::size_t buffer_bytes =
        (shape_type::size * sizeof(value_type) + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
    /// The buffer, followed by the scratch of the largest step.
    template <class Config, std::size_t Workers = 1>
    static constexpr std::size_t scratch_bytes = [] {
        std::size_t bytes = reads_input ? 0 : shared_scratch<Input, Workers, Config>;
        ((bytes = planned_step<Steps, source>::template scratch_bytes<Config, Workers> > bytes
                      ? planned_step<Steps, source>::template scratch_bytes<Config, Workers>
                      : bytes),
         ...);
        return buffer_bytes + bytes;
    }();

    /// What runs, in order.
    static consteval auto parts() {
        const auto with_input = [] {
            if constexpr (array_expression<Input>)
                return plan_parts<>{};
            else
                return plan_parts<plan_part<1, Input>>{};
        };
        return (with_input() + ... + planned_step<Steps, source>::part());
    }
    using parts_type = decltype(parts());
};

/// Operations of a part, and of all parts.
template <class Part>
inline constexpr std::size_t part_flops = 0;
template <std::size_t Times, class... Expression>
inline constexpr std::size_t part_flops<plan_part<Times, Expression...>> =
    Times * (std::size_t{0} + ... + expression_flops<Expression>);

template <class... Parts>
consteval std::size_t count_flops(plan_parts<Parts...>) {
    return (std::size_t{0} + ... + part_flops<Parts>);
}

template <sequence_expression Sequence>
inline constexpr std::size_t expression_flops<Sequence> = count_flops(typename sequence_plan<Sequence>::parts_type{});

template <sequence_expression Sequence, std::size_t Workers, class Config>
inline constexpr std::size_t shared_scratch<Sequence, Workers, Config> =
    sequence_plan<Sequence>::template scratch_bytes<Config, Workers>;

template <sequence_expression Sequence, class Config>
inline constexpr std::size_t expression_scratch<Sequence, Config> =
    sequence_plan<Sequence>::template scratch_bytes<Config>;

}  // namespace ashlar::detail
