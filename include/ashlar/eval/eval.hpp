// SPDX-License-Identifier: BSL-1.0
// Evaluation: eval, evaluate and assignment. Kernels run at run time, plain loops in constant expressions.
#pragma once

#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/unoptimized.hpp>
#include <ashlar/eval/access/alias.hpp>
#include <ashlar/eval/access/passed_expression.hpp>
#include <ashlar/eval/constant/constant.hpp>
#include <ashlar/eval/rows_below.hpp>
#include <ashlar/eval/workspace.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/plan/build/destination.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// Whether scratch may lie on the stack.
template <std::size_t Bytes, std::size_t Budget>
struct scratch_on_stack {
    static constexpr bool fits = Bytes <= Budget;
};

/// Whether the result of eval and its scratch fit the stack together.
template <std::size_t Result, std::size_t Scratch, std::size_t Budget>
struct result_on_stack {
    static constexpr bool fits = Result <= Budget && Scratch <= Budget - Result;
};

/// Whether a workspace is as large as a plan needs.
template <std::size_t Given, std::size_t Needed>
struct workspace_size {
    static constexpr bool suffices = Given >= Needed;
};

/// Runs a plan with scratch on the stack. Functions with SIMD code are nothrow by attribute, not noexcept: g++ 12
/// assumes that vector instructions may throw, and a noexcept function around them would need a personality routine.
template <class Plan, class Element>
struct stack_run {
    using plan_type = Plan;
    static constexpr std::size_t bytes = Plan::code.scratch_bytes;
    static constexpr std::size_t stack_bytes = bytes;
    [[no_unique_address]] limit_reference<typename Plan::rows_type> limit{};

    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW void operator()(passed_expression<Plan> passed,
                                                                     Element* destination, Element* tile_copy) const {
        warn_unoptimized();
        const received_expression<Plan> e(passed);
        alignas(scratch_alignment) std::byte scratch[bytes == 0 ? 1 : bytes];
        frame<Plan, Element> f{e.get(), destination, bytes == 0 ? nullptr : scratch, tile_copy};
        f.limit = limit;
        run_items<no_loop, 1>(f, items_of<Plan, no_loop>{});
    }
};

/// Runs a plan with the caller's scratch.
template <class Plan, class Element>
struct workspace_run {
    using plan_type = Plan;
    static constexpr std::size_t stack_bytes = 0;
    std::byte* scratch;
    [[no_unique_address]] limit_reference<typename Plan::rows_type> limit{};

    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW void operator()(passed_expression<Plan> passed,
                                                                     Element* destination, Element* tile_copy) const {
        warn_unoptimized();
        const received_expression<Plan> e(passed);
        frame<Plan, Element> f{e.get(), destination, scratch, tile_copy};
        f.limit = limit;
        run_items<no_loop, 1>(f, items_of<Plan, no_loop>{});
    }
};

/// Where an evaluation's scratch is, and what runs a plan with it: on the stack, or the caller's.
struct stack_scratch {
    template <class Expression, class Config, axis_list Strides, class Element, class Rows>
    ASHLAR_ALWAYS_INLINE static auto run_of(limit_reference<Rows> limit) {
        return stack_run<planned<Expression, Config, Strides, Rows>, Element>{limit};
    }
};
struct workspace_scratch {
    std::byte* bytes;

    template <class Expression, class Config, axis_list Strides, class Element, class Rows>
    ASHLAR_ALWAYS_INLINE auto run_of(limit_reference<Rows> limit) const {
        return workspace_run<planned<Expression, Config, Strides, Rows>, Element>{bytes, limit};
    }
};

/// Runs into a dense copy of the result first, for a destination that overlaps operands.
template <class Config, class Run, class Expression, class Destination>
ASHLAR_NOINLINE ASHLAR_NOTHROW void run_staged(const Run& run, const Expression& e, Destination& destination) {
    using Element = typename Destination::value_type;
    alignas(scratch_alignment) Element staged[Expression::shape_type::size];
    run(e, staged, static_cast<Element*>(nullptr));
    copy_apart<Config, Destination, dense_like<Destination>>(destination.data(), static_cast<const Element*>(staged));
}

/// Runs with the finished rows of each tile staged until its end, for a destination whose rows depend only on
/// themselves.
template <class Plan, class Run, class Destination>
ASHLAR_NOINLINE ASHLAR_NOTHROW void run_in_tiles(const Run& run, const typename Plan::expression_type& e,
                                                 Destination& destination) {
    alignas(scratch_alignment)
        typename Destination::value_type tile[staged_elements<Plan>() == 0 ? 1 : staged_elements<Plan>()];
    run(e, destination.data(), tile);
}

/// Assignment in a constant expression.
template <class Config, class Destination, class Source>
constexpr void assign_constant(Destination& destination, const Source& source) {
    const auto values = detail::constant_evaluate(source);
    if constexpr (is_narrow<typename Destination::value_type>)
        convert_axes<Config, Destination, dense_like<Destination>>(destination.data(), values.data());
    else
        copy_apart<Config, Destination, dense_like<Destination>>(destination.data(), values.data());
}

