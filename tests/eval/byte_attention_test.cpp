// SPDX-License-Identifier: BSL-1.0
// Attention to keys and values in 8 bits: queries and weights are rounded as well, and both products are those of
// bytes. Beside the same attention in double precision, and beside one that rounds nothing.
#include <cmath>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>
#include <support/random.hpp>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

struct sizes {
    std::size_t heads, queries, keys, depth, columns;
};
/// Operands in row-major order, [heads, queries, depth], [keys, depth] and [keys, columns], and which pairs are kept.
struct operands {
    std::vector<double> q, k, v;
    std::vector<char> kept;
};

/// Rows of queries as they are rounded.
std::vector<double> rounded_queries(const float* q, const sizes& of) {
    std::vector<double> rows;
    for (std::size_t i = 0; i < of.heads * of.queries; ++i, q += of.depth) {
        float greatest = 0;
        for (std::size_t d = 0; d < of.depth; ++d) greatest = (std::fmax)(greatest, std::fabs(q[d]));
        for (std::size_t d = 0; d < of.depth; ++d) {
            const volatile float integer = q[d] * (127 / greatest);
            rows.push_back(std::nearbyint(integer) * double{greatest} / 127);
        }
    }
    return rows;
}

/// The result, and how far rounding of the weights may take it away: half a step of the greatest for each value.
struct expected_result {
    std::vector<double> values, bounds;
};
[[gnu::noinline]] expected_result attention_of(const operands& all, const sizes& of) {
    expected_result expected;
    for (std::size_t i = 0; i < of.heads * of.queries; ++i) {
        std::vector<double> weights(of.keys);
        double greatest = -INFINITY, sum = 0;
        for (std::size_t j = 0; j < of.keys; ++j) {
            for (std::size_t d = 0; d < of.depth; ++d) weights[j] += all.q[i * of.depth + d] * all.k[j * of.depth + d];
            weights[j] /= std::sqrt(static_cast<double>(of.depth));
            if (all.kept[i % of.queries * of.keys + j]) greatest = (std::fmax)(greatest, weights[j]);
        }
        for (std::size_t j = 0; j < of.keys; ++j) {
            weights[j] = all.kept[i % of.queries * of.keys + j] ? std::exp(weights[j] - greatest) : 0;
            sum += weights[j];
        }
        for (std::size_t c = 0; c < of.columns; ++c) {
            double value = 0, magnitudes = 0;
            for (std::size_t j = 0; j < of.keys; ++j) {
                if (weights[j] == 0) continue;
                value += weights[j] / sum * all.v[j * of.columns + c];
                magnitudes += std::fabs(all.v[j * of.columns + c]);
            }
            expected.values.push_back(value);
            expected.bounds.push_back(sum == 0 ? 0 : magnitudes / sum / 254);
        }
    }
    return expected;
}
[[gnu::noinline]] void expect_near(const float* found, const expected_result& expected, const char* what) {
    for (std::size_t i = 0; i < expected.values.size(); ++i)
        ASSERT_NEAR(found[i], expected.values[i], expected.bounds[i] + 1e-5) << what << " at " << i;
}
[[gnu::noinline]] double distance(const float* found, const std::vector<double>& expected) {
    double squares = 0, of_difference = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        squares += expected[i] * expected[i];
        of_difference += (found[i] - expected[i]) * (found[i] - expected[i]);
    }
    return std::sqrt(squares == 0 ? of_difference : of_difference / squares);
}

template <std::size_t Heads, std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Columns>
struct case_of {
    static constexpr sizes of{Heads, Queries, Keys, Depth, Columns};
    tensor<float, Heads, Queries, Depth> q;
    tensor<float, Keys, Depth> k;
    tensor<float, Keys, Columns> v;
    quantized<float, Depth, Keys> keys;
    quantized<float, Keys, Columns> values;
    tensor<float, Heads, Queries, Columns> y;

    case_of() {
        support::random_numbers random(Queries + Keys);
        q = random.normal<float, Heads, Queries, Depth>();
        k = random.normal<float, Keys, Depth>();
        v = random.normal<float, Keys, Columns>();
        quantize(keys, transpose(k));
        quantize(values, v);
    }
    template <class Kept, class... Options>
    void expect(const char* what, Kept kept, const Options&... options) {
        y = attention(q, transpose(keys), values, options...);
        operands exact{{q.begin(), q.end()}, {k.begin(), k.end()}, {v.begin(), v.end()}, {}}, rounded;
        rounded.q = rounded_queries(q.data(), of);
        for (std::size_t j = 0; j < Keys; ++j) {
            for (std::size_t d = 0; d < Depth; ++d) rounded.k.push_back(keys(d, j));
            for (std::size_t c = 0; c < Columns; ++c) rounded.v.push_back(values(j, c));
        }
        for (std::size_t i = 0; i < Queries; ++i)
            for (std::size_t j = 0; j < Keys; ++j) exact.kept.push_back(kept(i, j));
        rounded.kept = exact.kept;
        expect_near(y.data(), attention_of(rounded, of), what);
        EXPECT_LT(distance(y.data(), attention_of(exact, of).values), 0.03) << what;
    }
};

constexpr auto all_pairs = [](std::size_t, std::size_t) { return true; };

TEST(byte_attention, without_a_mask) {
    case_of<1, 64, 64, 32, 32>{}.expect("square", all_pairs);
    case_of<1, 5, 37, 24, 17>{}.expect("odd", all_pairs);
    case_of<1, 1, 100, 16, 16>{}.expect("one query", all_pairs);
    case_of<1, 3, 1, 16, 4>{}.expect("one key", all_pairs);
}
TEST(byte_attention, with_masks) {
    case_of<1, 50, 50, 32, 32> square;
    square.expect("causal", [](std::size_t i, std::size_t j) { return j <= i; }, causal);
    square.expect("keys below", [](std::size_t, std::size_t j) { return j < 21; }, keys_below(21));
    square.expect("no keys", [](std::size_t, std::size_t) { return false; }, keys_below(0));
}
TEST(byte_attention, with_options) { case_of<1, 20, 40, 16, 16>{}.expect("fast", all_pairs, fast); }
TEST(byte_attention, of_heads_that_share_keys) { case_of<3, 20, 33, 16, 16>{}.expect("heads", all_pairs); }

TEST(byte_attention, of_many_tiles) { case_of<1, 150, 130, 32, 32>{}.expect("tiles", all_pairs); }

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
