// SPDX-License-Identifier: BSL-1.0
// Packed right operands: which panel of weights a product needs next, and asking for it while the current one is used.
//
// Weights are read once per tile of rows, in an order that the plan knows. Hardware follows one stream inside a panel
// but not from panel to panel, nor from one product to the next, so the panel after the current one is asked for in
// small portions between the multiply-adds of all row blocks.
#pragma once

#include <ashlar/eval/frame.hpp>
#include <ashlar/kernel/memory/prefetch.hpp>
#include <ashlar/kernel/product/epilogue.hpp>

namespace ashlar::detail {

/// Whether stage s of Plan is a product with packed weights.
template <class Plan>
constexpr bool reads_panels(std::size_t s) {
    const auto& stage = Plan::code.stages[s];
    if (stage.kind != stage_kind::product) return false;
    const auto right = static_cast<std::size_t>(Plan::nodes[static_cast<std::size_t>(stage.core)].operands[1]);
    return Plan::nodes[Plan::resolve(right)].kind == node_kind::packed;
}

/// The node of the packed weights of stage s.
template <class Plan>
constexpr std::size_t weights_of(std::size_t s) {
    return Plan::resolve(
        static_cast<std::size_t>(Plan::nodes[static_cast<std::size_t>(Plan::code.stages[s].core)].operands[1]));
}

/// Appends the stages below a loop in the order in which they run.
template <class Plan>
constexpr void append_stages(std::int16_t parent, std::array<std::size_t, Plan::code.stages.size()>& order,
                             std::size_t& count) {
    for (std::size_t i = 0; i < Plan::code.item_count; ++i) {
        const plan_item& item = Plan::code.items[i];
        if (item.parent != parent) continue;
        if (item.is_loop()) {
            append_stages<Plan>(item.index, order, count);
        } else {
            for (const std::int16_t s : stages_of(Plan::code, item).stages)
                if (s != -1) order[count++] = static_cast<std::size_t>(s);
        }
    }
}

/// The stages of Plan in the order in which they run.
template <class Plan>
inline constexpr auto stage_order = [] {
    std::array<std::size_t, Plan::code.stages.size()> order{};
    std::size_t count = 0;
    append_stages<Plan>(-1, order, count);
    return order;
}();

/// Whether a loop runs its stages more than once.
template <class Plan>
constexpr bool repeats_tiles(std::int16_t loop) {
    if (loop == -1) return false;
    const plan_loop& l = Plan::code.loops[static_cast<std::size_t>(loop)];
    return l.tile < l.extent;
}

/// The stage whose packed weights are read after those of `Stage`: a later one, or the first of the same loop if that
/// has another tile; no_axis if there is none.
template <class Plan, std::size_t Stage>
inline constexpr std::size_t next_weights = [] {
    constexpr std::int16_t loop = Plan::code.stages[Stage].loop;
    bool passed = false;
    std::size_t first = no_axis;
    for (std::size_t i = 0; i < Plan::code.stage_count; ++i) {
        const std::size_t s = stage_order<Plan>[i];
        if (s == Stage) passed = true;
        if (!reads_panels<Plan>(s)) continue;
        if (passed && s != Stage) return s;
        if (first == no_axis && Plan::code.stages[s].loop == loop) first = s;
    }
    return repeats_tiles<Plan>(loop) ? first : no_axis;
}();

/// Fewer rows than this read weights as fast as memory gives them, and hardware follows their one stream.
inline constexpr std::size_t least_prefetching_rows = 8;

/// Cache lines to ask for every `period` steps, so that all row blocks together ask for as much as they read.
constexpr std::size_t lines_at_once(std::size_t period, std::size_t bytes_per_step, std::size_t row_blocks) {
    return (period * bytes_per_step / cache_line_bytes + row_blocks - 1) / row_blocks;
}

/// The columns of a panel, counted from those of the product.
struct panel_place {
    std::size_t first_column;
    ASHLAR_ALWAYS_INLINE static std::size_t row(std::size_t i) { return i; }
    ASHLAR_ALWAYS_INLINE std::size_t column(std::size_t j) const { return j + first_column; }
};
template <class Inner>
using panel_epilogue = forwarding_epilogue<Inner, panel_place>;

/// The same, and beside the multiply-adds of a panel's row blocks it asks for the memory that is read next.
template <class Inner, std::size_t BytesPerStep, std::size_t RowBlocks>
struct prefetching_epilogue : panel_epilogue<Inner> {
    static constexpr hook hooks = Inner::hooks | hook::interleave;
    static constexpr bool rolls = true;
    prefetch_stream ahead;

    ASHLAR_ALWAYS_INLINE void interleave() {
        ahead.template advance<lines_at_once(interleave_period_of<Inner>, BytesPerStep, RowBlocks)>();
        if constexpr (has_hook<Inner, hook::interleave>) this->inner.interleave();
    }
};

}  // namespace ashlar::detail
