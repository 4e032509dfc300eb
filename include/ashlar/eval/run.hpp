// SPDX-License-Identifier: BSL-1.0
// Runs a program: its loops, and at each stage's place the code that serves its kind.
#pragma once

#include <ashlar/eval/few_softmax.hpp>
#include <ashlar/eval/held_back.hpp>
#include <ashlar/eval/map_stage.hpp>
#include <ashlar/eval/product_stage.hpp>
#include <ashlar/eval/reduce_stage.hpp>
#include <ashlar/eval/row_pair.hpp>
#include <ashlar/eval/softmax_product.hpp>
#include <ashlar/eval/standardize_stage.hpp>

namespace ashlar::detail {

/// Rows that a stage handles when its tile has `Rows`.
template <class P, std::size_t Stage, std::size_t Rows>
consteval std::size_t stage_rows() {
    constexpr auto stage = P::code.stages[Stage];
    if constexpr (stage.row_axis == no_axis) {
        return 1;
    } else {
        constexpr std::int16_t loop = stage.bindings[stage.row_axis];
        if (loop == whole_axis) return P::nodes[static_cast<std::size_t>(stage.space)].extents[stage.row_axis];
        return P::code.loops[static_cast<std::size_t>(loop)].rows ? Rows : 1;
    }
}

/// Small expressions are copied before a stage runs, so that the compiler knows that no store changes their pointers and
/// scalars: they stay in registers. Those that own large tensors are not.
template <class E>
inline constexpr bool is_copied = sizeof(E) <= 256 && std::is_trivially_copy_constructible_v<E>;
template <class E>
ASHLAR_ALWAYS_INLINE constexpr std::conditional_t<is_copied<E>, E, const E&> own_expression(const E& e) {
    if constexpr (is_copied<E>)
        return copy_of(e);
    else
        return e;
}

/// The frame is copied for the same reason.
template <class P, class T, std::size_t Stage, std::size_t Rows>
ASHLAR_ALWAYS_INLINE void run_stage_here(const frame<P, T>& outer) {
    constexpr stage_kind kind = P::code.stages[Stage].kind;
    if constexpr (kind == stage_kind::product) {
        const frame<P, T> f = outer;
        product_stage<P, T, Stage, Rows>{{{f}}}.run();
    } else {
        const auto& own = own_expression(outer.expression);
        const frame<P, T> f{own, outer.destination, outer.scratch, outer.tile_copy, outer.shift, outer.index};
        if constexpr (kind == stage_kind::softmax)
            softmax_stage<P, T, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::standardize)
            standardize_stage<P, T, Stage, Rows>{{{f}}}.run();
        else if constexpr (kind == stage_kind::reduce)
            reduce_stage<P, T, Stage, Rows>{{{f}}}.run();
        else
            map_stage<P, T, Stage, Rows>{{f}}.run();
    }
}

/// A stage in a function of its own: what is inlined into one large function costs the compiler time and registers.
template <class P, class T, std::size_t Stage, std::size_t Rows>
struct separate_stage {
    ASHLAR_NOINLINE ASHLAR_NOTHROW static void run(const frame<P, T>& f) { run_stage_here<P, T, Stage, Rows>(f); }
};

/// Whether a stage works long enough for a call not to matter.
template <class P, std::size_t Stage, std::size_t Rows>
consteval bool is_worth_a_call() {
    constexpr auto stage = P::code.stages[Stage];
    const graph_node& space = P::nodes[static_cast<std::size_t>(stage.space)];
    std::size_t work = Rows * (stage.column_axis == no_axis ? 1 : space.extents[stage.column_axis]);
    if (stage.kind == stage_kind::product) {
        const graph_node& left = P::nodes[static_cast<std::size_t>(space.operands[0])];
        work *= left.extents[left.rank - 1u];
    } else {
        work *= 16;
    }
    return work >= 8 * 1024;
}

/// Whether all that is run is one stage.
template <class P, class T>
consteval bool is_one_stage() {
    return []<std::size_t... Loop>(std::index_sequence<Loop...>) {
        return P::code.stage_count - (std::size_t{0} + ... + is_left_to_product<P, T, Loop>()) == 1;
    }(std::make_index_sequence<P::code.loop_count>{});
}

template <std::size_t Stage, std::size_t Rows, class P, class T>
ASHLAR_ALWAYS_INLINE void run_stage(const frame<P, T>& f) {
    constexpr std::size_t rows = stage_rows<P, Stage, Rows>();
    if constexpr (!is_one_stage<P, T>() && is_worth_a_call<P, Stage, rows>())
        separate_stage<P, T, Stage, rows>::run(f);
    else
        run_stage_here<P, T, Stage, rows>(f);
}

/// Two stages at a time, in a function of their own.
template <class P, class T, std::size_t First, std::size_t Second, std::size_t Rows>
struct separate_pair {
    static constexpr bool is_product = P::code.stages[Second].kind == stage_kind::product;

    ASHLAR_NOINLINE ASHLAR_NOTHROW static void run(const frame<P, T>& outer) {
        if constexpr (is_product) {
            const frame<P, T> f = outer;
            softmax_product<P, T, First, Second, Rows>{f}.run();
        } else {
            const auto& own = own_expression(outer.expression);
            const frame<P, T> f{own, outer.destination, outer.scratch, outer.tile_copy, outer.shift, outer.index};
            row_pair<P, T, First, Second, Rows>{f}.run();
        }
    }
};

