// SPDX-License-Identifier: BSL-1.0
// The whole expression tree on one screen: every node type, its members and the meaning of its elements.
#pragma once

#include <array>
#include <cstdint>

#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/tensor/explained_members.hpp>

namespace ashlar::inline v0_1 {

/// What a node computes; the plan and the evaluators switch on it.
enum class node_kind : std::uint8_t {
    array,        // elements in memory: a tensor or a view
    scalar,       // one number
    map,          // a function of the operands' elements
    permute,      // axes in another order
    reshape,      // the same elements in row-major order under other axes
    slice,        // part of an axis, with a step
    broadcast,    // axes of extent 1 repeated
    repeat,       // each entry along an axis repeated
    roll,         // an axis rotated by some entries
    window,       // an axis as windows that may overlap
    concat,       // operands joined along an axis
    take,         // rows of a table chosen by indices
    index,        // the coordinate along an axis
    mask,         // true where the mask keeps
    masked,       // minus infinity where the mask does not keep
    matmul,       // batched matrix product
    reduce,       // one axis reduced
    softmax,      // softmax or log_softmax along an axis
    standardize,  // zero mean and unit variance, or unit root mean square, along the last axis
    let,          // a named sub-result and the expression that uses it
    let_value,    // a use of that sub-result
    store,        // passes its operand on and also writes it to memory
    packed,       // a matrix in the layout of the kernels
    matrix,       // a function of square matrices, the last two axes of its first operand
};

/// What a reduction computes from the elements of an axis; expr/reductions/reduce.hpp lists them.
enum class reduction_kind : std::uint8_t;
/// softmax, or its logarithm.
enum class softmax_kind : std::uint8_t { plain, logarithmic };
/// The divisor of a norm: the standard deviation, after the mean is subtracted, or the root mean square.
enum class standardize_kind : std::uint8_t { mean_and_variance, root_mean_square };
/// Functions of square matrices; expr/linalg/ has their nodes, plan/graph/matrix_cost.hpp their names and costs.
enum class matrix_kind : std::uint8_t {
    inverse,
    solve,        // by elimination with partial pivoting
    solve_spd,    // of a symmetric positive definite matrix
    solve_lower,  // of a lower triangular matrix
    solve_upper,
    cholesky,
    determinant,
    lu,  // the packed factors; evaluation also writes the order of the rows
};

namespace detail {

/// Whether a shape has one element that can be a condition.
template <class Shape>
struct condition_shape {
    static constexpr bool is_one_value = Shape::rank == 0;
};

/// Whether an element can be read by indices: never for a node.
template <node_kind Kind, std::size_t Indices>
struct element_access {
    static constexpr bool is_evaluated = false;
};

/// The type of operand Index of a list; not defined.
template <std::size_t Index, class Operand>
Operand operand_type_at(const indexed_operand<Index, Operand>&);

/// The number of nodes of an expression, itself included.
template <class Expression>
inline constexpr std::size_t node_count = 1;
template <class Expression>
    requires requires { Expression::descendants; }
inline constexpr std::size_t node_count<Expression> = 1 + Expression::descendants;
/// Whether one of them writes to the caller's memory.
template <class Expression>
inline constexpr bool stores_values = false;
template <class Expression>
    requires requires { Expression::descendants; }
inline constexpr bool stores_values<Expression> = Expression::stores;

/// The common base of nodes: kind, shape, element type and operands.
template <class Derived, node_kind Kind, class Shape, class Element, class... Operands>
struct node : explained_members<Derived, Shape> {
    using shape_type = Shape;
    using value_type = computed<Element>;
    using expression_category = node_category;
    static constexpr node_kind kind = Kind;
    static constexpr std::size_t operand_count = sizeof...(Operands);
    static constexpr std::size_t descendants = (std::size_t{0} + ... + node_count<Operands>);
    static constexpr bool stores = Kind == node_kind::store || (stores_values<Operands> || ...);
    using operands_type = operand_list<Operands...>;
    [[no_unique_address]] operands_type operands;

