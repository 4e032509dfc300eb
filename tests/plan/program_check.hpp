// SPDX-License-Identifier: BSL-1.0
// What must hold of every program: values are written before they are read, and nothing overwrites what is still needed.
#pragma once

#include <ashlar/ashlar.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace support {

using namespace ashlar::detail;

/// Runs a program without its arithmetic: two passes of every loop, keeping track of which buffer's values are in memory.
template <class P>
class program_checker {
public:
    std::vector<std::string> violations;

    program_checker() : valid(P::code.buffers.size(), false) {
        for (std::size_t b = 0; b < code.buffer_count; ++b) {
            const plan_buffer& buffer = code.buffers[b];
            require(buffer.offset + buffer.bytes <= code.scratch_bytes, "lies outside scratch", b);
            require(buffer.offset % scratch_alignment == 0, "is not aligned", b);
            require(buffer.node >= 0, "belongs to no node", b);
        }
        run(-1);
        std::size_t written = 0;
        for (std::size_t s = 0; s < code.stage_count; ++s) {
            const auto& stage = code.stages[s];
            if (stage.buffer == -1 && stage.second_buffer == -1 && stage.store == -1) written += node(stage.top).size();
            check_values(s, stage.kind == stage_kind::map || stage.kind == stage_kind::product ? stage.top : node(stage.core).operands[0]);
            for (std::int16_t l = stage.loop; l != -1; l = code.loops[index(l)].parent) {
                bool bound = false;
                for (std::size_t a = 0; a < node(stage.space).rank; ++a) bound = bound || stage.bindings[a] == l;
                require(bound, "is repeated by a loop that it does not depend on", s);
            }
        }
        require(written == P::nodes[P::count - 1].size(), "elements of the destination are written", written);
        for (std::size_t n = 0; n < P::count; ++n) {
            std::size_t times = 0;
            for (std::size_t s = 0; s < code.stage_count; ++s)
                if (code.stages[s].kind == stage_kind::product && index(code.stages[s].core) == n) ++times;
            require(times <= 1, "is a product that several stages compute", n);
        }
        std::size_t operations = 0;
        for (const auto& step : ashlar::plan<typename P::expression_type, typename P::configuration>.steps) operations += step.flops;
        require(operations == ashlar::flops<typename P::expression_type>, "operations are in steps", operations);
    }

private:
    static constexpr const auto& code = P::code;
    std::vector<bool> valid;

    static constexpr std::size_t index(std::int16_t i) { return static_cast<std::size_t>(i); }
    static constexpr const graph_node& node(std::int16_t n) { return P::nodes[index(n)]; }

    void require(bool holds, const char* what, std::size_t which) {
        if (!holds) violations.push_back(std::to_string(which) + " " + what);
    }
    static bool overlap(std::size_t a, std::size_t b) {
        const plan_buffer &x = code.buffers[a], &y = code.buffers[b];
        return x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
    }
    static bool is_inside(std::int16_t loop, std::int16_t outer) {
        for (; loop != -1; loop = code.loops[index(loop)].parent)
            if (loop == outer) return true;
        return outer == -1;
    }

    void run(std::int16_t parent) {
        for (std::size_t i = 0; i < code.item_count; ++i) {
            const plan_item& item = code.items[i];
            if (item.parent != parent) continue;
            if (!item.is_loop) {
                run_stage(index(item.index));
                continue;
            }
            const plan_loop& loop = code.loops[index(item.index)];
            for (int pass = 0; pass < (loop.extent > loop.tile ? 2 : 1); ++pass) {
                for (std::size_t b = 0; b < code.buffer_count; ++b) {
                    bool holds_entry = code.buffers[b].scope != -1 && is_inside(code.buffers[b].scope, item.index);
                    for (const std::int16_t bound : code.buffers[b].bindings) holds_entry = holds_entry || bound == item.index;
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
            for (std::size_t n = 0; n < P::count; ++n) {
                if (stage.values[n] != -1) f(index(stage.values[n]));
                if (stage.factors[n] != -1) f(index(stage.factors[n]));
            }
        };
        each_read([&](std::size_t b) {
            require(valid[b], "is read before it is written, or after it was overwritten", b);
            for (const std::int16_t bound : code.buffers[b].bindings)
                require(bound == -1 || is_inside(stage.loop, bound), "is read outside the loop whose entry it holds", b);
        });
        const std::int16_t maxima = product ? stage.maxima : std::int16_t{-1};
        for (const std::int16_t w : {stage.buffer, stage.second_buffer, maxima}) {
            if (w == -1) continue;
            each_read([&](std::size_t b) {
                require(!overlap(b, index(w)) || code.buffers[b].storage == code.buffers[index(w)].storage, "is overwritten while it is read", b);
            });
            for (std::size_t o = 0; o < code.buffer_count; ++o)
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
        if ((g.kind == ashlar::op::let || g.kind == ashlar::op::let_value) && stage.values[index(n)] == -1) return check_values(s, g.same_as);
        if (g.kind == ashlar::op::matmul && n == stage.core) {
            for (const std::int16_t o : {g.operands[0], g.operands[1]}) check_memory(s, o);
            return;
        }
        if (stage.values[index(n)] != -1 && g.kind != ashlar::op::standardize) return;
        require(g.kind != ashlar::op::matmul && g.kind != ashlar::op::concat && g.kind != ashlar::op::reduce, "computes a value that is not its own", s);
        if (g.kind == ashlar::op::softmax || g.kind == ashlar::op::standardize)
            require(stage.factors[index(n)] != -1, "has no statistics of rows", s);
        for (std::size_t i = 0; i < g.operand_count; ++i) check_values(s, g.operands[i]);
    }
    /// Operands of products lie in memory, behind names and index maps.
    void check_memory(std::size_t s, std::int16_t n) {
        const graph_node& g = node(n);
        if (g.kind == ashlar::op::array || g.kind == ashlar::op::packed || code.stages[s].values[index(n)] != -1) return;
        if (g.kind == ashlar::op::let || g.kind == ashlar::op::let_value) return check_memory(s, g.same_as);
        if (g.kind == ashlar::op::store || is_index_map(g.kind)) return check_memory(s, g.operands[0]);
        require(false, "multiplies what is not in memory", s);
    }
};

template <class E>
void expect_sound(const E& e) {
    const auto text = ashlar::explain(e);
    const program_checker<planned<E, ashlar::current_config>> checker;
    for (const std::string& what : checker.violations) ADD_FAILURE() << what << "\n" << text.c_str();
}

}  // namespace support