/// Assignment of a lazy node.
template <class Destination, node_expression Source, class Config>
struct assignment<Destination, Source, Config> {
    /// Evaluates e, or its rows within the limit. The caller's scratch must suffice; it is for run time only. If the
    /// destination overlaps an operand, a copy of the result or of a tile is on the stack.
    template <destination_memory Memory = destination_memory::shared, class Rows = all_rows,
              class Scratch = stack_scratch>
    static constexpr void run(Destination& destination, const Source& e,
                              [[maybe_unused]] limit_reference<Rows> limit = {},
                              [[maybe_unused]] const Scratch& scratch = {}) noexcept {
        using Element = typename Destination::value_type;
        constexpr bool on_stack = std::is_same_v<Scratch, stack_scratch>;
        constexpr bool complete = let_names<graph<Source>::names_outside>::are_inside;
        static_assert(
            let_names<graph<Source>::names_outside>::are_inside,
            "ashlar: let: the name of a value is used outside its let; use it in what the function returns only");
        if constexpr (!complete) {
            return;
        } else if constexpr (is_narrow<Element> && !is_narrowing<Source>) {
            assignment<Destination, narrowing<Element, Source>, Config>::template run<Memory>(
                destination, narrowed<Element>(e), limit, scratch);
        } else {
            if constexpr (on_stack)
                if (__builtin_is_constant_evaluated()) {
                    if constexpr (Memory == destination_memory::fresh && is_dense<Destination> && !is_narrow<Element>)
                        constant_evaluator<Config>::write(e, no_lets{}, destination.data());
                    else
                        assign_constant<Config>(destination, e);
                    return;
                }
            const auto evaluation =
                scratch.template run_of<Source, Config, destination_strides<Destination>(), Element>(limit);
            using run_type = std::remove_const_t<decltype(evaluation)>;
            using plan = typename run_type::plan_type;
            using stack_use = scratch_on_stack<run_type::stack_bytes, Config::stack_budget>;
            if constexpr (is_dense<Destination>)
                static_assert(
                    stack_use::fits,
                    "ashlar: evaluate: the scratch exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes<E>> or raise the budget");
            else
                static_assert(
                    stack_use::fits,
                    "ashlar: evaluate: the scratch for a strided destination exceeds ASHLAR_STACK_BUDGET; pass a workspace<workspace_bytes_into<Destination, E>> or raise the budget");
            if constexpr (stack_use::fits) {
                if constexpr (Memory == destination_memory::shared && borrows_memory<Source>) {
                    constexpr std::size_t tile_bytes = staged_elements<plan>() * sizeof(Element);
                    const overlap found = find_overlap<plan>(e, destination);
                    if constexpr (tile_bytes != 0 && run_type::stack_bytes + tile_bytes <= Config::stack_budget)
                        if (found == overlap::rows) {
                            run_in_tiles<plan>(evaluation, e, destination);
                            return;
                        }
                    if (found != overlap::none) {
                        const auto dense = scratch.template run_of<Source, Config, row_major<Source>(), Element>(limit);
                        if constexpr (copy_fits<Source, Config, decltype(dense)::stack_bytes>) {
                            run_staged<Config>(dense, e, destination);
                            return;
                        } else {
                            ASHLAR_ASSERT(
                                false,
                                "ashlar: evaluate: the destination overlaps an operand and is too large to copy");
                        }
                    }
                }
                evaluation(e, destination.data(), nullptr);
            }
        }
    }
};

/// Evaluates e at run time, or its rows within the limit, with scratch of the caller's that suffices.
template <class Config, destination_memory Memory, class Destination, class Expression, class Scratch,
          class Rows = all_rows>
ASHLAR_ALWAYS_INLINE void run_with_scratch(Destination& destination, const Expression& e, const Scratch& scratch,
                                           limit_reference<Rows> limit = {}) {
    if constexpr (node_expression<Expression>)
        assignment<Destination, Expression, Config>::template run<Memory>(destination, e, limit, scratch);
    else
        assignment<Destination, Expression, Config>::template run<Memory>(destination, e);
}

/// Checks an evaluation with a workspace of this size. Each broken rule is one error.
template <class Destination, class Expression, std::size_t Bytes, class Config>
consteval bool check_evaluation() {
    constexpr bool complete = let_names<graph<Expression>::names_outside>::are_inside;
    static_assert(let_names<graph<Expression>::names_outside>::are_inside,
                  "ashlar: let: the name of a value is used outside its let; use it in what the function returns only");
    if constexpr (check_assignment<Destination, Expression>() && complete) {
        constexpr std::size_t needed = destination_scratch<std::remove_cv_t<Destination>, Expression, Config>;
        if constexpr (is_dense<Destination>)
            static_assert(workspace_size<Bytes, needed>::suffices,
                          "ashlar: evaluate: the workspace is too small; it needs workspace_bytes<E> bytes");
        else
            static_assert(
                workspace_size<Bytes, needed>::suffices,
                "ashlar: evaluate: the workspace is too small for a strided destination; it needs workspace_bytes_into<Destination, E> bytes");
        return Bytes >= needed;
    } else {
        return false;
    }
}

