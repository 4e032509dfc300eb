// SPDX-License-Identifier: BSL-1.0
// Checks of attention's operands and options, and the shapes that follow from them.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/attention/attention_options.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/products/matmul.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether queries, keys and values have rows and columns, and at most 5 axes.
template <class Query, class Key, class Value>
struct attention_axes {
    static constexpr bool are_supported = Query::rank >= 2 && Query::rank <= 5 && Key::rank >= 2 && Key::rank <= 5 &&
                                          Value::rank >= 2 && Value::rank <= 5;
};

/// Whether queries and keys have the same columns.
template <auto Queries, auto Keys>
struct attention_depth {
    static constexpr bool agrees = dimensions_agree(Queries, Keys);
};

/// Whether there is one value for each key.
template <auto Keys, auto Values>
struct attention_rows {
    static constexpr bool agree = dimensions_agree(Keys, Values);
};

/// Whether the heads of the queries form equal groups, one for each head of keys or values; a single head on either
/// side broadcasts.
template <auto Queries, auto KeysOrValues>
struct attention_heads {
    static constexpr std::size_t queries = extent_of(Queries), others = extent_of(KeysOrValues);
    static constexpr bool divide = queries == 1 || queries % others == 0;
};

/// Whether the leading axes of queries and of (grouped) keys or values broadcast.
template <class Queries, class KeysOrValues>
struct attention_batch {
    static constexpr bool broadcasts = shapes_broadcast<Queries, KeysOrValues>();
};

template <class Given>
struct attention_argument {
    static constexpr bool is_option = option_kind<Given> != attention_option::unknown;
};

template <attention_option Option, std::size_t Times>
struct option_count {
    static constexpr bool is_at_most_one = Times <= 1;
};

/// Whether the shape of a bias or of a scale broadcasts to the scores.
template <class Option, class Scores>
struct option_shape {
    static constexpr bool fits = broadcast_target<Option, Scores>::fits;
};

/// Whether a score_mod returns a score for a score and two indices.
template <class Result, class Score>
struct score_mod_result {
    static constexpr bool is_a_score = std::is_same_v<Result, Score>;
};

/// The axis Back axes before the last one; 1 if there is none.
template <class Shape, std::size_t Back>
consteval auto axis_from_end() {
    if constexpr (Shape::rank <= Back)
        return std::size_t{1};
    else
        return dimension_at<Shape, Shape::rank - 1 - Back>;
}
template <class Shape>
inline constexpr auto columns_of = axis_from_end<Shape, 0>();
template <class Shape>
inline constexpr auto rows_of = axis_from_end<Shape, 1>();
template <class Shape>
inline constexpr auto heads_of = axis_from_end<Shape, 2>();

/// The number of query heads for each head of keys or values; 1 if they broadcast.
template <class Query, class Other>
consteval std::size_t group_size() {
    constexpr std::size_t heads = extent_of(heads_of<Query>), others = extent_of(heads_of<Other>);
    return heads == 1 || others == 1 || heads % others != 0 ? 1 : heads / others;
}

template <class Query, class Other>
consteval auto grouped_shape() {
    if constexpr (group_size<Query, Other>() == 1)
        return Other{};
    else
        return with_dimension<Other, Other::rank - 3, extent_of(heads_of<Query>)>();
}

/// The batch axes of keys or values, with a head for each head of the queries.
template <class Query, class Other>
using grouped_batch = decltype(batch_axes<decltype(grouped_shape<Query, Other>())>());

template <class Query, class Key>
consteval auto score_batch() {
    if constexpr (shapes_broadcast<decltype(batch_axes<Query>()), grouped_batch<Query, Key>>())
        return broadcast_two<decltype(batch_axes<Query>()), grouped_batch<Query, Key>>();
    else
        return shape<>{};
}

/// The shape [..., queries, keys] of the scores.
template <class Query, class Key>
consteval auto scores_of() {
    using batch = decltype(score_batch<Query, Key>());
    return inserted_dimension<decltype(inserted_dimension<batch, batch::rank, rows_of<Query>>()), batch::rank + 1,
                              rows_of<Key>>();
}

