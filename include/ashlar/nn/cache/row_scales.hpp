// SPDX-License-Identifier: BSL-1.0
// Rows of a cache in 8 bits: a scale for each row of each head, and the rounding of a row.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/quantization.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/nn/cache/idle_memory.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// No scales, for rows that are not rounded. A byte without a value, because g++ clears a whole class with an empty
/// member.
template <class Element, std::size_t Heads, std::size_t Capacity>
struct row_scales {
    static constexpr bool are_needed = false;

    union {
        idle_memory<1> nothing;
        std::byte unused;
    };

    ASHLAR_ALWAYS_INLINE constexpr row_scales() noexcept : nothing{} {}
};
/// The scales of keys and values in 8 bits. Like the rows, they are not written before the first append.
template <std::size_t Heads, std::size_t Capacity>
struct row_scales<std::int8_t, Heads, Capacity> {
    static constexpr bool are_needed = true;
    using table = tensor<float, Heads, Capacity>;

    union {
        idle_memory<sizeof(table)> no_keys;
        table of_keys;
    };
    union {
        idle_memory<sizeof(table)> no_values;
        table of_values;
    };

    ASHLAR_ALWAYS_INLINE constexpr row_scales() noexcept : no_keys{}, no_values{} {}
};

/// Rounds a row [heads, width] to integers, each head scaled by its greatest magnitude, which becomes 127. A head with
/// NaN or infinity gets the scale NaN. The scale of head h is stored in scales[h * Capacity].
template <class Config, std::size_t Capacity, class Integers, class Row>
constexpr void write_rounded(Integers integers, float* scales, const Row& row) noexcept {
    if constexpr (!array_expression<Row>) {
        write_rounded<Config, Capacity>(integers, scales, ashlar::eval<Row, Config>(row));
    } else {
        constexpr std::size_t heads = Integers::extents[0];
        tensor<float, heads> greatest, inverse;
        ashlar::detail::assign<Config>(greatest, (max<-1>)(abs(row)));
        for (std::size_t h = 0; h < heads; ++h) {
            const auto scale = ashlar::detail::byte_scale_of(ashlar::detail::magnitude_bits(greatest.data()[h]));
            scales[h * Capacity] = scale.scale;
            inverse.data()[h] = scale.inverse;
        }
        ashlar::detail::assign<Config>(integers, row * unsqueeze<-1>(inverse));
    }
}

}  // namespace ashlar::nn::detail
