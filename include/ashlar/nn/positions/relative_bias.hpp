// SPDX-License-Identifier: BSL-1.0
// The biases of `relative_positions` for all pairs of queries and keys, as an expression.
#pragma once

#include <cstddef>
#include <cstdint>

#include <ashlar/core/config.hpp>
#include <ashlar/expr/shape/concat.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/roll.hpp>
#include <ashlar/expr/shape/windows.hpp>
#include <ashlar/nn/layers/materialized.hpp>
#include <ashlar/nn/positions/relative_positions.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// The bucket of each distance between Queries and Keys: entry Keys - 1 + query - key. All distances from `.distance`
/// on share the last bucket, so only those below are computed and the rest is copied. That is one constexpr step each;
/// compilers allow a million.
template <relative_positions_options Options, std::size_t Queries, std::size_t Keys, class Config = current_config>
consteval tensor<std::int32_t, Queries + Keys - 1> buckets_by_distance() {
    using positions = relative_positions<Options>;
    constexpr std::size_t last = Options.distance > Options.buckets ? Options.distance : Options.buckets;
    tensor<std::int32_t, Queries + Keys - 1> result{};
    std::int32_t* const at_zero = result.elements + (Keys - 1);
    std::int32_t bucket = 0;
    for (std::size_t apart = 0; apart < Keys; ++apart) {
        if (apart <= last) bucket = static_cast<std::int32_t>(positions::template bucket<Config>(0, apart));
        *(at_zero - apart) = bucket;
    }
    for (std::size_t apart = 0; apart < Queries; ++apart) {
        if (apart <= last) bucket = static_cast<std::int32_t>(positions::template bucket<Config>(apart, 0));
        at_zero[apart] = bucket;
    }
    return result;
}
template <relative_positions_options Options, std::size_t Queries, std::size_t Keys>
inline constexpr auto distance_buckets = buckets_by_distance<Options, Queries, Keys>();

/// [heads, Rows, Keys] of queries `first`, `first + 1`, ..., lazily: scratch holds the numbers of all distances, and
/// scores read them there. The module is borrowed. first + Rows is at most Keys, unless first is 0 (asserted).
template <std::size_t Rows, std::size_t Keys, relative_positions_options Options, class Element>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto relative_bias(const relative_positions<Options, Element>& m,
                                                                std::size_t first = 0) noexcept {
    constexpr std::size_t queries = Rows > Keys ? Rows : Keys;
    ASHLAR_ASSERT(first + Rows <= queries, "ashlar: relative_positions: a query comes after all keys of the cache");
    const tensor_view<const std::int32_t, Rows + Keys - 1> distances(distance_buckets<Options, queries, Keys>.data() +
                                                                     first);
    return flip<-1>(windows<1, Keys>(materialized<0>(transpose(take<0>(m.weight, distances)))));
}

}  // namespace ashlar::nn::detail
