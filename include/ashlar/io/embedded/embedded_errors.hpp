// SPDX-License-Identifier: BSL-1.0
// The compile errors of embedded weights: names and shapes of what is wrong as template arguments, which compilers
// print.
#pragma once

#include <cstddef>
#include <utility>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/io/embedded/embedded_plan.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/dtype.hpp>

namespace ashlar::inline v0_1::detail {

/// A text as template arguments.
template <fixed_string... Pieces>
struct text {};

/// The longest text that clang prints as a template argument; it abbreviates longer ones.
inline constexpr std::size_t printed_characters = 33;

/// Where a piece of a text ends that begins at a character: after a dot or a space if it has to be cut.
template <std::size_t Capacity>
consteval std::size_t end_of_piece(const fixed_text<Capacity>& whole, std::size_t begin) {
    if (whole.length - begin <= printed_characters) return whole.length;
    for (std::size_t end = begin + printed_characters; end > begin; --end)
        if (const char c = whole.characters[end - 1]; c == '.' || c == ' ') return end;
    return begin + printed_characters;
}
template <std::size_t Characters, std::size_t Capacity>
consteval fixed_string<Characters + 1> piece_of(const fixed_text<Capacity>& whole, std::size_t begin) {
    char piece[Characters + 1]{};
    for (std::size_t i = 0; i < Characters; ++i) piece[i] = whole.characters[begin + i];
    return piece;
}
template <const auto& Whole, std::size_t Begin, fixed_string... Pieces>
consteval auto text_from() {
    if constexpr (Begin == Whole.length) {
        return text<Pieces...>{};
    } else {
        constexpr std::size_t end = end_of_piece(Whole, Begin);
        return text_from<Whole, end, Pieces..., piece_of<end - Begin>(Whole, Begin)>();
    }
}
/// A constant fixed_text as template arguments.
template <const auto& Whole>
using text_of_constant = decltype(text_from<Whole, 0>());

/// The extents of an array of a model, and of a file.
template <std::size_t... Extents>
struct needed_shape {};
template <std::size_t... Extents>
struct found_shape {};

template <template <std::size_t...> class Shape, const auto& Dimensions>
consteval auto shape_of_constant() {
    return []<std::size_t... Axis>(std::index_sequence<Axis...>) {
        return Shape<static_cast<std::size_t>(Dimensions.extents[Axis])...>{};
    }(std::make_index_sequence<Dimensions.rank>{});
}

/// Whether bytes are a whole safetensors file with arrays of known types; the text says what is wrong.
template <class Wrong>
struct embedded_file {
    static constexpr bool is_whole = false;
};
template <class Name>
struct nearest_in_file {};
/// Whether a file has an array that a model needs.
template <class Name, class Nearest>
struct needed_weight {
    static constexpr bool is_in_file = false;
};
/// Whether a model has an array of a file.
template <class Name>
struct stored_weight {
    static constexpr bool is_in_model = false;
};
/// Whether an array has the same shape in a model and in a file.
template <class Name, class Needed, class Found>
struct weight_shape {
    static constexpr bool matches = false;
};
/// Whether the elements of a file's array convert to those of a model.
template <class Name, io::dtype Needed, io::dtype Found>
struct weight_type {
    static constexpr bool converts = false;
};

/// What is known of a model and weights that the program contains.
template <class Model, class Weights, class Config>
struct embedded_check {
    using weights = Weights;
    static constexpr auto plan = plan_embedded<Config>(std::as_const(model_in_name<Model>::storage.object),
                                                       Weights::bytes(), Weights::names(), Weights::options());
    static constexpr auto arrays = plan.arrays;  // alone in the program
};

/// Constants of an error, objects of their own: references to parts of others are no template arguments everywhere.
template <class Check>
struct embedded_error {
    static constexpr auto name = Check::plan.status.name;
    static constexpr auto nearest = Check::plan.status.nearest;
    static constexpr auto expected = Check::plan.status.expected;
    static constexpr auto found = Check::plan.status.found;
    static constexpr auto message = Check::plan.status.message();

    using name_text = text_of_constant<name>;
    using nearest_text = nearest_in_file<text_of_constant<nearest>>;
    using message_text = text_of_constant<message>;
    using needed = decltype(shape_of_constant<needed_shape, expected>());
    using in_file = decltype(shape_of_constant<found_shape, found>());
    static constexpr io::dtype needed_type = Check::plan.status.expected_dtype;
    static constexpr io::dtype found_type = Check::plan.status.found_dtype;
};

}  // namespace ashlar::detail
