// SPDX-License-Identifier: BSL-1.0
// The cases, in the order of the table.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "problem.hpp"

namespace ashlar::bench {

/// A problem with the name that filters match. `quick` cases run by default, the others with --all or a filter.
struct bench_case {
    std::string_view name;
    problem what;
    bool quick = true;
};

namespace detail {

consteval bench_case attention(std::string_view name, std::size_t rows, std::size_t depth, bool quick = true,
                               mask_kind mask = mask_kind::full, std::size_t window = 0) {
    return {name, {operation::attention, rows, rows, depth, mask, window}, quick};
}
consteval bench_case chained(std::string_view name, std::size_t rows, std::size_t depth) {
    bench_case c = attention(name, rows, depth, false);
    c.what.chained = true;
    return c;
}
consteval bench_case decode(std::string_view name, std::size_t keys, std::size_t depth) {
    return {name, {operation::attention, 1, keys, depth}};
}
/// The same from a cache, for queries that share a head of keys.
consteval bench_case cached(std::string_view name, std::size_t queries, std::size_t keys, std::size_t depth,
                            bool quick = true) {
    bench_case c{name, {operation::attention, queries, keys, depth}, quick};
    c.what.cached = true;
    return c;
}
consteval bench_case product(std::string_view name, std::size_t m, std::size_t n, std::size_t k, bool quick = true) {
    return {name, {operation::matmul, m, k, n}, quick};
}
consteval bench_case transposed(bench_case c) {
    c.what.transposed = true;
    return c;
}
consteval bench_case doubles(bench_case c) {
    c.what.doubles = true;
    return c;
}
consteval bench_case rows(std::string_view name, operation op, std::size_t rows, std::size_t cols, bool quick = true) {
    return {name, {op, rows, 1, cols}, quick};
}

}  // namespace detail

/// Products are named rows x columns x depth, attention queries x head size.
inline constexpr std::array all_cases{
    detail::attention("attention/16x16", 16, 16),
    detail::attention("attention/32x32", 32, 32),
    detail::attention("attention/64x64", 64, 64),
    detail::attention("attention/128x64", 128, 64),
    detail::attention("attention/512x64", 512, 64, false),
    detail::attention("attention/1024x64", 1024, 64),
    detail::attention("attention/256x128", 256, 128),
    detail::attention("causal/64x64", 64, 64, true, mask_kind::causal),
    detail::attention("causal/128x64", 128, 64, true, mask_kind::causal),
    detail::attention("causal/1024x64", 1024, 64, true, mask_kind::causal),
    detail::attention("window/1024x64/128", 1024, 64, true, mask_kind::window, 128),
    detail::attention("ragged/17x16", 17, 16),
    detail::attention("ragged/31x32", 31, 32, false),
    detail::attention("ragged/49x32", 49, 32),
    detail::attention("ragged/50x64", 50, 64),
    detail::attention("ragged/65x64", 65, 64, false),
    detail::attention("ragged/24x64", 24, 64, false),
    detail::attention("ragged/100x24", 100, 24),
    detail::attention("tiny/4x8", 4, 8),
    detail::attention("tiny/8x8", 8, 8),
    detail::attention("tiny/10x4", 10, 4),
    detail::attention("tiny/8x32", 8, 32),
    detail::chained("chained/4x8", 4, 8),
    detail::chained("chained/8x8", 8, 8),
    detail::decode("decode/128x64", 128, 64),
    detail::decode("decode/1024x64", 1024, 64),
    detail::decode("decode/4096x64", 4096, 64),
    detail::cached("cached/128x64", 1, 128, 64),
    detail::cached("cached/1024x64", 1, 1024, 64),
    detail::cached("cached/4096x64", 1, 4096, 64),
    detail::cached("cached/1024x64/group2", 2, 1024, 64),
    detail::product("matmul/16x16x16", 16, 16, 16),
    detail::product("matmul/32x32x32", 32, 32, 32),
    detail::product("matmul/64x64x64", 64, 64, 64),
    detail::transposed(detail::product("matmul/64x64x64/transposed", 64, 64, 64)),
    detail::doubles(detail::product("matmul/64x64x64/f64", 64, 64, 64)),
    detail::product("matmul/100x100x100", 100, 100, 100),
    detail::product("matmul/49x49x32", 49, 49, 32),
    detail::product("matmul/17x17x16", 17, 17, 16),
    detail::product("matmul/8x64x64", 8, 64, 64),
    detail::product("matmul/4x64x64", 4, 64, 64, false),
    detail::product("matmul/2x64x64", 2, 64, 64, false),
    detail::product("matmul/1x64x64", 1, 64, 64),
    detail::product("matmul/1x128x64", 1, 128, 64),
    detail::product("matmul/128x384x384", 128, 384, 384),
    detail::product("matmul/128x1152x384", 128, 1152, 384, false),
    detail::product("matmul/128x1536x384", 128, 1536, 384, false),
    bench_case{"feed_forward/128x384x1536", {operation::feed_forward, 128, 1536, 384}},
    detail::rows("softmax/64x64", operation::softmax, 64, 64),
    detail::rows("softmax/256x384", operation::softmax, 256, 384),
    detail::rows("layer_norm/16x384", operation::layer_norm, 16, 384),
    detail::rows("layer_norm/256x384", operation::layer_norm, 256, 384),
    detail::rows("chain/4096", operation::chain, 1, 4096),
    detail::rows("chain/49152", operation::chain, 1, 49152),
    detail::rows("chain/1048576", operation::chain, 1, 1048576),
};

namespace detail {

/// The first part of a case's name.
constexpr std::string_view kind_of(const bench_case& c) { return c.name.substr(0, c.name.find('/')); }

consteval bool is_first_of_its_kind(std::size_t index) {
    for (std::size_t i = 0; i < index; ++i)
        if (kind_of(all_cases[i]) == kind_of(all_cases[index])) return false;
    return true;
}

consteval std::size_t count_kinds() {
    std::size_t count = 0;
    for (std::size_t i = 0; i < all_cases.size(); ++i) count += is_first_of_its_kind(i);
    return count;
}

/// One case of each kind.
consteval std::array<bench_case, count_kinds()> few_cases() {
    std::array<bench_case, count_kinds()> few{};
    std::size_t count = 0;
    for (std::size_t i = 0; i < all_cases.size(); ++i)
        if (is_first_of_its_kind(i)) few[count++] = all_cases[i];
    return few;
}

}  // namespace detail

/// What this build can measure: everything, or with ASHLAR_BENCH_FEW one case of each kind, which is built in a minute.
#if ASHLAR_BENCH_FEW
inline constexpr std::array cases = detail::few_cases();
#else
inline constexpr const auto& cases = all_cases;
#endif
inline constexpr std::size_t case_count = cases.size();

/// One run of a problem, `calls` times in a row. Peers with static shapes instantiate one function per case.
using kernel = void (*)(const operands&, std::size_t calls);

/// For each case a function or null: what `Table::template kernel_for<problem>()` gives.
template <class Table>
constexpr std::array<kernel, case_count> kernels_for_cases() {
    return []<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<kernel, case_count>{Table::template kernel_for<cases[I].what>()...};
    }(std::make_index_sequence<case_count>{});
}

}  // namespace ashlar::bench
