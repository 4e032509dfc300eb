// SPDX-License-Identifier: BSL-1.0
// A product stage over the rows of a tile, as its kernels ask about it, and what most kernels answer.
#pragma once

#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::inline v0_1::detail {

struct product_query {
    const plan_context& c;
    const plan_stage& s;
    std::size_t rows;
    const product_facts& product = s.facts;
    element_machine on = elements_of(c, s);
    bool masked = product.masked != no_node;

    /// Bytes of all arrays that the expression reads.
    constexpr std::size_t bytes_read() const {
        std::size_t bytes = 0;
        for (std::size_t n = 0; n < c.plan.node_count; ++n)
            if (c.nodes[n].kind == node_kind::array || c.nodes[n].kind == node_kind::packed)
                bytes += c.nodes[n].memory_bytes();
        return bytes;
    }
    constexpr bool beyond_l2() const { return bytes_read() > c.target.l2_bytes; }
    /// With columns in lanes, sums may wait in the result for their epilogue or for the rest of the depth. Nothing else
    /// reads or writes there, because a result that overlaps an operand is written through a copy.
    constexpr bool sums_wait() const {
        return c.same_elements(s.top, s.core) && c.written_stride(s, s.column_axis) == 1 && !masked && !product.waits;
    }
    /// Whether columns are whole registers in lanes, and each sum is of the whole depth.
    constexpr bool has_plain_columns() const {
        return s.lanes == lane_axis::columns && product.has_whole_depth() && !product.waits &&
               product.columns % product.width == 0;
    }
    /// Their register blocks, without regard to masks.
    constexpr register_block plain_block() const {
        return choose_register_block(rows, product.columns / product.width, product.depth, c.target);
    }
    constexpr product_cut cut_of(const product_shape& shape, const product_strategy& how) const {
        return choose_cut(shape, on,
                          {.whole_depth = product.has_whole_depth(),
                           .packs = !product.right_is_narrow,
                           .from_zero = !product.waits && how.k_parts <= 1,
                           .splits = how.edge == mask_edge::registers && product.skips,
                           .streamed = how.streamed && s.lanes == lane_axis::columns,
                           .granule = how.granule});
    }
    constexpr product_cut cut_of_columns(std::size_t columns, std::size_t distance, const product_strategy& how) const {
        return cut_of(shape_of_columns(product, rows, columns, distance, how.group), how);
    }
};

/// The products of `product`, with rows or columns in lanes, and what other kernels have in common with them.
struct plain_product {
    /// Chooses the register blocks.
    static constexpr void cut(const product_query& q, product_strategy& how) {
        how.cut = q.s.lanes == lane_axis::rows
                      ? q.cut_of(shape_of_rows(q.product, q.rows), how)
                      : q.cut_of_columns(q.product.columns, static_cast<std::size_t>(q.product.right_depth), how);
    }
    /// Bytes of scratch, and what it holds; null if that is packed on the way.
    static constexpr std::size_t table_bytes(const product_query& q, const product_strategy& how) {
        return table_bytes_of(how.cut, q.product.depth, q.on);
    }
    static constexpr const char* table_text(const product_facts&, const product_strategy&) { return nullptr; }
    /// The sentence for `explain`, if there is one.
    static constexpr bool has_text = false;
    static constexpr void put_text(auto&, const product_facts&, const product_strategy&) {}
};

}  // namespace ashlar::detail
