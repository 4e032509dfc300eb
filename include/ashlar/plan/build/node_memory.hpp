// SPDX-License-Identifier: BSL-1.0
// Where the elements of nodes are: in arrays or in buffers, through names, stores and index maps.
#pragma once

#include <ashlar/plan/build/program.hpp>

namespace ashlar::inline v0_1::detail {

/// Memory from the view of a stage: `reads` gives for each node the buffer that it is read from, if any. Without
/// buffers there are only arrays, and no reads. With -fsanitize=undefined g++ compares no address with null in a
/// constant expression.
struct node_memory {
    const graph_node* nodes;
    const node_read* reads;
    const plan_buffer* buffers;
    bool has_buffers = true;

    constexpr const graph_node& at(node_index n) const { return nodes[n]; }
    /// The buffer from which a node is read; no_buffer if there is none.
    constexpr buffer_index buffer_of(node_index n) const { return has_buffers ? reads[n].values : no_buffer; }
    /// The node that a name, a store or an index map passes on; no_node if there is none.
    constexpr node_index behind(node_index n) const {
        const graph_node& g = at(n);
        if (g.kind == node_kind::let || g.kind == node_kind::let_value) return g.same_as;
        return g.kind == node_kind::store || is_index_map(g.kind) ? g.operands[0] : no_node;
    }

    /// The node whose memory holds the elements of n; no_node if they are computed.
    constexpr node_index holder(node_index n) const {
        for (; n != no_node; n = behind(n)) {
            if (const buffer_index b = buffer_of(n); b != no_buffer) {
                const buffer_role role = buffers[b].role;
                return role == buffer_role::values || role == buffer_role::numerators ? n : no_node;
            }
            if (at(n).kind == node_kind::array) return n;
        }
        return no_node;
    }

    /// Bytes of an element that a stage reads of n from memory, if they are fewer than those it computes with.
    constexpr std::uint8_t narrow_bytes_at(node_index n) const {
        const node_index from = holder(n);
        if (from != no_node) return buffer_of(from) == no_buffer ? at(from).narrow : std::uint8_t{0};
        while (behind(n) != no_node && !is_index_map(at(n).kind)) n = behind(n);
        return at(n).kind == node_kind::packed ? at(n).narrow : std::uint8_t{0};
    }

    /// Strides of n's axes in that memory, if it has any. Axes in `fixed` may have any, because their offset is
    /// computed from coordinates.
    constexpr stride_result strides(node_index n, const std::array<bool, max_rank>& fixed) const {
        const graph_node& g = at(n);
        if (const buffer_index b = buffer_of(n); b != no_buffer) return {buffers[b].strides, true};
        if (g.kind == node_kind::array) return {g.strides, true};
        const node_index below = behind(n);
        if (below == no_node) return {{}, false};
        if (!is_index_map(g.kind)) return strides(below, fixed);
        const stride_result under = strides(below, operand_fixed(g, at(below), 0, fixed));
        stride_result out = lift_strides(g, at(below), under.strides, fixed);
        out.affine = out.affine && under.affine;
        return out;
    }
};

}  // namespace ashlar::detail
