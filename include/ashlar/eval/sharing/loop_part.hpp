// SPDX-License-Identifier: BSL-1.0
// Iterations of a loop that several workers share: each worker runs some of them with its own scratch.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/eval/access/loop_end.hpp>
#include <ashlar/eval/access/passed_expression.hpp>
#include <ashlar/eval/run.hpp>
#include <ashlar/plan/build/overlap.hpp>
#include <ashlar/plan/sharing/shared_plan.hpp>

namespace ashlar::inline v0_1::detail {

/// The entries or rows of a loop, inside the iterations of outer loops that the frame holds.
template <loop_index Loop, class Plan, class Element>
ASHLAR_STAGE_INLINE std::size_t end_of_loop(const frame<Plan, Element>& f) {
    if constexpr (Plan::code.loops[Loop].limits.stop())
        return loop_end<Loop>(f);
    else
        return Plan::code.loops[Loop].extent;
}

/// The iterations of a shared loop over rows that ends at `end`. If tiles of half the rows have the same bits,
/// iterations count those, so that workers have near-equal shares; neighbours run as one.
template <class Plan, loop_index Loop>
struct shared_rows {
    static constexpr plan_loop loop = Plan::code.loops[Loop];
    static constexpr bool in_parts = have_same_sums_in_parts(Plan::code, Loop);

    row_tiles tiles;
    bool begins_early;  // the last one: it computes rows of the one before, and runs with it

    ASHLAR_STAGE_INLINE explicit shared_rows(std::size_t end)
        : tiles(in_parts ? row_tiles{0, false} : tiles_before(loop, end)), begins_early(false) {
        if constexpr (in_parts) tiles.full = (end + loop.part - 1) / loop.part;
        const std::size_t last = count() - 1;
        begins_early = last != 0 && count() != 0 && begin(last) != last * step;
    }
    ASHLAR_STAGE_INLINE std::size_t turns() const { return count() - begins_early; }
    /// The first row of a tile.
    ASHLAR_STAGE_INLINE std::size_t begin(std::size_t tile) const {
        const std::size_t rows = tile < tiles.full ? step : loop.last_rows(), latest = loop.extent - rows;
        return tile * step < latest ? tile * step : latest;
    }
    /// A tile in the iterations [first, last), or two that are computed as one.
    struct place {
        std::size_t tile, steps;
        bool is_early;

        ASHLAR_STAGE_INLINE bool is_before(std::size_t last) const { return is_early || tile < last; }
    };
    /// The first tile. A tile that begins early precedes the others, because it reads what the tile before it writes.
    ASHLAR_STAGE_INLINE place start(std::size_t first, std::size_t last) const {
        if (begins_early && last == turns()) return {last, 1, true};
        return {first, steps(first, last), false};
    }
    ASHLAR_STAGE_INLINE place next(const place& now, std::size_t first, std::size_t last) const {
        const std::size_t tile = now.is_early ? first : now.tile + now.steps;
        return {tile, steps(tile, last), false};
    }
    ASHLAR_STAGE_INLINE bool is_full(const place& now) const {
        return in_parts ? now.steps == 2 : now.tile < tiles.full;
    }

private:
    static constexpr std::size_t step = in_parts ? loop.part : loop.tile;

