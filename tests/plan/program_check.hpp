// SPDX-License-Identifier: BSL-1.0
// What must hold of every program: values are written before they are read, and nothing overwrites what is still
// needed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

namespace support {

using namespace ashlar::detail;

/// The checked part of a stage, for any number of nodes.
struct checked_stage {
    stage_kind kind;
    lane_axis lanes;
    node_index top, core, space;
    loop_index loop;
    buffer_index buffer, second_buffer, maxima, table, running_maxima, corrections, waiting;
    loop_index depth_loop;
    node_index store;
    std::size_t row_axis, column_block;
    binding_list bindings;
    std::span<const node_read> reads;
};

/// A program and its graph without their types: what checks them is compiled once and not for each expression.
struct checked_program {
    std::span<const graph_node> nodes;
    std::vector<plan_loop> loops;
    std::vector<plan_buffer> buffers;
    std::vector<plan_item> items;
    std::vector<plan_fusion> fusions;
    std::vector<checked_stage> stages;
    std::size_t scratch_bytes, step_flops, flops;
};

template <class Config = ashlar::current_config, class E>
checked_program checked(const E&) {
    using planned_type = planned<E, Config>;
    const auto list = [](const auto& from, std::size_t count) {
        return std::vector(std::begin(from), std::begin(from) + static_cast<std::ptrdiff_t>(count));
    };
    constexpr const auto& code = planned_type::code;
    std::vector<checked_stage> stages;
    stages.reserve(code.stage_count);
    for (const auto& s : std::span(code.stages).first(code.stage_count))
        stages.push_back({s.kind, s.lanes, s.top, s.core, s.space, s.loop, s.buffer, s.second_buffer, s.maxima, s.table,
                          s.running_maxima, s.corrections, s.waiting, s.depth_loop, s.store, s.row_axis, s.column_block,
                          s.bindings, std::span(code.reads).subspan(s.first_read, planned_type::count)});
    std::size_t step_flops = 0;
    for (const auto& step : ashlar::plan<E, Config>.steps) step_flops += step.flops;
    return {planned_type::nodes,
            list(code.loops, code.loop_count),
            list(code.buffers, code.buffer_count),
            list(code.items, code.item_count),
            list(code.fusions, code.fusion_count),
            std::move(stages),
            code.scratch_bytes,
            step_flops,
            ashlar::flops<E>};
}

/// Runs a program without its arithmetic: two passes of every loop. It tracks which buffer's values are in memory.
class program_checker {
public:
    std::vector<std::string> violations;

    explicit program_checker(const checked_program& program) : code(program), valid(program.buffers.size(), false) {
        for (buffer_index b{}; b < code.buffers.size(); ++b) {
            const plan_buffer& buffer = code.buffers[b];
            require(buffer.offset + buffer.bytes <= code.scratch_bytes, "lies outside scratch", b);
            require(buffer.offset % scratch_alignment == 0, "is not aligned", b);
            require(buffer.node < code.nodes.size(), "belongs to no node", b);
        }
        if (!names_what_exists()) return;
        run(no_loop);
        std::vector<int> runs(code.stages.size(), 0);
        for (const plan_item& item : code.items) {
            if (item.stage != no_stage) ++runs[item.stage];
            if (item.fused != no_fusion)
                for (const stage_index s : code.fusions[item.fused].stages)
                    if (s != no_stage) ++runs[s];
        }
        for (stage_index s{}; s < runs.size(); ++s) require(runs[s] == 1, "is a stage that does not run once", s);
        std::size_t written = 0;
        for (stage_index s{}; s < code.stages.size(); ++s) {
            const checked_stage& stage = code.stages[s];
            if (stage.buffer == no_buffer && stage.second_buffer == no_buffer && stage.store == no_node)
                written += node(stage.top).size();
            check_values(s, stage.kind == stage_kind::map || stage.kind == stage_kind::product
                                ? stage.top
                                : node(stage.core).operands[0]);
            require(stage.depth_loop == no_loop ||
                        (code.loops[stage.depth_loop].keys && is_inside(stage.loop, stage.depth_loop)),
                    "takes its depth block by block outside a loop over blocks of keys", s);
            for (loop_index l = stage.loop; l != no_loop; l = code.loops[l].parent) {
                bool bound = false;
                for (std::size_t a = 0; a < node(stage.space).rank; ++a) bound = bound || stage.bindings[a] == l;
                bound = bound || code.loops[l].tile == code.loops[l].extent || stage.depth_loop == l;
                require(bound, "is repeated by a loop that it does not depend on", s);
            }
        }
        require(written == code.nodes.back().size(), "elements of the destination are written", written);
        for (node_index n{}; n < code.nodes.size(); ++n) {
            std::size_t times = 0;
            for (const checked_stage& stage : code.stages)
                if (stage.kind == stage_kind::product && stage.core == n) ++times;
            require(times <= 1, "is a product that several stages compute", n);
        }
        require(code.step_flops == code.flops, "operations are in steps", code.step_flops);
    }

private:
    const checked_program& code;
    std::vector<bool> valid;

