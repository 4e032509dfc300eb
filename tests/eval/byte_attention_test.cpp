// SPDX-License-Identifier: BSL-1.0
// Attention to keys and values in 8 bits: queries and weights are rounded as well, and both products are those of
// bytes. Beside the same attention in double precision, and beside one that rounds nothing.
#include <algorithm>
#include <cmath>
#include <cstddef>

#include <gtest/gtest.h>
#include <support/random.hpp>
#include <support/reference.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

/// Rows as queries are rounded.
reference::array rounded(reference::array q) {
    for (double* row = q.values.data(); row != q.values.data() + q.size(); row += q.from_last(0)) {
        float greatest = 0;
        for (std::size_t d = 0; d < q.from_last(0); ++d)
            greatest = (std::fmax)(greatest, std::fabs(static_cast<float>(row[d])));
        for (std::size_t d = 0; d < q.from_last(0); ++d) {
            const volatile float integer = static_cast<float>(row[d]) * (127 / greatest);
            row[d] = std::nearbyint(integer) * double{greatest} / 127;
        }
    }
    return q;
}

using kept_pairs = bool (*)(std::size_t query, std::size_t key);
/// Near attention to rounded operands: rounding of the weights takes half a step of the greatest for each value. Not
/// far from attention to operands before rounding. All have axes for heads.
[[gnu::noinline]] void expect_near(const float* found, const reference::array& q, const reference::array& rounded_keys,
                                   const reference::array& rounded_values, const reference::array& keys,
                                   const reference::array& values, kept_pairs kept, const char* what) {
    reference::attention_options options;
    options.keep = [=](const reference::index&, std::size_t i, std::size_t j) { return kept(i, j); };
    const auto expected = reference::attend(rounded(q), rounded_keys, rounded_values, options);
    const auto exact = reference::attend(q, keys, values, options).values.values;
    const std::size_t columns = values.from_last(0), count = keys.from_last(1);
    double squares = 0, of_difference = 0;
    for (std::size_t e = 0; e < exact.size(); ++e) {
        const double* weights = expected.weights.values.data() + e / columns * count;
        double magnitudes = 0;
        for (std::size_t j = 0; j < count; ++j)
            if (weights[j] != 0) magnitudes += std::fabs(rounded_values.values[j * columns + e % columns]);
        const double bound = magnitudes * *std::max_element(weights, weights + count) / 254;
        ASSERT_NEAR(found[e], expected.values.values[e], bound + 1e-5) << what << " at " << e;
        squares += exact[e] * exact[e];
        of_difference += (found[e] - exact[e]) * (found[e] - exact[e]);
    }
    EXPECT_LT(std::sqrt(squares == 0 ? of_difference : of_difference / squares), 0.03) << what;
}

template <std::size_t Heads, std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Columns>
struct case_of {
    support::random_numbers random{Queries + Keys};
    tensor<float, Heads, Queries, Depth> q = random.normal<float, Heads, Queries, Depth>();
    tensor<float, 1, Keys, Depth> k = random.normal<float, 1, Keys, Depth>(), rounded_k;
    tensor<float, 1, Keys, Columns> v = random.normal<float, 1, Keys, Columns>(), rounded_v;
    quantized<float, Depth, Keys> keys;
    quantized<float, Keys, Columns> values;

    case_of() {
        quantize(keys, transpose(k[0]));
        quantize(values, v[0]);
        for (std::size_t j = 0; j < Keys; ++j) {
            for (std::size_t d = 0; d < Depth; ++d) rounded_k(0, j, d) = keys(d, j);
            for (std::size_t c = 0; c < Columns; ++c) rounded_v(0, j, c) = values(j, c);
        }
    }
    template <class... Options>
    void expect(const char* what, kept_pairs kept, const Options&... options) {
        const tensor<float, Heads, Queries, Columns> y = attention(q, transpose(keys), values, options...);
        using reference::of;
        expect_near(y.data(), of(q), of(rounded_k), of(rounded_v), of(k), of(v), kept, what);
    }
};

constexpr auto all_pairs = [](std::size_t, std::size_t) { return true; };

TEST(byte_attention, without_a_mask) {
    case_of<3, 5, 37, 24, 17>{}.expect("odd, and heads that share keys", all_pairs);
    case_of<1, 1, 100, 16, 16>{}.expect("one query", all_pairs);
    case_of<1, 3, 1, 16, 4>{}.expect("one key", all_pairs);
}
TEST(byte_attention, with_masks) {
    case_of<1, 48, 48, 32, 32> square;
    square.expect("keys below", [](std::size_t, std::size_t j) { return j < 21; }, keys_below(21));
    square.expect("no keys", [](std::size_t, std::size_t) { return false; }, keys_below(0));
}
TEST(byte_attention, of_many_tiles_with_options) {
    case_of<1, 150, 130, 32, 32>{}.expect("tiles", [](std::size_t i, std::size_t j) { return j <= i; }, causal, fast);
}

// Keys and values that are in use are rounded anew for each call, wherever they lie.
TEST(byte_attention, of_rows_in_larger_memory) {
    support::random_numbers random(5);
    const auto larger = random.normal<float, 40, 3, 16>();
    quantized<float, 16, 40> keys, expected;
    const tensor<float, 40, 16> head = squeeze<1>(slice<1, 1, 2>(larger));
    quantize(expected, transpose(head));
    quantize(keys, transpose(squeeze<1>(slice<1, 1, 2>(larger))));
    for (std::size_t j = 0; j < 40; ++j)
        for (std::size_t d = 0; d < 16; ++d) ASSERT_EQ(keys(d, j), expected(d, j));
}

}  // namespace
