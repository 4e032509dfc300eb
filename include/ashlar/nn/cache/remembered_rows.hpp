// SPDX-License-Identifier: BSL-1.0
// Computes keys and values of a memory part by part, so that unused rows are not computed.
#pragma once

#include <cstddef>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/nodes/viewable.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// The rows of a Memory that are written to a Cache at once: a block of its keys, which is copied as a whole, if Memory
/// is an array that consists of whole blocks; otherwise all. A shorter ring keeps only the last rows, so it needs all.
template <class Memory, class Cache>
consteval std::size_t rows_of_part() {
    constexpr std::size_t all = shape_of<Memory>::extents[0];
    if constexpr (array_expression<Memory> && ashlar::detail::viewable<const Memory&> && Cache::key_blocks > 1)
        return all % Cache::key_block == 0 && all <= Cache::capacity ? Cache::key_block : all;
    else
        return all;
}

/// A part of a Memory [rows, width]: some of its rows in place, or the memory itself.
template <class Memory, std::size_t Rows, bool IsAll>
struct part_of {
    using type = const Memory&;
};
template <class Memory, std::size_t Rows>
struct part_of<Memory, Rows, false> {
    static constexpr auto strides = ashlar::detail::spelled_out(Memory::strides);
    using type = strided_view<const ashlar::detail::memory_element<const Memory&>, strides, Rows,
                              ashlar::detail::dimension_at<shape_of<Memory>, 1>>;
};
template <class Memory, class Cache>
using memory_part = typename part_of<Memory, rows_of_part<Memory, Cache>(),
                                     rows_of_part<Memory, Cache>() == shape_of<Memory>::extents[0]>::type;

/// Calls f(part, its first row, the number of its valid rows) for all parts with some of the first `count` rows, and
/// for at least one.
template <class Cache, class Memory, class Function>
ASHLAR_ALWAYS_INLINE constexpr void for_each_part(const Memory& memory, std::size_t count, const Function& f) noexcept {
    constexpr std::size_t rows = rows_of_part<Memory, Cache>(), all = shape_of<Memory>::extents[0];
    ASHLAR_ASSERT(count <= all, "ashlar: decoder: remember of more rows than the memory has");
    if constexpr (rows == all) {
        f(memory, std::size_t{0}, count);
    } else {
        std::size_t first = 0;
        do {
            const std::size_t left = count - first;
            f(memory_part<Memory, Cache>(memory.data() + static_cast<std::ptrdiff_t>(first) * Memory::strides[0]),
              first, left < rows ? left : rows);
            first += rows;
        } while (first < count);
    }
}

}  // namespace ashlar::nn::detail
