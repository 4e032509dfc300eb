// SPDX-License-Identifier: BSL-1.0
// Masks: small values whose type describes which pairs of query and key they keep, and their combinations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>

namespace ashlar::inline v0_1 {

/// What a mask keeps of a tile of scores: no pair, some pairs (or unknown), or all.
enum class tile_content : std::uint8_t { empty, mixed, full };

namespace detail {

/// Marks mask types, as their mask_category.
struct mask_tag {};

}  // namespace detail

/// A mask: `causal`, `causal_at(offset)`, `sliding_window<Left, Right>`, `block_diagonal<Size>`, `keep(t)`,
/// `ignore(t)`, `keys_below(n)`, `keep_if<predicate>()`, `keep_finite(e)`, and their combinations by `&&`, `||` and
/// `!`. True always means keep. Masks address the last two axes of the scores, queries and keys; the axes before them
/// are batch axes.
///
/// A mask type has, for scores of shape Scores: `keeps<Scores>(at)`, `content<Scores>(batch, tile)`,
/// `keep_lanes<Scores>(batch, query, key, count)` (see mask_keeps, mask_content and mask_lanes), `check<Scores>::fits`,
/// `is_static` (the type alone decides, and the object is empty) and `static_part` (a static mask that keeps at least
/// as much). If the kept keys of neighbouring queries are one interval, it has `span<Scores>(batch, first_query,
/// last_query)`, a key_span, which saves a test per tile. A static mask also has `keeps_pair(query, key)`,
/// `boundary_count` and `boundaries(query, keys)` (see masks/count.hpp). If it reads memory, `memory()` is that array.
template <class Mask>
concept any_mask = std::is_same_v<typename std::remove_cvref_t<Mask>::mask_category, detail::mask_tag>;

namespace detail {

/// A function that returns a static mask, such as `keep_if<predicate>` without parentheses. It is never called: its
/// type is enough.
template <class Mask>
concept mask_maker = std::is_function_v<std::remove_reference_t<Mask>> &&
                     requires(Mask m) { requires any_mask<decltype(m())> && std::is_empty_v<decltype(m())>; };

/// A mask, or a function that returns one.
template <class Mask>
concept mask_argument = any_mask<Mask> || mask_maker<Mask>;

template <mask_argument Mask>
ASHLAR_ALWAYS_INLINE constexpr auto as_mask([[maybe_unused]] Mask&& m) noexcept {
    if constexpr (mask_maker<Mask>)
        return decltype(m()){};
    else
        return std::remove_cvref_t<Mask>(std::forward<Mask>(m));
}

template <mask_argument Mask>
using mask_of = decltype(as_mask(std::declval<Mask>()));

/// The queries and keys of a tile of scores, half open.
struct tile_range {
    std::size_t first_query, last_query, first_key, last_key;
};

/// The keys of some queries: none of them keeps a key outside [first, last), all keep the keys in [full_first,
/// full_last). Ends may lie outside the scores.
struct key_span {
    std::ptrdiff_t first, last, full_first, full_last;
};

template <class Scores>
using score_coordinates = std::array<std::size_t, Scores::rank>;
template <class Scores>
using batch_coordinates = std::array<std::size_t, Scores::rank - 2>;

template <class Scores>
inline constexpr std::size_t query_extent = Scores::extents[Scores::rank - 2];
template <class Scores>
inline constexpr std::size_t key_extent = Scores::extents[Scores::rank - 1];

/// The check of masks that fit scores of any shape.
struct any_scores {
    static constexpr bool fits = true;
};

/// A mask that returns the span of keys that some queries keep.
template <class Mask, class Scores>
concept spanning_mask = requires(const Mask& m, batch_coordinates<Scores> batch) {
    m.template span<Scores>(batch, std::size_t{0}, std::size_t{1});
};

/// `boundary_count` of masks whose rows are not a few intervals of kept keys.
inline constexpr std::size_t no_boundaries = static_cast<std::size_t>(-1);

/// Keeps every pair: the static part of a mask that is decided at run time.
struct keep_all_mask {
    using mask_category = mask_tag;
    using static_part = keep_all_mask;
    static constexpr bool is_static = true;
    static constexpr std::size_t boundary_count = 0;

    template <class Scores>
    using check = any_scores;

