// SPDX-License-Identifier: BSL-1.0
// What a stage computes, written as a formula over operands (a, b, ...) and buffers (t1, t2, ...).
#pragma once

#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/plan/graph/labels.hpp>
#include <ashlar/plan/report/steps.hpp>

namespace ashlar::inline v0_1::detail {

/// Writes names and formulas of Plan, a `planned`. Operands are named in their order in the expression, buffers in the
/// order in which they are written.
template <class Plan>
struct formula_writer {

    plan_writer out{};
    std::array<std::size_t, std::size(Plan::code.buffers)> buffer_number{};
    std::size_t named_buffers = 0;

    static constexpr const graph_node& at(node_index n) { return Plan::nodes[n]; }
    static constexpr const auto& stage(stage_index s) { return Plan::code.stages[s]; }
    static constexpr const node_read& read_of(stage_index s, node_index n) { return Plan::code.read_of(stage(s), n); }

    static constexpr bool is_operand(node_kind kind) { return kind == node_kind::array || kind == node_kind::packed; }

    static constexpr auto operands_before = [] {
        std::array<std::size_t, Plan::count> before{};
        for (std::size_t i = 1; i < Plan::count; ++i)
            before[i] = before[i - 1] + (is_operand(Plan::nodes[i - 1].kind) ? 1u : 0u);
        return before;
    }();

    constexpr void name_operand(node_index n) {
        const std::size_t before = operands_before[n];
        out.put(static_cast<char>('a' + before % 26));
        if (before >= 26) out.put(before / 26);
    }
    constexpr void name_buffer(buffer_index b) {
        if (buffer_number[b] == 0) buffer_number[b] = ++named_buffers;
        out.put('t', buffer_number[b]);
    }

    /// Writes text, numbers and names of buffers.
    template <class... Parts>
    constexpr void write(Parts... parts) {
        const auto put = [&]<class Part>(Part part) {
            if constexpr (std::is_same_v<Part, buffer_index>)
                name_buffer(part);
            else
                out.put(part);
        };
        (put(parts), ...);
    }

    /// The node behind names that stage s reads or computes.
    static constexpr node_index past_names(stage_index s, node_index n) {
        for (;;) {
            if (read_of(s, n).values != no_buffer) return n;
            const node_kind kind = at(n).kind;
            if (kind == node_kind::let || kind == node_kind::let_value)
                n = at(n).same_as;
            else if (kind == node_kind::store || (kind == node_kind::broadcast && at(n).rank != 0))
                n = at(n).operands[0];
            else
                return n;
        }
    }

    /// Whether the stage does no arithmetic: only memory behind index maps.
    static constexpr bool is_copy(stage_index s) {
        if (stage(s).kind != stage_kind::map) return false;
        node_index n = stage(s).top;
        for (;;) {
            n = past_names(s, n);
            if (is_operand(at(n).kind) || (read_of(s, n).values != no_buffer && read_of(s, n).factors == no_buffer))
                return true;
            if (!is_index_map(at(n).kind)) return false;
            n = at(n).operands[0];
        }
    }

    /// Whether node n, as the stage computes it, contains the stage's core.
    static constexpr bool contains_core(stage_index s, node_index n) {
        n = past_names(s, n);
        if (n == stage(s).core) return true;
        if (read_of(s, n).values != no_buffer) return false;
        for (std::size_t i = 0; i < at(n).operand_count; ++i)
            if (contains_core(s, at(n).operands[i])) return true;
        return false;
    }

