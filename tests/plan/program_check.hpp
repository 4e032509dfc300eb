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

/// A stage as far as it is checked, whatever the number of nodes.
struct checked_stage {
    stage_kind kind;
    std::int16_t top, core, space, loop, buffer, second_buffer, maxima, table, store;
    std::size_t row_axis;
    binding_list bindings;
    std::span<const std::int16_t> values, factors;
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
        stages.push_back({s.kind, s.top, s.core, s.space, s.loop, s.buffer, s.second_buffer, s.maxima, s.table, s.store,
                          s.row_axis, s.bindings, s.values, s.factors});
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

/// Runs a program without its arithmetic: two passes of every loop, keeping track of which buffer's values are in
/// memory.
class program_checker {
public:
    std::vector<std::string> violations;

    explicit program_checker(const checked_program& program) : code(program), valid(program.buffers.size(), false) {
        for (std::size_t b = 0; b < code.buffers.size(); ++b) {
            const plan_buffer& buffer = code.buffers[b];
            require(buffer.offset + buffer.bytes <= code.scratch_bytes, "lies outside scratch", b);
            require(buffer.offset % scratch_alignment == 0, "is not aligned", b);
            require(buffer.node >= 0, "belongs to no node", b);
        }
        if (!names_what_exists()) return;
        run(-1);
        std::vector<int> runs(code.stages.size(), 0);
        for (const plan_item& item : code.items) {
            if (item.kind == item_kind::stage) ++runs[index(item.index)];
            if (item.kind == item_kind::fused)
                for (const std::int16_t s : code.fusions[index(item.index)].stages)
                    if (s != -1) ++runs[index(s)];
        }
        for (std::size_t s = 0; s < runs.size(); ++s) require(runs[s] == 1, "is a stage that does not run once", s);
        std::size_t written = 0;
        for (std::size_t s = 0; s < code.stages.size(); ++s) {
            const checked_stage& stage = code.stages[s];
            if (stage.buffer == -1 && stage.second_buffer == -1 && stage.store == -1) written += node(stage.top).size();
            check_values(s, stage.kind == stage_kind::map || stage.kind == stage_kind::product
                                ? stage.top
                                : node(stage.core).operands[0]);
            for (std::int16_t l = stage.loop; l != -1; l = code.loops[index(l)].parent) {
                bool bound = false;
                for (std::size_t a = 0; a < node(stage.space).rank; ++a) bound = bound || stage.bindings[a] == l;
                bound = bound || code.loops[index(l)].tile == code.loops[index(l)].extent;
                require(bound, "is repeated by a loop that it does not depend on", s);
            }
        }
        require(written == code.nodes.back().size(), "elements of the destination are written", written);
        for (std::size_t n = 0; n < code.nodes.size(); ++n) {
            std::size_t times = 0;
            for (const checked_stage& stage : code.stages)
                if (stage.kind == stage_kind::product && index(stage.core) == n) ++times;
            require(times <= 1, "is a product that several stages compute", n);
        }
        require(code.step_flops == code.flops, "operations are in steps", code.step_flops);
    }

private:
    const checked_program& code;
    std::vector<bool> valid;

    static std::size_t index(std::int16_t i) { return static_cast<std::size_t>(i); }
    const graph_node& node(std::int16_t n) const { return code.nodes[index(n)]; }

    /// Items and fusions name stages, loops and fusions of this program.
    bool names_what_exists() {
        const std::size_t before = violations.size();
        for (const plan_item& item : code.items) {
            const std::size_t count = item.kind == item_kind::stage   ? code.stages.size()
                                      : item.kind == item_kind::fused ? code.fusions.size()
                                                                      : code.loops.size();
            require(index(item.index) < count, "is an index of an item that leads nowhere", index(item.index));
        }
        for (const plan_fusion& fused : code.fusions)
            for (const std::int16_t s : fused.stages)
                require(s == -1 || index(s) < code.stages.size(), "is a fused stage that is not there", index(s));
        return violations.size() == before;
    }

