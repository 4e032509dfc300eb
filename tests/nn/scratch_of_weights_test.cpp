// SPDX-License-Identifier: BSL-1.0
// Prefill, remember and append of modules with weights of all types, in workspaces of exactly the required size: the
// caches equal those with scratch on the stack.
#include <cstring>

#include <gtest/gtest.h>

#include <ashlar/nn.hpp>

#include "support/executors.hpp"
#include "support/reference.hpp"

namespace {

using namespace ashlar;

template <class Weight>
struct scratch_of_weights : testing::Test {
    static constexpr std::size_t rows = 70, embed = 16;
    static inline nn::linear<{.in = embed, .out = embed}, float, Weight> linear;
    static inline nn::decoder_layer<{.embed = embed, .heads = 2, .hidden = 8}, float, Weight> decoder;
    static inline nn::encoder_layer<{.embed = embed, .heads = 2, .hidden = 8, .norm_first = true}, float, Weight>
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

    /// The first rows of each head.
    [[gnu::noinline]] static void expect_rows(const reference::array& found, const reference::array& expected,
                                              std::size_t length) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            const std::size_t r = i / found.extents[2] % found.extents[1];
            if (r < length) {
                ASSERT_EQ(found.values[i], expected.values[i]) << r;
            }
        }
    }
    /// Has both fill a cache with all rows or some, after others.
    template <class Cache, std::size_t Bytes, class OnStack, class InWorkspace>
    static void compare(const OnStack& on_stack, const InWorkspace& in_workspace) {
        static Cache expected, found;
        static support::guarded_workspace<Bytes> own;
        for (const std::size_t before : {std::size_t{0}, std::size_t{2}}) {
            for (Cache* const c : {&expected, &found}) {
                std::memset(static_cast<void*>(c), 0xff, sizeof *c);
                c->clear();
                for (std::size_t i = 0; i < before; ++i) c->append(row(x, i), row(x, i));
            }
            on_stack(expected);
            in_workspace(found, own.scratch);
            EXPECT_TRUE(own.is_whole());
            ASSERT_EQ(found.length(), expected.length());
            EXPECT_GT(found.length(), 2u);
            expect_rows(reference::of(eval(found.keys())), reference::of(eval(expected.keys())), found.length());
            expect_rows(reference::of(eval(found.values())), reference::of(eval(expected.values())), found.length());
        }
    }
    template <class Cache>
    static void compare_prefill() {
        using projected = decltype(linear(x));
        compare<Cache, Cache::template prefill_workspace_bytes<projected, projected>>(
            [](auto& c) { c.prefill(linear(x), linear(x), 41); },
            [](auto& c, auto& s) { c.prefill(linear(x), linear(x), 41, s); });
    }
    template <class Cache>
    static void compare_others() {
        using projected = decltype(linear(x));
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
using weights = testing::Types<float, bf16, std::int8_t>;
TYPED_TEST_SUITE(scratch_of_weights, weights);

TYPED_TEST(scratch_of_weights, into_caches) {
    using block = nn::kv_cache<float, 72, 2, 8>;
    using ring = nn::kv_cache<std::int8_t, 72, 2, 8, 8, nn::cache_order::ring>;
    this->template compare_prefill<block>();
    if constexpr (std::is_same_v<TypeParam, float>) this->template compare_others<block>();
    if constexpr (std::is_same_v<TypeParam, std::int8_t>) {
        this->template compare_prefill<ring>();
        this->template compare_others<ring>();
    }
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
    constexpr std::size_t extent = scratch_of_weights<TypeParam>::rows, width = scratch_of_weights<TypeParam>::embed;
    if constexpr (std::is_same_v<TypeParam, bf16>) {
        static tensor<float, width, extent> turned;
        expect_same(transpose(turned), this->linear(this->x));
    } else {
        static tensor<float, extent, 2 * width> wide;
        expect_same(slice<1, 0, width>(wide), this->linear(this->x));
    }
}

}  // namespace