    template <std::size_t Index>
    ASHLAR_ALWAYS_INLINE constexpr const auto& operand() const {
        return static_cast<const indexed_operand<Index, decltype(operand_type_at<Index>(operands))>&>(operands).value;
    }

    /// Nodes with more members define their own.
    ASHLAR_ALWAYS_INLINE constexpr Derived copied() const { return Derived{{{}, operands.copied()}}; }

    /// A node of rank 0 converts to a number, and is evaluated then: `if (max(abs(x)) < 1.0f)`.
    ASHLAR_ALWAYS_INLINE constexpr operator value_type() const noexcept
        requires(Shape::rank == 0)
    {
        basic_tensor<value_type> value;
        assignment<basic_tensor<value_type>, Derived, current_config>::template run<destination_memory::fresh>(
            value, static_cast<const Derived&>(*this));
        return value.elements[0];
    }
    explicit constexpr operator bool() const noexcept
        requires(Shape::rank != 0)
    {
        static_assert(condition_shape<Shape>::is_one_value,
                      "ashlar: condition: elements may differ; write all(x) or any(x)");
        return false;
    }

    auto data(...) const = delete;   // ashlar: view: an expression has no memory; make a tensor of it first
    auto begin(...) const = delete;  // ashlar: view: an expression has no memory; make a tensor of it first
    // Declared but not deleted, for one error less in a loop; not defined.
    const value_type* end() const;

