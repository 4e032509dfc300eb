// SPDX-License-Identifier: BSL-1.0
// The evaluator of constant expressions: node after node into a full tensor each, in plain loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/constant/constant_lines.hpp>
#include <ashlar/eval/constant/constant_memory.hpp>
#include <ashlar/eval/constant/constant_moves.hpp>
#include <ashlar/eval/constant/constant_quantized.hpp>
#include <ashlar/expr/masks/provenance.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/coordinates.hpp>
#include <ashlar/expr/nodes/element_value.hpp>
#include <ashlar/kernel/math.hpp>
#include <ashlar/kernel/simd/lanes.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::detail {

/// Requests every element of an expression.
struct all_elements {
    ASHLAR_ALWAYS_INLINE constexpr bool operator()(std::size_t) const noexcept { return true; }
};

/// Requests what a mask keeps. Excluded scores are not computed, so a NaN in a key or a bias meets no arithmetic, which
/// clang refuses in constant expressions.
template <class Mask, class Shape, class Outer>
struct kept_elements {
    const Mask& mask;
    const Outer& outer;

    ASHLAR_ALWAYS_INLINE constexpr bool operator()(std::size_t i) const noexcept {
        return outer(i) && mask_keeps<Shape>(mask, coordinates_of_element<Shape>(i));
    }
};

/// Nodes that compute only what is requested.
consteval bool passes_wanted(node_kind kind) {
    return kind == node_kind::map || kind == node_kind::masked || kind == node_kind::matmul ||
           kind == node_kind::reshape || kind == node_kind::let;
}

/// Functions of matrices; <ashlar/linalg.hpp> defines it.
template <class Config>
struct constant_matrices;

/// Evaluates expressions by recursion over their type: operands first, each node once. Everything is a member of a
/// template over Config, so that objects of different architectures keep their own functions.
template <class Config>
struct constant_evaluator {
    using lines = constant_lines<Config>;
    using moves = constant_moves<Config>;

    /// The values of an expression: a view if they are in memory, otherwise a tensor.
    template <class Expression, class Scope>
    static constexpr auto values(const Expression& e, [[maybe_unused]] const Scope& scope) noexcept {
        using view = typename contiguous_view<const element_of<Expression>, shape_of<Expression>>::type;
        if constexpr (kind_of<Expression> == node_kind::let_value) {
            return view(scope_of_let<typename Expression::tag>(scope).values.data());
        } else if constexpr (kind_of<Expression> == node_kind::scalar) {
            return view(&e.value);
        } else if constexpr (has_values<Expression>()) {
            return view(e.data());
        } else {
            return written(e, scope);
        }
    }
    /// A separate function, in whose caller g++ then builds the result.
    template <class Expression, class Scope>
    static constexpr value_tensor<Expression> written(const Expression& e, const Scope& scope) noexcept {
        value_tensor<Expression> result;
        write(e, scope, result.elements);
        return result;
    }

    /// Writes the values of an expression to `out`, at least those whose row-major numbers `wanted` selects. Not
    /// inline: the operands' tensors are in its frame.
    template <class Expression, class Scope, class Wanted = all_elements>
    ASHLAR_NOINLINE static constexpr void write(const Expression& e, [[maybe_unused]] const Scope& scope,
                                                element_of<Expression>* out,
                                                [[maybe_unused]] const Wanted& wanted = {}) noexcept {
        if constexpr (kind_of<Expression> == node_kind::array) {
            moves::copy(Expression::extents, out, row_major_strides(Expression::extents),
                        static_cast<const typename Expression::value_type*>(e.data()), Expression::strides);
        } else if constexpr (kind_of<Expression> == node_kind::let_value) {
            const element_of<Expression>* from = scope_of_let<typename Expression::tag>(scope).values.data();
            for (std::size_t i = 0; i < Expression::shape_type::size; ++i) out[i] = from[i];
        } else if constexpr (kind_of<Expression> == node_kind::packed) {
            unpack(e, out);
        } else if constexpr (passes_wanted(kind_of<Expression>)) {
            compute(e, scope, out, wanted);
        } else if constexpr (is_index_map(kind_of<Expression>)) {
            move(e, scope, out);
        } else {
            compute(e, scope, out);
        }
        if constexpr (kind_of<Expression> == node_kind::map || kind_of<Expression> == node_kind::softmax)
            settle(e, scope, out);
    }

private:
    template <class Expression>
    static constexpr void unpack(const Expression& e, element_of<Expression>* out) noexcept {
        for (std::size_t r = 0; r < Expression::extents[0]; ++r)
            for (std::size_t c = 0; c < Expression::extents[1]; ++c) *out++ = e(r, c);
    }

