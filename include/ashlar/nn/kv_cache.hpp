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
#include <ashlar/core/narrow_integer.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/expr/masks/causal.hpp>
#include <ashlar/expr/masks/keys_below.hpp>
#include <ashlar/expr/nodes/refused.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/nn/cache/cached_keys.hpp>
#include <ashlar/nn/cache/cached_rows.hpp>
#include <ashlar/nn/cache/idle_memory.hpp>
#include <ashlar/nn/cache/row_scales.hpp>
#include <ashlar/nn/transformers/scratch.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace ashlar::inline v0_1::nn {

/// The behaviour of a full cache: a linear one must not be appended to, a ring overwrites its oldest row.
enum class cache_order : std::uint8_t { linear, ring };

/// The keys and values of the tokens so far, for each key/value head: at most Capacity rows in static memory; the first
/// `length()` are valid. Trivially copyable; nothing is allocated. `kv_cache<...> c;` and `c{}` are empty and do not
/// touch the memory of the rows; a static cache is in zeroed memory (.bss) and has no constructor at start-up. Keys are
/// stored in blocks of about 64, column by column inside a block, and values row by row, so that a single query reads
/// two streams. Write kv_cache<Element, Capacity, ...>; dimensions are integers or axes; ValueWidth is KeyWidth unless
/// given. An Element of bf16 or f16 halves the memory; std::int8_t takes a quarter: each row of each head is rounded to
/// integers from -127 to 127 when it is written, with a float scale, its greatest magnitude / 127. Attention then reads
/// integers, and applies the scales to scores and weights. A row with NaN or infinity becomes all NaN.
///
///     nn::kv_cache<float, 512, kv_heads, head> cache;      // or <bf16, ...>, or <std::int8_t, ...>
///     cache.append(k, v);                                  // each [kv_heads, head]
///     auto y = attention(q, cache.keys(), cache.values(), keys_below(cache.length()));
///     // q is [kv_heads, group, head]
template <class Element, auto Capacity, auto Heads, auto KeyWidth, auto ValueWidth, cache_order Order>
struct basic_kv_cache {
    static constexpr std::size_t capacity = ashlar::detail::extent_of(Capacity);
    static constexpr std::size_t heads = ashlar::detail::extent_of(Heads);
    static constexpr std::size_t key_width = ashlar::detail::extent_of(KeyWidth);
    static constexpr std::size_t value_width = ashlar::detail::extent_of(ValueWidth);
    static constexpr cache_order order = Order;
    using value_type = Element;
    /// The stored element: for std::int8_t, integers that are read as floats.
    using stored_type = ashlar::detail::stored_number<Element>;

    /// Keys in one block, the number of blocks, and the stride between elements of a key, in elements.
    static constexpr std::size_t key_block = detail::key_block(capacity, sizeof(stored_type)),
                                 key_blocks = capacity / key_block,
                                 key_stride = detail::key_stride(key_block, key_blocks, sizeof(stored_type));

    using key_tensor = tensor<stored_type, heads, key_blocks, key_width, key_stride>;
    using value_tensor = tensor<stored_type, Heads, Capacity, ValueWidth>;
    using scales_type = detail::row_scales<Element, heads, capacity>;

    /// The memory; read through keys() and values(). A static object has no constructor at start-up only if the
    /// constructor is constant, so it must give every member a value; in a union one member, which may be empty.
    union {
        detail::idle_memory<sizeof(key_tensor)> no_keys;
        key_tensor key_columns;
    };
    union {
        detail::idle_memory<sizeof(value_tensor)> no_values;
        value_tensor value_rows;
    };
    /// Rows appended since the last clear; a ring may have overwritten the first of them.
    std::size_t appended;
    /// In 8 bits: the scale of each row.
    scales_type scales;

    /// Empty: costs a store, as the memory of the rows is not touched.
    ASHLAR_ALWAYS_INLINE constexpr basic_kv_cache() noexcept : no_keys{}, no_values{}, appended(0), scales() {}

