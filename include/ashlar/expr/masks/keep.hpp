// SPDX-License-Identifier: BSL-1.0
// keep and ignore: masks whose pairs are elements of a bool expression.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/diagnostics.hpp>
#include <ashlar/expr/elementwise/condition.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes/coordinates.hpp>
#include <ashlar/expr/nodes/element_value.hpp>
#include <ashlar/expr/nodes/operands.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

template <class Expression>
struct mask_tensor {
    static constexpr bool has_bools = std::is_same_v<element_of<Expression>, bool>;
};

template <class Tensor, class Scores>
struct mask_shape {
    static constexpr bool fits = broadcast_target<Tensor, Scores>::fits;
};

/// The strides of an array broadcast to the axes of Scores: zero where it repeats.
template <class Array, class Scores>
consteval std::array<std::ptrdiff_t, Scores::rank> strides_among() {
    std::array<std::ptrdiff_t, Scores::rank> strides{};
    constexpr std::size_t rank = shape_of<Array>::rank;
    for (std::size_t i = 0; i < rank; ++i)
        strides[i + Scores::rank - rank] = Array::extents[i] == 1 ? 0 : Array::strides[i];
    return spelled_out(strides);
}

struct kept_by_bool {
    ASHLAR_ALWAYS_INLINE static constexpr bool of(bool kept) noexcept { return kept; }
    template <class Expression>
    ASHLAR_ALWAYS_INLINE static constexpr bool at(const Expression& e, const coordinates<Expression>& place) noexcept {
        if constexpr (truth_is_readable<Expression>())
            return truth_at(e, place);
        else
            return value_at(e, place);
    }
};

/// A mask whose elements are in memory; Kept decides which of them keep their pair.
template <class Array, class Kept = kept_by_bool>
struct keep_mask {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put(std::is_same_v<Kept, kept_by_bool> ? "keep(t)" : "keep_finite(e)");
    }
    using mask_category = mask_tag;
    using static_part = keep_all_mask;
    static constexpr bool is_static = false;
    static constexpr std::size_t boundary_count = no_boundaries;
    template <class Scores>
    using check = mask_shape<shape_of<Array>, Scores>;

    Array kept;

    ASHLAR_ALWAYS_INLINE constexpr const Array& memory() const noexcept { return kept; }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        constexpr auto strides = strides_among<Array, Scores>();
        std::ptrdiff_t offset = 0;
        for (std::size_t i = 0; i < Scores::rank; ++i) offset += static_cast<std::ptrdiff_t>(at[i]) * strides[i];
        return Kept::of(kept.data()[offset]);
    }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>& batch,
                                                        const tile_range& tile) const noexcept {
        constexpr auto strides = strides_among<Array, Scores>();
        constexpr std::ptrdiff_t query_stride = strides[Scores::rank - 2], key_stride = strides[Scores::rank - 1];
        const std::size_t queries = query_stride == 0 ? 1 : tile.last_query - tile.first_query;
        const std::size_t keys = key_stride == 0 ? 1 : tile.last_key - tile.first_key;
        const element_of<Array>* const source = matrix<Scores>(batch) +
                                                static_cast<std::ptrdiff_t>(tile.first_query) * query_stride +
                                                static_cast<std::ptrdiff_t>(tile.first_key) * key_stride;
        const bool first = Kept::of(*source);
        for (std::size_t q = 0; q < queries; ++q) {
            // Reads the row to its end: without an exit the loop vectorises.
            bool same = true;
            for (std::size_t k = 0; k < keys; ++k)
                same &= Kept::of(source[static_cast<std::ptrdiff_t>(q) * query_stride +
                                        static_cast<std::ptrdiff_t>(k) * key_stride]) == first;
            if (!same) return tile_content::mixed;
        }
        return first ? tile_content::full : tile_content::empty;
    }

    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>& batch, Int query, Int key,
                                                   std::size_t count) const {
        using lane_mask_type = decltype(query < key);
        constexpr auto strides = strides_among<Array, Scores>();
        constexpr std::ptrdiff_t query_stride = strides[Scores::rank - 2], key_stride = strides[Scores::rank - 1];
        const auto offsets = query * Int(static_cast<typename Int::value_type>(query_stride)) +
                             key * Int(static_cast<typename Int::value_type>(key_stride));
        typename Int::value_type at[Int::size] = {};
        offsets.store(at);
        const element_of<Array>* const source = matrix<Scores>(batch);
        if (count == 0) return lane_mask_type(false);
        if (Int::size == 1 || count == 1) return lane_mask_type(Kept::of(source[at[0]]));
        const auto step = at[1 % Int::size] - at[0];
        if (step == 0) return lane_mask_type(Kept::of(source[at[0]]));
        bool values[Int::size] = {};
        if (step == 1 && count == Int::size) {
            if constexpr (std::is_same_v<Kept, kept_by_bool>) return lane_mask_type::load(source + at[0]);
            for (std::size_t i = 0; i < Int::size; ++i)
                values[i] = Kept::of(source[static_cast<std::size_t>(at[0]) + i]);
            return lane_mask_type::load(values);
        }
        for (std::size_t i = 0; i < Int::size; ++i)
            if (i < count) values[i] = Kept::of(source[at[i]]);
        return lane_mask_type::load(values);
    }