    const graph_node& node(node_index n) const { return code.nodes[n]; }

    /// Items and fusions name stages, loops and fusions of this program.
    bool names_what_exists() {
        const std::size_t before = violations.size();
        for (const plan_item& item : code.items) {
            const bool one = (item.loop != no_loop) + (item.stage != no_stage) + (item.fused != no_fusion) == 1;
            const bool leads = (item.loop == no_loop || item.loop < code.loops.size()) &&
                               (item.stage == no_stage || item.stage < code.stages.size()) &&
                               (item.fused == no_fusion || item.fused < code.fusions.size());
            require(one && leads, "is an item that leads nowhere", static_cast<std::size_t>(&item - code.items.data()));
        }
        for (const plan_fusion& fused : code.fusions)
            for (const stage_index s : fused.stages)
                require(s == no_stage || s < code.stages.size(), "is a fused stage that is not there", s);
        return violations.size() == before;
    }

    void require(bool holds, const char* what, std::size_t which) {
        if (!holds) violations.push_back(std::to_string(which) + " " + what);
    }
    bool overlap(buffer_index a, buffer_index b) const {
        const plan_buffer &x = code.buffers[a], &y = code.buffers[b];
        return x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
    }
    bool is_inside(loop_index loop, loop_index outer) const {
        for (; loop != no_loop; loop = code.loops[loop].parent)
            if (loop == outer) return true;
        return outer == no_loop;
    }

    void run(loop_index parent) {
        for (std::size_t i = 0; i < code.items.size(); ++i) {
            const plan_item& item = code.items[i];
            if (item.parent != parent) continue;
            if (item.stage != no_stage) {
                run_stage(item.stage);
                continue;
            }
            if (item.fused != no_fusion) {
                run_fused(code.fusions[item.fused]);
                continue;
            }
            const plan_loop& loop = code.loops[item.loop];
            for (int pass = 0; pass < (loop.extent > loop.tile ? 2 : 1); ++pass) {
                for (buffer_index b{}; b < code.buffers.size(); ++b) {
                    bool holds_entry = code.buffers[b].scope != no_loop && is_inside(code.buffers[b].scope, item.loop);
                    for (const loop_index bound : code.buffers[b].bindings)
                        holds_entry = holds_entry || bound == item.loop;
                    if (holds_entry) valid[b] = false;
                }
                run(item.loop);
            }
        }
    }
    std::vector<buffer_index> read_by(const checked_stage& stage) const {
        std::vector<buffer_index> buffers;
        if (stage.kind != stage_kind::product && stage.maxima != no_buffer) buffers.push_back(stage.maxima);
        if (stage.kind == stage_kind::product && stage.corrections != no_buffer) buffers.push_back(stage.corrections);
        for (node_index n{}; n < code.nodes.size(); ++n)
            for (const buffer_index b : {stage.reads[n].values, stage.reads[n].factors})
                if (b != no_buffer) buffers.push_back(b);
        return buffers;
    }
    std::vector<buffer_index> written_by(const checked_stage& stage) const {
        std::vector<buffer_index> buffers;
        const bool product = stage.kind == stage_kind::product;
        for (const buffer_index b :
             {stage.buffer, stage.second_buffer, stage.table, stage.running_maxima, stage.waiting,
              product ? stage.maxima : no_buffer, product ? no_buffer : stage.corrections})
            if (b != no_buffer) buffers.push_back(b);
        return buffers;
    }
    void run_stage(stage_index s) { run_stage(s, {}); }

