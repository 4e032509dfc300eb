// SPDX-License-Identifier: BSL-1.0
// How a node holds its operands: named tensors are borrowed, everything else is owned.
#pragma once

#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1 {

/// A number as an expression of rank 0; next to a tensor it takes the tensor's element type.
template <class Element>
struct scalar_node {
    using shape_type = shape<>;
    using value_type = Element;
    using expression_category = node_category;
    Element value;
};

namespace detail {

/// An empty member with a move constructor that is not trivial, so that functions construct their results in place. g++
/// copies results that may be copied as a block from a temporary, and every copy waits for the stores before it. Copies
/// stay trivial: a copy function could be shared by translation units that are built for different instruction sets.
template <class Owner>
struct built_in_place {
    built_in_place() = default;
    built_in_place(const built_in_place&) = default;
    built_in_place& operator=(const built_in_place&) = default;
    ASHLAR_ALWAYS_INLINE constexpr built_in_place(built_in_place&&) noexcept {}
};

/// A copy, member by member for the reason given at `built_in_place`. A node without state is created anew: in constant
/// expressions g++ 12 confuses two nodes of one type in one expression, and refuses to read them.
template <class Expression>
ASHLAR_ALWAYS_INLINE constexpr Expression copy_of(const Expression& e) {
    if constexpr (std::is_empty_v<Expression> && requires { Expression{}; })
        return Expression{};
    else if constexpr (requires { e.copied(); })
        return e.copied();
    else
        return e;
}

template <std::size_t Index, class Operand>
struct indexed_operand {
    [[no_unique_address]] Operand value;
    [[no_unique_address]] built_in_place<indexed_operand> in_place{};
};

template <class Indices, class... Operands>
struct operand_storage;
template <std::size_t... Index, class... Operands>
struct operand_storage<std::index_sequence<Index...>, Operands...> : indexed_operand<Index, Operands>... {
    ASHLAR_ALWAYS_INLINE constexpr operand_storage copied() const {
        return {{copy_of(static_cast<const indexed_operand<Index, Operands>&>(*this).value)}...};
    }
};

/// The operands of a node, an aggregate.
template <class... Operands>
using operand_list = operand_storage<std::index_sequence_for<Operands...>, Operands...>;

/// Like std::is_trivially_copy_constructible_v, which instantiates a dozen templates for each type.
template <class Expression>
inline constexpr bool is_trivially_copied = __is_trivially_constructible(Expression, const Expression&);

template <class Element>
inline constexpr bool is_owning_tensor = false;
template <class Element, auto... Dims>
inline constexpr bool is_owning_tensor<basic_tensor<Element, Dims...>> = true;

/// A tensor or view as a read-only operand.
template <class Element, auto... Dims>
ASHLAR_ALWAYS_INLINE constexpr auto borrow(const basic_tensor<Element, Dims...>& t) {
    return basic_view<const Element, Dims...>(t.data());
}
template <class Element, auto... Dims>
ASHLAR_ALWAYS_INLINE constexpr auto borrow(const basic_view<Element, Dims...>& v) {
    return basic_view<const Element, Dims...>(v.data());
}
template <class Element, auto Strides, auto... Dims>
ASHLAR_ALWAYS_INLINE constexpr auto borrow(const strided_view<Element, Strides, Dims...>& v) {
    return strided_view<const Element, Strides, Dims...>(v.data());
}

/// What a node stores for an argument: a read-only view of an lvalue tensor or of a view, else a copy.
template <any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto hold(Expression&& e) {
    using plain = std::remove_cvref_t<Expression>;
    if constexpr (std::is_lvalue_reference_v<Expression> && requires { e.borrow(); })
        return e.borrow();
    else if constexpr (node_expression<Expression> && is_trivially_copied<plain>)
        return detail::copy_of(e);
    else if constexpr (node_expression<Expression>)
        return plain(std::forward<Expression>(e));
    else if constexpr (is_owning_tensor<plain> && !std::is_lvalue_reference_v<Expression>)
        return plain(std::forward<Expression>(e));
    else
        return borrow(e);
}

template <class Expression>
using held = decltype(hold(std::declval<Expression>()));

}  // namespace detail
}  // namespace ashlar