    /// The value of n as the stage reads or computes it, in parentheses if it is more than a name and `tight`.
    constexpr void value(stage_index s, node_index n, bool tight = false) {
        if (stage(s).kind == stage_kind::product && n != stage(s).top && past_names(s, n) == stage(s).core)
            return out.put('_');
        n = past_names(s, n);
        const graph_node& g = at(n);
        const auto [held, factor] = read_of(s, n);
        const bool standardizes = g.kind == node_kind::standardize,
                   logarithm = g.kind == node_kind::softmax && g.variant != 0;
        if (held != no_buffer && factor == no_buffer && !standardizes) return name_buffer(held);
        if (standardizes || held != no_buffer) {
            if (tight) out.put('(');
            if ((standardizes || logarithm) && held != no_buffer) {
                out.put('(');
                value(s, g.operands[0], true);
                write(" - ", held, logarithm ? ") - " : ") * ");
            } else if (standardizes) {
                value(s, g.operands[0], true);
                out.put(" * ");
            } else {
                write(held, " * ");
            }
            if (factor != no_buffer) name_buffer(factor);
            if (tight) out.put(')');
            return;
        }
        switch (g.kind) {
        case node_kind::array:
        case node_kind::packed: return name_operand(n);
        case node_kind::scalar: return out.put('s');
        case node_kind::index: return out.put("index");
        case node_kind::mask: return labels_of<Plan>[n].write_mask(out, tight);
        case node_kind::map: return function(s, n, tight);
        case node_kind::permute: return call(s, n, is_transpose(g) ? "transpose" : "permute");
        case node_kind::concat: return call(s, n, "concat");
        case node_kind::take: return call(s, n, "take");
        case node_kind::matmul: return call(s, n, "matmul");
        case node_kind::reduce: return call(s, n, reduction_names[g.variant]);
        case node_kind::matrix: return call(s, n, matrix_function_names[g.variant]);
        case node_kind::masked:
            out.put("masked(");
            value(s, g.operands[0]);
            out.put(", ");
            labels_of<Plan>[n].write_mask(out, false);
            return out.put(')');
        default:
            if (is_index_map(g.kind)) return call(s, n, move_name(g.kind));
            return out.put('_');
        }
    }

    /// The operations on the elements of a stage's product before they are stored, innermost first.
    constexpr bool epilogue(stage_index s, node_index n, bool first = true) {
        n = past_names(s, n);
        if (n == stage(s).core) return first;
        const graph_node& g = at(n);
        if (n == stage(s).scaling && stage(s).factor == score_factor::taken_out)
            return epilogue(s, g.operands[0], first);
        std::size_t inside = 0;
        while (inside + 1u < g.operand_count && !contains_core(s, g.operands[inside])) ++inside;
        first = epilogue(s, g.operands[inside], first);
        if (g.kind != node_kind::map && g.kind != node_kind::masked) return first;
        if (!first) out.put(", ");
        if (g.kind == node_kind::masked) {
            out.put("masked(");
            labels_of<Plan>[n].write_mask(out, false);
            out.put(')');
        } else if (g.operand_count == 1) {
            out.put(is_operator(n) ? "negate" : labels_of<Plan>[n].function);
            if (g.fast) out.put("(_, fast)");
        } else if (const char c = labels_of<Plan>[n].function[0];
                   is_operator(n) && g.operand_count == 2 && (inside == 0 || c == '+' || c == '*')) {
            out.put(labels_of<Plan>[n].function, ' ');
            value(s, g.operands[1 - inside], true);
        } else {
            value(s, n);
        }
        if (n == stage(s).scaling) out.put(" * log2(e)");
        return false;
    }

    /// The factor of scores by which the stage multiplies the left operand of their product.
    constexpr void factor_of_rows(stage_index s) {
        if (stage(s).factor != score_factor::in_rows) return;
        out.put(stage(s).scaling == no_node                           ? " * log2(e)"
                : at(stage(s).scaling).scaling == scaling_kind::times ? " * s * log2(e)"
                                                                      : " / s * log2(e)");
    }

    /// A matrix function that the stage itself computes.
    constexpr void matrices(stage_index s, node_index n) { call(s, n, matrix_function_names[at(n).variant]); }

private:
    static constexpr bool is_operator(node_index n) {
        const char c = labels_of<Plan>[n].function[0];
        return c < 'a' || c > 'z';
    }
    static constexpr bool is_transpose(const graph_node& g) {
        for (std::size_t i = 0; i < g.rank; ++i) {
            const std::size_t expected = i + 2u < g.rank || g.rank < 2 ? i : 2u * g.rank - 3u - i;
            if (g.permutation[i] != static_cast<std::ptrdiff_t>(expected)) return false;
        }
        return true;
    }
    constexpr void call(stage_index s, node_index n, const char* name) {
        out.put(name, '(');
        for (std::size_t i = 0; i < at(n).operand_count; ++i) {
            if (i != 0) out.put(", ");
            value(s, at(n).operands[i]);
        }
        out.put(at(n).fast ? ", fast)" : ")");
    }
    constexpr void function(stage_index s, node_index n, bool tight) {
        const graph_node& g = at(n);
        const char* name = labels_of<Plan>[n].function;
        if (!is_operator(n)) return call(s, n, name);
        if (g.operand_count == 1) {
            out.put(name);
            return value(s, g.operands[0], true);
        }
        if (tight) out.put('(');
        value(s, g.operands[0], true);
        out.put(' ', name, ' ');
        value(s, g.operands[1], true);
        if (tight) out.put(')');
    }
};

}  // namespace ashlar::detail
