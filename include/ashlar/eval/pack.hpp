// SPDX-License-Identifier: BSL-1.0
// pack: a matrix in the order of the product kernels.
#pragma once

#include <type_traits>

#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/nodes/packed.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>

namespace ashlar::inline v0_1 {

namespace detail {

/// Whether a shape is a matrix.
template <class Shape>
struct packed_rank {
    static constexpr bool is_matrix = Shape::rank == 2;
};

template <class Element, class Shape, std::size_t Panel>
struct packed_like;
template <class Element, auto Rows, auto Columns, std::size_t Panel>
struct packed_like<Element, shape<Rows, Columns>, Panel> {
    using type = basic_packed<Element, Panel, Rows, Columns>;
};

/// Whether a matrix has the extents and the element type of a packed one; f16 and bf16 take floats.
template <class To, class From, class Element, class Other>
struct packed_destination {
    static constexpr bool fits = std::is_same_v<computed<Element>, Other> && To::extents == From::extents;
};

/// Copies a matrix in memory, or in a constant expression, panel by panel.
template <class Config, class Packed, class Matrix>
constexpr void copy_panels(Packed& w, const Matrix& matrix) {
    constexpr std::size_t rows = Packed::shape_type::extents[0], columns = Packed::shape_type::extents[1];
    typename Packed::value_type* to = w.elements;
    for (std::size_t first = 0; first < columns; first += Packed::panel) {
        const std::size_t last = columns - first < Packed::panel ? columns : first + Packed::panel;
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = first; c < last; ++c)
                *to++ = static_cast<typename Packed::value_type>(static_cast<element_of<Packed>>(matrix(r, c)));
    }
}

/// Some columns of a matrix expression as panels: [panels, rows, columns of a panel].
template <std::size_t First, std::size_t Panels, std::size_t Across, any_expression Expression>
ASHLAR_ALWAYS_INLINE constexpr auto panels_of(const Expression& e) {
    constexpr auto rows = shape_of<Expression>::extents[0];
    constexpr auto first = static_cast<std::ptrdiff_t>(First),
                   last = static_cast<std::ptrdiff_t>(First + Panels * Across);
    if constexpr (Panels == 1)
        return slice<1, first, last>(e);
    else
        return permute<1, 0, 2>(reshape<rows, Panels, Across>(slice<1, first, last>(e)));
}

/// Evaluates some columns where their panels lie.
template <class Config, std::size_t First, std::size_t Panels, std::size_t Across, class Packed, class Expression>
ASHLAR_ALWAYS_INLINE void evaluate_panels(Packed& w, const Expression& e) {
    using Element = typename Packed::value_type;
    constexpr std::size_t rows = shape_of<Expression>::extents[0];
    using destination =
        std::conditional_t<Panels == 1, tensor_view<Element, rows, Across>, tensor_view<Element, Panels, rows, Across>>;
    const auto panels = panels_of<First, Panels, Across>(e);
    using source = std::remove_const_t<decltype(panels)>;
    constexpr std::size_t bytes = planned<source, Config>::code.scratch_bytes + sizeof(source);
    static_assert(
        scratch_on_stack<bytes, Config::stack_budget>::fits,
        "ashlar: pack: the scratch exceeds ASHLAR_STACK_BUDGET; evaluate the matrix into a tensor of yours and pack that");
    if constexpr (scratch_on_stack<bytes, Config::stack_budget>::fits) {
        destination to(w.elements + rows * First);
        assign<Config>(to, panels);
    }
}

template <class Config, class Packed, class Expression>
constexpr void pack_into(Packed& w, const Expression& e) {
    if constexpr (array_expression<Expression>) {
        copy_panels<Config>(w, e);
    } else if (__builtin_is_constant_evaluated()) {
        copy_panels<Config>(w, constant_evaluate(e));
    } else {
        constexpr std::size_t columns = shape_of<Expression>::extents[1], panel = Packed::panel,
                              whole = columns / panel, rest = columns % panel;
        if constexpr (whole != 0) evaluate_panels<Config, 0, whole, panel>(w, e);
        if constexpr (rest != 0) evaluate_panels<Config, whole * panel, 1, rest>(w, e);
    }
}

/// One variable, one return and no deduced type, as in `evaluated`: it is the caller's own on all compilers.
template <class Config, class Packed, class Expression>
constexpr Packed packed_values(const Expression& e) noexcept {
    Packed result;
    pack_into<Config>(result, e);
    return result;
}

}  // namespace detail

/// Packs a matrix expression [rows, columns] into w, which has its extents and element type. A tensor or view is
/// copied, a lazy expression evaluated where its panels lie: nothing of the matrix's size is on the stack. w must not
/// be part of e.
///
///     static packed<float, 4096, 2560> weights;
///     pack(weights, transpose(loaded));
template <class Element, std::size_t Panel, auto Rows, auto Columns, any_expression Expression,
          class Config = current_config>
constexpr void pack(basic_packed<Element, Panel, Rows, Columns>& w, const Expression& e) noexcept {
    using check =
        detail::packed_destination<shape<Rows, Columns>, shape_of<Expression>, Element, element_of<Expression>>;
    static_assert(detail::packed_rank<shape_of<Expression>>::is_matrix,
                  "ashlar: pack: only a matrix can be packed; reshape it to two axes or pack its parts");
    if constexpr (shape_of<Expression>::rank == 2) {
        static_assert(
            check::fits,
            "ashlar: pack: the destination must have the extents and the element type of the matrix; change one");
        if constexpr (check::fits) detail::pack_into<Config>(w, e);
    }
}

/// A matrix expression [rows, columns] in the layout that the product kernels stream, for use as a right operand of
/// matmul: the same values, read front to back. Done once, at start-up or in a constant expression; costs one copy. The
/// result lies on the stack until it is assigned, so larger ones than ASHLAR_STACK_BUDGET do not compile.
/// `pack<Panel>(e)` has panels of so many columns.
///
///     const auto packed_weights = pack(weights);
///     y = matmul(x, packed_weights);
template <std::size_t Panel = 0, any_expression Expression, class Config = current_config>
[[nodiscard]] constexpr auto pack(const Expression& e) noexcept {
    static_assert(detail::packed_rank<shape_of<Expression>>::is_matrix,
                  "ashlar: pack: only a matrix can be packed; reshape it to two axes or pack its parts");
    if constexpr (shape_of<Expression>::rank == 2) {
        using Element = typename Expression::value_type;
        using result = typename detail::packed_like<Element, shape_of<Expression>,
                                                    (Panel == 0 ? default_panel<Element> : Panel)>::type;
        static_assert(
            detail::scratch_on_stack<sizeof(result), Config::stack_budget>::fits,
            "ashlar: pack: the result exceeds ASHLAR_STACK_BUDGET; pack into a matrix of yours by pack(w, t)");
        if constexpr (detail::scratch_on_stack<sizeof(result), Config::stack_budget>::fits)
            return detail::packed_values<Config, result>(e);
        else
            return result{};
    }
}

}  // namespace ashlar
