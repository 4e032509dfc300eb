// SPDX-License-Identifier: BSL-1.0
// Prefill, remember and append of modules with weights of all types, in workspaces of exactly the required size: the
// caches equal those with scratch on the stack.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "support/executors.hpp"

namespace {

using namespace ashlar;

/// Makes the memory of a cache NaN.
template <class Cache>
void spoil_rows(Cache& c) {
    std::memset(static_cast<void*>(&c), 0xff, sizeof c);
}

template <class Weight>
struct scratch_of_weights : testing::Test {
    static constexpr std::size_t rows = 70, embed = 32;
    static inline nn::linear<{.in = embed, .out = embed}, float, Weight> linear;
    static inline nn::decoder_layer<{.embed = embed, .heads = 4, .hidden = 8}, float, Weight> decoder;
    static inline nn::encoder_layer<{.embed = embed, .heads = 4, .hidden = 8, .norm_first = true}, float, Weight>
        encoder;
    static inline tensor<float, rows, embed> x;
    static inline tensor<float, 5, embed> few;

    void SetUp() override {
        nn::init::generator random(3);
        nn::init::reset_parameters(linear, random);
        nn::init::reset_parameters(decoder, random);
        nn::init::reset_parameters(encoder, random);
        x = nn::init::randn<float, rows, embed>(random);
        few = nn::init::randn<float, 5, embed>(random);
    }

    /// Has both fill a cache with all rows or some, after others.
    template <class Cache, std::size_t Bytes, class OnStack, class InWorkspace>
    static void compare(const OnStack& on_stack, const InWorkspace& in_workspace) {
        static Cache expected, found;
        static support::guarded_workspace<Bytes> own;
        for (const std::size_t before : {std::size_t{0}, std::size_t{2}}) {
            spoil_rows(expected);
            spoil_rows(found);
            expected.clear();
            found.clear();
            for (std::size_t i = 0; i < before; ++i) {
                expected.append(row(x, i), row(x, i));
                found.append(row(x, i), row(x, i));
            }
            on_stack(expected);
            in_workspace(found, own.scratch);
            EXPECT_TRUE(own.is_whole());
            ASSERT_EQ(found.length(), expected.length());
            EXPECT_GT(found.length(), 2u);
            const auto keys = eval(expected.keys()), found_keys = eval(found.keys());
            const auto values = eval(expected.values()), found_values = eval(found.values());
            for (std::size_t h = 0; h < Cache::heads; ++h)
                for (std::size_t r = 0; r < found.length(); ++r)
                    for (std::size_t i = 0; i < Cache::key_width; ++i) {
                        ASSERT_EQ(found_keys(h, r, i), keys(h, r, i)) << r;
                        ASSERT_EQ(found_values(h, r, i), values(h, r, i)) << r;
                    }
        }
    }
    template <class Cache>
    static void compare_all() {
        using projected = decltype(linear(x));
        compare<Cache, Cache::template prefill_workspace_bytes<projected, projected>>(
            [](auto& c) { c.prefill(linear(x), linear(x), 41); },
            [](auto& c, auto& s) { c.prefill(linear(x), linear(x), 41, s); });
        compare<Cache, Cache::template refill_workspace_bytes<projected, projected>>(
            [](auto& c) { c.refill(linear(x), linear(x)); },
            [](auto& c, auto& s) { c.refill(linear(x), linear(x), rows, s); });
        compare<Cache, decltype(decoder)::template remember_workspace_bytes<decltype(x), Cache>>(
            [](auto& c) { decoder.remember(x, c, 41); }, [](auto& c, auto& s) { decoder.remember(x, c, 41, s); });
        compare<Cache, decltype(encoder)::template append_workspace_bytes<decltype(few), Cache>>(
            [](auto& c) { static_cast<void>(encoder.decode(few, c)); },
            [](auto& c, auto& s) { static_cast<void>(encoder.decode(few, c, s)); });
    }
};
using weights = testing::Types<float, bf16, f16, std::int8_t>;
TYPED_TEST_SUITE(scratch_of_weights, weights);

TYPED_TEST(scratch_of_weights, into_one_block_of_keys) { this->template compare_all<nn::kv_cache<float, 72, 4, 8>>(); }
TYPED_TEST(scratch_of_weights, into_a_ring_in_8_bits) {
    this->template compare_all<nn::kv_cache<std::int8_t, 72, 4, 8, 8, nn::cache_order::ring>>();
}

/// What an evaluation into a view with gaps takes.
template <class Destination, class Expression>
void expect_same(Destination destination, const Expression& e) {
    static support::guarded_workspace<workspace_bytes_into<Destination, Expression>> own;
    const auto expected = eval(e);
    evaluate(destination, e, own.scratch);
    EXPECT_TRUE(own.is_whole());
    EXPECT_TRUE(all(abs(destination - expected) < 1e-5f));
}
TYPED_TEST(scratch_of_weights, into_views) {
    constexpr std::size_t rows = scratch_of_weights<TypeParam>::rows, embed = scratch_of_weights<TypeParam>::embed;
    static tensor<float, rows, 2 * embed> wide;
    static tensor<float, embed, rows> turned;
    expect_same(slice<1, 0, embed>(wide), this->linear(this->x));
    expect_same(transpose(turned), this->linear(this->x));
}

}  // namespace
