// SPDX-License-Identifier: BSL-1.0
// The cache of keys and values for decoding: static capacity, a length known at run time, nothing allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/attention.hpp>
#include <ashlar/expr/attention_options.hpp>
#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/expr/masks/keys_below.hpp>
#include <ashlar/expr/refused.hpp>
#include <ashlar/expr/shape_ops.hpp>
#include <ashlar/expr/slice.hpp>
#include <ashlar/nn/cached_keys.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::nn {

/// What a cache does when it is full: a linear one must not be appended to, a ring forgets its oldest row.
enum class cache_order : std::uint8_t { linear, ring };

namespace detail {

/// Keys in one block: in a long cache as many as fill four to eight cache lines, or three or two, and divide the capacity;
/// else all of them.
consteval std::size_t key_block(std::size_t capacity, std::size_t element_bytes) {
    const std::size_t line = 64 / element_bytes;
    if (capacity > 8 * line)
        for (const std::size_t lines : {4u, 5u, 6u, 7u, 8u, 3u, 2u})
            if (capacity % (lines * line) == 0) return lines * line;
    return capacity;
}

/// Elements from one element of a key to the next, in blocks of so many keys: no more than those where there are several
/// blocks. In a single one an odd number of cache lines, since at a distance of a large power of two the elements of a
/// key would compete for a few lines of the cache.
consteval std::size_t key_stride(std::size_t block, std::size_t blocks, std::size_t element_bytes) {
    const std::size_t line = 64 / element_bytes;
    const std::size_t lines = (block + line - 1) / line;
    return blocks > 1 || lines == 1 ? block : (lines | 1) * line;
}

/// Whether a row of keys or values has as many elements as the cache holds per row.
template <class Given, std::size_t Heads, std::size_t Width>
struct cached_row {
    static constexpr bool fits = Given::size == Heads * Width && (Given::rank == 1 || Given::extents[Given::rank - 1] ==
                                 Width || Given::extents[Given::rank - 1] == Heads * Width);
};

/// How the rows of a prefill are arranged: heads first [heads, rows, width], or as a projection has them
/// [rows, heads * width]. Rows of both keys and values must be equally many.
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
template <class Option>
inline constexpr bool is_uniform_option = ashlar::detail::option_kind<Option> == ashlar::detail::attention_option::softcap ||
                                          ashlar::detail::option_kind<Option> == ashlar::detail::attention_option::fast;
template <class Factor>
inline constexpr bool is_uniform_option<ashlar::detail::scale_option<Factor>> = std::is_arithmetic_v<Factor>;

/// Whether queries [heads, width] or [heads, rows, width] can attend to a cache.
template <class Query, std::size_t Heads, std::size_t Width>
struct cached_query {
    static constexpr bool fits = (Query::rank == 2 || Query::rank == 3) &&
                                 Query::extents[Query::rank - 1] == Width && Query::extents[0] % Heads == 0;
};

}  // namespace detail

/// The keys and values of the tokens so far, for each key/value head: at most Capacity rows in static memory, of which
/// the first `length()` are valid. Trivially copyable; nothing is allocated, and `kv_cache<...> c;` does not touch its
/// memory. Keys are held in blocks of 64 or so, inside each by columns, and values by rows, so that a single query reads
/// two streams. Write kv_cache<Element, Capacity, ...>; dimensions are integers or axes; ValueWidth is KeyWidth unless given.
///
///     nn::kv_cache<float, 512, kv_heads, head> cache;
///     cache.append(k, v);                                  // each [kv_heads, head]
///     auto y = attention(q, cache.keys(), cache.values(), keys_below(cache.length()));   // q is [kv_heads, group, head]
template <class Element, auto Capacity, auto Heads, auto KeyWidth, auto ValueWidth, cache_order Order>
struct basic_kv_cache {
    static constexpr std::size_t capacity = ashlar::detail::extent_of(Capacity);
    static constexpr std::size_t heads = ashlar::detail::extent_of(Heads);
    static constexpr std::size_t key_width = ashlar::detail::extent_of(KeyWidth);
    static constexpr std::size_t value_width = ashlar::detail::extent_of(ValueWidth);
    static constexpr cache_order order = Order;
    using value_type = Element;

