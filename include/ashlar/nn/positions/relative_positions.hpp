// SPDX-License-Identifier: BSL-1.0
// relative_positions: learnt numbers that are added to scores, by the distance between query and key.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/init/initialization.hpp>
#include <ashlar/nn/layers/width.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn {

/// The options of `relative_positions`, with the defaults of T5.
struct relative_positions_options {
    width heads = 1;
    width buckets = 32;         ///< rows of the table
    width distance = 128;       ///< from here on all distances share the last bucket
    bool bidirectional = true;  ///< half of the buckets for keys after the query; a decoder has none
};

namespace detail {

/// Whether a table has rows for this many queries.
template <std::size_t Queries, std::size_t Rows>
struct distance_rows {
    static constexpr bool suffice = Queries <= Rows;
};

}  // namespace detail

/// The result of `relative_positions::table`: the numbers of each head for each distance that Queries and Keys have.
///
///     const nn::distance_table<float, 8, 128, 128> table = offsets.table<128, 128>();
template <class Element, std::size_t Heads, std::size_t Queries, std::size_t Keys>
struct distance_table {
    basic_tensor<Element, Heads, Queries + Keys - 1> by_distance;  ///< entry Keys - 1 + query - key

    /// A view [Heads, Rows, Keys] for queries `first`, `first + 1`, ...: Rows + first is at most Queries (asserted).
    /// Adding it to scores costs nothing, because lanes of queries read it contiguously.
    ///
    ///     auto y = attention(q, k, v, scale(1.0f), bias(table.bias()));
    template <std::size_t Rows = Queries>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto bias(std::size_t first = 0) const& noexcept {
        static_assert(detail::distance_rows<Rows, Queries>::suffice,
                      "ashlar: relative_positions: the table has fewer rows than requested; make a larger one");
        constexpr auto strides = ashlar::detail::spelled_out(
            std::array{static_cast<std::ptrdiff_t>(Queries + Keys - 1), std::ptrdiff_t{1}, std::ptrdiff_t{-1}});
        ASHLAR_ASSERT(Rows + first <= Queries,
                      "ashlar: relative_positions: a query is outside the table; make a larger one");
        return strided_view<const Element, strides, Heads, Rows, Keys>{by_distance.data() + (Keys - 1 + first)};
    }
    template <std::size_t Rows = Queries>
    void bias(std::size_t = 0) const&& = delete;  // ashlar: relative_positions: would dangle; name the table first
};

/// The relative position bias of T5 (Raffel et al. 2020): a learnt number for each head and bucket of distances, added
/// to the scores; near distances have a bucket each, far ones share buckets logarithmically. `weight` [buckets, heads],
/// as T5's relative_attention_bias. All layers of a stack share one module. buckets * heads parameters.
///
///     static nn::relative_positions<{.heads = 8}> offsets{};
///     const auto table = offsets.table<128, 128>();             // once; [8, 255] numbers
///     y = encoder(x, scale(1.0f), bias(table.bias()));        // T5 does not scale its scores
///     auto z = attention(q_last, k, v, bias(table.bias<1>(n - 1)));   // one query, at position n - 1
template <relative_positions_options Options, class Element = float>
struct relative_positions {
    static constexpr relative_positions_options options = Options;
    static constexpr auto initialization = detail::initialization::table;
    static constexpr std::size_t heads = Options.heads, buckets = Options.buckets;

    basic_tensor<Element, buckets, heads> weight;

    /// The bucket of a pair, from its distance.
    template <class Config = current_config>
    [[nodiscard]] static constexpr std::size_t bucket(std::size_t query, std::size_t key) noexcept {
        constexpr std::size_t mine = options.bidirectional ? buckets / 2 : buckets, exact = mine / 2;
        const std::size_t start = options.bidirectional && key > query ? mine : 0;
        const std::size_t apart = query > key ? query - key : options.bidirectional ? key - query : 0;
        if (apart < exact) return start + apart;
        // exact + k from (apart / exact)^(mine - exact) >= (distance / exact)^k on: T5's logarithms without logarithms.
        const auto power = [](double base, std::size_t n) {
            double product = 1;
            for (; n != 0; --n) product *= base;
            return product;
        };
        const double reached = power(static_cast<double>(apart) / exact, mine - exact) * (1 + 1e-9);
        std::size_t k = 0;
        for (double bound = 1; k + exact + 1 < mine; ++k) {
            bound *= static_cast<double>(options.distance.value) / exact;
            if (reached < bound) break;
        }
        return start + exact + k;
    }

    /// The numbers for Queries and Keys; query k has the position of key k.
    template <auto Queries, auto Keys, class Config = current_config>
    [[nodiscard]] constexpr distance_table<Element, heads, ashlar::detail::extent_of(Queries),
                                           ashlar::detail::extent_of(Keys)>
    table() const noexcept {
        constexpr std::size_t queries = ashlar::detail::extent_of(Queries), keys = ashlar::detail::extent_of(Keys);
        distance_table<Element, heads, queries, keys> result;
        for (std::size_t i = 0; i < queries + keys - 1; ++i) {
            const std::size_t row = i < keys ? bucket<Config>(0, keys - 1 - i) : bucket<Config>(i - (keys - 1), 0);
            for (std::size_t h = 0; h < heads; ++h) result.by_distance(h, i) = weight(row, h);
        }
        return result;
    }

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("weight", self.weight);
    }
};

}  // namespace ashlar::nn
