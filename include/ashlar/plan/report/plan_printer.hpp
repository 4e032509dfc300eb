// SPDX-License-Identifier: BSL-1.0
// Writes one plan as text, step by step.
#pragma once

#include <array>

#include <ashlar/plan/report/plan_summary.hpp>
#include <ashlar/plan/report/stage_text.hpp>

namespace ashlar::inline v0_1::detail {

/// Marks the operands below node n that stage s of Plan reads.
template <class Plan>
constexpr void mark_read(stage_index s, node_index n, std::array<bool, Plan::count>& read) {
    using stages = formula_writer<Plan>;
    n = stages::past_names(s, n);
    if (stages::read_of(s, n).values != no_buffer) return;
    read[n] = true;
    if (stages::at(n).kind == node_kind::matmul && n != stages::stage(s).core) return;
    for (std::size_t i = 0; i < stages::at(n).operand_count; ++i) mark_read<Plan>(s, stages::at(n).operands[i], read);
}

/// Operands of Plan that stages only copy. A separate constant, because compilers limit the length of each evaluation.
template <class Plan>
inline constexpr auto copied_operands = [] {
    std::array<bool, Plan::count> copied{}, computed_on{};
    for (stage_index s{}; s < Plan::code.stage_count; ++s) {
        const auto& stage = Plan::code.stages[s];
        if (!formula_writer<Plan>::is_copy(s))
            mark_read<Plan>(s, stage.top, computed_on);
        else if (stage.buffer != no_buffer)
            mark_read<Plan>(s, stage.top, copied);
    }
    for (std::size_t n = 0; n < Plan::count; ++n) copied[n] = copied[n] && !computed_on[n];
    return copied;
}();

/// Writes the plan of Plan, a `planned`, step by step.
template <class Plan>
struct plan_printer : stage_printer<Plan> {
    using base = stage_printer<Plan>;
    using base::out, base::at, base::code, base::depth, base::name_operand, base::put_shape, base::start_line;
    static constexpr bool is_limited = Plan::rows_type::are_limited;
    static constexpr const auto& summary = summary_of_plan<Plan>;

    constexpr void print() {
        const graph_node& root = Plan::nodes[Plan::root];
        out.indent = 6;
        out.put("plan of ", element_name(root.scalar, root.element_bytes), ' ');
        put_shape(Plan::root);
        out.put(": ", plural{summary.step_count, "step", "steps"}, ", ", summary.flops, " flops, ",
                byte_count{summary.scratch_bytes}, " of scratch, ");
        if (Plan::target.worker_rows != 0) {
            out.put(byte_count{code.worker_bytes}, " of it for each worker, ");
        }
        out.unbroken = true;
        out.put(plural{Plan::target.lanes(root.element_bytes), "lane", "lanes"});
        out.unbroken = false;
        out.put('\n');
        print_operands();
        for (std::size_t i = 0; i < summary.step_count; ++i) print_step(i);
    }

    /// What users call the axis that a loop runs over; nothing if it has no name.
    static constexpr const char* name_of_loop(loop_index loop) {
        for (std::size_t s = 0; s < code.stage_count; ++s)
            for (std::size_t a = 0; a < at(code.stages[s].space).rank; ++a)
                if (code.stages[s].bindings[a] == loop)
                    if (const char* name = labels_of<Plan>[code.stages[s].space].axis_names[a]; *name != '\0')
                        return name;
        return "";
    }
    /// The step that an item belongs to.
    static constexpr std::size_t step_of(const plan_item& item) {
        if (item.is_loop()) return steps_of<Plan>.of_loop[item.loop];
        const auto& stages = stages_of(code, item).stages;
        return steps_of<Plan>.of_stage[stages[0] != no_stage ? stages[0] : stages[1]];
    }

private:
    // ------------------------------------------------------------------ operands

    constexpr void print_operands() {
        out.indent = 6;
        bool any = false;
        for (node_index n{}; n < Plan::count; ++n) {
            if (!base::is_operand(Plan::nodes[n].kind)) continue;
            out.put(any ? ", " : "reads ");
            any = true;
            out.unbroken = true;
            name_operand(n);
            out.put(' ');
            put_shape(n);
            const graph_node& g = Plan::nodes[n];
            if (g.rank >= 2 && g.strides[g.rank - 2u] == 1 && g.strides[g.rank - 1u] != 1) out.put(" by columns");
            if (g.kind == node_kind::packed)
                out.put(g.scale_group != 0 ? " in 4 bits" : g.quantized ? " in 8 bits" : " packed");
            if (g.spread != 1) out.put(g.spread == 0 ? ", rows without scales" : ", outliers spread");
            if (g.narrow != 0) out.put(g.narrow == 1 ? " in 8 bits" : " in 16 bits");
            out.unbroken = false;
            if (copied_operands<Plan>[n]) out.put(" through a copy");
        }
        if (any) out.put('\n');
    }
    // ------------------------------------------------------------------ steps and loops

