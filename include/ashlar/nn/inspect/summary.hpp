// SPDX-License-Identifier: BSL-1.0
// summary: a module and its parts as a table, with shapes, parameters, arithmetic and scratch.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/fixed_text.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/nn/inspect/counts.hpp>
#include <ashlar/nn/inspect/summary_rows.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// The element type of a module's arrays: double if all of them are.
template <class Module>
using module_element =
    std::conditional_t<parameter_count<Module> != 0 && parameter_bytes<Module> == 8 * parameter_count<Module>, double,
                       float>;

/// A summary without an input: parameters only.
struct no_input {};

/// One row of the width that the module needs, if it declares one.
template <class Module>
consteval auto input_row() {
    if constexpr (requires { typename Module::input_type; })
        return std::type_identity<typename Module::input_type>{};
    else if constexpr (requires { std::integral_constant<std::size_t, Module::embed>{}; })
        return std::type_identity<tensor<module_element<Module>, 1, Module::embed>>{};
    else if constexpr (requires { std::integral_constant<std::size_t, Module::in>{}; })
        return std::type_identity<tensor<module_element<Module>, 1, Module::in>>{};
    else if constexpr (requires { std::integral_constant<std::size_t, std::size_t{Module::size}>{}; })
        return std::type_identity<tensor<module_element<Module>, 1, std::size_t{Module::size}>>{};
    else
        return std::type_identity<no_input>{};
}

/// Writes a table with columns at fixed places.
struct table_writer {
    static constexpr std::size_t layer_width = 41, shape_width = 17, number_width = 14;
    static constexpr std::size_t line_width = layer_width + shape_width + 3 * number_width;

    char* out = nullptr;  // nothing is written if this is null
    std::size_t length = 0, line_start = 0;

    constexpr void put(char c) {
        if (out != nullptr) out[length] = c;
        ++length;
        if (c == '\n') line_start = length;
    }
    constexpr void put(std::string_view s) {
        for (const char c : s) put(c);
    }
    constexpr void put_plain(std::size_t n) {
        char digits[24]{};
        std::size_t count = 0;
        do digits[count++] = static_cast<char>('0' + n % 10);
        while ((n /= 10) != 0);
        while (count != 0) put(digits[--count]);
    }
    /// 1,234,567
    constexpr void put_grouped(std::size_t n) {
        if (n >= 1000) {
            put_grouped(n / 1000);
            put(',');
            for (std::size_t unit = 100; unit != 0; unit /= 10) put(static_cast<char>('0' + n / unit % 10));
        } else {
            put_plain(n);
        }
    }
    static constexpr std::size_t grouped_length(std::size_t n) {
        table_writer count;
        count.put_grouped(n);
        return count.length;
    }
    constexpr void fill(std::size_t column, char c = ' ') {
        do put(c);
        while (length - line_start < column);
    }
    /// Right-aligned in a column that ends here.
    constexpr void write_number(std::size_t n, bool known, std::size_t end) {
        const std::size_t width = known ? grouped_length(n) : 1;
        fill(end > width ? end - width : 0);
        if (known)
            put_grouped(n);
        else
            put('-');
    }
    constexpr void put_title(std::string_view s, std::size_t end) {
        fill(end - s.size());
        put(s);
    }
    constexpr void rule(char c) {
        for (std::size_t i = 0; i < line_width; ++i) put(c);
        put('\n');
    }

    constexpr void put_row(const summary_row& row) {
        for (std::size_t i = 0; i < row.depth; ++i) put("  ");
        if (!row.name.empty()) {
            put(row.name);
            put(": ");
        }
        if (row.times != 1) {
            put_plain(row.times);
            put(" x ");
        }
        put(row.kind);
        fill(layer_width);
        if (row.has_shape) {
            put('[');
            for (std::size_t i = 0; i < row.rank; ++i) {
                if (i != 0) put(", ");
                put_plain(row.extents[i]);
            }
            put(']');
        } else {
            put('-');
        }
        write_number(row.parameters, row.parameters != 0, layer_width + shape_width + number_width);
        write_number(row.flops, row.has_shape, layer_width + shape_width + 2 * number_width);
        write_number(row.scratch, row.has_scratch, line_width);
        put('\n');
    }

    template <std::size_t Capacity>
    constexpr void put_table(const summary_rows<Capacity>& all, std::size_t bytes) {
        put("layer");
        fill(layer_width);
        put("output shape");
        put_title("parameters", layer_width + shape_width + number_width);
        put_title("FLOPs", layer_width + shape_width + 2 * number_width);
        put_title("scratch bytes", line_width);
        put('\n');
        rule('=');
        for (std::size_t i = 0; i < all.count; ++i) put_row(all.rows[i]);
        rule('=');
        put_grouped(all.rows[0].parameters);
        put(" parameters in ");
        put_grouped(bytes);
        put(" bytes");
        if (all.rows[0].has_shape) {
            put(", ");
            put_grouped(all.rows[0].flops);
            put(" FLOPs");
        }
        if (all.rows[0].has_scratch) {
            put(", ");
            put_grouped(all.rows[0].scratch);
            put(" bytes of scratch");
        }
        put('\n');
    }
};

/// Rows of the largest table.
inline constexpr std::size_t summary_capacity = 192;

template <class Module, class Input, class Config>
inline constexpr auto rows_of_summary = []() consteval {
    summary_rows<summary_capacity> all;
    summary_walk<summary_capacity, Config> walk{all};
    const unborn<Module> m;
    if constexpr (std::is_same_v<Input, no_input>)
        walk.step("", m.object);
    else
        walk.step("", m.object, example<Input>());
    return all;
}();

template <class Module, class Input, class Config>
inline constexpr auto text_of_summary = [] {
    constexpr std::size_t length = [] {
        table_writer count;
        count.put_table(rows_of_summary<Module, Input, Config>, parameter_bytes<Module>);
        return count.length;
    }();
    fixed_text<length> text;
    table_writer writer{text.characters.data()};
    writer.put_table(rows_of_summary<Module, Input, Config>, parameter_bytes<Module>);
    text.length = writer.length;
    return text;
}();

}  // namespace detail

/// A table of a module called with an input of type Input, a tensor. For the module and each part it shows the shape of
/// the result, parameters, FLOPs as in `flops<E>`, and bytes of scratch if the part is evaluated by itself (others have
/// none of their own). A stack of equal layers is one row, followed by the parts of one layer. Modules that do not
/// describe their call are listed with their parameters. Rotation tables and masks are not counted. A constant of at
/// most 192 rows.
///
///     std::puts(nn::summary<my_model, tensor<float, 32, 64>>().c_str());
template <module Module, class Input, class Config = current_config>
    requires(!std::integral<Input>)
[[nodiscard]] constexpr const auto& summary() noexcept {
    return detail::text_of_summary<Module, Input, Config>;
}

/// The same for an input of floating-point numbers with the dimensions Dims; without Dims, for the module's
/// `input_type` if it has one, else for one row.
///
///     std::puts(nn::summary<nn::encoder<{.layer = {.embed = 64, .heads = 4}, .layers = 6}>, 32, 64>().c_str());
template <module Module, auto... Dims, class Config = current_config>
[[nodiscard]] constexpr const auto& summary() noexcept {
    if constexpr (sizeof...(Dims) == 0)
        return detail::text_of_summary<Module, typename decltype(detail::input_row<Module>())::type, Config>;
    else
        return detail::text_of_summary<Module, tensor<detail::module_element<Module>, Dims...>, Config>;
}

}  // namespace ashlar::nn
