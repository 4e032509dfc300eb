// SPDX-License-Identifier: BSL-1.0
// An expression type with its graph and its program for one configuration.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/plan/build/planner.hpp>
#include <ashlar/plan/choose/choose.hpp>
#include <ashlar/plan/choose/kept_keys.hpp>
#include <ashlar/plan/choose/product_tables.hpp>

namespace ashlar::inline v0_1::detail {

/// The program that writes a destination with these strides in tiles of this many rows.
// One function per graph: otherwise what one evaluation leaves in g++ 12's initial values reaches the next
// (compiler_traps.md).
template <std::size_t Count, class Graph>
constexpr program_arrays<Count> make_program(const graph_node* nodes, const machine& target, const axis_list& strides,
                                             std::size_t tile_rows, limited_tiles limits) {
    planner::sharing shared[Count]{};
    for (;;) {
        program_arrays<Count> made;
        bool done = false;
        made.run([&](program& plan) {
            if (limits == limited_tiles::none) {
                done = planner{plan, nodes, target, tile_rows, shared, limits, nullptr}.build(strides);
            } else {
                node_needs needs[Count]{};
                done = planner{plan, nodes, target, tile_rows, shared, limits, needs}.build(strides);
            }
        });
        if (done) return made;
    }
}

/// A program in arrays that are as long as needed.
template <std::size_t Count, std::size_t Loops, std::size_t Buffers, std::size_t Stages, std::size_t Items,
          std::size_t Fusions>
struct compact_program : program_counts {
    plan_loop loops[Loops]{};
    plan_buffer buffers[Buffers]{};
    plan_stage stages[Stages]{};
    plan_item items[Items]{};
    plan_fusion fusions[Fusions]{};
    node_read reads[Stages * Count]{};

    constexpr const node_read& read_of(const plan_stage& s, node_index n) const { return reads[s.first_read + n]; }
};

/// Row-major strides of an expression's shape.
template <class Expression>
consteval axis_list row_major() {
    axis_list strides{};
    const auto dense = row_major_strides(Expression::shape_type::extents);
    for (std::size_t a = 0; a < Expression::shape_type::rank; ++a) strides[a] = dense[a];
    return spelled_out(strides);
}

/// The plan of expression type Expression for a destination with these strides, all constants. Rows: only some of the
/// result's rows are computed.
template <class Expression, class Config, axis_list Strides = row_major<Expression>(), class Rows = all_rows>
struct planned {
    using expression_type = Expression;
    using configuration = Config;
    using graph_type = graph<Expression>;
    static constexpr std::size_t count = graph_type::count;
    static constexpr const auto& nodes = graph_type::nodes;
    static constexpr node_index root = graph_type::root;

    template <node_index Id>
    using node = node_type<Id, Expression>;

    static constexpr axis_list destination_strides = Strides;
    /// The machine of the plan: any Config, not only that of the compiling machine.
    static constexpr machine target = machine_of<Config>;
    using rows_type = Rows;

private:
    // Separate constants, because compilers limit the length of each evaluation.
    template <std::size_t TileRows, limited_tiles Limits>
    static constexpr auto with_tiles =
        make_program<count, graph_type>(graph_type::nodes.data(), target, Strides, TileRows, Limits);

    /// Tall tiles if their scratch fits L2, or if that of flat ones does not fit either.
    template <limited_tiles Limits>
    static consteval std::size_t rows_of_tiles() {
        const std::size_t rows = rows_for_caches<Limits>();
        return target.worker_rows != 0 && target.worker_rows < rows ? target.worker_rows : rows;
    }
    template <limited_tiles Limits>
    static consteval std::size_t rows_for_caches() {
        if constexpr (with_tiles<tall_tile_rows, Limits>.tile_bytes <= target.l2_bytes)
            return tall_tile_rows;
        else
            return with_tiles<flat_tile_rows, Limits>.tile_bytes <= target.l2_bytes ? flat_tile_rows : tall_tile_rows;
    }

    template <limited_tiles Limits>
    static constexpr auto full_with = [] {
        auto chosen = with_tiles<rows_of_tiles<Limits>(), Limits>;
        chosen.run([](program& plan) {
            choose(plan, graph_type::nodes.data(), target);
            if (target.worker_columns) share_columns(plan, graph_type::nodes.data(), target);
            const bool shorter = leave_out_keys(plan, graph_type::nodes.data(), target);
            if (add_tables(plan, graph_type::nodes.data(), target) || shorter) schedule(plan);
        });
        return chosen;
    }();

    /// Loops end at limits only if that takes no more scratch than computing all rows: one workspace serves both.
    static consteval limited_tiles tiles_of_limits() {
        if constexpr (!Rows::are_limited) {
            return limited_tiles::none;
        } else {
            constexpr const program_counts& most = planned<Expression, Config, Strides>::code;
            if constexpr (full_with<limited_tiles::parts>.needs_no_more_than(most))
                return limited_tiles::parts;
            else if constexpr (full_with<limited_tiles::tiles>.needs_no_more_than(most))
                return limited_tiles::tiles;
            else
                return limited_tiles::none;
        }
    }
    static constexpr const auto& full = full_with<tiles_of_limits()>;

public:
    static constexpr auto code = [] {
        compact_program<count, full.loop_count + 1, full.buffer_count + 1, full.stage_count + 1, full.item_count + 1,
                        full.fusion_count + 1>
            out;
        static_cast<program_counts&>(out) = full;
        for (std::size_t i = 0; i < full.loop_count; ++i) out.loops[i] = full.loops[i];
        for (std::size_t i = 0; i < full.buffer_count; ++i) out.buffers[i] = full.buffers[i];
        for (std::size_t i = 0; i < full.stage_count; ++i) out.stages[i] = full.stages[i];
        for (std::size_t i = 0; i < full.item_count; ++i) out.items[i] = full.items[i];
        for (std::size_t i = 0; i < full.fusion_count; ++i) out.fusions[i] = full.fusions[i];
        for (std::size_t i = 0; i < full.stage_count * count; ++i) out.reads[i] = full.reads[i];
        return out;
    }();

    /// What each node needs if rows are limited.
    static constexpr auto needs = [] {
        std::array<node_needs, Rows::are_limited ? count : 1> out{};
        if constexpr (Rows::are_limited) find_needs(code, nodes.data(), count, out.data());
        return out;
    }();

    static constexpr node_index resolve(node_index n) {
        while (nodes[n].kind == node_kind::let || nodes[n].kind == node_kind::let_value) n = nodes[n].same_as;
        return n;
    }
};

}  // namespace ashlar::detail