    template <class Element, class Scope>
    static constexpr void compute(const scalar_node<Element>& e, const Scope&, Element* out) noexcept {
        *out = e.value;
    }

    template <class Function, class Shape, class Element, class... Args, class Scope, class Wanted>
    static constexpr void compute(const map_node<Function, Shape, Element, Args...>& e, const Scope& scope,
                                  Element* out, const Wanted& wanted) noexcept {
        using node = map_node<Function, Shape, Element, Args...>;
        const auto argument = [&]<std::size_t Index>() {
            if constexpr (Index == operand_in_place<node>()) {
                write(e.template operand<Index>(), scope, out, wanted);
                return typename contiguous_view<const Element, Shape>::type(out);
            } else {
                return values(e.template operand<Index>(), scope);
            }
        };
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            apply<node>(e.function, out, wanted, argument.template operator()<Index>()...);
        }(std::index_sequence_for<Args...>{});
    }

    template <class Node, class Function, class Wanted, class... Values>
    static constexpr void apply(const Function& function, element_of<Node>* out, const Wanted& wanted,
                                const Values&... arguments) noexcept {
        using shape = shape_of<Node>;
        using number = typename decltype(number_of<element_of<Values>...>())::type;
        std::array<std::size_t, shape::rank> at{};
        for (std::size_t i = 0; i < shape::size; ++i) {
            if (wanted(i))
                out[i] = element_from<element_of<Node>>(
                    function(one_lane<number>(arguments.data()[place<shape_of<Values>, shape>(i, at)])...));
            moves::template advance<shape::rank>(at, shape::extents);
        }
    }

    /// The index in an argument of shape From for element i of the result.
    template <class From, class Result>
    static constexpr std::size_t place(std::size_t i, const std::array<std::size_t, Result::rank>& at) noexcept {
        constexpr auto strides = broadcast_strides<From, Result>();
        if constexpr (From::size == Result::size)
            return i;
        else if constexpr (From::size == 1)
            return 0;
        else
            return static_cast<std::size_t>(moves::offset(at, strides));
    }

    /// A value as functions take it: one lane; for bool a mask of lanes of Number.
    template <class Number, class Element>
    static constexpr auto one_lane(Element value) noexcept {
        if constexpr (std::is_same_v<Element, bool>)
            return lane_mask<Number, 1, Config>(value);
        else
            return lanes<Element, 1, Config>(value);
    }
    template <class Element, class Result>
    static constexpr Element element_from(const Result& result) noexcept {
        if constexpr (std::is_arithmetic_v<Result>)
            return static_cast<Element>(result);
        else
            return static_cast<Element>(result[0]);
    }

    /// Sets the elements that a mask excludes to the value that is proved for them.
    template <class Expression, class Scope>
    static constexpr void settle(const Expression& e, const Scope& scope, element_of<Expression>* out) noexcept {
        constexpr exclusion proved = exclusion_of<Expression, Scope>;
        if constexpr (proved != exclusion::none) {
            coordinates<Expression> at{};
            for (std::size_t i = 0; i < Expression::shape_type::size; ++i) {
                if (!detail::is_kept(e, at, scope)) out[i] = excluded_value<element_of<Expression>, proved>;
                moves::template advance<Expression::shape_type::rank>(at, Expression::shape_type::extents);
            }
        }
    }

    template <class Node, class Scope>
    static constexpr void move(const Node& e, const Scope& scope, element_of<Node>* out) noexcept {
        const auto& from = values(e.template operand<0>(), scope);
        moves::move(e, from.data(), out);
    }

    template <class Shape, class Expression, class Scope, class Wanted>
    static constexpr void compute(const reshape_node<Shape, Expression>& e, const Scope& scope,
                                  element_of<Expression>* out, const Wanted& wanted) noexcept {
        write(e.template operand<0>(), scope, out, wanted);
    }

    template <std::size_t Axis, class Shape, class... Parts, class Scope, class Element>
    static constexpr void compute(const concat_node<Axis, Shape, Parts...>& e, const Scope& scope,
                                  Element* out) noexcept {
        constexpr auto strides = row_major_strides(Shape::extents);
        const auto part = [&](const auto& operand) {
            using from = shape_of<decltype(operand)>;
            const auto& read = values(operand, scope);
            moves::copy(from::extents, out, strides, read.data(), row_major_strides(from::extents));
            out += static_cast<std::ptrdiff_t>(from::extents[Axis]) * strides[Axis];
        };
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (part(e.template operand<Index>()), ...);
        }(std::index_sequence_for<Parts...>{});
    }

    template <std::size_t Axis, class Shape, class Table, class Indices, class Scope>
    static constexpr void compute(const take_node<Axis, Shape, Table, Indices>& e, const Scope& scope,
                                  element_of<Table>* out) noexcept {
        constexpr axis_surroundings table = split_at<shape_of<Table>, Axis>();
        const auto& from = values(e.template operand<0>(), scope);
        const auto& indices = values(e.template operand<1>(), scope);
        for (std::size_t o = 0; o < table.outer; ++o)
            for (std::size_t i = 0; i < shape_of<Indices>::size; ++i) {
                const auto row = static_cast<std::size_t>(checked_index<Config>(indices.data()[i], table.extent));
                for (std::size_t k = 0; k < table.inner; ++k)
                    *out++ = from.data()[(o * table.extent + row) * table.inner + k];
            }
    }

    template <std::size_t Axis, class Shape, class Scope>
    static constexpr void compute(const index_node<Axis, Shape>&, const Scope&, std::int32_t* out) noexcept {
        constexpr axis_surroundings split = split_at<Shape, Axis>();
        for (std::size_t i = 0; i < Shape::size; ++i)
            out[i] = static_cast<std::int32_t>(i / split.inner % split.extent);
    }

    template <class Mask, class Shape, class Scope>
    static constexpr void compute(const mask_node<Mask, Shape>& e, const Scope&, bool* out) noexcept {
        std::array<std::size_t, Shape::rank> at{};
        for (std::size_t i = 0; i < Shape::size; ++i) {
            out[i] = mask_keeps<Shape>(e.mask, at);
            moves::template advance<Shape::rank>(at, Shape::extents);
        }
    }

    template <class Mask, class Expression, class Scope, class Wanted>
    static constexpr void compute(const masked_node<Mask, Expression>& e, const Scope& scope,
                                  element_of<Expression>* out, const Wanted& wanted) noexcept {
        using shape = shape_of<Expression>;
        write(e.template operand<0>(), scope, out, kept_elements<Mask, shape, Wanted>{e.mask, wanted});
        coordinates<Expression> at{};
        for (std::size_t i = 0; i < shape::size; ++i) {
            if (!mask_keeps<shape>(e.mask, at))
                out[i] = excluded_value<element_of<Expression>, exclusion::minus_infinity>;
            moves::template advance<shape::rank>(at, shape::extents);
        }
    }

    /// Adds whole rows of the right operand, so that an excluded pair is skipped as a whole.
    template <class Shape, class Left, class Right, class Scope, class Element, class Wanted>
    static constexpr void compute(const matmul_node<Shape, Left, Right>& e, const Scope& scope, Element* out,
                                  [[maybe_unused]] const Wanted& wanted) noexcept {
        using left_shape = shape_of<Left>;
        using right_shape = shape_of<Right>;
        constexpr std::size_t l = left_shape::rank, r = right_shape::rank;
        constexpr std::size_t rows = left_shape::extents[l - 2], depth = left_shape::extents[l - 1];
        constexpr std::size_t columns = right_shape::extents[r - 1];
        constexpr bool selective = !std::is_same_v<Wanted, all_elements>;
        constexpr bool sparse_left = exclusion_of<Left, Scope> == exclusion::zero;
        constexpr bool sparse_right = exclusion_of<Right, Scope> == exclusion::zero;
        const auto& left = values(e.template operand<0>(), scope);
        if constexpr (is_quantized<Right>) {
            for (std::size_t row = 0; row < Shape::size / columns; ++row, out += columns)
                multiply_rounded<Config>(left.data() + row * depth, e.template operand<1>(), out);
            return;
        }
        const auto& right = values(e.template operand<1>(), scope);
        for (std::size_t i = 0; i < Shape::size; ++i) out[i] = Element(0);
        for (std::size_t row = 0; row < Shape::size / columns; ++row, out += columns) {
            auto at = coordinates_of_element<Shape>(row * columns);
            coordinates<Left> left_at = unbroadcast<left_shape>(at);
            coordinates<Right> right_at = unbroadcast<right_shape>(at);
            left_at[l - 2] = row % rows;
            bool computed[selective ? columns : 1]{};
            if constexpr (selective)
                for (std::size_t j = 0; j < columns; ++j) computed[j] = wanted(row * columns + j);
            for (std::size_t k = 0; k < depth; ++k) {
                left_at[l - 1] = right_at[r - 2] = k;
                if constexpr (sparse_left)
                    if (!detail::is_kept(e.template operand<0>(), left_at, scope)) continue;
                const Element factor = left.data()[element_of_coordinates<left_shape>(left_at)];
                right_at[r - 1] = 0;
                const Element* other = right.data() + element_of_coordinates<right_shape>(right_at);
                for (std::size_t j = 0; j < columns; ++j) {
                    right_at[r - 1] = j;
                    if constexpr (selective)
                        if (!computed[j]) continue;
                    if constexpr (sparse_right)
                        if (!is_kept(e.template operand<1>(), right_at, scope)) continue;
                    out[j] = multiply_add(factor, other[j], out[j]);
                }
            }
        }
    }

    template <class Node, class Scope>
        requires(kind_of<Node> == node_kind::matrix)
    static constexpr void compute(const Node& e, const Scope& scope, element_of<Node>* out) noexcept {
        const auto& matrices = values(e.template operand<0>(), scope);
        if constexpr (Node::operand_count == 1) {
            constant_matrices<Config>::write(e, matrices.data(), out);
        } else {
            const auto& right = values(e.template operand<1>(), scope);
            constant_matrices<Config>::write(e, matrices.data(), out, right.data());
        }
    }

    template <class Element>
    static constexpr Element multiply_add(Element a, Element b, Element c) noexcept {
        if constexpr (std::is_floating_point_v<Element>)
            return a * b + c;
        else
            return scalar_ops<Element>::add(scalar_ops<Element>::mul(a, b), c);
    }

    template <reduction_kind Kind, std::size_t Axis, bool Keep, class Shape, class Element, class Expression,
              class Scope>
    static constexpr void compute(const reduce_node<Kind, Axis, Keep, Shape, Element, Expression>& e,
                                  const Scope& scope, Element* out) noexcept {
        const auto& from = values(e.template operand<0>(), scope);
        each_line<shape_of<Expression>, Axis>(from.data(), [&](line<const element_of<Expression>> x) {
            *out++ = lines::template reduce<Kind, Element>(x);
        });
    }
    /// Calls f for each line of the elements of a shape along an axis.
    template <class Shape, std::size_t Axis, class Element, class Function>
    static constexpr void each_line(Element* first, const Function& f) noexcept {
        constexpr axis_surroundings split = split_at<Shape, Axis>();
        for (std::size_t o = 0; o < split.outer; ++o)
            for (std::size_t i = 0; i < split.inner; ++i)
                f(line<Element>{first + o * split.extent * split.inner + i, split.extent, split.inner});
    }

    template <softmax_kind Kind, std::size_t Axis, class Expression, class... Policy, class Scope>
    static constexpr void compute(const softmax_node<Kind, Axis, Expression, Policy...>& e, const Scope& scope,
                                  element_of<Expression>* out) noexcept {
        write(e.template operand<0>(), scope, out);
        each_line<shape_of<Expression>, Axis>(
            out, [](line<element_of<Expression>> x) { lines::template softmax<Kind, Policy...>(x); });
    }

    template <class Expression, class Scales, class... Policy, class Scope>
    static constexpr void compute(const weighted_softmax_node<Expression, Scales, Policy...>& e, const Scope& scope,
                                  element_of<Expression>* out) noexcept {
        write(e.template operand<0>(), scope, out);
        each_line<shape_of<Expression>, shape_of<Expression>::rank - 1>(
            out, [](line<element_of<Expression>> x) { lines::template softmax<softmax_kind::plain, Policy...>(x); });
        add_weighted(e, scope, out);
    }

    template <class Policy, class Expression, class... Scales, class Scope>
    static constexpr void compute(const partial_softmax_node<Policy, Expression, Scales...>& e, const Scope& scope,
                                  element_of<Expression>* out) noexcept {
        write(e.template operand<0>(), scope, out);
        auto *most = e.maxima, *total = e.sums;
        each_line<shape_of<Expression>, shape_of<Expression>::rank - 1>(out, [&](line<element_of<Expression>> x) {
            if constexpr (std::is_void_v<Policy>)
                lines::partial_softmax(x, most++, total++);
            else
                lines::template partial_softmax<Policy>(x, most++, total++);
        });
        if constexpr (sizeof...(Scales) != 0) add_weighted(e, scope, out);
    }

    /// Multiplies the weights of a softmax by its factors, except zeros.
    template <class Softmax, class Scope>
    static constexpr void add_weighted(const Softmax& e, const Scope& scope, element_of<Softmax>* out) noexcept {
        using shape = typename Softmax::shape_type;
        using from = shape_of<operand_type<1, Softmax>>;
        const auto& scales = values(e.template operand<1>(), scope);
        for (std::size_t i = 0; i < shape::size; ++i)
            if (out[i] != 0) out[i] *= value_at(scales, unbroadcast<from>(coordinates_of_element<shape>(i)));
    }

    template <standardize_kind Kind, class Expression, class Scope>
    static constexpr void compute(const standardize_node<Kind, Expression>& e, const Scope& scope,
                                  element_of<Expression>* out) noexcept {
        write(e.template operand<0>(), scope, out);
        each_line<shape_of<Expression>, shape_of<Expression>::rank - 1>(
            out, [&](line<element_of<Expression>> x) { lines::template standardize<Kind>(x, e.epsilon); });
    }

    template <class Tag, class Value, class Body, class Scope, class Element, class Wanted>
    static constexpr void compute(const let_node<Tag, Value, Body>& e, const Scope& scope, Element* out,
                                  const Wanted& wanted) noexcept {
        const auto& value = e.template operand<0>();
        const auto& evaluated = values(value, scope);
        write(e.template operand<1>(),
              evaluated_let<Tag, Value, std::remove_cvref_t<decltype(evaluated)>, Scope>{{value, scope}, evaluated},
              out, wanted);
    }

    template <class Destination, class Expression, class Scope>
    static constexpr void compute(const store_node<Destination, Expression>& e, const Scope& scope,
                                  element_of<Expression>* out) noexcept {
        constexpr auto extents = shape_of<Expression>::extents;
        write(e.template operand<0>(), scope, out);
        moves::copy(extents, e.destination.data(), Destination::strides,
                    static_cast<const element_of<Expression>*>(out), row_major_strides(extents));
    }
};

/// The values of an expression, in a constant expression or at run time: every node is computed once, into a tensor
/// of its own where it needs memory. Takes `constant_stack_bytes<Expression>()` of stack at run time, no heap; elements
/// are summed in the element type. Excluded elements of masked scores are never read (see expr/masks/provenance.hpp).
///
///     constexpr auto y = constant_evaluate(softmax(x));
template <class Config = current_config, any_expression Expression>
constexpr value_tensor<Expression> constant_evaluate(const Expression& e) noexcept {
    value_tensor<Expression> result;
    constant_evaluator<Config>::write(e, no_lets{}, result.elements);
    return result;
}

}  // namespace ashlar::detail
