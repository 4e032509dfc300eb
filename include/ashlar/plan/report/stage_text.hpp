// SPDX-License-Identifier: BSL-1.0
// One stage of a plan as text: its formula, shape, lanes and place, and its operations in registers.
#pragma once

#include <ashlar/plan/choose/product_kernels.hpp>
#include <ashlar/plan/report/key_tiles.hpp>
#include <ashlar/plan/report/stage_formula.hpp>

namespace ashlar::inline v0_1::detail {

/// Writes the stages of Plan, a `planned`.
template <class Plan>
struct stage_printer : stage_formula<Plan> {
    using base = stage_formula<Plan>;
    using base::out, base::at, base::value, base::name_buffer;
    static constexpr const auto& code = Plan::code;
    static constexpr std::size_t kind_width = 10, shape_column = 44, lanes_column = 65, place_column = 80;

    std::size_t depth = 0;

    constexpr void start_line() {
        out.indent = 0;
        for (std::size_t i = 0; i < 2 * depth; ++i) out.put(' ');
        out.indent = 2 * depth + kind_width;
    }

    constexpr void put_dimension(node_index n, std::size_t a, std::size_t extent, bool& any) {
        out.put(any ? ", " : "[");
        any = true;
        if (const char* name = labels_of<Plan>[n].axis_names[a]; *name != '\0') out.put(name, ' ');
        out.put(extent);
    }
    constexpr void put_shape(node_index n) {
        bool any = false;
        for (std::size_t a = 0; a < at(n).rank; ++a) put_dimension(n, a, at(n).extents[a], any);
        out.put(any ? "]" : "[]");
    }
    constexpr void print_stage(stage_index s) {
        const auto& stage = code.stages[s];
        start_line();
        out.put(base::kind_name(s));
        out.align(2 * depth + kind_width);
        const bool is_matrix = stage.kind == stage_kind::matrix;
        if (stage.kind == stage_kind::product || stage.kind == stage_kind::map || is_matrix) {
            base::put_formula(s);
            print_place(s, stage.buffer, false, !is_matrix || stage.table != no_buffer);
            if (stage.kind == stage_kind::product) {
                print_epilogue(s);
                print_product(s);
            }
            if (stage.column_block != 0)
                put_line("the right operand's columns lie in blocks of ", stage.column_block, '\n');
            if (stage.table != no_buffer) {
                put_line(stage.table, table_text(s));
                put_buffer(stage.table);
                out.put('\n');
            }
            if (stage.kind == stage_kind::product && stage.maxima != no_buffer) {
                put_line(stage.maxima, " = max of each row");
                print_place(s, stage.maxima, true, false);
            }
        } else {
            print_statistics(s);
        }
        if (stage.loads_conditionally) put_line("registers without a kept element are not loaded\n");
        print_key_tiles(s);
    }

    /// How fused stages run together, for the tiles in which `how` holds.
    constexpr void print_fusion(const plan_fusion& fused, fusion how) {
        start_line();
        out.put("together");
        out.align(2 * depth + kind_width);
        switch (how) {
        case fusion::statistics_into_map: out.put("a few rows of each at a time"); break;
        case fusion::register_softmax_to_memory: out.put("scores and softmax in registers, then values"); break;
        default: out.put("scores, softmax and values in registers"); break;
        }
        end_line(fused.stages[1], fused.how[full_tile] == how, fused.how[last_tile] == how);
    }

    /// The copy of its right operand that the product above makes.
    constexpr void print_copy_on_the_way(stage_index s) {
        put_line(code.stages[s].buffer, " = ");
        value(s, code.stages[s].top);
        out.put(", on the way");
        print_place(s, code.stages[s].buffer, false, false);
    }

