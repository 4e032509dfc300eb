// SPDX-License-Identifier: BSL-1.0
// What an evaluation needs for a given destination: scratch, and a copy if the destination overlaps operands.
#pragma once

#include <ashlar/plan/graph/cost.hpp>
#include <ashlar/tensor/assign.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// A destination's strides for its plan. Those of a dense destination are row-major, even along axes of one entry.
template <class Destination>
consteval axis_list destination_strides() {
    if constexpr (is_dense<Destination>) {
        return row_major<Destination>();
    } else {
        axis_list strides{};
        for (std::size_t a = 0; a < Destination::shape_type::rank; ++a) strides[a] = Destination::strides[a];
        return spelled_out(strides);
    }
}

/// Whether an expression reads memory that a destination could overlap: arrays that neither it nor its masks own.
template <class Expression>
inline constexpr bool borrows_memory = [] {
    for (const graph_node& n : graph<Expression>::nodes)
        if ((n.kind == node_kind::array && !n.owned) || n.borrowing_mask) return true;
    return false;
}();

/// Bytes of a dense copy of an expression's values.
template <class Expression>
inline constexpr std::size_t copy_bytes = shape_of<Expression>::size * sizeof(element_of<Expression>);

/// Whether an evaluation with `Taken` bytes on the stack can also have a copy of the result there, for a destination
/// that overlaps operands. If not, the destination must not overlap: an asserted precondition.
template <class Expression, class Config, std::size_t Taken>
inline constexpr bool copy_fits =
    Taken <= Config::stack_budget && copy_bytes<Expression> <= Config::stack_budget - Taken;

/// Bytes of scratch of an evaluation into a destination, for either of its plans: the one for the destination, and the
/// one for the dense copy in case of an overlap.
template <class Destination, class Expression, class Config>
inline constexpr std::size_t destination_scratch = [] {
    if constexpr (!node_expression<Expression>) {
        return expression_scratch<Expression, Config>;
    } else if constexpr (!check_names<Expression>()) {
        return std::size_t{0};
    } else if constexpr (is_narrow<typename Destination::value_type> && !is_narrowing<Expression>) {
        return destination_scratch<Destination, narrowing<typename Destination::value_type, Expression>, Config>;
    } else {
        std::size_t bytes = planned<Expression, Config, destination_strides<Destination>()>::code.scratch_bytes;
        if constexpr (borrows_memory<Expression> && copy_fits<Expression, Config, 0>)
            if (expression_scratch<Expression, Config> > bytes) bytes = expression_scratch<Expression, Config>;
        return bytes;
    }
}();

/// The same for this many workers: for the plan with the strides of the destination, and the one for the dense copy.
template <class Destination, class Expression, std::size_t Workers, class Config>
inline constexpr std::size_t shared_destination_scratch = [] {
    std::size_t bytes = destination_scratch<Destination, Expression, Config>;
    const auto raise = [&](std::size_t to) { bytes = to > bytes ? to : bytes; };
    if constexpr (Workers == 1) {
        // Anything but a single expression has no names to check.
    } else if constexpr (!node_expression<Expression>) {
        raise(shared_scratch<Expression, Workers, Config>);
    } else if constexpr (check_names<Expression>()) {
        if constexpr (is_narrow<typename Destination::value_type> && !is_narrowing<Expression>) {
            using narrow = narrowing<typename Destination::value_type, Expression>;
            raise(shared_destination_scratch<Destination, narrow, Workers, Config>);
        } else {
            using plans = shared_plans<Expression, Config, destination_strides<Destination>()>;
            raise(plans::bytes_of(Workers));
            if constexpr (borrows_memory<Expression> && copy_fits<Expression, Config, 0>)
                raise(shared_scratch<Expression, Workers, Config>);
        }
    }
    return bytes;
}();

/// Bytes of the copy that an assignment makes if the destination (void: a dense one) overlaps operands; 0 if it never
/// makes one.
template <class Destination, class Expression>
inline constexpr std::size_t alias_copy = [] {
    bool copied = true;
    if constexpr (node_expression<Expression>)
        copied = borrows_memory<Expression>;
    else if constexpr (array_expression<Expression> && std::is_void_v<Destination>)
        copied = !is_dense<Expression>;
    else if constexpr (array_expression<Expression>)
        copied = !is_dense<Expression> || !is_dense<Destination>;
    return copied ? (copy_bytes<Expression> + scratch_alignment - 1) / scratch_alignment * scratch_alignment : 0;
}();

}  // namespace detail

/// Bytes of scratch that an evaluation of Expression into a destination of this type needs, whether the two overlap or
/// not. For a dense destination of the same type it is workspace_bytes<Expression>; for others more or less. With
/// Workers it suffices for that many workers of an executor.
///
///     workspace<workspace_bytes_into<decltype(transpose(y)), decltype(e)>> scratch;
///     evaluate(transpose(y), e, scratch);
template <class Destination, class Expression, std::size_t Workers = 1, class Config = current_config>
    requires(array_expression<Destination> && Workers >= 1)
inline constexpr std::size_t workspace_bytes_into = [] {
    if constexpr (detail::check_assignment<std::remove_reference_t<Destination>, std::remove_cvref_t<Expression>>())
        return detail::shared_destination_scratch<std::remove_cvref_t<Destination>, std::remove_cvref_t<Expression>,
                                                  Workers, Config>;
    else
        return std::size_t{0};
}();

/// Bytes of stack that an evaluation of Expression takes, beyond workspace_bytes<Expression>, if its destination
/// overlaps its operands; the destination is dense unless its type is given. 0 if nothing can overlap, because
/// Expression owns all operands, or if an overlap is free, as between dense arrays. If this exceeds ASHLAR_STACK_BUDGET
/// together with scratch on the stack, no copy is made, and the destination must not overlap.
///
///     static_assert(alias_workspace_bytes<decltype(transpose(a))> == sizeof a);   // a = transpose(a)
template <class Expression, class Destination = void>
inline constexpr std::size_t alias_workspace_bytes =
    detail::alias_copy<std::remove_cvref_t<Destination>, std::remove_cvref_t<Expression>>;

}  // namespace ashlar
