// SPDX-License-Identifier: BSL-1.0
// Einstein summation over up to three operands, lowered to sums, matrix products and elementwise products.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/products/einsum_labels.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// The position in From of each label of To.
template <label_list From, label_list To>
consteval std::array<std::size_t, To.count> positions_of() {
    std::array<std::size_t, To.count> axes{};
    for (std::size_t i = 0; i < To.count; ++i) axes[i] = From.find(To.text[i]);
    return spelled_out(axes);
}

/// Permutes the axes from the labels From to the same labels in the order To.
template <label_list From, label_list To, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto arrange(Expression&& e) noexcept {
    return permute_by<positions_of<From, To>()>(std::forward<Expression>(e));
}

/// All axes in order, except that the first repeated label and its first occurrence come last.
template <label_list Labels>
consteval std::array<std::size_t, Labels.count> repeated_last() {
    const std::size_t second = Labels.find_repeated(), first = Labels.find(Labels.text[second]);
    std::array<std::size_t, Labels.count> axes{};
    std::size_t next = 0;
    for (std::size_t i = 0; i < Labels.count; ++i)
        if (i != first && i != second) axes[next++] = i;
    axes[next] = first;
    axes[next + 1] = second;
    return spelled_out(axes);
}

/// Replaces axes that share a label by their diagonal: every (n + 1)-th of n * n entries.
template <class Dimensions, label_list Labels, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto take_diagonals(Expression&& e) noexcept {
    if constexpr (Labels.find_repeated() == Labels.count) {
        return itself(std::forward<Expression>(e));
    } else {
        constexpr label_list left = Labels.one_diagonal();
        using result = typename Dimensions::template shape_of_labels<left>;
        constexpr std::size_t last = left.count - 1, n = result::extents[last];
        using flat = decltype(with_dimension<result, last, n * n>());
        return take_diagonals<Dimensions, left>(reshape_to<result>(slice_from<last, n, n + 1>(
            reshape_to<flat>(permute_by<repeated_last<Labels>()>(std::forward<Expression>(e))), 0)));
    }
}

/// The sum over the axes whose labels are not in Kept.
template <label_list Labels, label_list Kept, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto sum_out(Expression&& e) noexcept {
    constexpr label_list dropped = Labels.except(Kept);
    if constexpr (dropped.count == 0) {
        return itself(std::forward<Expression>(e));
    } else {
        constexpr char label = dropped.text[dropped.count - 1];
        return sum_out<Labels.without(label), Kept>(sum<Labels.find(label)>(std::forward<Expression>(e)));
    }
}

/// The shape of Result, with extent 1 for the labels that are not in Own.
template <class Dimensions, label_list Own, label_list Result>
consteval auto spread_shape() {
    return build_shape<Result.count>([]<std::size_t Place>() {
        if constexpr (Own.contains(Result.text[Place]))
            return dimension_at<typename Dimensions::template shape_of_labels<Result>, Place>;
        else
            return std::size_t{1};
    });
}

/// An operand of an elementwise product: its axes in the order of the result, with extent 1 for missing ones.
template <class Dimensions, label_list Labels, label_list Result, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto spread(Expression&& e) noexcept {
    return reshape_to<decltype(spread_shape<Dimensions, Labels, Result>())>(
        arrange<Labels, Result.common(Labels)>(std::forward<Expression>(e)));
}

/// The dimension of merged axes: the axis itself if there is one, else their size.
template <class Axes>
consteval auto merged_dimension() {
    if constexpr (Axes::rank == 1)
        return dimension_at<Axes, 0>;
    else
        return Axes::size;
}

/// The shape [batch..., rows, columns] of an operand of the matrix product.
template <class Dimensions, label_list Batch, label_list Rows, label_list Columns>
using matrix_shape =
    typename joined<typename Dimensions::template shape_of_labels<Batch>,
                    shape<merged_dimension<typename Dimensions::template shape_of_labels<Rows>>(),
                          merged_dimension<typename Dimensions::template shape_of_labels<Columns>>()>>::type;

