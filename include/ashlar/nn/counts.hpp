// SPDX-License-Identifier: BSL-1.0
// How many parameters a module has, and their bytes, as constants of its type.
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/nn/example.hpp>
#include <ashlar/nn/module.hpp>

namespace ashlar::nn {

namespace detail {

struct counted {
    std::size_t elements = 0, bytes = 0;
};

template <class M>
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

template <parameter_array A>
inline constexpr counted count_of<A> = {shape_of<A>::size, shape_of<A>::size * sizeof(element_of<A>)};
template <class A>
inline constexpr counted count_of<plain_member<A>> = count_of<std::remove_cv_t<A>>;
template <class A>
inline constexpr counted count_of<transposed_member<A>> = count_of<std::remove_cv_t<A>>;
template <class... Parts>
inline constexpr counted count_of<stacked_member<Parts...>> = {(std::size_t{0} + ... + count_of<Parts>.elements),
                                                               (std::size_t{0} + ... + count_of<Parts>.bytes)};
template <class M, std::size_t N>
inline constexpr counted count_of<std::array<M, N>> = {N * count_of<M>.elements, N * count_of<M>.bytes};
template <module M>
inline constexpr counted count_of<M> = []() consteval {
    counted total;
    const unborn<M> m;
    M::members(m.object, member_counter{total});
    return total;
}();

}  // namespace detail

/// Elements of all arrays of a module, those of its parts included: what PyTorch's
/// sum(p.numel() for p in m.parameters()) is of the same module.
///
///     static_assert(nn::parameter_count<nn::linear<{.in = 64, .out = 10}>> == 650);
template <module M>
inline constexpr std::size_t parameter_count = detail::count_of<std::remove_cvref_t<M>>.elements;

/// Bytes of those elements. sizeof(M) may be larger, by the gaps that alignment leaves between arrays.
template <module M>
inline constexpr std::size_t parameter_bytes = detail::count_of<std::remove_cvref_t<M>>.bytes;

}  // namespace ashlar::nn

namespace ashlar {

// They are asserted on beside workspace_bytes<E> and flops<E>.
using nn::parameter_bytes;
using nn::parameter_count;

}  // namespace ashlar
