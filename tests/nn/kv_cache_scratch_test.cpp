// SPDX-License-Identifier: BSL-1.0
// Prefills larger than the stack budget: written where they belong, or held in a workspace of the caller's.
#include <cmath>

#include <gtest/gtest.h>
#include <tests/support/caches.hpp>
#include <tests/support/executors.hpp>

#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;
using support::guarded_workspace;

/// Element i of a head of the row at a position, in a cache.
template <class Cache>
double key_of(const Cache& c, std::size_t position, std::size_t head, std::size_t i) {
    const std::size_t slot = position % Cache::capacity;
    return static_cast<double>(c.key_columns(head, slot / Cache::key_block, i, slot % Cache::key_block));
}
template <class Cache>
double value_of(const Cache& c, std::size_t position, std::size_t head, std::size_t i) {
    return static_cast<double>(c.value_rows(head, position % Cache::capacity, i));
}

template <std::size_t Source, std::size_t Embed, std::size_t Heads>
void check_remembering() {
    static_assert(Source * Embed * sizeof(float) > current_config::stack_budget);
    constexpr std::size_t width = Embed / Heads;
    using cache = nn::kv_cache<float, Source, Heads, width>;
    static nn::decoder<{.layer = {.embed = Embed, .heads = Heads, .hidden = 8}, .layers = 2}> decoder;
    static std::array<cache, 2> memories;
    static tensor<float, Source, Embed> memory;
    nn::init::generator weights(1);
    nn::init::reset_parameters(decoder, weights);
    for (auto& layer : decoder.layers) {
        layer.multihead_attn.key.bias = 0.5f;
        layer.multihead_attn.value.bias = -0.25f;
    }
    support::random_numbers(14).fill_normal(memory);
    for (cache& m : memories) support::spoil(m);
    const auto expect_near = [&](double found, const auto& linear, std::size_t r, std::size_t c, double factor) {
        double sum = 0;
        for (std::size_t i = 0; i < Embed; ++i)
            sum += static_cast<double>(memory(r, i)) * static_cast<double>(linear.weight(i, c));
        const double wanted = factor * sum + static_cast<double>(linear.bias(c));
        ASSERT_NEAR(found, wanted, 1e-4 * (1 + std::abs(wanted))) << r << ' ' << c;
    };
    // The caches hold projections of the first `count` rows of `factor` times the memory. Then they are spoiled.
    const auto expect_rows = [&](std::size_t count, double factor) {
        for (std::size_t layer = 0; layer < 2; ++layer) {
            ASSERT_EQ(memories[layer].length(), count);
            const auto& a = decoder.layers[layer].multihead_attn;
            for (std::size_t r = 0; r < count; r += r < 70 ? 1 : 13)
                for (std::size_t c = 0; c < Embed; ++c) {
                    expect_near(key_of(memories[layer], r, c / width, c % width), a.key, r, c, factor);
                    expect_near(value_of(memories[layer], r, c / width, c % width), a.value, r, c, factor);
                }
            support::spoil(memories[layer]);
        }
    };
    decoder.remember(memory, memories);
    expect_rows(Source, 1);
    decoder.remember(memory, memories, Source - 59);
    expect_rows(Source - 59, 1);

    constexpr std::size_t bytes = decltype(decoder)::template remember_workspace_bytes<decltype(memory), cache>;
    static_assert(bytes <= 128 * 1024, "only a tile of keys waits in scratch");
    static guarded_workspace<bytes> own;
    decoder.remember(memory, memories, own.scratch);
    expect_rows(Source, 1);
    EXPECT_TRUE(own.is_whole());

    // A memory that is computed is held in the workspace.
    constexpr std::size_t more = decltype(decoder)::template remember_workspace_bytes<decltype(memory * 2.0f), cache>;
    static_assert(more >= sizeof memory && more <= sizeof memory + bytes + 64);
    static guarded_workspace<more> large;
    decoder.remember(memory * 2.0f, memories, Source - 1, large.scratch);
    expect_rows(Source - 1, 2);
    EXPECT_TRUE(large.is_whole());
}

