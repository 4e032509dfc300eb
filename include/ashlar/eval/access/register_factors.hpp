// SPDX-License-Identifier: BSL-1.0
// Row factors that stay in registers while lanes run along a row.
#pragma once

#include <ashlar/plan/graph/indices.hpp>

namespace ashlar::inline v0_1::detail {

/// The row factors of node Id in registers while lanes run along a row, passed as a value's `hole`.
template <node_index Id, class Vec>
struct register_factors {
    Vec shift, scale;
};
template <node_index Id, class Hole>
inline constexpr bool holds_factors = false;
template <node_index Id, class Vec>
inline constexpr bool holds_factors<Id, register_factors<Id, Vec>> = true;

}  // namespace ashlar::detail
