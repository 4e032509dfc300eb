// SPDX-License-Identifier: BSL-1.0
// A program whose outermost loops several workers share: each runs some of their turns, with scratch of its own.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/eval/access/passed_expression.hpp>
#include <ashlar/eval/run.hpp>
#include <ashlar/plan/build/overlap.hpp>
#include <ashlar/plan/sharing/shared_plan.hpp>

namespace ashlar::detail {

/// Some turns of a shared loop and of those right inside of it, counted as those of one loop.
template <class Plan, class Element, loop_index Loop>
struct loop_part {
    /// Turns [first, last), as worker number `worker`.
    static void run(const frame<Plan, Element>& outer, std::size_t worker, std::size_t first, std::size_t last) {
        if constexpr (staged_elements<Plan>() != 0)
            if (outer.tile_copy != nullptr) {
                run_with_tile(outer, worker, first, last);
                return;
            }
        run_turns(outer, nullptr, worker, first, last);
    }

private:
    /// Finished rows are staged on the stack of the worker.
    ASHLAR_NOINLINE ASHLAR_NOTHROW static void run_with_tile(const frame<Plan, Element>& outer, std::size_t worker,
                                                             std::size_t first, std::size_t last) {
        alignas(scratch_alignment) Element tile[staged_elements<Plan>() == 0 ? 1 : staged_elements<Plan>()];
        run_turns(outer, tile, worker, first, last);
    }

    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void run_turns(const frame<Plan, Element>& outer,
                                                                           Element* tile, std::size_t worker,
                                                                           std::size_t first, std::size_t last) {
        frame<Plan, Element> f{outer.expression, outer.destination, outer.scratch, tile, outer.shift, outer.index};
        f.index[frame<Plan, Element>::worker_index] = worker * Plan::code.worker_bytes;
        for (std::size_t turn = first; turn < last; ++turn) run_turn<Loop>(f, turn);
    }

    template <loop_index Now>
    ASHLAR_STAGE_INLINE static void run_turn(frame<Plan, Element>& f, std::size_t turn) {
        constexpr plan_loop loop = Plan::code.loops[Now];
        constexpr loop_index inner = shared_loop_in(Plan::code, Now);
        constexpr items_of<Plan, Now> items;
        if constexpr (inner != no_loop) {
            constexpr std::size_t turns = turns_of(Plan::code, inner);
            f.index[Now] = turn / turns;
            run_turn<inner>(f, turn % turns);
        } else if constexpr (!loop.rows) {
            f.index[Now] = turn;
            run_items<Now, 1>(f, items);
        } else {
            constexpr std::size_t full = loop.extent / loop.tile;
            if constexpr (loop.overlaps)
                if (turn + 1 == full) {  // it reads what the last full tile writes
                    f.index[Now] = loop.extent - loop.tile;
                    run_items<Now, loop.tile>(f, items);
                }
            if (loop.last_rows() == 0 || turn < full) {
                f.index[Now] = turn * loop.tile;
                run_items<Now, loop.tile>(f, items);
            } else if constexpr (loop.last_rows() != 0) {
                f.index[Now] = full * loop.tile;
                run_items<Now, loop.last_rows()>(f, items);
            }
        }
    }
};

/// A plan's run by so many workers with the caller's scratch, which suffices for them.
template <class Plan, class Element, std::size_t Workers, class Executor>
struct workers_run {
    using plan_type = Plan;
    static constexpr std::size_t stack_bytes = 0;
    std::byte* scratch;
    Executor& executor;

    ASHLAR_NOINLINE void operator()(passed_expression<Plan> passed, Element* destination, Element* tile_copy) const {
        const received_expression<Plan> e(passed);
        frame<Plan, Element> f{e.get(), destination, scratch, tile_copy};
        run_outermost(f, items_of<Plan, no_loop>{});
    }

private:
    template <std::size_t... Number>
    void run_outermost(frame<Plan, Element>& f, std::index_sequence<Number...>) const {
        (run_item<item_of<Plan>(no_loop, Number)>(f), ...);
    }

    template <plan_item Item>
    void run_item(frame<Plan, Element>& f) const {
        if constexpr (!Item.is_loop())
            run_alone<Item>(f);
        else if constexpr (!Plan::code.loops[Item.loop].is_shared)
            run_alone<Item>(f);
        else
            share<Item.loop>(f);
    }

    template <plan_item Item>
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void run_alone(frame<Plan, Element>& f) {
        item_code<Plan, Element, Item, 1>::run(f);
    }

    /// Which turns a part has depends on nothing but how many parts there are.
    template <loop_index Loop>
    void share(const frame<Plan, Element>& f) const {
        constexpr std::size_t turns = turns_of(Plan::code, Loop), most = turns < Workers ? turns : Workers;
        const auto offered = static_cast<std::size_t>(executor.workers());
        const std::size_t parts = offered < most ? (offered == 0 ? 1 : offered) : most;
        const auto part = [&f, parts](std::size_t i) {
            loop_part<Plan, Element, Loop>::run(f, i, turns * i / parts, turns * (i + 1) / parts);
        };
        if (parts == 1)
            part(0);
        else
            executor.run(parts, part);
    }
};

}  // namespace ashlar::detail
