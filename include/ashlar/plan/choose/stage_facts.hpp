// SPDX-License-Identifier: BSL-1.0
// Facts about products, softmaxes and other statistics of rows that decisions depend on: strides, extents, layouts.
#pragma once

#include <bit>

#include <ashlar/kernel/product/int4_shape.hpp>
#include <ashlar/kernel/product/product_cut.hpp>
#include <ashlar/kernel/product/quantized_shape.hpp>
#include <ashlar/plan/choose/plan_context.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether the operations on a product's values up to node n do not depend on their position.
constexpr bool is_uniform(const plan_context& c, const plan_stage& s, node_index n) {
    const graph_node& g = c.at(n);
    if (n == s.core || g.kind == node_kind::scalar) return true;
    if (c.read_of(s, n).values != no_buffer) return false;
    if (g.kind == node_kind::let || g.kind == node_kind::let_value) return is_uniform(c, s, g.same_as);
    if (g.kind != node_kind::map) return false;
    for (std::size_t i = 0; i < g.operand_count; ++i)
        if (!is_uniform(c, s, g.operands[i])) return false;
    return true;
}

/// Whether the axes that a stage writes are the last ones of its space.
constexpr bool is_plain_chain(const plan_context& c, const plan_stage& s) {
    const graph_node &top = c.at(s.top), &space = c.at(s.space);
    for (std::size_t t = 0; t < top.rank; ++t)
        if (top.extents[t] != 1 && s.top_axes[t] != t + space.rank - top.rank) return false;
    return top.rank >= 2;
}

/// Whether all values of a node are values of bf16: rounded to it, or read from such memory, perhaps moved.
constexpr bool holds_bf16(const plan_context& c, node_index n) {
    n = c.resolve(n);
    return c.at(n).brain || (is_index_map(c.at(n).kind) && holds_bf16(c, c.at(n).operands[0]));
}

/// The parts of a joined left operand that are read where they lie; otherwise 1.
constexpr std::size_t pieces_of_left(const plan_context& c, const plan_stage& s, node_index left) {
    const graph_node& joined = c.at(c.resolve(left));
    return joined.kind == node_kind::concat && c.memory_of(s).holder(left) == no_node ? joined.operand_count : 1;
}

constexpr product_facts find_facts(const plan_context& c, const plan_stage& s) {
    const graph_node& core = c.at(s.core);
    product_facts out{.left = core.operands[0], .right = core.operands[1]};
    const graph_node &left = c.at(out.left), &right = c.at(out.right);
    const auto fixed_of = [](const graph_node& n) {
        std::array<bool, max_rank> fixed{};
        for (std::size_t a = 0; a + 2u < n.rank; ++a) fixed[a] = true;
        return fixed;
    };
    out.depth = left.extents[left.rank - 1u];
    if (s.depth_loop != no_loop) {
        const plan_loop& blocks = c.plan.loops[s.depth_loop];
        out.depth = blocks.tile;
        out.part_of_depth = blocks.extent % blocks.tile != 0;
        out.waits = true;
    }
    out.columns = c.columns_of(s);
    out.width = c.width_of(s);
    out.element_bytes = core.element_bytes;
    out.left_pieces = pieces_of_left(c, s, out.left);
    const node_index lies = out.left_pieces == 1 ? out.left : c.at(c.resolve(out.left)).operands[0];
    const axis_list of_left = c.memory_of(s).strides(lies, fixed_of(left)).strides;
    out.left_row = of_left[left.rank - 2u];
    out.left_depth = of_left[left.rank - 1u];
    if (const graph_node& weights = c.at(c.resolve(out.right)); weights.kind == node_kind::packed) {
        out.right_is_packed = true;
        out.right_panel = weights.panel;
        out.right_is_quantized = weights.quantized;
        if (weights.quantized) out.right_spread = weights.spread;
        out.right_is_int4 = weights.quantized && weights.scale_group != 0;
    }
    const std::uint8_t narrow = c.memory_of(s).narrow_bytes_at(out.right);
    out.right_is_narrow = narrow != 0;
    out.right_bytes = narrow != 0 ? narrow : out.element_bytes;
    out.of_bf16 = out.right_is_narrow && holds_bf16(c, out.left) && holds_bf16(c, out.right);
    if (!out.right_is_packed) {
        std::array<bool, max_rank> fixed = fixed_of(right);
        if (s.column_block != 0) fixed[right.rank - 1u] = true;
        const axis_list of_right = c.memory_of(s).strides(out.right, fixed).strides;
        out.right_depth = of_right[right.rank - 2u];
        out.right_column = of_right[right.rank - 1u];
    }
    const buffer_index of_left_values = c.read_of(s, out.left).values,
                       buffer = of_left_values != no_buffer ? of_left_values : c.read_of(s, c.resolve(out.left)).values;
    out.left_is_padded = buffer != no_buffer && c.plan.buffers[buffer].padded;
    out.ranged = s.support != no_node && s.support != s.top;
    out.begins_apart = out.ranged && c.at(s.support).lower_slope;
    out.excludes = left.excluded == exclusion::zero;
    const node_index top = c.resolve(s.top);
    if (c.at(top).kind == node_kind::masked && c.read_of(s, top).values == no_buffer && is_plain_chain(c, s))
        out.masked = top;
    out.skips = out.masked != no_node && out.masked == s.support;
    out.uniform = is_uniform(c, s, s.top);
    return out;
}

/// Whether a product of few rows has several depth steps, or columns, side by side in a register.
constexpr bool packs_k(const product_facts& product, lane_axis lanes, std::size_t rows) {
    return lanes == lane_axis::rows && !product.right_is_packed && product.left_depth == 1 &&
           product.right_depth == 1 && product.columns > 1 &&
           fits_packed_k(rows, product.columns, product.depth, product.width);
}

