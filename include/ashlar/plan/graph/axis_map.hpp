// SPDX-License-Identifier: BSL-1.0
// How the axes of a node map to the axes of its operands: what is carried, what is needed whole, which strides follow.
#pragma once

#include <ashlar/plan/graph/graph.hpp>

namespace ashlar::detail {

/// For each axis of a node: the loop whose index it is, or whole.
using binding_list = std::array<std::int16_t, max_rank>;
inline constexpr std::int16_t whole_axis = -1;

inline constexpr binding_list all_whole = [] {
    binding_list b{};
    b.fill(whole_axis);
    return b;
}();

/// Axes [result_first, result_last) of a reshape's result hold the same elements as axes [operand_first,
/// operand_last) of its operand.
struct reshape_group {
    std::size_t result_first, result_last, operand_first, operand_last;
};

struct reshape_groups {
    std::array<reshape_group, max_rank + 1> group{};
    std::size_t count = 0;
};

/// The finest groups of axes whose extents align.
constexpr reshape_groups align_reshape(const graph_node& result, const graph_node& operand) {
    reshape_groups out;
    std::size_t r = 0, o = 0;
    while (r < result.rank || o < operand.rank) {
        reshape_group g{r, r, o, o};
        std::size_t rp = 1, op_ = 1;
        if (r < result.rank) rp *= result.extents[r++];
        if (o < operand.rank) op_ *= operand.extents[o++];
        while (rp != op_) {
            if (rp < op_)
                rp *= result.extents[r++];
            else
                op_ *= operand.extents[o++];
        }
        g.result_last = r;
        g.operand_last = o;
        out.group[out.count++] = g;
    }
    return out;
}

/// The axis of a group that has more than one entry; rank if there is not exactly one.
constexpr std::size_t only_axis(const graph_node& n, std::size_t first, std::size_t last) {
    std::size_t found = n.rank, seen = 0;
    for (std::size_t a = first; a < last; ++a)
        if (n.extents[a] != 1) {
            found = a;
            ++seen;
        }
    return seen == 1 ? found : n.rank;
}

/// A node that only says where its operand's elements are.
constexpr bool is_index_map(node_kind kind) {
    return kind == node_kind::permute || kind == node_kind::reshape || kind == node_kind::slice ||
           kind == node_kind::broadcast || kind == node_kind::repeat || kind == node_kind::roll;
}

/// For each axis of operand `slot`: the axis of the node whose index it takes unchanged, or -1.
constexpr binding_list carried_axes(const graph_node& n, const graph_node& operand, std::size_t slot) {
    binding_list from = all_whole;
    const std::size_t shift = n.rank >= operand.rank ? n.rank - operand.rank : 0;
    const auto align = [&](std::size_t last) {
        for (std::size_t a = 0; a < last; ++a)
            if (operand.extents[a] == n.extents[a + shift]) from[a] = static_cast<std::int16_t>(a + shift);
    };
    switch (n.kind) {
    case node_kind::permute:
        for (std::size_t i = 0; i < n.rank; ++i)
            from[static_cast<std::size_t>(n.permutation[i])] = static_cast<std::int16_t>(i);
        break;
    case node_kind::reshape: {
        const reshape_groups groups = align_reshape(n, operand);
        for (std::size_t g = 0; g < groups.count; ++g) {
            const reshape_group& group = groups.group[g];
            const std::size_t r = only_axis(n, group.result_first, group.result_last);
            const std::size_t o = only_axis(operand, group.operand_first, group.operand_last);
            if (r < n.rank && o < operand.rank) from[o] = static_cast<std::int16_t>(r);
        }
        break;
    }
    case node_kind::slice:
        align(n.rank);
        if (n.step != 1) from[n.axis] = whole_axis;
        break;
    case node_kind::repeat:
        align(n.rank);
        if (n.step != 1) from[n.axis] = whole_axis;
        break;
    case node_kind::roll:
    case node_kind::concat:
        align(n.rank);
        from[n.axis] = whole_axis;
        break;
    case node_kind::take: {
        if (slot == 0) {
            for (std::size_t a = 0; a < n.axis; ++a) from[a] = static_cast<std::int16_t>(a);
            for (std::size_t a = n.axis + 1; a < operand.rank; ++a)
                from[a] = static_cast<std::int16_t>(a + n.rank - operand.rank);
        } else {
            for (std::size_t a = 0; a < operand.rank; ++a) from[a] = static_cast<std::int16_t>(n.axis + a);
        }
        break;
    }
    case node_kind::matmul: {
        align(operand.rank - 2u);
        if (slot == 0)
            from[operand.rank - 2u] = static_cast<std::int16_t>(n.rank - 2);
        else
            from[operand.rank - 1u] = static_cast<std::int16_t>(n.rank - 1);
        break;
    }
    case node_kind::reduce:
        for (std::size_t a = 0; a < operand.rank; ++a)
            if (a != n.axis) from[a] = static_cast<std::int16_t>(operand.rank == n.rank || a < n.axis ? a : a - 1);
        break;
    case node_kind::softmax:
    case node_kind::standardize:
        align(n.rank);
        from[n.axis] = whole_axis;
        break;
    default: align(operand.rank); break;
    }
    return from;
}

/// The bindings of an operand that follow from those of the node.
constexpr binding_list operand_bindings(const graph_node& n, const graph_node& operand, std::size_t slot,
                                        const binding_list& bindings) {
    const binding_list from = carried_axes(n, operand, slot);
    binding_list out = all_whole;
    for (std::size_t a = 0; a < operand.rank; ++a)
        if (from[a] != whole_axis) out[a] = bindings[static_cast<std::size_t>(from[a])];
    return out;
}

/// For each axis of an operand: whether it takes the index of an axis of the node for which `fixed` holds.
constexpr std::array<bool, max_rank> operand_fixed(const graph_node& n, const graph_node& operand, std::size_t slot,
                                                   const std::array<bool, max_rank>& fixed) {
    const binding_list from = carried_axes(n, operand, slot);
    std::array<bool, max_rank> out{};
    for (std::size_t a = 0; a < operand.rank; ++a)
        out[a] = from[a] != whole_axis && fixed[static_cast<std::size_t>(from[a])];
    return out;
}

/// Strides of a node's axes, where they exist as constants.
struct stride_result {
    axis_list strides{};
    bool affine = true;
};

/// Strides of the axes `to` of one side of a reshape, given those of the other side. Axes of `to` for which
/// `fixed` holds may get any stride: their offset is computed from coordinates.
constexpr stride_result reshape_strides(const graph_node& to, const graph_node& from, const axis_list& strides,
                                        bool to_is_result, const std::array<bool, max_rank>& fixed) {
    stride_result out;
    const reshape_groups groups = to_is_result ? align_reshape(to, from) : align_reshape(from, to);
    for (std::size_t g = 0; g < groups.count; ++g) {
        const reshape_group& group = groups.group[g];
        const std::size_t to_first = to_is_result ? group.result_first : group.operand_first;
        const std::size_t to_last = to_is_result ? group.result_last : group.operand_last;
        const std::size_t from_first = to_is_result ? group.operand_first : group.result_first;
        const std::size_t from_last = to_is_result ? group.operand_last : group.result_last;
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
                // The innermost axes may still lie inside the last axis of the other side.
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
    return out;
}

/// Strides of an index map's result from those of its operand.
constexpr stride_result lift_strides(const graph_node& n, const graph_node& operand, const axis_list& strides,
                                     const std::array<bool, max_rank>& fixed) {
    stride_result out;
    const std::size_t shift = n.rank >= operand.rank ? n.rank - operand.rank : 0;
    switch (n.kind) {
    case node_kind::permute:
        for (std::size_t i = 0; i < n.rank; ++i) out.strides[i] = strides[static_cast<std::size_t>(n.permutation[i])];
        break;
    case node_kind::reshape: return reshape_strides(n, operand, strides, true, fixed);
    case node_kind::slice:
        out.strides = strides;
        out.strides[n.axis] *= n.step;
        break;
    case node_kind::repeat:
        out.strides = strides;
        if (n.step != 1 && n.extents[n.axis] != static_cast<std::size_t>(n.step)) {
            if (!fixed[n.axis]) out.affine = false;
        } else if (n.step != 1) {
            out.strides[n.axis] = 0;
        }
        break;
    case node_kind::roll:
        out.strides = strides;
        out.affine = fixed[n.axis];
        break;
    default:
        for (std::size_t a = 0; a < operand.rank; ++a)
            out.strides[a + shift] = operand.extents[a] == 1 ? 0 : strides[a];
        break;
    }
    return out;
}

/// Strides of a bijective index map's operand from those of its result; not affine where the map has no inverse.
constexpr stride_result lower_strides(const graph_node& n, const graph_node& operand, const axis_list& strides,
                                      const binding_list& bindings) {
    stride_result out;
    out.affine = false;
    std::array<bool, max_rank> fixed{};
    switch (n.kind) {
    case node_kind::permute:
        for (std::size_t i = 0; i < n.rank; ++i) out.strides[static_cast<std::size_t>(n.permutation[i])] = strides[i];
        out.affine = true;
        break;
    case node_kind::reshape: {
        const binding_list below = operand_bindings(n, operand, 0, bindings);
        for (std::size_t a = 0; a < n.rank; ++a) {
            bool kept = bindings[a] == whole_axis || n.extents[a] == 1;
            for (std::size_t b = 0; b < operand.rank && !kept; ++b) kept = below[b] == bindings[a];
            if (!kept) return out;
        }
        return reshape_strides(operand, n, strides, false, fixed);
    }
    case node_kind::broadcast: {
        if (n.size() != operand.size()) return out;
        for (std::size_t a = 0; a < operand.rank; ++a) out.strides[a] = strides[a + n.rank - operand.rank];
        out.affine = true;
        break;
    }
    default: break;
    }
    return out;
}

}  // namespace ashlar::detail