    void require(bool holds, const char* what, std::size_t which) {
        if (!holds) violations.push_back(std::to_string(which) + " " + what);
    }
    bool overlap(std::size_t a, std::size_t b) const {
        const plan_buffer &x = code.buffers[a], &y = code.buffers[b];
        return x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
    }
    bool is_inside(std::int16_t loop, std::int16_t outer) const {
        for (; loop != -1; loop = code.loops[index(loop)].parent)
            if (loop == outer) return true;
        return outer == -1;
    }

    void run(std::int16_t parent) {
        for (std::size_t i = 0; i < code.items.size(); ++i) {
            const plan_item& item = code.items[i];
            if (item.parent != parent) continue;
            if (item.kind == item_kind::stage) {
                run_stage(index(item.index));
                continue;
            }
            if (item.kind == item_kind::fused) {
                run_fused(code.fusions[index(item.index)]);
                continue;
            }
            const plan_loop& loop = code.loops[index(item.index)];
            for (int pass = 0; pass < (loop.extent > loop.tile ? 2 : 1); ++pass) {
                for (std::size_t b = 0; b < code.buffers.size(); ++b) {
                    bool holds_entry = code.buffers[b].scope != -1 && is_inside(code.buffers[b].scope, item.index);
                    for (const std::int16_t bound : code.buffers[b].bindings)
                        holds_entry = holds_entry || bound == item.index;
                    if (holds_entry) valid[b] = false;
                }
                run(item.index);
            }
        }
    }
    std::vector<std::size_t> read_by(const checked_stage& stage) const {
        std::vector<std::size_t> buffers;
        if (stage.kind != stage_kind::product && stage.maxima != -1) buffers.push_back(index(stage.maxima));
        for (std::size_t n = 0; n < code.nodes.size(); ++n)
            for (const std::int16_t b : {stage.values[n], stage.factors[n]})
                if (b != -1) buffers.push_back(index(b));
        return buffers;
    }
    std::vector<std::size_t> written_by(const checked_stage& stage) const {
        std::vector<std::size_t> buffers;
        for (const std::int16_t b : {stage.buffer, stage.second_buffer, stage.table,
                                     stage.kind == stage_kind::product ? stage.maxima : std::int16_t{-1}})
            if (b != -1) buffers.push_back(index(b));
        return buffers;
    }
    void run_stage(std::size_t s) { run_stage(s, {}); }

    /// A stage that finds, and leaves, the values of some buffers in registers.
    void run_stage(std::size_t s, const std::vector<std::size_t>& in_registers) {
        const auto& stage = code.stages[s];
        const auto in_memory = [&](std::size_t b) {
            return std::find(in_registers.begin(), in_registers.end(), b) == in_registers.end();
        };
        for (const std::size_t b : read_by(stage)) {
            if (!in_memory(b)) continue;
            require(!code.buffers[b].in_registers, "has no memory that could be read", b);
            require(valid[b], "is read before it is written, or after it was overwritten", b);
            for (const std::int16_t bound : code.buffers[b].bindings)
                require(bound == -1 || is_inside(stage.loop, bound), "is read outside the loop whose entry it holds",
                        b);
        }
        for (const std::size_t w : written_by(stage)) {
            if (!in_memory(w)) continue;
            require(!code.buffers[w].in_registers, "has no memory that could be written", w);
            for (const std::size_t b : read_by(stage))
                require(!in_memory(b) || !overlap(b, w) || code.buffers[b].storage == code.buffers[w].storage,
                        "is overwritten while it is read", b);
            if (stage.table != -1 && w != index(stage.table))
                require(!overlap(index(stage.table), w), "is overwritten by what a kernel packs", w);
            for (std::size_t o = 0; o < code.buffers.size(); ++o)
                if (o != w && overlap(o, w)) valid[o] = false;
        }
        for (const std::size_t w : written_by(stage))
            if (in_memory(w)) {
                require(is_inside(stage.loop, code.buffers[w].scope), "is written outside its scope", w);
                valid[w] = true;
            }
    }

