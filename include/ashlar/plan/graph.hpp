// SPDX-License-Identifier: BSL-1.0
// An expression type as a flat array of constants, operands before their users: what the planner works on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/expr/mask.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/provenance.hpp>
#include <ashlar/expr/masks/count.hpp>

namespace ashlar::detail {

inline constexpr std::size_t max_rank = 8;
inline constexpr std::size_t max_operands = 16;

using axis_list = std::array<std::ptrdiff_t, max_rank>;

/// Element types by number, so that stages can be compared without naming types.
enum class scalar_kind : std::uint8_t { boolean, integer, floating };

/// What only some kinds of node know about themselves.
struct node_parameters {
    axis_list strides{};       // arrays, store: elements between neighbours
    axis_list permutation{};   // permute
    std::uint8_t variant = 0;  // the reduction, softmax_kind or standardize_kind
    std::size_t axis = 0;      // reduce, softmax, standardize, slice, concat, take, repeat, index
    std::ptrdiff_t step = 1;   // slice: step, repeat: times
    std::size_t flops = 0;     // map: per element
    std::size_t kept = 0;      // masked: pairs that the mask's type keeps, over all batch entries
    bool static_mask = false;
    bool owned = false;  // arrays: held by value, so nothing else can overlap it
    bool fast = false;   // map, softmax: of lower precision, as it was asked for
    bool costly = false;  // map: many instructions, as exponentials are
};

/// One node of the expression, without its type.
struct graph_node : node_parameters {
    op kind{};
    std::uint8_t rank = 0;
    std::uint8_t operand_count = 0;
    scalar_kind scalar{};
    std::size_t element_bytes = 0;
    std::array<std::size_t, max_rank> extents{};
    std::size_t panel = 0;  // packed: columns of a panel
    std::array<std::int16_t, max_operands> operands{};
    std::int16_t same_as = -1;  // let, let_value, store: the node whose value this is
    std::int16_t uses = 0;
    exclusion excluded = exclusion::none;  // what masks prove of the elements that they do not keep

    constexpr std::size_t size() const {
        std::size_t n = 1;
        for (std::size_t i = 0; i < rank; ++i) n *= extents[i];
        return n;
    }
};

template <class T>
inline constexpr char type_identity = 0;

template <std::size_t Capacity>
struct graph_builder {
    std::array<graph_node, Capacity> nodes{};
    std::array<const void*, Capacity> let_tags{};
    std::array<std::int16_t, Capacity> let_values{};
    std::size_t count = 0;
    std::size_t lets = 0;