    /// The number of valid rows, at most Capacity.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t length() const noexcept {
        return appended < capacity ? appended : capacity;
    }
    /// The position of the next row, for positional encodings.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t position() const noexcept { return appended; }
    /// Whether an append would overflow; never for a ring.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr bool full() const noexcept { return room() == 0; }
    /// Rows that can still be appended; unlimited for a ring.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr std::size_t room() const noexcept {
        return Order == cache_order::ring ? static_cast<std::size_t>(-1) : capacity - appended;
    }
    /// Forgets all rows; the memory is not written.
    ASHLAR_ALWAYS_INLINE constexpr void clear() noexcept { appended = 0; }
    /// Forgets the rows from `rows` on, so that decoding continues from there. `rows` must be at most position(), and a
    /// ring must not have overwritten a row (asserted).
    ASHLAR_ALWAYS_INLINE constexpr void truncate(std::size_t rows) noexcept {
        ASHLAR_ASSERT(rows <= appended && (rows == appended || appended <= capacity),
                      "ashlar: kv_cache: truncate can only go back to rows that the cache still has");
        appended = rows;
    }

    /// All keys, lazily [Heads, Capacity, KeyWidth], read in place. Keys from length() on are arbitrary, so mask
    /// them. In 8 bits they are integers times scales: `attention` reads these directly, other products make a float
    /// copy.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto keys() const& noexcept {
        constexpr auto strides =
            ashlar::detail::spelled_out(std::array{key_matrix, block_matrix, std::ptrdiff_t{1}, column});
        const strided_view<const stored_type, strides, Heads, key_blocks, key_block, KeyWidth> columns{
            key_columns.data()};
        if constexpr (scales_type::are_needed)
            return reshape<Heads, Capacity, KeyWidth>(columns) *
                   tensor_view<const float, Heads, Capacity, 1>(scales.of_keys.data());
        else
            return reshape<Heads, Capacity, KeyWidth>(columns);
    }
    void keys() const&& = delete;  // ashlar: kv_cache: a view of a temporary would dangle; name the cache first
    /// All values [Heads, Capacity, ValueWidth], as a view; in 8 bits lazily, as keys are.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto values() const& noexcept {
        if constexpr (scales_type::are_needed)
            return view_of(value_rows) * tensor_view<const float, Heads, Capacity, 1>(scales.of_values.data());
        else
            return view_of(value_rows);
    }
    void values() const&& = delete;  // ashlar: kv_cache: a view of a temporary would dangle; name the cache first

    /// Appends one row: k has Heads * KeyWidth elements in the order [Heads, KeyWidth], with any axes of extent 1, and
    /// v likewise. There must be room (asserted); a ring overwrites its oldest row.
    template <any_expression Key, any_expression Value, class Config = current_config>
    constexpr void append(const Key& k, const Value& v) noexcept {
        static_assert(detail::cached_row<shape_of<Key>, heads, key_width>::fits,
                      "ashlar: kv_cache: a row of keys must be [heads, width] or [heads * width]; reshape it");
        static_assert(detail::cached_row<shape_of<Value>, heads, value_width>::fits,
                      "ashlar: kv_cache: a row of values must be [heads, width] or [heads * width]; reshape it");
        ASHLAR_ASSERT(room() >= 1, "ashlar: kv_cache: append to a full cache; clear or truncate it, or use try_append");
        if constexpr (detail::cached_row<shape_of<Key>, heads, key_width>::fits &&
                      detail::cached_row<shape_of<Value>, heads, value_width>::fits) {
            begin_rows();
            write_row<Config>(appended++ % capacity, reshape<heads, key_width>(k), reshape<heads, value_width>(v));
        }
    }
    /// The same if there is room; else false, and nothing is written.
    template <any_expression Key, any_expression Value, class Config = current_config>
    [[nodiscard]] constexpr bool try_append(const Key& k, const Value& v) noexcept {
        if (full()) return false;
        append<Key, Value, Config>(k, v);
        return true;
    }

    /// Appends the first `count` rows (all unless given) of k and v, which are [Heads, rows, width] or, as a projection
    /// has them, [rows, Heads * width]. There must be room for them (asserted). Evaluated at once if the rows are
    /// contiguous in the cache; row by row if a ring wraps or there is no unused memory for the rows after `count`.
    /// Then computed values are held on the stack, or in a workspace, if given, of at least
    /// prefill_workspace_bytes<Key, Value>. Rows after `count` may be written to unused memory; they are not valid, and
    /// the next rows overwrite them. Neither k nor v may read the cache itself; `eval` such rows first.
    ///
    ///     cache.prefill(mha.keys(x), mha.values(x), length);   // the first `length` rows of a prompt
    ///     static workspace<cache_type::prefill_workspace_bytes<decltype(keys), decltype(values)>> scratch;
    ///     cache.prefill(keys, values, scratch);   // keys, values: tensors or expressions [heads, rows, width]
    template <any_expression Key, any_expression Value, class Config = current_config>
    constexpr void prefill(const Key& k, const Value& v, std::size_t count = most_rows<Key>()) noexcept {
        write_on_stack<detail::prefilled<basic_kv_cache, Key, Value>, Config>(k, v, count);
    }
    template <any_expression Key, any_expression Value, std::size_t Bytes, class Config = current_config>
    constexpr void prefill(const Key& k, const Value& v, std::size_t count, workspace<Bytes>& scratch) noexcept {
        write_with<detail::prefilled<basic_kv_cache, Key, Value>, Config>(k, v, count, scratch);
    }
    template <any_expression Key, any_expression Value, std::size_t Bytes, class Config = current_config>
    constexpr void prefill(const Key& k, const Value& v, workspace<Bytes>& scratch) noexcept {
        write_with<detail::prefilled<basic_kv_cache, Key, Value>, Config>(k, v, most_rows<Key>(), scratch);
    }
    /// Bytes of scratch that `prefill` and `try_prefill` of a K and a V need.
    template <class Key, class Value, class Config = current_config>
    static constexpr std::size_t prefill_workspace_bytes =
        detail::prefilled<basic_kv_cache, std::remove_cvref_t<Key>, std::remove_cvref_t<Value>>::template bytes<Config>;

    /// The same if there is room; else false, and nothing is written.
    template <any_expression Key, any_expression Value, class Config = current_config>
    [[nodiscard]] constexpr bool try_prefill(const Key& k, const Value& v,
                                             std::size_t count = most_rows<Key>()) noexcept {
        if (count > room() || count > most_rows<Key>()) return false;
        prefill<Key, Value, Config>(k, v, count);
        return true;
    }
    template <any_expression Key, any_expression Value, std::size_t Bytes, class Config = current_config>
    [[nodiscard]] constexpr bool try_prefill(const Key& k, const Value& v, std::size_t count,
                                             workspace<Bytes>& scratch) noexcept {
        if (count > room() || count > most_rows<Key>()) return false;
        prefill<Key, Value, Bytes, Config>(k, v, count, scratch);
        return true;
    }

    /// Forgets all rows but the first `kept` and prefills others after these; there must be room for all (asserted). It
    /// evaluates at most Capacity rows at once, into the cache, so it needs less scratch than `prefill`:
    /// refill_workspace_bytes<Key, Value>.
    ///
    ///     cache.refill(keys, values);
    template <any_expression Key, any_expression Value, class Config = current_config>
    constexpr void refill(const Key& k, const Value& v, std::size_t count = most_rows<Key>(),
                          std::size_t kept = 0) noexcept {
        keep_rows<Key>(kept);
        write_on_stack<detail::refilled<basic_kv_cache, Key, Value>, Config>(k, v, count);
    }
    template <any_expression Key, any_expression Value, std::size_t Bytes, class Config = current_config>
    constexpr void refill(const Key& k, const Value& v, std::size_t count, workspace<Bytes>& scratch,
                          std::size_t kept = 0) noexcept {
        keep_rows<Key>(kept);
        write_with<detail::refilled<basic_kv_cache, Key, Value>, Config>(k, v, count, scratch);
    }
    /// Bytes of scratch that `refill` of a K and a V needs.
    template <class Key, class Value, class Config = current_config>
    static constexpr std::size_t refill_workspace_bytes =
        detail::refilled<basic_kv_cache, std::remove_cvref_t<Key>, std::remove_cvref_t<Value>>::template bytes<Config>;

    /// The mask for queries of the last `rows` positions, which are in the cache already: a query keeps the keys up to
    /// its own position that the cache still has.
    ///
    ///     cache.prefill(keys, values);   // 32 rows
    ///     auto y = attention(queries, cache.keys(), cache.values(), cache.visible(32));
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto visible(std::size_t rows) const noexcept {
        ASHLAR_ASSERT(rows <= appended, "ashlar: kv_cache: visible: append the keys of the queries first");
        if constexpr (Order == cache_order::linear)
            return causal_at(static_cast<std::ptrdiff_t>(appended - rows));
        else
            return detail::cached_keys_mask<capacity>(appended, appended - rows, static_cast<std::size_t>(-1));
    }
    /// The same within a sliding window: a query keeps the `window` positions up to its own. A ring must still have
    /// those of the first query: window + rows - 1 is at most Capacity, unless nothing was overwritten (asserted).
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr auto visible(std::size_t rows, std::size_t window) const noexcept {
        ASHLAR_ASSERT(rows <= appended, "ashlar: kv_cache: visible: append the keys of the queries first");
        ASHLAR_ASSERT(
            appended <= capacity || window + rows - 1 <= capacity,
            "ashlar: kv_cache: visible: the window of the first query has been overwritten; enlarge the ring");
        return detail::cached_keys_mask<capacity>(appended, appended - rows, window);
    }

    /// Attention of the latest queries to the cache, lazily: q is [query heads, KeyWidth] for the last position, or
    /// [query heads, rows, KeyWidth] for the last `rows`; query heads are a multiple of Heads and grouped in order. The
    /// result has q's shape with ValueWidth as its last extent. Options are those of `attention` except a mask, for
    /// scores [query heads, rows, Capacity].
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
                attention(reshape<Heads, group, KeyWidth>(std::forward<Query>(q)), keys(), values(),
                          keys_below(length()), std::forward<Options>(options)...));
        } else {
            return ashlar::detail::reshape_to<attended<query>>(
                attention(reshape<query::extents[0], 1, KeyWidth>(std::forward<Query>(q)), keys(), values(),
                          keys_below(length()), std::forward<Options>(options)...));
        }
    }
    template <any_expression Query, class... Options>
    void attend(  // ashlar: kv_cache: a view of a temporary would dangle; name the cache first
        Query&& q, Options&&... options) const&& = delete;

