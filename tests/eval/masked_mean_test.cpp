// SPDX-License-Identifier: BSL-1.0
// What sentence embeddings end with: masked_mean, normalize and topk; and conditions of any kind as masks.
#include <limits>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

static_assert(all(normalize<0>(tensor<float, 2>{3, 4}) == tensor<float, 2>{0.6f, 0.8f}));
static_assert(all(normalize(tensor<float, 2>{0, 0}) == 0.0f));
static_assert(all(masked_mean<0>(tensor<float, 3>{1, 2, nan}, tensor<bool, 3>{true, true, false}) == 1.5f));
static_assert(all(masked_mean<0>(tensor<float, 2, 2>{{1, 2}, {nan, nan}}, tensor<bool, 2>{true, false}) ==
                  tensor<float, 2>{1, 2}));
static_assert(all(masked_mean<0>(tensor<float, 2, 2>{{1, nan}, {3, nan}}, tensor<bool, 2>{}) == 0.0f));
static_assert(all(masked_mean<0>(tensor<float, 3, 1>{{1}, {2}, {nan}}, keys_below(2)) == 1.5f));

constexpr auto best = topk<3>(tensor<float, 6>{2, 5, 1, 5, 3, 0});
static_assert(all(best.values == tensor<float, 3>{5, 5, 3}) && all(best.indices == tensor<int, 3>{1, 3, 4}));

using truth = tensor<bool, 2, 40>;
/// Means of the rows that each batch entry keeps.
reference::array means_of(const reference::array& x, const truth& kept) {
    reference::array means = reference::make({x.extents[0], x.extents[2]});
    for (std::size_t b = 0; b < x.extents[0]; ++b)
        for (std::size_t c = 0; c < x.extents[2]; ++c) {
            double sum = 0, count = 0;
            for (std::size_t t = 0; t < x.extents[1]; ++t)
                if (kept(b, t)) sum += x.values[(b * x.extents[1] + t) * x.extents[2] + c], ++count;
            means.values[b * x.extents[2] + c] = count == 0 ? 0 : sum / count;
        }
    return means;
}
reference::array unit_rows(reference::array x) {
    const std::size_t columns = x.extents.back();
    for (std::size_t i = 0; i < x.size(); i += columns) {
        double squares = 0;
        for (std::size_t c = 0; c < columns; ++c) squares += x.values[i + c] * x.values[i + c];
        for (std::size_t c = 0; c < columns; ++c) x.values[i + c] /= std::max(std::sqrt(squares), 1e-12);
    }
    return x;
}
const truth some = generate<bool, 2, 40>([](auto b, auto t) { return b == 1 && t % 3 != 1; });

template <std::size_t Rows, std::size_t Columns>
void at_extents() {
    support::random_numbers random(Rows * 100 + Columns);
    const auto x = random.normal<float, 2, Rows, Columns>();
    const tensor<bool, 2, Rows> present = slice<1, 0, Rows>(some);
    auto spoilt = x;  // what is not kept is not read
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t t = 0; t < Rows; ++t)
            if (!present(b, t)) spoilt[b][t] = nan;
    const reference::array a = reference::of(x), means = means_of(a, some), norms = unit_rows(a);
    check(masked_mean<1>(spoilt, present), means);
    check(normalize(x), norms);
    if constexpr (Rows == 40) {
        check(masked_mean<-2>(spoilt, reshape<2, Rows, 1>(present)), means);
        check(masked_mean<1>(spoilt, keep(unsqueeze<1>(present))), means);
        check(masked_mean<1>(spoilt, spoilt == spoilt), means);
        // The condition broadcasts: the same rows of each batch entry, all rows of an entry, or all rows.
        const tensor<bool, Rows> rows = present[1];
        check(masked_mean<1>(x, rows), means_of(a, broadcast_to<2, Rows>(rows)));
        const tensor<bool, 2, 1> entries{{false}, {true}};
        check(masked_mean<1>(x, entries), means_of(a, broadcast_to<2, Rows>(entries)));
        check(masked_mean<1>(x, tensor<bool>(true)), means_of(a, full<bool, 2, Rows>(true)));
        check(normalize<-1>(x * 2.0f), norms);
        check(normalize<1>(transpose(x)), reference::permute(norms, {0, 2, 1}));
    }
}