/// The element type that a product computes with.
constexpr element_machine elements_of(const plan_context& c, const plan_stage& s) {
    return {c.target, s.facts.element_bytes, c.at(s.core).scalar == scalar_kind::floating};
}

/// Some columns of a product, in lanes. Rows of the right operand are `distance` apart.
constexpr product_shape shape_of_columns(const product_facts& product, std::size_t rows, std::size_t columns,
                                         std::size_t distance, std::size_t group = 1, product_cut cut = {}) {
    const product_shape shape{.i = rows,
                              .j = columns,
                              .k = product.depth,
                              .si = static_cast<std::size_t>(product.left_row),
                              .sk = static_cast<std::size_t>(product.left_depth),
                              .vk = product.depth == 1 ? 1 : distance,
                              .cut = cut};
    return group == 1 ? shape : in_groups(shape, group);
}
/// A product with weights in 8 bits over some rows.
constexpr quantized_shape shape_of_quantized(const product_facts& product, std::size_t rows, product_cut cut = {}) {
    return {rows,
            static_cast<std::size_t>(product.left_row),
            {product.depth, product.columns, product.right_panel, 4, product.right_spread},
            cut,
            product.left_pieces,
            product.depth == 1 ? 1 : static_cast<std::size_t>(product.left_depth)};
}
/// A product with weights of int4 over some rows.
constexpr int4_shape shape_of_int4(const product_facts& product, std::size_t rows, product_cut cut = {}) {
    return {rows, static_cast<std::size_t>(product.left_row), {product.depth, product.columns}, cut};
}
/// All columns of a product with a cut.
constexpr product_shape cut_of_columns(const product_facts& product, std::size_t rows, const product_cut& cut) {
    return shape_of_columns(product, rows, product.columns, static_cast<std::size_t>(product.right_depth), 1, cut);
}
/// The same with its rows in lanes.
constexpr product_shape shape_of_rows(const product_facts& product, std::size_t rows, const product_cut& cut = {}) {
    return {.i = product.columns,
            .j = rows,
            .k = product.depth,
            .si = static_cast<std::size_t>(product.right_column),
            .sk = static_cast<std::size_t>(product.right_depth),
            .vk = product.depth == 1 ? 1 : static_cast<std::size_t>(product.left_depth),
            .padded = product.left_is_padded,
            .vw = product.width == 1 ? static_cast<std::size_t>(product.left_row) : 0,
            .cut = cut};
}

/// The numerators of a softmax stage.
struct softmax_facts {
    std::size_t columns = 0, width = 1, element_bytes = 4;
    bool plain = false;           // not the logarithm of a softmax
    bool is_weighted = false;     // numerators are multiplied by the scales of their columns
    bool in_place = false;        // numerators replace what they are made from, neighbouring rows side by side
    bool whole_lines = false;     // lines of rows end at a full register
    std::ptrdiff_t distance = 0;  // from column to column
    std::size_t bytes = 0;        // of the buffer
};

constexpr softmax_facts facts_of_softmax(const plan_context& c, const plan_stage& s) {
    const graph_node& core = c.at(s.core);
    softmax_facts out{.columns = c.columns_of(s), .width = c.width_of(s), .element_bytes = core.element_bytes};
    out.plain = core.variant == static_cast<std::uint8_t>(softmax_kind::plain);
    out.is_weighted = core.is_weighted;
    if (!out.plain || s.buffer == no_buffer || s.column_axis == no_axis || s.row_axis == no_axis) return out;
    const plan_buffer& numerators = c.plan.buffers[s.buffer];
    const bool rows_follow = numerators.strides[s.row_axis] == 1;
    const buffer_index input = c.read_of(s, c.resolve(s.top)).values;
    out.in_place = s.lanes == lane_axis::rows && rows_follow && input != no_buffer &&
                   numerators.storage == c.plan.buffers[input].storage && c.same_elements(s.top, s.core);
    out.whole_lines = numerators.padded && rows_follow;
    out.distance = numerators.strides[s.column_axis];
    out.bytes = numerators.bytes;
    return out;
}

/// Whether a softmax reads exactly the keys that a mask keeps in each row, not whole groups of keys: with one row in
/// lanes no other row shares a register, and masks whose edge moves from row to row tell its place.
constexpr bool folds_exact_keys(const plan_context& c, const plan_stage& s) {
    return s.kind == stage_kind::softmax && s.support != no_node && s.lanes == lane_axis::rows &&
           (c.width_of(s) == 1 || c.target.single_issue) && c.at(s.support).slopes;
}

/// Whether no stage reads other scores of a product either.
constexpr bool keeps_exact_keys(const plan_context& c, const plan_stage& product) {
    if (!product.facts.skips || product.lanes != lane_axis::rows) return false;
    bool read = false;
    for (std::size_t i = 0; i < c.plan.stage_count; ++i) {
        const plan_stage& s = c.plan.stages[i];
        if (product.buffer == no_buffer || !c.reads(s, product.buffer)) continue;
        if (!folds_exact_keys(c, s)) return false;
        read = true;
    }
    return read;
}

/// Whether few rows are stored in lines shorter than a register and replaced in place: one vector holds several
/// columns.
constexpr bool is_stored_in_groups(const softmax_facts& softmax, std::size_t rows) {
    const std::size_t line = std::bit_ceil(rows);
    return 2 * line <= softmax.width && softmax.in_place && !softmax.is_weighted &&
           softmax.distance == static_cast<std::ptrdiff_t>(line) &&
           softmax.bytes % (softmax.width * softmax.element_bytes) == 0;
}

}  // namespace ashlar::detail
