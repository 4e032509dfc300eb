// SPDX-License-Identifier: BSL-1.0
// rows_below: how many rows of a result are computed, known when the program runs.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/eval/access/loop_end.hpp>
#include <ashlar/expr/masks/keys_below.hpp>
#include <ashlar/plan/build/entry_limits.hpp>

namespace ashlar::inline v0_1 {
namespace detail {

/// The rows below one number.
struct rows_below_count {
    static constexpr bool are_limited = true;
    template <class Result>
    struct fits_result {
        static constexpr bool fits = true;
    };

    std::size_t count;

    /// How many rows there are at most of entries of Result; of an axis that `at` does not know, of any entry.
    template <class Result, std::size_t Rank>
    ASHLAR_ALWAYS_INLINE constexpr std::size_t most(const std::array<std::size_t, Rank>&) const noexcept {
        return count;
    }
};

/// The rows below a number for each batch entry.
template <class Array>
struct rows_below_each {
    static constexpr bool are_limited = true;
    template <class Result>
    using fits_result = entry_integers_shape<shape_of<Array>, Result>;

    Array counts;

    template <class Result, std::size_t Rank>
    ASHLAR_ALWAYS_INLINE constexpr std::size_t most(std::array<std::size_t, Rank> at) const noexcept {
        constexpr std::size_t first = entry_position<shape_of<Array>, Result>();
        // Axes that the counts do not have make no difference.
        for (std::size_t a = 0; a < Rank; ++a)
            if (a < first || a - first >= shape_of<Array>::rank || Array::extents[a - first] == 1) at[a] = 0;
        std::size_t rows = 0;
        for_each_entry<Result>(at, [&](const auto& entry) ASHLAR_LAMBDA_INLINE {
            std::ptrdiff_t offset = 0;
            for (std::size_t i = 0; i < shape_of<Array>::rank; ++i)
                offset += static_cast<std::ptrdiff_t>(entry[first + i]) * Array::strides[i];
            const std::size_t count = key_count(counts.data()[offset]);
            if (count > rows) rows = count;
        });
        return rows;
    }
};

/// Whether a result has rows: an axis before its last one.
template <class Result>
struct result_rows {
    static constexpr bool are_second_to_last = Result::rank >= 2;
};

/// Checks that rows_below can limit the rows of a result of this shape.
template <class Result, class Rows>
consteval bool check_rows() {
    static_assert(result_rows<Result>::are_second_to_last,
                  "ashlar: rows_below: rows are the second to last axis of the result, which has fewer; unsqueeze one");
    if constexpr (!result_rows<Result>::are_second_to_last) {
        return false;
    } else {
        static_assert(
            Rows::template fits_result<Result>::fits,
            "ashlar: rows_below: the axes of the counts must be batch axes of the result; unsqueeze or rename them");
        return Rows::template fits_result<Result>::fits;
    }
}

/// Whether no entry of a result requests more rows than it has.
template <class Result, class Rows>
ASHLAR_ALWAYS_INLINE constexpr bool rows_fit(const Rows& rows) noexcept {
    std::array<std::size_t, Result::rank - 2> any{};
    any.fill(any_entry);
    return rows.template most<Result>(any) <= Result::extents[Result::rank - 2];
}

}  // namespace detail

/// An argument of `evaluate` that limits it to the first n rows of the result. n is an integer from 0 to the extent of
/// the result's second to last axis (asserted); a negative n counts as 0. The loops of all layers of a model stop after
/// n rows, so the time is that of n rows. The other rows of the destination are unspecified. Keys and values of rows
/// that a mask excludes are not computed either. Operands may hold anything in the other rows: NaN, indices outside of
/// a table, divisors of 0.
///
///     evaluate(y, encoder(x, keys_below(n)), scratch, rows_below(n));
template <std::integral Count>
    requires(!std::same_as<Count, bool>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rows_below(Count n) noexcept {
    return detail::rows_below_count{detail::key_count(n)};
}

/// One number for each batch entry, from an integer tensor whose axes are the first batch axes of the result (or, where
/// only that fits, the last ones); an axis of extent 1 is repeated. A named tensor is borrowed, a temporary is owned.
///
///     evaluate(y, encoder(x, keys_below(lengths)), scratch, rows_below(lengths));   // x is [8, 64, 32]
template <class Expression>
    requires(any_expression<Expression> || std::floating_point<std::remove_cvref_t<Expression>> ||
             std::same_as<std::remove_cvref_t<Expression>, bool>)
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto rows_below(Expression&& counts) noexcept {
    static_assert(
        detail::entry_integers<std::remove_cvref_t<Expression>>::are_integers_in_memory,
        "ashlar: rows_below: takes an integer or an integer tensor over the batch axes; evaluate an expression "
        "first: rows_below(eval(e))");
    if constexpr (detail::entry_integers<std::remove_cvref_t<Expression>>::are_integers_in_memory)
        return detail::rows_below_each<detail::held<Expression>>{detail::hold(std::forward<Expression>(counts))};
    else
        return detail::rows_below_count{0};
}

}  // namespace ashlar
