// SPDX-License-Identifier: BSL-1.0
// Products, attention and softmax whose operands are numbers of the same expression: reductions behind reshapes.
#include <tests/plan/program_check.hpp>
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::evaluated;

template <class T>
double total(const T& t) {
    double sum = 0;
    for (const auto x : t) sum += static_cast<double>(x);
    return sum;
}
template <class T>
double greatest(const T& t) {
    double most = -1e30;
    for (const auto x : t) most = std::max(most, static_cast<double>(x));
    return most;
}

/// Compares with f(row, column), as doubles.
template <class E, class F>
void expect_matrix(const E& e, F f, std::source_location where = std::source_location::current()) {
    support::expect_sound(e);
    const auto y = evaluated(e, where);
    reference::array expected = reference::make({y.extents.begin(), y.extents.end()});
    const std::size_t columns = y.extents[y.rank() - 1];
    for (std::size_t i = 0; i < expected.size(); ++i) expected.values[i] = f(i / columns, i % columns);
    reference::expect_near(y, expected, 1e-5, 1e-3, where);
}

struct products_of_totals : testing::Test {
    support::random_numbers random{12};
    tensor<float, 13, 3> t = random.normal<float, 13, 3>();
    tensor<float, 1, 40> r = random.normal<float, 1, 40>();
    tensor<float, 40, 1> c = random.normal<float, 40, 1>();
};

TEST_F(products_of_totals, as_the_left_operand) {
    const double s = total(t);
    const auto scaled = [&](std::size_t, std::size_t j) { return s * static_cast<double>(r(0, j)); };
    expect_matrix(matmul(sum(t, keep_dims), r), scaled);
    expect_matrix(matmul(reshape<1, 1>(sum(t)), r), scaled);
    expect_matrix(matmul(sum(t * 1.0f, keep_dims), r), scaled);
    expect_matrix(matmul(mean(t, keep_dims), r),
                  [&](std::size_t, std::size_t j) { return s / 39 * static_cast<double>(r(0, j)); });
    expect_matrix(matmul(max(t, keep_dims), r),
                  [&](std::size_t, std::size_t j) { return greatest(t) * static_cast<double>(r(0, j)); });
    expect_matrix(matmul(transpose(sum(t, keep_dims)), r), scaled);
    expect_matrix(matmul(broadcast_to<5, 1>(sum(t)), r), scaled);
}
TEST_F(products_of_totals, as_the_right_operand) {
    const double s = total(t);
    const auto scaled = [&](std::size_t i, std::size_t) { return s * static_cast<double>(c(i, 0)); };
    expect_matrix(matmul(c, sum(t, keep_dims)), scaled);
    expect_matrix(matmul(c, reshape<1, 1>(sum(t))), scaled);
    expect_matrix(matmul(c, min(t, keep_dims)), [&](std::size_t i, std::size_t) {
        double least = 1e30;
        for (const float x : t) least = std::min(least, static_cast<double>(x));
        return least * static_cast<double>(c(i, 0));
    });
    expect_matrix(matmul(c, broadcast_to<1, 7>(sum(t))), scaled);
    expect_matrix(matmul(transpose(r), variance(t, keep_dims)), [&](std::size_t i, std::size_t) {
        const double mean = s / 39;
        double squares = 0;
        for (const float x : t) squares += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
        return squares / 39 * static_cast<double>(r(0, i));
    });
}
TEST_F(products_of_totals, as_both_operands) {
    const double s = total(t);
    expect_matrix(matmul(sum(t, keep_dims), max(t, keep_dims)),
                  [&](std::size_t, std::size_t) { return s * greatest(t); });
    expect_matrix(matmul(matmul(sum(t, keep_dims), r), c * max(t)), [&](std::size_t, std::size_t) {
        double product = 0;
        for (std::size_t i = 0; i < 40; ++i) product += static_cast<double>(r(0, i)) * static_cast<double>(c(i, 0));
        return s * product * greatest(t);
    });
    expect_matrix(let(sum(t, keep_dims), [&](const auto& y) { return matmul(y, r) + matmul(y, y); }),
                  [&](std::size_t, std::size_t j) { return s * static_cast<double>(r(0, j)) + s * s; });
}
TEST_F(products_of_totals, inner_products) {
    const double s = total(t);
    const tensor<float, 1> one{2.5f};
    const tensor<float> product = dot(reshape<1>(sum(t)), one), turned = dot(one, reshape<1>(sum(t)));
    EXPECT_NEAR(static_cast<double>(product()), 2.5 * s, 1e-4);
    EXPECT_NEAR(static_cast<double>(turned()), 2.5 * s, 1e-4);
    const tensor<float> rows = dot(broadcast_to<40>(sum(t)), reshape<40>(r));
    EXPECT_NEAR(static_cast<double>(rows()), s * total(r), 1e-3);
    expect_matrix(einsum<"ij,jk->ik">(sum(t, keep_dims), r),
                  [&](std::size_t, std::size_t j) { return s * static_cast<double>(r(0, j)); });
    expect_matrix(einsum<"ij,kj->ki">(sum(t, keep_dims), c),
                  [&](std::size_t k, std::size_t) { return s * static_cast<double>(c(k, 0)); });
    expect_matrix(outer(reshape<1>(sum(t)), reshape<40>(r)),
                  [&](std::size_t, std::size_t j) { return s * static_cast<double>(r(0, j)); });
}
TEST_F(products_of_totals, in_batches) {
    const auto a = random.normal<float, 3, 1, 40>();
    const double s = total(t);
    const tensor<float, 3, 1, 40> y = matmul(sum(t, keep_dims), a), z = matmul(reshape<1, 1, 1>(sum(t)), a);
    const tensor<float, 3, 40, 1> w = matmul(permute<0, 2, 1>(a), sum(t, keep_dims));
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_NEAR(static_cast<double>(y.data()[i]), s * static_cast<double>(a.data()[i]), 1e-4);
        EXPECT_NEAR(static_cast<double>(z.data()[i]), s * static_cast<double>(a.data()[i]), 1e-4);
        EXPECT_NEAR(static_cast<double>(w.data()[i]), s * static_cast<double>(a.data()[i]), 1e-4);
    }
    // One number for each entry of the batch.
    const auto b = random.normal<float, 3, 5, 7>();
    const tensor<float, 3, 1, 40> each = matmul(sum<1, 2>(b, keep_dims), a);
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t j = 0; j < 40; ++j)
            EXPECT_NEAR(static_cast<double>(each(n, 0, j)), total(b[n]) * static_cast<double>(a(n, 0, j)), 1e-4);
}

