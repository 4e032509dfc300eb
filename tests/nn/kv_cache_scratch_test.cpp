// SPDX-License-Identifier: BSL-1.0
// Prefills larger than the stack budget: written where they belong, or held in a workspace of the caller's.
#include <cstring>

#include <tests/nn/state.hpp>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/transformers/decoder.hpp>

namespace {

using namespace ashlar;

constexpr std::size_t budget = current_config::stack_budget;

/// Scratch that is spoiled, and followed by bytes that nobody may write.
template <std::size_t Bytes>
struct guarded {
    workspace<Bytes> scratch;
    std::byte guard[64];

    guarded() { std::memset(static_cast<void*>(this), 0xff, sizeof *this); }
    bool is_intact() const {
        for (const std::byte b : guard)
            if (b != std::byte{0xff}) return false;
        return true;
    }
};

/// Makes the memory of a cache NaN.
template <class Cache>
void spoil(Cache& c) {
    support::spoil(c.key_columns);
    support::spoil(c.value_rows);
}

/// Element (row, head * Width + i) of rows of keys or values in a cache: the row at `position`.
template <class Cache>
double key_of(const Cache& c, std::size_t position, std::size_t head, std::size_t i) {
    const std::size_t slot = position % Cache::capacity;
    return static_cast<double>(c.key_columns(head, slot / Cache::key_block, i, slot % Cache::key_block));
}
template <class Cache>
double value_of(const Cache& c, std::size_t position, std::size_t head, std::size_t i) {
    return static_cast<double>(c.value_rows(head, position % Cache::capacity, i));
}

/// What a projection makes of the rows of x, by hand.
template <class X, class Linear>
double projected(const X& x, const Linear& l, std::size_t row, std::size_t column) {
    double sum = static_cast<double>(l.bias(column));
    for (std::size_t d = 0; d < X::extents[1]; ++d)
        sum += static_cast<double>(x(row, d)) * static_cast<double>(l.weight(d, column));
    return sum;
}

template <std::size_t Source, std::size_t Embed, std::size_t Heads>
struct remembering {
    static constexpr std::size_t width = Embed / Heads;
    nn::decoder<{.layer = {.embed = Embed, .heads = Heads, .hidden = 8}, .layers = 2}> decoder;
    std::array<nn::kv_cache<float, Source, Heads, width>, 2> memories;
    tensor<float, Source, Embed> memory;

    void fill() {
        state::randomise(decoder);
        support::random_numbers random(14);
        random.fill_normal(memory);
        for (auto& m : memories) spoil(m);
    }
    /// The cache of a layer holds the first `count` rows of Factor times the memory.
    void expect_rows(std::size_t count, double factor = 1) const {
        for (std::size_t layer = 0; layer < 2; ++layer) {
            ASSERT_EQ(memories[layer].length(), count);
            const auto& a = decoder.layers[layer].multihead_attn;
            for (std::size_t r = 0; r < count; r += r < 70 ? 1 : 13)
                for (std::size_t c = 0; c < Embed; ++c) {
                    const double k = static_cast<double>(a.key.bias(c)), v = static_cast<double>(a.value.bias(c));
                    const double key = k + factor * (projected(memory, a.key, r, c) - k),
                                 value = v + factor * (projected(memory, a.value, r, c) - v);
                    ASSERT_NEAR(key_of(memories[layer], r, c / width, c % width), key, 1e-4 * (1 + std::abs(key)))
                        << r << ' ' << c;
                    ASSERT_NEAR(value_of(memories[layer], r, c / width, c % width), value, 1e-4 * (1 + std::abs(value)))
                        << r << ' ' << c;
                }
        }
    }
};

template <std::size_t Source, std::size_t Embed, std::size_t Heads>
void check_remembering() {
    static_assert(Source * Embed * sizeof(float) > budget);
    static remembering<Source, Embed, Heads> m{};
    using cache = typename decltype(m.memories)::value_type;
    m.fill();
    m.decoder.remember(m.memory, m.memories);
    m.expect_rows(Source);
    m.decoder.remember(m.memory, m.memories, Source - 59);
    m.expect_rows(Source - 59);

    constexpr std::size_t bytes = decltype(m.decoder)::template remember_workspace_bytes<decltype(m.memory), cache>;
    static_assert(bytes <= 128 * 1024, "only a tile of keys waits in scratch");
    static guarded<bytes> own;
    m.fill();
    m.decoder.remember(m.memory, m.memories, own.scratch);
    m.expect_rows(Source);
    EXPECT_TRUE(own.is_intact());

    // A memory that is computed is held in the workspace.
    using twice = decltype(m.memory * 2.0f);
    constexpr std::size_t more = decltype(m.decoder)::template remember_workspace_bytes<twice, cache>;
    static_assert(more >= Source * Embed * sizeof(float) && more <= Source * Embed * sizeof(float) + bytes + 64);
    static guarded<more> large;
    m.fill();
    m.decoder.remember(m.memory * 2.0f, m.memories, Source - 1, large.scratch);
    m.expect_rows(Source - 1, 2);
    EXPECT_TRUE(large.is_intact());
}

TEST(remember, more_than_the_stack_holds_in_blocks_of_keys) {
    static_assert(nn::kv_cache<float, 320, 4, 64>::key_blocks == 5);
    check_remembering<320, 256, 4>();
}
TEST(remember, more_than_the_stack_holds_in_one_block) {
    static_assert(nn::kv_cache<float, 1500, 2, 32>::key_blocks == 1);
    check_remembering<1500, 64, 2>();
}

/// Rows of keys and values as projections have them, whose element (r, c) is r * Columns + c.
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
    static const auto& k = numbered<Rows, heads * kw>;
    static const auto& v = numbered<Rows, heads * vw>;
    using keys = decltype(k + 1.0f);
    using values = decltype(v - 1.0f);
    constexpr std::size_t bytes = Cache::template prefill_workspace_bytes<keys, values>;
    static guarded<bytes> own;
    cache.clear();
    spoil(cache);
    for (std::size_t i = 0; i < before; ++i) cache.append(zeros<float, heads, kw>(), zeros<float, heads, vw>());
    cache.prefill(k + 1.0f, v - 1.0f, count, own.scratch);
    EXPECT_TRUE(own.is_intact());
    ASSERT_EQ(cache.position(), before + count);
    for (std::size_t r = count > Cache::capacity ? count - Cache::capacity : 0; r < count; ++r)
        for (std::size_t h = 0; h < heads; ++h) {
            for (std::size_t i = 0; i < kw; ++i)
                ASSERT_EQ(key_of(cache, before + r, h, i), static_cast<double>(k(r, h * kw + i)) + 1) << r;
            for (std::size_t i = 0; i < vw; ++i)
                ASSERT_EQ(value_of(cache, before + r, h, i), static_cast<double>(v(r, h * vw + i)) - 1) << r;
        }
}

TEST(prefill, with_a_workspace_at_once) {
    check_prefill<nn::kv_cache<float, 640, 2, 128>, 320>(0, 320);
    check_prefill<nn::kv_cache<float, 640, 2, 128>, 320>(100, 320);
    check_prefill<nn::kv_cache<float, 640, 2, 128, 16>, 320>(7, 320);  // keys are wider: they have nowhere else to wait
}
TEST(prefill, with_a_workspace_row_by_row) {
    check_prefill<nn::kv_cache<float, 640, 2, 128>, 600>(100, 500);  // what is counted fits, and all does not
    check_prefill<nn::kv_cache<float, 320, 2, 128, 128, nn::cache_order::ring>, 300>(200, 300);
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