    constexpr graph_node& at(std::int16_t n) { return nodes[static_cast<std::size_t>(n)]; }
};

template <class T>
consteval scalar_kind scalar_kind_of() {
    if (std::is_same_v<T, bool>) return scalar_kind::boolean;
    return std::is_floating_point_v<T> ? scalar_kind::floating : scalar_kind::integer;
}

template <class F>
consteval std::size_t flops_of_function() {
    if constexpr (requires { F::flops; })
        return F::flops;
    else
        return 1;
}

/// Functions of floating-point numbers only are those that take a polynomial.
template <class F>
consteval bool is_costly_function() {
    if constexpr (requires { F::arguments; })
        return F::arguments == takes::floating;
    else
        return false;
}

template <class T, std::size_t N>
constexpr axis_list as_axis_list(const std::array<T, N>& values) {
    axis_list list{};
    for (std::size_t i = 0; i < N && i < max_rank; ++i) list[i] = static_cast<std::ptrdiff_t>(values[i]);
    return list;
}

/// The parameters of a node type. Variables, not functions of classes: every node of an expression asks for its own.
template <class Node>
inline constexpr node_parameters parameters_of{};
template <auto Permutation, class S, class E>
inline constexpr node_parameters parameters_of<permute_node<Permutation, S, E>>{.permutation = as_axis_list(Permutation)};
template <std::size_t Axis, std::ptrdiff_t Step, class S, class E>
inline constexpr node_parameters parameters_of<slice_node<Axis, Step, S, E>>{.axis = Axis, .step = Step};
template <std::size_t Axis, std::size_t Times, class S, class E>
inline constexpr node_parameters parameters_of<repeat_node<Axis, Times, S, E>>{.axis = Axis, .step = Times};
template <std::size_t Axis, class S, class... Parts>
inline constexpr node_parameters parameters_of<concat_node<Axis, S, Parts...>>{.axis = Axis};
template <std::size_t Axis, class S, class Table, class Indices>
inline constexpr node_parameters parameters_of<take_node<Axis, S, Table, Indices>>{.axis = Axis};
template <std::size_t Axis, class S>
inline constexpr node_parameters parameters_of<index_node<Axis, S>>{.axis = Axis};
template <class F, class S, class T, class... Args>
inline constexpr node_parameters parameters_of<map_node<F, S, T, Args...>>{.flops = flops_of_function<F>(), .costly = is_costly_function<F>()};
template <class F, class S, class T, class... Args>
inline constexpr node_parameters parameters_of<map_node<fast_function<F>, S, T, Args...>>{
    .flops = flops_of_function<F>(), .fast = true, .costly = is_costly_function<F>()};
template <class Mask, class E>
inline constexpr node_parameters parameters_of<masked_node<Mask, E>>{
    .kept = mask_kept_pairs<Mask, typename E::shape_type>, .static_mask = Mask::is_static};
template <reduction Kind, std::size_t Axis, bool Keep, class S, class T, class E>
inline constexpr node_parameters parameters_of<reduce_node<Kind, Axis, Keep, S, T, E>>{
    .variant = static_cast<std::uint8_t>(Kind), .axis = Axis};
template <softmax_kind Kind, std::size_t Axis, class E, class... Policy>
inline constexpr node_parameters parameters_of<softmax_node<Kind, Axis, E, Policy...>>{
    .variant = static_cast<std::uint8_t>(Kind), .axis = Axis, .fast = sizeof...(Policy) != 0};
template <standardize_kind Kind, class E>
inline constexpr node_parameters parameters_of<standardize_node<Kind, E>>{
    .variant = static_cast<std::uint8_t>(Kind), .axis = E::shape_type::rank - 1};
template <class Destination, class E>
inline constexpr node_parameters parameters_of<store_node<Destination, E>>{.strides = as_axis_list(Destination::strides)};
template <array_expression E>
inline constexpr node_parameters parameters_of<E>{.strides = as_axis_list(E::strides), .owned = is_owning_tensor<E>};

/// The variant of what the name of a let becomes outside it, for the sake of one error: a number that nobody reads.
inline constexpr std::uint8_t name_outside = 1;

template <class E, std::size_t Capacity>
constexpr std::int16_t append_nodes(graph_builder<Capacity>& graph);

/// Appends the operands of n, of any node with these operands.
template <std::size_t Capacity, std::size_t... I, class... Operands>
constexpr void append_operands(graph_builder<Capacity>& graph, graph_node& n, const operand_storage<std::index_sequence<I...>, Operands...>*) {
    n.operand_count = sizeof...(Operands);
    ((n.operands[I] = append_nodes<Operands>(graph)), ...);
}

/// Appends the nodes of E in post-order and returns the number of its root.
template <class E, std::size_t Capacity>
constexpr std::int16_t append_nodes(graph_builder<Capacity>& graph) {
    using S = typename E::shape_type;
    static_assert(S::rank <= max_rank, "ashlar: expression: at most 8 axes; merge some with reshape");
    graph_node n{parameters_of<E>};
    n.kind = kind_of<E>;
    n.rank = S::rank;
    n.scalar = scalar_kind_of<element_of<E>>();
    n.element_bytes = sizeof(element_of<E>);
    for (std::size_t i = 0; i < S::rank; ++i) n.extents[i] = S::extents[i];
    if constexpr (kind_of<E> == op::packed) n.panel = E::panel;
    if constexpr (kind_of<E> == op::let_value) {
        for (std::size_t i = graph.lets; i-- > 0;)
            if (graph.let_tags[i] == &type_identity<typename E::tag>) {
                n.same_as = graph.let_values[i];
                n.excluded = graph.at(n.same_as).excluded;
                break;
            }
        if (n.same_as == -1) n.kind = op::scalar, n.variant = name_outside;
    } else if constexpr (kind_of<E> == op::let) {
        n.operand_count = 2;
        n.operands[0] = append_nodes<operand_type<0, E>>(graph);
        graph.let_tags[graph.lets] = &type_identity<typename E::tag>;
        graph.let_values[graph.lets++] = n.operands[0];
        n.operands[1] = append_nodes<operand_type<1, E>>(graph);
        --graph.lets;
        n.same_as = n.operands[1];
        n.excluded = graph.at(n.same_as).excluded;
    } else if constexpr (node_count<E> > 1) {
        static_assert(E::operand_count <= max_operands, "ashlar: expression: at most 16 operands; concat in two steps");
        append_operands(graph, n, static_cast<const decltype(E::operands)*>(nullptr));
        if constexpr (kind_of<E> == op::store) n.same_as = n.operands[0];
        std::array<exclusion, E::operand_count> excluded{};
        for (std::size_t i = 0; i < E::operand_count; ++i) excluded[i] = graph.at(n.operands[i]).excluded;
        n.excluded = exclusion_after<E>::of(excluded);
    }
    const auto id = static_cast<std::int16_t>(graph.count);
    graph.nodes[graph.count++] = n;
    return id;
}

/// Whether names of lets occur in their bodies only.
template <std::size_t Outside>
struct let_names {
    static constexpr bool are_inside = Outside == 0;
};

/// The nodes of an expression; the root is the last one.
template <class E>
struct graph {
    static constexpr std::size_t count = node_count<E>;
    static constexpr auto nodes = [] {
        graph_builder<count> builder;
        append_nodes<E>(builder);
        for (auto& n : builder.nodes)
            if (n.kind != op::let && n.kind != op::let_value)
                for (std::size_t i = 0; i < n.operand_count; ++i) {
                    std::int16_t o = n.operands[i];
                    while (builder.at(o).kind == op::let || builder.at(o).kind == op::let_value) o = builder.at(o).same_as;
                    ++builder.at(o).uses;
                }
        return builder.nodes;
    }();
    static constexpr std::size_t root = count - 1;
    /// Uses of names of lets outside their bodies: an error, see check_names.
    static constexpr std::size_t names_outside = [] {
        std::size_t outside = 0;
        for (const auto& n : nodes) outside += n.kind == op::scalar && n.variant == name_outside;
        return outside;
    }();
};

/// The rule of lets, for everything that evaluates or plans an expression by itself.
template <class E>
consteval bool check_names() {
    static_assert(let_names<graph<E>::names_outside>::are_inside,
                  "ashlar: let: the name of a value is used outside its let; use it in what the function returns only");
    return let_names<graph<E>::names_outside>::are_inside;
}

/// Where a node stands: operand `slot` of node `parent`.
struct node_place {
    std::size_t parent = 0, slot = 0;
};

/// The place of every node of E but the root.
template <class E>
inline constexpr auto node_places = [] {
    std::array<node_place, graph<E>::count> places{};
    for (std::size_t n = 0; n < graph<E>::count; ++n)
        for (std::size_t i = 0; i < graph<E>::nodes[n].operand_count; ++i)
            places[static_cast<std::size_t>(graph<E>::nodes[n].operands[i])] = {n, i};
    return places;
}();

/// Node Id of the expression whose root is `e`: one instantiation for each node, as every path shares its beginning.
template <std::size_t Id, class E>
ASHLAR_ALWAYS_INLINE constexpr const auto& node_at(const E& e) {
    if constexpr (Id == graph<E>::root)
        return e;
    else
        return node_at<node_places<E>[Id].parent>(e).template operand<node_places<E>[Id].slot>();
}

/// The type of node Id of expression E.
template <std::size_t Id, class E>
using node_type = std::remove_cvref_t<decltype(node_at<Id>(std::declval<const E&>()))>;

}  // namespace ashlar::detail
