// SPDX-License-Identifier: BSL-1.0
// Attention to some of the keys: what states hold, and that merging them gives attention to all keys.
#include <limits>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::of;

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr std::size_t w = detail::machine_of<current_config>.lanes(sizeof(float));

/// The state of a part, evaluated into spoiled memory by a spoiled workspace, both with guards behind them.
template <class Part>
auto state_of(const Part& part, std::source_location where = std::source_location::current()) {
    constexpr std::size_t bytes = workspace_bytes<Part>;
    struct {
        workspace<bytes> scratch;
        std::byte behind_scratch[64];
        typename Part::state_type state;
        std::byte behind_state[64];
    } memory;
    std::memset(static_cast<void*>(&memory), 0xff, sizeof memory);
    evaluate(memory.state, part, memory.scratch);
    support::expect_guard(memory.behind_scratch, sizeof memory.behind_scratch, bytes, where);
    support::expect_guard(memory.behind_state, sizeof memory.behind_state, sizeof memory.state, where);
    return memory.state;
}

template <std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
struct case_of {
    support::random_numbers random{1};
    tensor<float, Queries, Depth> q = random.normal<float, Queries, Depth>();
    tensor<float, Keys, Depth> k = random.normal<float, Keys, Depth>();
    tensor<float, Keys, Values> v = random.normal<float, Keys, Values>();

    reference::array expected() const { return reference::attend(of(q), of(k), of(v)).values; }
    /// Also the maximum and the sum of each row of scaled scores.
    void check_whole() const {
        const auto whole = state_of(attention_partial(q, k, v));
        const auto scores = reference::map(reference::matmul(of(q), reference::transpose(of(k))),
                                           [](double x) { return x / std::sqrt(double(Depth)); });
        const auto sums = reference::reduce(
            scores, 1, false, [](const auto& x) { return std::exp(reference::logsumexp(x) - reference::max(x)); });
        reference::expect_near(whole.maximum, reference::reduce(scores, 1, false, reference::max), 3e-6);
        reference::expect_near(reference::zip(of(whole.sum), sums, std::divides<>()), reference::make({Queries}, 1),
                               1e-5);
        support::check(finish(whole), expected());
    }
    void check_parts() const {
        constexpr std::size_t cut = Keys / 3;
        const auto a = state_of(attention_partial(q, slice<0, 0, cut>(k), slice<0, 0, cut>(v)));
        const auto b = state_of(attention_partial(q, slice<0, cut, Keys>(k), slice<0, cut, Keys>(v)));
        support::check(finish(merge(a, b)), expected());
        support::check(finish(merge(b, a)), expected());
        // The state of no keys changes nothing.
        const auto same = merge(attention_state<float, Queries, Values>(), a);
        EXPECT_TRUE(all(same.values == a.values) && all(same.maximum == a.maximum) && all(same.sum == a.sum));
    }
};

TEST(attention_partial, parts_of_the_keys) {
    case_of<1, 2 * w + 5, 8, 16>().check_whole();
    const case_of<2 * w + 37, 67, 20, 33> tiles;
    tiles.check_whole();
    tiles.check_parts();
    case_of<1, 3, 1, 1>().check_whole();
    case_of<(w > 1 ? w - 1 : 1), 7, 5, 7>().check_whole();
    case_of<w + 1, 19, 5, 1>().check_whole();
}

// Halves of the keys have the same types, so that each mask is compiled once.
TEST(attention_partial, masks_of_later_keys) {
    constexpr std::size_t queries = 21, keys = 38, cut = keys / 2;
    support::random_numbers random(2);
    const auto q = random.normal<float, queries, 8>();
    const auto k = random.normal<float, keys, 8>();
    auto v = random.normal<float, keys, 11>();
    const auto part = [&]<std::size_t First>(const auto& mask) {
        return state_of(attention_partial(q, slice<0, First, First + cut>(k), slice<0, First, First + cut>(v), mask));
    };
    const auto expect = [&](const auto& first, const auto& second, const auto& keep) {
        reference::attention_options options;
        options.keep = [&](const reference::index&, std::size_t i, std::size_t j) { return keep(i, j); };
        const auto a = part.template operator()<0>(first), b = part.template operator()<cut>(second);
        const auto expected = reference::attend(of(q), of(k), of(v), options).values;
        support::check(finish(merge(a, b)), expected);
        support::check(finish(merge(b, a)), expected);
    };
    const std::ptrdiff_t offset = cut;
    expect(causal_at(0), causal_at(-offset), [](auto i, auto j) { return j <= i; });
    const auto m = random.truths<queries, keys>(0.2);
    expect(keep(slice<1, 0, cut>(m)), keep(slice<1, cut, keys>(m)), [&](auto i, auto j) { return m(i, j); });
    // What is excluded is not read.
    const auto whole = v;
    for (const std::size_t n : {std::size_t{0}, std::size_t{1}, cut, cut + 1, keys}) {
        v = whole;
        for (std::size_t j = n; j < keys; ++j)
            for (std::size_t c = 0; c < 11; ++c) v(j, c) = infinity - infinity;
        expect(keys_below(n < cut ? n : cut), keys_below(n < cut ? 0 : n - cut), [n](auto, auto j) { return j < n; });
    }
}

