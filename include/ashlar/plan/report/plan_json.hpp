// SPDX-License-Identifier: BSL-1.0
// plan_json<Expression>: the plan of an expression as JSON, for programs that draw it.
#pragma once

#include <ashlar/plan/report/plan_json_printer.hpp>
#include <ashlar/plan/sequence/sequence_plan.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// The plan of Expression as one JSON object, with how often it runs.
template <class Expression, class Config, std::size_t Times>
inline constexpr auto json_of_plan = [] {
    using printer = plan_json_printer<planned<Expression, Config>>;
    constexpr std::size_t length = [] {
        printer counted(nullptr);
        counted.print(Times);
        return counted.json.length;
    }();
    fixed_text<length> whole;
    printer written(whole.characters.data());
    written.print(Times);
    whole.length = length;
    return whole;
}();

/// Calls visit<Expression, Times>() for each plan of parts in the order in which they run.
template <class Visitor, std::size_t Times, class... Expression>
constexpr void each_plan_of_part(Visitor& visit, plan_part<Times, Expression...>) {
    (visit.template operator()<Expression, Times>(), ...);
}
template <class Visitor, class... Parts>
constexpr void each_plan_of_parts(Visitor& visit, plan_parts<Parts...>) {
    (each_plan_of_part(visit, Parts{}), ...);
}
template <class Expression, class Visitor>
constexpr void each_plan(Visitor visit) {
    if constexpr (sequence_expression<Expression>) {
        each_plan_of_parts(visit, typename sequence_plan<Expression>::parts_type{});
    } else if constexpr (node_expression<Expression>) {
        if constexpr (check_names<Expression>()) visit.template operator()<Expression, std::size_t{1}>();
    }
}

template <class Expression, class Config>
constexpr std::size_t put_plan_json(char* to) {
    json_writer json{.to = to};
    json.begin('{');
    json.member("version", std::size_t{1});
    json.member("flops", expression_flops<Expression>);
    json.member("workspace_bytes", expression_scratch<Expression, Config>);
    std::size_t moved = 0;
    each_plan<Expression>([&]<class Part, std::size_t Times>() {
        using printer = plan_json_printer<planned<Part, Config>>;
        moved += Times * (printer::operand_bytes() + printer::result_bytes());
    });
    json.member("moved_bytes", moved);
    constexpr machine target = machine_of<Config>;
    json.key("machine");
    json.begin('{');
    json.member("register_bytes", target.register_bytes);
    json.member("registers", target.registers);
    json.member("l1_bytes", target.l1_bytes);
    json.member("l2_bytes", target.l2_bytes);
    json.end('}');
    json.key("plans");
    json.begin('[');
    each_plan<Expression>([&]<class Part, std::size_t Times>() {
        constexpr const auto& text = json_of_plan<Part, Config, Times>;
        json.raw(text.data(), text.length);
    });
    json.end(']');
    json.end('}');
    return json.length;
}

template <class Expression, class Config>
inline constexpr auto plan_as_json = [] {
    fixed_text<put_plan_json<Expression, Config>(nullptr)> whole;
    whole.length = put_plan_json<Expression, Config>(whole.characters.data());
    return whole;
}();

}  // namespace detail

/// The plan of expression type Expression as JSON, a fixed_text of its exact length: what `explain` says as objects.
/// Totals are those of `flops` and `workspace_bytes`; `moved_bytes` counts every operand and result once, where the
/// caches hold nothing before and everything after. Each plan has its operands, its buffers with their place in scratch
/// and their time (numbers of stages), and its steps: loops, and stages with formula, operations and, where they mask,
/// a map of the tiles. docs/pictures.md lists the members. A constant: costs nothing at run time.
///
///     std::puts(plan_json<decltype(attention(q, k, v, causal))>.c_str());   // tools/draw_plan.py draws it
template <detail::plannable Expression, class Config = current_config>
inline constexpr auto plan_json = detail::plan_as_json<detail::planned_by<Expression>, Config>;

}  // namespace ashlar
