// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys: runs the blocks in which a mask keeps something, and what precedes and follows them.
#pragma once

#include <ashlar/eval/stages/product_stage.hpp>
#include <ashlar/eval/stages/softmax_stage.hpp>

namespace ashlar::inline v0_1::detail {

/// The stage of a kind in loop Loop that works before and after all blocks.
template <class Plan, loop_index Loop, stage_kind Kind>
consteval stage_index waiting_stage() {
    stage_index s{};
    while (Plan::code.stages[s].loop != Loop || Plan::code.stages[s].kind != Kind ||
           Plan::code.stages[s].corrections == no_buffer)
        ++s;
    return s;
}

/// Loop Loop over blocks of keys, for a tile of Rows rows.
template <class Plan, class Element, loop_index Loop, std::size_t Rows>
struct key_blocks {
    static constexpr auto of_softmax = waiting_stage<Plan, Loop, stage_kind::softmax>(),
                          of_values = waiting_stage<Plan, Loop, stage_kind::product>();
    static constexpr std::size_t rows = stage_rows<Plan, of_softmax, Rows>();
    using softmax = softmax_stage<Plan, Element, of_softmax, rows>;
    using values = product_stage<Plan, Element, of_values, rows>;

    /// The state before the first key of any row.
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void begin(const frame<Plan, Element>& f) {
        softmax{{{f}}}.begin_blocks();
        values{{{f}}}.begin_blocks();
    }
    /// Divides the weighted values by their sums and applies the rest of the expression.
    ASHLAR_STAGE_ROOT ASHLAR_NOINLINE ASHLAR_NOTHROW static void end(const frame<Plan, Element>& outer) {
        const frame<Plan, Element> f = outer;
        softmax{{{f}}}.end_blocks();
        values{{{f}}}.end_blocks();
    }

    /// Calls f for the blocks in which some row keeps a key. The last block begins early enough to be full.
    template <class Function>
    ASHLAR_STAGE_INLINE static void run(frame<Plan, Element>& f, const Function& block) {
        constexpr plan_loop loop = Plan::code.loops[Loop];
        begin(f);
        const softmax soft{{{f}}};
        const auto kept = soft.template range_of<no_loop>(soft.first_row(), rows);
        for (std::size_t key = kept.first / loop.tile * loop.tile; key < kept.last; key += loop.tile) {
            f.index[Loop] = key + loop.tile <= loop.extent ? key : loop.extent - loop.tile;
            block();
        }
        f.index[Loop] = 0;
        end(f);
    }
};

}  // namespace ashlar::detail
