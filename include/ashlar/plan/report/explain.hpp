// SPDX-License-Identifier: BSL-1.0
// explain(e): the plan of an expression as text.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/plan/report/plan_printer.hpp>
#include <ashlar/plan/sequence/input_limits.hpp>
#include <ashlar/plan/sequence/sequence_plan.hpp>
#include <ashlar/plan/sharing/shared_plan.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// The plan of Expression, or with this much scratch for workers the plan that they share: two plans if the number of
/// rows decides.
template <class Expression, class Config, class Rows, std::size_t Bytes, class Put>
constexpr void put_plans(const Put& put) {
    if constexpr (!node_expression<Expression>) {
        text_writer<64> out;
        out.put("a tensor: nothing to compute\n");
        put(out.text);
    } else if constexpr (check_names<Expression>()) {
        each_run_plan<Expression, Config, Rows, Bytes>([&]<class Plan, std::size_t MoreThan, std::size_t UpTo>() {
            text_writer<128> heading;
            if constexpr (UpTo != 0) {
                heading.put("for rows_below of at most ");
                heading.put(plural{UpTo, "row", "rows"});
                heading.put(":\n");
            } else if constexpr (MoreThan != 0) {
                heading.put("\nfor more rows:\n");
            }
            put(heading.text);
            put(printed_plan<Plan>.out.text);
        });
    }
}

/// The heading of the plans of a part.
constexpr text_writer<128> part_heading(std::size_t times, bool reads_all = false) {
    text_writer<128> out;
    out.put('\n');
    if (times == 1)
        out.put("once:");
    else
        out.put(times, " times:");
    if (reads_all) out.put(" (all rows of what is computed before it are needed)");
    out.put('\n');
    return out;
}

/// The characters of a part: a heading, and its plans with empty lines between them. Rows limit the last plan, whose
/// result is that of the part, and workers share it.
template <class Config, class Rows, std::size_t Bytes, class Source, class Out, std::size_t Times, class... Expression>
constexpr void put_part(Out&& put, plan_part<Times, Expression...>) {
    bool reads_all = false;
    if constexpr (Rows::are_limited) reads_all = limits_of_input<Source, Config, Rows, Expression...>().are_all();
    put(part_heading(Times, reads_all).text);
    std::size_t number = 0;
    const auto put_plan = [&]<class Step, bool Last>() {
        if (number++ != 0) put(fixed_text<1>{{'\n'}, 1});
        put_plans<Step, Config, std::conditional_t<Last, Rows, all_rows>, Last ? Bytes : not_shared>(put);
    };
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (put_plan.template operator()<Expression, Index + 1 == sizeof...(Expression)>(), ...);
    }(std::index_sequence_for<Expression...>{});
}

/// The plans of all parts of Expression after the total cost.
template <class Expression, class Config, class Rows, std::size_t Workers, class Put, class... Parts>
constexpr void put_parts(const Put& put, plan_parts<Parts...>) {
    using source = typename sequence_plan<Expression>::source;
    constexpr std::size_t scratch = shared_scratch<Expression, Workers, Config>,
                          between = sequence_plan<Expression>::buffer_bytes;
    text_writer<192> heading;
    heading.put("evaluated in parts, one after the other: ");
    heading.put(expression_flops<Expression>);
    heading.put(" flops, ");
    heading.put(byte_count{scratch});
    heading.put(" of scratch, ");
    heading.put(byte_count{between});
    heading.put(" of it between them\n");
    put(heading.text);
    (put_part < Config, Rows, Workers == 1 ? not_shared : scratch - between, source > (put, Parts{}), ...);
}

/// As long as it is.
template <class Expression, class Config, class Rows = all_rows, std::size_t Workers = 1>
inline constexpr auto explained = [] {
    const auto put_all = [](const auto& put) {
        if constexpr (sequence_expression<Expression>)
            put_parts<Expression, Config, Rows, Workers>(put, typename sequence_plan<Expression>::parts_type{});
        else
            put_plans<Expression, Config, Rows,
                      Workers == 1 ? not_shared : shared_scratch<Expression, Workers, Config>>(put);
    };
    constexpr std::size_t length = [&] {
        std::size_t all = 0;
        put_all([&](const auto& text) { all += text.length; });
        return all;
    }();
    fixed_text<length> whole;
    put_all([&](const auto& text) {
        for (std::size_t i = 0; i < text.length; ++i) whole.characters[whole.length++] = text.characters[i];
    });
    return whole;
}();

}  // namespace detail

/// The plan of an expression as text: its steps in execution order, with loops, each value's formula, shape, lanes and
/// place in scratch, what is applied in registers ("then"), and how many tiles of keys a mask skips. Operands are
/// called a, b, ... in their order in the expression, scalars s, values in scratch t1, t2, ... At most 100 columns. If
/// an evaluation runs several plans, as a stack of layers does, the text has each of them with how often it runs. A
/// constant: costs nothing at run time.
///
///     std::puts(explain(attention(q, k, v, causal)).c_str());
template <detail::plannable Expression, class Config = current_config>
[[nodiscard]] constexpr auto explain(const Expression&) noexcept {
    return detail::explained<detail::planned_by<Expression>, Config>;
}

/// The same for an evaluation of the first rows only: which loops end at rows_below, which after the last key that a
/// mask keeps, and which run over all rows because a stage needs all of them.
///
///     std::puts(explain(encoder(x, keys_below(n)), rows_below(n)).c_str());
template <any_expression Expression, detail::row_limit Rows, class Config = current_config>
[[nodiscard]] constexpr auto explain(const Expression&, const Rows&) noexcept {
    return detail::explained<std::remove_cvref_t<Expression>, Config, Rows>;
}

/// The same for the plan that several workers of an executor share.
///
///     std::puts(explain<2>(attention(q, k, v)).c_str());   // for every 32 of 128 rows, which workers share
template <std::size_t Workers, detail::plannable Expression, class Config = current_config>
[[nodiscard]] constexpr auto explain(const Expression&) noexcept {
    return detail::explained<detail::planned_by<Expression>, Config, detail::all_rows, Workers>;
}

/// The same if they compute the first rows only: two plans if the number of rows decides.
///
///     std::puts(explain<2>(attention(q, k, v), rows_below(n)).c_str());
template <std::size_t Workers, any_expression Expression, detail::row_limit Rows, class Config = current_config>
[[nodiscard]] constexpr auto explain(const Expression&, const Rows&) noexcept {
    return detail::explained<std::remove_cvref_t<Expression>, Config, Rows, Workers>;
}

}  // namespace ashlar
