// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys, for caches so small that few keys are several blocks.
#pragma once

#include <cstring>

#include <tests/support/differential.hpp>
#include <tests/support/plans.hpp>

namespace support::key_blocks {

using namespace ashlar;

/// This build for a machine with other caches.
template <std::size_t L1Bytes, std::size_t L2Bytes>
using with_caches = build_config<current_config::instruction_sets, current_config::register_bits,
                                 current_config::registers, 1024 * 1024, L1Bytes, L2Bytes, current_config::checks,
                                 current_config::fast_math, current_config::optimize_size>;
/// Blocks of 16 keys, and of up to 48 for a tile of 32 queries.
using small = with_caches<512, 512>;
using medium = with_caches<4 * 1024, 48 * 1024>;

/// Evaluates in blocks, into spoiled memory by a spoiled workspace, both with guards behind them.
template <class Config, class E>
auto evaluated(const E& e, std::source_location where) {
    constexpr std::size_t bytes = workspace_bytes<E, 1, Config>;
    struct guarded {
        workspace<bytes> scratch;
        std::byte behind_scratch[64];
        detail::value_tensor<E> result;
        std::byte behind_result[64];
    };
    static guarded memory;
    std::memset(static_cast<void*>(&memory), 0xff, sizeof memory);
    evaluate<detail::value_tensor<E>&, E, bytes, Config>(memory.result, e, memory.scratch);
    support::expect_guard(memory.behind_scratch, sizeof memory.behind_scratch, bytes, where);
    support::expect_guard(memory.behind_result, sizeof memory.behind_result, sizeof memory.result, where);
    return memory.result;
}
template <class Config = small, class E>
void check(const E& e, double tolerance = support::default_tolerance<element_of<E>>,
           std::source_location where = std::source_location::current()) {
    static_assert(keys_of_block<Config, E>() != 0, "the test is about blocks");
    const detail::value_tensor<E> expected = detail::constant_evaluate(e), actual = evaluated<Config>(e, where);
    support::expect_near_elements(actual.begin(), expected.begin(), actual.size(), actual.extents.data(),
                                  actual.extents.size(), tolerance, where);
}

template <auto... Dims>
auto numbers(unsigned seed) {
    return support::random_numbers(seed).normal<float, Dims...>();
}

}  // namespace support::key_blocks
