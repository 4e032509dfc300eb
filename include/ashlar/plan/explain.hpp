// SPDX-License-Identifier: BSL-1.0
// explain(e): the plan of an expression as text.
#pragma once

#include <ashlar/plan/formula.hpp>
#include <ashlar/plan/summary.hpp>

namespace ashlar {
namespace detail {

/// Writes the plan of P, a `planned`, step by step.
template <class P>
struct plan_printer : formula_writer<P> {
    using base = formula_writer<P>;
    using base::out, base::index, base::at, base::value, base::name_buffer, base::name_operand;
    using typename base::id;
    static constexpr const auto& code = P::code;
    static constexpr const auto& summary = plan<typename P::expression_type, typename P::configuration>;
    static constexpr std::size_t kind_width = 10, shape_column = 44, lanes_column = 65, place_column = 80;

    std::size_t depth = 0;

    constexpr void print() {
        const graph_node& root = P::nodes[P::count - 1];
        out.put("plan of ");
        out.put(element_name(root.scalar, root.element_bytes));
        out.put(' ');
        put_shape(static_cast<id>(P::count - 1));
        out.put(": ");
        out.put_plural(summary.step_count, "step", "steps");
        out.put(", ");
        out.put(summary.flops);
        out.put(" flops, ");
        out.put_bytes(summary.scratch_bytes);
        out.put(" of scratch, ");
        out.put_plural(P::target.lanes(root.element_bytes), "lane", "lanes");
        out.put('\n');
        print_operands();
        for (std::size_t i = 0; i < summary.step_count; ++i) print_step(i);
    }

private:
    // ------------------------------------------------------------------ operands

    constexpr void print_operands() {
        out.indent = 6;
        bool any = false;
        for (std::size_t n = 0; n < P::count; ++n) {
            if (P::nodes[n].kind != op::array) continue;
            out.put(any ? ", " : "reads ");
            any = true;
            out.unbroken = true;
            name_operand(static_cast<id>(n));
            out.put(' ');
            put_shape(static_cast<id>(n));
            const graph_node& g = P::nodes[n];
            if (g.rank >= 2 && g.strides[g.rank - 2u] == 1 && g.strides[g.rank - 1u] != 1) out.put(" by columns");
            out.unbroken = false;
            if (is_only_copied(n)) out.put(" through a copy");
        }
        if (any) out.put('\n');
    }
    /// Whether every stage that reads an operand only copies it.
    static constexpr bool is_only_copied(std::size_t n) {
        bool copied = false;
        for (std::size_t s = 0; s < code.stage_count; ++s) {
            const auto& stage = code.stages[s];
            const bool product = stage.kind == stage_kind::product;
            const bool reads = touches(s, stage.top, n) ||
                               (product && (touches(s, at(stage.core).operands[0], n) || touches(s, at(stage.core).operands[1], n)));
            if (reads && !base::is_copy(s)) return false;
            copied = copied || (reads && stage.buffer != -1);
        }
        return copied;
    }
    static constexpr bool touches(std::size_t s, id n, std::size_t operand) {
        n = base::past_names(n);
        if (code.stages[s].values[index(n)] != -1) return false;
        if (index(n) == operand) return true;
        if (at(n).kind == op::matmul) return false;
        for (std::size_t i = 0; i < at(n).operand_count; ++i)
            if (touches(s, at(n).operands[i], operand)) return true;
        return false;
    }

    // ------------------------------------------------------------------ shapes

    constexpr void put_dimension(id n, std::size_t a, std::size_t extent, bool& any) {
        out.put(any ? ", " : "[");
        any = true;
        if (const char* name = labels_of<P>[index(n)].axis_names[a]; name != nullptr) {
            out.put(name);
            out.put(' ');
        }
        out.put(extent);
    }
    constexpr void put_shape(id n) {
        bool any = false;
        for (std::size_t a = 0; a < at(n).rank; ++a) put_dimension(n, a, at(n).extents[a], any);
        out.put(any ? "]" : "[]");
    }
    /// The part of the stage's values that one tile has; one per row for `folded` ones.
    constexpr void put_tile(std::size_t s, bool folded) {
        const auto& stage = code.stages[s];
        bool any = false;
        for (std::size_t a = 0; a < at(stage.top).rank; ++a) {
            std::size_t extent = at(stage.top).extents[a];
            if (extent == 1) continue;
            const id axis = stage.top_axes[a];
            if (folded && axis != whole && index(axis) == stage.column_axis) continue;
            const id loop = axis == whole ? whole : stage.bindings[index(axis)];
            if (loop != whole && !code.loops[index(loop)].rows) continue;
            if (loop != whole) extent = code.loops[index(loop)].tile;
            put_dimension(stage.top, a, extent, any);
        }
        out.put(any ? "]" : "[]");
    }

    // ------------------------------------------------------------------ steps and loops

