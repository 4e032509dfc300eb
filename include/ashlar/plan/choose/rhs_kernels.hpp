// SPDX-License-Identifier: BSL-1.0
// The kernels of products with columns in lanes and a row-major right operand, beside `product`, and when they serve.
//
// A kernel is a struct in kernel/product/ with
//   text(prefetches)                      what `explain` says
//   table_bytes(shape, k_parts, machine)  scratch
//   run<Element, Config, shape, k_parts, prefetches>(s, v, epilogue, scratch, last_block)
// It computes the row blocks below `last_block` over the whole depth, in `k_parts` parts, each in the order of
// `product`. Between parts sums wait in the result.
#pragma once

#include <numeric>
#include <tuple>
#include <type_traits>

#include <ashlar/kernel/memory/prefetch.hpp>
#include <ashlar/kernel/product/copying_rhs.hpp>
#include <ashlar/kernel/product/product_cut.hpp>
#include <ashlar/kernel/product/streamed_product.hpp>
#include <ashlar/plan/choose/stage_facts.hpp>

namespace ashlar::inline v0_1::detail {

/// Kernels by number, from 1; 0 is `product`.
template <class... Kernels>
struct kernel_list {
    template <class Kernel>
    static constexpr std::uint8_t number = [] {
        std::uint8_t n = 0;
        [[maybe_unused]] const bool found = ((++n, std::is_same_v<Kernel, Kernels>) || ...);
        return n;
    }();
    template <std::size_t Number>
    using at = std::tuple_element_t<Number - 1, std::tuple<Kernels...>>;
    /// f(the kernel with this number), which is not 0.
    template <class Function>
    static constexpr auto visit(std::size_t n, Function f) {
        std::common_type_t<decltype(f(Kernels{}))...> result{};
        [[maybe_unused]] const bool found = ((--n == 0 && (result = f(Kernels{}), true)) || ...);
        return result;
    }
};
using rhs_kernels = kernel_list<copied_rows, streamed_rows>;

struct rhs_choice {
    std::uint8_t kernel = 0;
    std::size_t k_parts = 1;
    bool prefetches = false;
};

/// Rows that suffice to hide prefetches of columns of a row-major right operand.
inline constexpr std::size_t least_streaming_rows = 6;

/// Rows from which copies of columns pay. 24 rows by 1,024 x 1,024 gain a sixth (Zen 5 with AVX2), 18 gain nothing, and
/// 12 lose a tenth.
inline constexpr std::size_t least_copying_rows = 24;

/// Distances in bytes of lines in the same cache set: of an L1 that is indexed within a page, and of an L2 with 1,024
/// sets.
inline constexpr std::size_t l1_way_bytes = 4 * 1024, l2_way_bytes = 64 * 1024;

/// Whether these rows compete for cache sets. Either L2 cannot hold a line of each row. Or all rows map to one set of
/// L1, each on another page, which also stops prefetchers. Or L1 cannot hold a line of each row, and they take more
/// than half of L2. 384 rows 4,608 bytes apart times 128 rows reach 97% of the peak instead of 87 (Zen 3). If most rows
/// stay in L2, copies cost what they save.
constexpr bool rows_compete(std::size_t rows, std::size_t distance_bytes, const machine& target) {
    const auto lines = [&](std::size_t cache_bytes, std::size_t way_bytes) {
        const std::size_t apart = std::gcd(distance_bytes, way_bytes);
        return cache_bytes / (apart < cache_line_bytes ? cache_line_bytes : apart);
    };
    return rows > lines(target.l2_bytes, l2_way_bytes) ||
           (distance_bytes % l1_way_bytes == 0 && rows > 2 * target.l1_bytes / l1_way_bytes) ||
           (rows > lines(target.l1_bytes, l1_way_bytes) && rows * distance_bytes > target.l2_bytes / 2);
}

/// Copies, if rows compete. A copy of a part of the depth takes three quarters of the L1.
constexpr rhs_choice copies_of_columns(std::size_t rows, const product_facts& product, const element_machine& on,
                                       bool beyond_l2) {
    // 32 registers make larger blocks, which read less: copies gain nothing.
    if (rows < least_copying_rows || on.target.registers >= 32 || on.target.small_code ||
        !on.target.fills_register(on.bytes, on.floating) || product.columns % product.width != 0 ||
        product.right_depth <= 0 ||
        !rows_compete(product.depth, static_cast<std::size_t>(product.right_depth) * on.bytes, on.target))
        return {};
    const std::size_t columns =
        product.width *
        choose_register_block(rows, product.columns / product.width, product.depth, on.target).vectors.large;
    // Parts of few steps would only load and store sums.
    const std::size_t fitting = on.target.l1_bytes / 4 * 3 / (columns * on.bytes), most = fitting < 32 ? 32 : fitting;
    return {rhs_kernels::number<copied_rows>, split_near_equal(product.depth, (product.depth + most - 1) / most).blocks,
            beyond_l2};
}

/// Streams, if rows hide the requests, blocks are whole cache lines or narrow, and one follows another. Two blocks of
/// columns of a part of the depth take half of the L2.
constexpr rhs_choice streams_of_columns(std::size_t rows, const product_facts& product, const machine& target) {
    if (rows < least_streaming_rows || product.columns % product.width != 0) return {};
    const register_block block = choose_register_block(rows, product.columns / product.width, product.depth, target);
    const std::size_t block_bytes = block.vectors.large * product.width * product.right_bytes;
    // Parts of few steps would only load and store sums.
    const std::size_t fitting = target.l2_bytes / 4 / block_bytes, most = fitting < 32 ? 32 : fitting;
    const std::size_t parts = (product.depth + most - 1) / most;
    // Several registers of narrow elements may end inside a line, which is then prefetched twice.
    if ((!product.right_is_narrow && block_bytes % cache_line_bytes != 0) || block.vectors.blocks == 1) return {};
    return {rhs_kernels::number<streamed_rows>, split_near_equal(product.depth, parts).blocks, true};
}

/// The first kernel that serves a product of these rows. Sums may wait only where nothing else reads or writes.
constexpr rhs_choice choose_rhs_kernel(std::size_t rows, const product_facts& product, const element_machine& on,
                                       bool beyond_l2, bool masked, bool sums_wait) {
    const auto serves = [&](const rhs_choice& how) { return how.kernel != 0 && (sums_wait || how.k_parts == 1); };
    if (!product.right_is_narrow && !masked)
        if (const rhs_choice how = copies_of_columns(rows, product, on, beyond_l2); serves(how)) return how;
    if (beyond_l2)
        if (const rhs_choice how = streams_of_columns(rows, product, on.target); serves(how)) return how;
    return {};
}

}  // namespace ashlar::detail
