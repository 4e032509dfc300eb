// SPDX-License-Identifier: BSL-1.0
// Users' names for axes, functions, masks and element types, for the text of a plan.
#pragma once

#include <ashlar/expr/attention/scaled_rows.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/elementwise/math_functions.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/plan/build/planned.hpp>
#include <ashlar/plan/report/text.hpp>

namespace ashlar::inline v0_1::detail {

/// Enough for the text of a moderate plan; longer text is cut off.
inline constexpr std::size_t plan_text_capacity = 16384;
using plan_writer = text_writer<plan_text_capacity>;

/// The name of an elementwise function; an operator is written between its operands.
template <class Function>
inline constexpr const char* function_name = [] {
    if constexpr (requires { Function::name; })
        return Function::name;
    else
        return "map";
}();

constexpr const char* element_name(scalar_kind kind, std::size_t bytes) {
    switch (kind) {
    case scalar_kind::boolean: return "bool";
    case scalar_kind::floating: return bytes == 8 ? "double" : bytes == 4 ? "float" : "floating";
    default: return bytes == 1 ? "int8" : bytes == 2 ? "int16" : bytes == 4 ? "int32" : "int64";
    }
}

/// Writes a mask as users type it, in parentheses if it is a combination inside another one.
template <class Mask>
struct mask_label {
    static constexpr void write(plan_writer& out, bool) {
        if constexpr (requires { Mask::write_name(out); })
            Mask::write_name(out);
        else
            out.put("mask");
    }
};
template <class Mask>
struct mask_label<not_mask<Mask>> {
    static constexpr void write(plan_writer& out, bool) {
        out.put('!');
        mask_label<Mask>::write(out, true);
    }
};
template <bool All, class Left, class Right>
struct mask_label<pair_mask<All, Left, Right>> {
    static constexpr void write(plan_writer& out, bool nested) {
        if (nested) out.put('(');
        mask_label<Left>::write(out, true);
        out.put(All ? " && " : " || ");
        mask_label<Right>::write(out, true);
        if (nested) out.put(')');
    }
};

/// Text about one node that the plan does not know.
struct node_label {
    std::array<const char*, max_rank> axis_names{};  // "" where there is none: under UBSan g++ compares no addresses
    const char* function = nullptr;
    void (*write_mask)(plan_writer&, bool) = nullptr;
};

template <class Node>
struct label_parts {
    static constexpr void describe(node_label&) {}
};
template <class Function, class Shape, class Element, class... Args>
struct label_parts<map_node<Function, Shape, Element, Args...>> {
    static constexpr void describe(node_label& l) { l.function = function_name<Function>; }
};
template <class Mask, class Expression>
struct label_parts<masked_node<Mask, Expression>> {
    static constexpr void describe(node_label& l) { l.write_mask = &mask_label<Mask>::write; }
};
template <class Mask, class Shape>
struct label_parts<mask_node<Mask, Shape>> {
    static constexpr void describe(node_label& l) { l.write_mask = &mask_label<Mask>::write; }
};

template <auto Dim>
constexpr const char* axis_name_of() {
    if constexpr (is_axis<std::remove_cv_t<decltype(Dim)>>)
        return decltype(Dim)::name.text;
    else
        return "";
}

template <class Node>
constexpr node_label make_label() {
    using Shape = typename Node::shape_type;
    node_label l;
    [&]<std::size_t... Index>(std::index_sequence<Index...>) {
        ((l.axis_names[Index] = axis_name_of<dimension_at<Shape, Index>>()), ...);
    }(std::make_index_sequence<Shape::rank>{});
    label_parts<Node>::describe(l);
    return l;
}

/// A label for every node of Plan's expression.
template <class Plan>
inline constexpr auto labels_of = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array<node_label, Plan::count>{
        make_label<typename Plan::template node<index_at<node_index>(Index)>>()...};
}(std::make_index_sequence<Plan::count>{});

}  // namespace ashlar::detail