/// Checks that queries, keys and values fit together. Attention calls every check directly, since an intermediate
/// function adds three lines to an error. Every rule is well-formed for any shapes; the first that fails suppresses the
/// later ones.
template <any_expression Queries, any_expression Keys, any_expression Values>
consteval bool check_operands() {
    using Element = element_of<Queries>;
    using Query = shape_of<Queries>;
    using Key = shape_of<Keys>;
    using Value = shape_of<Values>;

    constexpr bool same =
        element_types<Element, element_of<Keys>>::same && element_types<Element, element_of<Values>>::same;
    static_assert(element_types<Element, element_of<Keys>>::same && element_types<Element, element_of<Values>>::same,
                  "ashlar: attention: q, k and v must have the same element type; use cast<T>(x)");

    constexpr bool floating = same && floating_elements<Element>::given;
    static_assert(!same || floating_elements<Element>::given,
                  "ashlar: attention: the elements must be floating-point numbers; use cast<float>(x)");

    constexpr bool axes = floating && attention_axes<Query, Key, Value>::are_supported;
    static_assert(!floating || attention_axes<Query, Key, Value>::are_supported,
                  "ashlar: attention: q, k and v must be [..., rows, columns] of 2 to 5 axes; q may be a vector");

    constexpr bool depth = axes && attention_depth<columns_of<Query>, columns_of<Key>>::agrees;
    static_assert(!axes || attention_depth<columns_of<Query>, columns_of<Key>>::agrees,
                  "ashlar: attention: q and k must have the same last axis, over which they are multiplied; rename or "
                  "project one of them");

    constexpr bool rows = depth && attention_rows<rows_of<Key>, rows_of<Value>>::agree;
    static_assert(!depth || attention_rows<rows_of<Key>, rows_of<Value>>::agree,
                  "ashlar: attention: k and v must have the same rows, a value for each key; are they swapped?");

    constexpr bool key_heads = rows && attention_heads<heads_of<Query>, heads_of<Key>>::divide;
    static_assert(!rows || attention_heads<heads_of<Query>, heads_of<Key>>::divide,
                  "ashlar: attention: the heads of q (the axis before the last two) must be a multiple of those of k; "
                  "permute the axes?");

    constexpr bool value_heads = key_heads && attention_heads<heads_of<Query>, heads_of<Value>>::divide;
    static_assert(!key_heads || attention_heads<heads_of<Query>, heads_of<Value>>::divide,
                  "ashlar: attention: the heads of q (the axis before the last two) must be a multiple of those of v; "
                  "permute the axes?");

    constexpr bool batch =
        value_heads && attention_batch<decltype(batch_axes<Query>()), grouped_batch<Query, Key>>::broadcasts;
    static_assert(!value_heads || attention_batch<decltype(batch_axes<Query>()), grouped_batch<Query, Key>>::broadcasts,
                  "ashlar: attention: the leading axes of q and k must broadcast; unsqueeze or rename one");

    constexpr bool fit =
        batch && attention_batch<decltype(score_batch<Query, Key>()), grouped_batch<Query, Value>>::broadcasts;
    static_assert(
        !batch || attention_batch<decltype(score_batch<Query, Key>()), grouped_batch<Query, Value>>::broadcasts,
        "ashlar: attention: the leading axes of v must broadcast to those of q and k; unsqueeze or rename one");
    return fit;
}

/// The first argument that is not an option; a valid option if all are.
template <class... Given>
struct first_unknown {
    using type = keep_all_mask;
};
template <class First, class... Rest>
struct first_unknown<First, Rest...> : first_unknown<Rest...> {};
template <class First, class... Rest>
    requires(option_kind<First> == attention_option::unknown)
struct first_unknown<First, Rest...> {
    using type = First;
};

template <attention_option Kind, class... Given>
inline constexpr std::size_t count_options = (std::size_t{0} + ... + (option_kind<Given> == Kind ? 1 : 0));

/// The first kind of option that is given more than once, else unknown.
template <class... Given>
consteval attention_option repeated_option() {
    for (const attention_option kind : {option_kind<keep_all_mask>, option_kind<Given>...}) {
        std::size_t count = 0;
        for (const attention_option other : {attention_option::unknown, option_kind<Given>...}) count += other == kind;
        if (count > 1) return kind;
    }
    return attention_option::unknown;
}