TEST(attention_partial, queries_that_keep_nothing) {
    support::random_numbers random(3);
    const auto q = random.normal<float, 5, 4>();
    const auto k = random.normal<float, 9, 4>();
    const auto v = random.normal<float, 9, 6>();
    tensor<float, 5, 9> b{};
    const auto below = [&](std::size_t n) { return state_of(attention_partial(q, k, v, bias(b), keys_below(n))); };
    const auto none = below(0);
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(none.maximum(i), std::numeric_limits<float>::lowest());
        EXPECT_EQ(none.sum(i), 0.0f);
    }
    EXPECT_TRUE(all(finish(merge(none, none)) == 0.0f));
    // A bias of minus infinity leaves none either.
    for (std::size_t j = 0; j < 9; ++j) b(2, j) = -infinity;
    const auto biased = below(9);
    EXPECT_EQ(biased.sum(2), 0.0f);
    reference::attention_options options;
    options.bias = of(b);
    support::check(finish(merge(biased, none)), reference::attend(of(q), of(k), of(v), options).values);
}

// Up to the greatest number over log2(e): softmax takes powers of two.
TEST(attention_partial, scores_without_bounds) {
    tensor<float, 3, 1> q = {{1.0f}, {1.0f}, {1e-30f}};
    tensor<float, 4, 1> k = {{2.3e38f}, {2.2e38f}, {-3e38f}, {1e-12f}};
    tensor<float, 4, 2> v = {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}, {7.0f, 8.0f}};
    const auto at = [&]<std::size_t First>() {
        return state_of(
            attention_partial(q, slice<0, First, First + 2>(k), slice<0, First, First + 2>(v), scale(1.0f)));
    };
    reference::attention_options options;
    options.scale = 1;
    const auto expected = reference::attend(of(q), of(k), of(v), options).values;
    const auto high = at.template operator()<0>(), low = at.template operator()<2>();
    k(3, 0) = -3e38f;
    const auto lowest = at.template operator()<2>();
    support::check(finish(merge(low, high)), expected);
    support::check(finish(merge(high, low)), expected);
    EXPECT_EQ(eval(finish(merge(lowest, high)))(0, 1), 2.0f);
    // A score of infinity makes its query's results NaN, as in attention, and no other's.
    q(1, 0) = infinity;
    const tensor<float, 3, 2> y = finish(merge(at.template operator()<0>(), at.template operator()<2>()));
    EXPECT_TRUE(y(1, 0) != y(1, 0));
    EXPECT_EQ(y(0, 0), 1.0f);
    EXPECT_EQ(y(2, 1), 2.0f);
}

/// The finished state of a part against attention to its keys, node by node.
void expect_alike(const auto& part, const auto& whole, double tolerance = 2e-6) {
    support::check(finish(part), of(detail::constant_evaluate(whole)), tolerance);
}

TEST(attention_partial, batches_heads_and_vectors) {
    support::random_numbers random(4);
    const auto q = random.normal<float, 2, 6, 5, 8>();
    const auto k = random.normal<float, 2, 3, 12, 8>();
    const auto v = random.normal<float, 2, 3, 12, 4>();
    const auto k0 = slice<2, 0, 6>(k), k1 = slice<2, 6, 12>(k);
    const auto v0 = slice<2, 0, 6>(v), v1 = slice<2, 6, 12>(v);
    support::check(finish(merge(state_of(attention_partial(q, k0, v0)), attention_partial(q, k1, v1))),
                   reference::attend(of(q), of(k), of(v)).values);
    const tensor<int, 2, 1> lengths = {{4}, {12}};
    expect_alike(state_of(attention_partial(q, k, v, keys_below(lengths))), attention(q, k, v, keys_below(lengths)));
    // One query of several heads: rows of a tile are heads.
    const auto one = random.normal<float, 6, 1, 8>();
    expect_alike(state_of(attention_partial(one, k[0], v[0])), attention(one, k[0], v[0]));
    // A vector is one query, and has no axis.
    const auto vector = random.normal<float, 8>();
    const attention_state<float, 3, 4> heads = attention_partial(vector, k[0], v[0]);
    expect_alike(heads, attention(vector, k[0], v[0]));
    const attention_state<float, 4> single = state_of(attention_partial(vector, k[0][0], v[0][0]));
    expect_alike(single, attention(vector, k[0][0], v[0][0]));
    EXPECT_EQ(single.sum.rank, 0u);
    // More values than keys: each entry of the result has statistics of its own.
    expect_alike(state_of(attention_partial(q[0][0], k[0][0], v[0])), attention(q[0][0], k[0][0], v[0]));
}

TEST(attention_partial, options_and_elements) {
    support::random_numbers random(5);
    const auto q = random.normal<double, 7, 6>();
    const auto k = random.normal<double, 11, 6>();
    const auto v = random.normal<double, 11, 5>();
    const auto b = random.normal<double, 7, 11>();
    expect_alike(state_of(attention_partial(q, k, v, softcap(2.0), bias(b), scale(0.5), causal)),
                 attention(q, k, v, softcap(2.0), bias(b), scale(0.5), causal), 1e-13);
    expect_alike(eval(attention_partial(q, k, v, fast)), attention(q, k, v), 1e-3);
    // What is passed by value is owned.
    const auto owning = attention_partial(q, tensor<double, 11, 6>(k), tensor<double, 11, 5>(v));
    expect_alike(owning, attention(q, k, v), 1e-13);
}

inline constexpr axis<"token", 2> token;
constexpr tensor<float, 2, 1> few = {{1.0f}, {-2.0f}};
constexpr auto in_constants = [] {
    attention_state<float, token, 1> state = attention_partial(few, few, few, causal);
    state = merge(state, attention_partial(few, few, few, keys_below(0)));
    return eval(finish(state));
}();
static_assert(in_constants(0, 0) == 1.0f);
static_assert(in_constants(1, 0) < -1.9f && in_constants(1, 0) > -2.0f);
static_assert(std::is_trivially_copyable_v<attention_state<float, 3, 4>>);
static_assert(std::is_same_v<attention_state<float, 3, 4>, attention_state<float, std::size_t{3}, 4u>>);

}  // namespace
