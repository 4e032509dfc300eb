// SPDX-License-Identifier: BSL-1.0
// Evaluation: eval, evaluate and assignment, at run time by kernels and in constant expressions by plain loops.
#pragma once

#include <ashlar/eval/alias.hpp>
#include <ashlar/eval/constant.hpp>
#include <ashlar/eval/passed_expression.hpp>
#include <ashlar/eval/workspace.hpp>
#include <ashlar/plan/cost.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar {
namespace detail {

/// Whether scratch may lie on the stack.
template <std::size_t Bytes, std::size_t Budget>
struct scratch_on_stack {
    static constexpr bool fits = Bytes <= Budget;
};

/// Whether a workspace is as large as a plan asks for.
template <std::size_t Given, std::size_t Needed>
struct workspace_size {
    static constexpr bool suffices = Given >= Needed;
};

template <class Destination>
consteval axis_list destination_strides() {
    axis_list strides{};
    for (std::size_t a = 0; a < Destination::shape_type::rank; ++a) strides[a] = Destination::strides[a];
    return spelled_out(strides);
}

/// A plan's run with scratch on the stack. The functions that hold SIMD code promise not to throw without being
/// noexcept: g++ 12 takes vector instructions for ones that may throw, and a noexcept function around them asks for a
/// personality routine.
template <class Plan, class Element>
struct stack_run {
    static constexpr std::size_t bytes = Plan::code.scratch_bytes;

    ASHLAR_NOINLINE ASHLAR_NOTHROW void operator()(passed_expression<Plan> passed, Element* destination, Element* tile_copy) const {
        const received_expression<Plan> e(passed);
        if constexpr (bytes == 0) {
            run_program<Plan>(e.get(), destination, nullptr, tile_copy);
        } else {
            alignas(scratch_alignment) std::byte scratch[bytes];
            run_program<Plan>(e.get(), destination, scratch, tile_copy);
        }
    }
};

/// A plan's run with the caller's scratch.
template <class Plan, class Element>
struct workspace_run {
    std::byte* scratch;

    ASHLAR_NOINLINE ASHLAR_NOTHROW void operator()(passed_expression<Plan> passed, Element* destination, Element* tile_copy) const {
        const received_expression<Plan> e(passed);
        run_program<Plan>(e.get(), destination, scratch, tile_copy);
    }
};

/// Runs into a dense copy of the result first: for a destination that overlaps what is read.
template <class Config, class Run, class Expression, class Destination>
ASHLAR_NOINLINE ASHLAR_NOTHROW void run_staged(const Run& run, const Expression& e, Destination& destination) {
    using Element = typename Destination::value_type;
    alignas(scratch_alignment) Element staged[Expression::shape_type::size];
    run(e, staged, static_cast<Element*>(nullptr));
    copy_apart<Config, Destination, dense_like<Destination>>(destination.data(), static_cast<const Element*>(staged));
}

/// Runs with each tile of rows held back until it is finished: for a destination whose rows are read by themselves only.
template <class Plan, class Run, class Destination>
ASHLAR_NOINLINE ASHLAR_NOTHROW void run_in_tiles(const Run& run, const typename Plan::expression_type& e, Destination& destination) {
    alignas(scratch_alignment) typename Destination::value_type tile[held_back_elements<Plan>() == 0 ? 1 : held_back_elements<Plan>()];
    run(e, destination.data(), tile);
}

/// Evaluates e by Plan; `dense` runs the plan for a row-major destination.
template <class Plan, class Run, class DenseRun, class Destination>
ASHLAR_ALWAYS_INLINE void run_apart(const Run& run, const DenseRun& dense, const typename Plan::expression_type& e, Destination& destination) {
    using Element = typename Destination::value_type;
    using config = typename Plan::configuration;
    const overlap shared = find_overlap<Plan>(e, destination);
    if constexpr (held_back_elements<Plan>() != 0 && held_back_elements<Plan>() * sizeof(Element) <= config::stack_budget)
        if (shared == overlap::rows) {
            run_in_tiles<Plan>(run, e, destination);
            return;
        }
    if (shared != overlap::none) {
        if constexpr (Destination::shape_type::size * sizeof(Element) <= config::stack_budget) {
            run_staged<config>(dense, e, destination);
            return;
        } else {
            ASHLAR_ASSERT(false, "ashlar: evaluate: the destination overlaps an operand and is too large to copy");
        }
    }
    run(e, destination.data(), nullptr);
}

/// Assignment in a constant expression.
template <class Config, class Destination, class Source>
constexpr void assign_constant(Destination& destination, const Source& source) {
    const auto values = constant_evaluate(source);
    copy_apart<Config, Destination, dense_like<Destination>>(destination.data(), values.data());
}

/// Assignment of a lazy node.
template <class Destination, node_expression Source, class Config>
struct assignment<Destination, Source, Config> {
    static constexpr void run(Destination& destination, const Source& source) noexcept {
        using Element = typename Destination::value_type;
        constexpr bool complete = let_names<graph<Source>::names_outside>::are_inside;
        static_assert(let_names<graph<Source>::names_outside>::are_inside,
                      "ashlar: let: the name of a value is used outside its let; use it in what the function returns only");
        if constexpr (!complete) {
            return;
        } else if (std::is_constant_evaluated()) {
            assign_constant<Config>(destination, source);
        } else {
            using plan = planned<Source, Config, destination_strides<Destination>()>;
            using dense = planned<Source, Config>;
            constexpr bool fits = scratch_on_stack<plan::code.scratch_bytes, Config::stack_budget>::fits;
            static_assert(scratch_on_stack<plan::code.scratch_bytes, Config::stack_budget>::fits,
                          "ashlar: evaluate: the scratch exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes<E>> or raise the budget");
            if constexpr (fits) run_apart<plan>(stack_run<plan, Element>{}, stack_run<dense, Element>{}, source, destination);
        }
    }
};

}  // namespace detail

