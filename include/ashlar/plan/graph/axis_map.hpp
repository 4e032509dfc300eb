// SPDX-License-Identifier: BSL-1.0
// How the axes of a node map to the axes of its operands: which are carried, which are needed whole, which strides
// follow.
#pragma once

#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::inline v0_1::detail {

/// For each axis of a node: the loop that gives its index, or whole.
using binding_list = std::array<loop_index, max_rank>;
inline constexpr loop_index whole_axis = no_loop;

/// For each axis of a node: an axis of another one, or no_axis.
using axis_map = std::array<std::size_t, max_rank>;

/// Lists without information on any axis.
template <auto Index>
inline constexpr auto list_of = [] {
    std::array<std::remove_const_t<decltype(Index)>, max_rank> list{};
    list.fill(Index);
    return list;
}();
inline constexpr binding_list all_whole = list_of<whole_axis>;
inline constexpr axis_map no_axes = list_of<no_axis>;
constexpr const binding_list& nothing_like(const binding_list&) { return all_whole; }
constexpr const axis_map& nothing_like(const axis_map&) { return no_axes; }

/// The map of an axis to itself.
inline constexpr axis_map same_axes = {0, 1, 2, 3, 4, 5, 6, 7};
static_assert(same_axes.back() == max_rank - 1);

/// The map of a node that moves elements.
constexpr index_map map_of(const graph_node& n, const graph_node& operand) {
    return make_index_map(n.kind, {n.axis, n.step, n.dilation, n.permutation}, n, operand);
}

/// The only one of some neighbouring axes with more than one entry; rank if there is not exactly one.
constexpr std::size_t only_axis(const graph_node& n, std::size_t first, std::size_t last) {
    std::size_t found = n.rank, seen = 0;
    for (std::size_t a = first; a < last; ++a)
        if (n.extents[a] != 1) {
            found = a;
            ++seen;
        }
    return seen == 1 ? found : n.rank;
}

/// The axes of the node and of the operand that have the same index along a piece; no_axis if there are none.
struct carried_axis {
    std::size_t axis = no_axis, operand_axis = no_axis;
};
constexpr carried_axis carried_along(const index_piece& piece, const graph_node& n, const graph_node& operand) {
    if (n.kind == node_kind::reshape) {
        const std::size_t r = only_axis(n, piece.first, piece.last);
        const std::size_t o = only_axis(operand, piece.operand_first, piece.operand_last);
        return r < n.rank && o < operand.rank ? carried_axis{r, o} : carried_axis{};
    }
    const bool moves = !piece.is_affine() || (piece.step != 1 && piece.step != 0);
    if (moves || n.extents[piece.first] != operand.extents[piece.operand_first]) return {};
    return {piece.first, piece.operand_first};
}

/// The number of a matrix function's axes before those of its results.
constexpr std::size_t batch_rank(const graph_node& n) {
    return n.variant == static_cast<std::uint8_t>(matrix_kind::determinant) ? n.rank : n.rank - 2u;
}

/// For each axis of operand `slot`: the axis of the node with the same index, or no_axis.
constexpr axis_map carried_axes(const graph_node& n, const graph_node& operand, std::size_t slot) {
    axis_map from = no_axes;
    const std::size_t shift = n.rank >= operand.rank ? n.rank - operand.rank : 0;
    if (is_index_map(n.kind)) {
        for (const index_piece& piece : map_of(n, operand))
            if (const carried_axis carried = carried_along(piece, n, operand); carried.axis != no_axis)
                from[carried.operand_axis] = carried.axis;
        return from;
    }
    const auto align = [&](std::size_t last) {
        for (std::size_t a = 0; a < last; ++a)
            if (operand.extents[a] == n.extents[a + shift]) from[a] = a + shift;
    };
    switch (n.kind) {
    case node_kind::concat:
        align(n.rank);
        from[n.axis] = no_axis;
        break;
    case node_kind::take: {
        if (slot == 0) {
            for (std::size_t a = 0; a < n.axis; ++a) from[a] = a;
            for (std::size_t a = n.axis + 1; a < operand.rank; ++a) from[a] = a + n.rank - operand.rank;
        } else {
            for (std::size_t a = 0; a < operand.rank; ++a) from[a] = n.axis + a;
        }
        break;
    }
    case node_kind::matmul: {
        align(operand.rank - 2u);
        if (slot == 0)
            from[operand.rank - 2u] = n.rank - 2u;
        else
            from[operand.rank - 1u] = n.rank - 1u;
        break;
    }
    case node_kind::matrix: {
        const std::size_t batch = batch_rank(n), own = operand.rank - 2u;
        for (std::size_t a = 0; a < own; ++a)
            if (operand.extents[a] == n.extents[a + batch - own]) from[a] = a + batch - own;
        break;
    }
    case node_kind::reduce:
        for (std::size_t a = 0; a < operand.rank; ++a)
            if (a != n.axis) from[a] = operand.rank == n.rank || a < n.axis ? a : a - 1;
        break;
    case node_kind::softmax:
    case node_kind::standardize:
        align(n.rank);
        from[n.axis] = no_axis;
        break;
    default: align(operand.rank); break;
    }
    return from;
}

