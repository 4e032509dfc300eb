// SPDX-License-Identifier: BSL-1.0
// Indices of nodes, stages, buffers, loops and fusions. Each has its own type, so that none is used for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ashlar::inline v0_1::detail {

// Unscoped, so that they index arrays without a call, which constant evaluation pays for. No integer converts to them,
// none converts to another, and none equals a value of another type: no_node is not -1.
enum node_index : std::uint16_t { no_node = 0xffff };
enum stage_index : std::uint16_t { no_stage = 0xffff };
enum buffer_index : std::uint16_t { no_buffer = 0xffff };
enum loop_index : std::uint16_t { no_loop = 0xffff };
enum fusion_index : std::uint16_t { no_fusion = 0xffff };

template <class Index>
concept plan_index =
    std::is_same_v<Index, node_index> || std::is_same_v<Index, stage_index> || std::is_same_v<Index, buffer_index> ||
    std::is_same_v<Index, loop_index> || std::is_same_v<Index, fusion_index>;

/// The index at a position that a count or loop gives.
template <plan_index Index, class Position>
    requires std::is_integral_v<Position>
constexpr Index index_at(Position position) {
    return static_cast<Index>(position);
}

template <plan_index Index, class Other>
    requires(!std::is_same_v<Index, Other>)
constexpr bool operator==(Index, Other) = delete;

template <plan_index Index>
constexpr Index& operator++(Index& index) {
    return index = static_cast<Index>(index + 1);
}

}  // namespace ashlar::detail