    /// A stage that finds, and leaves, the values of some buffers in registers.
    void run_stage(stage_index s, const std::vector<buffer_index>& in_registers) {
        const auto& stage = code.stages[s];
        const auto in_memory = [&](buffer_index b) {
            return std::find(in_registers.begin(), in_registers.end(), b) == in_registers.end();
        };
        for (const buffer_index b : read_by(stage)) {
            if (!in_memory(b)) continue;
            require(!code.buffers[b].in_registers, "has no memory that could be read", b);
            require(valid[b], "is read before it is written, or after it was overwritten", b);
            for (const loop_index bound : code.buffers[b].bindings)
                require(bound == whole_axis || is_inside(stage.loop, bound),
                        "is read outside the loop whose entry it holds", b);
        }
        for (const buffer_index w : written_by(stage)) {
            if (!in_memory(w)) continue;
            require(!code.buffers[w].in_registers, "has no memory that could be written", w);
            for (const buffer_index b : read_by(stage))
                require(!in_memory(b) || !overlap(b, w) || code.buffers[b].storage == code.buffers[w].storage,
                        "is overwritten while it is read", b);
            if (stage.table != no_buffer && w != stage.table)
                require(!overlap(stage.table, w), "is overwritten by what a kernel packs", w);
            for (buffer_index o{}; o < code.buffers.size(); ++o)
                if (o != w && overlap(o, w)) valid[o] = false;
        }
        for (const buffer_index w : written_by(stage))
            if (in_memory(w)) {
                require(is_inside(stage.loop, code.buffers[w].scope), "is written outside its scope", w);
                valid[w] = true;
            }
    }

    /// Fused stages, as they run in full tiles and as they run in the last one.
    void run_fused(const plan_fusion& fused) {
        if (fused.stages[1] == no_stage || fused.stages[2] == no_stage)
            return;  // which is said where stages are counted
        const std::vector<bool> before = valid;
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            if (tile == last_tile && !has_last_tile(code.stages[fused.stages[1]])) continue;
            valid = before;
            const fusion how = fused.how[tile];
            std::vector<buffer_index> in_registers;
            if (ashlar::detail::in_registers(how)) {
                const checked_stage &scores = code.stages[fused.stages[0]], &softmax = code.stages[fused.stages[1]];
                in_registers = {scores.buffer, scores.maxima};
                if (how != fusion::register_softmax_to_memory) {
                    in_registers.push_back(softmax.buffer);
                    in_registers.push_back(softmax.second_buffer);
                }
            }
            if (how == fusion::statistics_into_map)
                check_turns(code.stages[fused.stages[1]], code.stages[fused.stages[2]]);
            for (const stage_index s : fused.stages)
                if (s != no_stage) run_stage(s, in_registers);
        }
    }
    bool has_last_tile(const checked_stage& stage) const {
        if (stage.row_axis == no_axis || stage.bindings[stage.row_axis] == whole_axis) return false;
        const plan_loop& loop = code.loops[stage.bindings[stage.row_axis]];
        return loop.rows && loop.extent % loop.tile != 0;
    }
    /// The second stage of a pair writes some rows when the first one has not read the others.
    void check_turns(const checked_stage& first, const checked_stage& second) {
        for (const buffer_index w : written_by(second)) {
            for (const buffer_index b : read_by(first))
                require(!overlap(b, w) || (code.buffers[b].storage == code.buffers[w].storage &&
                                           code.buffers[b].strides == code.buffers[w].strides),
                        "is overwritten by rows of a stage that takes turns with its reader", b);
            for (const buffer_index b : written_by(first))
                require(!overlap(b, w), "is overwritten by rows of a stage that takes turns with its writer", b);
        }
    }

