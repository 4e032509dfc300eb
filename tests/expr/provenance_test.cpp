// SPDX-License-Identifier: BSL-1.0
// What masks prove of expressions: the value of excluded elements by type, and which elements those are.
#include <array>
#include <limits>

#include <gtest/gtest.h>

#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/masks/provenance.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/store.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/reductions/normalize.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>

namespace {

using namespace ashlar;
using detail::exclusion;
using detail::exclusion_of;
using detail::is_kept;
using detail::no_lets;

constexpr exclusion none = exclusion::none, minus_infinity = exclusion::minus_infinity, zero = exclusion::zero;
constexpr float infinity = std::numeric_limits<float>::infinity();

template <class E>
constexpr exclusion proved(const E&) {
    return exclusion_of<E>;
}
template <class E, class... I>
constexpr bool kept(const E& e, I... at) {
    return is_kept(e, {static_cast<std::size_t>(at)...}, no_lets{});
}

constexpr tensor<float, 3, 4> s{}, other{};
constexpr tensor<float, 2, 3, 4> batch{};
constexpr tensor<float, 4, 2> v{};

// Where a proof begins, turns and ends.
static_assert(proved(s + other) == none && proved(softmax(s)) == none && proved(v) == none);
static_assert(proved(masked(s, causal)) == minus_infinity);
static_assert(proved(softmax(masked(s, causal))) == zero);
static_assert(proved(softmax<0>(masked(s, causal))) == zero);
static_assert(proved(exp(masked(s, causal))) == zero && proved(exp(softmax(masked(s, causal)))) == none);
static_assert(proved(log_softmax(masked(s, causal))) == minus_infinity);
static_assert(proved(softmax(softmax(masked(s, causal)))) == none);
static_assert(proved(tanh(masked(s, causal))) == none && proved(max(masked(s, causal), 0.0f)) == none);
static_assert(proved(matmul(softmax(masked(s, causal)), v)) == none && proved(sum<1>(masked(s, causal))) == none);
static_assert(proved(layer_norm(masked(s, causal))) == none);

// Through arithmetic.
static_assert(proved(masked(s, causal) + other) == minus_infinity &&
              proved(other + masked(s, causal)) == minus_infinity);
static_assert(proved(masked(s, causal) - other) == minus_infinity && proved(other - masked(s, causal)) == none);
static_assert(proved(masked(s, causal) * 2.0f) == minus_infinity && proved(2.0f * masked(s, causal)) == minus_infinity);
static_assert(proved(masked(s, causal) * other) == none && proved(-masked(s, causal)) == none);
static_assert(proved(softmax(masked(s, causal)) * other / other) == zero &&
              proved(-softmax(masked(s, causal))) == zero);
static_assert(proved(softmax(masked(s, causal)) + other) == none && proved(other / softmax(masked(s, causal))) == none);
static_assert(proved(cast<double>(softmax(masked(s, causal)))) == zero);
static_assert(proved(cast<int>(softmax(masked(s, causal)))) == none);

// Kept pairs.
static_assert(kept(masked(s, causal), 1, 1) && !kept(masked(s, causal), 1, 2) && kept(s, 1, 2));
static_assert(kept(softmax(masked(s, causal)), 2, 2) && !kept(softmax(masked(s, causal)), 2, 3));
static_assert(!kept(masked(masked(s, causal), !keys_below(1)), 1, 0) &&
              kept(masked(masked(s, causal), !keys_below(1)), 1, 1) &&
              !kept(masked(masked(s, causal), !keys_below(1)), 1, 2));
static_assert(!kept(masked(batch, causal), 1, 0, 1) && kept(masked(batch, causal), 1, 1, 1));
static_assert(!kept(masked(s, causal) + masked(other, keys_below(1)), 2, 1));
static_assert(kept(softmax(masked(s, causal)) * 2.0f, 2, 1) && !kept(softmax(masked(s, causal)) * 2.0f, 1, 2));

// A factor that is not positive makes of minus infinity something else.
static_assert(!kept(masked(s, causal) * 2.0f, 0, 1) && kept(masked(s, causal) * -2.0f, 0, 1));
static_assert(!kept(masked(s, causal) / 2.0f, 0, 1) && kept(masked(s, causal) / -2.0f, 0, 1));
static_assert(kept(masked(s, causal) * std::numeric_limits<float>::quiet_NaN(), 0, 1));

// Moved elements.
static_assert(!kept(transpose(softmax(masked(s, causal))), 3, 2) &&
              kept(transpose(softmax(masked(s, causal))), 2, 3 - 1));
static_assert(!kept(reshape<12>(masked(s, causal)), 1) && kept(reshape<12>(masked(s, causal)), 4));
static_assert(!kept(reshape<3, 1, 4>(masked(s, causal)), 1, 0, 2) &&
              kept(reshape<3, 1, 4>(masked(s, causal)), 1, 0, 1));
static_assert(kept(slice<1, 1, 4, 2>(masked(s, causal)), 1, 0) && !kept(slice<1, 1, 4, 2>(masked(s, causal)), 2, 1));
static_assert(!kept(broadcast_to<2, 3, 4>(masked(s, causal)), 1, 0, 1) &&
              kept(broadcast_to<2, 3, 4>(masked(s, causal)), 1, 1, 1));
static_assert(proved(concat<1>(s, masked(other, causal))) == minus_infinity);
static_assert(kept(concat<1>(s, masked(other, causal)), 0, 3) && !kept(concat<1>(s, masked(other, causal)), 0, 5) &&
              kept(concat<1>(s, masked(other, causal)), 1, 5));
static_assert(proved(concat<1>(softmax(masked(s, causal)), masked(other, causal))) == none);

// Broadcast operands keep their own coordinates.
static_assert(!kept(softmax(masked(batch, causal)) * softmax(masked(s, keys_below(2))), 1, 2, 2) &&
              kept(softmax(masked(batch, causal)) * softmax(masked(s, keys_below(2))), 1, 2, 1));

// Names.
constexpr auto named = let(softmax(masked(s, causal)), [](const auto& p) { return p * 2.0f; });
static_assert(proved(named) == zero && !kept(named, 0, 1) && kept(named, 1, 1));
constexpr auto named_twice = let(masked(s, causal), [](const auto& a) {
    return let(masked(a, !keys_below(1)), [&](const auto& b) { return softmax(b) * softmax(a); });
});
static_assert(proved(named_twice) == zero && !kept(named_twice, 2, 0) && kept(named_twice, 2, 1) &&
              !kept(named_twice, 1, 2));
static_assert(proved(let(s, [](const auto& a) { return softmax(masked(a, causal)); })) == zero);

// masked, spelled with a condition.
constexpr tensor<bool, 4> padding{false, false, true, true};
constexpr auto filled = masked_fill(s, !causal, -infinity);
static_assert(proved(softmax(filled)) == zero && !kept(softmax(filled), 0, 1) && kept(softmax(filled), 1, 1));
static_assert(!kept(masked_fill(s, padding, -infinity), 2, 2) && kept(masked_fill(s, padding, -infinity), 2, 1));
static_assert(kept(masked_fill(s, padding, -1e4f), 2, 2));
static_assert(!kept(where(!padding || padding, softmax(masked(s, causal)), 0.0f), 0, 1));
static_assert(!kept(where(!padding, s, -infinity), 2, 2) && kept(where(!padding, s, -infinity), 2, 1));
static_assert(proved(masked_fill(softmax(masked(s, causal)), padding, 0.0f)) == zero);
static_assert(!kept(masked_fill(softmax(masked(s, causal)), padding, 0.0f), 2, 2) &&
              !kept(masked_fill(softmax(masked(s, causal)), padding, 0.0f), 0, 1) &&
              kept(masked_fill(softmax(masked(s, causal)), padding, 1.0f), 2, 2));
static_assert(proved(where(s > 0.0f, s, -infinity)) == none);

TEST(provenance, sees_masks_that_are_values) {
    const tensor<bool, 3, 4> t = [] {
        tensor<bool, 3, 4> truths{};
        truths(1, 2) = true;
        return truths;
    }();
    std::size_t length = 3;
    const auto p = softmax(masked(s, keep(t) || !keys_below(length)));
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(kept(p, i, j), t(i, j) || j >= length);
    tensor<float, 3, 4> destination;
    EXPECT_FALSE(kept(store(destination, p), 0, 0));
    EXPECT_TRUE(kept(store(destination, p), 1, 2));
}

}  // namespace
