// SPDX-License-Identifier: BSL-1.0
// Attention by kernels against the reference, around every size of tile.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::of;
using support::check;

template <std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
struct extents {
    static constexpr std::size_t queries = Queries, keys = Keys, depth = Depth, values = Values;
};

template <class Shape>
class attention_of : public testing::Test {};
using cases = testing::Types<extents<1, 1, 1, 1>, extents<17, 19, 5, 7>, extents<1, 37, 8, 16>, extents<40, 1, 4, 3>,
                             extents<70, 67, 20, 33>>;
TYPED_TEST_SUITE(attention_of, cases);

TYPED_TEST(attention_of, masks) {
    using s = TypeParam;
    support::random_numbers random(1);
    const auto q = random.normal<float, s::queries, s::depth>();
    const auto k = random.normal<float, s::keys, s::depth>();
    const auto v = random.normal<float, s::keys, s::values>();
    const auto expected = [&](auto keep) {
        reference::attention_options options;
        options.keep = [=](const reference::index&, std::size_t i, std::size_t j) { return keep(i, j); };
        return reference::attend(of(q), of(k), of(v), options).values;
    };
    check(attention(q, k, v), reference::attend(of(q), of(k), of(v)).values);
    check(attention(q, k, v, causal), expected([](auto i, auto j) { return j <= i; }));
    check(attention(q, k, v, keys_below(s::keys / 2)), expected([](auto, auto j) { return j < s::keys / 2; }));
    const auto m = random.truths<s::queries, s::keys>(0.3);
    check(attention(q, k, v, keep(m)), expected([&](auto i, auto j) { return m(i, j); }));
}

}  // namespace
