// SPDX-License-Identifier: BSL-1.0
// An expression type as a flat array of constants, operands before their users: the input of the planner.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/masks/borrowed_memory.hpp>
#include <ashlar/expr/masks/count.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/masks/provenance.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/nodes/index_map.hpp>
#include <ashlar/expr/nodes/narrowing.hpp>
#include <ashlar/plan/graph/indices.hpp>

namespace ashlar::inline v0_1::detail {

inline constexpr std::size_t max_operands = 16;

/// Element types by number, so that stages can be compared without types.
enum class scalar_kind : std::uint8_t { boolean, integer, floating };

/// Functions of two operands whose second operand may be a factor: x * s and x / s.
enum class scaling_kind : std::uint8_t { none, times, over };

/// Facts that only some kinds of nodes have.
struct node_parameters {
    axis_list strides{};          // arrays, store: elements between neighbours
    axis_list permutation{};      // permute
    std::uint8_t variant = 0;     // the reduction, softmax_kind, standardize_kind or matrix_kind
    std::size_t axis = 0;         // reduce, softmax, standardize, slice, concat, take, repeat, roll, window, index
    std::ptrdiff_t step = 1;      // slice, window: step, repeat: times, roll: shift
    std::ptrdiff_t dilation = 1;  // window
    std::size_t flops = 0;        // map: per element
    std::size_t panel = 0;        // packed: columns of a panel
    std::size_t kept = 0;         // masked: pairs that the mask's type keeps, over all batch entries
    std::size_t keys = 0;         // masked: those before the first one from which on its type keeps none for any query
    bool static_mask = false;
    bool spans = false;        // masked: the mask says which keys some queries keep
    bool slopes = false;       // masked: its edges move on by one key from query to query, and it says where they are
    bool lower_slope = false;  // masked: so does the edge where they begin
    bool owned = false;        // arrays: held by value, so nothing else can overlap it
    bool borrowing_mask = false;                // masked, mask: the mask reads arrays that it does not own
    bool partial = false;                       // softmax: not divided by its sums, which are stored with the maxima
    bool is_weighted = false;                   // softmax: its numerators are multiplied by operand 1, its sums are not
    bool fast = false;                          // map, softmax: of lower precision, as requested
    bool costly = false;                        // map: many instructions, as exponentials are
    bool one_instruction = false;               // map: about one; a user's own function counts as one
    bool chooses = false;                       // map: where, whose values are chosen by operand 0
    scaling_kind scaling = scaling_kind::none;  // map
    std::uint8_t narrow = 0;       // bytes of an element in its memory, or where it is written to, if they are fewer
    bool quantized = false;        // packed: integers of 8 bits with a scale for each column, or of 4 bits
    std::uint8_t spread = 1;       // quantized: as in interleaved_layout
    std::uint8_t scale_group = 0;  // quantized: entries of a column that share a scale, then in 4 bits; 0: all
    bool brain = false;            // all its values are those of bf16
};

/// One node of the expression, without its type.
struct graph_node : node_parameters, axis_extents {
    node_kind kind{};
    std::uint8_t operand_count = 0;
    scalar_kind scalar{};
    std::size_t element_bytes = 0;
    node_index operands[max_operands]{};
    node_index same_as = no_node;  // let, let_value, store: the node whose value this is
    std::uint16_t uses = 0;
    node_index masked = no_node;           // softmax: the masked node that is its operand, past names and stores
    exclusion excluded = exclusion::none;  // what masks prove of the elements that they do not keep