/// The sum of products over the shared labels, as one matrix product: [batch..., rows, shared] by [batch..., shared,
/// columns].
template <class Dimensions, label_list Left, label_list Right, label_list Result, class FirstOperand,
          class SecondOperand>
ASHLAR_ALWAYS_INLINE constexpr auto contract(FirstOperand&& a, SecondOperand&& b) noexcept {
    constexpr label_list batch = Result.common(Left).common(Right);
    constexpr label_list rows = Result.common(Left).except(batch), columns = Result.common(Right).except(batch);
    constexpr label_list shared = Left.common(Right).except(Result);
    constexpr label_list order = batch.with(rows).with(columns);
    return arrange<order, Result>(reshape_to<typename Dimensions::template shape_of_labels<order>>(
        make_matmul(reshape_to<matrix_shape<Dimensions, batch, rows, shared>>(
                        arrange<Left, batch.with(rows).with(shared)>(std::forward<FirstOperand>(a))),
                    reshape_to<matrix_shape<Dimensions, batch, shared, columns>>(
                        arrange<Right, batch.with(shared).with(columns)>(std::forward<SecondOperand>(b))))));
}

/// The product of two operands whose labels are distinct and all needed.
template <class Dimensions, label_list Left, label_list Right, label_list Result, class FirstOperand,
          class SecondOperand>
ASHLAR_ALWAYS_INLINE constexpr auto multiply(FirstOperand&& a, SecondOperand&& b) noexcept {
    constexpr label_list summed = Left.common(Right).except(Result);
    if constexpr (summed.count == 0) {
        return spread<Dimensions, Left, Result>(std::forward<FirstOperand>(a)) *
               spread<Dimensions, Right, Result>(std::forward<SecondOperand>(b));
    } else {
        // The left operand is the one whose own labels come first in the result, so that the product needs no
        // transpose.
        constexpr label_list own = Result.except(Left.common(Right));
        if constexpr (own.count > 0 && Right.contains(own.text[0]))
            return contract<Dimensions, Right, Left, Result>(std::forward<SecondOperand>(b),
                                                             std::forward<FirstOperand>(a));
        else
            return contract<Dimensions, Left, Right, Result>(std::forward<FirstOperand>(a),
                                                             std::forward<SecondOperand>(b));
    }
}

/// An operand's diagonals, summed over the labels that neither the result nor the other operand needs.
template <class Dimensions, label_list Labels, label_list Needed, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto prepare(Expression&& e) noexcept {
    return sum_out<Labels.diagonal(), Needed>(take_diagonals<Dimensions, Labels>(std::forward<Expression>(e)));
}

template <class Dimensions, label_list FirstLabels, label_list Result, class FirstOperand>
ASHLAR_ALWAYS_INLINE constexpr auto einsum_of(FirstOperand&& a) noexcept {
    return arrange<FirstLabels.diagonal().common(Result), Result>(
        prepare<Dimensions, FirstLabels, Result>(std::forward<FirstOperand>(a)));
}

template <class Dimensions, label_list FirstLabels, label_list SecondLabels, label_list Result, class FirstOperand,
          class SecondOperand>
ASHLAR_ALWAYS_INLINE constexpr auto einsum_of(FirstOperand&& a, SecondOperand&& b) noexcept {
    constexpr label_list for_left = SecondLabels.with(Result), for_right = FirstLabels.with(Result);
    return multiply<Dimensions, FirstLabels.diagonal().common(for_left), SecondLabels.diagonal().common(for_right),
                    Result>(prepare<Dimensions, FirstLabels, for_left>(std::forward<FirstOperand>(a)),
                            prepare<Dimensions, SecondLabels, for_right>(std::forward<SecondOperand>(b)));
}

/// The multiply-adds of multiplying First by Second, then the product by Third.
template <class Dimensions, label_list First, label_list Second, label_list Third, label_list Result>
consteval std::size_t cost_of_order() {
    constexpr label_list both = First.with(Second).distinct(), rest = Third.with(Result);
    return Dimensions::template size_of_labels<both> +
           Dimensions::template size_of_labels<both.common(rest).with(Third).distinct()>;
}

