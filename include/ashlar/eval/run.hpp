// SPDX-License-Identifier: BSL-1.0
// Runs a program: its loops, and at each stage's place the code that serves its kind.
#pragma once

#include <ashlar/eval/stages/fold_stage.hpp>
#include <ashlar/eval/stages/map_stage.hpp>
#include <ashlar/eval/stages/product_stage.hpp>
#include <ashlar/eval/stages/reduce_stage.hpp>
#include <ashlar/eval/stages/register_softmax.hpp>
#include <ashlar/eval/stages/softmax_into_product.hpp>
#include <ashlar/eval/stages/standardize_stage.hpp>
#include <ashlar/eval/stages/statistics_into_map.hpp>

namespace ashlar::detail {

/// Rows that a stage handles when its tile has `Rows`.
template <class Plan, std::size_t Stage, std::size_t Rows>
consteval std::size_t stage_rows() {
    constexpr auto stage = Plan::code.stages[Stage];
    if constexpr (stage.row_axis == no_axis) {
        return 1;
    } else {
        constexpr std::int16_t loop = stage.bindings[stage.row_axis];
        if (loop == whole_axis) return Plan::nodes[static_cast<std::size_t>(stage.space)].extents[stage.row_axis];
        return Plan::code.loops[static_cast<std::size_t>(loop)].rows ? Rows : 1;
    }
}

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

/// The frame is copied for the same reason.
template <class Plan, class Element, std::size_t Stage, std::size_t Rows>
ASHLAR_STAGE_INLINE void run_stage_here(const frame<Plan, Element>& outer) {
    constexpr stage_kind kind = Plan::code.stages[Stage].kind;
    if constexpr (kind == stage_kind::product) {
        const frame<Plan, Element> f = outer;
        product_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
    } else {
        const auto& own = own_expression(outer.expression);
        const frame<Plan, Element> f{own, outer.destination, outer.scratch, outer.tile_copy, outer.shift, outer.index};
        if constexpr (kind == stage_kind::softmax)
            softmax_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::standardize)
            standardize_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::reduce && Plan::code.stages[Stage].fold_first != no_axis)
            fold_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::reduce)
            reduce_stage<Plan, Element, Stage, Rows>{{{f}}}.run();
        else
            map_stage<Plan, Element, Stage, Rows>{{f}}.run();
    }
}

/// A stage in a function of its own: what is inlined into one large function costs the compiler time and registers.
template <class Plan, class Element, std::size_t Stage, std::size_t Rows>
struct separate_stage {
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void run(const frame<Plan, Element>& f) {
        run_stage_here<Plan, Element, Stage, Rows>(f);
    }
};

template <std::size_t Stage, std::size_t Rows, class Plan, class Element>
ASHLAR_STAGE_INLINE void run_stage(const frame<Plan, Element>& f) {
    constexpr std::size_t rows = stage_rows<Plan, Stage, Rows>();
    if constexpr (Plan::code.stages[Stage].how[tile_of<Plan, Stage, rows>()].outlined)
        separate_stage<Plan, Element, Stage, rows>::run(f);
    else
        run_stage_here<Plan, Element, Stage, rows>(f);
}

/// Two stages that run as one, in a function of their own.
template <class Plan, class Element, std::size_t Item, std::size_t Rows>
struct separate_pair {
    static constexpr plan_fusion fused = Plan::code.fusions[Item];
    static constexpr auto first = static_cast<std::size_t>(fused.stages[1]),
                          second = static_cast<std::size_t>(fused.stages[2]);

    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void run(const frame<Plan, Element>& outer) {
        if constexpr (fused.how[tile_of<Plan, first, Rows>()] == fusion::softmax_into_product) {
            const frame<Plan, Element> f = outer;
            softmax_into_product<Plan, Element, first, second, Rows>{f}.run();
        } else {
            const auto& own = own_expression(outer.expression);
            const frame<Plan, Element> f{own,         outer.destination, outer.scratch, outer.tile_copy,
                                         outer.shift, outer.index};
            statistics_into_map<Plan, Element, Item, Rows>{f}.run();
        }
    }
};

/// Fused stages: as one, or, where that does not serve the tile, one after the other.
template <std::size_t Item, std::size_t Rows, class Plan, class Element>
ASHLAR_STAGE_INLINE void run_fused(const frame<Plan, Element>& outer) {
    constexpr plan_fusion fused = Plan::code.fusions[Item];
    constexpr auto before = static_cast<std::size_t>(fused.stages[0]),
                   first = static_cast<std::size_t>(fused.stages[1]),
                   second = static_cast<std::size_t>(fused.stages[2]);
    constexpr std::size_t rows = stage_rows<Plan, first, Rows>();
    constexpr fusion how = fused.how[tile_of<Plan, first, rows>()];
    if constexpr (in_registers(how)) {
        const frame<Plan, Element> f = outer;
        register_softmax<Plan, Element, before, first, second, rows, how>{f}.run();
    } else {
        if constexpr (fused.stages[0] != -1) run_stage<before, Rows>(outer);
        if constexpr (how == fusion::transposed_copy) {
            run_stage<second, Rows>(outer);
        } else if constexpr (how != fusion::none) {
            separate_pair<Plan, Element, Item, rows>::run(outer);
        } else {
            run_stage<first, Rows>(outer);
            run_stage<second, Rows>(outer);
        }
    }
}