TEST_F(products_of_totals, in_a_softmax) {
    const double s = total(t);
    double all = 0;
    for (std::size_t j = 0; j < 40; ++j) all += std::exp(s * static_cast<double>(r(0, j)));
    expect_matrix(softmax(matmul(sum(t, keep_dims), r)),
                  [&](std::size_t, std::size_t j) { return std::exp(s * static_cast<double>(r(0, j))) / all; });
    expect_matrix(matmul(softmax(reshape<1, 1>(sum(t))), r),
                  [&](std::size_t, std::size_t j) { return static_cast<double>(r(0, j)); });
    expect_matrix(matmul(reshape<1, 1>(squeeze(softmax(reshape<1>(sum(t))))), r),
                  [&](std::size_t, std::size_t j) { return static_cast<double>(r(0, j)); });
    expect_matrix(matmul(softmax(broadcast_to<1, 4>(sum(t))), broadcast_to<4, 9>(max(t))),
                  [&](std::size_t, std::size_t) { return greatest(t); });
}

struct attention_of_totals : testing::Test {
    support::random_numbers random{13};
    tensor<float, 5, 4> q = random.normal<float, 5, 4>();
    tensor<float, 9, 4> k = random.normal<float, 9, 4>();
    tensor<float, 9, 6> v = random.normal<float, 9, 6>();
    tensor<float, 3, 3> t = random.uniform<float, 3, 3>(0, 0.2);

    /// Attention with scores changed by f.
    template <class Key, class F>
    auto expected(Key key, F f) const {
        return [this, key, f](std::size_t i, std::size_t c) {
            double total = 0, mixed = 0;
            for (std::size_t j = 0; j < 9; ++j) {
                double score = 0;
                for (std::size_t d = 0; d < 4; ++d) score += static_cast<double>(q(i, d)) * key(j, d);
                const double weight = std::exp(f(score));
                total += weight;
                mixed += weight * static_cast<double>(v(j, c));
            }
            return mixed / total;
        };
    }
};

TEST_F(attention_of_totals, scale_bias_and_keys) {
    const auto key = [this](std::size_t j, std::size_t d) { return static_cast<double>(k(j, d)); };
    const double s = total(t);
    expect_matrix(matmul(softmax(matmul(q, transpose(k)) * sum(t)), v), expected(key, [&](double x) { return x * s; }));
    expect_matrix(attention(q * sum(t), k, v, scale(1.0f)), expected(key, [&](double x) { return x * s; }));
    expect_matrix(attention(q, k, v, scale(1.0f), bias(broadcast_to<5, 9>(sum(t)))),
                  expected(key, [&](double x) { return x + s; }));
    expect_matrix(attention(q, k, v, scale(1.0f), bias(sum(t, keep_dims))),
                  expected(key, [&](double x) { return x + s; }));
    expect_matrix(attention(q, broadcast_to<9, 4>(sum(t)), v, scale(1.0f)),
                  expected([&](std::size_t, std::size_t) { return s; }, [](double x) { return x; }));
    expect_matrix(
        attention(q, k * max(t), v, scale(1.0f)),
        expected([&](std::size_t j, std::size_t d) { return key(j, d) * greatest(t); }, [](double x) { return x; }));
    expect_matrix(attention(matmul(reshape<5, 1>(row(transpose(q), 0)), broadcast_to<1, 4>(sum(t))), k, v),
                  [&](std::size_t i, std::size_t c) {
                      double total_weight = 0, mixed = 0;
                      for (std::size_t j = 0; j < 9; ++j) {
                          double score = 0;
                          for (std::size_t d = 0; d < 4; ++d) score += static_cast<double>(q(i, 0)) * s * key(j, d) / 2;
                          total_weight += std::exp(score);
                          mixed += std::exp(score) * static_cast<double>(v(j, c));
                      }
                      return mixed / total_weight;
                  });
    // Values that are numbers come out as they went in.
    expect_matrix(attention(q, k, broadcast_to<9, 6>(sum(t))), [&](std::size_t, std::size_t) { return s; });
    expect_matrix(attention(sum(t, keep_dims), max(t, keep_dims), mean(t, keep_dims)),
                  [&](std::size_t, std::size_t) { return s / 9; });
}

}  // namespace