    /// Whether stages store its values in fewer bytes than they are computed with.
    constexpr bool narrows() const { return narrow != 0 && kind == node_kind::map; }
    constexpr std::size_t size() const {
        std::size_t n = 1;
        for (std::size_t i = 0; i < rank; ++i) n *= extents[i];
        return n;
    }
    /// Bytes of its elements in memory. Groups of 4 bits have a scale of two bytes each.
    constexpr std::size_t memory_bytes() const {
        if (scale_group != 0) return size() / 2 + size() / scale_group * 2;
        return size() * (quantized ? 1 : narrow != 0 ? narrow : element_bytes);
    }
};

template <class Element>
consteval scalar_kind scalar_kind_of() {
    if (std::is_same_v<Element, bool>) return scalar_kind::boolean;
    return std::is_floating_point_v<Element> ? scalar_kind::floating : scalar_kind::integer;
}

template <class Function>
consteval std::size_t flops_of_function() {
    if constexpr (requires { Function::flops; })
        return Function::flops;
    else
        return 1;
}

/// Functions for floating-point numbers only are those that evaluate a polynomial.
template <class Function>
consteval bool is_costly_function() {
    if constexpr (requires { Function::arguments; })
        return Function::arguments == takes::floating;
    else
        return false;
}

/// All functions except the expensive ones. A user's own function has no such property.
template <class Function>
consteval bool is_one_instruction() {
    return requires { Function::flops; } && !is_costly_function<Function>();
}

/// The parameters of a node type. Variables, not member functions, because every node of an expression uses its own.
template <class Node>
inline constexpr node_parameters parameters_of{};
template <class Node>
    requires(is_index_map(kind_of<Node>))
inline constexpr node_parameters parameters_of<Node>{.permutation = move_of<Node>.permutation,
                                                     .axis = move_of<Node>.axis,
                                                     .step = move_of<Node>.step,
                                                     .dilation = move_of<Node>.dilation};
template <class Packed>
    requires(kind_of<Packed> == node_kind::packed)
inline constexpr node_parameters parameters_of<Packed>{.panel = Packed::panel,
                                                       .narrow = narrow_bytes<typename Packed::value_type>,
                                                       .quantized = Packed::is_quantized,
                                                       .spread = Packed::spread,
                                                       .scale_group = Packed::scale_group,
                                                       .brain = is_bf16<typename Packed::value_type>};
template <std::size_t Axis, class Shape, class... Parts>
inline constexpr node_parameters parameters_of<concat_node<Axis, Shape, Parts...>>{.axis = Axis};
template <std::size_t Axis, class Shape, class Table, class Indices>
inline constexpr node_parameters parameters_of<take_node<Axis, Shape, Table, Indices>>{.axis = Axis};
template <std::size_t Axis, class Shape>
inline constexpr node_parameters parameters_of<index_node<Axis, Shape>>{.axis = Axis};
template <class Function>
inline constexpr scaling_kind scaling_of_function = scaling_kind::none;
template <>
inline constexpr scaling_kind scaling_of_function<times_function> = scaling_kind::times;
template <>
inline constexpr scaling_kind scaling_of_function<divides_function> = scaling_kind::over;

template <class Function, class Shape, class Element, class... Args>
inline constexpr node_parameters parameters_of<map_node<Function, Shape, Element, Args...>>{
    .flops = flops_of_function<Function>(),
    .costly = is_costly_function<Function>(),
    .one_instruction = is_one_instruction<Function>(),
    .chooses = std::is_same_v<Function, where_function>,
    .scaling = scaling_of_function<Function>};
template <class Function, class Shape, class Element, class... Args>
inline constexpr node_parameters parameters_of<map_node<fast_function<Function>, Shape, Element, Args...>>{
    .flops = flops_of_function<Function>(),
    .fast = true,
    .costly = is_costly_function<Function>(),
    .one_instruction = is_one_instruction<Function>()};
template <class Narrow, class Shape, class Expression>
inline constexpr node_parameters parameters_of<map_node<narrowing_function<Narrow>, Shape, float, Expression>>{
    .one_instruction = true, .narrow = narrow_bytes<Narrow>};
template <class Narrow, class Shape, class Expression>
inline constexpr node_parameters parameters_of<map_node<rounded_function<Narrow>, Shape, float, Expression>>{
    .one_instruction = true, .brain = is_bf16<Narrow>};
template <class Mask, class Expression>
inline constexpr node_parameters parameters_of<masked_node<Mask, Expression>>{
    .kept = mask_kept_pairs<Mask, typename Expression::shape_type>,
    .keys = keys_ever_kept<typename Mask::static_part, query_extent<typename Expression::shape_type>,
                           key_extent<typename Expression::shape_type>>,
    .static_mask = Mask::is_static,
    .spans = spanning_mask<Mask, typename Expression::shape_type>,
    .slopes = sloping_mask<Mask, typename Expression::shape_type>,
    .lower_slope = sloping_mask<Mask, typename Expression::shape_type> && has_lower_slope<Mask>,
    .borrowing_mask = mask_borrows<Mask>()};
template <class Mask, class Shape>
inline constexpr node_parameters parameters_of<mask_node<Mask, Shape>>{.static_mask = Mask::is_static,
                                                                       .borrowing_mask = mask_borrows<Mask>()};
template <reduction_kind Kind, std::size_t Axis, bool Keep, class Shape, class Element, class Expression>
inline constexpr node_parameters parameters_of<reduce_node<Kind, Axis, Keep, Shape, Element, Expression>>{
    .variant = static_cast<std::uint8_t>(Kind), .axis = Axis};
template <softmax_kind Kind, std::size_t Axis, class Expression, class... Policy>
inline constexpr node_parameters parameters_of<softmax_node<Kind, Axis, Expression, Policy...>>{
    .variant = static_cast<std::uint8_t>(Kind), .axis = Axis, .fast = sizeof...(Policy) != 0};
template <class Expression, class Scales, class... Policy>
inline constexpr node_parameters parameters_of<weighted_softmax_node<Expression, Scales, Policy...>>{
    .axis = Expression::shape_type::rank - 1, .is_weighted = true, .fast = sizeof...(Policy) != 0};
template <class Policy, class Expression, class... Scales>
inline constexpr node_parameters parameters_of<partial_softmax_node<Policy, Expression, Scales...>>{
    .axis = Expression::shape_type::rank - 1,
    .partial = true,
    .is_weighted = sizeof...(Scales) != 0,
    .fast = !std::is_void_v<Policy>};
template <standardize_kind Kind, class Expression>
inline constexpr node_parameters parameters_of<standardize_node<Kind, Expression>>{
    .variant = static_cast<std::uint8_t>(Kind), .axis = Expression::shape_type::rank - 1};
template <matrix_kind Function, class Shape, class Matrices, class... Right>
inline constexpr node_parameters parameters_of<matrix_node<Function, Shape, Matrices, Right...>>{
    .variant = static_cast<std::uint8_t>(Function)};
template <class Matrices>
inline constexpr node_parameters parameters_of<lu_node<Matrices>>{.variant =
                                                                      static_cast<std::uint8_t>(matrix_kind::lu)};
template <class Destination, class Expression>
inline constexpr node_parameters parameters_of<store_node<Destination, Expression>>{
    .strides = as_axis_list(Destination::strides), .narrow = narrow_bytes<typename Destination::value_type>};
template <array_expression Expression>
inline constexpr node_parameters parameters_of<Expression>{.strides = as_axis_list(Expression::strides),
                                                           .owned = is_owning_tensor<Expression>,
                                                           .narrow = narrow_bytes<typename Expression::value_type>,
                                                           .brain = is_bf16<typename Expression::value_type>};

/// The variant of a let's name outside of its body, for a single error: a number that nothing reads.
inline constexpr std::uint8_t name_outside = 1;

/// All facts of a node type, so that graphs can be built without templates.
struct node_facts {
    node_parameters parameters;
    node_kind kind;
    axis_extents axes;
    scalar_kind scalar;
    std::size_t element_bytes;
    exclusion_rule rule;
    std::size_t let_depth = 0;  // let_value: how many lets stand between it and its own; more than there are: none
    std::size_t operand_count = 0;
    const node_facts* const* operands = nullptr;
};

/// The tags of the lets around a node, from the inside out. They are types: with -fsanitize=undefined g++ does not
/// compare the addresses of two objects that linkers merge in a constant expression.
template <class... Tags>
struct open_tags {
    template <class Tag>
    using inside = open_tags<Tag, Tags...>;