private:
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr const element_of<Array>* matrix(
        const batch_coordinates<Scores>& batch) const noexcept {
        constexpr auto strides = strides_among<Array, Scores>();
        const element_of<Array>* source = kept.data();
        for (std::size_t i = 0; i + 2 < Scores::rank; ++i) source += static_cast<std::ptrdiff_t>(batch[i]) * strides[i];
        return source;
    }
};

/// A mask of computed elements: logic and comparisons, or a temporary under other axes. Computed one by one, so slower.
template <node_expression Expression, class Kept>
struct keep_mask<Expression, Kept> {
    template <class Text>
    static constexpr void write_name(Text& out) {
        out.put(std::is_same_v<Kept, kept_by_bool> ? "keep(t)" : "keep_finite(e)");
    }
    using mask_category = mask_tag;
    using static_part = keep_all_mask;
    static constexpr bool is_static = false;
    static constexpr std::size_t boundary_count = no_boundaries;
    template <class Scores>
    using check = mask_shape<shape_of<Expression>, Scores>;

    Expression kept;

    ASHLAR_ALWAYS_INLINE constexpr const Expression& memory() const noexcept { return kept; }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        return Kept::at(kept, unbroadcast<shape_of<Expression>>(at));
    }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>& batch,
                                                        const tile_range& tile) const noexcept {
        constexpr bool one_query = [] {
            if constexpr (shape_of<Expression>::rank < 2)
                return true;
            else
                return query_extent<shape_of<Expression>> == 1;
        }();
        const std::size_t last_query = one_query ? tile.first_query + 1 : tile.last_query;
        const bool first = keeps_pair<Scores>(batch, tile.first_query, tile.first_key);
        for (std::size_t q = tile.first_query; q < last_query; ++q)
            for (std::size_t k = tile.first_key; k < tile.last_key; ++k)
                if (keeps_pair<Scores>(batch, q, k) != first) return tile_content::mixed;
        return first ? tile_content::full : tile_content::empty;
    }

    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>& batch, Int query, Int key,
                                                   std::size_t count) const {
        using lane_mask_type = decltype(query < key);
        typename Int::value_type queries[Int::size] = {}, keys[Int::size] = {};
        query.store(queries);
        key.store(keys);
        bool values[Int::size] = {};
        for (std::size_t i = 0; i < Int::size; ++i)
            values[i] = i < count && keeps_pair<Scores>(batch, static_cast<std::size_t>(queries[i]),
                                                        static_cast<std::size_t>(keys[i]));
        return lane_mask_type::load(values);
    }

private:
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps_pair(const batch_coordinates<Scores>& batch, std::size_t query,
                                                   std::size_t key) const noexcept {
        score_coordinates<Scores> at{};
        for (std::size_t i = 0; i + 2 < Scores::rank; ++i) at[i] = batch[i];
        at[Scores::rank - 2] = query;
        at[Scores::rank - 1] = key;
        return keeps<Scores>(at);
    }
};

template <class Element, class Shape>
struct tensor_of_shape;
template <class Element, auto... Dims>
struct tensor_of_shape<Element, shape<Dims...>> {
    using type = basic_tensor<Element, Dims...>;
};

template <class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto make_keep(Expression&& e) noexcept {
    static_assert(mask_tensor<std::remove_cvref_t<Expression>>::has_bools,
                  "ashlar: mask: keep and ignore take bools, true to keep or to ignore; compare the numbers first: "
                  "keep(t != 0)");
    if constexpr (!mask_tensor<std::remove_cvref_t<Expression>>::has_bools)
        return keep_all_mask{};
    else if constexpr (value_is_readable<std::remove_cvref_t<Expression>>())
        return keep_mask<held<Expression>>{hold(std::forward<Expression>(e))};
    else
        return keep_mask<typename tensor_of_shape<bool, shape_of<Expression>>::type>{
            typename tensor_of_shape<bool, shape_of<Expression>>::type(e)};
}

}  // namespace detail

/// Keeps the pairs where a bool tensor is true. It broadcasts to the scores by NumPy's rule, aligned at the last axis:
/// a rank 1 tensor is key padding. A named tensor is borrowed, a temporary is owned. A tile of equal bools is skipped
/// or not masked, so padding costs only the reading of its bools. Other expressions of bools are allowed. Elementwise
/// ones (comparisons, &&, ||, !) are computed pair by pair, slower than `keep(eval(m > 0))`. All others (reductions,
/// products, look-ups) are computed when the mask is made, into bools that it owns: a byte each, inside the expression
/// on the stack. For more than a few kilobytes, make a tensor<bool, ...> first and keep that.
///
///     auto y = attention(q, k, v, causal && keep(present));   // present: tensor<bool, seq>
///     auto z = attention(q, k, v, keep(m > 0));               // m: tensor<float, seq, seq>
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto keep(Expression&& bools) noexcept {
    return detail::make_keep(std::forward<Expression>(bools));
}

/// Keeps the pairs where a bool tensor is false: `!keep(bools)`. This is the polarity of PyTorch's key_padding_mask and
/// of the attn_mask of its MultiheadAttention.
///
///     auto y = attention(q, k, v, ignore(key_padding));   // key_padding: tensor<bool, 64>, true where there is no key
template <any_expression Expression>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto ignore(Expression&& bools) noexcept {
    return !detail::make_keep(std::forward<Expression>(bools));
}

}  // namespace ashlar
