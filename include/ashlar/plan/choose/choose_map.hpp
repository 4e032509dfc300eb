// SPDX-License-Identifier: BSL-1.0
// Chooses how an elementwise stage runs: as one line, as a transposing copy, or some registers at a time.
#pragma once

#include <ashlar/plan/choose/fuse_statistics_into_map.hpp>

namespace ashlar::inline v0_1::detail {

/// Operations and loads beyond which a stage computes one register at a time. With 32 registers, chains of additions as
/// long as those of a 5 x 5 depthwise convolution would otherwise wait for each other (Zen 4: 1.2 to 1.8 times as fast
/// with g++, 1.6 to 2.2 with clang). With 16 registers g++ spills.
constexpr std::size_t most_operations_side_by_side(const machine& target) { return target.registers < 32 ? 16 : 256; }

/// Operations and loads up to which 16 registers hold the values of four result registers. With AVX2 four take 5% to
/// 25% less time than two (g++; most if rows share an operand). A polynomial of 15 operations reloads its constants and
/// takes 7% more.
inline constexpr std::size_t most_operations_of_four = 8;

/// Facts about a map, found from its top down through elementwise nodes.
struct map_facts {
    bool cheap = true;    // few operations for each element: several elements make one block of code
    bool shares = false;  // rows read the same elements
    std::size_t operations = 0;

