// SPDX-License-Identifier: BSL-1.0
// Conditional loads: a stage does not load a register if a condition or mask excludes all its elements. Its memory may
// have no pages yet, and a masked load from an absent page takes hundreds of cycles.
#pragma once

#include <ashlar/plan/build/node_memory.hpp>
#include <ashlar/plan/build/program.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether a node reads arrays, not scratch.
constexpr bool reads_arrays(const node_memory& memory, node_index n) {
    const graph_node& g = memory.at(n);
    if (memory.buffer_of(n) != no_buffer) return false;
    if (g.kind == node_kind::let || g.kind == node_kind::let_value) return reads_arrays(memory, g.same_as);
    if (g.kind == node_kind::array || g.kind == node_kind::packed) return true;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (reads_arrays(memory, g.operands[i])) return true;
    return false;
}

/// Whether a condition is known without reading its alternatives, but only at run time: from masks, coordinates, bools,
/// and integers that are not the alternatives themselves. A static mask excludes the same elements in all calls.
constexpr bool is_known_before(const node_memory& memory, node_index n, const graph_node& chosen) {
    const graph_node& g = memory.at(n);
    if (memory.buffer_of(n) != no_buffer) return false;
    if (g.kind == node_kind::let || g.kind == node_kind::let_value) return is_known_before(memory, g.same_as, chosen);
    if (g.kind == node_kind::mask) return !g.static_mask;
    if (g.kind == node_kind::index || g.kind == node_kind::scalar) return true;
    if (g.kind == node_kind::array)
        return g.scalar == scalar_kind::boolean ||
               (g.scalar == scalar_kind::integer && chosen.scalar != scalar_kind::integer);
    if (g.kind != node_kind::map && !is_index_map(g.kind)) return false;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (!is_known_before(memory, g.operands[i], chosen)) return false;
    return true;
}

/// Whether such registers of a node's operand are skipped: of an alternative of `where`, or of what is masked. Outside
/// of folds a branch for each register would cost more than a select; a branch for each row does not.
constexpr bool loads_conditionally(const node_memory& memory, bool folds, node_index n, std::size_t operand) {
    const graph_node& g = memory.at(n);
    if (g.kind == node_kind::masked)
        return folds && operand == 0 && !g.static_mask && reads_arrays(memory, g.operands[0]);
    if (!g.chooses || operand == 0 || !reads_arrays(memory, g.operands[operand])) return false;
    const graph_node& condition = memory.at(g.operands[0]);
    const bool is_of_rows = condition.rank != 0 && condition.extents[condition.rank - 1u] == 1;
    return (folds || (is_of_rows && condition.size() > 1)) && is_known_before(memory, g.operands[0], g);
}

constexpr bool folds_rows(const plan_stage& s) { return s.kind != stage_kind::product && s.kind != stage_kind::map; }

/// Whether any node of a stage has such operands. Products get the keys that a mask keeps block by block.
constexpr bool loads_conditionally(const node_memory& memory, const plan_stage& s, node_index n) {
    if (s.kind == stage_kind::product || memory.buffer_of(n) != no_buffer) return false;
    const graph_node& g = memory.at(n);
    if (g.kind == node_kind::let || g.kind == node_kind::let_value) return loads_conditionally(memory, s, g.same_as);
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (loads_conditionally(memory, folds_rows(s), n, i) || loads_conditionally(memory, s, g.operands[i]))
            return true;
    return false;
}

}  // namespace ashlar::detail