    static constexpr bool keeps_pair(std::size_t, std::size_t) { return true; }
    static constexpr void boundaries(std::ptrdiff_t, std::ptrdiff_t*) {}

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>&) const noexcept {
        return true;
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>&,
                                                        const tile_range&) const noexcept {
        return tile_content::full;
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr key_span span(const batch_coordinates<Scores>&, std::size_t,
                                                 std::size_t) const noexcept {
        constexpr auto keys = static_cast<std::ptrdiff_t>(key_extent<Scores>);
        return {0, keys, 0, keys};
    }
    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>&, Int query, Int key,
                                                   std::size_t) const {
        return decltype(query < key)(true);
    }
};

/// `!m`.
template <class Mask>
struct not_mask {
    using mask_category = mask_tag;
    static constexpr bool is_static = Mask::is_static;
    /// A mask that is not static has only an upper bound, which says nothing about its complement.
    using static_part = std::conditional_t<is_static, not_mask, keep_all_mask>;
    static constexpr std::size_t boundary_count = Mask::boundary_count;
    template <class Scores>
    using check = typename Mask::template check<Scores>;

    [[no_unique_address]] Mask operand;

    static constexpr bool keeps_pair(std::size_t query, std::size_t key) { return !Mask::keeps_pair(query, key); }
    static constexpr void boundaries(std::ptrdiff_t query, std::ptrdiff_t* keys) { Mask::boundaries(query, keys); }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        return !operand.template keeps<Scores>(at);
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>& batch,
                                                        const tile_range& tile) const noexcept {
        const tile_content kept = operand.template content<Scores>(batch, tile);
        if (kept == tile_content::mixed) return kept;
        return kept == tile_content::full ? tile_content::empty : tile_content::full;
    }
    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>& batch, Int query, Int key,
                                                   std::size_t count) const {
        return !operand.template keep_lanes<Scores>(batch, query, key, count);
    }
};

template <class Left, class Right>
consteval std::size_t boundaries_of_both() {
    return Left::boundary_count == no_boundaries || Right::boundary_count == no_boundaries
               ? no_boundaries
               : Left::boundary_count + Right::boundary_count;
}

/// `a && b` (All) and `a || b`.
template <bool All, class Left, class Right>
struct pair_mask {
    using mask_category = mask_tag;
    static constexpr bool is_static = Left::is_static && Right::is_static;
    using known = pair_mask<All, typename Left::static_part, typename Right::static_part>;
    using static_part = std::conditional_t<is_static, pair_mask, known>;
    static constexpr std::size_t boundary_count = boundaries_of_both<Left, Right>();
    template <class Scores>
    using check = std::conditional_t<Left::template check<Scores>::fits, typename Right::template check<Scores>,
                                     typename Left::template check<Scores>>;

    [[no_unique_address]] Left left;
    [[no_unique_address]] Right right;

    static constexpr bool keeps_pair(std::size_t query, std::size_t key) {
        return All ? Left::keeps_pair(query, key) && Right::keeps_pair(query, key)
                   : Left::keeps_pair(query, key) || Right::keeps_pair(query, key);
    }
    static constexpr void boundaries(std::ptrdiff_t query, std::ptrdiff_t* keys) {
        Left::boundaries(query, keys);
        Right::boundaries(query, keys + Left::boundary_count);
    }

    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr bool keeps(const score_coordinates<Scores>& at) const noexcept {
        if constexpr (All)
            return left.template keeps<Scores>(at) && right.template keeps<Scores>(at);
        else
            return left.template keeps<Scores>(at) || right.template keeps<Scores>(at);
    }
    template <class Scores>
    ASHLAR_ALWAYS_INLINE constexpr tile_content content(const batch_coordinates<Scores>& batch,
                                                        const tile_range& tile) const noexcept {
        const tile_content a = left.template content<Scores>(batch, tile);
        // The right mask may have to read a tensor.
        if (a == (All ? tile_content::empty : tile_content::full)) return a;
        const tile_content b = right.template content<Scores>(batch, tile);
        return (a < b) == All ? a : b;
    }
    template <class Scores>
        requires(All && spanning_mask<Left, Scores> && spanning_mask<Right, Scores>)
    ASHLAR_ALWAYS_INLINE constexpr key_span span(const batch_coordinates<Scores>& batch, std::size_t first_query,
                                                 std::size_t last_query) const noexcept {
        const key_span a = left.template span<Scores>(batch, first_query, last_query);
        const key_span b = right.template span<Scores>(batch, first_query, last_query);
        return {a.first > b.first ? a.first : b.first, a.last < b.last ? a.last : b.last,
                a.full_first > b.full_first ? a.full_first : b.full_first,
                a.full_last < b.full_last ? a.full_last : b.full_last};
    }
    template <class Scores, class Int>
    ASHLAR_ALWAYS_INLINE constexpr auto keep_lanes(const batch_coordinates<Scores>& batch, Int query, Int key,
                                                   std::size_t count) const {
        const auto a = left.template keep_lanes<Scores>(batch, query, key, count);
        const auto b = right.template keep_lanes<Scores>(batch, query, key, count);
        if constexpr (All)
            return a & b;
        else
            return a | b;
    }
};

