// SPDX-License-Identifier: BSL-1.0
// Runs a program: its loops, and at each stage's place the code that serves its kind.
#pragma once

#include <ashlar/eval/access/loop_end.hpp>
#include <ashlar/eval/stages/fold_stage.hpp>
#include <ashlar/eval/stages/key_blocks.hpp>
#include <ashlar/eval/stages/map_stage.hpp>
#include <ashlar/eval/stages/product_stage.hpp>
#include <ashlar/eval/stages/reduce_stage.hpp>
#include <ashlar/eval/stages/register_softmax.hpp>
#include <ashlar/eval/stages/standardize_stage.hpp>
#include <ashlar/eval/stages/statistics_into_map.hpp>

namespace ashlar::inline v0_1::detail {

/// Small expressions are copied before a stage runs, so that the compiler knows that no store changes their pointers
/// and scalars: they stay in registers. Those that own large tensors are not.
template <class Expression>
inline constexpr bool is_copied = sizeof(Expression) <= 256 && is_trivially_copied<Expression>;
template <class Expression>
ASHLAR_ALWAYS_INLINE constexpr std::conditional_t<is_copied<Expression>, Expression, const Expression&> own_expression(
    const Expression& e) {
    if constexpr (is_copied<Expression>)
        return copy_of(e);
    else
        return e;
}

/// The stage of functions of matrices; <ashlar/linalg.hpp> defines it.
template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct matrix_stage;

/// A stage of any kind but a product, with a frame of its own for the same reason.
template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct other_stage {
    ASHLAR_STAGE_INLINE static void run(const frame<Plan, Element>& outer) {
        constexpr stage_kind kind = Plan::code.stages[Stage].kind;
        const auto& own = own_expression(outer.expression);
        frame<Plan, Element> f{own, outer.destination, outer.scratch, outer.tile_copy, outer.shift, outer.index};
        f.limit = outer.limit;
        if constexpr (kind == stage_kind::softmax)
            softmax_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::standardize)
            standardize_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::reduce && Plan::code.stages[Stage].fold_first != no_axis)
            fold_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::reduce)
            reduce_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::matrix)
            matrix_stage<Plan, Element, Stage, Rows>{{f}}.run();
        else
            map_stage<Plan, Element, Stage, Rows>{{f}}.run();
    }
};
template <class Plan, class Element, stage_index Stage, std::size_t Rows>
using inlined_stage =
    std::conditional_t<Plan::code.stages[Stage].kind == stage_kind::product, product_stage<Plan, Element, Stage, Rows>,
                       other_stage<Plan, Element, Stage, Rows>>;

/// A stage in a function of its own: what is inlined into one large function costs the compiler time and registers.
template <class Plan, class Element, stage_index Stage, std::size_t Rows>
struct separate_stage {
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void run(const frame<Plan, Element>& f) {
        inlined_stage<Plan, Element, Stage, Rows>::run(f);
    }
};

/// The code of a stage in tiles of these rows.
template <class Plan, class Element, stage_index Stage, std::size_t Rows,
          std::size_t StageRows = stage_rows<Plan, Stage, Rows>()>
using stage_code =
    std::conditional_t<Plan::code.stages[Stage].how[tile_of<Plan, Stage, StageRows>()].outlined,
                       separate_stage<Plan, Element, Stage, StageRows>, inlined_stage<Plan, Element, Stage, StageRows>>;

/// Two stages that run as one, in a function of their own.
template <class Plan, class Element, fusion_index Item, std::size_t Rows>
struct separate_pair {
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void run(const frame<Plan, Element>& outer) {
        const auto& own = own_expression(outer.expression);
        frame<Plan, Element> f{own, outer.destination, outer.scratch, outer.tile_copy, outer.shift, outer.index};
        f.limit = outer.limit;
        statistics_into_map<Plan, Element, Item, Rows>{f}.run();
    }
};

/// Fused stages: as one, or, where that does not serve the tile, one after the other.
template <class Plan, class Element, fusion_index Item, std::size_t Rows>
struct fused_code {
    ASHLAR_STAGE_INLINE static void run(const frame<Plan, Element>& outer) {
        constexpr plan_fusion fused = Plan::code.fusions[Item];
        constexpr auto before = fused.stages[0], first = fused.stages[1], second = fused.stages[2];
        constexpr std::size_t rows = stage_rows<Plan, first, Rows>();
        constexpr fusion how = fused.how[tile_of<Plan, first, rows>()];
        if constexpr (in_registers(how)) {
            const frame<Plan, Element> f = outer;
            register_softmax<Plan, Element, before, first, second, rows, how>{f}.run();
        } else {
            if constexpr (fused.stages[0] != no_stage) stage_code<Plan, Element, before, Rows>::run(outer);
            if constexpr (how == fusion::transposed_copy) {
                stage_code<Plan, Element, second, Rows>::run(outer);
            } else if constexpr (how != fusion::none) {
                separate_pair<Plan, Element, Item, rows>::run(outer);
            } else {
                stage_code<Plan, Element, first, Rows>::run(outer);
                stage_code<Plan, Element, second, Rows>::run(outer);
            }
        }
    }
};

