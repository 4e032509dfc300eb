// SPDX-License-Identifier: BSL-1.0
// What must hold of every program: values are written before they are read, and nothing overwrites what is still
// needed.
#pragma once

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
    std::int16_t top, core, space, loop, buffer, second_buffer, maxima, store;
    binding_list bindings;
    std::span<const std::int16_t> values, factors;
};

/// A program and its graph without their types: what checks them is compiled once and not for each expression.
struct checked_program {
    std::span<const graph_node> nodes;
    std::span<const plan_loop> loops;
    std::span<const plan_buffer> buffers;
    std::span<const plan_item> items;
    std::vector<checked_stage> stages;
    std::size_t scratch_bytes, step_flops, flops;
};

template <class E>
checked_program checked(const E&) {
    using planned_type = planned<E, ashlar::current_config>;
    constexpr const auto& code = planned_type::code;
    std::vector<checked_stage> stages;
    stages.reserve(code.stage_count);
    for (const auto& s : std::span(code.stages).first(code.stage_count))
        stages.push_back({s.kind, s.top, s.core, s.space, s.loop, s.buffer, s.second_buffer, s.maxima, s.store,
                          s.bindings, s.values, s.factors});
    std::size_t step_flops = 0;
    for (const auto& step : ashlar::plan<E>.steps) step_flops += step.flops;
    return {planned_type::nodes,
            std::span(code.loops).first(code.loop_count),
            std::span(code.buffers).first(code.buffer_count),
            std::span(code.items).first(code.item_count),
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
        run(-1);
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
            if (!item.is_loop()) {
                run_stage(index(item.index));
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
    void run_stage(std::size_t s) {
        const auto& stage = code.stages[s];
        const bool product = stage.kind == stage_kind::product;
        const auto each_read = [&](auto f) {
            if (!product && stage.maxima != -1) f(index(stage.maxima));
            for (std::size_t n = 0; n < code.nodes.size(); ++n) {
                if (stage.values[n] != -1) f(index(stage.values[n]));
                if (stage.factors[n] != -1) f(index(stage.factors[n]));
            }
        };
        each_read([&](std::size_t b) {
            require(valid[b], "is read before it is written, or after it was overwritten", b);
            for (const std::int16_t bound : code.buffers[b].bindings)
                require(bound == -1 || is_inside(stage.loop, bound), "is read outside the loop whose entry it holds",
                        b);
        });
        const std::int16_t maxima = product ? stage.maxima : std::int16_t{-1};
        for (const std::int16_t w : {stage.buffer, stage.second_buffer, maxima}) {
            if (w == -1) continue;
            each_read([&](std::size_t b) {
                require(!overlap(b, index(w)) || code.buffers[b].storage == code.buffers[index(w)].storage,
                        "is overwritten while it is read", b);
            });
            for (std::size_t o = 0; o < code.buffers.size(); ++o)
                if (o != index(w) && overlap(o, index(w))) valid[o] = false;
        }
        for (const std::int16_t w : {stage.buffer, stage.second_buffer, maxima})
            if (w != -1) {
                require(is_inside(stage.loop, code.buffers[index(w)].scope), "is written outside its scope", index(w));
                valid[index(w)] = true;
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