    template <class Tag>
    static consteval std::size_t depth_of() {
        std::size_t depth = 0;
        for (const bool is_it : {std::is_same_v<Tag, Tags>..., true}) {
            if (is_it) break;
            ++depth;
        }
        return depth;
    }
};

template <class Expression, class Scope>
consteval node_facts find_node_facts();
template <class Expression, class Scope = open_tags<>>
inline constexpr node_facts facts_of_node = find_node_facts<Expression, Scope>();

template <class Storage, class Scope>
inline constexpr const node_facts* facts_of_operands[1] = {};
template <std::size_t... Index, class... Operands, class Scope>
    requires(sizeof...(Operands) != 0)
inline constexpr const node_facts* facts_of_operands<operand_storage<std::index_sequence<Index...>, Operands...>,
                                                     Scope>[] = {&facts_of_node<Operands, Scope>...};
template <class Expression, class Scope>
inline constexpr const node_facts* facts_of_let[] = {
    &facts_of_node<operand_type<0, Expression>, Scope>,
    &facts_of_node<operand_type<1, Expression>, typename Scope::template inside<typename Expression::tag>>};

template <class Expression, class Scope>
consteval node_facts find_node_facts() {
    using element = element_of<Expression>;
    node_facts facts{.parameters = parameters_of<Expression>,
                     .kind = kind_of<Expression>,
                     .axes = extents_of_axes<typename Expression::shape_type>(),
                     .scalar = scalar_kind_of<element>(),
                     .element_bytes = sizeof(element),
                     .rule = exclusion_rule_of<Expression>};
    if constexpr (kind_of<Expression> == node_kind::let_value)
        facts.let_depth = Scope::template depth_of<typename Expression::tag>();
    if constexpr (node_count<Expression> > 1) {
        static_assert(Expression::operand_count <= max_operands,
                      "ashlar: expression: at most 16 operands; concat in two steps");
        facts.operand_count = Expression::operand_count;
        if constexpr (kind_of<Expression> == node_kind::let)
            facts.operands = facts_of_let<Expression, Scope>;
        else
            facts.operands = facts_of_operands<decltype(Expression::operands), Scope>;
    }
    return facts;
}

/// A let around a node.
struct open_let {
    node_index value;
    const open_let* outer;
};

struct graph_builder {
    graph_node* nodes;
    std::size_t count = 0;