/// Bytes of scratch, beyond those of workspace_bytes<Expression>, that an evaluation of Expression takes from the stack when its
/// destination overlaps what it reads. Where they exceed ASHLAR_STACK_BUDGET, not overlapping is a precondition.
template <class Expression>
inline constexpr std::size_t alias_workspace_bytes = [] {
    if constexpr (node_expression<std::remove_cvref_t<Expression>>)
        return (shape_of<Expression>::size * sizeof(element_of<Expression>) + detail::scratch_alignment - 1) / detail::scratch_alignment * detail::scratch_alignment;
    else
        return std::size_t{0};
}();

/// The values of an expression as a tensor of its shape. Scratch lies on the stack (at most ASHLAR_STACK_BUDGET bytes,
/// checked at compile time, as is the size of the result); nothing is allocated. Works in constant expressions.
///
///     tensor<float, 2, 2> y = eval(softmax(x));
template <any_expression Expression, class Config = current_config>
[[nodiscard]] constexpr auto eval(const Expression& e) noexcept {
    using result = detail::value_tensor<std::remove_cvref_t<Expression>>;
    static_assert(detail::scratch_on_stack<sizeof(result), Config::stack_budget>::fits,
                  "ashlar: eval: the result exceeds ASHLAR_STACK_BUDGET; evaluate into a destination of your own");
    if constexpr (!detail::scratch_on_stack<sizeof(result), Config::stack_budget>::fits) {
        return result{};
    } else if (std::is_constant_evaluated()) {
        result out{};
        detail::assign<Config>(out, e);
        return out;
    } else {
        result out;
        detail::assign<Config>(out, e);
        return out;
    }
}

/// Evaluates into a destination (a tensor or a view of the same shape and element type), which may overlap what the
/// expression reads. Scratch lies on the stack.
///
///     evaluate(out, matmul(softmax(scores), values));
template <class Destination, any_expression Expression, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e) noexcept {
    using target = std::remove_reference_t<Destination>;
    if constexpr (detail::check_assignment<target, Expression>()) detail::assignment<target, Expression, Config>::run(destination, e);
}

/// The same with scratch of the caller's, at least workspace_bytes<Expression> of it.
///
///     static workspace<workspace_bytes<decltype(e)>> scratch;
///     evaluate(out, e, scratch);
template <class Destination, any_expression Expression, std::size_t Bytes, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch) noexcept {
    using target = std::remove_reference_t<Destination>;
    using Element = typename target::value_type;
    if constexpr (node_expression<Expression>) {
        constexpr bool complete = detail::let_names<detail::graph<Expression>::names_outside>::are_inside;
        static_assert(detail::let_names<detail::graph<Expression>::names_outside>::are_inside,
                      "ashlar: let: the name of a value is used outside its let; use it in what the function returns only");
        if constexpr (detail::check_assignment<target, Expression>() && complete) {
            using plan = detail::planned<Expression, Config, detail::destination_strides<target>()>;
            static_assert(detail::workspace_size<Bytes, plan::code.scratch_bytes>::suffices,
                          "ashlar: evaluate: the workspace is too small; it needs workspace_bytes<E> bytes");
            using dense = detail::planned<Expression, Config>;
            if (std::is_constant_evaluated())
                detail::assign_constant<Config>(destination, e);
            else if constexpr (Bytes >= plan::code.scratch_bytes)
                detail::run_apart<plan>(detail::workspace_run<plan, Element>{scratch.bytes}, detail::workspace_run<dense, Element>{scratch.bytes}, e, destination);
        }
    } else {
        detail::assign<Config>(destination, e);
    }
}

}  // namespace ashlar
