// SPDX-License-Identifier: BSL-1.0
// plan_json<Expression>: the plan of an expression as JSON, for programs that draw it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/plan/report/plan_json_printer.hpp>
#include <ashlar/plan/sequence/sequence_plan.hpp>
#include <ashlar/plan/sharing/shared_plan.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// A plan as one JSON object, with how often it runs and for how many rows.
template <class Plan, std::size_t Times, std::size_t MoreThan, std::size_t UpTo>
inline constexpr auto json_of_plan = [] {
    using printer = plan_json_printer<Plan>;
    constexpr std::size_t length = [] {
        printer counted(nullptr);
        counted.print(Times, MoreThan, UpTo);
        return counted.json.length;
    }();
    fixed_text<length> whole;
    printer written(whole.characters.data());
    written.print(Times, MoreThan, UpTo);
    whole.length = length;
    return whole;
}();

/// Calls visit<Plan, Times, MoreThan, UpTo>() for each plan of parts in the order in which they run. Rows limit the
/// last plan of a part, and workers share it.
template <class Config, class Rows, std::size_t Bytes, std::size_t Times, class Visitor, class... Expression>
constexpr void each_plan_of_part(Visitor& visit, plan_part<Times, Expression...>) {
    const auto visit_plan = [&]<class Step, bool Last>() {
        each_run_plan<Step, Config, std::conditional_t<Last, Rows, all_rows>, Last ? Bytes : not_shared>(
            [&]<class Plan, std::size_t MoreThan, std::size_t UpTo>() {
                visit.template operator()<Plan, Times, MoreThan, UpTo>();
            });
    };
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        (visit_plan.template operator()<Expression, Index + 1 == sizeof...(Expression)>(), ...);
    }(std::index_sequence_for<Expression...>{});
}
template <class Expression, class Config, class Rows, std::size_t Workers, class Visitor>
constexpr void each_plan(Visitor visit) {
    constexpr std::size_t scratch = shared_scratch<Expression, Workers, Config>;
    if constexpr (sequence_expression<Expression>) {
        constexpr std::size_t bytes = Workers == 1 ? not_shared : scratch - sequence_plan<Expression>::buffer_bytes;
        [&]<class... Parts>(plan_parts<Parts...>) {
            (each_plan_of_part<Config, Rows, bytes>(visit, Parts{}), ...);
        }(typename sequence_plan<Expression>::parts_type{});
    } else if constexpr (node_expression<Expression>) {
        if constexpr (check_names<Expression>())
            each_plan_of_part<Config, Rows, Workers == 1 ? not_shared : scratch>(visit, plan_part<1, Expression>{});
    }
}

template <class Expression, class Config, class Rows, std::size_t Workers>
constexpr std::size_t put_plan_json(char* to) {
    json_writer json{.to = to};
    json.begin('{');
    json.member("version", std::size_t{1}, "flops", expression_flops<Expression>, "workspace_bytes",
                shared_scratch<Expression, Workers, Config>);
    std::size_t moved = 0;
    each_plan<Expression, Config, Rows, Workers>([&]<class Plan, std::size_t Times, std::size_t, std::size_t UpTo>() {
        using printer = plan_json_printer<Plan>;  // one of two alternatives counts
        if (UpTo == 0) moved += Times * (printer::operand_bytes() + printer::result_bytes());
    });
    json.member("moved_bytes", moved);
    constexpr machine target = machine_of<Config>;
    json.begin("machine", '{');
    json.member("register_bytes", target.register_bytes, "registers", target.registers, "l1_bytes", target.l1_bytes,
                "l2_bytes", target.l2_bytes);
    json.end('}');
    json.begin("plans", '[');
    each_plan<Expression, Config, Rows, Workers>(
        [&]<class Plan, std::size_t Times, std::size_t MoreThan, std::size_t UpTo>() {
            constexpr const auto& text = json_of_plan<Plan, Times, MoreThan, UpTo>;
            json.raw(text.data(), text.length);
        });
    json.end(']', '}');
    return json.length;
}

template <class Expression, class Config, class Rows, std::size_t Workers>
inline constexpr auto plan_as_json = [] {
    fixed_text<put_plan_json<Expression, Config, Rows, Workers>(nullptr)> whole;
    whole.length = put_plan_json<Expression, Config, Rows, Workers>(whole.characters.data());
    return whole;
}();

}  // namespace detail

/// The plan of expression type Expression as JSON, a fixed_text of its exact length: what `explain` says as objects.
/// Totals are those of `flops` and `workspace_bytes`; `moved_bytes` counts every operand and result once, where the
/// caches hold nothing before and everything after. Each plan has its operands, its buffers with their place in scratch
/// and their time (numbers of stages), and its steps: loops, and stages with formula, operations and, where they mask,
/// a map of the tiles. With several Workers, or with the type of a `rows_below` as Rows, it is the plan that `explain`
/// has for them. docs/pictures.md lists the members. A constant: costs nothing at run time.
///
///     std::puts(plan_json<decltype(attention(q, k, v, causal))>.c_str());   // tools/draw_plan.py draws it
///     constexpr auto& shared = plan_json<decltype(softmax(q)), 4, decltype(rows_below(1))>;
template <detail::plannable Expression, std::size_t Workers = 1, class Rows = detail::all_rows,
          class Config = current_config>
    requires(Workers >= 1)
inline constexpr auto plan_json = detail::plan_as_json<detail::planned_by<Expression>, Config, Rows, Workers>;

}  // namespace ashlar
