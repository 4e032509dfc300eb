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
        std::byte guard[64];
    } memory;
    struct {
        typename Part::state_type state;
        std::byte guard[64];
    } result;
    std::memset(static_cast<void*>(&memory), 0xff, sizeof memory);
    std::memset(static_cast<void*>(&result), 0xff, sizeof result);
    evaluate(result.state, part, memory.scratch);
    support::expect_guard(memory.guard, sizeof memory.guard, bytes, where);
    support::expect_guard(result.guard, sizeof result.guard, sizeof result.state, where);
    return result.state;
}

/// Maximum and sum of each row of scaled scores that are kept.
template <class Queries, class Keys, class State>
void expect_statistics(const Queries& q, const Keys& k, const State& s) {
    for (std::size_t i = 0; i < Queries::extents[0]; ++i) {
        double scores[Keys::extents[0]], most = -1e30, sum = 0;
        for (std::size_t j = 0; j < Keys::extents[0]; ++j) {
            double dot = 0;
            for (std::size_t d = 0; d < Queries::extents[1]; ++d) dot += double(q(i, d)) * double(k(j, d));
            scores[j] = dot / std::sqrt(double(Queries::extents[1]));
            most = scores[j] > most ? scores[j] : most;
        }
        for (const double score : scores) sum += std::exp(score - most);
        EXPECT_NEAR(double(s.maximum(i)), most, 1e-5) << "query " << i;
        EXPECT_NEAR(double(s.sum(i)), sum, 1e-5 * sum) << "query " << i;
    }
}

template <std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
struct extents {
    static constexpr std::size_t queries = Queries, keys = Keys, depth = Depth, values = Values;
};
template <class Shape>
class attention_state_of : public testing::Test {};
using cases = testing::Types<extents<1, 3, 1, 1>, extents<1, 2 * w + 5, 8, 16>, extents<(w > 1 ? w - 1 : 1), 7, 5, 7>,
                             extents<w, w + 1, 8, 2 * w>, extents<w + 1, 19, 5, 1>, extents<2 * w + 37, 67, 20, 33>>;
TYPED_TEST_SUITE(attention_state_of, cases);

TYPED_TEST(attention_state_of, parts_of_the_keys) {
    using s = TypeParam;
    constexpr std::size_t cut = s::keys / 3;
    support::random_numbers random(1);
    const auto q = random.normal<float, s::queries, s::depth>();
    const auto k = random.normal<float, s::keys, s::depth>();
    const auto v = random.normal<float, s::keys, s::values>();
    const auto expected = reference::attend(of(q), of(k), of(v)).values;
    const auto whole = state_of(attention_partial(q, k, v));
    expect_statistics(q, k, whole);
    support::check(finish(whole), expected);
    const auto part = [&]<std::size_t First, std::size_t Last>() {
        return state_of(attention_partial(q, slice<0, First, Last>(k), slice<0, First, Last>(v)));
    };
    const auto a = part.template operator()<0, cut>(), b = part.template operator()<cut, s::keys>();
    support::check(finish(merge(a, b)), expected);
    support::check(finish(merge(b, a)), expected);
    // The state of no keys changes nothing.
    const auto same = merge(attention_state<float, s::queries, s::values>(), a);
    EXPECT_TRUE(all(same.values == a.values) && all(same.maximum == a.maximum) && all(same.sum == a.sum));
}

TEST(attention_partial, masks_of_later_keys) {
    constexpr std::size_t queries = 21, keys = 40, cut = 17;
    support::random_numbers random(2);
    const auto q = random.normal<float, queries, 8>();
    const auto k = random.normal<float, keys, 8>();
    const auto v = random.normal<float, keys, 11>();
    const auto k0 = slice<0, 0, cut>(k);
    const auto k1 = slice<0, cut, keys>(k);
    const auto v0 = slice<0, 0, cut>(v);
    const auto v1 = slice<0, cut, keys>(v);
    const std::ptrdiff_t offset = cut;
    support::check(finish(merge(state_of(attention_partial(q, k0, v0, causal)),
                                state_of(attention_partial(q, k1, v1, causal_at(-offset))))),
                   reference::of(eval(attention(q, k, v, causal))));
    for (std::size_t n : {std::size_t{0}, std::size_t{1}, cut, cut + 1, keys}) {
        // What is excluded is not read.
        auto spoiled = v;
        for (std::size_t j = n; j < keys; ++j)
            for (std::size_t c = 0; c < 11; ++c) spoiled(j, c) = infinity - infinity;
        const auto first = state_of(attention_partial(q, k0, slice<0, 0, cut>(spoiled), keys_below(n < cut ? n : cut)));
        const auto second =
            state_of(attention_partial(q, k1, slice<0, cut, keys>(spoiled), keys_below(n < cut ? 0 : n - cut)));
        support::check(finish(merge(first, second)), reference::of(eval(attention(q, k, v, keys_below(n)))));
        support::check(finish(merge(second, first)), reference::of(eval(attention(q, k, v, keys_below(n)))));
    }
    const auto m = random.truths<queries, keys>(0.2);
    support::check(finish(merge(state_of(attention_partial(q, k0, v0, keep(slice<1, 0, cut>(m)))),
                                state_of(attention_partial(q, k1, v1, keep(slice<1, cut, keys>(m)))))),
                   reference::of(eval(attention(q, k, v, keep(m)))));
}

