// SPDX-License-Identifier: BSL-1.0
// Runs a program by several workers. They share iterations of its outermost loops. If these are split, they share
// columns of products and heads of attention in one iteration after the other.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/eval/access/passed_expression.hpp>
#include <ashlar/eval/sharing/loop_part.hpp>

namespace ashlar::inline v0_1::detail {

/// Runs a plan by this many workers with the caller's scratch, which suffices for them.
template <class Plan, class Element, std::size_t Workers, class Executor>
struct workers_run {
    using plan_type = Plan;
    static constexpr std::size_t stack_bytes = 0;
    std::byte* scratch;
    Executor& executor;
    [[no_unique_address]] limit_reference<typename Plan::rows_type> limit{};

    ASHLAR_NOINLINE void operator()(passed_expression<Plan> passed, Element* destination, Element* tile_copy) const {
        const received_expression<Plan> e(passed);
        frame<Plan, Element> f{e.get(), destination, scratch, tile_copy};
        f.limit = limit;
        run_all<no_loop, 1>(f, items_of<Plan, no_loop>{});
    }

private:
    template <loop_index Parent, std::size_t Rows, std::size_t... Number>
    void run_all(frame<Plan, Element>& f, std::index_sequence<Number...>) const {
        [[maybe_unused]] const bool ran[]{(run_item<item_of<Plan>(Parent, Number), Rows>(f), true)...};
    }

    /// An item of the outermost level or of a split loop.
    template <plan_item Item, std::size_t Rows>
    void run_item(frame<Plan, Element>& f) const {
        if constexpr (Item.is_loop()) {
            if constexpr (Plan::code.loops[Item.loop].is_split)
                split<Item.loop>(f);
            else if constexpr (Plan::code.loops[Item.loop].is_shared)
                share<Item.loop, Rows>(f);
            else
                run_alone<Item, Rows>(f);
        } else if constexpr (Item.stage != no_stage) {
            if constexpr (Plan::code.stages[Item.stage].shares_columns)
                share_columns<Item, Rows>(f);
            else
                run_alone<Item, Rows>(f);
        } else {
            run_alone<Item, Rows>(f);
        }
    }

    template <plan_item Item, std::size_t Rows>
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void run_alone(frame<Plan, Element>& f) {
        item_code<Plan, Element, Item, Rows>::run(f);
    }

    /// Tiles of rows one after the other. Workers share what each tile has.
    template <loop_index Loop>
    void split(frame<Plan, Element>& f) const {
        constexpr plan_loop loop = Plan::code.loops[Loop];
        const std::size_t end = end_of_loop<Loop>(f);
        const shared_rows<Plan, Loop> rows(end);
        const std::size_t turns = rows.turns();
        for (auto now = rows.start(0, turns); now.is_before(turns); now = rows.next(now, 0, turns)) {
            begin_tile<Loop>(f, rows.begin(now.tile), end);
            if (rows.is_full(now))
                run_tile<Loop, loop.tile>(f);
            else if constexpr (loop.last_rows() != 0)
                run_tile<Loop, loop.last_rows()>(f);
        }
    }
    template <loop_index Loop, std::size_t Rows>
    void run_tile(frame<Plan, Element>& f) const {
        [[maybe_unused]] Element* tile = nullptr;
        if constexpr (is_staged<Plan>(Loop)) tile = begin_staging<Loop, Rows>(f);
        run_all<Loop, Rows>(f, items_of<Plan, Loop>{});
        if constexpr (is_staged<Plan>(Loop)) end_staging<Loop, Rows>(f, tile);
    }

    /// The iterations of a part depend only on the number of parts.
    template <loop_index Loop, std::size_t Rows>
    void share(frame<Plan, Element>& f) const {
        const std::size_t turns = current_iterations<Loop>(f);
        run_parts(turns, [&f, turns](std::size_t i, std::size_t parts) {
            loop_part<Plan, Element, Loop, Rows>::run(f, i, turns * i / parts, turns * (i + 1) / parts);
        });
    }

    template <plan_item Item, std::size_t Rows>
    void share_columns(const frame<Plan, Element>& f) const {
        constexpr const plan_stage& stage = Plan::code.stages[Item.stage];
        constexpr std::size_t rows = stage_rows<Plan, Item.stage, Rows>();
        constexpr std::size_t runs =
            column_runs(stage.how[tile_of<Plan, Item.stage, rows>()].product, stage.facts.columns,
                        Plan::nodes[Plan::resolve(stage.facts.right)].panel);
        run_parts(runs, [&f](std::size_t i, std::size_t parts) {
            frame<Plan, Element> own = f;
            own.index[frame<Plan, Element>::worker_index] = i * Plan::code.worker_bytes;
            own.part = {i, parts};
            run_alone<Item, Rows>(own);
        });
    }

    /// Calls part(i, parts) for as many parts as there are workers, at most `most`.
    template <class Part>
    void run_parts(std::size_t at_most, const Part& part) const {
        if (at_most == 0) return;
        const std::size_t most = at_most < Workers ? at_most : Workers;
        const auto offered = static_cast<std::size_t>(executor.workers());
        const std::size_t parts = offered < most ? (offered == 0 ? 1 : offered) : most;
        const auto call = [&part, parts](std::size_t i) { part(i, parts); };
        if (parts == 1)
            part(0, 1);
        else
            executor.run(parts, call);
    }
};

}  // namespace ashlar::detail
