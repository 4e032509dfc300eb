// SPDX-License-Identifier: BSL-1.0
// The verdict of a mask's type on tiles of scores: how many are empty, full, mixed, and never visited.
#pragma once

#include <ashlar/plan/report/steps.hpp>
#include <ashlar/plan/report/text.hpp>

namespace ashlar::inline v0_1 {

/// Tiles of scores (the rows of a plan's tile by 16 keys) of one batch entry, counted by what a mask keeps of them. All
/// zero without a mask. If a mask is decided at run time, tiles that its type proves empty count as empty and the rest
/// as undecided.
///
///     constexpr key_tiles keys = plan<decltype(attention(q, k, v, causal))>.steps[0].keys;
///     static_assert(keys.empty + keys.mixed + keys.full == keys.total && keys.undecided == 0);
struct key_tiles {
    std::size_t total = 0;
    std::size_t empty = 0;
    std::size_t mixed = 0;
    std::size_t full = 0;
    std::size_t undecided = 0;  ///< looked at when the program runs
    std::size_t skipped = 0;    ///< of the empty ones, those before the first or after the last key of their rows

    friend constexpr bool operator==(const key_tiles&, const key_tiles&) = default;
};

namespace detail {

/// More tiles than this are too many for one constant evaluation.
inline constexpr std::size_t most_counted_tiles = 4096;

/// Calls visit(content, whether it is the first tile of its rows) for each tile of scores, row by row. With `overlaps`,
/// the last tile of rows is a full one.
template <class Mask, class Scores, class Visitor>
constexpr void each_key_tile(std::size_t rows, bool overlaps, Visitor visit) {
    constexpr std::size_t queries = query_extent<Scores>, keys = key_extent<Scores>;
    using known = typename Mask::static_part;
    for (std::size_t next = 0; next < queries; next += rows) {
        const std::size_t q = overlaps && next + rows > queries ? queries - rows : next;
        for (std::size_t k = 0; k < keys; k += key_group)
            visit(known{}.template content<shape<queries, keys>>(
                      {}, {q, q + rows < queries ? q + rows : queries, k, k + key_group < keys ? k + key_group : keys}),
                  k == 0);
    }
}

template <class Scores>
constexpr std::size_t number_of_key_tiles(std::size_t rows) {
    return (query_extent<Scores> + rows - 1) / rows * ((key_extent<Scores> + key_group - 1) / key_group);
}

template <class Mask, class Scores>
constexpr key_tiles count_key_tiles(std::size_t rows, bool overlaps) {
    key_tiles tiles;
    tiles.total = number_of_key_tiles<Scores>(rows);
    if (tiles.total > most_counted_tiles) {
        tiles.undecided = tiles.total;
        return tiles;
    }
    std::size_t gap = 0;
    bool any = false;
    each_key_tile<Mask, Scores>(rows, overlaps, [&](tile_content content, bool first) {
        if (first) {
            tiles.skipped += gap;
            gap = 0;
            any = false;
        }
        if (content == tile_content::empty) {
            ++tiles.empty;
            ++gap;
            return;
        }
        tiles.skipped += any ? 0 : gap;
        any = true;
        gap = 0;
        ++(!Mask::is_static ? tiles.undecided : content == tile_content::full ? tiles.full : tiles.mixed);
    });
    tiles.skipped += gap;
    return tiles;
}

/// The verdict of a mask on the tiles of a stage of Plan, a line of characters for each tile of rows: `s` skipped, `e`
/// empty, `m` masked, `f` full, `r` decided at run time. Nothing if there are more than most_counted_tiles.
template <class Mask, class Scores>
constexpr std::size_t draw_key_tiles(std::size_t rows, bool overlaps, bool skips, char* to) {
    if (number_of_key_tiles<Scores>(rows) > most_counted_tiles) return 0;
    std::size_t length = 0, line = 0, after_last = 0;
    const auto end_line = [&] {
        for (std::size_t i = after_last; skips && i < length; ++i) to[i] = 's';
    };
    each_key_tile<Mask, Scores>(rows, overlaps, [&](tile_content content, bool first) {
        if (first) {
            end_line();
            line = after_last = length;
        }
        const bool is_empty = content == tile_content::empty;
        to[length++] = is_empty ? 'e' : !Mask::is_static ? 'r' : content == tile_content::full ? 'f' : 'm';
        if (is_empty) return;
        for (std::size_t i = line; skips && after_last == line && i + 1 < length; ++i) to[i] = 's';
        after_last = length;
    });
    end_line();
    return length;
}

template <class Node>
struct mask_of_node {
    static constexpr key_tiles (*count)(std::size_t, bool) = nullptr;
    static constexpr std::size_t (*draw)(std::size_t, bool, bool, char*) = nullptr;
};
template <class Mask, class Expression>
struct mask_of_node<masked_node<Mask, Expression>> {
    static constexpr key_tiles (*count)(std::size_t, bool) = &count_key_tiles<Mask, typename Expression::shape_type>;
    static constexpr std::size_t (*draw)(std::size_t, bool, bool,
                                         char*) = &draw_key_tiles<Mask, typename Expression::shape_type>;
};

/// For every node of Plan's expression, a function that counts the tiles of its mask; null if it has none.
template <class Plan>
inline constexpr auto mask_counters = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array<key_tiles (*)(std::size_t, bool), Plan::count>{
        mask_of_node<typename Plan::template node<index_at<node_index>(Index)>>::count...};
}(std::make_index_sequence<Plan::count>{});

/// The same for functions that draw them.
template <class Plan>
inline constexpr auto mask_painters = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array<std::size_t (*)(std::size_t, bool, bool, char*), Plan::count>{
        mask_of_node<typename Plan::template node<index_at<node_index>(Index)>>::draw...};
}(std::make_index_sequence<Plan::count>{});

