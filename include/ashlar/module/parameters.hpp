// SPDX-License-Identifier: BSL-1.0
// The arrays of a module one by one, without their types: the interface for loading, saving and images.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/core/int4.hpp>
#include <ashlar/core/interleaved_layout.hpp>
#include <ashlar/module/module.hpp>
#include <ashlar/tensor/panel_layout.hpp>

namespace ashlar::inline v0_1::nn {

/// The element type of an array, if weight files have a name for it. They have the values of int4 as floats.
enum class element_kind : std::uint8_t { f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, boolean, f16, bf16, int4 };

namespace detail {

template <class Element>
consteval element_kind kind_of_element() {
    if constexpr (std::is_same_v<Element, bool>)
        return element_kind::boolean;
    else if constexpr (std::is_same_v<Element, f16>)
        return element_kind::f16;
    else if constexpr (std::is_same_v<Element, bf16>)
        return element_kind::bf16;
    else if constexpr (std::is_floating_point_v<Element>)
        return sizeof(Element) == 4 ? element_kind::f32 : element_kind::f64;
    else if constexpr (std::is_signed_v<Element>)
        return sizeof(Element) == 1   ? element_kind::i8
               : sizeof(Element) == 2 ? element_kind::i16
               : sizeof(Element) == 4 ? element_kind::i32
                                      : element_kind::i64;
    else
        return sizeof(Element) == 1   ? element_kind::u8
               : sizeof(Element) == 2 ? element_kind::u16
               : sizeof(Element) == 4 ? element_kind::u32
                                      : element_kind::u64;
}

}  // namespace detail

/// One array of a module. If the file stacks several in one array, it is a piece: some rows of the file's array. Data
/// is void* or const void*. This is enough to read it from a file or to write it to one:
///
///     for (std::size_t row = 0; row < p.rows; ++row)
///         for (std::size_t column = 0; column < p.columns; ++column)
///             static_cast<float*>(p.data)[p.offset(row, column)] = file[(p.first_row + row) * p.columns + column];
///
/// The pieces of one file array follow one another in the order of their rows, and have the same name and extents.
template <class Data>
struct basic_parameter {
    static constexpr std::size_t max_rank = 8;

    std::string_view name;  ///< the path in a state dict, "layers.0.self_attn.in_proj_weight"; valid during the call
    element_kind kind{};
    std::size_t element_bytes = 0;                ///< in a file, and in memory unless the kind is int4
    Data data{};                                  ///< the first element in memory
    std::size_t rank = 0;                         ///< axes of the file's array
    std::array<std::size_t, max_rank> extents{};  ///< of the file's array
    std::size_t first_row = 0;                    ///< where this piece begins on the first axis of the file's array
    std::size_t rows = 1;                         ///< how many of its entries this piece has
    std::size_t columns = 1;                      ///< elements of one of them
    bool is_transposed = false;  ///< whether memory holds the piece [columns, rows] instead of [rows, columns]
    std::size_t panel = 0;       ///< columns of a panel if memory is a packed matrix, else 0
    std::size_t taps = 1;        ///< of a convolution: column channel * taps + tap is tap * (columns / taps) + channel
    std::size_t group = 1;       ///< rows of a panel whose elements are contiguous, of 8 bits or int4, else 1
    std::size_t spread = 1;      ///< of a matrix in 8 bits, the rows in memory over which outliers are spread, else 1
    Data scales{};  ///< of a matrix in 8 bits: a float for each column in memory; it is also an array of its own
    Data sums{};    ///< of such a matrix: the sum of each column's integers

    /// Elements of this piece.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t size() const noexcept { return rows * columns; }
    /// Elements of the file's array.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t file_size() const noexcept {
        std::size_t count = 1;
        for (std::size_t i = 0; i < rank; ++i) count *= extents[i];
        return count;
    }
    /// Whether this piece is the first of a file's array.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool is_first_piece() const noexcept { return first_row == 0; }
    /// Whether this is the last piece of its array, or all of it.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool is_last_piece() const noexcept {
        return rank == 0 || first_row + rows == extents[0];
    }

    /// The offset in memory of the element at a row of this piece and a column, in elements. Distinct for distinct
    /// arguments and less than size(), or than layout().size() for a matrix in 8 bits. Code that writes an integer of
    /// such a matrix must update `sums` and keep the zeros of its padding. Elements of int4 have no such place:
    /// `io::load` and `io::save` read and write their values.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t offset(std::size_t row,
                                                                    std::size_t column) const noexcept {
        if (taps != 1) column = column % taps * (columns / taps) + column / taps;
        const std::size_t line = is_transposed ? column : row, at = is_transposed ? row : column;
        const std::size_t lines = is_transposed ? columns : rows, length = is_transposed ? rows : columns;
        if (group != 1) return ashlar::detail::interleaved_layout{lines, length, panel, group}.offset(line, at);
        return panel == 0 ? line * length + at : ashlar::detail::panel_offset(panel, lines, length, line, at);
    }

    /// Whether memory is a matrix in 8 bits: integers with a scale for each column.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool is_quantized() const noexcept { return group != 1 && !is_int4(); }
    /// Whether memory is a matrix of int4: blocks of integers and scales.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool is_int4() const noexcept { return kind == element_kind::int4; }
    /// Bytes in memory, with the scales and sums after a matrix in 8 bits.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t memory_bytes() const noexcept {
        if (is_int4()) return int4_layout().size() * sizeof(ashlar::detail::int4_block);
        if (!is_quantized()) return size() * element_bytes;
        const ashlar::detail::interleaved_layout in_memory = layout();
        return in_memory.size() + in_memory.panels() * in_memory.panel * 8;
    }
    /// The layout of a matrix in 8 bits.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr ashlar::detail::interleaved_layout layout() const noexcept {
        return {is_transposed ? columns : rows, is_transposed ? rows : columns, panel, group, spread};
    }
    /// The layout of a matrix of int4.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr ashlar::detail::int4_layout int4_layout() const noexcept {
        return {is_transposed ? columns : rows, is_transposed ? rows : columns};
    }
};