TEST(masked_mean, extents_around_a_register) {
    at_extents<1, 1>();
    at_extents<7, 9>();
    at_extents<17, 16>();
    at_extents<40, 31>();
}

TEST(masked_mean, lengths) {
    support::random_numbers random(4);
    auto x = random.normal<float, 2, 20, 12>();
    const tensor<int, 2> lengths{7, 0};
    const auto means =
        means_of(reference::of(x), generate<bool, 2, 40>([](auto b, auto t) { return b == 0 && t < 7; }));
    for (std::size_t t = 7; t < 20; ++t) x[0][t] = nan;
    check(masked_mean<1>(x, keys_below(lengths)), means, 1e-5);
    check(normalize(masked_mean<1>(x, keys_below(lengths))), unit_rows(means), 1e-5);
}

TEST(masked_mean, unit_vectors_of_extremes) {
    const tensor<float, 3, 2> x{{3e-13f, 4e-13f}, {0, 0}, {nan, 1}};
    const tensor<float, 3, 2> y = normalize(x, 1e-12);
    EXPECT_NEAR(y(0, 0), 0.3f, 0.1f);  // squares of such numbers have few digits
    EXPECT_EQ(y(1, 0), 0);
    EXPECT_NE(y(2, 1), y(2, 1));
}

TEST(masked_mean, largest_entries) {
    support::random_numbers random(8);
    const auto x = random.normal<float, 4, 37, 3>();
    const auto [values, indices] = topk<5, 1>(x);
    for (std::size_t i = 0; i < 4; ++i)
        for (std::size_t c = 0; c < 3; ++c) {
            std::vector<int> order(37);
            for (int t = 0; t < 37; ++t) order[static_cast<std::size_t>(t)] = t;
            std::sort(order.begin(), order.end(), [&](int l, int r) { return x(i, l, c) > x(i, r, c); });
            for (std::size_t k = 0; k < 5; ++k) {
                EXPECT_EQ(indices(i, k, c), order[k]);
                EXPECT_EQ(values(i, k, c), x(i, order[k], c));
            }
        }
    const auto all_of_them = topk<4>(tensor<float, 4>{1, nan, 2, nan});
    EXPECT_TRUE(all(all_of_them.indices == tensor<int, 4>{1, 3, 2, 0}));
    EXPECT_EQ(topk<1>(transpose(x[0])).indices(2, 0), topk<1>(-(-transpose(x[0]))).indices(2, 0));
    EXPECT_EQ(topk<2>(tensor<int, 3>{-1, -3, -2}).values(1), -2);
}

TEST(keep, of_conditions) {
    support::random_numbers random(2);
    const auto q = random.normal<float, 2, 16, 8>(), k = random.normal<float, 2, 16, 8>();
    auto v = random.normal<float, 2, 16, 8>();
    const auto m = random.normal<float, 2, 16, 16>();
    const auto near = reference::matmul(reference::of(q), reference::transpose(reference::of(k)));
    const auto expect = [&](const auto& e, auto kept) {
        reference::attention_options options;
        options.keep = [&](const reference::index& at, std::size_t i, std::size_t j) { return kept(at[0], i, j); };
        check(e, reference::attend(reference::of(q), reference::of(k), reference::of(v), options).values, 1e-5);
    };
    const auto positive = [&](std::size_t b, std::size_t i, std::size_t j) { return m(b, i, j) > 0; };
    expect(attention(q, k, v, keep(m > 0.0f)), positive);
    expect(attention(q, k, v, ignore(m * 2.0f <= 0.0f || !(m == m))), positive);
    // A reduction and a product are evaluated when the mask is made.
    const auto sums = eval(sum<0, 1>(m));
    expect(attention(q, k, v, keep(sum<0, 1>(m) > 0.0f) && keep(matmul(q, transpose(k)) > 0.0f)),
           [&](std::size_t b, std::size_t i, std::size_t j) {
               return sums(j) > 0 && near.values[(b * 16 + i) * 16 + j] > 0;
           });
    const auto lengths = tensor<int, 16>(iota<int, 16>());
    check(masked(m, keep(lengths > 3) && causal), 1e-6);
    // What the condition leaves out is not read.
    for (std::size_t t = 11; t < 16; ++t) v[0][t] = v[1][t] = nan;
    expect(attention(q, k, v, keep(lengths < 11)), [](std::size_t, std::size_t, std::size_t j) { return j < 11; });
}

}  // namespace
