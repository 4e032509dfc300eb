// SPDX-License-Identifier: BSL-1.0
// Products with packed weights: some panels side by side, run after run.
#pragma once

#include <ashlar/kernel/product/grouped_rows.hpp>
#include <ashlar/kernel/product/panel_epilogue.hpp>
#include <ashlar/kernel/product/product.hpp>
#include <ashlar/plan/choose/product_query.hpp>

namespace ashlar::inline v0_1::detail {

/// Fewer rows than this read weights at the speed of memory, and hardware prefetchers follow their single stream.
inline constexpr std::size_t least_prefetching_rows = 8;

/// Depth steps from which one row reads panels side by side: its streams are long enough.
inline constexpr std::size_t least_depth_of_streams = 1024;

/// Panels of a packed right operand that are read side by side: one register of each, as many as the registers allow.
/// One row reads a single stream, which caches deliver best, unless its streams are long.
constexpr std::size_t panels_side_by_side(const product_query& q, bool streamed) {
    const product_facts& product = q.product;
    if (product.right_panel != product.width || (q.rows == 1 && streamed && product.depth < least_depth_of_streams))
        return 1;
    const std::size_t registers = q.c.target.registers >= 32 ? 3 : 2;
    return product.width == 1 ? 4 * registers : registers;
}

struct panel_product : plain_product {
    static constexpr bool serves(const product_query& q, product_strategy& how) {
        const product_facts& product = q.product;
        if (!product.right_is_packed) return false;
        // Both operands are bf16, so a multiply-add of two elements rounds as two multiply-adds do. Panels are read
        // from front to back.
        if (product.of_bf16 && q.c.target.bf16_pairs && q.s.lanes == lane_axis::columns && product.left_depth == 1 &&
            product.depth > 1 && product.has_whole_depth())
            how.group = 2;
        const std::size_t whole = product.columns / product.right_panel, most = panels_side_by_side(q, how.streamed);
        const axis_split runs = split_near_equal(whole, (whole + most - 1) / most);
        how.panels = static_cast<std::uint8_t>(runs.large);
        how.panel_runs = static_cast<std::uint32_t>(runs.large_blocks);
        how.prefetches = q.rows >= least_prefetching_rows && !q.c.target.single_issue;
        return true;
    }
    static constexpr void cut(const product_query& q, product_strategy& how) {
        const std::size_t panel = q.product.right_panel, whole = q.product.columns / panel,
                          rest = q.product.columns % panel;
        if (how.panel_runs != 0) how.cut = q.cut_of_columns(how.panels * panel, panel, how);
        if (how.panel_runs * std::size_t{how.panels} != whole)
            how.fewer_panels = q.cut_of_columns((how.panels - 1u) * panel, panel, how);
        if (rest != 0) how.last_panel = q.cut_of_columns(rest, rest, how);
    }
    static constexpr std::size_t table_bytes(const product_query& q, const product_strategy& how) {
        const std::size_t depth = q.product.depth;
        if (how.group != 1) return q.rows * grouped_steps(depth, how.group) * q.on.bytes;
        const std::size_t bytes = plain_product::table_bytes(q, how),
                          rest = table_bytes_of(how.last_panel, depth, q.on);
        return bytes > rest ? bytes : rest;
    }
    static constexpr const char* table_text(const product_facts&, const product_strategy& how) {
        return how.group == 1 ? nullptr : " = the left rows as pairs of bf16, one multiply-add each";
    }

    template <class Element, class Config, class Stage>
    ASHLAR_STAGE_INLINE static void run(const Stage& s, auto& epilogue, std::size_t first) {
        constexpr product_facts facts = Stage::facts;
        constexpr product_strategy how = Stage::how;
        constexpr std::size_t panel = facts.right_panel, whole = facts.columns / panel, rest = facts.columns % panel,
                              at_once = how.panels, end = how.panel_runs * at_once;
        const Element* a = s.left_at(first);
        if constexpr (how.group != 1) {
            constexpr std::size_t bytes = Stage::tile_rows * grouped_steps(facts.depth, how.group) * sizeof(Element);
            Element* const rows = s.template table<bytes>();
            group_rows<Config, facts.depth, Stage::left_row>(a, s.rows_of_panels(), rows);
            a = rows;
        }
        const auto* const b = s.weights().data();
        const auto [begin, stop] = s.panels_of_part();
        std::size_t p = begin;
        if constexpr (end != 0)
            for (; p < end && p < stop; p += at_once)
                multiply<side_by_side<Stage>(at_once, how.cut)>(s, a, b, p * panel, epilogue, first);
        if constexpr (end != whole)
            for (; p < whole && p < stop; p += at_once - 1)
                multiply<side_by_side<Stage>(at_once - 1, how.fewer_panels)>(s, a, b, p * panel, epilogue, first);
        if constexpr (rest != 0)
            if (stop > whole)
                multiply<shape_of_columns(facts, Stage::tile_rows, rest, rest, how.group, how.last_panel)>(
                    s, a, b, whole * panel, epilogue, first);
    }

private:
    template <class Stage>
    static consteval product_shape side_by_side(std::size_t panels, const product_cut& cut) {
        constexpr std::size_t panel = Stage::facts.right_panel;
        product_shape shape =
            shape_of_columns(Stage::facts, Stage::tile_rows, panels * panel, panel, Stage::how.group, cut);
        if (panels != 1) shape.vw = Stage::packed_operand::stored_rows * panel;
        return shape;
    }
    /// The panels from a column. Those that are read next are prefetched at the same time.
    template <product_shape Shape, class Stage, class Epilogue>
    ASHLAR_STAGE_INLINE static void multiply(const Stage& s, const auto* a, const auto* b, std::size_t column,
                                             Epilogue& epilogue, std::size_t first) {
        const auto* const panels = b + Stage::packed_operand::panel_begin(column);
        if constexpr (Stage::how.prefetches && Shape.j % Stage::width == 0) {
            prefetching_epilogue<Epilogue, Shape.group * Shape.j * sizeof(*b), Shape.cut.row_blocks> shifted{
                {epilogue, {column}}, s.template panels_after<Shape.j>(b, column + Shape.j)};
            s.template multiply<Shape>(a, panels, shifted, first);
        } else {
            panel_epilogue<Epilogue> shifted{epilogue, {column}};
            s.template multiply<Shape>(a, panels, shifted, first);
        }
    }
};

}  // namespace ashlar::detail
