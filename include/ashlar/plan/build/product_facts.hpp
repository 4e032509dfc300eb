// SPDX-License-Identifier: BSL-1.0
// Facts about a product stage for decisions and their execution: where its operands are, and what masks prove.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/plan/graph/indices.hpp>

namespace ashlar::inline v0_1::detail {

/// The operands of a product stage, and the operations on top of it.
struct product_facts {
    node_index left = no_node, right = no_node;  // nodes
    std::size_t depth = 0, columns = 0, width = 1, element_bytes = 4;
    std::size_t right_bytes = 4;                       // of an element of the right operand in memory
    std::ptrdiff_t left_row = 0, left_depth = 0;       // strides in memory
    std::size_t left_pieces = 1;                       // parts of a row that lie apart
    std::ptrdiff_t right_depth = 0, right_column = 0;  // inside a block of columns; zeros of packed weights
    node_index masked = no_node;      // the masked node on top, past names, that decides block by block
    bool skips = false;               // nobody reads what that mask does not keep
    bool right_is_packed = false;     // in panels
    std::size_t right_panel = 1;      // columns of each
    bool right_is_narrow = false;     // in fewer bytes than it is computed with
    bool of_bf16 = false;             // so are the values of both operands, the right one's in memory
    bool right_is_quantized = false;  // in panels of integers of 8 bits
    bool right_is_int4 = false;       // in panels of int4, then right_is_quantized as well
    std::uint8_t right_spread = 1;    // as in interleaved_layout
    bool left_is_padded = false;      // lines of the left operand end at a full register
    bool ranged = false;              // a mask bounds the depth of each row
    bool begins_apart = false;        // where it begins for a row moves on from row to row
    bool excludes = false;            // excluded zeros of the left operand keep rows of the right one out of the sums
    bool uniform = false;             // what follows does not depend on an element's place
    bool part_of_depth = false;  // where the depth begins is known at run time: the last block of keys begins early
    bool waits = false;          // its sums start from what the blocks of keys before have left

    /// Whether the depth is a constant without gaps.
    constexpr bool has_whole_depth() const { return !ranged && !excludes && !part_of_depth; }
};

}  // namespace ashlar::detail
