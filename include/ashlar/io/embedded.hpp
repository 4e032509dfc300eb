// SPDX-License-Identifier: BSL-1.0
// Weights in the program, checked by the compiler: a safetensors file in a constant array, by #embed or #include.
//
// Loading needs neither heap nor file system and cannot fail. The compiler reads the header of the file and never the
// values, unless the model is a constant.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <span>
#include <type_traits>

#include <ashlar/core/axis.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/io/embedded/embedded_array.hpp>
#include <ashlar/io/embedded/embedded_copy.hpp>
#include <ashlar/io/embedded/embedded_errors.hpp>
#include <ashlar/io/embedded/embedded_plan.hpp>
#include <ashlar/io/formats/dtype.hpp>
#include <ashlar/io/model/check_arrays.hpp>
#include <ashlar/io/model/names.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether elements of an array are the bytes of a file.
template <class Element>
struct file_bytes {
    static constexpr bool are_given = sizeof(Element) == 1 && std::is_trivially_copyable_v<Element>;
};

/// Whether weights are those of a model; if not, this is the one error.
template <class Check>
consteval bool check_embedded() {
    constexpr io::error kind = Check::plan.status.error;
    using wrong = embedded_error<Check>;
    if constexpr (!file_bytes<typename Check::weights::element>::are_given)
        static_assert(file_bytes<typename Check::weights::element>::are_given,
                      "ashlar: embedded: the file must be a constant array of unsigned char, char or std::byte");
    else if constexpr (kind == io::error::missing)
        static_assert(
            needed_weight<typename wrong::name_text, typename wrong::nearest_text>::is_in_file,
            "ashlar: embedded: the file lacks an array that the model needs; rename the member, or give embedded "
            "a name map, or options with a prefix");
    else if constexpr (kind == io::error::unexpected)
        static_assert(stored_weight<typename wrong::name_text>::is_in_model,
                      "ashlar: embedded: the file has an array that the model does not know; add a member, or give "
                      "embedded options with .ignore_unexpected = true");
    else if constexpr (kind == io::error::wrong_shape)
        static_assert(weight_shape<typename wrong::name_text, typename wrong::needed, typename wrong::in_file>::matches,
                      "ashlar: embedded: an array has another shape in the file than in the model; change the model, "
                      "or export its weights again");
    else if constexpr (kind == io::error::wrong_dtype)
        static_assert(weight_type<typename wrong::name_text, wrong::needed_type, wrong::found_type>::converts,
                      "ashlar: embedded: elements of the file must convert to those of the model whatever their values "
                      "are: floats to floats, integers to types that hold all of theirs; change either type");
    else if constexpr (kind != io::error::none)
        static_assert(embedded_file<typename wrong::message_text>::is_whole,
                      "ashlar: embedded: the bytes must be a whole safetensors file; embed all of the file, or export "
                      "it again");
    return kind == io::error::none;
}

inline constexpr io::name_map no_name_map{};
inline constexpr io::load_options no_load_options{};

/// The array as a view.
template <class Config, fixed_string Name, class View, class Weights>
View view_embedded(Weights weights) noexcept {
    using element = typename View::value_type;
    using check = embedded_array_check<Config, Name, View, Weights>;
    static_assert(std::endian::native == std::endian::little,
                  "ashlar: embedded: files are little-endian, and arrays in place need a machine that is; load them");
    constexpr std::uint64_t offset = check::plan.arrays[0].offset;
    if constexpr (check_embedded<check>())
        static_assert(weight_offset<text<Name>, offset, sizeof(element)>::is_aligned,
                      "ashlar: embedded: an array in place must begin at a multiple of its elements' size in the file; "
                      "export it again, or load it");
    const auto* const at = weights.bytes().data() + offset;
    ASHLAR_ASSERT(reinterpret_cast<std::uintptr_t>(at) % alignof(element) == 0,
                  "ashlar: view_array: the bytes of the file are not aligned; declare their array alignas(64)");
    // Arrays of bytes implicitly create such objects (P0593), as `view_image` has it.
    return View(std::launder(reinterpret_cast<const element*>(at)));
}

}  // namespace ashlar::detail

