// SPDX-License-Identifier: BSL-1.0
// The vocabulary of the product kernel: its shape, its depths, and what an epilogue may decide about a block.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::detail {

/// Independent sums of blocks of one vector, by their number of rows; 0 if there are no such blocks.
struct one_vector_chains {
    std::uint8_t large = 0;        ///< blocks of the larger height
    std::uint8_t one_fewer = 0;    ///< those of one row fewer
    std::uint8_t transposing = 0;  ///< the rows that transpose V between their multiply-adds

    constexpr std::size_t of(std::size_t rows, std::size_t large_rows) const {
        return rows == large_rows ? large : rows + 1 == large_rows ? one_fewer : transposing;
    }
    friend constexpr bool operator==(const one_vector_chains&, const one_vector_chains&) = default;
};

/// How a product is computed. choose_cut decides it from a shape and a machine.
struct product_cut {
    std::uint32_t row_blocks = 0;         ///< near-equal blocks of scalars
    std::uint32_t vector_blocks = 0;      ///< near-equal blocks of vectors, without those of last columns apart
    std::uint8_t chains = 1;              ///< independent sums of each accumulator of the largest block
    std::uint8_t steps_together = 1;      ///< depth steps between two branches
    std::uint16_t strip_steps = 1;        ///< depth steps in one vector of V, where it is a strip
    std::uint16_t last_steps = 1;         ///< depth steps that last columns apart take side by side; 1: none are apart
    bool packs = false;                   ///< these are packed; otherwise they are one partial vector
    bool multiplies_first = false;        ///< sums begin as products, without zeros that the first are added to
    bool spreads = false;                 ///< blocks of one row and several vectors load scalars a register at a time
    std::uint8_t transposing_rows = 0;    ///< the rows that transpose V between their multiply-adds; they are not cut
    std::uint8_t transposing_chains = 0;  ///< independent sums of their blocks of two vectors
    one_vector_chains split_chains{};     ///< of vectors that are computed one by one
    one_vector_chains packed_chains{};    ///< of strips, and of packed last columns
    bool pairs_rows = false;              ///< blocks have pairs of rows of bytes, side by side in memory

    friend constexpr bool operator==(const product_cut&, const product_cut&) = default;
};

/// Extents and strides (in elements) of a product. S(i,k) is s[i*si + k*sk], a scalar; V(k,j) is v[k*vk + j], in lanes
/// along j, or v[k*vk + j/W*vw + j%W] with vw for W lanes.
///
/// With a group of several elements, elements are narrow and one step of the depth takes a whole group: S(i,k) is the
/// bits of a group, and V(k,j) lies in as many rows (element_groups.hpp).
struct product_shape {
    std::size_t i, j, k;
    std::size_t si, sk;
    std::size_t vk;
    bool padded = false;         ///< rows of V are readable to the next full vector (scratch); values there are ignored
    std::size_t vw = 0;          ///< if given, the distance between the vectors of a row of V, all of which are full
    product_cut cut{};           ///< kernels do as it says
    std::size_t group = 1;       ///< elements of the depth in one step
    std::size_t group_rows = 0;  ///< the distance between the rows of V that one step takes
    std::size_t group_rest = 0;  ///< rows of one more step, which has fewer of them

    /// The offset in a row of V of a column that begins a vector of `width` lanes.
    ASHLAR_ALWAYS_INLINE constexpr std::size_t column_offset(std::size_t column, std::size_t width) const {
        return vw == 0 ? column : column / width * vw;
    }
};

/// Steps of a depth that takes a group of elements at a time, the incomplete last one included.
constexpr std::size_t grouped_steps(std::size_t depth, std::size_t group) { return (depth + group - 1) / group; }

/// A product over a depth of elements as one over groups. Left rows lie as grouped_rows.hpp leaves them. Rows of the
/// right operand are `product.vk` apart.
constexpr product_shape in_groups(product_shape product, std::size_t group) {
    product.group = group;
    product.group_rest = product.k % group;
    product.group_rows = product.vk;
    product.si = grouped_steps(product.k, group);
    product.sk = 1;
    product.k /= group;
    product.vk *= group;
    return product;
}