/// is_band: whether the range of kept keys advances by one per query until it meets an end. has_lower_slope: whether
/// its first key advances too.
template <class Mask>
inline constexpr bool is_band = requires { Mask::has_lowest; };
template <class Left, class Right>
inline constexpr bool is_band<pair_mask<true, Left, Right>> = is_band<Left> || is_band<Right>;
template <class Mask>
inline constexpr bool has_lower_slope = [] {
    if constexpr (requires { Mask::has_lowest; })
        return Mask::has_lowest;
    else
        return false;
}();
template <class Left, class Right>
inline constexpr bool has_lower_slope<pair_mask<true, Left, Right>> = has_lower_slope<Left> || has_lower_slope<Right>;
/// A mask with a span of keys that differs between queries.
template <class Mask, class Scores>
concept sloping_mask = is_band<Mask> && spanning_mask<Mask, Scores>;

/// Whether `&&` and `||` combine two masks; a bool expression combined with a mask has no polarity yet.
template <class Left, class Right>
struct mask_operands {
    static constexpr bool are_masks = mask_argument<Left> && mask_argument<Right>;
};

template <bool All, class Left, class Right>
ASHLAR_ALWAYS_INLINE constexpr auto combine_masks(Left&& a, Right&& b) noexcept {
    static_assert(mask_operands<std::remove_cvref_t<Left>, std::remove_cvref_t<Right>>::are_masks,
                  "ashlar: mask: a bool tensor does not say what true means; write keep(t) or ignore(t)");
    if constexpr (!mask_argument<Left>)
        return as_mask(std::forward<Right>(b));
    else if constexpr (!mask_argument<Right>)
        return as_mask(std::forward<Left>(a));
    else
        return pair_mask<All, mask_of<Left>, mask_of<Right>>{as_mask(std::forward<Left>(a)),
                                                             as_mask(std::forward<Right>(b))};
}

/// At least one side is a mask; the other may be an expression.
template <class Left, class Right>
concept mask_pair = (any_mask<Left> || any_mask<Right>) && (mask_argument<Left> || any_expression<Left>) &&
                    (mask_argument<Right> || any_expression<Right>);

}  // namespace detail

/// Keeps the pairs that both masks keep: `causal && keep(t)`. The content of a tile is the minimum of the two.
template <class Left, class Right>
    requires detail::mask_pair<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator&&(Left&& a, Right&& b) noexcept {
    return detail::combine_masks<true>(std::forward<Left>(a), std::forward<Right>(b));
}

/// Keeps the pairs that either mask keeps: `sliding_window<8, 0> || keep_if<is_global>`. The content of a tile is the
/// maximum of the two.
template <class Left, class Right>
    requires detail::mask_pair<Left, Right>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator||(Left&& a, Right&& b) noexcept {
    return detail::combine_masks<false>(std::forward<Left>(a), std::forward<Right>(b));
}

/// Keeps the pairs that the mask does not: `!causal` keeps the keys after the query. Empty and full tiles are swapped.
template <any_mask Mask>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto operator!(Mask&& m) noexcept {
    return detail::not_mask<std::remove_cvref_t<Mask>>{std::forward<Mask>(m)};
}

namespace detail {

/// Whether the mask keeps the pair at the full coordinates (batch..., query, key) of the scores. Evaluators call this
/// and the functions below, and mask_kept_pairs in masks/count.hpp.
template <class Scores, any_mask Mask>
ASHLAR_ALWAYS_INLINE constexpr bool mask_keeps(const Mask& m,
                                               const std::array<std::size_t, Scores::rank>& at) noexcept {
    return m.template keeps<Scores>(at);
}

/// What the mask keeps of queries [q0, q1) and keys [k0, k1), neither range empty. May be mixed if unsure; empty and
/// full are certain. Costs a few comparisons if the type decides; for tensors it reads the tile's bools up to the first
/// row that differs.
template <class Scores, any_mask Mask>
ASHLAR_ALWAYS_INLINE constexpr tile_content mask_content(const Mask& m,
                                                         const std::array<std::size_t, Scores::rank - 2>& batch,
                                                         std::size_t q0, std::size_t q1, std::size_t k0,
                                                         std::size_t k1) noexcept {
    return m.template content<Scores>(batch, tile_range{q0, q1, k0, k1});
}

/// The SIMD form of mask_keeps: a lane_mask<std::int32_t, N, Config> for query and key lanes that each advance by a
/// constant (one of them usually by zero). Only the first `count` lanes are pairs of the scores: the others read no
/// memory, and their results are unspecified.
template <class Scores, any_mask Mask, class Int>
ASHLAR_ALWAYS_INLINE constexpr auto mask_lanes(const Mask& m, const std::array<std::size_t, Scores::rank - 2>& batch,
                                               Int query, Int key, std::size_t count) {
    return m.template keep_lanes<Scores>(batch, query, key, count);
}

}  // namespace detail
}  // namespace ashlar