namespace ashlar::inline v0_1::io {

/// The type of `embedded`: a file, a name map and options as parts of a type. The objects are constants at namespace
/// scope, or static.
/// Example: `embedded`.
template <const auto& File, const auto& Names = ashlar::detail::no_name_map,
          const load_options& Options = ashlar::detail::no_load_options>
struct embedded_weights {
    using element = std::remove_cvref_t<decltype(*std::data(File))>;

    /// The bytes of the file; none if the array has elements of another kind, which is an error where it is used.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr auto bytes() noexcept {
        if constexpr (ashlar::detail::file_bytes<element>::are_given)
            return std::span<const element>(std::data(File), std::size(File));
        else
            return std::span<const unsigned char>();
    }
    /// The names of the model's arrays in the file.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr name_map names() noexcept { return Names; }
    /// The options of `load`.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE static constexpr const load_options& options() noexcept { return Options; }
};

/// A safetensors file in a constant array, with the name map and the options of `load`, all known to the compiler.
///
///     // alignas(64) constexpr unsigned char net_file[]{
///     // #embed "net.safetensors"
///     // };
///     // constexpr io::load_options options{.ignore_unexpected = true};
///     io::load(net, io::embedded<net_file, io::bert_names, options>);
template <const auto& File, const auto& Names = ashlar::detail::no_name_map,
          const load_options& Options = ashlar::detail::no_load_options>
inline constexpr embedded_weights<File, Names, Options> embedded{};

/// Whether embedded weights are those of a model. If not, the program does not compile, and the one error has the name
/// of the array and both shapes or types. The compiler takes a second for 200 arrays, and no code is generated.
///
///     static_assert(io::fits<my_net>(io::embedded<net_file>));
template <nn::module Model, const auto& File, const auto& Names, const load_options& Options,
          class Config = current_config>
[[nodiscard]] consteval bool fits(embedded_weights<File, Names, Options>) {
    ashlar::detail::check_embedded<
        ashlar::detail::embedded_check<Model, embedded_weights<File, Names, Options>, Config>>();
    return true;
}

/// Loads embedded weights into a model, as `load` of a file does, but checked by the compiler: it returns nothing,
/// because nothing can fail. Integers convert only to types that hold all of theirs, and -128 in a matrix of 8 bits
/// becomes -127, because the compiler does not read values. The model's memory is written; there is no heap.
///
///     io::load(net, io::embedded<net_file>);   // static my_net net;
template <nn::module Model, const auto& File, const auto& Names, const load_options& Options,
          class Config = current_config>
    requires(!std::is_const_v<Model>)
constexpr void load(Model& model, embedded_weights<File, Names, Options> weights) noexcept {
    using check = ashlar::detail::embedded_check<Model, embedded_weights<File, Names, Options>, Config>;
    if constexpr (ashlar::detail::check_embedded<check>()) {
        if (std::is_constant_evaluated())
            ashlar::detail::copy_constant<Config>(weights.bytes().data(), check::arrays, model);
        else
            ashlar::detail::copy_embedded<Config>(std::as_bytes(weights.bytes()), check::arrays, model);
    }
}

/// A model with embedded weights. As a constant it is read-only data of the program, in flash, and nothing runs at
/// start. The compiler then copies all values: 32,768 floats in a second and within the default limits of g++
/// and clang. -fconstexpr-ops-limit and -fconstexpr-steps raise these.
///
///     static constexpr my_net constant = io::load<my_net>(io::embedded<net_file>);
template <nn::module Model, const auto& File, const auto& Names, const load_options& Options,
          class Config = current_config>
[[nodiscard]] constexpr Model load(embedded_weights<File, Names, Options> weights) noexcept {
    Model model{};
    load<Model, File, Names, Options, Config>(model, weights);
    return model;
}

/// An array of an embedded file in place, as a view: the name is the file's, element type and shape are those of the
/// file, checked by the compiler. The array of bytes must be aligned as its elements are (asserted), and the machine
/// little-endian.
///
///     const tensor_view<const float, 3> bias = io::view_array<"bias", float, 3>(io::embedded<net_file>);
template <fixed_string Name, class Element, auto... Dims, const auto& File, const auto& Names,
          const load_options& Options, class Config = current_config>
[[nodiscard]] tensor_view<const Element, Dims...> view_array(embedded_weights<File, Names, Options> weights) noexcept {
    return ashlar::detail::view_embedded<Config, Name, tensor_view<const Element, Dims...>>(weights);
}

}  // namespace ashlar::io
