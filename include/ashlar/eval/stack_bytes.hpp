// SPDX-License-Identifier: BSL-1.0
// The stack of an evaluation besides its scratch: frames of functions, and the copy for an overlap.
#pragma once

#include <type_traits>

#include <ashlar/eval/frame.hpp>
#include <ashlar/eval/sequence.hpp>
#include <ashlar/plan/build/destination.hpp>
#include <ashlar/plan/build/overlap.hpp>
#include <ashlar/plan/graph/matrix_cost.hpp>
#include <ashlar/plan/sequence/sequence_plan.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// Bytes of one function's frame besides copies and spilled registers.
inline constexpr std::size_t frame_of_call = 640;

/// Bytes that the function with the copy adds: saved registers, and the alignment of the copy.
inline constexpr std::size_t frame_of_overlap = 128;

/// Bytes that stages of matrix functions have there. Several may be inlined into one frame.
template <class Plan>
consteval std::size_t bytes_of_matrices() {
    std::size_t bytes = 0;
    for (std::size_t s = 0; s < Plan::code.stage_count; ++s) {
        const plan_stage& stage = Plan::code.stages[s];
        if (stage.kind != stage_kind::matrix) continue;
        const graph_node& n = Plan::nodes[stage.core];
        const matrix_sizes sizes = sizes_of_matrices(n, Plan::nodes[n.operands[0]]);
        bytes += n.element_bytes * matrix_locals(sizes, Plan::target.lanes(n.element_bytes),
                                                 form_of_matrices(sizes, stage.lanes == lane_axis::rows));
    }
    return bytes;
}

/// Bytes of the frames of nested functions: the call, the run of the program, and a stage in a function of its own.
/// Each may keep copies of the expression and of the run's frame. One of them spills registers in its inner loops: at
/// most two and a quarter times the machine's registers, with optimised g++ 12 and clang 19 (the quarter is g++'s at
/// -O1).
template <class Plan>
consteval std::size_t bytes_of_frames() {
    using config = typename Plan::configuration;
    constexpr std::size_t calls = 3, quarters_spilled = 9;
    // Without vector registers blocks are unrolled as far as with them: all sums, factors and addresses of a stage
    // compete for registers.
    constexpr std::size_t scalars_spilled = 192;
    constexpr std::size_t spilled = config::register_bits == 0
                                        ? scalars_spilled * sizeof(double)
                                        : quarters_spilled * config::registers * (config::register_bits / 8) / 4;
    constexpr std::size_t expression = sizeof(typename Plan::expression_type);
    constexpr std::size_t copied = (expression <= 256 ? expression : 0) + sizeof(frame<Plan, double>);
    return calls * (frame_of_call + copied) + spilled + bytes_of_matrices<Plan>();
}

/// Bytes of stack for an overlap of a dense destination, with the caller's scratch.
template <class Plan>
consteval std::size_t bytes_of_overlap() {
    using Expression = typename Plan::expression_type;
    using config = typename Plan::configuration;
    std::size_t bytes = 0;
    if constexpr (borrows_memory<Expression>) {
        const std::size_t tile = staged_elements<Plan>() * sizeof(element_of<Expression>);
        if (tile <= config::stack_budget) bytes = tile;
        if (copy_fits<Expression, config, 0> && alias_copy<void, Expression> > bytes)
            bytes = alias_copy<void, Expression>;
        if (bytes != 0) bytes += frame_of_overlap;
    }
    return bytes;
}

constexpr std::size_t larger(std::size_t a, std::size_t b) { return a > b ? a : b; }

/// The stack of a sequence's values inside an expression: their own bytes, and what computing them took, with scratch,
/// when the expression was built.
struct bytes_of_values {
    std::size_t held = 0, computing = 0;
};
template <class Node, class Config>
inline constexpr bytes_of_values values_in_node{};

template <class Plan>
consteval bytes_of_values values_in() {
    bytes_of_values all;
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        for (const bytes_of_values& one : {values_in_node<typename Plan::template node<index_at<node_index>(Index)>,
                                                          typename Plan::configuration>...}) {
            all.held += one.held;
            all.computing = larger(all.computing, one.computing);
        }
    }(std::make_index_sequence<Plan::count>{});
    return all;
}

