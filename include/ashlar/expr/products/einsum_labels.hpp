// SPDX-License-Identifier: BSL-1.0
// The dimensions of einsum's labels, and the checks that labels fit the operands' axes.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/products/subscripts.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether there is a list of labels for each operand, and at most three operands.
template <std::size_t Lists, std::size_t Operands>
struct einsum_operands {
    static constexpr bool match = Lists == Operands && Operands <= 3;
};

/// Whether an operand has one label for each axis.
template <label_list Labels, class Shape>
struct einsum_axes {
    static constexpr bool match = Labels.count == Shape::rank;
};

/// Whether two axes of the same label agree.
template <char Label, auto First, auto Second>
struct einsum_label {
    static constexpr bool agrees = dimensions_agree(First, Second);
};

/// The axes of all operands, one operand after another.
template <class... Shapes>
struct joined {
    using type = shape<>;
};
template <auto... Left>
struct joined<shape<Left...>> {
    using type = shape<Left...>;
};
template <auto... Left, auto... Right, class... Rest>
struct joined<shape<Left...>, shape<Right...>, Rest...> : joined<shape<Left..., Right...>, Rest...> {};

/// Labels and their dimensions, one label per axis.
template <label_list Labels, class Shape>
struct label_dimensions {
    static constexpr std::size_t axes = Shape::rank == 0 ? 1 : Shape::rank;

    /// The check of the first pair of axes with the same label that disagree.
    static consteval auto find_clash() {
        constexpr std::size_t clash = []<std::size_t... Number>(std::index_sequence<Number...>) {
            std::size_t found = no_axis;
            const auto check = [&]<std::size_t Place>() {
                constexpr std::size_t i = Place / axes, j = Place % axes;
                if constexpr (i < j && Labels.text[i] == Labels.text[j])
                    if (found == no_axis && !dimensions_agree(dimension_at<Shape, i>, dimension_at<Shape, j>))
                        found = Place;
            };
            (check.template operator()<Number>(), ...);
            return found;
        }(std::make_index_sequence<Shape::rank * Shape::rank>{});
        if constexpr (clash == no_axis)
            return einsum_label<'a', std::size_t{1}, std::size_t{1}>{};
        else
            return einsum_label<Labels.text[clash / axes], dimension_at<Shape, clash / axes>,
                                dimension_at<Shape, clash % axes>>{};
    }

    /// The first named axis of a label, else its first axis.
    template <char Label>
    static consteval std::size_t axis() {
        return []<std::size_t... Index>(std::index_sequence<Index...>) {
            std::size_t named = no_axis;
            const auto check = [&]<std::size_t Place>() {
                if constexpr (is_axis<std::remove_cv_t<decltype(dimension_at<Shape, Place>)>>)
                    if (Labels.text[Place] == Label && named == no_axis) named = Place;
            };
            (check.template operator()<Index>(), ...);
            return named == no_axis ? Labels.find(Label) : named;
        }(std::make_index_sequence<Shape::rank>{});
    }

    template <label_list Chosen>
    static consteval auto select() {
        return build_shape<Chosen.count>(
            []<std::size_t Place>() { return dimension_at<Shape, axis<Chosen.text[Place]>()>; });
    }
    template <label_list Chosen>
    using shape_of_labels = decltype(select<Chosen>());

    template <label_list Chosen>
    static constexpr std::size_t size_of_labels = shape_of_labels<Chosen>::size;
};

/// The check of the first operand with more or fewer labels than axes.
template <subscripts Parsed, std::size_t Index, class First, class... Rest>
consteval auto find_other_rank() {
    if constexpr (Parsed.operands[Index].count == First::rank && sizeof...(Rest) > 0)
        return find_other_rank<Parsed, Index + 1, Rest...>();
    else
        return einsum_axes<Parsed.operands[Index], First>{};
}

/// The extents of the result of a refused einsum: that of each label that can be read, 1 for the others.
template <subscripts Parsed, class... Shapes>
inline constexpr std::array<std::size_t, label_list::capacity + 1> intended_extents = [] {
    std::array<std::size_t, label_list::capacity + 1> extents{};
    std::size_t operand = 0;
    const auto look = [&]<class Shape>() {
        for (std::size_t i = 0; i < Parsed.result.count && operand < subscripts::most_operands; ++i) {
            const label_list& labels = Parsed.operands[operand];
            const std::size_t axis = labels.find(Parsed.result.text[i]);
            if (extents[i] == 0 && axis < labels.count && axis < Shape::rank) extents[i] = Shape::extents[axis];
        }
        ++operand;
    };
    (look.template operator()<Shapes>(), ...);
    for (std::size_t& extent : extents) extent += extent == 0;
    return extents;
}();

/// The shape that a refused einsum most likely should have.
template <subscripts Parsed, class... Shapes>
consteval auto intended_einsum_shape() {
    return build_shape<Parsed.result.count>(
        []<std::size_t Place>() { return intended_extents<Parsed, Shapes...>[Place]; });
}

/// Checks that subscripts fit operands of these shapes and elements. The first rule that fails suppresses the later
/// ones.
template <fixed_string Subscripts, class FirstElement, class... Shapes, class... Elements>
consteval bool check_einsum(std::type_identity<Elements>...) {
    constexpr subscripts parsed = parse_subscripts(Subscripts.text, Subscripts.size());
    constexpr bool readable = parsed.problem == subscript_problem::none;
    static_assert(einsum_subscripts<Subscripts>::have_no_ellipsis,
                  "ashlar: einsum: an ellipsis is not supported; write a label for every axis");
    static_assert(einsum_subscripts<Subscripts>::are_letters,
                  "ashlar: einsum: subscripts are letters, one for each axis, with commas between operands and at most "
                  "one -> before the result");

    constexpr bool counted = readable && einsum_operands<parsed.operand_count, sizeof...(Shapes)>::match;
    static_assert(!readable || einsum_operands<parsed.operand_count, sizeof...(Shapes)>::match,
                  "ashlar: einsum: there must be one list of labels for each operand, of one to three operands");

    constexpr bool known = counted && einsum_result<Subscripts>::labels_exist;
    static_assert(!counted || einsum_result<Subscripts>::labels_exist,
                  "ashlar: einsum: every label of the result must occur in an operand; spell it as there");

    constexpr bool distinct = known && einsum_result<Subscripts>::labels_are_distinct;
    static_assert(!known || einsum_result<Subscripts>::labels_are_distinct,
                  "ashlar: einsum: a label can occur only once in the result; a diagonal is taken of operands");

    using axes = decltype(find_other_rank<parsed, 0, Shapes...>());
    constexpr bool ranked = distinct && axes::match;
    static_assert(!distinct || axes::match, "ashlar: einsum: an operand must have one label for each of its axes");

    using all = std::conditional_t<ranked, typename joined<Shapes...>::type, shape<>>;
    using label = decltype(label_dimensions<parsed.all(), all>::find_clash());
    static_assert(label::agrees,
                  "ashlar: einsum: axes with the same label must have the same extent, and the same name if they have "
                  "one; rename one or give it another label");

    constexpr bool fit = ranked && label::agrees;
    static_assert(!fit || (element_types<FirstElement, Elements>::same && ...),
                  "ashlar: einsum: the element types must be the same; use cast<T>(x)");
    return fit && (element_types<FirstElement, Elements>::same && ...);
}

}  // namespace ashlar::detail