    /// A stage computes elements one by one: products, joins and row statistics are its own core or come from memory. A
    /// map also computes reductions over few entries, one for each of its elements.
    void check_values(stage_index s, node_index n) {
        const auto& stage = code.stages[s];
        const graph_node& g = node(n);
        if ((g.kind == ashlar::node_kind::let || g.kind == ashlar::node_kind::let_value) &&
            stage.reads[n].values == no_buffer)
            return check_values(s, g.same_as);
        if (g.kind == ashlar::node_kind::matmul && n == stage.core) {
            for (const node_index o : {g.operands[0], g.operands[1]}) check_memory(s, o);
            check_columns(s, g.operands[1]);
            return;
        }
        if (stage.reads[n].values != no_buffer && g.kind != ashlar::node_kind::standardize) return;
        const bool folds = g.kind == ashlar::node_kind::reduce && stage.kind == stage_kind::map &&
                           node(g.operands[0]).size() <= 64 * node(stage.top).size();
        require(folds || (g.kind != ashlar::node_kind::matmul && g.kind != ashlar::node_kind::concat &&
                          g.kind != ashlar::node_kind::reduce),
                "computes a value that is not its own", s);
        if (g.kind == ashlar::node_kind::softmax || g.kind == ashlar::node_kind::standardize)
            require(stage.reads[n].factors != no_buffer, "has no statistics of rows", s);
        for (std::size_t i = 0; i < g.operand_count; ++i) check_values(s, g.operands[i]);
    }
    /// With columns in lanes, those of the right operand are adjacent in the memory that is read.
    void check_columns(stage_index s, node_index right) {
        const auto& stage = code.stages[s];
        const graph_node &core = node(stage.core), &r = node(right);
        node_index named = right;
        while (node(named).kind == ashlar::node_kind::let || node(named).kind == ashlar::node_kind::let_value)
            named = node(named).same_as;
        if (stage.lanes != lane_axis::columns || stage.column_block != 0 || r.extents[r.rank - 1u] == 1 ||
            node(named).kind == ashlar::node_kind::packed)
            return;
        std::array<bool, max_rank> fixed{};
        const binding_list bindings = operand_bindings(core, r, 1, stage.bindings);
        for (std::size_t a = 0; a < r.rank; ++a) fixed[a] = bindings[a] != whole_axis;
        const node_memory memory{code.nodes.data(), stage.reads.data(), code.buffers.data()};
        const stride_result found = memory.strides(right, fixed);
        require(found.affine && found.strides[r.rank - 1u] == 1, "multiplies by columns that lie apart", s);
    }
    /// Operands of products are in memory, behind names and index maps.
    void check_memory(stage_index s, node_index n) {
        const graph_node& g = node(n);
        if (g.kind == ashlar::node_kind::array || g.kind == ashlar::node_kind::packed ||
            code.stages[s].reads[n].values != no_buffer)
            return;
        if (g.kind == ashlar::node_kind::let || g.kind == ashlar::node_kind::let_value)
            return check_memory(s, g.same_as);
        if (g.kind == ashlar::node_kind::store || is_index_map(g.kind)) return check_memory(s, g.operands[0]);
        require(false, "multiplies what is not in memory", s);
    }
};

/// Fails with every violation, and names the place of the expression.
inline void expect_sound(const checked_program& program, const std::source_location& at) {
    const program_checker checker(program);
    for (const std::string& what : checker.violations)
        ADD_FAILURE_AT(at.file_name(), static_cast<int>(at.line())) << what;
}
template <class E>
void expect_sound(const E& e, const std::source_location& at = std::source_location::current()) {
    expect_sound(checked(e), at);
}

}  // namespace support
