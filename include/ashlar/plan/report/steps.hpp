// SPDX-License-Identifier: BSL-1.0
// The steps of a program: which loops and stages belong together, and what passes from one step to another.
#pragma once

#include <ashlar/plan/build/planned.hpp>

namespace ashlar::detail {

/// A loop over tiles of rows with everything inside it, or neighbouring stages (and loops without tiles) outside one.
struct step_place {
    std::int16_t parent = -1;  // the innermost batch loop around it
    std::int16_t rows = -1;    // its loop over tiles of rows, if it has one
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
        walk(-1);
        for (std::size_t s = 0; s < code.stage_count; ++s) {
            const auto& stage = code.stages[s];
            if (stage.buffer != -1) writes[of_stage[s]][index(stage.buffer)] = true;
            if (stage.second_buffer != -1) writes[of_stage[s]][index(stage.second_buffer)] = true;
            if (stage.table != -1) writes[of_stage[s]][index(stage.table)] = true;
            if (stage.maxima != -1)
                (stage.kind == stage_kind::product ? writes : reads)[of_stage[s]][index(stage.maxima)] = true;
            for (std::size_t n = 0; n < Plan::count; ++n) {
                if (stage.values[n] != -1) reads[of_stage[s]][index(stage.values[n])] = true;
                if (stage.factors[n] != -1) reads[of_stage[s]][index(stage.factors[n])] = true;
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
    static constexpr std::size_t index(std::int16_t i) { return static_cast<std::size_t>(i); }

    static constexpr bool has_tiles(std::int16_t loop) {
        for (std::size_t l = 0; l < code.loop_count; ++l)
            if (code.loops[l].rows && is_loop_inside(code, static_cast<std::int16_t>(l), loop)) return true;
        return false;
    }

    constexpr void take(const plan_item& item) {
        if (!item.is_loop()) {
            for (const std::int16_t s : stages_of(code, item).stages)
                if (s != -1) of_stage[index(s)] = count;
            return;
        }
        for (std::size_t l = 0; l < code.loop_count; ++l)
            if (is_loop_inside(code, static_cast<std::int16_t>(l), item.index)) of_loop[l] = count;
        for (std::size_t s = 0; s < code.stage_count; ++s)
            if (is_loop_inside(code, code.stages[s].loop, item.index)) of_stage[s] = count;
    }

    /// Ends a run of neighbours without tiles. A single loop is a loop around what is in it.
    constexpr void finish(std::array<std::size_t, most>& run, std::size_t& length, std::int16_t parent) {
        if (length == 1 && code.items[run[0]].is_loop()) {
            length = 0;
            walk(code.items[run[0]].index);
            return;
        }
        if (length == 0) return;
        for (std::size_t i = 0; i < length; ++i) take(code.items[run[i]]);
        place[count++] = {parent, -1};
        length = 0;
    }

    constexpr void walk(std::int16_t parent) {
        std::array<std::size_t, most> run{};
        std::size_t length = 0;
        for (std::size_t i = 0; i < code.item_count; ++i) {
            const plan_item& item = code.items[i];
            if (item.parent != parent) continue;
            if (item.is_loop() && has_tiles(item.index)) {
                finish(run, length, parent);
                if (code.loops[index(item.index)].rows) {
                    take(item);
                    place[count++] = {parent, item.index};
                } else {
                    walk(item.index);
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

/// For every node of Plan's expression, the stage that computes it first; -1 if none does.
// A function: clang does not instantiate a generic lambda inside a variable's initialiser in time.
template <class Plan>
consteval auto find_stage_of_nodes() {
    std::array<std::int16_t, Plan::count> stages{};
    stages.fill(-1);
    const auto visit = [&](auto self, std::size_t s, std::size_t n) -> void {
        const auto& stage = Plan::code.stages[s];
        const graph_node& g = Plan::nodes[n];
        if (stage.values[n] != -1) return;
        if (g.kind == node_kind::let || g.kind == node_kind::let_value)
            return self(self, s, static_cast<std::size_t>(g.same_as));
        if (g.kind == node_kind::matmul && stage.core != static_cast<std::int16_t>(n)) return;
        if (stages[n] == -1) stages[n] = static_cast<std::int16_t>(s);
        if (g.kind == node_kind::matmul) return;
        for (std::size_t i = 0; i < g.operand_count; ++i) self(self, s, static_cast<std::size_t>(g.operands[i]));
    };
    for (std::size_t s = 0; s < Plan::code.stage_count; ++s) {
        const auto& stage = Plan::code.stages[s];
        const bool folds = stage.kind != stage_kind::map && stage.kind != stage_kind::product;
        visit(visit, s, static_cast<std::size_t>(folds ? stage.core : stage.top));
    }
    return stages;
}
template <class Plan>
inline constexpr auto stage_of_nodes = find_stage_of_nodes<Plan>();

}  // namespace ashlar::detail
