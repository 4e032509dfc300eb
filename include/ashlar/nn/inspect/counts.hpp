// SPDX-License-Identifier: BSL-1.0
// The number of a module's parameters, and their bytes, as constants of its type.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/expr/nodes/quantized.hpp>
#include <ashlar/expr/nodes/quantized_int4.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/inspect/example.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

struct counted {
    std::size_t elements = 0, bytes = 0;
};

template <class Module>
inline constexpr counted count_of = {};

/// Adds up members by their types.
struct member_counter {
    counted& total;

    template <class Member>
    constexpr void operator()(const char*, const Member&) const {
        add<Member>(1);
    }

private:
    template <class Member>
    constexpr void add(std::size_t times) const {
        total.elements += times * count_of<Member>.elements;
        total.bytes += times * count_of<Member>.bytes;
    }
};

template <parameter_array Array>
inline constexpr counted count_of<Array> = {shape_of<Array>::size,
                                            shape_of<Array>::size * sizeof(typename Array::value_type)};
template <class Element, auto Rows, auto Columns>
inline constexpr counted count_of<basic_quantized<Element, Rows, Columns>> = {
    shape<Rows, Columns>::size, shape<Rows, Columns>::size + 8 * shape<Rows, Columns>::extents[1]};
template <auto Rows, auto Columns>
inline constexpr counted count_of<basic_quantized<int4, Rows, Columns>> = {
    shape<Rows, Columns>::size, sizeof(basic_quantized<int4, Rows, Columns>)};
template <class Array>
inline constexpr counted count_of<plain_member<Array>> = count_of<std::remove_cv_t<Array>>;
template <class Array>
inline constexpr counted count_of<transposed_member<Array>> = count_of<std::remove_cv_t<Array>>;
template <class Array, std::size_t... Kernel>
inline constexpr counted count_of<convolution_member<Array, Kernel...>> = count_of<std::remove_cv_t<Array>>;
template <class... Parts>
inline constexpr counted count_of<stacked_member<Parts...>> = {(std::size_t{0} + ... + count_of<Parts>.elements),
                                                               (std::size_t{0} + ... + count_of<Parts>.bytes)};
template <class Module, std::size_t Count>
inline constexpr counted count_of<std::array<Module, Count>> = {Count * count_of<Module>.elements,
                                                                Count* count_of<Module>.bytes};
template <module Module>
inline constexpr counted count_of<Module> = []() consteval {
    counted total;
    const unborn<Module> m;
    Module::members(m.object, member_counter{total});
    return total;
}();

}  // namespace detail

/// Elements of all arrays of a module and its parts: PyTorch's sum(p.numel() for p in m.parameters()) of the same
/// module.
///
///     static_assert(nn::parameter_count<nn::linear<{.in = 64, .out = 10}>> == 650);
template <module Module>
inline constexpr std::size_t parameter_count = detail::count_of<std::remove_cvref_t<Module>>.elements;

/// Bytes of those elements. sizeof(Module) may be larger, by the gaps that alignment leaves between arrays.
///
///     static_assert(nn::parameter_bytes<nn::linear<{.in = 64, .out = 10}>> == 650 * sizeof(float));
template <module Module>
inline constexpr std::size_t parameter_bytes = detail::count_of<std::remove_cvref_t<Module>>.bytes;

}  // namespace ashlar::nn

namespace ashlar::inline v0_1 {

// Here because users assert on them together with workspace_bytes<E> and flops<E>.
using nn::parameter_bytes;
using nn::parameter_count;

}  // namespace ashlar
