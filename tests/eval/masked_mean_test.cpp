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

/// With conditions in all forms only if `AllForms`: each of them makes another plan for each extent.
template <std::size_t Rows, std::size_t Columns, bool AllForms = true>
void at_extents() {
    support::random_numbers random(Rows * 100 + Columns);
    const auto x = random.normal<float, 2, Rows, Columns>();
    const auto a = reference::of(x);
    const auto present = generate<bool, 2, Rows>([](auto b, auto t) { return b == 1 && t % 3 != 1; });
    auto spoilt = x;  // what is not kept is not read
    reference::array means = reference::make({2, Columns}), norms = a;
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t c = 0; c < Columns; ++c) {
            double sum = 0;
            std::size_t count = 0;
            for (std::size_t t = 0; t < Rows; ++t) {
                if (!present(b, t)) spoilt(b, t, c) = nan;
                if (!present(b, t)) continue;
                sum += static_cast<double>(x(b, t, c));
                ++count;
            }
            means.values[b * Columns + c] = count == 0 ? 0 : sum / static_cast<double>(count);
        }
    check(masked_mean<1>(spoilt, present), means);
    if constexpr (AllForms) {
        check(masked_mean<-2>(spoilt, reshape<2, Rows, 1>(present)), means);
        check(masked_mean<1>(spoilt, keep(unsqueeze<1>(present))), means);
        check(masked_mean<1>(spoilt, spoilt == spoilt), means);
    }
    // The condition broadcasts: the same rows of each batch entry, all rows of an entry, or all rows.
    const auto rows = generate<bool, Rows>([](auto t) { return t % 3 != 1; });
    const tensor<bool, 2, 1> entries{{false}, {true}};
    reference::array of_rows = reference::make({2, Columns}), of_entries = of_rows, of_all = of_rows;
    for (std::size_t b = 0; b < 2; ++b)
        for (std::size_t c = 0; c < Columns; ++c) {
            double kept = 0, all = 0;
            for (std::size_t t = 0; t < Rows; ++t) {
                const auto value = static_cast<double>(x(b, t, c));
                all += value / Rows;
                if (rows(t)) kept += value / (Rows - (Rows + 1) / 3);
            }
            of_rows.values[b * Columns + c] = kept;
            of_entries.values[b * Columns + c] = b == 1 ? all : 0;
            of_all.values[b * Columns + c] = all;
        }
    if constexpr (AllForms) {
        check(masked_mean<1>(x, rows), of_rows);
        check(masked_mean<1>(x, entries), of_entries);
        check(masked_mean<1>(x, tensor<bool>(true)), of_all);
    }
    for (std::size_t i = 0; i < 2 * Rows; ++i) {
        double squares = 0;
        for (std::size_t c = 0; c < Columns; ++c) squares += a.values[i * Columns + c] * a.values[i * Columns + c];
        for (std::size_t c = 0; c < Columns; ++c) norms.values[i * Columns + c] /= std::max(std::sqrt(squares), 1e-12);
    }
    check(normalize<-1>(x), norms);
    check(normalize(x * 2.0f), norms);
    check(normalize<1>(transpose(x)), reference::permute(norms, {0, 2, 1}));
}

TEST(masked_mean, extents_around_a_register) {
    at_extents<1, 1, false>();
    at_extents<8, 8, false>();
    at_extents<7, 9>();
    at_extents<17, 16, false>();
    at_extents<40, 31>();
}

TEST(masked_mean, lengths) {
    support::random_numbers random(4);
    auto x = random.normal<float, 3, 20, 12>();
    const tensor<int, 3> lengths{20, 7, 0};
    const auto expected = generate<float, 3, 12>([&](auto b, auto c) {
        float sum = 0;
        for (std::size_t t = 0; t < static_cast<std::size_t>(lengths(b)); ++t) sum += x(b, t, c);
        return lengths(b) == 0 ? 0.0f : sum / static_cast<float>(lengths(b));
    });
    for (std::size_t t = 7; t < 20; ++t) x[1][t] = nan;
    check(masked_mean<1>(x, keys_below(lengths)), reference::of(expected), 1e-5);
    check(normalize(masked_mean<1>(x, keys_below(lengths))), reference::of(eval(normalize(expected))), 1e-5);
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
    const auto q = random.normal<float, 2, 19, 8>(), k = random.normal<float, 2, 19, 8>();
    auto v = random.normal<float, 2, 19, 8>();
    const auto m = random.normal<float, 2, 19, 19>();
    const auto lengths = tensor<int, 19>(iota<int, 19>());
    const auto kept = eval(m > 0.0f);
    const tensor<float, 2, 19, 8> expected = attention(q, k, v, keep(kept));
    check(attention(q, k, v, keep(m > 0.0f)), reference::of(expected), 1e-5);
    check(attention(q, k, v, ignore(m <= 0.0f || m != m)), reference::of(expected), 1e-5);
    check(attention(q, k, v, keep(m * 2.0f > 0.0f && !(m < -1.0f))), reference::of(expected), 1e-5);
    // A reduction and a product are evaluated when the mask is made.
    const tensor<bool, 19> positive = sum<0, 1>(m) > 0.0f;
    check(attention(q, k, v, keep(sum<0, 1>(m) > 0.0f)),
          reference::of(tensor<float, 2, 19, 8>(attention(q, k, v, keep(positive)))), 1e-5);
    const tensor<bool, 2, 19, 19> near = matmul(q, transpose(k)) > 0.0f;
    check(attention(q, k, v, keep(matmul(q, transpose(k)) > 0.0f)),
          reference::of(tensor<float, 2, 19, 8>(attention(q, k, v, keep(near)))), 1e-5);
    check(masked(m, keep(lengths > 3) && causal), 1e-6);
    // What the condition leaves out is not read.
    const tensor<float, 2, 19, 8> below = attention(q, k, v, keys_below(11));
    for (std::size_t t = 11; t < 19; ++t) v[0][t] = v[1][t] = nan;
    check(attention(q, k, v, keep(lengths < 11)), reference::of(below), 1e-5);
}

}  // namespace
