// SPDX-License-Identifier: BSL-1.0
// What the labels of an einsum stand for, and the checks that they stand for the operands' axes.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/subscripts.hpp>

namespace ashlar::detail {

/// Whether there is a list of labels for each operand, of up to three.
template <std::size_t Lists, std::size_t Operands>
struct einsum_operands {
    static constexpr bool match = Lists == Operands && Operands <= 3;
};

/// Whether an operand has one label for each axis.
template <label_list Labels, class Shape>
struct einsum_axes {
    static constexpr bool match = Labels.count == Shape::rank;
};

/// Whether two axes of the same label can be one.
template <char Label, auto First, auto Second>
struct einsum_label {
    static constexpr bool agrees = dimensions_agree(First, Second);
};

/// The axes of all operands behind each other.
template <class... Shapes>
struct joined {
    using type = shape<>;
};
template <auto... A>
struct joined<shape<A...>> {
    using type = shape<A...>;
};
template <auto... A, auto... B, class... Rest>
struct joined<shape<A...>, shape<B...>, Rest...> : joined<shape<A..., B...>, Rest...> {};

/// Labels and the dimensions they stand for, a label once for each axis.
template <label_list Labels, class Shape>
struct label_dimensions {
    static constexpr std::size_t no_clash = static_cast<std::size_t>(-1);

    /// The first pair of axes with the same label that disagree, as i * rank + j.
    static consteval std::size_t find_clash() {
        return []<std::size_t... N>(std::index_sequence<N...>) {
            std::size_t clash = no_clash;
            const auto check = [&]<std::size_t K>() {
                constexpr std::size_t i = K / Shape::rank, j = K % Shape::rank;
                if constexpr (i < j && Labels.text[i] == Labels.text[j])
                    if (clash == no_clash && !dimensions_agree(dimension_at<Shape, i>, dimension_at<Shape, j>)) clash = K;
            };
            (check.template operator()<N>(), ...);
            return clash;
        }(std::make_index_sequence<Shape::rank * Shape::rank>{});
    }
    static constexpr std::size_t clash = find_clash();

    /// The first axis of a label that has a name, else its first axis.
    template <char Label>
    static consteval std::size_t axis() {
        return []<std::size_t... I>(std::index_sequence<I...>) {
            std::size_t named = no_clash;
            const auto check = [&]<std::size_t K>() {
                if constexpr (is_axis<std::remove_cv_t<decltype(dimension_at<Shape, K>)>>)
                    if (Labels.text[K] == Label && named == no_clash) named = K;
            };
            (check.template operator()<I>(), ...);
            return named == no_clash ? Labels.find(Label) : named;
        }(std::make_index_sequence<Shape::rank>{});
    }

    template <label_list Chosen>
    static consteval auto select() {
        return build_shape<Chosen.count>([]<std::size_t K>() { return dimension_at<Shape, axis<Chosen.text[K]>()>; });
    }
    template <label_list Chosen>
    using shape_of_labels = decltype(select<Chosen>());

    /// Entries of an array with these labels.
    template <label_list Chosen>
    static constexpr std::size_t size_of_labels = shape_of_labels<Chosen>::size;
};

/// The first operand whose labels are not as many as its axes, else the number of operands.
template <class... Shapes>
consteval std::size_t first_of_other_rank(const subscripts& parsed) {
    std::size_t operand = 0, found = sizeof...(Shapes);
    ((found = found == sizeof...(Shapes) && parsed.operands[operand].count != Shapes::rank ? operand : found, ++operand),
     ...);
    return found;
}

template <std::size_t I, class First, class... Rest>
consteval auto nth_shape() {
    if constexpr (I == 0)
        return First{};
    else
        return nth_shape<I - 1, Rest...>();
}

/// Whether the subscripts fit operands of these shapes and elements; the first thing that is wrong is the error.
template <fixed_string Subscripts, class FirstElement, class... Shapes, class... Elements>
consteval bool check_einsum(std::type_identity<Elements>...) {
    constexpr subscripts parsed = parse_subscripts(Subscripts.text, Subscripts.size());
    static_assert(einsum_subscripts<Subscripts>::have_no_ellipsis,
                  "ashlar: einsum: an ellipsis is not supported; write a label for every axis");
    static_assert(einsum_subscripts<Subscripts>::are_letters,
                  "ashlar: einsum: subscripts are letters, one for each axis, with commas between operands and at most "
                  "one -> before the result");
    if constexpr (parsed.problem == subscript_problem::none) {
        static_assert(einsum_operands<parsed.operand_count, sizeof...(Shapes)>::match,
                      "ashlar: einsum: there must be one list of labels for each operand, of one to three operands");
        static_assert(!einsum_operands<parsed.operand_count, sizeof...(Shapes)>::match ||
                          einsum_result<Subscripts>::labels_exist,
                      "ashlar: einsum: every label of the result must occur in an operand; spell it as there");
        static_assert(!einsum_operands<parsed.operand_count, sizeof...(Shapes)>::match ||
                          einsum_result<Subscripts>::labels_are_distinct,
                      "ashlar: einsum: a label can occur only once in the result; a diagonal is taken of operands");
        if constexpr (einsum_operands<parsed.operand_count, sizeof...(Shapes)>::match &&
                      einsum_result<Subscripts>::labels_exist && einsum_result<Subscripts>::labels_are_distinct) {
            constexpr std::size_t odd = first_of_other_rank<Shapes...>(parsed);
            if constexpr (odd < sizeof...(Shapes)) {
                using odd_shape = decltype(nth_shape<odd, Shapes...>());
                static_assert(einsum_axes<parsed.operands[odd], odd_shape>::match,
                              "ashlar: einsum: an operand must have one label for each of its axes");
                return false;
            } else {
                using all = typename joined<Shapes...>::type;
                using dimensions = label_dimensions<parsed.all(), all>;
                if constexpr (dimensions::clash != dimensions::no_clash) {
                    constexpr std::size_t i = dimensions::clash / all::rank, j = dimensions::clash % all::rank;
                    static_assert(
                        einsum_label<parsed.all().text[i], dimension_at<all, i>, dimension_at<all, j>>::agrees,
                        "ashlar: einsum: axes with the same label must have the same extent, and the same name if they "
                        "have one; rename one or give it another label");
                    return false;
                } else {
                    constexpr bool same = (element_types<FirstElement, Elements>::same && ...);
                    static_assert((element_types<FirstElement, Elements>::same && ...),
                                  "ashlar: einsum: the element types must be the same; use cast<T>(x)");
                    return same;
                }
            }
        } else {
            return false;
        }
    } else {
        return false;
    }
}

}  // namespace ashlar::detail