/// Lanes that a column of few rows takes: a power of two.
constexpr std::size_t packed_k_line(std::size_t rows) { return std::bit_ceil(rows); }

/// How such a product is computed. choose_packed_k decides it.
struct packed_k_cut {
    std::uint16_t steps = 1;     ///< of the depth side by side in a register
    std::uint16_t together = 1;  ///< columns whose sums grow side by side
    bool table = false;          ///< packed rows are kept in scratch; otherwise in registers, or each is used once

    friend constexpr bool operator==(const packed_k_cut&, const packed_k_cut&) = default;
};

/// A packed product of few rows: `columns` i and `rows` j of `depth` elements, `column_distance` and `row_distance`
/// apart.
struct packed_k_shape {
    std::size_t rows, columns, depth;
    std::size_t row_distance, column_distance;
    packed_k_cut cut{};
};

/// Whether `rows` are so few that `width` lanes hold several depth steps of each, and the depth divides. If lanes hold
/// only one step, the columns and the depth must be few as well: everything is then transposed and multiplied in
/// registers.
constexpr bool fits_packed_k(std::size_t rows, std::size_t columns, std::size_t depth, std::size_t width) {
    if (rows < 2 || rows > width) return false;
    if (2 * rows > width)
        return columns <= width && 2 * depth <= width && std::has_single_bit(depth) && std::has_single_bit(width);
    return depth % (width / packed_k_line(rows)) == 0;
}

/// The depth steps [First, Last), constants.
template <std::size_t First, std::size_t Last>
struct constant_depth {
    static constexpr std::size_t first = First;
    static constexpr std::size_t last = Last;
};

/// The depth steps [first, last), known at run time.
struct depth_range {
    std::size_t first;
    std::size_t last;
};

/// The depth steps [first, last). Those outside [plain_first, plain_last) hold excluded pairs: if S(i,k) is zero there,
/// V(k,.) does not take part in the sum, even if it holds NaN or infinity. Costs one test per block: only blocks whose
/// plain sums are NaN are computed again with exclusion.
struct k_range {
    std::size_t first;
    std::size_t plain_first;
    std::size_t plain_last;
    std::size_t last;
};

/// The depth steps [first, last) of a block of rows. Row r of R takes part in the steps from full_first - (R-1 - r) and
/// below full_last + r: the edges of a mask that move by one step from row to row, or do not move. Excluded pairs take
/// no part in any sum, whatever they hold. Without Lower all rows begin at `first`. `first` and `last` lie within the
/// product; the other two need not.
template <bool Lower>
struct per_row_k_range {
    std::ptrdiff_t first;
    std::ptrdiff_t full_first;
    std::ptrdiff_t full_last;
    std::ptrdiff_t last;

    /// The steps in which all rows take part.
    constexpr depth_range even() const {
        std::ptrdiff_t begin = first, end = full_last;
        if (Lower && full_first > begin) begin = full_first < last ? full_first : last;
        if (end > last) end = last;
        return {static_cast<std::size_t>(begin), static_cast<std::size_t>(end > begin ? end : begin)};
    }
    /// Whether row r of `rows` takes part in step k, which is one of the other steps.
    constexpr bool has(std::ptrdiff_t r, std::ptrdiff_t rows, std::ptrdiff_t k) const {
        return k < full_last + r && (!Lower || k >= full_first - (rows - 1 - r));
    }
};

/// What `begin_block` decides: skip (no arithmetic happens), plain, or masked (the kernel then calls the epilogue with
/// `masked_block`).
enum class block_verdict : std::uint8_t { skip, plain, masked };

/// A range of the halves of registers that a block's columns take.
struct half_range {
    std::size_t first;
    std::size_t last;
};

using plain_block = std::integral_constant<block_verdict, block_verdict::plain>;
using masked_block = std::integral_constant<block_verdict, block_verdict::masked>;

/// Valid lanes of a vector, a constant: `lane_count<W>` except for the last vector of a ragged row.
template <std::size_t Count>
using lane_count = std::integral_constant<std::size_t, Count>;

}  // namespace ashlar::detail
