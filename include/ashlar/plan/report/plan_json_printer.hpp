// SPDX-License-Identifier: BSL-1.0
// Writes one plan as JSON: its operands, buffers, and steps with their loops and stages.
#pragma once

#include <ashlar/plan/report/json_writer.hpp>
#include <ashlar/plan/report/plan_printer.hpp>

namespace ashlar::inline v0_1::detail {

constexpr const char* role_name(buffer_role role) {
    switch (role) {
    case buffer_role::values: return "values";
    case buffer_role::numerators: return "numerators";
    case buffer_role::scales: return "scales";
    case buffer_role::means: return "means";
    case buffer_role::deviations: return "deviations";
    case buffer_role::maxima: return "maxima";
    case buffer_role::state: return "state";
    case buffer_role::table: return "table";
    case buffer_role::running_maxima: return "running maxima";
    case buffer_role::corrections: return "corrections";
    default: return "waiting sums";
    }
}

/// Writes Plan, a `planned`, with the names and formulas of `explain`.
template <class Plan>
struct plan_json_printer : stage_printer<Plan> {
    using base = stage_printer<Plan>;
    using base::out, base::at, base::code;
    static constexpr const auto& summary = summary_of_plan<Plan>;

    json_writer json;

    constexpr explicit plan_json_printer(char* to) : json{.to = to} {
        base::buffer_number = printed_plan<Plan>.buffer_number;
        base::named_buffers = printed_plan<Plan>.named_buffers;
    }

    constexpr void print(std::size_t times, std::size_t above, std::size_t up_to) {
        json.begin('{');
        json.member("times", times);
        if (above != 0) json.member("rows_above", above);
        if (up_to != 0) json.member("rows_up_to", up_to);
        json.member("flops", summary.flops, "scratch_bytes", summary.scratch_bytes);
        if (Plan::target.worker_rows != 0) json.member("worker_bytes", std::size_t{code.worker_bytes});
        json.member("operand_bytes", operand_bytes(), "result_bytes", result_bytes(), "lanes",
                    Plan::target.lanes(Plan::nodes[Plan::root].element_bytes));
        put_values("result", Plan::root);
        json.begin("operands", '[');
        for (node_index n{}; n < Plan::count; ++n)
            if (base::is_operand(at(n).kind)) put_operand(n);
        json.end(']');
        json.begin("steps", '[');
        for (std::size_t i = 0; i < summary.step_count; ++i) put_step(i);
        json.end(']');
        json.begin("buffers", '[');
        for (buffer_index b{}; b < code.buffer_count; ++b)
            if (code.buffers[b].in_registers || code.buffers[code.buffers[b].storage].lifetime.used) put_buffer(b);
        json.end(']', '}');
    }

    /// Bytes of the operands' elements; those that a broadcast repeats count once.
    static constexpr std::size_t operand_bytes() {
        std::size_t bytes = 0;
        for (node_index n{}; n < Plan::count; ++n)
            if (base::is_operand(at(n).kind)) bytes += bytes_of(n);
        return bytes;
    }
    /// Bytes that are written to the destination and to those of `store`.
    static constexpr std::size_t result_bytes() {
        std::size_t bytes = at(Plan::root).memory_bytes();
        for (node_index n{}; n < Plan::count; ++n)
            if (at(n).kind == node_kind::store) bytes += at(n).memory_bytes();
        return bytes;
    }

private:
    static constexpr std::size_t bytes_of(node_index n) {
        graph_node node = at(n);
        for (std::size_t a = 0; a < node.rank; ++a)
            if (node.kind == node_kind::array && node.strides[a] == 0) node.extents[a] = 1;
        return node.memory_bytes();
    }

    /// What a printer of text writes, in one line.
    template <class Function>
    constexpr void put_text(const char* name, Function write) {
        out.text.length = out.line_start = out.last_space = out.indent = 0;
        out.unbroken = true;
        write();
        json.key(name);
        json.text(out.text.data(), out.text.length);
    }

    constexpr void put_values(const char* name, node_index n) {
        json.key(name);
        json.begin('{');
        put_shape_of(n);
        json.end('}');
    }
    constexpr void put_shape_of(node_index n) {
        const graph_node& g = at(n);
        json.member("element", element_name(g.scalar, g.element_bytes));
        json.begin("shape", '[');
        for (std::size_t a = 0; a < g.rank; ++a) json.number(g.extents[a]);
        json.end(']');
        json.begin("axes", '[');
        for (std::size_t a = 0; a < g.rank; ++a) json.text(labels_of<Plan>[n].axis_names[a]);
        json.end(']');
    }
    constexpr void put_operand(node_index n) {
        json.begin('{');
        put_text("name", [&] { base::name_operand(n); });
        put_shape_of(n);
        json.member("bytes", bytes_of(n), "copied", copied_operands<Plan>[n], "packed",
                    at(n).kind == node_kind::packed);
        json.end('}');
    }

    /// The time of the last stage; the lifetime of a buffer may end with that of a loop, after its stages.
    static constexpr std::size_t last_time = [] {
        std::size_t last = 0;
        for (std::size_t s = 0; s < code.stage_count; ++s)
            if (code.stages[s].runs.first > last) last = code.stages[s].runs.first;
        return last;
    }();

