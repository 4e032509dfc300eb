// SPDX-License-Identifier: BSL-1.0
// The definition of a module, and the list of its members that counting, loading, saving and summaries use.
//
// A module is an aggregate of tensors, packed matrices, other modules and std::arrays of them, with a static function
//
//     template <class Self, class Visitor>
//     static constexpr void members(Self& self, Visitor&& visit) {
//         visit("in_proj_weight", nn::stacked(nn::transposed(self.query), nn::transposed(self.key)));
//         visit("out_proj", self.out_proj);   // a module: its members become out_proj.weight, out_proj.bias
//         visit("layers", self.layers);       // a std::array of modules: layers.0.*, layers.1.*, ...
//         visit("", self.feed_forward);       // a module whose members keep their names
//     }
//
// The names are those of a PyTorch state dict, and each entry says how the array in a weight file maps to the array in
// the module. No other code needs to know the module. `self` may be const, and may be an object that does not exist (if
// only types are needed), so do not read members here.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// Accepts every member.
struct any_visitor {
    template <class Member>
    constexpr void operator()(const char*, Member&&) const noexcept {}
};

template <class Array>
inline constexpr bool is_array_of_members = false;
template <class Module, std::size_t Count>
inline constexpr bool is_array_of_members<std::array<Module, Count>> = true;

}  // namespace detail

/// A module: a type with a list of members, as above. Users' own models are modules too.
///
///     struct classifier {
///         nn::linear<{.in = 64, .out = 10}> head;
///         template <class Self, class Visitor>
///         static constexpr void members(Self& self, Visitor&& visit) { visit("head", self.head); }
///     };
template <class Module>
concept module =
    requires(std::remove_cvref_t<Module>& m) { std::remove_cvref_t<Module>::members(m, detail::any_visitor{}); };

/// An array that a module holds: a tensor or a packed matrix, also one of int4, whose elements share bytes.
template <class Array>
concept parameter_array = any_expression<Array> && (requires(Array& a) {
                              { a.elements[0] } -> std::convertible_to<element_of<Array>>;
                          } || requires(Array& a) { a.blocks[0].integers; });

/// A matrix that weight files have transposed: [out, in] there, [in, out] in the module.
///
///     visit("weight", nn::transposed_member<decltype(self.weight)>{self.weight});   // what nn::transposed(...) gives
template <class Array>
struct transposed_member {
    Array& array;
};

/// The matrix of a convolution, [taps * channels, out] in the module, that weight files have as [out, channels,
/// Kernel...]; taps are all entries of the kernel.
///
///     visit("weight", nn::convolution_member<decltype(self.weight), 3>{self.weight});   // convolution_weight<3>(...)
template <class Array, std::size_t... Kernel>
struct convolution_member {
    Array& array;
};

/// What `stacked` returns: arrays that weight files have as one, concatenated along the first axis. Example: `stacked`.
template <class... Parts>
struct stacked_member;
template <class Part>
struct stacked_member<Part> {
    Part part;
};
template <class Part, class Next, class... Rest>
struct stacked_member<Part, Next, Rest...> {
    Part part;
    stacked_member<Next, Rest...> rest;
};

/// For a list of members: a matrix [in, out] that files have as [out, in], PyTorch's layout of weights.
///
///     visit("weight", nn::transposed(self.weight));   // [in, out] here, [out, in] in files
template <parameter_array Array>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr transposed_member<Array> transposed(Array& array) noexcept {
    return {array};
}

/// For a list of members: the matrix [taps * channels, out] of a convolution that files have as [out, channels,
/// Kernel...], PyTorch's layout.
///
///     visit("weight", nn::convolution_weight<3>(self.weight));   // [3 * in, out] here, [out, in, 3] in files
template <std::size_t... Kernel, parameter_array Array>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr convolution_member<Array, Kernel...> convolution_weight(
    Array& array) noexcept {
    return {array};
}

namespace detail {

/// A member as a part of a stack: itself, or a wrapper that borrows it.
template <class Array>
struct plain_member {
    Array& array;
};
template <class Module>
inline constexpr bool is_transposed_member = false;
template <class Array>
inline constexpr bool is_transposed_member<transposed_member<Array>> = true;
template <class Array, std::size_t... Kernel>
inline constexpr bool is_transposed_member<convolution_member<Array, Kernel...>> = true;

template <class Array>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto as_part(Array& member) noexcept {
    if constexpr (is_transposed_member<std::remove_cv_t<Array>>)
        return member;
    else
        return plain_member<Array>{member};
}

}  // namespace detail

/// For a list of members: several arrays that files have as one, stacked along their first axis.
///
///     visit("in_proj_bias", nn::stacked(self.query_bias, self.key_bias, self.value_bias));
template <class Part, class... Rest>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto stacked(Part&& part, Rest&&... rest) noexcept {
    using first = decltype(detail::as_part(part));
    if constexpr (sizeof...(Rest) == 0)
        return stacked_member<first>{detail::as_part(part)};
    else
        return stacked_member<first, decltype(detail::as_part(rest))...>{detail::as_part(part), stacked(rest...)};
}

}  // namespace ashlar::nn