    constexpr void add(const map_facts& o) {
        cheap = cheap && o.cheap;
        shares = shares || o.shares;
        operations += o.operations;
    }
};

constexpr map_facts facts_of_map(const plan_context& c, const plan_stage& s, node_index n) {
    const graph_node& g = c.at(n);
    const bool factors = c.read_of(s, n).factors != no_buffer;
    map_facts out{.operations = 1};
    if (g.kind == node_kind::scalar) {
        out.operations = 0;
    } else if ((g.kind == node_kind::array || c.read_of(s, n).values != no_buffer) && !factors) {
        out.shares = g.size() != c.at(s.top).size();
    } else if ((g.kind == node_kind::softmax || g.kind == node_kind::standardize) && factors) {
        out.operations = 2;
        if (g.kind == node_kind::standardize || g.variant != static_cast<std::uint8_t>(softmax_kind::plain))
            out.add(facts_of_map(c, s, g.operands[0]));
        else
            out.cheap = g.masked == no_node;
    } else if (g.kind == node_kind::map) {
        out.cheap = g.one_instruction;
        for (std::size_t i = 0; i < g.operand_count; ++i) out.add(facts_of_map(c, s, g.operands[i]));
    } else if (g.kind == node_kind::let || g.kind == node_kind::let_value) {
        return facts_of_map(c, s, g.same_as);
    } else if (g.kind == node_kind::store) {
        return facts_of_map(c, s, g.operands[0]);
    } else {
        out.cheap = is_index_map(g.kind) && c.memory_of(s).holder(n) != no_node;
        out.shares = out.cheap;
    }
    return out;
}

/// Registers that are computed before the first one is stored. The compiler must assume that a store changes what is
/// loaded after it.
constexpr std::size_t registers_side_by_side(const map_facts& found, const machine& target) {
    if (!found.cheap || found.operations > most_operations_side_by_side(target) || target.registers < 16 ||
        target.single_issue)
        return 1;
    return target.registers < 32 && found.operations > most_operations_of_four ? 2 : 4;
}

/// Whether node n reads only memory that is contiguous in the order in which the stage writes.
constexpr bool is_flat(const plan_context& c, const plan_stage& s, node_index n) {
    const graph_node &g = c.at(n), &top = c.at(s.top);
    if (g.kind == node_kind::scalar) return true;
    if (g.kind == node_kind::array) {
        std::ptrdiff_t step = 1;
        for (std::size_t a = g.rank; a-- > 0;) {
            if (g.extents[a] != 1 && g.strides[a] != step) return false;
            step *= static_cast<std::ptrdiff_t>(g.extents[a]);
        }
        return g.rank != 0 && g.size() == top.size() && g.extents[g.rank - 1u] == c.columns_of(s);
    }
    if (g.kind != node_kind::map || c.read_of(s, n).values != no_buffer || g.size() != top.size()) return false;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (!is_flat(c, s, g.operands[i])) return false;
    return true;
}

/// Whether everything read and written is contiguous in the same order.
constexpr bool is_contiguous(const plan_context& c, const plan_stage& s, std::size_t rows) {
    const std::size_t columns = c.columns_of(s);
    // A destination may be transposed or reversed: its columns may be the first axis, or run backwards.
    if (s.buffer != no_buffer || s.lanes == lane_axis::rows || c.written_stride(s, s.column_axis) != 1) return false;
    if (rows != 1 &&
        (s.row_axis > s.column_axis || c.written_stride(s, s.row_axis) != static_cast<std::ptrdiff_t>(columns)))
        return false;
    return c.at(s.top).size() == rows * columns && is_flat(c, s, s.top);
}

/// Whether all rows are contiguous and do not end at a register boundary. One line then needs fewer registers.
constexpr bool is_one_line(const plan_context& c, const plan_stage& s, std::size_t rows) {
    const std::size_t columns = c.columns_of(s);
    return rows > 1 && columns > 1 && columns % c.width_of(s) != 0 && is_contiguous(c, s, rows);
}

/// Whether the stage reads or writes f16 or bf16.
constexpr bool converts(const plan_context& c, const plan_stage& s, node_index memory) {
    return c.at(memory).narrow || (s.store != no_node && c.at(s.store).narrow);
}

/// Whether the stage only transposes memory: rows to lanes, or back.
constexpr bool is_transposing_copy(const plan_context& c, const plan_stage& s) {
    const node_index memory = c.memory_of(s).holder(s.top);
    const graph_node& top = c.at(s.top);
    if (memory == no_node || s.row_axis == no_axis || s.column_axis == no_axis) return false;
    if (c.at(memory).kind == node_kind::softmax || top.scalar == scalar_kind::boolean || converts(c, s, memory) ||
        c.target.lanes(top.element_bytes) != c.width_of(s))
        return false;
    std::array<bool, max_rank> fixed{};
    for (std::size_t a = 0; a < top.rank; ++a) fixed[a] = a != s.row_axis && a != s.column_axis;
    const stride_result from = c.memory_of(s).strides(s.top, fixed);
    if (!from.affine) return false;
    const std::ptrdiff_t row = from.strides[s.row_axis], column = from.strides[s.column_axis];
    // Kernels take positive strides only.
    if (c.written_stride(s, s.row_axis) < 0 || c.written_stride(s, s.column_axis) < 0) return false;
    return s.lanes == lane_axis::rows ? column == 1 && c.written_stride(s, s.row_axis) == 1 && row > 1
                                      : row == 1 && c.written_stride(s, s.column_axis) == 1 && column > 1;
}

/// Operands of a node, as far as stores past the caches depend on them.
struct streamed_operands {
    bool lie_in_order = true;  // lanes that begin anywhere are found in one piece, or are all the same
    std::size_t bytes = 0;     // of all arrays
};
constexpr streamed_operands operands_of_stream(const plan_context& c, const plan_stage& s, node_index n) {
    const graph_node& g = c.at(n);
    if (g.kind == node_kind::scalar) return {};
    if (g.kind == node_kind::array) {
        const std::size_t last = g.rank == 0 ? 0 : g.rank - 1u;
        return {g.rank == 0 || g.strides[last] == 1 || g.extents[last] == 1, g.size() * g.element_bytes};
    }
    if (g.kind == node_kind::let || g.kind == node_kind::let_value) return operands_of_stream(c, s, g.same_as);
    streamed_operands out{.lie_in_order = g.kind == node_kind::map};
    for (std::size_t i = 0; out.lie_in_order && i < g.operand_count; ++i) {
        const streamed_operands of = operands_of_stream(c, s, g.operands[i]);
        out = {of.lie_in_order, of.bytes + out.bytes};
    }
    return out;
}

/// Bytes of the result that one run of a stage writes. With fewer bytes, the wait for the last stores would show.
inline constexpr std::size_t least_stream_bytes = 64 * 1024;

/// Whether the program is one stage, which writes whole registers of the result.
constexpr bool writes_registers_of_result(const plan_context& c, const plan_stage& s) {
    const graph_node& top = c.at(s.top);
    const bool floating = top.scalar == scalar_kind::floating;
    return c.plan.stage_count == 1 && s.buffer == no_buffer && s.store == no_node && s.lanes == lane_axis::columns &&
           c.written_stride(s, s.column_axis) == 1 && top.scalar != scalar_kind::boolean && !top.narrows() &&
           c.target.lanes(top.element_bytes) == c.width_of(s) && c.target.fills_register(top.element_bytes, floating);
}

/// Makes a stage store past the caches if most of the result would leave the last cache before anything reads it: such
/// stores do not read the lines that they overwrite. The stage stores one line, or rows with the same offset from a
/// whole register, and moves at least `past_caches` bytes. If the number of rows is known at run time only, few may
/// remain, which stay in the cache.
constexpr void store_past_caches(const plan_context& c, const plan_stage& s, std::size_t rows, map_strategy& how) {
    const graph_node& top = c.at(s.top);
    const std::size_t columns = c.columns_of(s), width = c.width_of(s), least = c.target.bytes_past_caches();
    if (least == 0 || rows * columns * top.element_bytes < least_stream_bytes || !writes_registers_of_result(c, s))
        return;
    for (loop_index l = s.loop; l != no_loop; l = c.plan.loops[l].parent)
        if (c.plan.loops[l].limits.stop()) return;
    const streamed_operands from = operands_of_stream(c, s, s.top);
    if (!from.lie_in_order || top.size() * top.element_bytes + from.bytes < least) return;
    const bool one_line = is_contiguous(c, s, rows);
    const std::ptrdiff_t row = c.written_stride(s, s.row_axis);
    if (one_line || (columns >= 2 * width && (rows == 1 || row % static_cast<std::ptrdiff_t>(width) == 0)))
        how.past_caches = least;
    if (one_line) how.form = map_form::one_line;
}

constexpr map_strategy choose_map(const plan_context& c, const plan_stage& s, std::size_t tile) {
    const map_facts found = facts_of_map(c, s, s.top);
    map_strategy how;
    how.registers = static_cast<std::uint8_t>(registers_side_by_side(found, c.target));
    how.rows = found.shares ? how.registers : std::uint8_t{1};
    how.normalised = normalised_by(c, s, s.top);
    if (is_one_line(c, s, c.rows_of(s, tile)))
        how.form = map_form::one_line;
    else if (is_transposing_copy(c, s))
        how.form = map_form::transposing_copy;
    else if (s.lanes == lane_axis::rows)
        how.form = map_form::rows_in_lanes;
    if (how.form != map_form::transposing_copy) store_past_caches(c, s, c.rows_of(s, tile), how);
    return how;
}

}  // namespace ashlar::detail