/// An array of a module, as `for_each_parameter` passes it; its elements may be written. Example: `for_each_parameter`.
using parameter = basic_parameter<void*>;
/// An array of a const module. Example: `for_each_parameter`.
using const_parameter = basic_parameter<const void*>;

namespace detail {

/// Longest path of a parameter, in characters.
inline constexpr std::size_t path_capacity = 255;

/// The file's extents of an array or of a stack of them.
struct file_shape {
    std::size_t rank = 0;
    std::array<std::size_t, parameter::max_rank> extents{};
};

template <class Array>
consteval file_shape shape_in_file(bool transposed) {
    using in_memory = shape_of<Array>;
    static_assert(in_memory::rank <= parameter::max_rank);
    file_shape result{in_memory::rank, {}};
    for (std::size_t i = 0; i < in_memory::rank; ++i)
        result.extents[i] = in_memory::extents[transposed ? in_memory::rank - 1 - i : i];
    return result;
}

template <class Part>
struct part_traits;
template <class Array>
struct part_traits<plain_member<Array>> {
    using array = Array;
    static constexpr bool transposed = false;
    static constexpr std::size_t taps = 1;
    static constexpr file_shape file = shape_in_file<Array>(false);
};
template <class Array>
struct part_traits<transposed_member<Array>> {
    using array = Array;
    static constexpr bool transposed = true;
    static constexpr std::size_t taps = 1;
    static constexpr file_shape file = shape_in_file<Array>(true);
};
template <class Array, std::size_t... Kernel>
struct part_traits<convolution_member<Array, Kernel...>> {
    using array = Array;
    static constexpr bool transposed = true;
    static constexpr std::size_t taps = (std::size_t{1} * ... * Kernel);
    static constexpr file_shape file{2 + sizeof...(Kernel),
                                     {shape_of<Array>::extents[1], shape_of<Array>::extents[0] / taps, Kernel...}};
};

template <class... Parts>
consteval file_shape stacked_shape() {
    const std::array<file_shape, sizeof...(Parts)> parts{part_traits<Parts>::file...};
    file_shape all = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) all.extents[0] += parts[i].extents[0];
    return all;
}

/// The panel width of a packed matrix; 0 for anything else.
template <class Array>
consteval std::size_t panel_of() {
    if constexpr (requires { std::remove_cv_t<Array>::panel; })
        return std::remove_cv_t<Array>::panel;
    else
        return 0;
}

/// Whether an array is a matrix in 8 bits.
template <class Array>
consteval bool holds_scales() {
    return requires(Array& a) { a.column_sums(); };
}

/// Whether it is one with spread outliers.
template <class Array>
consteval bool is_smoothed_array() {
    if constexpr (holds_scales<Array>())
        return Array::is_smoothed;
    else
        return false;
}

/// Visits members depth first, joins their names to paths, and calls f with each array.
template <class Data, class Function, class Config = current_config>
struct parameter_walk {
    Function& f;
    std::array<char, path_capacity + 1> path{};
    std::size_t length = 0;

    template <class Member>
    constexpr void operator()(const char* name, Member&& member) {
        using plain = std::remove_cvref_t<Member>;
        const std::size_t before = length;
        push(name);
        if constexpr (module<plain>) {
            plain::members(member, *this);
        } else if constexpr (is_array_of_members<plain>) {
            for (std::size_t i = 0; i < member.size(); ++i) {
                const std::size_t here = length;
                push_number(i);
                (*this)("", member[i]);
                length = here;
            }
        } else if constexpr (parameter_array<plain>) {
            visit_stack(stacked(member));
        } else {
            visit_stack(as_stack(member));
        }
        length = before;
    }

private:
    /// Constant expressions cannot go from void* to elements: a function of two arguments gets the array, or scales,
    /// too.
    template <class Memory>
    constexpr void call(const basic_parameter<Data>& p, Memory& memory) {
        if constexpr (std::is_invocable_v<Function&, const basic_parameter<Data>&, Memory&>)
            f(p, memory);
        else
            f(p);
    }