/// How many items a loop has, or the outermost level (-1).
template <class Plan>
consteval std::size_t count_items(std::int16_t parent) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < Plan::code.item_count; ++i) count += Plan::code.items[i].parent == parent;
    return count;
}
template <class Plan, std::int16_t Parent>
using items_of = std::make_index_sequence<count_items<Plan>(Parent)>;

/// One of them, in the order in which they run.
template <class Plan>
consteval plan_item item_of(std::int16_t parent, std::size_t number) {
    std::size_t i = 0;
    while (Plan::code.items[i].parent != parent || number-- != 0) ++i;
    return Plan::code.items[i];
}

template <std::int16_t Parent, std::size_t Rows, class Plan, class Element, std::size_t... Number>
ASHLAR_STAGE_INLINE void run_items(frame<Plan, Element>& f, std::index_sequence<Number...>);

/// One tile of rows. Where the destination holds what the tile reads, the finished rows are staged until its end.
/// Those that another tile reads, and computes again, are left to it.
template <std::size_t Loop, std::size_t Rows, class Plan, class Element>
ASHLAR_STAGE_INLINE void run_tile(frame<Plan, Element>& f) {
    constexpr std::int16_t staged = Plan::code.loops[Loop].staged;
    [[maybe_unused]] constexpr auto writer = static_cast<std::size_t>(staged);
    Element* const target = f.destination;
    Element* tile = nullptr;
    if constexpr (staged != -1)
        if (f.tile_copy != nullptr) {
            f.shift = 0;
            tile = stage_axes<Plan, Element, writer, Rows>{f}.written();
            f.shift = tile - target;
            f.destination = f.tile_copy;
        }
    run_items<static_cast<std::int16_t>(Loop), Rows>(f, items_of<Plan, static_cast<std::int16_t>(Loop)>{});
    if constexpr (staged != -1)
        if (tile != nullptr) {
            f.destination = target;
            constexpr std::size_t columns = stage_axes<Plan, Element, writer, Rows>::all_columns;
            std::size_t first = 0;
            if constexpr (Plan::code.loops[Loop].overlaps)
                if (const std::size_t before = f.index[Loop] % Rows; before != 0) first = Rows - before;
            for (std::size_t i = first * columns; i < Rows * columns; ++i) tile[i] = f.tile_copy[i];
        }
}

template <std::size_t Loop, std::size_t Rows, class Plan, class Element>
ASHLAR_STAGE_INLINE void run_loop(frame<Plan, Element>& f) {
    constexpr plan_loop loop = Plan::code.loops[Loop];
    constexpr auto id = static_cast<std::int16_t>(Loop);
    if constexpr (loop.columns) {
        for (std::size_t i = 0; i < loop.extent; i += loop.tile) {
            f.index[Loop] = i + loop.tile <= loop.extent ? i : loop.extent - loop.tile;
            run_items<id, Rows>(f, items_of<Plan, id>{});
        }
        f.index[Loop] = 0;
    } else if constexpr (!loop.rows) {
        for (std::size_t i = 0; i < loop.extent; ++i) {
            f.index[Loop] = i;
            run_items<id, Rows>(f, items_of<Plan, id>{});
        }
    } else if constexpr (loop.overlaps) {
        // The last one comes first: it reads what the others write.
        f.index[Loop] = loop.extent - loop.tile;
        for (std::size_t next = 0;; next += loop.tile) {
            run_tile<Loop, loop.tile>(f);
            if (next + loop.tile > loop.extent) break;
            f.index[Loop] = next;
        }
    } else {
        constexpr std::size_t full = loop.extent / loop.tile * loop.tile;
        if constexpr (full == loop.tile) {
            f.index[Loop] = 0;
            run_tile<Loop, loop.tile>(f);
        } else {
            for (std::size_t i = 0; i < full; i += loop.tile) {
                f.index[Loop] = i;
                run_tile<Loop, loop.tile>(f);
            }
        }
        if constexpr (full != loop.extent) {
            f.index[Loop] = full;
            run_tile<Loop, loop.extent - full>(f);
        }
    }
}

template <item_kind Kind, std::size_t Index, std::size_t Rows, class Plan, class Element>
ASHLAR_STAGE_INLINE void run_item(frame<Plan, Element>& f) {
    if constexpr (Kind == item_kind::loop)
        run_loop<Index, Rows>(f);
    else if constexpr (Kind == item_kind::fused)
        run_fused<Index, Rows>(f);
    else
        run_stage<Index, Rows>(f);
}

template <std::int16_t Parent, std::size_t Rows, class Plan, class Element, std::size_t... Number>
ASHLAR_STAGE_INLINE void run_items(frame<Plan, Element>& f, std::index_sequence<Number...>) {
    (run_item<item_of<Plan>(Parent, Number).kind, static_cast<std::size_t>(item_of<Plan>(Parent, Number).index), Rows>(
         f),
     ...);
}

/// Evaluates a plan into a destination of the plan's strides, with scratch of at least the plan's size.
template <class Plan, class Element>
ASHLAR_STAGE_INLINE void run_program(const typename Plan::expression_type& e, Element* destination, std::byte* scratch,
                                     Element* tile_copy = nullptr) {
    frame<Plan, Element> f{e, destination, scratch, tile_copy};
    run_items<-1, 1>(f, items_of<Plan, -1>{});
}

}  // namespace ashlar::detail
