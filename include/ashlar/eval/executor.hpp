// SPDX-License-Identifier: BSL-1.0
// Evaluation by several workers that the caller provides.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/sequence.hpp>
#include <ashlar/eval/sharing/run_with_workers.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// What an executor calls: a function object, not a pointer to a function.
struct called_part {
    void operator()(std::size_t i) const;
};

}  // namespace detail

/// Runs parts of an evaluation concurrently: a pool of threads, a scheduler, the tasks of an RTOS. `workers()` is the
/// greatest number of parts that run at once. `run(count, f)` calls the constant function object f(i) once for each
/// i < count, in any order, on any threads, and returns after all calls. The calls see what the caller wrote before,
/// and the caller then sees what the calls wrote.
///
///     static_assert(executor<decltype(pool)>);
template <class Executor>
concept executor = requires(Executor& e, const detail::called_part& f) {
    { e.workers() } -> std::convertible_to<std::size_t>;
    e.run(std::size_t{2}, f);
};

namespace detail {

/// What may follow the destination and the expression of `evaluate`.
enum class evaluation_argument : std::uint8_t { unknown, scratch, workers, rows };
template <class Argument>
inline constexpr evaluation_argument kind_of_argument = row_limit<Argument>  ? evaluation_argument::rows
                                                        : executor<Argument> ? evaluation_argument::workers
                                                                             : evaluation_argument::unknown;
template <std::size_t Bytes>
inline constexpr evaluation_argument kind_of_argument<workspace<Bytes>&> = evaluation_argument::scratch;

/// Whether the arguments after the destination and the expression are a workspace, an executor and rows, in an order
/// that `evaluate` takes.
template <class... Argument>
struct evaluation_arguments {
    static consteval bool check() {
        using enum evaluation_argument;
        constexpr std::size_t count = sizeof...(Argument);
        const evaluation_argument of[] = {kind_of_argument<Argument>..., unknown};
        if (count == 1) return of[0] == scratch || of[0] == rows;
        if (count == 2) return of[0] == scratch && (of[1] == workers || of[1] == rows);
        return count == 3 && of[0] == scratch &&
               ((of[1] == workers && of[2] == rows) || (of[1] == rows && of[2] == workers));
    }
    static constexpr bool are_known = check();
};

/// Evaluates e, or its rows within the limit, with the caller's scratch and workers.
template <class Config, class Rows, class Destination, class Expression, std::size_t Bytes, class Executor>
constexpr void evaluate_shared(Destination& destination, const Expression& e, workspace<Bytes>& scratch,
                               Executor& workers, limit_reference<Rows> limit) noexcept {
    if constexpr (sequence_expression<Expression>) {
        constexpr std::size_t needed = expression_scratch<Expression, Config>;
        static_assert(workspace_size<Bytes, needed>::suffices,
                      "ashlar: nn: the workspace is too small; it needs workspace_bytes<E> bytes");
        if constexpr (check_assignment<std::remove_cv_t<Destination>, Expression>() && Bytes >= needed) {
            using on = step_workers<Executor, Bytes - sequence_plan<Expression>::buffer_bytes>;
            run_sequence<Config, destination_memory::shared, 0>(destination, e, scratch.bytes, limit, on{&workers});
        }
    } else if constexpr (!node_expression<Expression>) {
        assign<Config>(destination, e);
    } else if constexpr (check_evaluation<Destination, Expression, Bytes, Config>()) {
        if (__builtin_is_constant_evaluated())
            assign_constant<Config>(destination, e);
        else
            run_with_scratch<Config, destination_memory::shared>(
                destination, e, workers_scratch<Executor, Bytes>{scratch.bytes, workers}, limit);
    }
}

}  // namespace detail

/// The same as `evaluate(destination, e, scratch)`, with the same bits, by as many workers as the scratch suffices for
/// (`workspace_bytes<Expression, Workers>`) and the executor has. Entries of batch axes, heads and tiles of rows are
/// shared out, or, where rows are few, columns of products; all wait where a step needs what all have made, as the keys
/// of a layer. Nothing is allocated and no
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
    detail::evaluate_shared<Config>(destination, e, scratch, workers, detail::limit_reference<detail::all_rows>{});
}

/// The same of the first rows only: see rows_below. Workers share the tiles that these are in, whatever entry of a
/// batch they belong to. The last two arguments may change places.
///
///     evaluate(result, encoder(batch, keys_below(lengths)), layers_scratch, pool, rows_below(lengths));
template <class Destination, any_expression Expression, std::size_t Bytes, executor Executor, detail::row_limit Rows,
          class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch, Executor&& workers,
                        const Rows& rows) noexcept {
    if constexpr (detail::check_rows<shape_of<Expression>, Rows>()) {
        ASHLAR_ASSERT(detail::rows_fit<shape_of<Expression>>(rows),
                      "ashlar: rows_below: more rows than the result has");
        detail::evaluate_shared<Config>(destination, e, scratch, workers, detail::limit_reference<Rows>{&rows});
    }
}
template <class Destination, any_expression Expression, std::size_t Bytes, detail::row_limit Rows, executor Executor,
          class Config = current_config>
    requires array_expression<Destination>
constexpr void evaluate(Destination&& destination, const Expression& e, workspace<Bytes>& scratch, const Rows& rows,
                        Executor&& workers) noexcept {
    evaluate(destination, e, scratch, workers, rows);
}

/// Arguments that cannot follow the destination and the expression, such as a number of rows or a class that is no
/// executor. Example: `evaluate`; a plain 3 is refused where rows_below(3) is meant.
template <class Destination, any_expression Expression, class... Argument>
    requires(array_expression<Destination> && sizeof...(Argument) != 0 &&
             !detail::evaluation_arguments<Argument...>::are_known)
constexpr void evaluate(Destination&&, const Expression&, Argument&&...) noexcept {
    static_assert(
        detail::evaluation_arguments<Argument...>::are_known,
        "ashlar: evaluate: pass a named workspace after the expression, then an executor, which has workers() "
        "and run(count, f) for any function object f, or rows_below(n), or both; rows_below(n) also alone");
}

template <auto... Given>
void evaluate(
    detail::refused_call<
        "ashlar: evaluate: takes a destination, which is a tensor or a view, and then an expression; write evaluate(tensor_view<float, 2, 3>{memory}, e)">,
    detail::any_argument, detail::any_argument = {}, detail::any_argument = {}, detail::any_argument = {});

}  // namespace ashlar