    ASHLAR_STAGE_INLINE std::size_t count() const { return tiles.full + tiles.ends_early; }
    ASHLAR_STAGE_INLINE std::size_t steps(std::size_t tile, std::size_t last) const {
        return in_parts && tile + 2 <= last ? 2 : 1;
    }
};

/// The iterations of a shared loop times those of the loops directly inside it.
template <loop_index Loop, class Plan, class Element>
ASHLAR_STAGE_INLINE std::size_t current_iterations(frame<Plan, Element>& f) {
    constexpr plan_loop loop = Plan::code.loops[Loop];
    constexpr loop_index inner = shared_loop_in(Plan::code, Loop);
    const std::size_t end = end_of_loop<Loop>(f);
    if constexpr (loop.rows) {
        return shared_rows<Plan, Loop>(end).turns();
    } else if constexpr (inner == no_loop) {
        return end;
    } else {
        std::size_t turns = 0;
        for (std::size_t i = 0; i < end; ++i) {
            f.index[Loop] = i;
            turns += current_iterations<inner>(f);
        }
        return turns;
    }
}

/// Whether a loop runs over the tiles whose finished rows are staged, or encloses them.
template <class Plan, loop_index Loop>
consteval bool holds_staged_rows() {
    return is_loop_inside(Plan::code, staged_loop<Plan>(), Loop);
}

/// Some iterations of a shared loop and of the loops directly inside it, counted as one loop, in a tile of this many
/// rows.
template <class Plan, class Element, loop_index Loop, std::size_t Rows>
struct loop_part {
    /// Runs the iterations [first, last) as worker number `worker`.
    static void run(const frame<Plan, Element>& outer, std::size_t worker, std::size_t first, std::size_t last) {
        if constexpr (holds_staged_rows<Plan, Loop>())
            if (outer.tile_copy != nullptr) {
                run_with_tile(outer, worker, first, last);
                return;
            }
        run_iterations(outer, outer.tile_copy, worker, first, last);
    }

private:
    /// Finished rows are staged on the worker's stack.
    ASHLAR_NOINLINE ASHLAR_NOTHROW static void run_with_tile(const frame<Plan, Element>& outer, std::size_t worker,
                                                             std::size_t first, std::size_t last) {
        alignas(scratch_alignment) Element tile[staged_elements<Plan>() == 0 ? 1 : staged_elements<Plan>()];
        run_iterations(outer, tile, worker, first, last);
    }

    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void run_iterations(const frame<Plan, Element>& outer,
                                                                                Element* tile, std::size_t worker,
                                                                                std::size_t first, std::size_t last) {
        frame<Plan, Element> f{outer.expression, outer.destination, outer.scratch, tile, outer.shift, outer.index};
        f.limit = outer.limit;
        f.asked = outer.asked;
        f.index[frame<Plan, Element>::worker_index] = worker * Plan::code.worker_bytes;
        run_iterations_of<Loop>(f, first, last);
    }

    template <loop_index Now>
    ASHLAR_STAGE_INLINE static void run_iterations_of(frame<Plan, Element>& f, std::size_t first, std::size_t last) {
        constexpr loop_index inner = shared_loop_in(Plan::code, Now);
        constexpr items_of<Plan, Now> items;
        if constexpr (inner != no_loop) {
            const std::size_t entries = end_of_loop<Now>(f);
            for (std::size_t i = 0, begin = 0; i < entries && begin < last; ++i) {
                f.index[Now] = i;
                const std::size_t turns = current_iterations<inner>(f), end = begin + turns;
                if (end > first)
                    run_iterations_of<inner>(f, first > begin ? first - begin : 0, last < end ? last - begin : turns);
                begin = end;
            }
        } else if constexpr (!Plan::code.loops[Now].rows) {
            for (std::size_t i = first; i < last; ++i) {
                f.index[Now] = i;
                run_items<Now, Rows>(f, items);
            }
        } else {
            run_rows<Now>(f, end_of_loop<Now>(f), first, last);
        }
    }

    /// One call for each kind of tile: everything that a tile runs may be inlined there.
    template <loop_index Now>
    ASHLAR_STAGE_INLINE static void run_rows(frame<Plan, Element>& f, std::size_t end, std::size_t first,
                                             std::size_t last) {
        constexpr plan_loop loop = Plan::code.loops[Now];
        constexpr items_of<Plan, Now> items;
        const shared_rows<Plan, Now> rows(end);
        for (auto now = rows.start(first, last); now.is_before(last); now = rows.next(now, first, last)) {
            begin_tile<Now>(f, rows.begin(now.tile), end);
            if (rows.is_full(now))
                run_items<Now, loop.tile>(f, items);
            else if constexpr (loop.last_rows() != 0)
                run_items<Now, loop.last_rows()>(f, items);
        }
    }
};

}  // namespace ashlar::detail