    constexpr void start_line() {
        out.indent = 0;
        for (std::size_t i = 0; i < 2 * depth; ++i) out.put(' ');
        out.indent = 2 * depth + kind_width;
    }

    constexpr void print_step(std::size_t i) {
        const plan_step& step = summary.steps[i];
        out.put('\n');
        depth = 0;
        start_line();
        out.put("step ");
        out.put(i + 1);
        out.put(": ");
        out.put(step.flops);
        out.put(" flops, ");
        if (step.scratch_bytes == 0) {
            out.put("no scratch");
        } else {
            out.put_bytes(step.scratch_bytes);
            out.put(" of scratch a tile");
        }
        if (step.barriers != 0) {
            out.put(", ");
            out.put_plural(step.barriers, "value", "values");
            out.put(" for later steps (");
            out.put_bytes(step.barrier_bytes);
            out.put(')');
        }
        if (step.stores != 0) {
            out.put(", ");
            out.put_plural(step.stores, "store", "stores");
        }
        if (step.writes_result) out.put(", the result");
        out.put('\n');
        const step_place& place = steps_of<P>.place[i];
        print_loops_around(place.parent);
        if (place.rows != -1) {
            ++depth;
            print_loop(place.rows);
        }
        ++depth;
        print_items(place.rows == -1 ? place.parent : place.rows, i);
    }
    constexpr void print_loops_around(id loop) {
        if (loop == -1) return;
        print_loops_around(code.loops[index(loop)].parent);
        ++depth;
        print_loop(loop);
    }
    constexpr void print_loop(id loop) {
        const plan_loop& l = code.loops[index(loop)];
        const char* name = name_of_loop(loop);
        start_line();
        if (!l.rows) {
            out.put("for each of ");
            out.put(l.extent);
        } else if (l.tile == l.extent) {
            out.put("for all ");
            out.put_plural(l.extent, "row", "rows");
        } else {
            out.put("for every ");
            out.put(l.tile);
            out.put(" of ");
            out.put(l.extent);
            out.put(" rows");
        }
        if (name != nullptr) {
            out.put(" (");
            out.put(name);
            out.put(')');
        }
        if (l.rows && l.extent % l.tile != 0) {
            out.put(", ");
            out.put(l.extent % l.tile);
            out.put(" at the end");
        }
        out.put('\n');
    }
    static constexpr const char* name_of_loop(id loop) {
        for (std::size_t s = 0; s < code.stage_count; ++s)
            for (std::size_t a = 0; a < at(code.stages[s].space).rank; ++a)
                if (code.stages[s].bindings[a] == loop)
                    if (const char* name = labels_of<P>[index(code.stages[s].space)].axis_names[a]; name != nullptr) return name;
        return nullptr;
    }
    constexpr void print_items(id parent, std::size_t step) {
        for (std::size_t i = 0; i < code.item_count; ++i) {
            const plan_item& item = code.items[i];
            if (item.parent != parent) continue;
            if ((item.is_loop ? steps_of<P>.of_loop[index(item.index)] : steps_of<P>.of_stage[index(item.index)]) != step) continue;
            if (item.is_loop) {
                print_loop(item.index);
                ++depth;
                print_items(item.index, step);
                --depth;
            } else {
                print_stage(index(item.index));
            }
        }
    }

    // ------------------------------------------------------------------ stages

