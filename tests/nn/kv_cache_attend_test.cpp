// SPDX-License-Identifier: BSL-1.0
// Attention to a cache with options, and caches of the smallest extents.
#include <gtest/gtest.h>

#include <ashlar/nn/kv_cache.hpp>

#include "support/caches.hpp"
#include "support/random.hpp"
#include "support/reference.hpp"

using namespace ashlar;

namespace {

using cache_type = nn::kv_cache<float, 37, 2, 5, 3>;

using support::rows, support::spoil;

struct sequence {
    tensor<float, 2, 37, 5> k;
    tensor<float, 2, 37, 3> v;
    tensor<float, 6, 37, 5> q;  // three query heads for each of keys

    sequence() {
        support::random_numbers random(11);
        random.fill_uniform(k);
        random.fill_uniform(v);
        random.fill_uniform(q);
    }
};

}  // namespace

// Options that tell heads apart, for one row and for several; the other ones too.
TEST(kv_cache_attend, attends_with_options) {
    const sequence s;
    cache_type cache{};
    spoil(cache);
    cache.prefill(slice<1, 0, 30>(s.k), slice<1, 0, 30>(s.v));
    const auto slopes = support::random_numbers(2).uniform<float, 6, 1, 1>();
    const auto ramp =
        generate<float, 6, 1, 37>([&](auto h, auto, auto j) { return slopes(h, 0, 0) * static_cast<float>(j); });
    reference::attention_options options;
    options.scale = 0.5;
    options.softcap = 2;
    options.bias = reference::of(ramp);
    options.bias.extents = {6, 1, 37};
    const tensor<float, 6, 1, 5> q = slice<1, 29, 30>(s.q);
    const auto expected = [&] {
        return reference::attend(reference::of(q), rows(reference::of(s.k), 0, 30), rows(reference::of(s.v), 0, 30),
                                 options)
            .values;
    };
    reference::expect_near(eval(cache.attend(q, scale(0.5f), softcap(2), bias(ramp))), expected());
    options.bias = {};
    reference::expect_near(eval(cache.attend(q, softcap(2), scale(0.5f))), expected());
    options.softcap = 0;
    options.score_mod = [](double score, std::size_t query, std::size_t key) {
        return score + static_cast<double>(query) - 0.25 * static_cast<double>(key);
    };
    const auto nearer = [](auto score, auto query, auto key) { return score + query - key * decltype(key)(0.25f); };
    reference::expect_near(eval(cache.attend(q, scale(0.5f), score_mod(nearer))), expected());
}

TEST(kv_cache_attend, smallest_extents) {
    nn::kv_cache<double, 1, 1, 1> cache{};
    cache.append(tensor<double, 1>{2}, tensor<double, 1>{3});
    EXPECT_TRUE(cache.full());
    const tensor<double, 4, 1> y = cache.attend(full<double, 4, 1>(1));
    EXPECT_EQ(y(3, 0), 3);
    nn::kv_cache<float, 1, 1, 2, 2, nn::cache_order::ring> last{};
    for (int i = 0; i < 3; ++i) last.append(full<float, 2>(1), full<float, 2>(static_cast<float>(i)));
    const tensor<float, 1, 2> z = last.attend(full<float, 1, 2>(1));
    EXPECT_EQ(z(0, 1), 2);
}