template <class Expression, class Config>
inline constexpr std::size_t expression_stack = [] {
    if constexpr (!node_expression<Expression>) {
        return alias_copy<void, Expression> + frame_of_call;  // an array: copied
    } else if constexpr (!check_names<Expression>()) {
        return std::size_t{0};
    } else {
        using plan = planned<Expression, Config>;
        constexpr bytes_of_values values = values_in<plan>();
        return values.held + larger(values.computing, bytes_of_frames<plan>() + bytes_of_overlap<plan>());
    }
}();

/// Bytes of the plans of a part, which run one after the other, each with its expression.
template <class Config, std::size_t Times, class... Expression>
consteval std::size_t stack_of_part(plan_part<Times, Expression...>) {
    std::size_t most = 0;
    ((most = larger(most, sizeof(Expression) + larger(values_in<planned<Expression, Config>>().computing,
                                                      bytes_of_frames<planned<Expression, Config>>()))),
     ...);
    return most;
}
template <class Config, class... Parts>
consteval std::size_t stack_of_parts(plan_parts<Parts...>) {
    std::size_t most = 0;
    ((most = larger(most, stack_of_part<Config>(Parts{}))), ...);
    return most;
}

/// Values of a step that were computed when the sequence was built: in the sequence, and in two objects in between.
template <class Step, class Config>
inline constexpr bytes_of_values values_in_step{};
template <class Step, class Config>
    requires(node_expression<typename Step::call_type::evaluated> ||
             sequence_expression<typename Step::call_type::evaluated>)
inline constexpr bytes_of_values values_in_step<Step, Config> = {
    3 * copy_bytes<typename Step::call_type::evaluated>,
    expression_stack<typename Step::call_type::evaluated, Config> +
        expression_scratch<typename Step::call_type::evaluated, Config> + scratch_alignment};

template <class Config, class Input, class... Steps>
consteval bytes_of_values values_in_steps(std::type_identity<sequence_node<Input, Steps...>>) {
    bytes_of_values all;
    ((all.held += values_in_step<Steps, Config>.held,
      all.computing = larger(all.computing, values_in_step<Steps, Config>.computing)),
     ...);
    return all;
}

/// A sequence's steps use the same stack one after the other. Around them are the functions that run the steps, and the
/// copy for an overlap.
template <sequence_expression Sequence, class Config>
inline constexpr std::size_t expression_stack<Sequence, Config> = [] {
    constexpr bytes_of_values values = values_in_steps<Config>(std::type_identity<Sequence>{});
    constexpr std::size_t steps = stack_of_parts<Config>(typename sequence_plan<Sequence>::parts_type{}) +
                                  (copy_fits<Sequence, Config, 0> ? alias_copy<void, Sequence> : 0);
    return 3 * frame_of_call + values.held + larger(values.computing, steps);
}();

template <class Sequence, class Config>
inline constexpr bytes_of_values values_in_node<sequence_values<Sequence>, Config> = {
    sizeof(sequence_values<Sequence>),
    expression_stack<Sequence, Config> + expression_scratch<Sequence, Config> + scratch_alignment};

}  // namespace detail

/// The most bytes of stack that an evaluation of Expression takes on the target machine, without its scratch. They are
/// frames of functions and, if a dense destination overlaps operands, a copy (alias_workspace_bytes<Expression>).
/// `evaluate` without a workspace, and `eval`, take workspace_bytes<Expression> more. If a sequence is an operand, as
/// in softmax(encoder(x)), or a decoder evaluates a memory, its values and their evaluation count. Holds for optimised
/// builds (-O1 and up, -Os) by g++ and clang; sanitizers, and builds without optimisation, take several times as much.
///
///     static_assert(stack_bytes<block> + workspace_bytes<block> <= 8 * 1024);   // what a task's stack must have left
template <class Expression, class Config = current_config>
inline constexpr std::size_t stack_bytes =
    detail::expression_stack<detail::planned_by<Expression>, Config> +
    (any_expression<Expression> ? 0 : sizeof(std::remove_cvref_t<Expression>));  // bound to a state in a copy

/// Whether an object of a type is no larger than ASHLAR_STACK_BUDGET. No type knows where its objects will stand: a
/// local model, tensor or cache that does not fit ends a program by a stack overflow, without a message. Make it
/// static.
///
///     static_assert(fits_on_stack<decltype(small)>, "make the model static");
template <class Type, class Config = current_config>
inline constexpr bool fits_on_stack = sizeof(Type) <= Config::stack_budget;

}  // namespace ashlar
