// SPDX-License-Identifier: BSL-1.0
// The plan whose outermost loops several workers share: its tiles, and scratch for each of them.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include <ashlar/plan/build/planned.hpp>
#include <ashlar/plan/choose/tile_rows.hpp>
#include <ashlar/plan/sharing/same_sums.hpp>

namespace ashlar::detail {

/// A configuration whose plans several workers share, with tiles of at most so many rows.
template <class Config, std::size_t Rows>
struct shared_config : Config {
    static constexpr std::size_t worker_rows = Rows;
};

/// The tiles are those of one worker.
inline constexpr std::size_t own_tile_rows = (std::numeric_limits<std::size_t>::max)();

/// The shared loop right inside of one; no_loop if there is none.
template <class Program>
constexpr loop_index shared_loop_in(const Program& plan, loop_index loop) {
    for (std::size_t i = 0; i < plan.item_count; ++i) {
        const plan_item& item = plan.items[i];
        if (item.parent == loop && item.is_loop() && plan.loops[item.loop].is_shared) return item.loop;
    }
    return no_loop;
}

/// Turns of a loop, and of the shared ones right inside of it.
template <class Program>
constexpr std::size_t turns_of(const Program& plan, loop_index loop) {
    const plan_loop& l = plan.loops[loop];
    // A last tile that begins early goes together with the one before.
    const std::size_t rows = have_same_sums_in_parts(plan, loop) ? l.part : l.tile;
    const std::size_t turns = l.overlaps ? l.extent / rows : (l.extent + rows - 1) / rows;
    const loop_index inner = shared_loop_in(plan, loop);
    return inner == no_loop ? turns : turns * turns_of(plan, inner);
}

/// Whether so many workers would wait for each other at the end of a loop, for lack of turns.
template <class Program>
constexpr bool has_few_turns(const Program& plan, std::size_t workers) {
    constexpr std::size_t enough_each = 4;
    for (loop_index l{}; l < plan.loop_count; ++l) {
        if (plan.loops[l].parent != no_loop || !plan.loops[l].rows) continue;
        const std::size_t turns = plan.loops[l].is_shared ? turns_of(plan, l) : 1;
        if (turns < workers || (turns % workers != 0 && turns < enough_each * workers)) return true;
    }
    return false;
}

/// Workers for which Bytes of scratch suffice; none beside the first where there is nothing to share.
template <class Plan, std::size_t Bytes>
consteval std::size_t workers_in() {
    constexpr std::size_t common = Plan::code.scratch_bytes - Plan::code.worker_bytes, each = Plan::code.worker_bytes;
    constexpr std::size_t most = 1024;
    if (Bytes < common + each) return 1;
    if (each == 0) return most;
    return (Bytes - common) / each < most ? (Bytes - common) / each : most;
}

/// Plans of an expression that several workers may share. All of them add in the order in which that of one worker
/// does.
template <class Expression, class Config, axis_list Strides, class Limit = all_rows>
struct shared_plans {
    using alone = planned<Expression, Config, Strides, Limit>;
    using with_own_tiles = planned<Expression, shared_config<Config, own_tile_rows>, Strides, Limit>;
    template <std::size_t Rows>
    using with_rows = planned<Expression, shared_config<Config, Rows>, Strides, Limit>;

    /// The plan with tiles of so many rows if that changes no sum, or else another one.
    template <std::size_t Rows, class Other>
    using with_tiles = std::conditional_t<have_same_sums(alone::code, with_rows<Rows>::code), with_rows<Rows>, Other>;

    using tall = with_tiles<tall_tile_rows, with_own_tiles>;
    using flat = with_tiles<flat_tile_rows, tall>;

    static consteval bool is_flat(std::size_t workers) { return has_few_turns(tall::code, workers); }

    template <std::size_t Workers>
    using of_workers = std::conditional_t<is_flat(Workers), flat, tall>;

    /// The plan for scratch of so many bytes: the one that more workers share, if that is for so many.
    template <std::size_t Bytes>
    static consteval bool is_flat_with() {
        constexpr std::size_t of_flat = workers_in<flat, Bytes>(), of_tall = workers_in<tall, Bytes>();
        return of_flat > 1 && (of_tall == 1 || (of_flat > of_tall && is_flat(of_flat)) || is_flat(of_tall));
    }
    template <std::size_t Bytes>
    using of_bytes = std::conditional_t<is_flat_with<Bytes>(), flat, tall>;
};

/// Bytes of scratch for so many workers.
template <class Plan>
consteval std::size_t bytes_for_workers(std::size_t workers) {
    return Plan::code.scratch_bytes + (workers - 1) * Plan::code.worker_bytes;
}

}  // namespace ashlar::detail
