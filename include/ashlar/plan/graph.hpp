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

/// One node of the expression, without its type.
struct graph_node {
    op kind{};
    std::uint8_t variant = 0;  // the reduction, softmax_kind or standardize_kind
    std::uint8_t rank = 0;
    std::uint8_t operand_count = 0;
    scalar_kind scalar{};
    std::size_t element_bytes = 0;
    std::array<std::size_t, max_rank> extents{};
    axis_list strides{};      // arrays: elements between neighbours
    axis_list permutation{};  // permute
    std::size_t panel = 0;    // packed: columns of a panel
    std::size_t axis = 0;     // reduce, softmax, slice, concat, take, repeat, index
    std::ptrdiff_t step = 1;  // slice: step, repeat: times
    std::size_t flops = 0;    // map: per element
    std::size_t kept = 0;     // masked: pairs that the mask's type keeps, over all batch entries
    bool static_mask = false;
    bool owned = false;  // arrays: held by value, so nothing else can overlap it
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

template <class E>
consteval std::size_t node_count() {
    if constexpr (operand_count_of<E>() == 0)
        return 1;
    else
        return []<std::size_t... I>(std::index_sequence<I...>) {
            return (std::size_t{1} + ... + node_count<std::remove_cvref_t<decltype(std::declval<E>().template operand<I>())>>());
        }(std::make_index_sequence<E::operand_count>{});
}

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

/// What only some kinds of node know about themselves.
template <class Node>
struct node_parameters {
    static constexpr void describe(graph_node&) {}
};
template <auto Permutation, class S, class E>
struct node_parameters<permute_node<Permutation, S, E>> {
    static constexpr void describe(graph_node& n) {
        for (std::size_t i = 0; i < S::rank; ++i) n.permutation[i] = static_cast<std::ptrdiff_t>(Permutation[i]);
    }
};
template <std::size_t Axis, std::ptrdiff_t Step, class S, class E>
struct node_parameters<slice_node<Axis, Step, S, E>> {
    static constexpr void describe(graph_node& n) { n.axis = Axis, n.step = Step; }
};
template <std::size_t Axis, std::size_t Times, class S, class E>
struct node_parameters<repeat_node<Axis, Times, S, E>> {
    static constexpr void describe(graph_node& n) { n.axis = Axis, n.step = Times; }
};
template <std::size_t Axis, class S, class... Parts>
struct node_parameters<concat_node<Axis, S, Parts...>> {
    static constexpr void describe(graph_node& n) { n.axis = Axis; }
};
template <std::size_t Axis, class S, class Table, class Indices>
struct node_parameters<take_node<Axis, S, Table, Indices>> {
    static constexpr void describe(graph_node& n) { n.axis = Axis; }
};
template <std::size_t Axis, class S>
struct node_parameters<index_node<Axis, S>> {
    static constexpr void describe(graph_node& n) { n.axis = Axis; }
};
template <class F, class S, class T, class... Args>
struct node_parameters<map_node<F, S, T, Args...>> {
    static constexpr void describe(graph_node& n) { n.flops = flops_of_function<F>(); }
};
template <class Mask, class E>
struct node_parameters<masked_node<Mask, E>> {
    static constexpr void describe(graph_node& n) {
        n.kept = mask_kept_pairs<Mask, typename E::shape_type>;
        n.static_mask = Mask::is_static;
    }
};
template <reduction Kind, std::size_t Axis, bool Keep, class S, class T, class E>
struct node_parameters<reduce_node<Kind, Axis, Keep, S, T, E>> {
    static constexpr void describe(graph_node& n) { n.variant = static_cast<std::uint8_t>(Kind), n.axis = Axis; }
};
template <softmax_kind Kind, std::size_t Axis, class E>
struct node_parameters<softmax_node<Kind, Axis, E>> {
    static constexpr void describe(graph_node& n) { n.variant = static_cast<std::uint8_t>(Kind), n.axis = Axis; }
};
template <standardize_kind Kind, class E>
struct node_parameters<standardize_node<Kind, E>> {
    static constexpr void describe(graph_node& n) { n.variant = static_cast<std::uint8_t>(Kind), n.axis = n.rank - 1u; }
};

template <class Destination, class E>
struct node_parameters<store_node<Destination, E>> {
    static constexpr void describe(graph_node& n) {
        for (std::size_t i = 0; i < n.rank; ++i) n.strides[i] = Destination::strides[i];
    }
};

template <class E>
constexpr graph_node describe_node() {
    using T = element_of<E>;
    using S = typename E::shape_type;
    static_assert(S::rank <= max_rank, "ashlar: expression: at most 8 axes; merge some with reshape");
    graph_node n{};
    n.kind = kind_of<E>;
    n.rank = S::rank;
    n.scalar = scalar_kind_of<T>();
    n.element_bytes = sizeof(T);
    for (std::size_t i = 0; i < S::rank; ++i) n.extents[i] = S::extents[i];
    if constexpr (kind_of<E> == op::array) {
        for (std::size_t i = 0; i < S::rank; ++i) n.strides[i] = E::strides[i];
        n.owned = is_owning_tensor<E>;
    }
    if constexpr (kind_of<E> == op::packed) n.panel = E::panel;
    node_parameters<E>::describe(n);
    return n;
}

/// The variant of what the name of a let becomes outside it, for the sake of one error: a number that nobody reads.
inline constexpr std::uint8_t name_outside = 1;

/// Appends the nodes of E in post-order and returns the number of its root.
template <class E, std::size_t Capacity>
constexpr std::int16_t append_nodes(graph_builder<Capacity>& graph) {
    graph_node n = describe_node<E>();
    if constexpr (kind_of<E> == op::let_value) {
        for (std::size_t i = graph.lets; i-- > 0;)
            if (graph.let_tags[i] == &type_identity<typename E::tag>) {
                n.same_as = graph.let_values[i];
                n.excluded = graph.at(n.same_as).excluded;
                break;
            }
        if (n.same_as == -1) n.kind = op::scalar, n.variant = name_outside;
    } else if constexpr (kind_of<E> == op::let) {
        using value = std::remove_cvref_t<decltype(std::declval<E>().template operand<0>())>;
        using body = std::remove_cvref_t<decltype(std::declval<E>().template operand<1>())>;
        n.operand_count = 2;
        n.operands[0] = append_nodes<value>(graph);
        graph.let_tags[graph.lets] = &type_identity<typename E::tag>;
        graph.let_values[graph.lets++] = n.operands[0];
        n.operands[1] = append_nodes<body>(graph);
        --graph.lets;
        n.same_as = n.operands[1];
        n.excluded = graph.at(n.same_as).excluded;
    } else if constexpr (operand_count_of<E>() != 0) {
        static_assert(E::operand_count <= max_operands, "ashlar: expression: at most 16 operands; concat in two steps");
        n.operand_count = E::operand_count;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((n.operands[I] = append_nodes<std::remove_cvref_t<decltype(std::declval<E>().template operand<I>())>>(graph)), ...);
        }(std::make_index_sequence<E::operand_count>{});
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
    static constexpr std::size_t count = node_count<E>();
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

/// Node Id of the expression whose root is `e`, found by walking the types.
template <std::size_t Id, class E>
ASHLAR_ALWAYS_INLINE constexpr const auto& node_at(const E& e) {
    if constexpr (Id + 1 == node_count<E>()) {
        return e;
    } else {
        constexpr auto child = [] {
            std::array<std::size_t, 2> found{};
            std::size_t first = 0;
            [&]<std::size_t... I>(std::index_sequence<I...>) {
                const auto visit = [&](std::size_t i, std::size_t n) {
                    if (Id >= first && Id < first + n) found = {i, Id - first};
                    first += n;
                };
                (visit(I, node_count<std::remove_cvref_t<decltype(std::declval<E>().template operand<I>())>>()), ...);
            }(std::make_index_sequence<E::operand_count>{});
            return found;
        }();
        return node_at<child[1]>(e.template operand<child[0]>());
    }
}

/// The type of node Id of expression E.
template <std::size_t Id, class E>
using node_type = std::remove_cvref_t<decltype(node_at<Id>(std::declval<const E&>()))>;

}  // namespace ashlar::detail