TEST(remember, more_than_the_stack_holds_in_blocks_of_keys) {
    static_assert(nn::kv_cache<float, 320, 4, 64>::key_blocks == 5);
    check_remembering<320, 256, 4>();
}
TEST(remember, more_than_the_stack_holds_in_one_block) {
    static_assert(nn::kv_cache<float, 1500, 2, 32>::key_blocks == 1);
    check_remembering<1500, 64, 2>();
}

/// Rows as projections have them, whose element (r, c) is r * Columns + c.
template <std::size_t Rows, std::size_t Columns>
const auto numbered = [] {
    tensor<float, Rows, Columns> t;
    for (std::size_t i = 0; i < t.size(); ++i) t.data()[i] = static_cast<float>(i);
    return t;
}();

template <class Cache, std::size_t Rows>
void check_prefill(std::size_t before, std::size_t count) {
    constexpr std::size_t heads = Cache::heads, kw = Cache::key_width, vw = Cache::value_width;
    static Cache cache{};
    const auto keys = numbered<Rows, heads * kw> + 1.0f;
    const auto values = numbered<Rows, heads * vw> - 1.0f;
    using key_type = std::remove_const_t<decltype(keys)>;
    using value_type = std::remove_const_t<decltype(values)>;
    static guarded_workspace<Cache::template prefill_workspace_bytes<key_type, value_type>> own;
    cache.clear();
    support::spoil(cache);
    for (std::size_t i = 0; i < before; ++i) cache.append(zeros<float, heads, kw>(), zeros<float, heads, vw>());
    cache.prefill(keys, values, count, own.scratch);
    EXPECT_TRUE(own.is_whole());
    ASSERT_EQ(cache.position(), before + count);
    for (std::size_t r = count > Cache::capacity ? count - Cache::capacity : 0; r < count; ++r)
        for (std::size_t h = 0; h < heads; ++h) {
            for (std::size_t i = 0; i < kw; ++i)
                ASSERT_EQ(key_of(cache, before + r, h, i), static_cast<double>((r * heads + h) * kw + i + 1)) << r;
            for (std::size_t i = 0; i < vw; ++i)
                ASSERT_EQ(value_of(cache, before + r, h, i), static_cast<double>((r * heads + h) * vw + i) - 1) << r;
        }
}

TEST(prefill, with_a_workspace_at_once) {
    check_prefill<nn::kv_cache<float, 640, 2, 128>, 320>(0, 320);
    check_prefill<nn::kv_cache<float, 640, 2, 128>, 320>(100, 320);
    check_prefill<nn::kv_cache<float, 640, 2, 128, 16>, 320>(7, 320);  // keys are wider: they have nowhere else to wait
}
TEST(prefill, with_a_workspace_row_by_row) {
    check_prefill<nn::kv_cache<float, 640, 2, 128>, 600>(100, 500);  // what is counted fits, and all does not
    check_prefill<nn::kv_cache<float, 320, 2, 128, 128, nn::cache_order::ring>, 700>(5, 700);
}

constexpr bool refilled_in_a_constant_expression() {
    nn::kv_cache<float, 4, 1, 2> cache{};
    workspace<64 * 1024> scratch{};
    const tensor<float, 3, 2> k{{1, 2}, {3, 4}, {5, 6}};
    cache.append(row(k, 1), row(k, 1));
    cache.prefill(k * 2.0f, k + 1.0f, 3, scratch);
    cache.refill(k * 2.0f, k + 1.0f, 2, scratch);
    return cache.length() == 2 && cache.keys()(0, 1, 1) == 8 && cache.values()(0, 0, 1) == 3;
}
static_assert(refilled_in_a_constant_expression());

}  // namespace