template <class Dimensions, label_list FirstLabels, label_list SecondLabels, label_list ThirdLabels, label_list Result,
          class FirstOperand, class SecondOperand, class ThirdOperand>
ASHLAR_ALWAYS_INLINE constexpr auto einsum_of(FirstOperand&& a, SecondOperand&& b, ThirdOperand&& c) noexcept {
    constexpr std::size_t ab = cost_of_order<Dimensions, FirstLabels, SecondLabels, ThirdLabels, Result>();
    constexpr std::size_t ac = cost_of_order<Dimensions, FirstLabels, ThirdLabels, SecondLabels, Result>();
    constexpr std::size_t bc = cost_of_order<Dimensions, SecondLabels, ThirdLabels, FirstLabels, Result>();
    if constexpr (ab <= ac && ab <= bc) {
        constexpr label_list product = FirstLabels.with(SecondLabels).distinct().common(ThirdLabels.with(Result));
        return einsum_of<Dimensions, product, ThirdLabels, Result>(
            einsum_of<Dimensions, FirstLabels, SecondLabels, product>(std::forward<FirstOperand>(a),
                                                                      std::forward<SecondOperand>(b)),
            std::forward<ThirdOperand>(c));
    } else if constexpr (ac <= bc) {
        constexpr label_list product = FirstLabels.with(ThirdLabels).distinct().common(SecondLabels.with(Result));
        return einsum_of<Dimensions, product, SecondLabels, Result>(
            einsum_of<Dimensions, FirstLabels, ThirdLabels, product>(std::forward<FirstOperand>(a),
                                                                     std::forward<ThirdOperand>(c)),
            std::forward<SecondOperand>(b));
    } else {
        constexpr label_list product = SecondLabels.with(ThirdLabels).distinct().common(FirstLabels.with(Result));
        return einsum_of<Dimensions, FirstLabels, product, Result>(
            std::forward<FirstOperand>(a), einsum_of<Dimensions, SecondLabels, ThirdLabels, product>(
                                               std::forward<SecondOperand>(b), std::forward<ThirdOperand>(c)));
    }
}

}  // namespace detail

/// Einstein summation: one letter per axis, operands separated by commas. Letters missing from the result after -> are
/// summed over. Without -> the result has the letters that occur once, in alphabetical order, as in NumPy. A letter
/// twice in one operand takes the diagonal. Sums over a letter that two operands share become a matmul; of three
/// operands the cheapest pair is multiplied first. Lazy; dimensions keep their names.
///
///     auto scores = einsum<"bqd,bkd->bqk">(q, k);
///     auto trace = einsum<"ii->">(m);
template <fixed_string Subscripts, any_expression First, any_expression... Rest>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto einsum(First&& first, Rest&&... rest) noexcept {
    constexpr detail::subscripts parsed = detail::parse_subscripts(Subscripts.text, Subscripts.size());
    if constexpr (detail::check_einsum<Subscripts, element_of<First>, shape_of<First>, shape_of<Rest>...>(
                      std::type_identity<element_of<Rest>>{}...)) {
        using dimensions =
            detail::label_dimensions<parsed.all(), typename detail::joined<shape_of<First>, shape_of<Rest>...>::type>;
        if constexpr (sizeof...(Rest) == 0)
            return detail::einsum_of<dimensions, parsed.operands[0], parsed.result>(std::forward<First>(first));
        else if constexpr (sizeof...(Rest) == 1)
            return detail::einsum_of<dimensions, parsed.operands[0], parsed.operands[1], parsed.result>(
                std::forward<First>(first), std::forward<Rest>(rest)...);
        else
            return detail::einsum_of<dimensions, parsed.operands[0], parsed.operands[1], parsed.operands[2],
                                     parsed.result>(std::forward<First>(first), std::forward<Rest>(rest)...);
    } else {
        return detail::refused<element_of<First>,
                               decltype(detail::intended_einsum_shape<parsed, shape_of<First>, shape_of<Rest>...>())>();
    }
}

}  // namespace ashlar