    /// Keys that lie in one block, the number of blocks, and from one element of a key to the next, in elements.
    static constexpr std::size_t key_block = detail::key_block(capacity, sizeof(Element)), key_blocks = capacity / key_block,
                                 key_stride = detail::key_stride(key_block, key_blocks, sizeof(Element));

    /// The memory; read through keys() and values(). Public so that the cache is an aggregate.
    tensor<Element, heads, key_blocks, key_width, key_stride> key_columns;
    tensor<Element, Heads, Capacity, ValueWidth> value_rows;
    /// Rows appended since the last clear; a ring may have overwritten the first of them.
    std::size_t appended = 0;

    /// Rows that are valid, at most Capacity.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t length() const noexcept {
        return appended < capacity ? appended : capacity;
    }
    /// The position of the next row: what positional encodings count by.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t position() const noexcept { return appended; }
    /// Whether an append would overflow; never of a ring.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool full() const noexcept { return room() == 0; }
    /// Rows that can still be appended; of a ring without end.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t room() const noexcept {
        return Order == cache_order::ring ? static_cast<std::size_t>(-1) : capacity - appended;
    }
    ASHLAR_ALWAYS_INLINE constexpr void clear() noexcept { appended = 0; }
    /// Forgets the rows from `rows` on, so that decoding continues from there; rows must be at most position(), and of a
    /// ring nothing may have been overwritten (asserted).
    ASHLAR_ALWAYS_INLINE constexpr void truncate(std::size_t rows) noexcept {
        ASHLAR_ASSERT(rows <= appended && (rows == appended || appended <= capacity),
                      "ashlar: kv_cache: truncate can only go back to rows that the cache still has");
        appended = rows;
    }

    /// All keys, lazily [Heads, Capacity, KeyWidth], read where they lie; those from length() on are whatever the memory
    /// holds, so mask them.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto keys() const& noexcept {
        constexpr auto strides = ashlar::detail::spelled_out(std::array{key_matrix, block_matrix, std::ptrdiff_t{1}, column});
        return reshape<Heads, Capacity, KeyWidth>(
            strided_view<const Element, strides, Heads, key_blocks, key_block, KeyWidth>{key_columns.data()});
    }
    void keys() const&& = delete;  // ashlar: kv_cache: a view of a temporary would dangle; name the cache first
    /// All values [Heads, Capacity, ValueWidth], as a view.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto values() const& noexcept { return view_of(value_rows); }
    void values() const&& = delete;  // ashlar: kv_cache: a view of a temporary would dangle; name the cache first

    /// Appends one row: k has Heads * KeyWidth elements in the order [Heads, KeyWidth], with any axes of extent 1, and v
    /// likewise. There must be room (asserted); a ring overwrites its oldest row.
    template <any_expression Key, any_expression Value, class Config = current_config>
    constexpr void append(const Key& k, const Value& v) noexcept {
        static_assert(detail::cached_row<shape_of<Key>, heads, key_width>::fits,
                      "ashlar: kv_cache: a row of keys must be [heads, width] or [heads * width]; reshape it");
        static_assert(detail::cached_row<shape_of<Value>, heads, value_width>::fits,
                      "ashlar: kv_cache: a row of values must be [heads, width] or [heads * width]; reshape it");
        ASHLAR_ASSERT(room() >= 1, "ashlar: kv_cache: append to a full cache; clear or truncate it, or use try_append");
        if constexpr (detail::cached_row<shape_of<Key>, heads, key_width>::fits &&
                      detail::cached_row<shape_of<Value>, heads, value_width>::fits)
            write_row<Config>(appended++ % capacity, reshape<heads, key_width>(k), reshape<heads, value_width>(v));
    }
    /// The same if there is room; else false, and nothing is written.
    template <any_expression Key, any_expression Value, class Config = current_config>
    [[nodiscard]] constexpr bool try_append(const Key& k, const Value& v) noexcept {
        if (full()) return false;
        append<Key, Value, Config>(k, v);
        return true;
    }

    /// Appends the first `count` rows (all unless given) of k and v, which are [Heads, rows, width] or, as a projection
    /// has them, [rows, Heads * width]. There must be room for them (asserted). Evaluated at once where the rows fit
    /// behind each other, row by row where a ring turns or `count` rows fit and all do not.
    template <any_expression Key, any_expression Value, class Config = current_config>
    constexpr void prefill(const Key& k, const Value& v, std::size_t count = most_rows<Key>()) noexcept {
        constexpr std::size_t rows = detail::rows_of<shape_of<Key>, heads, key_width>();
        constexpr std::size_t value_count = detail::rows_of<shape_of<Value>, heads, value_width>();
        static_assert(detail::cached_rows<shape_of<Key>, heads, key_width>::fit,
                      "ashlar: kv_cache: keys must be [heads, rows, width] or [rows, heads * width]; reshape or permute");
        static_assert(detail::cached_rows<shape_of<Value>, heads, value_width>::fit,
                      "ashlar: kv_cache: values must be [heads, rows, width] or [rows, heads * width]; reshape or permute");
        static_assert(detail::prefilled_rows<rows, value_count>::match,
                      "ashlar: kv_cache: there must be as many rows of keys as of values; slice one");
        ASHLAR_ASSERT(count <= rows, "ashlar: kv_cache: prefill of more rows than were given");
        ASHLAR_ASSERT(count <= room(), "ashlar: kv_cache: prefill beyond the capacity; clear the cache, or use try_prefill");
        if constexpr (rows != 0 && rows == value_count) {
            const auto key_rows = rows_first<key_width, rows>(k);
            const auto new_values = rows_first<value_width, rows>(v);
            const std::size_t first = appended % capacity;
            appended += count;
            if constexpr (rows <= capacity)
                if (first + rows <= capacity) {
                    write_rows<rows, Config>(first, key_rows, new_values);
                    return;
                }
            // Rows that would be overwritten at once are left out.
            const auto& stored_keys = stored(key_rows);
            const auto& stored_values = stored(new_values);
            for (std::size_t i = count > capacity ? count - capacity : 0; i < count; ++i)
                write_row<Config>((first + i) % capacity, row(stored_keys, i), row(stored_values, i));
        }
    }
    /// The same if there is room; else false, and nothing is written.
    template <any_expression Key, any_expression Value, class Config = current_config>
    [[nodiscard]] constexpr bool try_prefill(const Key& k, const Value& v, std::size_t count = most_rows<Key>()) noexcept {
        if (count > room() || count > most_rows<Key>()) return false;
        prefill<Key, Value, Config>(k, v, count);
        return true;
    }

    /// The mask for queries of the last `rows` positions, which are in the cache already: a query keeps the keys up to
    /// its own that the cache still has.
    ///
    ///     cache.prefill(k, v);   // 32 rows
    ///     auto y = attention(q, cache.keys(), cache.values(), cache.visible(32));
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto visible(std::size_t rows) const noexcept {
        ASHLAR_ASSERT(rows <= appended, "ashlar: kv_cache: visible: append the keys of the queries first");
        if constexpr (Order == cache_order::linear)
            return causal_at(static_cast<std::ptrdiff_t>(appended - rows));
        else
            return detail::cached_keys_mask<capacity>(appended, appended - rows, static_cast<std::size_t>(-1));
    }
    /// The same within a sliding window: a query keeps the `window` positions up to its own. A ring must still have those
    /// of the first query: window + rows - 1 is at most Capacity, unless nothing was overwritten (asserted).
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto visible(std::size_t rows, std::size_t window) const noexcept {
        ASHLAR_ASSERT(rows <= appended, "ashlar: kv_cache: visible: append the keys of the queries first");
        ASHLAR_ASSERT(appended <= capacity || window + rows - 1 <= capacity,
                      "ashlar: kv_cache: visible: the window of the first query has been overwritten; enlarge the ring");
        return detail::cached_keys_mask<capacity>(appended, appended - rows, window);
    }

    /// Attention of the latest queries to the cache, lazily: q is [query heads, KeyWidth] for the last position, or
    /// [query heads, rows, KeyWidth] for the last `rows`; query heads are a multiple of Heads and grouped in order. The
    /// result has q's shape with ValueWidth at its end. Options are those of `attention` but a mask, for scores
    /// [query heads, rows, Capacity].
    ///
    ///     cache.append(k, v);
    ///     auto y = cache.attend(q);
    template <any_expression Query, class... Options>
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto attend(Query&& q, Options&&... options) const& noexcept {
        using query = shape_of<Query>;
        static_assert(detail::cached_query<query, heads, key_width>::fits,
                      "ashlar: kv_cache: queries must be [query heads, width] or [query heads, rows, width], with a "
                      "multiple of the cache's heads; reshape or permute");
        if constexpr (!detail::cached_query<query, heads, key_width>::fits) {
            return ashlar::detail::refused<element_of<Query>, query>();
        } else if constexpr (query::rank == 3 && query::extents[1] != 1) {
            return attention(std::forward<Query>(q), keys(), values(), visible(query::extents[1]),
                             std::forward<Options>(options)...);
        } else if constexpr ((detail::is_uniform_option<std::remove_cvref_t<Options>> && ...)) {
            // One row of queries per head: those that share keys become the rows of one product.
            constexpr std::size_t group = query::extents[0] / heads;
            return ashlar::detail::reshape_to<attended<query>>(
                attention(reshape<Heads, group, KeyWidth>(std::forward<Query>(q)), keys(), values(), keys_below(length()),
                          std::forward<Options>(options)...));
        } else {
            return ashlar::detail::reshape_to<attended<query>>(
                attention(reshape<query::extents[0], 1, KeyWidth>(std::forward<Query>(q)), keys(), values(), keys_below(length()),
                          std::forward<Options>(options)...));
        }
    }
    template <any_expression Query, class... Options>
    void attend(Query&& q, Options&&... options) const&& = delete;  // ashlar: kv_cache: a view of a temporary would dangle; name the cache first