private:
    template <class Query>
    using attended = decltype(ashlar::detail::with_dimension<Query, Query::rank - 1, ValueWidth>());

    template <class Key>
    static consteval std::size_t most_rows() {
        return detail::rows_of<shape_of<Key>, heads, key_width>();
    }

    template <class Key>
    ASHLAR_ALWAYS_INLINE constexpr void keep_rows(std::size_t kept) noexcept {
        ASHLAR_ASSERT(kept == 0 || (kept <= appended && appended <= capacity && kept + most_rows<Key>() <= capacity),
                      "ashlar: kv_cache: refill after rows that do not exist, or beyond the capacity");
        appended = kept;
    }

    /// In a constant expression elements must be written before they are read, so an empty cache is filled with zeros.
    ASHLAR_ALWAYS_INLINE constexpr void begin_rows() noexcept {
        if (__builtin_is_constant_evaluated() && appended == 0) {
            key_columns = {};
            value_rows = {};
            if constexpr (scales_type::are_needed) scales.of_keys = scales.of_values = {};
        }
    }

    static constexpr std::ptrdiff_t column = key_stride, block_matrix = key_stride * key_width,
                                    key_matrix = key_blocks * key_stride * key_width,
                                    value_matrix = capacity * value_width, value_row = value_width;

    template <class Rows, class Config, class Key, class Value>
    ASHLAR_ALWAYS_INLINE constexpr void write_on_stack(const Key& k, const Value& v, std::size_t count) noexcept {
        if constexpr (can_write<Key, Value>()) {
            constexpr bool fits =
                detail::held_on_stack<Rows::held, Rows::template scratch<Config>, Config::stack_budget>::fits;
            static_assert(
                detail::held_on_stack<Rows::held, Rows::template scratch<Config>, Config::stack_budget>::fits,
                "ashlar: kv_cache: computed rows, or their scratch, exceed ASHLAR_STACK_BUDGET; pass a workspace, of prefill_workspace_bytes<K, V>, or of remember_workspace_bytes<Memory, Cache> where a decoder remembers");
            if constexpr (fits) write_counted<Rows, Config>(k, v, count, detail::stack_scratch{});
        }
    }
    template <class Rows, class Config, class Key, class Value, std::size_t Bytes>
    ASHLAR_ALWAYS_INLINE constexpr void write_with(const Key& k, const Value& v, std::size_t count,
                                                   workspace<Bytes>& scratch) noexcept {
        if constexpr (can_write<Key, Value>()) {
            constexpr bool suffices = ashlar::detail::workspace_size<Bytes, Rows::template bytes<Config>>::suffices;
            static_assert(
                ashlar::detail::workspace_size<Bytes, Rows::template bytes<Config>>::suffices,
                "ashlar: kv_cache: the workspace is too small; it needs prefill_workspace_bytes<K, V>, or remember_workspace_bytes<Memory, Cache> where a decoder remembers");
            if constexpr (suffices) write_counted<Rows, Config>(k, v, count, detail::workspace_scratch{scratch.bytes});
        }
    }
    template <class Key, class Value>
    static consteval bool can_write() {
        constexpr std::size_t rows = detail::rows_of<shape_of<Key>, heads, key_width>(),
                              value_count = detail::rows_of<shape_of<Value>, heads, value_width>();
        static_assert(
            detail::cached_rows<shape_of<Key>, heads, key_width>::fit,
            "ashlar: kv_cache: keys must be [heads, rows, width] or [rows, heads * width]; reshape or permute");
        static_assert(
            detail::cached_rows<shape_of<Value>, heads, value_width>::fit,
            "ashlar: kv_cache: values must be [heads, rows, width] or [rows, heads * width]; reshape or permute");
        static_assert(detail::prefilled_rows<rows, value_count>::match,
                      "ashlar: kv_cache: there must be as many rows of keys as of values; slice one");
        return rows != 0 && rows == value_count;
    }
    template <class Rows, class Config, class Key, class Value, class Scratch>
    constexpr void write_counted(const Key& k, const Value& v, std::size_t count, const Scratch& scratch) noexcept {
        constexpr std::size_t rows = Rows::rows;
        ASHLAR_ASSERT(count <= rows, "ashlar: kv_cache: prefill of more rows than were given");
        ASHLAR_ASSERT(count <= room(),
                      "ashlar: kv_cache: prefill beyond the capacity; clear the cache, or use try_prefill");
        const auto key_rows = detail::rows_first<heads, key_width, rows>(k);
        const auto new_values = detail::rows_first<heads, value_width, rows>(v);
        const std::size_t first = appended % capacity;
        // Rows after `count` must not overwrite an earlier row.
        const bool fits = appended + rows <= capacity || (count == rows && first + rows <= capacity);
        begin_rows();
        appended += count;
        if constexpr (Rows::at_once)
            if (!Rows::one_by_one || fits) {
                write_rows<Rows, Config>(first, key_rows, new_values, scratch);
                return;
            }
        if constexpr (Rows::one_by_one) {
            // Rows that would be overwritten at once are skipped.
            const std::size_t from = count > capacity ? count - capacity : 0;
            scratch.template with_values<Config>(key_rows, [&](const auto& values, const auto&) ASHLAR_LAMBDA_INLINE {
                for (std::size_t i = from; i < count; ++i) write_key<Config>((first + i) % capacity, row(values, i));
            });
            scratch.template with_values<Config>(new_values, [&](const auto& values, const auto&) ASHLAR_LAMBDA_INLINE {
                for (std::size_t i = from; i < count; ++i) write_value<Config>((first + i) % capacity, row(values, i));
            });
        }
    }

    /// The offset of a key's first element.
    [[nodiscard]] ASHLAR_ALWAYS_INLINE constexpr stored_type* key_at(std::size_t slot) noexcept {
        return key_columns.data() + slot / key_block * static_cast<std::size_t>(block_matrix) + slot % key_block;
    }

    template <class Config, class Key, class Value>
    ASHLAR_ALWAYS_INLINE constexpr void write_row(std::size_t slot, const Key& k, const Value& v) noexcept {
        write_key<Config>(slot, k);
        write_value<Config>(slot, v);
    }
    template <class Config, class Value>
    ASHLAR_ALWAYS_INLINE constexpr void write_value(std::size_t slot, const Value& v) noexcept {
        constexpr auto strides = ashlar::detail::spelled_out(std::array{value_matrix, std::ptrdiff_t{1}});
        strided_view<stored_type, strides, heads, value_width> to{value_rows.data() + slot * value_width};
        if constexpr (scales_type::are_needed)
            detail::write_rounded<Config, capacity>(to, scales.of_values.data() + slot, v);
        else
            to = v;
    }
    template <class Config, class Key>
    ASHLAR_ALWAYS_INLINE constexpr void write_key(std::size_t slot, const Key& k) noexcept {
        constexpr auto strides = ashlar::detail::spelled_out(std::array{key_matrix, column});
        strided_view<stored_type, strides, heads, key_width> to{key_at(slot)};
        if constexpr (scales_type::are_needed)
            detail::write_rounded<Config, capacity>(to, scales.of_keys.data() + slot, k);
        else
            to = k;
    }
    /// Writes all rows contiguously from a slot on.
    template <class Rows, class Config, class Key, class Value, class Scratch>
    ASHLAR_ALWAYS_INLINE constexpr void write_rows(std::size_t slot, const Key& k, const Value& v,
                                                   const Scratch& scratch) noexcept {
        stored_type* const new_values = value_rows.data() + slot * value_width;
        if constexpr (Rows::way == detail::key_way::direct) {
            scratch.template write<Config>(typename Rows::direct_keys{key_at(slot)}, k);
        } else if constexpr (Rows::way == detail::key_way::copied) {
            copy_keys<Config>(slot, k);
        } else if constexpr (Rows::way == detail::key_way::waiting) {
            typename Rows::waiting_keys waiting{new_values};
            scratch.template write<Config>(waiting, k);
            copy_keys<Config>(slot, waiting);
        } else {
            scratch.template with_values<Config>(k, [&](const auto& values, const auto&)
                                                        ASHLAR_LAMBDA_INLINE { copy_keys<Config>(slot, values); });
        }
        scratch.template write<Config>(typename Rows::values{new_values}, v);
    }
    /// Copies keys [rows, heads, width] from memory: whole blocks at once, others one by one.
    template <class Config, class Key>
    constexpr void copy_keys(std::size_t slot, const Key& k) noexcept {
        constexpr std::size_t rows = Key::extents[0];
        constexpr auto from =
            ashlar::detail::spelled_out(std::array{Key::strides[1], Key::strides[2], Key::strides[0]});
        constexpr auto to = ashlar::detail::spelled_out(std::array{key_matrix, column, std::ptrdiff_t{1}});
        for (std::size_t i = 0; i < rows;) {
            if constexpr (rows >= key_block)
                if ((slot + i) % key_block == 0 && rows - i >= key_block) {
                    strided_view<stored_type, to, heads, key_width, key_block>{key_at(slot + i)} =
                        strided_view<const typename Key::value_type, from, heads, key_width, key_block>{
                            k.data() + static_cast<std::ptrdiff_t>(i) * Key::strides[0]};
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
