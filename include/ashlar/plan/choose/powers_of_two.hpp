// SPDX-License-Identifier: BSL-1.0
// Softmax in powers of two. log2(e) goes into the factor that scales scores. If there are more keys than elements of a
// key, the factor goes into the left operand of their product.
//
// e^(s x - max) is 2^(s log2(e) x - max'). A power of two takes two multiplications fewer than a power of e; additions
// replace them, which processors execute on other units. So scores that a product writes for one softmax alone are
// logarithms of base two. If the greatest score of a row is itself a result, as in states of attention, it is
// multiplied once per row.
#pragma once

#include <ashlar/plan/choose/block_keys.hpp>

namespace ashlar::inline v0_1::detail {

/// The only stage that writes a buffer; no_stage if there are several.
constexpr stage_index only_writer(const plan_context& c, buffer_index buffer) {
    stage_index found = no_stage;
    for (stage_index s{}; s < c.plan.stage_count; ++s) {
        if (c.plan.stages[s].buffer != buffer) continue;
        if (found != no_stage) return no_stage;
        found = s;
    }
    return found;
}

/// The product or quotient with a scalar, if a stage does nothing else to its scores before it masks them. Its core if
/// it does nothing; no_node if it does more.
constexpr node_index scaling_of(const plan_context& c, const plan_stage& scores) {
    const auto is_made_here = [&](node_index n) { return c.read_of(scores, n).values == no_buffer; };
    node_index n = c.resolve(scores.top);
    while (c.at(n).kind == node_kind::masked && is_made_here(n)) n = c.resolve(c.at(n).operands[0]);
    if (n == scores.core) return n;
    const graph_node& g = c.at(n);
    if (g.scaling == scaling_kind::none || !is_made_here(n) || c.at(g.operands[1]).kind != node_kind::scalar)
        return no_node;
    return c.resolve(g.operands[0]) == scores.core ? n : no_node;
}

/// The product whose scores only a softmax reads, as they are written; no_stage if there is none.
constexpr stage_index scores_of(const plan_context& c, stage_index s) {
    const plan_stage& softmax = c.plan.stages[s];
    if (softmax.kind != stage_kind::softmax || c.at(softmax.core).variant != 0) return no_stage;
    const buffer_index buffer = c.read_of(softmax, c.resolve(softmax.top)).values;
    if (buffer == no_buffer) return no_stage;
    const stage_index writer = only_writer(c, buffer);
    if (writer == no_stage || !is_only_reader(c, buffer, s)) return no_stage;
    const plan_stage& scores = c.plan.stages[writer];
    return scores.kind == stage_kind::product && scores.store == no_node && scores.left_factor == no_node &&
                   c.resolve(scores.top) == c.plan.buffers[buffer].node &&
                   c.at(scores.core).scalar == scalar_kind::floating && c.same_elements(scores.top, scores.core) &&
                   c.same_elements(softmax.core, scores.core)
               ? writer
               : no_stage;
}

/// The stage that makes the left operand of a product for this product alone, with rows in lanes; no_stage if there is
/// none.
constexpr stage_index maker_of_rows(const plan_context& c, stage_index product) {
    const plan_stage& s = c.plan.stages[product];
    if (s.lanes != lane_axis::rows) return no_stage;
    buffer_index buffer = no_buffer;
    const node_index left = c.at(s.core).operands[0];
    for (const node_index n : {left, c.resolve(left)})
        if (buffer == no_buffer) buffer = c.read_of(s, n).values;
    if (buffer == no_buffer || c.plan.buffers[buffer].storage != buffer) return no_stage;
    std::size_t reads = 0;
    for (std::size_t n = 0; n < c.plan.node_count; ++n) {
        const node_read& from = c.plan.reads[s.first_read + n];
        reads += from.values == buffer || from.factors == buffer;
    }
    const stage_index maker = only_writer(c, buffer);
    if (reads != 1 || maker == no_stage || !is_only_reader(c, buffer, product)) return no_stage;
    for (buffer_index b{}; b < c.plan.buffer_count; ++b)
        if (b != buffer && c.plan.buffers[b].storage == buffer) return no_stage;
    const plan_stage& made = c.plan.stages[maker];
    const bool computes =
        made.kind == stage_kind::map || (made.kind == stage_kind::product && made.maxima == no_buffer);
    return computes && c.same_elements(made.top, s.core) && c.at(made.top).narrow == 0 &&
                   c.resolve(made.top) == c.plan.buffers[buffer].node
               ? maker
               : no_stage;
}

/// A value of the left operand is multiplied once for all keys.
constexpr void use_powers_of_two(const plan_context& c) {
    for (stage_index s{}; s < c.plan.stage_count; ++s) {
        const stage_index product = scores_of(c, s);
        if (product == no_stage) continue;
        plan_stage& scores = c.plan.stages[product];
        const node_index scaling = scaling_of(c, scores);
        if (scaling == no_node) continue;
        const graph_node& left = c.at(c.at(scores.core).operands[0]);
        const bool has_factor = scaling != scores.core, has_keys = c.columns_of(scores) >= left.extents[left.rank - 1u];
        const stage_index maker = has_keys ? maker_of_rows(c, product) : no_stage;
        if (maker == no_stage && !has_factor) continue;
        c.plan.stages[s].powers_of_two = true;
        if (has_factor) scores.scaling = scaling;
        scores.factor = maker == no_stage ? score_factor::in_scores : score_factor::taken_out;
        if (maker == no_stage) continue;
        c.plan.stages[maker].factor = score_factor::in_rows;
        if (has_factor) c.plan.stages[maker].scaling = scaling;
    }
}

}  // namespace ashlar::detail
