// SPDX-License-Identifier: BSL-1.0
// Evaluation by several workers of the caller's.
#pragma once

#include <concepts>
#include <cstddef>

#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/sequence.hpp>
#include <ashlar/eval/sharing/run_with_workers.hpp>

namespace ashlar {

/// What runs parts of an evaluation beside each other: a pool of threads, a scheduler, an RTOS's tasks. `workers()` is
/// the most that run at once; `run(count, f)` calls f(i) once for each i < count, in any order, on any threads, and
/// returns when all calls have: what they wrote is visible then to the caller, and what the caller wrote before is to
/// them.
///
///     static_assert(executor<decltype(pool)>);
template <class Executor>
concept executor = requires(Executor& e, void (*f)(std::size_t)) {
    { e.workers() } -> std::convertible_to<std::size_t>;
    e.run(std::size_t{2}, f);
};

/// The same as `evaluate(destination, e, scratch)`, with the same bits, by as many workers as the scratch suffices for
/// (`workspace_bytes<Expression, Workers>`) and the executor has. Entries of batch axes, heads and tiles of rows are
/// shared out; all wait where a step needs what all have made, as the keys of a layer. Nothing is allocated and no
/// thread is started. What an overlapping destination takes of the stack (alias_workspace_bytes) each worker may take
/// of its own.
///
///     static workspace<workspace_bytes<decltype(e), 2>> scratch;
///     evaluate(y, e, scratch, pool);
template <class Destination, any_expression Expression, std::size_t Bytes, executor Executor,
          class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch,
                        Executor&& workers) noexcept {
    using target = std::remove_reference_t<Destination>;
    if constexpr (sequence_expression<Expression>) {
        constexpr std::size_t needed = detail::expression_scratch<Expression, Config>;
        static_assert(detail::workspace_size<Bytes, needed>::suffices,
                      "ashlar: nn: the workspace is too small; it needs workspace_bytes<E> bytes");
        if constexpr (detail::check_assignment<std::remove_cvref_t<Destination>, Expression>() && Bytes >= needed) {
            using on = detail::step_workers<std::remove_reference_t<Executor>,
                                            Bytes - detail::sequence_plan<Expression>::buffer_bytes>;
            detail::run_sequence<Config, detail::destination_memory::shared, 0>(
                destination, e, scratch.bytes, detail::limit_reference<detail::all_rows>{}, on{&workers});
        }
    } else if constexpr (!node_expression<Expression>) {
        detail::assign<Config>(destination, e);
    } else if constexpr (detail::is_narrow<typename std::remove_cv_t<target>::value_type> &&
                         !detail::is_narrowing<Expression>) {
        evaluate(destination, detail::narrowed<typename std::remove_cv_t<target>::value_type>(e), scratch, workers);
    } else if constexpr (detail::check_evaluation<target, Expression, Bytes, Config>()) {
        if (__builtin_is_constant_evaluated())
            detail::assign_constant<Config>(destination, e);
        else
            detail::run_with_workers<Config, detail::destination_memory::shared, Bytes>(destination, e, scratch.bytes,
                                                                                        workers);
    }
}

}  // namespace ashlar
