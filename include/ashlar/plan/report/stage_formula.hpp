// SPDX-License-Identifier: BSL-1.0
// The formulas of one stage: what it writes, the factors of its rows, and what is applied to sums in registers.
#pragma once

#include <ashlar/plan/report/formula.hpp>

namespace ashlar::inline v0_1::detail {

/// Writes the formulas of the stages of Plan, a `planned`.
template <class Plan>
struct stage_formula : formula_writer<Plan> {
    using base = formula_writer<Plan>;
    using base::out, base::at, base::value, base::name_buffer, base::stage;

    static constexpr const char* kind_name(stage_index s) {
        switch (stage(s).kind) {
        case stage_kind::product: return "product";
        case stage_kind::softmax: return "softmax";
        case stage_kind::standardize: return "norm";
        case stage_kind::reduce: return "reduce";
        case stage_kind::matrix: return "matrix";
        default: return base::is_copy(s) ? "copy" : "map";
        }
    }

    /// Which axis is in the lanes.
    static constexpr const char* lanes_name(stage_index s) {
        return stage(s).lanes == lane_axis::depth     ? "depth"
               : stage(s).lanes == lane_axis::columns ? "columns"
               : stage(s).kind == stage_kind::matrix  ? "matrices"
                                                      : "rows";
    }

    static constexpr bool is_logarithm(stage_index s) {
        return stage(s).kind == stage_kind::softmax && at(stage(s).core).variant != 0;
    }

    /// What a stage writes: t2 = matmul(t1, b). A stage of rows must have a first buffer.
    constexpr void put_formula(stage_index s) {
        const stage_kind kind = stage(s).kind;
        if (kind != stage_kind::product && kind != stage_kind::map && kind != stage_kind::matrix)
            return put_statistics(s);
        if (stage(s).buffer != no_buffer)
            name_buffer(stage(s).buffer);
        else
            out.put(stage(s).store != no_node ? "store" : "result");
        out.put(" = ");
        if (kind == stage_kind::map) {
            value(s, stage(s).top);
            base::factor_of_rows(s);
        } else if (kind == stage_kind::matrix) {
            base::matrices(s, stage(s).core);
        } else {
            out.put("matmul(");
            value_of_left(s);
            out.put(", ");
            value(s, at(stage(s).core).operands[1]);
            out.put(')');
        }
    }

    /// What a stage of rows writes to its second buffer: t5 = 1 / sum.
    constexpr void put_second_formula(stage_index s) {
        const graph_node& core = at(stage(s).core);
        name_buffer(stage(s).second_buffer);
        if (stage(s).running_maxima != no_buffer) out.put(" = sum so far, at the end");
        if (stage(s).kind == stage_kind::reduce) {
            out.put(" = what the tiles so far have given");
        } else if (stage(s).kind == stage_kind::softmax && !is_logarithm(s)) {
            out.put(core.partial ? " = 1, maxima and sums to memory" : " = 1 / sum");
        } else {
            out.put(is_logarithm(s) ? " = logsumexp(" : core.variant == 0 ? " = 1 / deviation(" : " = 1 / rms(");
            value(s, stage(s).top, is_logarithm(s));
            if (is_logarithm(s)) base::write(" - ", stage(s).buffer);
            out.put(')');
        }
    }

    /// Whether a product applies something to its sums before it stores them.
    static constexpr bool has_epilogue(stage_index s) {
        node_index last = base::past_names(s, stage(s).top);
        if (last == stage(s).scaling && stage(s).factor == score_factor::taken_out)
            last = base::past_names(s, at(last).operands[0]);
        return last != stage(s).core || stage(s).left_factor != no_node || stage(s).factor == score_factor::in_rows;
    }

    /// That, innermost first.
    constexpr void put_epilogue(stage_index s) {
        if (stage(s).left_factor != no_node)
            base::write("* ", Plan::code.read_of(stage(s), stage(s).left_factor).factors);
        base::epilogue(s, stage(s).top, stage(s).left_factor == no_node);
        base::factor_of_rows(s);
    }

private:
    /// The left operand without the factor that the epilogue applies.
    constexpr void value_of_left(stage_index s) {
        if (stage(s).left_factor == no_node)
            value(s, at(stage(s).core).operands[0]);
        else
            name_buffer(Plan::code.read_of(stage(s), stage(s).left_factor).values);
    }

    constexpr void put_statistics(stage_index s) {
        const graph_node& core = at(stage(s).core);
        const bool norm = stage(s).kind == stage_kind::standardize,
                   softmax = stage(s).kind == stage_kind::softmax && !is_logarithm(s);
        base::write(stage(s).buffer, stage(s).powers_of_two ? " = exp2("
                                     : softmax              ? " = exp("
                                     : is_logarithm(s)      ? " = max("
                                     : norm                 ? " = mean("
                                                            : " = ");
        if (!softmax && !is_logarithm(s) && !norm) out.put(reduction_names[core.variant], '(');
        value(s, stage(s).top);
        out.put(softmax ? " - " : ")");
        if (softmax && stage(s).running_maxima != no_buffer)
            name_buffer(stage(s).running_maxima);
        else if (softmax && stage(s).maxima != no_buffer)
            name_buffer(stage(s).maxima);
        else if (softmax)
            out.put("max");
        if (softmax) out.put(core.fast ? ", fast)" : ")");
        if (core.is_weighted) {
            out.put(" * ");
            value(s, core.operands[1], true);
        }
    }
};

}  // namespace ashlar::detail
