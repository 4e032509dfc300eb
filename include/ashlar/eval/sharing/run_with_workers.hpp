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

/// Scratch for as many workers as it suffices for. All workers see a destination that overlaps operands as one.
template <class Executor, std::size_t Bytes>
struct workers_scratch {
    std::byte* bytes;
    Executor& executor;

    /// The run of the plan for which this much scratch suffices.
    template <class Expression, class Config, axis_list Strides, class Element, class Rows>
    ASHLAR_ALWAYS_INLINE auto run_of(limit_reference<Rows> limit) const {
        using plans = shared_plans<Expression, Config, Strides, Rows>;
        using plan = typename plans::template of_bytes<Bytes>;
        constexpr std::size_t workers = workers_in(plan::code, Bytes),
                              few = plans::template rows_by_columns_with<plan>(Bytes);
        if constexpr (workers > 1 && few != 0) {
            using by_rows = workers_run<plan, Element, workers, Executor>;
            using by_columns = workers_run<typename plans::by_columns, Element, workers, Executor>;
            return rows_or_columns_run<by_rows, by_columns, few, Element, Rows>{
                {bytes, executor, limit}, {bytes, executor, limit}, limit};
        } else if constexpr (workers > 1) {
            return workers_run<plan, Element, workers, Executor>{bytes, executor, limit};
        } else {
            return workspace_run<planned<Expression, Config, Strides, Rows>, Element>{bytes, limit};
        }
    }
};

/// The workers of an executor run each step of a sequence, with this much scratch.
template <class Executor, std::size_t Bytes>
struct step_workers {
    Executor* executor;

    template <class Config, class Destination, class Expression, class Rows>
    ASHLAR_ALWAYS_INLINE void run(Destination& destination, const Expression& e, std::byte* scratch,
                                  const limit_reference<Rows>& limit) const noexcept {
        run_with_scratch<Config, destination_memory::fresh>(
            destination, e, workers_scratch<Executor, Bytes>{scratch, *executor}, limit);
    }
};

}  // namespace ashlar::detail