    /// Fused stages, as they run in full tiles and as they run in the last one.
    void run_fused(const plan_fusion& fused) {
        if (fused.stages[1] == -1 || fused.stages[2] == -1) return;  // which is said where stages are counted
        const std::vector<bool> before = valid;
        for (std::size_t tile = 0; tile < tile_kinds; ++tile) {
            if (tile == last_tile && !has_last_tile(code.stages[index(fused.stages[1])])) continue;
            valid = before;
            const fusion how = fused.how[tile];
            std::vector<std::size_t> in_registers;
            if (ashlar::detail::in_registers(how)) {
                const checked_stage &scores = code.stages[index(fused.stages[0])],
                                    &softmax = code.stages[index(fused.stages[1])];
                in_registers = {index(scores.buffer), index(scores.maxima)};
                if (how != fusion::register_softmax_to_memory) {
                    in_registers.push_back(index(softmax.buffer));
                    in_registers.push_back(index(softmax.second_buffer));
                }
            }
            if (takes_turns(how)) check_turns(code.stages[index(fused.stages[1])], code.stages[index(fused.stages[2])]);
            for (const std::int16_t s : fused.stages)
                if (s != -1) run_stage(index(s), in_registers);
        }
    }
    bool has_last_tile(const checked_stage& stage) const {
        if (stage.row_axis == no_axis || stage.bindings[stage.row_axis] == whole_axis) return false;
        const plan_loop& loop = code.loops[index(stage.bindings[stage.row_axis])];
        return loop.rows && loop.extent % loop.tile != 0;
    }
    /// The second stage of a pair writes some rows when the first one has not read the others.
    void check_turns(const checked_stage& first, const checked_stage& second) {
        for (const std::size_t w : written_by(second)) {
            for (const std::size_t b : read_by(first))
                require(!overlap(b, w) || (code.buffers[b].storage == code.buffers[w].storage &&
                                           code.buffers[b].strides == code.buffers[w].strides),
                        "is overwritten by rows of a stage that takes turns with its reader", b);
            for (const std::size_t b : written_by(first))
                require(!overlap(b, w), "is overwritten by rows of a stage that takes turns with its writer", b);
        }
    }

    /// A stage computes elements one by one: products, joins and row statistics are its own core or come from memory.
    void check_values(std::size_t s, std::int16_t n) {
        const auto& stage = code.stages[s];
        const graph_node& g = node(n);
        if ((g.kind == ashlar::node_kind::let || g.kind == ashlar::node_kind::let_value) &&
            stage.values[index(n)] == -1)
            return check_values(s, g.same_as);
        if (g.kind == ashlar::node_kind::matmul && n == stage.core) {
            for (const std::int16_t o : {g.operands[0], g.operands[1]}) check_memory(s, o);
            return;
        }
        if (stage.values[index(n)] != -1 && g.kind != ashlar::node_kind::standardize) return;
        require(g.kind != ashlar::node_kind::matmul && g.kind != ashlar::node_kind::concat &&
                    g.kind != ashlar::node_kind::reduce,
                "computes a value that is not its own", s);
        if (g.kind == ashlar::node_kind::softmax || g.kind == ashlar::node_kind::standardize)
            require(stage.factors[index(n)] != -1, "has no statistics of rows", s);
        for (std::size_t i = 0; i < g.operand_count; ++i) check_values(s, g.operands[i]);
    }
    /// Operands of products lie in memory, behind names and index maps.
    void check_memory(std::size_t s, std::int16_t n) {
        const graph_node& g = node(n);
        if (g.kind == ashlar::node_kind::array || g.kind == ashlar::node_kind::packed ||
            code.stages[s].values[index(n)] != -1)
            return;
        if (g.kind == ashlar::node_kind::let || g.kind == ashlar::node_kind::let_value)
            return check_memory(s, g.same_as);
        if (g.kind == ashlar::node_kind::store || is_index_map(g.kind)) return check_memory(s, g.operands[0]);
        require(false, "multiplies what is not in memory", s);
    }
};

/// Fails with every violation, and with where the expression stands.
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