    /// The part of the stage's values in one tile; one per row for `folded` ones.
    constexpr void put_tile(stage_index s, bool folded) {
        const auto& stage = code.stages[s];
        bool any = false;
        for (std::size_t a = 0; a < at(stage.top).rank; ++a) {
            std::size_t extent = at(stage.top).extents[a];
            if (extent == 1) continue;
            const std::size_t axis = stage.top_axes[a];
            if (folded && axis != no_axis && axis == stage.column_axis) continue;
            if (folded && axis != no_axis && stage.fold_first != no_axis && axis >= stage.fold_first &&
                axis < stage.fold_last)
                continue;
            const loop_index loop = axis == no_axis ? whole_axis : stage.bindings[axis];
            if (loop != whole_axis && !code.loops[loop].rows && !code.loops[loop].columns) continue;
            if (loop != whole_axis) extent = code.loops[loop].tile;
            put_dimension(stage.top, a, extent, any);
        }
        out.put(any ? "]" : "[]");
    }

private:
    constexpr void print_epilogue(stage_index s) {
        const auto& stage = code.stages[s];
        if (!base::has_epilogue(s)) return;
        if (stage.waiting != no_buffer) {
            put_line(stage.waiting, " = ", stage.waiting, " * ", stage.corrections, " + sums of the block");
            put_buffer(stage.waiting);
            out.put('\n');
        }
        put_line(stage.waiting != no_buffer ? "then, at the end, " : "then ");
        base::put_epilogue(s);
        const auto waits = [&](std::size_t tile) {
            return stage.how[tile].product.epilogue == epilogue_time::reloaded;
        };
        const bool any = waits(full_tile) || waits(last_tile);
        if (any) out.put(", when a block is stored");
        end_line(s, waits(full_tile) || !any, waits(last_tile) || !any);
    }
    /// Ends a line with the tiles in which it holds, unless it holds in all.
    constexpr void end_line(stage_index s, bool full, bool last) {
        const auto& stage = code.stages[s];
        const loop_index loop = stage.row_axis == no_axis ? whole_axis : stage.bindings[stage.row_axis];
        if (!full)
            out.put(", in the last tile");
        else if (loop != whole_axis && code.loops[loop].last_rows() != 0 && !last)
            out.put(", but in the last tile");
        out.put('\n');
    }
    /// A line about the tiles, if any, in which something holds.
    constexpr void put_tiles(stage_index s, const char* what, bool full, bool last) {
        if (!full && !last) return;
        put_line(what);
        end_line(s, full, last);
    }
    /// What is unusual about a product's strategy.
    constexpr void print_product(stage_index s) {
        const product_strategy &full = code.stages[s].how[full_tile].product,
                               &last = code.stages[s].how[last_tile].product;
        if (code.stages[s].shares_columns) put_line("columns that workers share\n");
        print_cuts(s, &product_strategy::cut, "");
        print_cuts(s, &product_strategy::fewer_panels, " of one panel fewer");
        print_cuts(s, &product_strategy::last_panel, " of the last panel");
        const bool same = full.kernel == last.kernel && full.prefetches == last.prefetches &&
                          full.k_parts == last.k_parts && full.packed == last.packed;
        put_tiles(s, "register blocks of unneeded rows skipped", code.stages[s].how[full_tile].skips_rows,
                  code.stages[s].how[last_tile].skips_rows);
        print_kernel(s, full, true, same);
        if (!same) print_kernel(s, last, false, true);
    }
    constexpr void print_cuts(stage_index s, product_cut product_strategy::* cut, const char* of) {
        const product_cut &full = code.stages[s].how[full_tile].product.*cut,
                          &last = code.stages[s].how[last_tile].product.*cut;
        if (full.row_blocks != 0) print_cut(s, full, of, true, full == last);
        if (last.row_blocks != 0 && full != last) print_cut(s, last, of, false, true);
    }
    constexpr void print_cut(stage_index s, const product_cut& cut, const char* of, bool in_full_tiles,
                             bool in_the_last) {
        const auto also = [&](std::size_t count, const char* what) {
            if (count > 1) out.put(", ", count, what);
        };
        put_line(std::size_t{cut.row_blocks}, " x ", std::size_t{cut.vector_blocks}, " register blocks", of);
        if (cut.transposing_rows != 0) out.put(" after ", std::size_t{cut.transposing_rows}, " rows that transpose");
        also(cut.strip_steps > 1 ? cut.packed_chains.large : cut.chains, " sums of each");
        also(cut.split_chains.large, " of single vectors at a mask's edge");
        also(cut.steps_together, " steps of the depth between two branches");
        if (cut.multiplies_first) out.put(", begun as products");
        if (cut.pairs_rows) out.put(", two rows side by side");
        if (cut.spreads) out.put(", scalars loaded a register at a time");
        also(cut.strip_steps, " steps of the depth in a register");
        if (cut.packs) {
            out.put(", the last columns packed by ", std::size_t{cut.last_steps}, " steps");
            if (cut.packed_chains.large > 1) out.put(" in ", std::size_t{cut.packed_chains.large}, " sums");
        } else if (cut.last_steps > 1) {
            out.put(", the last columns apart");
        }
        end_line(s, in_full_tiles, in_the_last);
    }
    /// What is unusual about the kernel.
    constexpr void print_kernel(stage_index s, const product_strategy& how, bool in_full_tiles, bool in_the_last) {
        product_kernels::visit(how.kernel, [&](auto kernel) {
            if (!kernel.has_text) return;
            continue_line();
            kernel.put_text(out, code.stages[s].facts, how);
            end_line(s, in_full_tiles, in_the_last);
        });
    }
    /// What a stage keeps in scratch for itself.
    constexpr const char* table_text(stage_index s) {
        const auto& stage = code.stages[s];
        if (stage.kind == stage_kind::matrix)
            return stage.lanes == lane_axis::rows ? " = as many matrices as lanes" : " = one matrix";
        const char* text = nullptr;
        const product_strategy& how = stage.how[full_tile].product;
        product_kernels::visit(how.kernel, [&](auto kernel) { text = kernel.table_text(stage.facts, how); });
        return text == nullptr ? " = packed on the way" : text;
    }
    constexpr void print_pairs(stage_index s) {
        const auto pairs = [&](std::size_t tile) {
            const row_strategy& how = code.stages[s].how[tile].rows;
            return how.form == row_form::rows_in_lanes && how.together == 2;
        };
        put_tiles(s, "two registers of rows side by side", pairs(full_tile), pairs(last_tile));
    }
    constexpr void print_statistics(stage_index s) {
        const auto& stage = code.stages[s];
        if (stage.buffer != no_buffer) {
            base::put_formula(s);
            print_place(s, stage.buffer, stage.kind != stage_kind::softmax || base::is_logarithm(s), true);
        }
        print_pairs(s);
        if (stage.second_buffer == no_buffer) return;
        if (stage.running_maxima != no_buffer) print_running(s);
        if (stage.buffer != no_buffer) continue_line();
        base::put_second_formula(s);
        print_place(s, stage.second_buffer, true, stage.buffer == no_buffer);
    }
    /// What a softmax in blocks of keys keeps from one block to the next.
    constexpr void print_running(stage_index s) {
        const auto& stage = code.stages[s];
        put_line(stage.running_maxima, " = max so far");
        print_place(s, stage.running_maxima, true, false);
        put_line(stage.corrections, stage.powers_of_two ? " = exp2(max before - " : " = exp(max before - ",
                 stage.running_maxima, ')');
        print_place(s, stage.corrections, true, false);
    }
    constexpr void continue_line() {
        out.indent = 0;
        for (std::size_t i = 0; i < 2 * depth + kind_width; ++i) out.put(' ');
        out.indent = 2 * depth + kind_width + 5;
    }

