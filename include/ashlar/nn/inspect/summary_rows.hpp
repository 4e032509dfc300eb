// SPDX-License-Identifier: BSL-1.0
// The rows of a summary, gathered from the parts that each module lists.
#pragma once

#include <array>
#include <cstddef>
#include <source_location>
#include <string_view>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/inspect/counts.hpp>
#include <ashlar/nn/inspect/example.hpp>

namespace ashlar::inline v0_1::nn::detail {

/// The name of a class template or class without namespaces and arguments, as the compiler spells it.
template <class Module>
consteval std::string_view type_name() {
    std::string_view all = std::source_location::current().function_name();
    const std::size_t start = all.find("Module = ");
    if (start == all.npos) return "module";
    all.remove_prefix(start + 4);
    all = all.substr(0, all.find_first_of("<;]"));
    const std::size_t colon = all.rfind(':');
    return colon == all.npos ? all : all.substr(colon + 1);
}

/// One row of a summary. Unknown numbers are 0.
struct summary_row {
    static constexpr std::size_t max_rank = 8;

    std::string_view name, kind;
    std::size_t depth = 0;
    std::size_t times = 1;  ///< modules of this kind in a row, one after the other
    bool has_shape = false;
    std::size_t rank = 0;
    std::array<std::size_t, max_rank> extents{};
    std::size_t parameters = 0, flops = 0;
    bool has_scratch = false;  ///< whether it is evaluated by itself
    std::size_t scratch = 0;
};

template <std::size_t Capacity>
struct summary_rows {
    std::array<summary_row, Capacity> rows{};
    std::size_t count = 0;
};

/// The expression of a module's call.
template <class Module, class... Operands>
constexpr auto called(const Module& m, const Operands&... x) {
    if constexpr (sizeof...(Operands) == 1 && requires { m.call_with(x...); })
        return m.call_with(x...);
    else
        return m(x...);
}

/// Gathers rows, depth first.
template <std::size_t Capacity, class Config>
struct summary_walk {
    summary_rows<Capacity>& all;
    std::size_t depth = 0;

    /// A module that is part of the expression around it.
    template <class Module, class... Operands>
    constexpr void operator()(const char* name, const Module& m, const Operands&... x) {
        add<false>(name, 1, m, x...);
    }
    /// A module that is evaluated by itself, or a std::array of them, one after the other.
    template <class Module, class... Operands>
    constexpr void step(const char* name, const Module& m, const Operands&... x) {
        if constexpr (is_array_of_members<Module>) {
            const unborn<typename Module::value_type> one;
            add<true>(name, std::tuple_size_v<Module>, one.object, x...);
        } else {
            add<true>(name, 1, m, x...);
        }
    }

private:
    template <bool Evaluated, class Module, class... Operands>
    constexpr void add(const char* name, std::size_t times, const Module& m, const Operands&... x) {
        summary_row row;
        row.name = name;
        row.kind = type_name<Module>();
        row.depth = depth;
        row.times = times;
        row.parameters = times * parameter_count<Module>;
        if constexpr (sizeof...(Operands) != 0) {
            using call = decltype(called(m, x...));
            row.has_shape = true;
            row.rank = shape_of<call>::rank;
            for (std::size_t i = 0; i < row.rank; ++i) row.extents[i] = shape_of<call>::extents[i];
            row.flops = times * ashlar::flops<call>;
            row.has_scratch = Evaluated;
            if constexpr (Evaluated) row.scratch = workspace_bytes<call, 1, Config>;
        }
        if (all.count < Capacity) all.rows[all.count++] = row;
        ++depth;
        if constexpr (sizeof...(Operands) != 0 && requires { Module::parts(m, x..., *this); })
            Module::parts(m, x..., *this);
        else
            Module::members(m, member_rows{*this});
        --depth;
    }

    /// Lists the parts of a module that does not describe its call.
    struct member_rows {
        summary_walk& walk;

        template <class Member>
        constexpr void operator()(const char* name, const Member& member) const {
            if constexpr (module<Member>) {
                walk.template add<false>(name, 1, member);
            } else if constexpr (is_array_of_members<Member>) {
                const unborn<typename Member::value_type> one;
                walk.template add<false>(name, std::tuple_size_v<Member>, one.object);
            }
        }
    };
};

}  // namespace ashlar::nn::detail
