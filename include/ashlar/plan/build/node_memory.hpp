// SPDX-License-Identifier: BSL-1.0
// Where the elements of nodes lie: in arrays or in buffers, behind names, stores and index maps.
#pragma once

#include <ashlar/plan/build/program.hpp>

namespace ashlar::detail {

/// Memory as a stage finds it: `values` says for each node from which buffer it is read, if any. Pointers, so that no
/// template is instantiated for each plan.
struct node_memory {
    const graph_node* nodes;
    const std::int16_t* values;
    const plan_buffer* buffers;

    constexpr const graph_node& at(std::int16_t n) const { return nodes[static_cast<std::size_t>(n)]; }
    /// The buffer from which a node is read, -1 if there is none.
    constexpr std::int16_t buffer_of(std::int16_t n) const { return values[static_cast<std::size_t>(n)]; }
    /// The node behind a name or a store, or behind what only moves elements; -1 if there is none.
    constexpr std::int16_t behind(std::int16_t n) const {
        const graph_node& g = at(n);
        if (g.kind == node_kind::let || g.kind == node_kind::let_value) return g.same_as;
        return g.kind == node_kind::store || is_index_map(g.kind) ? g.operands[0] : std::int16_t{-1};
    }

    /// The node in whose memory the elements of n lie; -1 if they are computed.
    constexpr std::int16_t holder(std::int16_t n) const {
        for (; n != -1; n = behind(n)) {
            if (const std::int16_t b = buffer_of(n); b != -1) {
                const buffer_role role = buffers[static_cast<std::size_t>(b)].role;
                return role == buffer_role::values || role == buffer_role::numerators ? n : std::int16_t{-1};
            }
            if (at(n).kind == node_kind::array) return n;
        }
        return -1;
    }

    /// Strides of n's axes in that memory, where there are any. Axes for which `fixed` holds may get any, as their
    /// offset is computed from coordinates.
    constexpr stride_result strides(std::int16_t n, const std::array<bool, max_rank>& fixed) const {
        const graph_node& g = at(n);
        if (const std::int16_t b = buffer_of(n); b != -1) return {buffers[static_cast<std::size_t>(b)].strides, true};
        if (g.kind == node_kind::array) return {g.strides, true};
        const std::int16_t below = behind(n);
        if (below == -1) return {{}, false};
        if (!is_index_map(g.kind)) return strides(below, fixed);
        const stride_result under = strides(below, operand_fixed(g, at(below), 0, fixed));
        stride_result out = lift_strides(g, at(below), under.strides, fixed);
        out.affine = out.affine && under.affine;
        return out;
    }
};

}  // namespace ashlar::detail