/// How many items a loop has, or the outermost level.
template <class Plan>
consteval std::size_t count_items(loop_index parent) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < Plan::code.item_count; ++i) count += Plan::code.items[i].parent == parent;
    return count;
}
template <class Plan, loop_index Parent>
using items_of = std::make_index_sequence<count_items<Plan>(Parent)>;

/// One of them, in the order in which they run.
template <class Plan>
consteval plan_item item_of(loop_index parent, std::size_t number) {
    std::size_t i = 0;
    while (Plan::code.items[i].parent != parent || number-- != 0) ++i;
    return Plan::code.items[i];
}

template <class Plan, class Element, loop_index Loop, std::size_t Rows>
struct loop_code;

/// The code of an item of the program.
template <class Plan, class Element, plan_item Item, std::size_t Rows>
struct item_code : stage_code<Plan, Element, Item.stage, Rows> {};
template <class Plan, class Element, plan_item Item, std::size_t Rows>
    requires(Item.fused != no_fusion)
struct item_code<Plan, Element, Item, Rows> : fused_code<Plan, Element, Item.fused, Rows> {};
template <class Plan, class Element, plan_item Item, std::size_t Rows>
    requires(Item.loop != no_loop)
struct item_code<Plan, Element, Item, Rows> : loop_code<Plan, Element, Item.loop, Rows> {};

/// Whether the finished rows of a loop's tiles can be staged in a copy.
template <class Plan>
consteval bool is_staged(loop_index loop) {
    return loop != no_loop && Plan::code.loops[loop].staged != no_stage;
}

/// Where the destination holds what a tile reads, its finished rows go to a copy first. Returns where they belong.
template <loop_index Loop, std::size_t Rows, class Plan, class Element>
ASHLAR_STAGE_INLINE Element* begin_staging(frame<Plan, Element>& f) {
    constexpr auto writer = Plan::code.loops[Loop].staged;
    if (f.tile_copy == nullptr) return nullptr;
    Element* const target = f.destination;
    f.shift = 0;
    Element* const tile = stage_axes<Plan, Element, writer, Rows>{f}.written();
    f.shift = tile - target;
    f.destination = f.tile_copy;
    return tile;
}
/// Writes them. Those that another tile reads, and computes again, are left to it.
template <loop_index Loop, std::size_t Rows, class Plan, class Element>
ASHLAR_STAGE_INLINE void end_staging(frame<Plan, Element>& f, Element* tile) {
    constexpr plan_loop loop = Plan::code.loops[Loop];
    constexpr std::size_t columns = stage_axes<Plan, Element, loop.staged, Rows>::all_columns;
    if (tile == nullptr) return;
    f.destination = tile - f.shift;
    std::size_t first = 0;
    if constexpr (loop.overlaps) {
        constexpr std::size_t step = loop.part != 0 ? loop.part : loop.tile;
        if (f.index[Loop] % step != 0) first = Rows - f.index[Loop] % Rows;
    }
    for (std::size_t i = first * columns; i < Rows * columns; ++i) tile[i] = f.tile_copy[i];
}

/// The items of one turn of a loop, or those of the outermost level, in the order of the program.
template <loop_index Parent, std::size_t Rows, class Plan, class Element, std::size_t... Number>
ASHLAR_STAGE_INLINE void run_items(frame<Plan, Element>& f, std::index_sequence<Number...>) {
    [[maybe_unused]] Element* tile = nullptr;
    if constexpr (is_staged<Plan>(Parent)) tile = begin_staging<Parent, Rows>(f);
    // No fold: a program may have more items than clang takes operands of one.
    [[maybe_unused]] const bool ran[]{(item_code<Plan, Element, item_of<Plan>(Parent, Number), Rows>::run(f), true)...};
    if constexpr (is_staged<Plan>(Parent)) end_staging<Parent, Rows>(f, tile);
}

/// Goes to the tile of a loop over rows that begins at row `first`, where the loop stops at `end`.
template <loop_index Loop, class Plan, class Element>
ASHLAR_STAGE_INLINE void begin_tile(frame<Plan, Element>& f, std::size_t first, [[maybe_unused]] std::size_t end) {
    f.index[Loop] = first;
    if constexpr (Plan::code.loops[Loop].limits.stop()) f.asked.count = end - first;
}