/// Checks that arguments are options, each at most once.
template <class... Given>
consteval bool check_options() {
    using unknown = typename first_unknown<Given...>::type;
    constexpr attention_option repeated = repeated_option<Given...>();
    constexpr bool known = attention_argument<unknown>::is_option;
    static_assert(
        !std::is_same_v<unknown, bool> || attention_argument<unknown>::is_option,
        "ashlar: mask: this is not a mask; keep(t) and ignore(t) make one of a bool tensor, keep_if<p>() of a "
        "predicate");
    static_assert(
        std::is_same_v<unknown, bool> || attention_argument<unknown>::is_option,
        "ashlar: attention: options are a mask, scale(s), softcap(c), bias(e), score_mod(f) and fast; a bool tensor becomes a mask by keep(t) or ignore(t)");
    static_assert(!known || repeated == attention_option::unknown ||
                      option_count<repeated, count_options<repeated, Given...>>::is_at_most_one,
                  "ashlar: attention: an option can be given only once; combine masks with && or ||, add biases");
    return known && repeated == attention_option::unknown;
}

/// The expression of a scale or bias; void for a number and for other options.
template <class Option>
struct score_operand {
    using type = void;
};
template <any_expression Expression>
struct score_operand<scale_option<Expression>> {
    using type = Expression;
};
template <class Expression>
struct score_operand<bias_option<Expression>> {
    using type = Expression;
};

/// Checks that a scale or a bias can be combined with scores of elements Element. For masks see masked.hpp.
template <class Element, class Scores, class Option>
    requires any_expression<typename score_operand<Option>::type>
consteval bool check_option(std::type_identity<Option>) {
    using operand = typename score_operand<Option>::type;
    constexpr bool same = element_types<Element, element_of<operand>>::same;
    static_assert(element_types<Element, element_of<operand>>::same,
                  "ashlar: attention: a bias or scale must have the element type of q; use cast<T>(x)");
    static_assert(!same || option_shape<shape_of<operand>, Scores>::fits,
                  "ashlar: attention: a bias or scale must broadcast to the scores [..., queries, keys]; unsqueeze its "
                  "axes");
    return same && option_shape<shape_of<operand>, Scores>::fits;
}
template <class Element, class Scores, scalar_argument Number>
consteval bool check_option(std::type_identity<scale_option<Number>>) {
    return true;
}
template <class Element, class Scores, class Number>
consteval bool check_option(std::type_identity<softcap_option<Number>>) {
    return true;
}
template <class Element, class Scores>
consteval bool check_option(std::type_identity<fast_t>) {
    return true;
}

/// Checks that a function returns a score for a score, a query and a key.
template <class Element, class Scores, class Function>
consteval bool check_option(std::type_identity<score_mod_option<Function>>) {
    using result = typename decltype(user_result<Function, Element, Element, Element>())::type;
    static_assert(
        score_mod_result<result, Element>::is_a_score,
        "ashlar: attention: the function of score_mod must take (score, query, key), lanes of the score's type, "
        "and return a score; write it with auto parameters");
    return score_mod_result<result, Element>::is_a_score;
}

template <any_expression Query, any_expression Key>
using scores_shape = decltype(scores_of<shape_of<Query>, shape_of<Key>>());

/// The shape [..., queries, Columns] that a refused attention most likely should have.
template <class Query, class Key, auto Columns>
consteval auto intended_attention_shape() {
    using queries = decltype(batch_axes<Query>());
    using batch = std::conditional_t<shapes_broadcast<queries, grouped_batch<Query, Key>>(),
                                     decltype(score_batch<Query, Key>()), queries>;
    return inserted_dimension<decltype(inserted_dimension<batch, batch::rank, rows_of<Query>>()), batch::rank + 1,
                              Columns>();
}

template <any_expression Query, any_expression Key, auto Columns>
ASHLAR_ALWAYS_INLINE constexpr auto refused_attention() noexcept {
    return refused<floating_or_float<element_of<Query>>,
                   decltype(intended_attention_shape<shape_of<Query>, shape_of<Key>, Columns>())>();
}

}  // namespace ashlar::detail