/// The stage that runs together with that of an item, which is a softmax and then a product, or statistics of rows and then
/// what applies them; no_axis if there is none.
template <class P, class T, std::size_t Item, std::size_t Rows>
consteval std::size_t joined_stage() {
    constexpr std::size_t product = product_behind<P>(Item), map = map_behind<P>(Item);
    if constexpr (product != no_axis) {
        constexpr auto softmax = static_cast<std::size_t>(P::code.items[Item].index);
        constexpr std::size_t rows = stage_rows<P, softmax, Rows>();
        if constexpr (stage_rows<P, product, Rows>() == rows)
            if constexpr (softmax_product<P, T, softmax, product, rows>::pays) return product;
    } else if constexpr (map != no_axis) {
        constexpr auto statistics = static_cast<std::size_t>(P::code.items[Item].index);
        constexpr std::size_t rows = stage_rows<P, statistics, Rows>();
        if constexpr (stage_rows<P, map, Rows>() == rows)
            if constexpr (row_pair<P, T, statistics, map, rows>::pays) return map;
    }
    return no_axis;
}
/// Whether it is such a stage.
template <class P, class T, std::size_t Item, std::size_t Rows>
consteval bool runs_before() {
    if constexpr (Item == 0 || P::code.items[Item].is_loop) {
        return false;
    } else {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return ((joined_stage<P, T, I, Rows>() == static_cast<std::size_t>(P::code.items[Item].index)) || ...);
        }(std::make_index_sequence<Item>{});
    }
}

/// Whether the chain of stages that starts at an item is computed in registers; there is none at no_axis.
template <class P, class T, std::size_t Item, std::size_t Rows>
consteval bool is_few_softmax() {
    if constexpr (Item == no_axis) {
        return false;
    } else {
        constexpr softmax_chain chain = softmax_chains<P>[Item];
        constexpr std::size_t rows = stage_rows<P, chain.softmax, Rows>();
        if constexpr (rows > 1 && rows <= stage_lanes<P, chain.softmax>())
            return few_softmax<P, T, chain.scores, chain.softmax, chain.values, rows>::pays;
        else
            return false;
    }
}

template <std::int16_t Parent, std::size_t Rows, class P, class T>
ASHLAR_ALWAYS_INLINE void run_items(frame<P, T>& f);

/// One tile of rows. Where the destination holds what the tile reads, the finished rows are held back until its end.
template <std::size_t Loop, std::size_t Rows, class P, class T>
ASHLAR_ALWAYS_INLINE void run_tile(frame<P, T>& f) {
    constexpr std::size_t writer = held_back_stage<P>(Loop);
    T* const target = f.destination;
    T* tile = nullptr;
    if constexpr (writer != no_axis)
        if (f.tile_copy != nullptr) {
            f.shift = 0;
            tile = stage_axes<P, T, writer, Rows>{f}.written();
            f.shift = tile - target;
            f.destination = f.tile_copy;
        }
    run_items<static_cast<std::int16_t>(Loop), Rows>(f);
    if constexpr (writer != no_axis)
        if (tile != nullptr) {
            f.destination = target;
            for (std::size_t i = 0; i < Rows * stage_axes<P, T, writer, Rows>::columns; ++i) tile[i] = f.tile_copy[i];
        }
}

template <std::size_t Loop, std::size_t Rows, class P, class T>
ASHLAR_ALWAYS_INLINE void run_loop(frame<P, T>& f) {
    constexpr plan_loop loop = P::code.loops[Loop];
    constexpr auto id = static_cast<std::int16_t>(Loop);
    if constexpr (!loop.rows) {
        for (std::size_t i = 0; i < loop.extent; ++i) {
            f.index[Loop] = i;
            run_items<id, Rows>(f);
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

template <std::size_t Item, std::size_t Rows, class P, class T>
ASHLAR_ALWAYS_INLINE void run_few_softmax(const frame<P, T>& outer) {
    constexpr softmax_chain chain = softmax_chains<P>[Item];
    const frame<P, T> f = outer;
    few_softmax<P, T, chain.scores, chain.softmax, chain.values, stage_rows<P, chain.softmax, Rows>()>{f}.run();
}

template <std::int16_t Parent, std::size_t Rows, class P, class T>
ASHLAR_ALWAYS_INLINE void run_items(frame<P, T>& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) ASHLAR_LAMBDA_INLINE {
        const auto one = [&]<std::size_t K>() ASHLAR_LAMBDA_INLINE {
            constexpr plan_item item = P::code.items[K];
            if constexpr (item.parent == Parent) {
                if constexpr (item.is_loop) {
                    if constexpr (!is_left_to_product<P, T, static_cast<std::size_t>(item.index)>()) run_loop<static_cast<std::size_t>(item.index), Rows>(f);
                } else if constexpr (is_few_softmax<P, T, softmax_chains<P>[K].item, Rows>()) {
                    // All of the chain at its first item.
                    if constexpr (softmax_chains<P>[K].item == K) run_few_softmax<K, Rows>(f);
                } else if constexpr (joined_stage<P, T, K, Rows>() != no_axis)
                    separate_pair<P, T, static_cast<std::size_t>(item.index), joined_stage<P, T, K, Rows>(), stage_rows<P, static_cast<std::size_t>(item.index), Rows>()>::run(f);
                else if constexpr (!runs_before<P, T, K, Rows>())
                    run_stage<static_cast<std::size_t>(item.index), Rows>(f);
            }
        };
        (one.template operator()<I>(), ...);
    }(std::make_index_sequence<P::code.item_count>{});
}

/// Evaluates a plan into a row-major destination, with scratch of at least the plan's size.
template <class P, class T>
ASHLAR_ALWAYS_INLINE void run_program(const typename P::expression_type& e, T* destination, std::byte* scratch, T* tile_copy = nullptr) {
    frame<P, T> f{e, destination, scratch, tile_copy};
    run_items<std::int16_t{-1}, 1>(f);
}

}  // namespace ashlar::detail
