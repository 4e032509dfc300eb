// SPDX-License-Identifier: BSL-1.0
// One stage of a plan as text: its formula, shape, lanes and place, and its operations in registers.
#pragma once

#include <ashlar/plan/choose/rhs_kernels.hpp>
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
        if (const char* name = labels_of<Plan>[n].axis_names[a]; *name != '\0') {
            out.put(name);
            out.put(' ');
        }
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
            if (stage.column_block != 0) {
                continue_line();
                out.put("the right operand's columns lie in blocks of ");
                out.put(stage.column_block);
                out.put('\n');
            }
            if (stage.table != no_buffer) {
                continue_line();
                name_buffer(stage.table);
                out.put(is_matrix ? (stage.lanes == lane_axis::rows ? " = as many matrices as lanes" : " = one matrix")
                        : stage.facts.right_spread > 1
                            ? " = the left rows, outliers spread, in 8 bits, and their scales"
                        : stage.facts.right_is_int4 ? " = the left rows in 8 bits, and a scale for every 32 entries"
                        : stage.facts.right_is_quantized ? " = the left rows in 8 bits, and their scales"
                        : stage.how[full_tile].product.group != 1
                            ? " = the left rows as pairs of bf16, one multiply-add each"
                            : " = packed on the way");
                put_buffer(stage.table);
                out.put('\n');
            }
            if (stage.kind == stage_kind::product && stage.maxima != no_buffer) {
                continue_line();
                name_buffer(stage.maxima);
                out.put(" = max of each row");
                print_place(s, stage.maxima, true, false);
            }
        } else {
            print_statistics(s);
        }
        if (stage.loads_conditionally) put_line("registers of which no element is asked for are not read\n");
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
        put_tiles(fused.stages[1], fused.how[full_tile] == how, fused.how[last_tile] == how);
        out.put('\n');
    }

    /// The copy of its right operand that the product above makes.
    constexpr void print_copy_on_the_way(stage_index s) {
        continue_line();
        name_buffer(code.stages[s].buffer);
        out.put(" = ");
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
        continue_line();
        if (stage.waiting != no_buffer) {
            name_buffer(stage.waiting);
            out.put(" = ");
            name_buffer(stage.waiting);
            out.put(" * ");
            name_buffer(stage.corrections);
            out.put(" + sums of the block");
            put_buffer(stage.waiting);
            out.put('\n');
            continue_line();
        }
        out.put(stage.waiting != no_buffer ? "then, at the end, " : "then ");
        base::put_epilogue(s);
        const auto waits = [&](std::size_t tile) {
            return stage.how[tile].product.epilogue == epilogue_time::reloaded;
        };
        if (waits(full_tile) || waits(last_tile)) {
            out.put(", when a block is stored");
            put_tiles(s, waits(full_tile), waits(last_tile));
        }
        out.put('\n');
    }
    /// The tiles in which something holds, unless it holds in all.
    constexpr void put_tiles(stage_index s, bool full, bool last) {
        const auto& stage = code.stages[s];
        const loop_index loop = stage.row_axis == no_axis ? whole_axis : stage.bindings[stage.row_axis];
        if (!full)
            out.put(", in the last tile");
        else if (loop != whole_axis && code.loops[loop].last_rows() != 0 && !last)
            out.put(", but in the last tile");
    }
    /// What is unusual about a product's strategy.
    constexpr void print_product(stage_index s) {
        const product_strategy &full = code.stages[s].how[full_tile].product,
                               &last = code.stages[s].how[last_tile].product;
        const bool packs = full.form == product_form::packed_k, packs_last = last.form == product_form::packed_k;
        const bool packs_alike = packs && packs_last && full.packed == last.packed;
        if (code.stages[s].shares_columns) put_line("columns that workers share\n");
        if (packs) print_packed(s, full.packed, true, packs_alike);
        if (packs_last && !packs_alike) print_packed(s, last.packed, false, true);
        print_cuts(s, &product_strategy::cut, "");
        print_cuts(s, &product_strategy::fewer_panels, " of one panel fewer");
        print_cuts(s, &product_strategy::last_panel, " of the last panel");
        const bool same =
            full.rhs_kernel == last.rhs_kernel && full.prefetches == last.prefetches && full.k_parts == last.k_parts;
        print_skipped(s);
        print_columns(s, full, true, same);
        if (!same) print_columns(s, last, false, true);
    }
    constexpr void print_skipped(stage_index s) {
        const bool full = code.stages[s].how[full_tile].skips_rows, last = code.stages[s].how[last_tile].skips_rows;
        if (!full && !last) return;
        continue_line();
        out.put("register blocks of unneeded rows skipped");
        put_tiles(s, full, last);
        out.put('\n');
    }
    constexpr void print_packed(stage_index s, const packed_k_cut& cut, bool in_full_tiles, bool in_the_last) {
        continue_line();
        if (cut.steps > 1) {
            out.put(std::size_t{cut.steps});
            out.put(" steps of the depth side by side, ");
        }
        const std::size_t columns = code.stages[s].facts.columns;
        out.put("few rows by ");
        out.put(columns < cut.together ? columns : std::size_t{cut.together});
        out.put(" columns");
        put_tiles(s, in_full_tiles, in_the_last);
        out.put('\n');
    }
    constexpr void print_cuts(stage_index s, product_cut product_strategy::* cut, const char* of) {
        const product_cut &full = code.stages[s].how[full_tile].product.*cut,
                          &last = code.stages[s].how[last_tile].product.*cut;
        if (full.row_blocks != 0) print_cut(s, full, of, true, full == last);
        if (last.row_blocks != 0 && full != last) print_cut(s, last, of, false, true);
    }
    constexpr void print_cut(stage_index s, const product_cut& cut, const char* of, bool in_full_tiles,
                             bool in_the_last) {
        const auto put_count = [&](std::size_t count, const char* what) {
            out.put(count);
            out.put(what);
        };
        continue_line();
        put_count(cut.row_blocks, " x ");
        put_count(cut.vector_blocks, " register blocks");
        out.put(of);
        if (cut.transposing_rows != 0) {
            out.put(" behind ");
            put_count(cut.transposing_rows, " rows that transpose");
        }
        const std::size_t chains = cut.strip_steps > 1 ? cut.packed_chains.large : cut.chains;
        if (chains > 1) {
            out.put(", ");
            put_count(chains, " sums of each");
        }
        if (cut.split_chains.large > 1) {
            out.put(", ");
            put_count(cut.split_chains.large, " of single vectors at a mask's edge");
        }
        if (cut.steps_together > 1) {
            out.put(", ");
            put_count(cut.steps_together, " steps of the depth between two branches");
        }
        if (cut.multiplies_first) out.put(", begun as products");
        if (cut.pairs_rows) out.put(", two rows side by side");
        if (cut.spreads) out.put(", scalars loaded a register at a time");
        if (cut.strip_steps > 1) {
            out.put(", ");
            put_count(cut.strip_steps, " steps of the depth in a register");
        }
        if (cut.packs) {
            out.put(", the last columns packed by ");
            put_count(cut.last_steps, " steps");
            if (cut.packed_chains.large > 1) {
                out.put(" in ");
                put_count(cut.packed_chains.large, " sums");
            }
        } else if (cut.last_steps > 1) {
            out.put(", the last columns apart");
        }
        put_tiles(s, in_full_tiles, in_the_last);
        out.put('\n');
    }
    /// How the columns of a row-major right operand reach the registers.
    constexpr void print_columns(stage_index s, const product_strategy& how, bool in_full_tiles, bool in_the_last) {
        if (how.rhs_kernel == 0) return;
        continue_line();
        if (how.k_parts > 1) {
            out.put("the depth in ");
            out.put(std::size_t{how.k_parts});
            out.put(" parts, ");
        }
        out.put(rhs_kernels::visit(how.rhs_kernel, [&](auto kernel) { return kernel.text(how.prefetches); }));
        put_tiles(s, in_full_tiles, in_the_last);
        out.put('\n');
    }
    constexpr void print_pairs(stage_index s) {
        const auto pairs = [&](std::size_t tile) {
            const row_strategy& how = code.stages[s].how[tile].rows;
            return how.form == row_form::rows_in_lanes && how.together == 2;
        };
        if (!pairs(full_tile) && !pairs(last_tile)) return;
        continue_line();
        out.put("two registers of rows side by side");
        put_tiles(s, pairs(full_tile), pairs(last_tile));
        out.put('\n');
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
        continue_line();
        name_buffer(stage.running_maxima);
        out.put(" = max so far");
        print_place(s, stage.running_maxima, true, false);
        continue_line();
        name_buffer(stage.corrections);
        out.put(stage.powers_of_two ? " = exp2(max before - " : " = exp(max before - ");
        name_buffer(stage.running_maxima);
        out.put(')');
        print_place(s, stage.corrections, true, false);
    }
    constexpr void continue_line() {
        out.indent = 0;
        for (std::size_t i = 0; i < 2 * depth + kind_width; ++i) out.put(' ');
        out.indent = 2 * depth + kind_width + 5;
    }

    constexpr void put_line(const char* text) {
        continue_line();
        out.put(text);
    }

    /// Shape, lanes, and where the values are.
    constexpr void print_place(stage_index s, buffer_index buffer, bool folded, bool with_lanes) {
        const auto& stage = code.stages[s];
        out.start_at(shape_column);
        put_tile(s, folded);
        if (with_lanes) {
            out.start_at(lanes_column);
            out.put("lanes: ");
            out.put(base::lanes_name(s));
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
        if (b.in_registers) {
            out.put("in registers");
        } else if (b.storage != buffer) {
            out.put("in place of ");
            name_buffer(b.storage);
        } else {
            out.put_bytes(b.bytes);
            out.put(" at ");
            out.put(b.offset);
        }
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