    template <class... Index>
    constexpr value_type operator()(const Index&...) const noexcept {
        static_assert(
            element_access<Kind, sizeof...(Index)>::is_evaluated,
            "ashlar: indexing: a lazy expression has no elements; eval(e)(i, j), or row(e, i), which is lazy");
        return value_type{};
    }
    template <class Index>
    constexpr value_type operator[](const Index&) const noexcept {
        static_assert(
            element_access<Kind, 1>::is_evaluated,
            "ashlar: indexing: a lazy expression has no elements; eval(e)(i, j), or row(e, i), which is lazy");
        return value_type{};
    }
};

}  // namespace detail

/// function(args...) element by element; the arguments broadcast.
template <class Function, class Shape, class Element, class... Args>
struct map_node : detail::node<map_node<Function, Shape, Element, Args...>, node_kind::map, Shape, Element, Args...> {
    [[no_unique_address]] Function function;
    ASHLAR_ALWAYS_INLINE constexpr map_node copied() const { return {{{}, this->operands.copied()}, function}; }
};

/// Axis Index of the result is axis Permutation[Index] of the operand.
template <auto Permutation, class Shape, class Expression>
struct permute_node : detail::node<permute_node<Permutation, Shape, Expression>, node_kind::permute, Shape,
                                   typename Expression::value_type, Expression> {};

/// The same elements in row-major order in another shape.
template <class Shape, class Expression>
struct reshape_node : detail::node<reshape_node<Shape, Expression>, node_kind::reshape, Shape,
                                   typename Expression::value_type, Expression> {};

/// Entry i of the axis is entry first + Step * i of the operand.
template <std::size_t Axis, std::ptrdiff_t Step, class Shape, class Expression>
struct slice_node : detail::node<slice_node<Axis, Step, Shape, Expression>, node_kind::slice, Shape,
                                 typename Expression::value_type, Expression> {
    std::ptrdiff_t first;
    ASHLAR_ALWAYS_INLINE constexpr slice_node copied() const { return {{{}, this->operands.copied()}, first}; }
};

/// The operand repeated along the axes it lacks and those of extent 1, by NumPy's rule.
template <class Shape, class Expression>
struct broadcast_node : detail::node<broadcast_node<Shape, Expression>, node_kind::broadcast, Shape,
                                     typename Expression::value_type, Expression> {};

/// Entry i of the axis is entry i / Times of the operand.
template <std::size_t Axis, std::size_t Times, class Shape, class Expression>
struct repeat_node : detail::node<repeat_node<Axis, Times, Shape, Expression>, node_kind::repeat, Shape,
                                  typename Expression::value_type, Expression> {};

/// Entry i of the axis is entry i - Shift of the operand, modulo the extent; 0 < Shift < extent.
template <std::size_t Axis, std::size_t Shift, class Shape, class Expression>
struct roll_node : detail::node<roll_node<Axis, Shift, Shape, Expression>, node_kind::roll, Shape,
                                typename Expression::value_type, Expression> {};

/// Entry (i, j) of axes Axis and Axis + 1 is entry i * Step + j * Dilation of the operand's axis.
template <std::size_t Axis, std::size_t Step, std::size_t Dilation, class Shape, class Expression>
struct window_node : detail::node<window_node<Axis, Step, Dilation, Shape, Expression>, node_kind::window, Shape,
                                  typename Expression::value_type, Expression> {};

template <std::size_t Axis, class Shape, class... Parts>
struct concat_node;
template <std::size_t Axis, class Shape, class First, class... Rest>
struct concat_node<Axis, Shape, First, Rest...>
    : detail::node<concat_node<Axis, Shape, First, Rest...>, node_kind::concat, Shape, typename First::value_type,
                   First, Rest...> {};

/// The axes of the indices replace axis Axis of the table.
template <std::size_t Axis, class Shape, class Table, class Indices>
struct take_node : detail::node<take_node<Axis, Shape, Table, Indices>, node_kind::take, Shape,
                                typename Table::value_type, Table, Indices> {};

/// The coordinate along an axis.
template <std::size_t Axis, class Shape>
struct index_node : detail::node<index_node<Axis, Shape>, node_kind::index, Shape, std::int32_t> {};

/// A mask as bools: true where it keeps.
template <class Mask, class Shape>
struct mask_node : detail::node<mask_node<Mask, Shape>, node_kind::mask, Shape, bool> {
    [[no_unique_address]] Mask mask;
    ASHLAR_ALWAYS_INLINE constexpr mask_node copied() const { return {{{}, this->operands.copied()}, mask}; }
};

/// The operand, with minus infinity where the mask does not keep.
template <class Mask, class Expression>
struct masked_node : detail::node<masked_node<Mask, Expression>, node_kind::masked, typename Expression::shape_type,
                                  typename Expression::value_type, Expression> {
    [[no_unique_address]] Mask mask;
    ASHLAR_ALWAYS_INLINE constexpr masked_node copied() const { return {{{}, this->operands.copied()}, mask}; }
};

/// [..., M, K] by [..., K, N]; batch axes broadcast. Vectors already have a second axis here.
template <class Shape, class Left, class Right>
struct matmul_node
    : detail::node<matmul_node<Shape, Left, Right>, node_kind::matmul, Shape, typename Left::value_type, Left, Right> {
};

/// A function of the square matrices of the first operand, [..., N, N]. The second one of a solve, [..., N, M], has the
/// right-hand sides as columns. Batch axes broadcast.
template <matrix_kind Function, class Shape, class Matrices, class... Right>
struct matrix_node : detail::node<matrix_node<Function, Shape, Matrices, Right...>, node_kind::matrix, Shape,
                                  typename Matrices::value_type, Matrices, Right...> {};

/// The packed factors of matrices. Evaluation also writes the order of their rows to memory, [..., N]. See lu.
template <class Matrices>
struct lu_node : detail::node<lu_node<Matrices>, node_kind::matrix, typename Matrices::shape_type,
                              typename Matrices::value_type, Matrices> {
    std::int32_t* order;
    ASHLAR_ALWAYS_INLINE constexpr lu_node copied() const { return {{{}, this->operands.copied()}, order}; }
};

/// One axis reduced: dropped, or kept with extent 1. Element may differ from the operand's, as for argmax.
template <reduction_kind Kind, std::size_t Axis, bool KeepDims, class Shape, class Element, class Expression>
struct reduce_node : detail::node<reduce_node<Kind, Axis, KeepDims, Shape, Element, Expression>, node_kind::reduce,
                                  Shape, Element, Expression> {};

/// Policy is empty, or fast_t.
template <softmax_kind Kind, std::size_t Axis, class Expression, class... Policy>
struct softmax_node : detail::node<softmax_node<Kind, Axis, Expression, Policy...>, node_kind::softmax,
                                   typename Expression::shape_type, typename Expression::value_type, Expression> {};

/// A softmax along the last axis, multiplied by Scales, which are broadcast to it: the weights of rows with scales. A
/// zero, as masks leave it, stays zero even if its scale was never written.
template <class Expression, class Scales, class... Policy>
struct weighted_softmax_node
    : detail::node<weighted_softmax_node<Expression, Scales, Policy...>, node_kind::softmax,
                   typename Expression::shape_type, typename Expression::value_type, Expression, Scales> {};

/// A softmax along the last axis without the division by its sums: exp(x - maximum). Evaluation writes the maxima and
/// sums of the rows to memory, [..., rows]. With Scales its elements are multiplied by them, as in
/// weighted_softmax_node. Policy is void, or fast_t. See attention_partial.
template <class Policy, class Expression, class... Scales>
struct partial_softmax_node
    : detail::node<partial_softmax_node<Policy, Expression, Scales...>, node_kind::softmax,
                   typename Expression::shape_type, typename Expression::value_type, Expression, Scales...> {
    typename Expression::value_type* maxima;
    typename Expression::value_type* sums;
    ASHLAR_ALWAYS_INLINE constexpr partial_softmax_node copied() const {
        return {{{}, this->operands.copied()}, maxima, sums};
    }
};

/// Norms without learnt factors, along the last axis.
template <standardize_kind Kind, class Expression>
struct standardize_node : detail::node<standardize_node<Kind, Expression>, node_kind::standardize,
                                       typename Expression::shape_type, typename Expression::value_type, Expression> {
    detail::computed<typename Expression::value_type> epsilon;
    ASHLAR_ALWAYS_INLINE constexpr standardize_node copied() const { return {{{}, this->operands.copied()}, epsilon}; }
};

/// The value of a let inside its body; Tag identifies the let by its types of function and value.
template <class Tag, class Shape, class Element>
struct let_value_node : detail::node<let_value_node<Tag, Shape, Element>, node_kind::let_value, Shape, Element> {
    using tag = Tag;
};

/// Operand 0 is the value, operand 1 the body, in which let_value_node<Tag, ...> stands for the value.
template <class Tag, class Value, class Body>
struct let_node : detail::node<let_node<Tag, Value, Body>, node_kind::let, typename Body::shape_type,
                               typename Body::value_type, Value, Body> {
    using tag = Tag;
};

/// Passes operand 0 on and also writes it to `destination`.
template <class Destination, class Expression>
struct store_node : detail::node<store_node<Destination, Expression>, node_kind::store, typename Expression::shape_type,
                                 typename Expression::value_type, Expression> {
    Destination destination;
    ASHLAR_ALWAYS_INLINE constexpr store_node copied() const { return {{{}, this->operands.copied()}, destination}; }
};

namespace detail {

template <class Expression>
inline constexpr node_kind kind_of = Expression::kind;
template <array_expression Expression>
inline constexpr node_kind kind_of<Expression> = node_kind::array;
template <class Element>
inline constexpr node_kind kind_of<scalar_node<Element>> = node_kind::scalar;

template <class Expression>
consteval std::size_t operand_count_of() {
    if constexpr (kind_of<Expression> == node_kind::array || kind_of<Expression> == node_kind::scalar ||
                  kind_of<Expression> == node_kind::packed)
        return 0;
    else
        return Expression::operand_count;
}

}  // namespace detail
}  // namespace ashlar
