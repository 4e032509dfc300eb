// SPDX-License-Identifier: BSL-1.0
// The steps of a program: which loops and stages belong together, and what one step passes to another.
#pragma once

#include <ashlar/plan/build/planned.hpp>

namespace ashlar::inline v0_1::detail {

/// A loop over tiles of rows with everything inside it, or neighbouring stages (and loops without tiles) outside of
/// one.
struct step_place {
    loop_index parent = no_loop;  // the innermost batch loop around it
    loop_index rows = no_loop;    // its loop over tiles of rows, if it has one
};

/// Finds the steps of the program of Plan, a `planned`.
template <class Plan>
struct step_finder {
    static constexpr const auto& code = Plan::code;
    static constexpr std::size_t most = std::size(Plan::code.items);

    std::array<step_place, most> place{};
    std::array<std::size_t, std::size(Plan::code.stages)> of_stage{};
    std::array<std::size_t, std::size(Plan::code.loops)> of_loop{};  // loops around steps: no_axis
    std::size_t count = 0;

    constexpr step_finder() {
        of_loop.fill(no_axis);
        walk(no_loop);
        for (std::size_t s = 0; s < code.stage_count; ++s) {
            const auto& stage = code.stages[s];
            if (stage.buffer != no_buffer) writes[of_stage[s]][stage.buffer] = true;
            if (stage.second_buffer != no_buffer) writes[of_stage[s]][stage.second_buffer] = true;
            for (const buffer_index b : {stage.table, stage.waiting, stage.running_maxima, stage.corrections})
                if (b != no_buffer) writes[of_stage[s]][b] = true;
            if (stage.maxima != no_buffer)
                (stage.kind == stage_kind::product ? writes : reads)[of_stage[s]][stage.maxima] = true;
            for (std::size_t n = 0; n < Plan::count; ++n) {
                const auto [values, factors] = code.reads[stage.first_read + n];
                if (values != no_buffer) reads[of_stage[s]][values] = true;
                if (factors != no_buffer) reads[of_stage[s]][factors] = true;
            }
        }
        for (std::size_t b = 0; b < code.buffer_count; ++b)
            for (std::size_t w = 0; w < count; ++w)
                for (std::size_t r = 0; r < count; ++r)
                    if (w != r && writes[w][b] && reads[r][b]) is_barrier[b] = true;
    }

    /// Whether a stage of the step writes, or reads, the buffer.
    std::array<std::array<bool, std::size(Plan::code.buffers)>, most> writes{}, reads{};

    /// Whether a buffer is written in one step and read in another.
    std::array<bool, std::size(Plan::code.buffers)> is_barrier{};

private:
    static constexpr bool has_tiles(loop_index loop) {
        for (loop_index l{}; l < code.loop_count; ++l)
            if (code.loops[l].rows && is_loop_inside(code, l, loop)) return true;
        return false;
    }

    constexpr void take(const plan_item& item) {
        if (!item.is_loop()) {
            for (const stage_index s : stages_of(code, item).stages)
                if (s != no_stage) of_stage[s] = count;
            return;
        }
        for (loop_index l{}; l < code.loop_count; ++l)
            if (is_loop_inside(code, l, item.loop)) of_loop[l] = count;
        for (std::size_t s = 0; s < code.stage_count; ++s)
            if (is_loop_inside(code, code.stages[s].loop, item.loop)) of_stage[s] = count;
    }

    /// Ends a run of neighbours without tiles. A single loop counts as a loop around its contents, unless it runs over
    /// blocks of keys, which are parts of one result.
    constexpr void finish(std::array<std::size_t, most>& run, std::size_t& length, loop_index parent) {
        if (length == 1 && code.items[run[0]].is_loop() && !code.loops[code.items[run[0]].loop].keys) {
            length = 0;
            walk(code.items[run[0]].loop);
            return;
        }
        if (length == 0) return;
        for (std::size_t i = 0; i < length; ++i) take(code.items[run[i]]);
        place[count++] = {parent, no_loop};
        length = 0;
    }

    constexpr void walk(loop_index parent) {
        std::array<std::size_t, most> run{};
        std::size_t length = 0;
        for (std::size_t i = 0; i < code.item_count; ++i) {
            const plan_item& item = code.items[i];
            if (item.parent != parent) continue;
            if (item.is_loop() && has_tiles(item.loop)) {
                finish(run, length, parent);
                if (code.loops[item.loop].rows) {
                    take(item);
                    place[count++] = {parent, item.loop};
                } else {
                    walk(item.loop);
                }
                continue;
            }
            if (item.is_loop() && length != 0 && code.items[run[length - 1]].is_loop()) finish(run, length, parent);
            run[length++] = i;
        }
        finish(run, length, parent);
    }
};

/// The steps of Plan.
template <class Plan>
inline constexpr step_finder<Plan> steps_of{};

/// For every node of Plan's expression, the stage that computes it first; no_stage if none does.
// A function, because clang does not instantiate a generic lambda inside a variable's initialiser in time.
template <class Plan>
consteval auto find_stage_of_nodes() {
    std::array<stage_index, Plan::count> stages{};
    stages.fill(no_stage);
    const auto visit = [&](auto self, stage_index s, node_index n) -> void {
        const auto& stage = Plan::code.stages[s];
        const graph_node& g = Plan::nodes[n];
        if (Plan::code.read_of(stage, n).values != no_buffer) return;
        if (g.kind == node_kind::let || g.kind == node_kind::let_value) return self(self, s, g.same_as);
        if (g.kind == node_kind::matmul && stage.core != n) return;
        if (stages[n] == no_stage) stages[n] = s;
        if (g.kind == node_kind::matmul) return;
        for (std::size_t i = 0; i < g.operand_count; ++i) self(self, s, g.operands[i]);
    };
    for (stage_index s{}; s < Plan::code.stage_count; ++s) {
        const auto& stage = Plan::code.stages[s];
        const bool folds = stage.kind != stage_kind::map && stage.kind != stage_kind::product;
        visit(visit, s, folds ? stage.core : stage.top);
    }
    return stages;
}
template <class Plan>
inline constexpr auto stage_of_nodes = find_stage_of_nodes<Plan>();

}  // namespace ashlar::detail