/// The tiles of a loop over rows that stops at `end`: full ones, and perhaps a last one of fewer rows, which are those
/// that are left in the axis, or a part of a tile that suffices.
struct row_tiles {
    std::size_t full;
    bool ends_early;
};
ASHLAR_ALWAYS_INLINE constexpr row_tiles tiles_before(const plan_loop& loop, std::size_t end) {
    const std::size_t rest = end % loop.tile, last = loop.last_rows(), full = loop.extent / loop.tile * loop.tile;
    const bool ends_early = last != 0 && (loop.part != 0 ? rest != 0 && rest <= last : end > full);
    return {end / loop.tile + (rest != 0 && !ends_early), ends_early};
}

/// A loop over entries, over tiles of columns, or over tiles of rows. The last tile may have fewer rows.
template <class Plan, class Element, loop_index Loop, std::size_t Rows>
struct loop_code {
    ASHLAR_STAGE_INLINE static void run(frame<Plan, Element>& f) {
        constexpr plan_loop loop = Plan::code.loops[Loop];
        constexpr items_of<Plan, Loop> items;
        std::size_t& index = f.index[Loop];
        if constexpr (loop.keys) {
            key_blocks<Plan, Element, Loop, Rows>::run(f,
                                                       [&]() ASHLAR_STAGE_LAMBDA { run_items<Loop, Rows>(f, items); });
        } else if constexpr (loop.columns) {
            for (std::size_t i = 0; i < loop.extent; i += loop.tile) {
                index = i + loop.tile <= loop.extent ? i : loop.extent - loop.tile;
                run_items<Loop, Rows>(f, items);
            }
            index = 0;
        } else if constexpr (!loop.rows) {
            std::size_t end = loop.extent;
            if constexpr (loop.limits.stop()) end = loop_end<Loop>(f);
            for (std::size_t i = 0; i < end; ++i) {
                index = i;
                run_items<Loop, Rows>(f, items);
            }
        } else if constexpr (loop.limits.stop()) {
            run_limited(f, loop_end<Loop>(f));
        } else if constexpr (loop.overlaps) {
            // The last one comes first: it reads what the others write.
            index = loop.extent - loop.tile;
            for (std::size_t next = 0;; next += loop.tile) {
                run_items<Loop, loop.tile>(f, items);
                if (next + loop.tile > loop.extent) break;
                index = next;
            }
        } else {
            constexpr std::size_t full = loop.extent / loop.tile * loop.tile;
            if constexpr (full == loop.tile) {
                index = 0;
                run_items<Loop, loop.tile>(f, items);
            } else {
                for (std::size_t i = 0; i < full; i += loop.tile) {
                    index = i;
                    run_items<Loop, loop.tile>(f, items);
                }
            }
            if constexpr (full != loop.extent) {
                index = full;
                run_items<Loop, loop.extent - full>(f, items);
            }
        }
    }

private:
    /// The tiles that begin before `end`.
    ASHLAR_STAGE_INLINE static void run_limited(frame<Plan, Element>& f, std::size_t end) {
        constexpr plan_loop loop = Plan::code.loops[Loop];
        constexpr items_of<Plan, Loop> items;
        constexpr std::size_t last = loop.last_rows();
        const auto [tiles, ends_early] = tiles_before(loop, end);
        [[maybe_unused]] const std::size_t rest = end % loop.tile;
        if constexpr (loop.overlaps) {
            // A tile that computes rows again comes first: it reads what the others write.
            if constexpr (last != 0)
                if (ends_early) {
                    begin_tile<Loop>(f, end - rest + last <= loop.extent ? end - rest : loop.extent - last, end);
                    run_items<Loop, last>(f, items);
                }
            if (tiles == 0) return;
            begin_tile<Loop>(f, tiles * loop.tile <= loop.extent ? (tiles - 1) * loop.tile : loop.extent - loop.tile,
                             end);
            for (std::size_t next = 0;; next += loop.tile) {
                run_items<Loop, loop.tile>(f, items);
                if (next + loop.tile >= tiles * loop.tile) break;
                begin_tile<Loop>(f, next, end);
            }
        } else {
            for (std::size_t i = 0; i < tiles; ++i) {
                begin_tile<Loop>(f, i * loop.tile, end);
                run_items<Loop, loop.tile>(f, items);
            }
            if constexpr (last != 0)
                if (ends_early) {
                    begin_tile<Loop>(f, tiles * loop.tile, end);
                    run_items<Loop, last>(f, items);
                }
        }
    }
};

}  // namespace ashlar::detail