/// The masked node that a stage computes, no_node if it computes none.
template <class Plan>
constexpr node_index masked_in(stage_index s) {
    for (node_index n{}; n < Plan::count; ++n)
        if (Plan::nodes[n].kind == node_kind::masked && stage_of_nodes<Plan>[n] == s) return n;
    return no_node;
}

/// The queries of a masked node that a stage has at once, as a loop: the stage's tile if its rows are queries, all if
/// its columns are, otherwise the single one of a loop around it.
template <class Plan>
constexpr plan_loop queries_at_once(stage_index s, node_index masked) {
    const plan_stage& stage = Plan::code.stages[s];
    const graph_node &g = Plan::nodes[masked], &top = Plan::nodes[stage.top];
    const std::size_t queries = g.extents[g.rank - 2u];
    const bool alike = top.rank == g.rank && top.extents[g.rank - 2u] == queries;
    const std::size_t axis = alike ? stage.top_axes[g.rank - 2u] : stage.row_axis;
    if (axis == no_axis || (axis != stage.row_axis && axis != stage.column_axis)) return {};
    const loop_index loop = stage.bindings[axis];
    plan_loop tiles = loop == whole_axis ? plan_loop{.tile = queries} : Plan::code.loops[loop];
    if (tiles.tile > queries) tiles.tile = queries;
    return tiles;
}

/// Whether some stage leaves out what a masked node does not keep.
template <class Plan>
constexpr bool skips_tiles(node_index masked) {
    for (std::size_t i = 0; i < Plan::code.stage_count; ++i)
        if (Plan::code.stages[i].support == masked) return true;
    return false;
}

/// The tiles of the mask that a stage applies.
template <class Plan>
constexpr key_tiles key_tiles_of(stage_index s) {
    const node_index masked = masked_in<Plan>(s);
    if (masked == no_node) return {};
    const plan_loop rows = queries_at_once<Plan>(s, masked);
    key_tiles tiles = mask_counters<Plan>[masked](rows.tile, rows.overlaps);
    if (!skips_tiles<Plan>(masked)) tiles.skipped = 0;
    return tiles;
}

/// Writes what a mask keeps of tiles of this many queries.
template <class Writer>
constexpr void put_key_tiles(Writer& out, const key_tiles& keys, std::size_t queries) {
    out.put("of ", plural{keys.total, "tile", "tiles"}, " of ", queries, " x ", key_group, " keys: ");
    bool any = false;
    const auto part = [&](std::size_t n, const char* what) {
        if (n == 0) return;
        if (any) out.put(", ");
        any = true;
        out.put(n, what);
    };
    part(keys.skipped, " skipped");
    part(keys.empty - keys.skipped, " empty");
    part(keys.mixed, " masked");
    part(keys.full, " full");
    part(keys.undecided, " decided at run time");
}

}  // namespace detail
}  // namespace ashlar
