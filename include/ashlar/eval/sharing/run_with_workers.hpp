// SPDX-License-Identifier: BSL-1.0
// Evaluates an expression by as many workers as the scratch suffices for.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/eval/access/passed_expression.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/sharing/workers_run.hpp>
#include <ashlar/plan/sharing/shared_plan.hpp>

namespace ashlar::inline v0_1::detail {

/// Few rows run by one plan, more rows by another one. Only the second handles overlap.
template <class ByRows, class ByColumns, std::size_t Most, class Element, class Rows>
struct rows_or_columns_run {
    using plan_type = typename ByRows::plan_type;
    using shape = typename plan_type::expression_type::shape_type;
    static constexpr std::size_t stack_bytes = 0;
    ByRows by_rows;
    ByColumns by_columns;
    limit_reference<Rows> limit;

    ASHLAR_ALWAYS_INLINE void operator()(passed_expression<plan_type> e, Element* destination,
                                         Element* tile_copy) const {
        if (tile_copy == nullptr && limit.template most<shape>(std::array<std::size_t, shape::rank - 2>{}) <= Most)
            by_columns(e, destination, tile_copy);
        else
            by_rows(e, destination, tile_copy);
    }
};

/// The run of the plan for which this much scratch suffices.
template <class Expression, class Config, axis_list Strides, std::size_t Bytes, class Element, class Executor,
          class Rows>
ASHLAR_ALWAYS_INLINE auto run_of_workers(std::byte* scratch, Executor& executor, limit_reference<Rows> limit) {
    using plans = shared_plans<Expression, Config, Strides, Rows>;
    using plan = typename plans::template of_bytes<Bytes>;
    constexpr std::size_t workers = workers_in(plan::code, Bytes),
                          few = plans::template rows_by_columns_with<plan>(Bytes);
    if constexpr (workers > 1 && few != 0) {
        using by_rows = workers_run<plan, Element, workers, Executor>;
        using by_columns = workers_run<typename plans::by_columns, Element, workers, Executor>;
        return rows_or_columns_run<by_rows, by_columns, few, Element, Rows>{
            {scratch, executor, limit}, {scratch, executor, limit}, limit};
    } else if constexpr (workers > 1) {
        return workers_run<plan, Element, workers, Executor>{scratch, executor, limit};
    } else {
        return workspace_run<planned<Expression, Config, Strides, Rows>, Element>{scratch, limit};
    }
}

/// As run_with_scratch. All workers see a destination that overlaps operands as one.
template <class Config, destination_memory Memory, std::size_t Bytes, class Destination, class Expression,
          class Executor, class Rows = all_rows>
ASHLAR_ALWAYS_INLINE void run_with_workers(Destination& destination, const Expression& e, std::byte* scratch,
                                           Executor& executor, limit_reference<Rows> limit = {}) {
    using Element = typename Destination::value_type;
    const auto run = run_of_workers<Expression, Config, destination_strides<Destination>(), Bytes, Element>(
        scratch, executor, limit);
    using plan = typename decltype(run)::plan_type;
    if constexpr (Memory == destination_memory::fresh)
        run(e, destination.data(), nullptr);
    else
        run_apart<plan>(
            run, run_of_workers<Expression, Config, row_major<Expression>(), Bytes, Element>(scratch, executor, limit),
            e, destination);
}

/// The workers of an executor run each step of a sequence, with this much scratch.
template <class Executor, std::size_t Bytes>
struct step_workers {
    Executor* executor;

    template <class Config, class Destination, class Expression, class Rows>
    ASHLAR_ALWAYS_INLINE void run(Destination& destination, const Expression& e, std::byte* scratch,
                                  const limit_reference<Rows>& limit) const noexcept {
        if constexpr (node_expression<Expression>)
            run_with_workers<Config, destination_memory::fresh, Bytes>(destination, e, scratch, *executor, limit);
        else
            run_with_scratch<Config, destination_memory::fresh>(destination, e, scratch, limit);
    }
};

}  // namespace ashlar::detail