/// The bindings of an operand, or its axis map, derived from those of the node.
template <class List>
constexpr List operand_bindings(const graph_node& n, const graph_node& operand, std::size_t slot,
                                const List& bindings) {
    const axis_map from = carried_axes(n, operand, slot);
    List out = nothing_like(bindings);
    for (std::size_t a = 0; a < operand.rank; ++a)
        if (from[a] != no_axis) out[a] = bindings[from[a]];
    return out;
}

/// For each axis of an operand: whether it has the index of an axis of the node in `fixed`.
constexpr std::array<bool, max_rank> operand_fixed(const graph_node& n, const graph_node& operand, std::size_t slot,
                                                   const std::array<bool, max_rank>& fixed) {
    const axis_map from = carried_axes(n, operand, slot);
    std::array<bool, max_rank> out{};
    for (std::size_t a = 0; a < operand.rank; ++a) out[a] = from[a] != no_axis && fixed[from[a]];
    return out;
}

/// Strides of a node's axes, if they are constants.
struct stride_result {
    axis_list strides{};
    bool affine = true;
};

/// Strides of the axes of one side of a piece of a reshape, given those of the other side: `to` and `from` are its
/// nodes, [to_first, to_last) and [from_first, from_last) its axes there. Axes of `to` in `fixed` may get any stride:
/// their offset is computed from coordinates.
constexpr void reshape_strides(stride_result& out, const graph_node& to, std::size_t to_first, std::size_t to_last,
                               const graph_node& from, std::size_t from_first, std::size_t from_last,
                               const axis_list& strides, const std::array<bool, max_rank>& fixed) {
    std::ptrdiff_t unit = 0, expected = 0;
    bool merges = true, seen = false;
    for (std::size_t a = from_last; a-- > from_first;) {
        if (from.extents[a] == 1) continue;
        if (!seen) {
            unit = strides[a];
            seen = true;
        } else if (strides[a] != expected) {
            merges = false;
        }
        expected = strides[a] * static_cast<std::ptrdiff_t>(from.extents[a]);
    }
    std::ptrdiff_t step = unit;
    for (std::size_t a = to_last; a-- > to_first;) {
        out.strides[a] = to.extents[a] == 1 ? 0 : step;
        if (to.extents[a] != 1 && !fixed[a] && !merges) {
            // The innermost axes may be part of the last axis of the other side.
            std::size_t inner = from_last;
            while (inner > from_first && from.extents[inner - 1] == 1) --inner;
            const std::size_t span = inner > from_first ? from.extents[inner - 1] : 1;
            std::size_t here = 1;
            for (std::size_t b = a; b < to_last; ++b) here *= to.extents[b];
            if (span % here != 0) out.affine = false;
        }
        step *= static_cast<std::ptrdiff_t>(to.extents[a]);
    }
}

/// Strides of an index map's result from those of its operand.
constexpr stride_result lift_strides(const graph_node& n, const graph_node& operand, const axis_list& strides,
                                     const std::array<bool, max_rank>& fixed) {
    stride_result out;
    for (const index_piece& piece : map_of(n, operand)) {
        if (n.kind == node_kind::reshape) {
            reshape_strides(out, n, piece.first, piece.last, operand, piece.operand_first, piece.operand_last, strides,
                            fixed);
            continue;
        }
        const bool stays = piece.divisor != 1 && n.extents[piece.first] == piece.divisor;
        out.strides[piece.first] = stays ? 0 : strides[piece.operand_first] * piece.step;
        if (!stays && !piece.is_affine() && !fixed[piece.first]) out.affine = false;
    }
    return out;
}

/// Strides of a bijective index map's operand from those of its result; not affine if the map has no inverse or
/// reverses an axis.
constexpr stride_result lower_strides(const graph_node& n, const graph_node& operand, const axis_list& strides,
                                      const binding_list& bindings) {
    stride_result out;
    out.affine = false;
    if (!is_index_map(n.kind) || n.kind == node_kind::window || n.size() != operand.size()) return out;
    const binding_list below = operand_bindings(n, operand, 0, bindings);
    for (std::size_t a = 0; a < n.rank; ++a) {
        bool kept = bindings[a] == whole_axis || n.extents[a] == 1;
        for (std::size_t b = 0; b < operand.rank && !kept; ++b) kept = below[b] == bindings[a];
        if (!kept) return out;
    }
    stride_result lowered;
    for (const index_piece& piece : map_of(n, operand)) {
        if (piece.shifted || !piece.is_affine()) return out;
        if (n.kind == node_kind::reshape)
            reshape_strides(lowered, operand, piece.operand_first, piece.operand_last, n, piece.first, piece.last,
                            strides, {});
        else
            lowered.strides[piece.operand_first] = strides[piece.first];
    }
    return lowered;
}

}  // namespace ashlar::detail