    constexpr node_index past_names(node_index n) const {
        while (nodes[n].kind == node_kind::let || nodes[n].kind == node_kind::let_value) n = nodes[n].same_as;
        return n;
    }

    /// Appends a node after its operands and returns its number.
    constexpr node_index append(const node_facts& facts, const open_let* lets) {
        graph_node n{facts.parameters, facts.axes};
        n.kind = facts.kind;
        n.scalar = facts.scalar;
        n.element_bytes = facts.element_bytes;
        n.operand_count = static_cast<std::uint8_t>(facts.operand_count);
        exclusion excluded[max_operands]{};
        open_let inside{no_node, lets};
        for (std::size_t i = 0; i < facts.operand_count; ++i) {
            const bool in_body = facts.kind == node_kind::let && i == 1;
            n.operands[i] = append(*facts.operands[i], in_body ? &inside : lets);
            excluded[i] = nodes[n.operands[i]].excluded;
            if (i == 0) inside.value = n.operands[0];
        }
        n.excluded = exclusion_after(facts.kind, facts.rule, excluded, facts.operand_count);
        if (facts.kind == node_kind::store) n.same_as = n.operands[0];
        if (facts.kind == node_kind::let) n.same_as = n.operands[1];
        if (facts.kind == node_kind::let_value) append_name(n, facts.let_depth, lets);
        nodes[count] = n;
        return index_at<node_index>(count++);
    }

    constexpr void append_name(graph_node& n, std::size_t depth, const open_let* lets) const {
        while (lets != nullptr && depth-- != 0) lets = lets->outer;
        if (lets == nullptr) {
            n.kind = node_kind::scalar;
            n.variant = name_outside;
        } else {
            n.same_as = lets->value;
            n.excluded = nodes[n.same_as].excluded;
        }
    }

    /// Counts the readers of each node, and finds the mask below each softmax.
    constexpr void link() {
        for (std::size_t i = 0; i < count; ++i) {
            graph_node& n = nodes[i];
            if (n.kind == node_kind::let || n.kind == node_kind::let_value) continue;
            for (std::size_t o = 0; o < n.operand_count; ++o) ++nodes[past_names(n.operands[o])].uses;
            if (n.kind != node_kind::softmax) continue;
            node_index below = past_names(n.operands[0]);
            while (nodes[below].kind == node_kind::store) below = past_names(nodes[below].same_as);
            if (nodes[below].kind == node_kind::masked) n.masked = below;
        }
    }
};

/// Whether names of lets occur only in their bodies.
template <std::size_t Outside>
struct let_names {
    static constexpr bool are_inside = Outside == 0;
};

/// The nodes of an expression; the root is the last one.
template <class Expression>
struct graph {
    static constexpr std::size_t count = node_count<Expression>;
    static constexpr auto nodes = [] {
        std::array<graph_node, count> out{};
        graph_builder builder{out.data()};
        builder.append(facts_of_node<Expression>, nullptr);
        builder.link();
        return out;
    }();
    static constexpr auto root = index_at<node_index>(count - 1);
    /// Uses of names of lets outside of their bodies: an error, see check_names.
    static constexpr std::size_t names_outside = [] {
        std::size_t outside = 0;
        for (const auto& n : nodes) outside += n.kind == node_kind::scalar && n.variant == name_outside;
        return outside;
    }();
};

/// The rule of lets, for everything that evaluates or plans an expression by itself.
template <class Expression>
consteval bool check_names() {
    static_assert(let_names<graph<Expression>::names_outside>::are_inside,
                  "ashlar: let: the name of a value is used outside its let; use it in what the function returns only");
    return let_names<graph<Expression>::names_outside>::are_inside;
}

/// The place of a node: operand `slot` of node `parent`.
struct node_place {
    node_index parent{};
    std::size_t slot = 0;
};

/// The place of every node of Expression but the root.
template <class Expression>
inline constexpr auto node_places = [] {
    std::array<node_place, graph<Expression>::count> places{};
    for (node_index n{}; n < graph<Expression>::count; ++n)
        for (std::size_t i = 0; i < graph<Expression>::nodes[n].operand_count; ++i)
            places[graph<Expression>::nodes[n].operands[i]] = {n, i};
    return places;
}();

/// Node Id of the expression with root `e`: one instantiation per node, because paths share their beginnings.
template <node_index Id, class Expression>
ASHLAR_ALWAYS_INLINE constexpr const auto& node_at(const Expression& e) {
    if constexpr (Id == graph<Expression>::root)
        return e;
    else
        return node_at<node_places<Expression>[Id].parent>(e).template operand<node_places<Expression>[Id].slot>();
}

/// The type of node Id of Expression.
template <node_index Id, class Expression>
using node_type = std::remove_cvref_t<decltype(node_at<Id>(std::declval<const Expression&>()))>;

}  // namespace ashlar::detail