    constexpr void print_step(std::size_t i) {
        const plan_step& step = summary.steps[i];
        out.put('\n');
        depth = 0;
        start_line();
        out.put("step ", i + 1, ": ", step.flops, " flops, ");
        if (step.scratch_bytes == 0) {
            out.put("no scratch");
        } else {
            out.put(byte_count{step.scratch_bytes}, " of scratch a tile");
        }
        if (step.barriers != 0) {
            out.put(", ", plural{step.barriers, "value", "values"}, " for later steps (",
                    byte_count{step.barrier_bytes}, ')');
        }
        if (step.stores != 0) {
            out.put(", ", plural{step.stores, "store", "stores"});
        }
        if (step.writes_result) out.put(", the result");
        out.put('\n');
        const step_place& place = steps_of<Plan>.place[i];
        print_loops_around(place.parent);
        if (place.rows != no_loop) {
            ++depth;
            print_loop(place.rows);
        }
        ++depth;
        print_items(place.rows == no_loop ? place.parent : place.rows, i);
    }
    constexpr void print_loops_around(loop_index loop) {
        if (loop == no_loop) return;
        print_loops_around(code.loops[loop].parent);
        ++depth;
        print_loop(loop);
    }
    constexpr void print_loop(loop_index loop) {
        const plan_loop& l = code.loops[loop];
        const char* name = name_of_loop(loop);
        start_line();
        const char* const of = l.columns ? (l.keys ? " keys, with a running maximum" : " columns") : " rows";
        if (!l.columns && !l.rows)
            out.put("for each of ", l.extent);
        else if (!l.columns && l.tile == l.extent)
            out.put("for all ", plural{l.extent, "row", "rows"});
        else
            out.put("for every ", l.tile, " of ", l.extent, of);
        if (l.columns && l.extent % l.tile != 0) out.put(", some of them twice");
        if (*name != '\0') out.put(" (", name, ')');
        if (l.overlaps) out.put(", some of them twice");
        if (l.rows && l.last_rows() != 0) out.put(l.part != 0 ? ", or " : ", ", l.last_rows(), " at the end");
        if (l.limits.stop())
            print_limits(l.limits);
        else if (is_limited && l.rows)
            out.put(", regardless of rows_below");
        if (l.is_shared) out.put(", which workers share");
        if (l.is_split) out.put(", one tile after the other");
        if (l.rows && l.tile == flat_tile_rows && l.extent >= tall_tile_rows && l.part == 0 &&
            Plan::target.worker_rows == 0) {
            out.put(", as the scratch of ", tall_tile_rows, " would exceed the second cache");
        }
        out.put('\n');
    }
    constexpr void print_limits(const entry_limits& limits) {
        out.put(", up to ");
        if (limits.have_rows()) out.put(limits.have_keys() ? "rows_below and " : "rows_below");
        if (limits.have_keys()) out.put("the last kept key");
    }
    constexpr void print_fused(const plan_fusion& fused) {
        // What happens in full tiles, if anything.
        const bool full = fused.how[full_tile] != fusion::none;
        const fusion how = fused.how[full ? full_tile : last_tile];
        const bool chain = in_registers(how);
        if (how == fusion::transposed_copy) {
            base::print_stage(fused.stages[2]);
            base::print_copy_on_the_way(fused.stages[1]);
            return;
        }
        if (!chain && fused.stages[0] != no_stage) base::print_stage(fused.stages[0]);
        base::print_fusion(fused, how);
        ++depth;
        for (std::size_t i = chain ? 0 : 1; i < fused.stages.size(); ++i) base::print_stage(fused.stages[i]);
        --depth;
    }
    constexpr void print_items(loop_index parent, std::size_t step) {
        for (std::size_t i = 0; i < code.item_count; ++i) {
            const plan_item& item = code.items[i];
            if (item.parent != parent) continue;
            if (step_of(item) != step) continue;
            if (item.fused != no_fusion) {
                print_fused(code.fusions[item.fused]);
            } else if (item.is_loop()) {
                print_loop(item.loop);
                ++depth;
                print_items(item.loop, step);
                --depth;
            } else {
                base::print_stage(item.stage);
            }
        }
    }
};

/// The printer of Plan after it has written the plan: the text, and the numbers that buffers have in it.
template <class Plan>
inline constexpr auto printed_plan = [] {
    plan_printer<Plan> printer;
    printer.print();
    return printer;
}();

}  // namespace ashlar::detail
