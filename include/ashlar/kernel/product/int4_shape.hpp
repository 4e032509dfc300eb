// SPDX-License-Identifier: BSL-1.0
// Products with a matrix of int4: extents, register blocks, and the scratch for the left operand's rounded rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/int4.hpp>
#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/product/product_shape.hpp>
#include <ashlar/kernel/product/quantized_shape.hpp>
#include <ashlar/kernel/product/register_block.hpp>

namespace ashlar::inline v0_1::detail {

/// `rows` rows of floats, `row_distance` apart, times a matrix with the layout `right`.
struct int4_shape {
    std::size_t rows, row_distance;
    int4_layout right;
    product_cut cut{};

    /// The same in units of register blocks: a step of the depth is a group.
    constexpr product_shape in_groups() const {
        return {.i = rows, .j = right.columns, .k = right.groups(), .si = 0, .sk = 1, .vk = 1, .cut = cut};
    }
};

/// Bytes of scratch for the rounded rows of a tile, and for the scale and the start value of the sums of each group.
constexpr std::size_t int4_rows_bytes(std::size_t rows, std::size_t depth) {
    const std::size_t groups = (depth + int4_group - 1) / int4_group;
    return rows * (rounded_row_bytes(depth) + groups * (sizeof(float) + sizeof(std::int32_t)));
}

/// The register blocks of such a product on a machine. Each element has a sum of integers and one of floats.
constexpr product_cut choose_int4_cut(std::size_t rows, const int4_layout& right, const machine& target) {
    constexpr std::size_t element_bytes = 4, beside = 4;
    machine m = target.for_elements_of(element_bytes);
    if (m.sums_across)
        m.registers = 2;
    else if (m.registers > 2 * beside)
        m.registers = (m.registers - beside) / 2;
    const std::size_t width = m.lanes(element_bytes), vectors = (right.columns + width - 1) / width;
    register_block blocks = choose_register_block(rows, vectors, right.rows, m);
    // One row reads one panel after the other.
    if (const std::size_t most = width < int4_layout::panel ? int4_layout::panel / width : 1;
        rows == 1 && blocks.vectors.large > most)
        blocks.vectors = split_near_equal(vectors, (vectors + most - 1) / most);
    product_cut cut;
    cut.row_blocks = static_cast<std::uint32_t>(blocks.rows.blocks);
    cut.vector_blocks = static_cast<std::uint32_t>(blocks.vectors.blocks);
    cut.chains = 1;
    return cut;
}

}  // namespace ashlar::detail
