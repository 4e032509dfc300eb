// SPDX-License-Identifier: BSL-1.0
// Tensors with names, without a module around them.
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/module/module.hpp>

namespace ashlar::inline v0_1::detail {

/// Whether the elements of an array are contiguous in row-major order (a packed matrix knows its own order).
template <class Array>
consteval bool has_dense_elements() {
    if constexpr (array_expression<Array>)
        return std::remove_cvref_t<Array>::strides == row_major_strides(std::remove_cvref_t<Array>::extents);
    else
        return true;
}

}  // namespace ashlar::detail

namespace ashlar::inline v0_1::io {

/// An array that can be loaded and saved: a tensor, a dense view or a packed matrix.
template <class Array>
concept loadable_array = nn::parameter_array<Array> && ashlar::detail::has_dense_elements<Array>();

/// A tensor with a name, made by `named`. It borrows both.
/// Example: `named`.
template <loadable_array Array>
struct named_array {
    const char* name;
    Array& array;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit(self.name, self.array);
    }
};

/// Gives a tensor a name for loading and saving.
///
///     tensor<float, 8, 4> w;
///     tensor<float, 8> b;
///     io::result r = io::load(std::tuple(io::named("weight", w), io::named("bias", b)), "layer.safetensors");
template <loadable_array Array>
[[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr named_array<Array> named(const char* name, Array& array) noexcept {
    return {name, array};
}
template <class Array>
    requires(!std::is_lvalue_reference_v<Array>)
void named(  // ashlar: io: named borrows its array, and a temporary one would dangle; name it first
    const char*, Array&&) = delete;

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

/// Several named tensors as one module.
template <class... Array>
struct named_arrays {
    std::tuple<io::named_array<Array>...> arrays;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        std::apply([&](auto&... each) { (visit(each.name, each.array), ...); }, self.arrays);
    }
};

/// Whether elements of an array, or members of a module, can be written to.
template <class Model>
consteval bool is_writable() {
    if constexpr (io::loadable_array<Model>)
        return !std::is_const_v<std::remove_reference_t<decltype(std::declval<Model&>().elements[0])>>;
    else
        return !std::is_const_v<Model>;
}

/// Whether an object, with this many further arguments, can be saved.
template <class Model, std::size_t Arguments>
struct model_of_file {
    static constexpr bool is_listed = nn::module<Model> || (io::loadable_array<Model> && Arguments == 2);
};
template <class... Array, std::size_t Arguments>
struct model_of_file<std::tuple<io::named_array<Array>...>, Arguments> {
    static constexpr bool is_listed = true;
};

/// Whether an object, with this many further arguments, can be loaded.
template <class Model, std::size_t Arguments>
struct model_to_load {
    static constexpr bool is_listed_and_not_const = model_of_file<Model, Arguments>::is_listed && is_writable<Model>();
};
template <class... Array, std::size_t Arguments>
struct model_to_load<const std::tuple<io::named_array<Array>...>, Arguments> {
    static constexpr bool is_listed_and_not_const = true;
};

}  // namespace ashlar::detail
