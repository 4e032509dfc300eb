// SPDX-License-Identifier: BSL-1.0
// An expression type together with its graph and its program for one configuration.
#pragma once

#include <ashlar/core/config.hpp>
#include <ashlar/plan/build/planner.hpp>
#include <ashlar/plan/choose/choose.hpp>
#include <ashlar/plan/choose/product_tables.hpp>

namespace ashlar::detail {

template <std::size_t Count, std::size_t Loops, std::size_t Buffers, std::size_t Stages, std::size_t Items,
          std::size_t Fusions>
struct compact_program {
    plan_loop loops[Loops]{};
    plan_buffer buffers[Buffers]{};
    plan_stage<Count> stages[Stages]{};
    plan_item items[Items]{};
    plan_fusion fusions[Fusions]{};
    std::size_t loop_count = 0, buffer_count = 0, stage_count = 0, item_count = 0, fusion_count = 0, scratch_bytes = 0;
};

/// Row-major strides of an expression's shape.
template <class Expression>
consteval axis_list row_major() {
    axis_list strides{};
    const auto dense = row_major_strides(Expression::shape_type::extents);
    for (std::size_t a = 0; a < Expression::shape_type::rank; ++a) strides[a] = dense[a];
    return spelled_out(strides);
}

/// The plan of expression type Expression for a destination with these strides: constants only.
template <class Expression, class Config, axis_list Strides = row_major<Expression>()>
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
    /// The machine that the plan is for: any Config will do, not only that of the machine that compiles.
    static constexpr machine target = machine_of<Config>;

private:
    static constexpr program<count> built = planner<count>(graph_type::nodes.data(), target).run(Strides);
    // A constant of its own: compilers limit the length of each evaluation.
    static constexpr program<count> full = [] {
        program<count> chosen = built;
        choose(chosen, graph_type::nodes.data(), target);
        if (add_tables(chosen, graph_type::nodes.data(), target)) schedule(chosen);
        return chosen;
    }();

public:
    /// The program, in arrays no longer than it needs.
    static constexpr auto code = [] {
        compact_program<count, full.loop_count + 1, full.buffer_count + 1, full.stage_count + 1, full.item_count + 1,
                        full.fusion_count + 1>
            out;
        out.loop_count = full.loop_count;
        out.buffer_count = full.buffer_count;
        out.stage_count = full.stage_count;
        out.item_count = full.item_count;
        out.fusion_count = full.fusion_count;
        out.scratch_bytes = full.scratch_bytes;
        for (std::size_t i = 0; i < full.loop_count; ++i) out.loops[i] = full.loops[i];
        for (std::size_t i = 0; i < full.buffer_count; ++i) out.buffers[i] = full.buffers[i];
        for (std::size_t i = 0; i < full.stage_count; ++i) out.stages[i] = full.stages[i];
        for (std::size_t i = 0; i < full.item_count; ++i) out.items[i] = full.items[i];
        for (std::size_t i = 0; i < full.fusion_count; ++i) out.fusions[i] = full.fusions[i];
        return out;
    }();

    static constexpr node_index resolve(node_index n) {
        while (nodes[n].kind == node_kind::let || nodes[n].kind == node_kind::let_value) n = nodes[n].same_as;
        return n;
    }
};

}  // namespace ashlar::detail