    template <class Array>
    static constexpr auto as_stack(const transposed_member<Array>& member) {
        return stacked(member);
    }
    template <class Array, std::size_t... Kernel>
    static constexpr auto as_stack(const convolution_member<Array, Kernel...>& member) {
        return stacked(member);
    }
    template <class... Parts>
    static constexpr auto as_stack(const stacked_member<Parts...>& member) {
        return member;
    }

    constexpr void push(const char* name) {
        if (*name == '\0') return;
        if (length != 0) put('.');
        while (*name != '\0') put(*name++);
    }
    constexpr void push_text(const char* text) {
        while (*text != '\0') put(*text++);
    }
    constexpr void push_number(std::size_t i) {
        char digits[24]{};
        std::size_t count = 0;
        do {
            digits[count++] = static_cast<char>('0' + i % 10);
            i /= 10;
        } while (i != 0);
        if (length != 0) put('.');
        while (count != 0) put(digits[--count]);
    }
    constexpr void put(char c) {
        ASHLAR_ASSERT(length < path_capacity,
                      "ashlar: parameters: the path of a parameter is longer than 255 characters");
        if (length < path_capacity) path[length++] = c;
    }

    template <class... Parts>
    constexpr void visit_stack(const stacked_member<Parts...>& stack) {
        visit_parts(stack, stacked_shape<Parts...>(), 0);
        if constexpr ((false || ... || holds_scales<typename part_traits<Parts>::array>())) {
            // Integers of the two kinds are not interchangeable, so their scales have different names.
            if constexpr ((false || ... || is_smoothed_array<typename part_traits<Parts>::array>()))
                push_text("_smoothed");
            push_text("_scale");
            visit_scales(stack, (std::size_t{0} + ... + scale_count<Parts>()), 0);
        }
    }
    template <class Part>
    static consteval std::size_t scale_count() {
        return shape_of<typename part_traits<Part>::array>::extents[1];
    }
    /// The scales of matrices in 8 bits, as one array after the matrices.
    template <class Part, class... Rest>
    constexpr void visit_scales(const stacked_member<Part, Rest...>& stack, std::size_t all, std::size_t first_row) {
        basic_parameter<Data> p;
        p.name = {path.data(), length};
        p.kind = element_kind::f32;
        p.element_bytes = sizeof(float);
        p.data = stack.part.array.scales;
        p.rank = 1;
        p.extents[0] = all;
        p.first_row = first_row;
        p.rows = scale_count<Part>();
        call(p, stack.part.array.scales);
        if constexpr (sizeof...(Rest) != 0) visit_scales(stack.rest, all, first_row + p.rows);
    }
    template <class Part, class... Rest>
    constexpr void visit_parts(const stacked_member<Part, Rest...>& stack, const file_shape& file,
                               std::size_t first_row) {
        using traits = part_traits<Part>;
        using array = typename traits::array;
        basic_parameter<Data> p;
        p.name = {path.data(), length};
        if constexpr (requires { stack.part.array.blocks; }) {
            p.kind = element_kind::int4;
            p.element_bytes = sizeof(float);
            p.data = stack.part.array.blocks;
            p.group = ashlar::detail::int4_group;
        } else {
            using stored = std::remove_cvref_t<decltype(stack.part.array.elements[0])>;
            p.kind = kind_of_element<stored>();
            p.element_bytes = sizeof(stored);
            p.data = stack.part.array.elements;
        }
        p.rank = file.rank;
        p.extents = file.extents;
        p.first_row = first_row;
        p.rows = file.rank == 0 ? 1 : traits::file.extents[0];
        p.columns = shape_of<array>::size / p.rows;
        p.is_transposed = traits::transposed;
        p.panel = panel_of<array>();
        p.taps = traits::taps;
        if constexpr (holds_scales<array>()) {
            p.group = array::layout.group;
            p.spread = array::layout.spread;
            p.scales = stack.part.array.scales;
            p.sums = stack.part.array.sums;
        }
        call(p, stack.part.array);
        if constexpr (sizeof...(Rest) != 0) visit_parts(stack.rest, file, first_row + p.rows);
    }
};

}  // namespace detail

/// Calls f(p) with a `parameter` (of a const module, a `const_parameter`) for each array of a module, in the order of
/// its list of members; modules and arrays of modules are entered, their names joined by dots.
///
///     nn::for_each_parameter(model, [](const nn::parameter& p) {
///         std::printf("%.*s\n", int(p.name.size()), p.name.data());
///     });
template <module Module, class Function, class Config = current_config>
constexpr void for_each_parameter(Module& m, Function&& f) {
    using data = std::conditional_t<std::is_const_v<Module>, const void*, void*>;
    detail::parameter_walk<data, std::remove_reference_t<Function>, Config> walk{f};
    walk("", m);
}

}  // namespace ashlar::nn