    template <class... Parts>
    constexpr void put_line(Parts... parts) {
        continue_line();
        base::write(parts...);
    }

    /// Shape, lanes, and where the values are.
    constexpr void print_place(stage_index s, buffer_index buffer, bool folded, bool with_lanes) {
        const auto& stage = code.stages[s];
        out.start_at(shape_column);
        put_tile(s, folded);
        if (with_lanes) {
            out.start_at(lanes_column);
            out.put("lanes: ", base::lanes_name(s));
        }
        if (buffer != no_buffer) put_buffer(buffer);
        if (stage.how[full_tile].map.past_caches != 0) {
            out.start_at(place_column);
            out.put("past the caches");
        }
        out.put('\n');
    }
    constexpr void put_buffer(buffer_index buffer) {
        out.start_at(place_column);
        const plan_buffer& b = code.buffers[buffer];
        if (b.in_registers)
            out.put("in registers");
        else if (b.storage != buffer)
            base::write("in place of ", b.storage);
        else
            out.put(byte_count{b.bytes}, " at ", b.offset);
    }
    constexpr void print_key_tiles(stage_index s) {
        const key_tiles keys = key_tiles_of<Plan>(s);
        if (keys.total == 0) return;
        continue_line();
        put_key_tiles(out, keys, queries_at_once<Plan>(s, masked_in<Plan>(s)).tile);
        out.put('\n');
    }
};

}  // namespace ashlar::detail