TEST(attention_partial, queries_that_keep_nothing) {
    support::random_numbers random(3);
    const auto q = random.normal<float, 5, 4>();
    const auto k = random.normal<float, 9, 4>();
    const auto v = random.normal<float, 9, 6>();
    const auto none = state_of(attention_partial(q, k, v, keys_below(0)));
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(none.maximum(i), std::numeric_limits<float>::lowest());
        EXPECT_EQ(none.sum(i), 0.0f);
    }
    const tensor<float, 5, 6> twice = finish(merge(none, none));
    for (const float x : twice) EXPECT_EQ(x, 0.0f);
    // A bias of minus infinity leaves none either.
    tensor<float, 5, 9> b{};
    for (std::size_t j = 0; j < 9; ++j) b(2, j) = -infinity;
    const auto biased = state_of(attention_partial(q, k, v, bias(b)));
    EXPECT_EQ(biased.sum(2), 0.0f);
    support::check(finish(merge(biased, none)), reference::of(eval(attention(q, k, v, bias(b)))));
}

// Up to the greatest number over log2(e): softmax takes powers of two.
TEST(attention_partial, scores_without_bounds) {
    tensor<float, 3, 1> q = {{1.0f}, {1.0f}, {1e-30f}};
    tensor<float, 4, 1> k = {{2.3e38f}, {-3e38f}, {2e38f}, {1e-12f}};
    tensor<float, 4, 2> v = {{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}, {7.0f, 8.0f}};
    const auto at = [&]<std::size_t First, std::size_t Last>() {
        return state_of(attention_partial(q, slice<0, First, Last>(k), slice<0, First, Last>(v), scale(1.0f)));
    };
    const auto low = at.template operator()<1, 2>(), high = at.template operator()<0, 1>(),
               rest = at.template operator()<2, 4>();
    support::check(finish(merge(low, merge(high, rest))), reference::of(eval(attention(q, k, v, scale(1.0f)))));
    support::check(finish(merge(merge(rest, low), high)), reference::of(eval(attention(q, k, v, scale(1.0f)))));
    // A score of infinity makes its query's results NaN, as in attention, and no other's.
    q(1, 0) = infinity;
    const tensor<float, 3, 2> y = finish(merge(at.template operator()<0, 1>(), at.template operator()<1, 4>()));
    EXPECT_TRUE(y(1, 0) != y(1, 0));
    EXPECT_EQ(y(0, 0), 1.0f);
    EXPECT_EQ(y(2, 1), 2.0f);
}

TEST(attention_partial, batches_heads_and_vectors) {
    support::random_numbers random(4);
    const auto q = random.normal<float, 2, 6, 5, 8>();
    const auto k = random.normal<float, 2, 3, 13, 8>();
    const auto v = random.normal<float, 2, 3, 13, 4>();
    const tensor<int, 2, 1> lengths = {{4}, {13}};
    const auto halves = [&](auto... mask) {
        return finish(merge(state_of(attention_partial(q, slice<2, 0, 6>(k), slice<2, 0, 6>(v), mask...)),
                            attention_partial(q, slice<2, 6, 13>(k), slice<2, 6, 13>(v))));
    };
    support::check(halves(), reference::attend(of(q), of(k), of(v)).values);
    support::check(finish(state_of(attention_partial(q, k, v, keys_below(lengths)))),
                   reference::of(eval(attention(q, k, v, keys_below(lengths)))));
    // One query of several heads: rows of a tile are heads.
    const auto one = random.normal<float, 6, 1, 8>();
    support::check(finish(state_of(attention_partial(one, k[0], v[0]))),
                   reference::of(eval(attention(one, k[0], v[0]))));
    // A vector is one query, and has no axis.
    const auto vector = random.normal<float, 8>();
    const attention_state<float, 3, 4> heads = attention_partial(vector, k[0], v[0]);
    support::check(finish(heads), reference::of(eval(attention(vector, k[0], v[0]))));
    const attention_state<float, 4> single = state_of(attention_partial(vector, k[0][0], v[0][0]));
    support::check(finish(single), reference::of(eval(attention(vector, k[0][0], v[0][0]))));
    EXPECT_EQ(single.sum.rank, 0u);
    // More values than keys: each entry of the result has statistics of its own.
    support::check(finish(state_of(attention_partial(q[0][0], k[0][0], v[0]))),
                   reference::of(eval(attention(q[0][0], k[0][0], v[0]))));
}

TEST(attention_partial, options_and_elements) {
    support::random_numbers random(5);
    const auto q = random.normal<double, 7, 6>();
    const auto k = random.normal<double, 11, 6>();
    const auto v = random.normal<double, 11, 5>();
    const auto b = random.normal<double, 7, 11>();
    support::check(finish(state_of(attention_partial(q, k, v, softcap(2.0), bias(b), scale(0.5), causal))),
                   reference::of(eval(attention(q, k, v, softcap(2.0), bias(b), scale(0.5), causal))));
    support::check(finish(eval(attention_partial(q, k, v, fast))), reference::of(eval(attention(q, k, v, fast))), 1e-3);
    // What is passed by value is owned.
    const auto owning = attention_partial(q, tensor<double, 11, 6>(k), tensor<double, 11, 5>(v));
    support::check(finish(state_of(owning)), reference::of(eval(attention(q, k, v))));
    support::check(finish(owning), reference::of(eval(attention(q, k, v))));
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