/// The values of an expression. One variable, one return and no deduced type: only then do all compilers, even at -O0,
/// build the result in the caller's memory without a copy.
template <class Config, class Expression>
constexpr value_tensor<Expression> evaluated(const Expression& e) noexcept {
    value_tensor<Expression> result;
    assign<Config, destination_memory::fresh>(result, e);
    return result;
}

}  // namespace detail

/// The values of an expression as a tensor of its shape. The result and the scratch lie on the stack (together at most
/// ASHLAR_STACK_BUDGET bytes, checked at compile time); the result is built where the caller wants it, and nothing is
/// allocated. Works in constant expressions.
///
///     tensor<float, 2, 2> y = eval(softmax(x));
template <any_expression Expression, class Config = current_config>
[[nodiscard]] constexpr auto eval(const Expression& e) noexcept {
    using result = detail::value_tensor<std::remove_cvref_t<Expression>>;
    constexpr std::size_t scratch = detail::expression_scratch<std::remove_cvref_t<Expression>, Config>;
    constexpr bool fits = detail::result_on_stack<sizeof(result), scratch, Config::stack_budget>::fits;
    static_assert(
        detail::result_on_stack<sizeof(result), scratch, Config::stack_budget>::fits,
        "ashlar: eval: the result and its scratch exceed ASHLAR_STACK_BUDGET; evaluate into a destination of your own");
    if constexpr (fits)
        return detail::evaluated<Config>(e);
    else
        return result{};
}

/// Evaluates into a destination (a tensor or a view of the same shape and element type), which may overlap what the
/// expression reads. Scratch lies on the stack.
///
///     evaluate(out, matmul(softmax(scores), values));
template <class Destination, any_expression Expression, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e) noexcept {
    using target = std::remove_reference_t<Destination>;
    if constexpr (detail::check_assignment<target, Expression>())
        detail::assignment<target, Expression, Config>::run(destination, e);
}

/// The same with scratch of the caller's, at least workspace_bytes<Expression> of it, or for a strided destination
/// workspace_bytes_into<Destination, Expression>.
///
///     static workspace<workspace_bytes<decltype(e)>> scratch;
///     evaluate(out, e, scratch);
template <class Destination, any_expression Expression, std::size_t Bytes, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch) noexcept {
    if constexpr (node_expression<Expression>) {
        if constexpr (detail::check_evaluation<std::remove_reference_t<Destination>, Expression, Bytes, Config>()) {
            if (__builtin_is_constant_evaluated())
                detail::assign_constant<Config>(destination, e);
            else
                detail::run_with_scratch<Config, detail::destination_memory::shared>(
                    destination, e, detail::workspace_scratch{scratch.bytes});
        }
    } else {
        detail::assign<Config>(destination, e);
    }
}

/// The same of the first rows only: see rows_below.
///
///     evaluate(y, attention(q, q, q, keys_below(n)), rows_below(n));
template <class Destination, any_expression Expression, detail::row_limit Rows, class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, const Rows& rows) noexcept {
    using target = std::remove_reference_t<Destination>;
    if constexpr (detail::check_assignment<target, Expression>())
        if constexpr (detail::check_rows<shape_of<Expression>, Rows>()) {
            ASHLAR_ASSERT(detail::rows_fit<shape_of<Expression>>(rows),
                          "ashlar: rows_below: more rows than the result has");
            if constexpr (array_expression<Expression>)
                detail::assign<Config>(destination, e);
            else
                detail::assignment<target, Expression, Config>::template run<detail::destination_memory::shared>(
                    destination, e, detail::limit_reference<Rows>{&rows});
        }
}

/// The same with scratch of the caller's, as much as for all rows.
///
///     evaluate(y, attention(q, q, q, keys_below(n)), scratch, rows_below(n));
template <class Destination, any_expression Expression, std::size_t Bytes, detail::row_limit Rows,
          class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch,
                        const Rows& rows) noexcept {
    using target = std::remove_reference_t<Destination>;
    if constexpr (!node_expression<Expression>) {
        evaluate(std::forward<Destination>(destination), e, rows);
    } else if constexpr (detail::check_evaluation<target, Expression, Bytes, Config>()) {
        if constexpr (detail::check_rows<shape_of<Expression>, Rows>()) {
            ASHLAR_ASSERT(detail::rows_fit<shape_of<Expression>>(rows),
                          "ashlar: rows_below: more rows than the result has");
            if (__builtin_is_constant_evaluated())
                detail::assign_constant<Config>(destination, e);
            else
                detail::run_with_scratch<Config, detail::destination_memory::shared>(
                    destination, e, detail::workspace_scratch{scratch.bytes}, detail::limit_reference<Rows>{&rows});
        }
    }
}

template <auto... Given>
void eval(
    detail::refused_call<
        "ashlar: eval: takes one tensor, view or expression; tensor_view<float, 2, 3>{memory} makes one of other memory">);

}  // namespace ashlar
