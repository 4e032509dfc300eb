// SPDX-License-Identifier: BSL-1.0
// What a product asks for beside its last multiply-adds: the scratch that the next tile is written to first.
//
// A copy of rows stores a line for each line that it loads, with no arithmetic between them. Where the keys, the values
// and the scores of a tile have driven its scratch out of the L1, it waits for twice as many lines.
#pragma once

#include <ashlar/plan/choose/powers_of_two.hpp>

namespace ashlar::detail {

/// The scratch of the copy from which the scores of a softmax are computed, where it has left the L1 when the next tile
/// writes it; no_buffer elsewhere, and where the product is too short for anything to stand beside it.
constexpr buffer_index scratch_of_next_tile(const plan_context& c, stage_index softmax, const plan_stage& product,
                                            std::size_t tile) {
    const stage_index written = scores_of(c, softmax);
    if (written == no_stage || product.depth_loop != no_loop || product.how[tile].product.period > product.facts.depth)
        return no_buffer;
    const plan_stage& scores = c.plan.stages[written];
    const stage_index maker = maker_of_rows(c, written);
    if (maker == no_stage || c.plan.stages[maker].kind != stage_kind::map || c.plan.stages[maker].loop != product.loop)
        return no_buffer;
    const std::size_t rows = c.rows_of(product, tile);
    const auto touched = [&](const plan_stage& s) {
        const product_facts& facts = s.facts;
        return facts.depth * facts.columns * facts.right_bytes +
               rows * (facts.depth + facts.columns) * facts.element_bytes;
    };
    // Scores are among what both of them touch.
    const std::size_t of_scores = rows * product.facts.depth * product.facts.element_bytes;
    return touched(scores) + touched(product) - of_scores > c.target.l1_bytes ? c.plan.stages[maker].buffer : no_buffer;
}

}  // namespace ashlar::detail
