// SPDX-License-Identifier: BSL-1.0
// The arrangement of keys in a cache, and the rows and queries that it accepts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/expr/attention/attention_options.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/nn/transformers/scratch.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn {

namespace detail {

/// Keys in one block: in a long cache as many as fill four to eight cache lines, or three or two, and divide the
/// capacity; otherwise all keys.
consteval std::size_t key_block(std::size_t capacity, std::size_t element_bytes) {
    const std::size_t line = 64 / element_bytes;
    if (capacity > 8 * line)
        for (const std::size_t lines : {4u, 5u, 6u, 7u, 8u, 3u, 2u})
            if (capacity % (lines * line) == 0) return lines * line;
    return capacity;
}

/// The stride between elements of a key, in blocks of this many keys: exactly that many if there are several blocks. A
/// single block uses an odd number of cache lines, because at a stride of a large power of two the elements of a key
/// would compete for a few lines of the cache.
consteval std::size_t key_stride(std::size_t block, std::size_t blocks, std::size_t element_bytes) {
    const std::size_t line = 64 / element_bytes;
    const std::size_t lines = (block + line - 1) / line;
    return blocks > 1 || lines == 1 ? block : (lines | 1) * line;
}

/// Whether a row of keys or values has as many elements as the cache holds per row.
template <class Given, std::size_t Heads, std::size_t Width>
struct cached_row {
    static constexpr bool fits =
        Given::size == Heads * Width && (Given::rank == 1 || Given::extents[Given::rank - 1] == Width ||
                                         Given::extents[Given::rank - 1] == Heads * Width);
};

/// The arrangement of the rows of a prefill: [rows, heads * width] as from a projection, or heads first [heads, rows,
/// width]. Keys and values must have equally many rows.
template <class Given, std::size_t Heads, std::size_t Width>
consteval std::size_t rows_of() {
    if constexpr (Given::rank == 3)
        return Given::extents[0] == Heads && Given::extents[2] == Width ? Given::extents[1] : 0;
    else if constexpr (Given::rank == 2)
        return Given::extents[1] == Heads * Width ? Given::extents[0] : 0;
    else
        return 0;
}
template <class Given, std::size_t Heads, std::size_t Width>
struct cached_rows {
    static constexpr bool fit = rows_of<Given, Heads, Width>() != 0;
};
template <std::size_t Keys, std::size_t Values>
struct prefilled_rows {
    static constexpr bool match = Keys == 0 || Values == 0 || Keys == Values;  // 0: an error of its own
};

/// Whether an option of attention is the same for all pairs of a query and a key, so that queries may be regrouped.
template <class Options>
inline constexpr bool is_uniform_option =
    ashlar::detail::option_kind<Options> == ashlar::detail::attention_option::softcap ||
    ashlar::detail::option_kind<Options> == ashlar::detail::attention_option::fast;
template <class Factor>
inline constexpr bool is_uniform_option<ashlar::detail::scale_option<Factor>> = std::is_arithmetic_v<Factor>;

/// Whether queries [heads, width] or [heads, rows, width] can attend to a cache.
template <class Query, std::size_t Heads, std::size_t Width>
struct cached_query {
    static constexpr bool fits = (Query::rank == 2 || Query::rank == 3) && Query::extents[Query::rank - 1] == Width &&
                                 Query::extents[0] % Heads == 0;
};

/// [rows, Heads, Width] of either arrangement.
template <std::size_t Heads, std::size_t Width, std::size_t Rows, class Expression>
ASHLAR_ALWAYS_INLINE constexpr auto rows_first(const Expression& e) noexcept {
    if constexpr (shape_of<Expression>::rank == 3)
        return permute<1, 0, 2>(reshape<Heads, Rows, Width>(e));
    else
        return reshape<Rows, Heads, Width>(e);
}

/// How keys are stored: written in place; copied from memory; computed in the memory of the values and then copied, as
/// no destination can be in blocks; or held and copied.
enum class key_way : std::uint8_t { direct, copied, waiting, held };

/// Rows of keys Key and values Value to be stored in a Cache; Empty if it holds no rows.
template <class Cache, class Key, class Value, bool Empty>
struct written_rows {
    using Element = typename Cache::stored_type;
    static constexpr std::size_t heads = Cache::heads, rows = rows_of<shape_of<Key>, heads, Cache::key_width>();
    /// Whether all rows may be written at once, and whether they may be written one by one. Rows in 8 bits are not
    /// written at once, because each is first read for its scale.
    static constexpr bool at_once = rows <= Cache::capacity && !Cache::scales_type::are_needed,
                          one_by_one = !Empty || !at_once;

    static constexpr std::ptrdiff_t column = Cache::key_stride,
                                    key_matrix = Cache::key_blocks * Cache::key_stride * Cache::key_width,
                                    value_row = Cache::value_width, value_matrix = Cache::capacity * Cache::value_width;
    static constexpr auto key_strides = ashlar::detail::spelled_out(std::array{std::ptrdiff_t{1}, key_matrix, column});
    static constexpr auto value_strides =
        ashlar::detail::spelled_out(std::array{value_row, value_matrix, std::ptrdiff_t{1}});
    using direct_keys = strided_view<Element, key_strides, rows, heads, Cache::key_width>;
    using waiting_keys = strided_view<Element, value_strides, rows, heads, Cache::key_width>;
    using values = strided_view<Element, value_strides, rows, heads, Cache::value_width>;
    using key_rows = decltype(rows_first<heads, Cache::key_width, rows>(std::declval<const Key&>()));
    using new_values = decltype(rows_first<heads, Cache::value_width, rows>(std::declval<const Value&>()));
    static constexpr key_way way = Cache::key_blocks == 1 || rows == 1      ? key_way::direct
                                   : array_expression<key_rows>             ? key_way::copied
                                   : Cache::key_width <= Cache::value_width ? key_way::waiting
                                                                            : key_way::held;

    /// Bytes of held keys or values.
    static constexpr std::size_t held = [] {
        const std::size_t of_keys = one_by_one || way == key_way::held ? held_bytes<key_rows> : 0,
                          of_values = one_by_one ? held_bytes<new_values> : 0;
        return of_keys > of_values ? of_keys : of_values;
    }();
    /// Bytes of scratch of the evaluation that needs most.
    template <class Config>
    static constexpr std::size_t scratch = [] {
        std::size_t most = 0;
        const auto add = [&](std::size_t bytes) { most = bytes > most ? bytes : most; };
        if constexpr (at_once) {
            if constexpr (way == key_way::direct)
                add(ashlar::detail::destination_scratch<direct_keys, key_rows, Config>);
            if constexpr (way == key_way::waiting)
                add(ashlar::detail::destination_scratch<waiting_keys, key_rows, Config>);
            add(ashlar::detail::destination_scratch<values, new_values, Config>);
        }
        if constexpr (one_by_one || way == key_way::held) add(scratch_of_held<key_rows, Config>());
        if constexpr (one_by_one) add(scratch_of_held<new_values, Config>());
        return most;
    }();
    template <class Config>
    static constexpr std::size_t bytes = held + scratch<Config>;
};
template <class Cache, class Key, class Value>
using prefilled = written_rows<Cache, Key, Value, false>;
template <class Cache, class Key, class Value>
using refilled = written_rows<Cache, Key, Value, true>;

}  // namespace detail

}  // namespace ashlar::nn