private:
    template <class Query>
    using attended = decltype(ashlar::detail::with_dimension<Query, Query::rank - 1, ValueWidth>());

    template <class Key>
    static consteval std::size_t most_rows() {
        return detail::rows_of<shape_of<Key>, heads, key_width>();
    }

    /// [rows, Heads, Width] of either arrangement.
    template <std::size_t Width, std::size_t Rows, class Expression>
    ASHLAR_ALWAYS_INLINE static constexpr auto rows_first(const Expression& e) noexcept {
        if constexpr (shape_of<Expression>::rank == 3)
            return permute<1, 0, 2>(reshape<heads, Rows, Width>(e));
        else
            return reshape<Rows, heads, Width>(e);
    }

    static constexpr std::ptrdiff_t column = key_stride, block_matrix = key_stride * key_width,
                                    key_matrix = key_blocks * key_stride * key_width, value_matrix = capacity * value_width, value_row = value_width;

    /// Rows that lie in memory, or their values where they are computed: one row of a product would cost as much as all.
    template <class Expression>
    ASHLAR_ALWAYS_INLINE static constexpr decltype(auto) stored(const Expression& e) noexcept {
        if constexpr (array_expression<Expression>)
            return (e);
        else
            return eval(e);
    }

    /// Where the first element of a key lies.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr Element* key_at(std::size_t slot) noexcept {
        return key_columns.data() + slot / key_block * static_cast<std::size_t>(block_matrix) + slot % key_block;
    }

    template <class Config, class Key, class Value>
    ASHLAR_ALWAYS_INLINE constexpr void write_row(std::size_t slot, const Key& k, const Value& v) noexcept {
        constexpr auto value_strides = ashlar::detail::spelled_out(std::array{value_matrix, std::ptrdiff_t{1}});
        write_key<Config>(slot, k);
        strided_view<Element, value_strides, heads, value_width>{value_rows.data() + slot * value_width} = v;
    }
    template <class Config, class Key>
    ASHLAR_ALWAYS_INLINE constexpr void write_key(std::size_t slot, const Key& k) noexcept {
        constexpr auto strides = ashlar::detail::spelled_out(std::array{key_matrix, column});
        strided_view<Element, strides, heads, key_width>{key_at(slot)} = k;
    }
    template <std::size_t Rows, class Config, class Key, class Value>
    ASHLAR_ALWAYS_INLINE constexpr void write_rows(std::size_t slot, const Key& k, const Value& v) noexcept {
        constexpr auto key_strides = ashlar::detail::spelled_out(std::array{std::ptrdiff_t{1}, key_matrix, column});
        constexpr auto value_strides = ashlar::detail::spelled_out(std::array{value_row, value_matrix, std::ptrdiff_t{1}});
        Element* const new_values = value_rows.data() + slot * value_width;
        if constexpr (key_blocks == 1 || Rows == 1) {
            strided_view<Element, key_strides, Rows, heads, key_width>{key_at(slot)} = k;
        } else if constexpr (array_expression<Key>) {
            copy_keys<Config>(slot, k);
        } else if constexpr (key_width <= value_width) {
            // Keys that are computed wait where the values will be: no destination can be in blocks.
            strided_view<Element, value_strides, Rows, heads, key_width> waiting{new_values};
            waiting = k;
            copy_keys<Config>(slot, waiting);
        } else {
            copy_keys<Config>(slot, eval(k));
        }
        strided_view<Element, value_strides, Rows, heads, value_width>{new_values} = v;
    }
    /// Copies keys [rows, heads, width] that lie in memory: whole blocks at once, others one by one.
    template <class Config, class Key>
    constexpr void copy_keys(std::size_t slot, const Key& k) noexcept {
        constexpr std::size_t rows = Key::extents[0];
        constexpr auto from = ashlar::detail::spelled_out(std::array{Key::strides[1], Key::strides[2], Key::strides[0]});
        constexpr auto to = ashlar::detail::spelled_out(std::array{key_matrix, column, std::ptrdiff_t{1}});
        for (std::size_t i = 0; i < rows;) {
            if constexpr (rows >= key_block)
                if ((slot + i) % key_block == 0 && rows - i >= key_block) {
                    strided_view<Element, to, heads, key_width, key_block>{key_at(slot + i)} =
                        strided_view<const Element, from, heads, key_width, key_block>{k.data() + static_cast<std::ptrdiff_t>(i) * Key::strides[0]};
                    i += key_block;
                    continue;
                }
            write_key<Config>(slot + i, row(k, i));
            ++i;
        }
    }
};

/// A cache of keys and values: a `basic_kv_cache` whose integer dimensions are std::size_t.
///
///     nn::kv_cache<float, 512, 4, 8> cache;                                  // 512 rows of 4 heads, 8 wide
///     nn::kv_cache<float, 128, 4, 8, 8, nn::cache_order::ring> last_rows;    // the latest 128
template <class Element, auto Capacity, auto Heads, auto KeyWidth, auto ValueWidth = KeyWidth,
          cache_order Order = cache_order::linear>
using kv_cache = basic_kv_cache<Element, ashlar::detail::canonical(Capacity), ashlar::detail::canonical(Heads),
                                ashlar::detail::canonical(KeyWidth), ashlar::detail::canonical(ValueWidth), Order>;

}  // namespace ashlar::nn