    constexpr void put_buffer(buffer_index b) {
        const plan_buffer &buffer = code.buffers[b], &storage = code.buffers[buffer.storage];
        json.begin('{');
        put_text("name", [&] { base::name_buffer(b); });
        json.member("role", role_name(buffer.role), "registers", buffer.in_registers, "barrier",
                    steps_of<Plan>.is_barrier[b]);
        if (!buffer.in_registers) {
            if (buffer.storage != b) put_text("in_place_of", [&] { base::name_buffer(buffer.storage); });
            json.member("bytes", buffer.bytes, "offset", storage.offset, "first", storage.lifetime.first, "last",
                        storage.lifetime.last < last_time ? storage.lifetime.last : last_time);
        }
        json.end('}');
    }

    // ------------------------------------------------------------------ steps

    constexpr void put_step(std::size_t i) {
        const plan_step& step = summary.steps[i];
        json.begin('{');
        json.member("flops", step.flops, "scratch_bytes", step.scratch_bytes, "barrier_bytes", step.barrier_bytes,
                    "barriers", step.barriers, "stores", step.stores, "writes_result", step.writes_result);
        json.begin("body", '[');
        const step_place& place = steps_of<Plan>.place[i];
        const std::size_t around = begin_loops_around(place.parent);
        if (place.rows != no_loop) begin_loop(place.rows);
        put_items(place.rows == no_loop ? place.parent : place.rows, i);
        for (std::size_t l = around + (place.rows != no_loop ? 1 : 0); l-- > 0;) end_loop();
        json.end(']', '}');
    }
    constexpr std::size_t begin_loops_around(loop_index loop) {
        if (loop == no_loop) return 0;
        const std::size_t outside = begin_loops_around(code.loops[loop].parent);
        begin_loop(loop);
        return outside + 1;
    }
    constexpr void begin_loop(loop_index loop) {
        const plan_loop& l = code.loops[loop];
        json.begin('{');
        json.member("loop", l.keys ? "keys" : l.columns ? "columns" : l.rows ? "rows" : "entries");
        json.member("axis", plan_printer<Plan>::name_of_loop(loop), "extent", l.extent, "tile", l.tile);
        if (l.is_shared) json.member("shared", true);
        if (Plan::rows_type::are_limited || l.limits.stop()) {
            json.begin("ends_at", '[');  // the greatest of these, or the extent if there are none
            if (l.limits.stop() && l.limits.have_rows()) json.text("rows_below");
            if (l.limits.stop() && l.limits.have_keys()) json.text("keys");
            json.end(']');
        }
        json.begin("body", '[');
    }
    constexpr void end_loop() { json.end(']', '}'); }
    constexpr void put_items(loop_index parent, std::size_t step) {
        for (std::size_t i = 0; i < code.item_count; ++i) {
            const plan_item& item = code.items[i];
            if (item.parent != parent || plan_printer<Plan>::step_of(item) != step) continue;
            if (item.is_loop()) {
                begin_loop(item.loop);
                put_items(item.loop, step);
                end_loop();
                continue;
            }
            const plan_fusion run = stages_of(code, item);
            for (const stage_index s : run.stages)
                if (s != no_stage) put_stage(s, item.fused != no_fusion);
        }
    }

    // ------------------------------------------------------------------ stages

    constexpr void put_stage(stage_index s, bool fused) {
        const plan_stage& stage = code.stages[s];
        const bool of_rows =
            stage.kind != stage_kind::product && stage.kind != stage_kind::map && stage.kind != stage_kind::matrix;
        json.begin('{');
        json.member("stage", base::kind_name(s), "time", stage.runs.first);
        if (!of_rows || stage.buffer != no_buffer) put_text("formula", [&] { base::put_formula(s); });
        if (of_rows && stage.second_buffer != no_buffer) put_text("second", [&] { base::put_second_formula(s); });
        if (stage.kind == stage_kind::product && base::has_epilogue(s))
            put_text("then", [&] { base::put_epilogue(s); });
        put_text("tile", [&] { base::put_tile(s, of_rows && stage.buffer == no_buffer); });
        json.member("lanes", base::lanes_name(s), "fused", fused);
        std::size_t flops = 0;
        for (std::size_t n = 0; n < Plan::count; ++n)
            if (stage_of_nodes<Plan>[n] == s) flops += flops_of_nodes<typename Plan::expression_type>[n];
        json.member("flops", flops);
        put_mask(s);
        json.end('}');
    }

    constexpr void put_mask(stage_index s) {
        const key_tiles tiles = key_tiles_of<Plan>(s);
        if (tiles.total == 0) return;
        const node_index masked = masked_in<Plan>(s);
        const plan_loop rows = queries_at_once<Plan>(s, masked);
        json.begin("mask", '{');
        put_text("name", [&] { labels_of<Plan>[masked].write_mask(out, false); });
        json.member("queries", rows.tile, "keys", key_group, "tiles", tiles.total, "skipped", tiles.skipped, "empty",
                    tiles.empty - tiles.skipped, "masked", tiles.mixed, "full", tiles.full, "undecided",
                    tiles.undecided);
        char drawn[most_counted_tiles]{};
        const std::size_t length =
            mask_painters<Plan>[masked](rows.tile, rows.overlaps, skips_tiles<Plan>(masked), drawn);
        const std::size_t line = (at(masked).extents[at(masked).rank - 1u] + key_group - 1) / key_group;
        json.begin("map", '[');
        for (std::size_t i = 0; i < length; i += line) json.text(drawn + i, line);
        json.end(']', '}');
    }
};

}  // namespace ashlar::detail
