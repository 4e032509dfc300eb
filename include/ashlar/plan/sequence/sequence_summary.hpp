// SPDX-License-Identifier: BSL-1.0
// plan<Sequence>: the plans of a sequence's steps, as constants to assert on.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/plan/report/plan_summary.hpp>
#include <ashlar/plan/sequence/sequence_plan.hpp>

namespace ashlar::inline v0_1 {

/// One of the plans of a sequence: some of the summary's steps, and how often they run. A layer that appends to a cache
/// has one plan for each expression that appending evaluates, and one for the rest. Example: `sequence_summary`.
struct sequence_part {
    std::size_t times = 1;          ///< how often the plan runs
    std::size_t first_step = 0;     ///< its first step among those of the summary
    std::size_t step_count = 0;     ///< how many steps it has
    std::size_t flops = 0;          ///< arithmetic of all times
    std::size_t scratch_bytes = 0;  ///< what it takes of the workspace
};

/// The plan of a sequence: the steps of its plans, each plan once, and totals. `scratch_bytes` covers the largest part
/// and the buffer for every other result.
///
///     constexpr auto whole = plan<decltype(encoder(x))>;
///     static_assert(whole.parts[0].times == 6 && whole.flops == flops<decltype(encoder(x))>);
template <std::size_t Steps, std::size_t Parts>
struct sequence_summary : plan_summary<Steps> {
    std::array<sequence_part, Parts> parts{};
    std::size_t part_count = Parts;
    std::size_t buffer_bytes = 0;  ///< of results between two parts
};

namespace detail {

/// Appends the plan of Expression.
template <class Expression, class Config, std::size_t Steps, std::size_t Parts>
constexpr void add_part(sequence_summary<Steps, Parts>& all, std::size_t times) {
    constexpr const auto& p = expression_plan<Expression, Config>;
    sequence_part& part = all.parts[all.part_count++];
    part = {times, all.step_count, p.step_count, times * p.flops, p.scratch_bytes};
    for (std::size_t i = 0; i < p.step_count; ++i) all.steps[all.step_count++] = p.steps[i];
    all.flops += part.flops;
    all.barrier_count += p.barrier_count;
    const auto raise = [](std::size_t& most, std::size_t value) { most = value > most ? value : most; };
    raise(all.barrier_bytes, p.barrier_bytes);
    raise(all.largest_buffer_elements, p.largest_buffer_elements);
    raise(all.largest_tile_elements, p.largest_tile_elements);
}
template <class Config, class Summary, std::size_t Times, class... Expression>
constexpr void add_parts(Summary& all, plan_part<Times, Expression...>) {
    (add_part<Expression, Config>(all, Times), ...);
}

/// The number of plans of parts, and of their steps.
template <class Config, std::size_t Times, class... Expression>
consteval std::array<std::size_t, 2> count_plans(plan_part<Times, Expression...>) {
    return {sizeof...(Expression), (std::size_t{0} + ... + expression_plan<Expression, Config>.step_count)};
}

template <class Sequence, class Config, class... Parts>
constexpr auto summarise_parts(plan_parts<Parts...>) {
    constexpr std::size_t plans = (std::size_t{0} + ... + count_plans<Config>(Parts{})[0]);
    constexpr std::size_t steps = (std::size_t{0} + ... + count_plans<Config>(Parts{})[1]);
    sequence_summary<steps, plans> all;
    all.step_count = all.part_count = 0;
    (add_parts<Config>(all, Parts{}), ...);
    all.scratch_bytes = expression_scratch<Sequence, Config>;
    all.buffer_bytes = sequence_plan<Sequence>::buffer_bytes;
    if (Sequence::shape_type::size > all.largest_buffer_elements)
        all.largest_buffer_elements = Sequence::shape_type::size;
    return all;
}

template <sequence_expression Sequence, class Config>
inline constexpr auto expression_plan<Sequence, Config> =
    summarise_parts<Sequence, Config>(typename sequence_plan<Sequence>::parts_type{});

}  // namespace detail
}  // namespace ashlar