    constexpr void print_stage(std::size_t s) {
        const auto& stage = code.stages[s];
        start_line();
        switch (stage.kind) {
            case stage_kind::product: out.put("product"); break;
            case stage_kind::softmax: out.put("softmax"); break;
            case stage_kind::standardize: out.put("norm"); break;
            case stage_kind::reduce: out.put("reduce"); break;
            default: out.put(base::is_copy(s) ? "copy" : "map"); break;
        }
        out.align(2 * depth + kind_width);
        if (stage.kind == stage_kind::product || stage.kind == stage_kind::map) {
            if (stage.buffer != -1)
                name_buffer(stage.buffer);
            else
                out.put(stage.store != -1 ? "store" : "result");
            out.put(" = ");
            if (stage.kind == stage_kind::map) {
                value(s, stage.top);
            } else {
                out.put("matmul(");
                value_of_left(s);
                out.put(", ");
                value(s, at(stage.core).operands[1]);
                out.put(')');
            }
            print_place(s, stage.buffer, false, true);
            if (stage.kind == stage_kind::product) print_epilogue(s);
        } else {
            print_statistics(s);
        }
        print_key_tiles(s);
    }
    /// The left operand without the factor that the epilogue applies.
    constexpr void value_of_left(std::size_t s) {
        const auto& stage = code.stages[s];
        if (stage.left_factor == -1)
            value(s, at(stage.core).operands[0]);
        else
            name_buffer(stage.values[index(stage.left_factor)]);
    }
    constexpr void print_epilogue(std::size_t s) {
        const auto& stage = code.stages[s];
        const bool plain = base::past_names(stage.top) == stage.core;
        if (plain && stage.left_factor == -1) return;
        continue_line();
        out.put("then ");
        if (stage.left_factor != -1) {
            out.put("* ");
            name_buffer(stage.factors[index(stage.left_factor)]);
        }
        base::epilogue(s, stage.top, stage.left_factor == -1);
        out.put('\n');
    }
    constexpr void print_statistics(std::size_t s) {
        const auto& stage = code.stages[s];
        const graph_node& core = at(stage.core);
        const bool softmax = stage.kind == stage_kind::softmax, norm = stage.kind == stage_kind::standardize;
        if (stage.buffer != -1) {
            name_buffer(stage.buffer);
            out.put(softmax ? " = exp(" : norm ? " = mean(" : " = ");
            if (!softmax && !norm) {
                out.put(reduction_name(core.variant));
                out.put('(');
            }
            value(s, stage.top);
            out.put(softmax ? " - max)" : ")");
            print_place(s, stage.buffer, !softmax, true);
        }
        if (stage.second_buffer == -1) return;
        if (stage.buffer != -1) continue_line();
        name_buffer(stage.second_buffer);
        if (softmax && stage.buffer != -1) {
            out.put(" = 1 / sum");
        } else {
            out.put(softmax ? " = logsumexp(" : core.variant == 0 ? " = 1 / deviation(" : " = 1 / rms(");
            value(s, stage.top);
            out.put(')');
        }
        print_place(s, stage.second_buffer, true, stage.buffer == -1);
    }
    constexpr void continue_line() {
        out.indent = 0;
        for (std::size_t i = 0; i < 2 * depth + kind_width; ++i) out.put(' ');
        out.indent = 2 * depth + kind_width + 5;
    }

    /// Shape, lanes, and where the values are.
    constexpr void print_place(std::size_t s, id buffer, bool folded, bool with_lanes) {
        const auto& stage = code.stages[s];
        out.start_at(shape_column);
        put_tile(s, folded);
        if (with_lanes) {
            out.start_at(lanes_column);
            out.put("lanes: ");
            out.put(stage.lanes == lane_axis::rows ? "rows" : stage.lanes == lane_axis::columns ? "columns" : "depth");
        }
        if (buffer != -1) {
            out.start_at(place_column);
            const plan_buffer& b = code.buffers[index(buffer)];
            if (b.storage != buffer) {
                out.put("in place of ");
                name_buffer(b.storage);
            } else {
                out.put_bytes(b.bytes);
                out.put(" at ");
                out.put(b.offset);
            }
        }
        out.put('\n');
    }
    constexpr void print_key_tiles(std::size_t s) {
        const key_tiles keys = key_tiles_of<P>(s);
        if (keys.total == 0) return;
        continue_line();
        out.put("of ");
        out.put_plural(keys.total, "tile", "tiles");
        out.put(" of ");
        const id rows = steps_of<P>.place[steps_of<P>.of_stage[s]].rows;
        out.put(rows == -1 ? std::size_t{1} : code.loops[index(rows)].tile);
        out.put(" x ");
        out.put(key_group);
        out.put(" keys: ");
        bool any = false;
        const auto part = [&](std::size_t n, const char* what) {
            if (n == 0) return;
            if (any) out.put(", ");
            any = true;
            out.put(n);
            out.put(what);
        };
        part(keys.skipped, " skipped");
        part(keys.empty - keys.skipped, " empty");
        part(keys.mixed, " masked");
        part(keys.full, " full");
        part(keys.undecided, " decided at run time");
        out.put('\n');
    }
};

template <class E, class Config>
inline constexpr plan_writer plan_text = [] {
    if constexpr (node_expression<E>) {
        plan_printer<planned<E, Config>> printer;
        printer.print();
        return printer.out;
    } else {
        plan_writer out;
        out.put("a tensor: nothing to compute\n");
        return out;
    }
}();

}  // namespace detail

/// The plan of an expression as text: its steps in the order in which they run, with the loops, each value's formula,
/// shape, lanes and place in scratch, what is applied in registers ("then"), and of how many tiles of keys a mask lets
/// how many be skipped. Operands are called a, b, ... in the order in which they stand in the expression, scalars s,
/// values in scratch t1, t2, ... At most 100 columns. A constant: costs nothing when the program runs.
///
///     std::puts(explain(attention(q, k, v, causal)).c_str());
template <expression E, class Config = current_config>
[[nodiscard]] constexpr auto explain(const E&) noexcept {
    constexpr const auto& from = detail::plan_text<std::remove_cvref_t<E>, Config>;
    fixed_text<from.text.length> text;
    for (std::size_t i = 0; i < from.text.length; ++i) text.characters[i] = from.text.characters[i];
    text.length = from.text.length;
    return text;
}

}  // namespace ashlar
