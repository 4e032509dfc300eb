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
    const auto times = [&](double x) { return [&, x](std::size_t, std::size_t j) { return x * double(r(0, j)); }; };
    expect_matrix(matmul(sum(t, keep_dims), r), times(s));
    expect_matrix(matmul(reshape<1, 1>(sum(t)), r), times(s));
    expect_matrix(matmul(transpose(mean(t * 1.0f, keep_dims)), r), times(s / 39));
    expect_matrix(matmul(broadcast_to<5, 1>(sum(t)), r), times(s));
    expect_matrix(let(sum(t, keep_dims), [&](const auto& y) { return matmul(y, r) + matmul(y, y); }),
                  [&](std::size_t, std::size_t j) { return s * double(r(0, j)) + s * s; });
    // Inner products.
    expect_matrix(outer(reshape<1>(sum(t)), reshape<40>(r)), times(s));
    EXPECT_NEAR(double(eval(dot(broadcast_to<40>(sum(t)), reshape<40>(r)))()), s * total(r), 1e-3);
}
TEST_F(products_of_totals, as_the_right_operand) {
    const double s = total(t);
    const auto scaled = [&](std::size_t i, std::size_t) { return s * double(c(i, 0)); };
    expect_matrix(matmul(c, sum(t, keep_dims)), scaled);
    expect_matrix(matmul(transpose(r), variance(t, keep_dims)), [&](std::size_t i, std::size_t) {
        double squares = 0;
        for (const float x : t) squares += (double(x) - s / 39) * (double(x) - s / 39);
        return squares / 39 * double(r(0, i));
    });
    // As both operands.
    expect_matrix(matmul(matmul(sum(t, keep_dims), r), c * max(t)), [&](std::size_t, std::size_t) {
        double product = 0;
        for (std::size_t i = 0; i < 40; ++i) product += double(r(0, i)) * double(c(i, 0));
        return s * product * greatest(t);
    });
}
TEST_F(products_of_totals, in_batches) {
    const auto a = random.normal<float, 3, 1, 40>();
    const double s = total(t);
    const auto b = random.normal<float, 3, 5, 7>();
    const tensor<float, 3, 1, 40> y = matmul(sum(t, keep_dims), a), each = matmul(sum<1, 2>(b, keep_dims), a);
    const tensor<float, 3, 40, 1> w = matmul(permute<0, 2, 1>(a), sum(t, keep_dims));
    for (std::size_t n = 0; n < 3; ++n)
        for (std::size_t j = 0; j < 40; ++j) {
            EXPECT_NEAR(double(y(n, 0, j)), s * double(a(n, 0, j)), 1e-4);
            EXPECT_NEAR(double(w(n, j, 0)), s * double(a(n, 0, j)), 1e-4);
            // One number for each entry of the batch.
            EXPECT_NEAR(double(each(n, 0, j)), total(b[n]) * double(a(n, 0, j)), 1e-4);
        }
}

TEST_F(products_of_totals, in_a_softmax) {
    const double s = total(t);
    double all = 0;
    for (std::size_t j = 0; j < 40; ++j) all += std::exp(s * double(r(0, j)));
    expect_matrix(softmax(matmul(sum(t, keep_dims), r)),
                  [&](std::size_t, std::size_t j) { return std::exp(s * double(r(0, j))) / all; });
    expect_matrix(matmul(softmax(broadcast_to<1, 4>(sum(t))), broadcast_to<4, 9>(max(t))),
                  [&](std::size_t, std::size_t) { return greatest(t); });
}

TEST(attention_of_totals, scale_bias_and_keys) {
    support::random_numbers random(13);
    const auto q = random.normal<float, 5, 4>();
    const auto k = random.normal<float, 9, 4>(), v = random.normal<float, 9, 4>();
    const auto t = random.uniform<float, 3, 3>(0, 0.2);
    const float s = static_cast<float>(total(t));
    const auto expect = [&](const auto& e, const tensor<float, 5, 4>& queries, const tensor<float, 9, 4>& keys,
                            double scale = 1) {
        reference::attention_options options;
        options.scale = scale;
        support::expect_sound(e);
        support::check(
            e, reference::attend(reference::of(queries), reference::of(keys), reference::of(v), options).values, 1e-5);
    };
    expect(matmul(softmax(matmul(q, transpose(k)) * sum(t)), v), q, k, total(t));
    expect(attention(q, k, v, scale(1.0f), bias(broadcast_to<5, 9>(sum(t)))), q, k);
    expect(attention(q, broadcast_to<9, 4>(sum(t)), v, scale(1.0f)), q, full<float, 9, 4>(s));
    expect(attention(q, k * max(t), v, scale(1.0f)), q, k, greatest(t));
    const auto column = reshape<5, 1>(row(transpose(q), 0));
    expect(attention(matmul(column, broadcast_to<1, 4>(sum(t))), k, v), broadcast_to<5, 4>(column * s), k, 0.5);
    // Values that are numbers come out as they went in.
    expect_matrix(attention(q, k, broadcast_to<9, 6>(sum(t))), [&](std::size_t, std::size_t) { return double(s); });
}

}  // namespace
