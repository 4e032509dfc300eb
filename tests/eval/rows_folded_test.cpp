// SPDX-License-Identifier: BSL-1.0
// Reductions over several axes of what is computed: tile after tile, against loops in double precision.
#include <tests/plan/program_check.hpp>
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::line;
using support::evaluated;

template <class E>
double number(const E& e) {
    const auto y = evaluated(e);
    return static_cast<double>(y.data()[0]);
}
double size_of(const line& x) { return std::max(std::abs(reference::max(x)), std::abs(reference::min(x))); }

/// Reductions of a lazy e whose elements, in order, are those of `expected`.
template <class E>
void expect_reduced(const E& e, const line& expected) {
    const double size = size_of(expected), variance_of = reference::variance(expected);
    EXPECT_NEAR(number(sum(e)), reference::sum(expected), 1e-6 * size * static_cast<double>(expected.size()));
    EXPECT_NEAR(number(variance(e)), variance_of, 1e-5 * variance_of);
    const auto where = static_cast<std::size_t>(number(argmax(e)));
    EXPECT_NEAR(expected[where % expected.size()], reference::max(expected), 1e-5 * size);
    static_assert(workspace_bytes<decltype(variance(e))> <= 16 * 1024 &&
                  workspace_bytes<decltype(sum(e))> <= 16 * 1024);
}
template <class E>
void expect_compared(const E& e, const line& expected) {
    const double size = size_of(expected), greatest = reference::max(expected);
    EXPECT_NEAR(number(mean(e)), reference::mean(expected), 1e-6 * size);
    EXPECT_NEAR(number(max(e)), greatest, 1e-5 * size);
    EXPECT_NEAR(number(min(e)), reference::min(expected), 1e-5 * size);
    for (const double bound : {1e9, greatest - 1e-3 * size}) {
        EXPECT_EQ(number(all(e < static_cast<float>(bound))), bound == 1e9);
        EXPECT_EQ(number(any(e > static_cast<float>(bound))), bound != 1e9);
    }
}

template <std::size_t Rows, std::size_t Columns>
struct matrices {
    support::random_numbers random{3};
    tensor<float, Rows, Columns> x = random.normal<float, Rows, Columns>(2, 3);
    tensor<float, Columns> g = random.normal<float, Columns>();
    line scaled = reference::multiply(reference::of(x), reference::of(g)).values;
};

TEST(folded, matrices) {
    matrices<40, 17> m;
    expect_reduced(m.x * m.g, m.scaled);
    expect_compared(m.x * m.g, m.scaled);
    line some = reference::of(m.x).values;
    for (std::size_t i = 9 * 17; i < some.size(); ++i) some[i] = 0.5;
    EXPECT_NEAR(number(sum(where(index<0>(m.x) < 9, m.x, 0.5f))), reference::sum(some), 1e-3);
    const auto turned = m.random.normal<float, 17, 40>();
    const auto more = reference::map(reference::transpose(reference::of(turned)), [](double x) { return x + 1; });
    expect_reduced(transpose(turned) + 1.0f, more.values);
}
TEST(folded, matrices_of_other_sizes) {
    const matrices<11, 3> small;
    expect_reduced(small.x * small.g, small.scaled);
    const matrices<1, 37> one;
    EXPECT_NEAR(number(sum(one.x * one.g)), reference::sum(one.scaled), 1e-4);
}

TEST(folded, more_axes) {
    support::random_numbers random(4);
    const auto x = random.normal<float, 3, 5, 7, 9>(1, 2);
    const auto g = random.normal<float, 7, 1>();
    const auto product = reference::multiply(reference::of(x), reference::of(g));
    EXPECT_NEAR(number(variance(x * g)), reference::variance(product.values), 1e-5);
    // Of 35: too few to be folded in tiles.
    reference::array lines{{3, 35, 9}, product.values};
    support::check(variance<1, 2>(x * g), reference::reduce(lines, 1, false, reference::variance), 1e-5);
}

TEST(folded, some_axes_of_several) {
    support::random_numbers random(5);
    static const auto x = random.normal<float, 37, 20, 19>(1, 2);
    static const auto g = random.normal<float, 20, 1>();
    const auto e = x * g;
    static_assert(workspace_bytes<decltype(sum<1, 2>(e))> <= 512 && workspace_bytes<decltype(sum<0, 1>(e))> <= 512);
    support::expect_sound(argmax<1, 2>(e));
    support::expect_sound(x - variance<0, 1>(e, keep_dims));
    const auto product = reference::multiply(reference::of(x), reference::of(g));
    const reference::array inner{{37, 380}, product.values}, outer{{740, 19}, product.values};
    support::check(argmax<1, 2>(e), reference::reduce(inner, 1, false, reference::argmax));
    support::check(argmax<0, 1>(e), reference::reduce(outer, 0, false, reference::argmax));
    const auto less = [](double a, double b) { return a - b; };
    auto variances = reference::reduce(inner, 1, false, reference::variance);
    variances.extents = {37, 1, 1};
    support::check(x - variance<1, 2>(e, keep_dims), reference::zip(reference::of(x), variances, less), 1e-5);
    support::check(x - variance<0, 1>(e, keep_dims),
                   reference::zip(reference::of(x), reference::reduce(outer, 0, false, reference::variance), less),
                   1e-5);
}

/// Products and statistics of rows are made for a tile, so that numbers pass from tile to tile.
TEST(folded, what_is_computed_in_tiles) {
    support::random_numbers random(6);
    static const auto x = random.normal<float, 100, 6>();
    static const auto z = random.normal<float, 100, 17>();
    static const auto w = random.normal<float, 6, 17>();
    static const tensor<float, 17> twice = generate<float, 17>([](std::size_t j) { return j == 3 ? 2.0f : 1.0f; });
    const auto products = reference::matmul(reference::of(x), reference::of(w));
    expect_reduced(matmul(x, w) + 10.0f, reference::map(products, [](double y) { return y + 10; }).values);
    expect_reduced(softmax(z) * twice,
                   reference::multiply(reference::softmax(reference::of(z)), reference::of(twice)).values);
}

TEST(folded, shared_by_a_name) {
    support::random_numbers random(7);
    const auto x = random.normal<float, 50, 6>(3, 1);
    const auto w = random.normal<float, 6, 9>();
    const auto shares = let(matmul(x, w), [](const auto& y) { return y / sum(y * y); });
    support::check(shares);
    support::expect_sound(shares);
    const auto centred = let(x * 2.0f, [](const auto& y) { return y - mean(y); });
    support::check(centred);
    support::expect_sound(centred);
}

TEST(folded, not_a_number_and_ties) {
    static tensor<float, 70, 5> x{};
    x(33, 4) = x(2, 1) = 7;
    static const tensor<float, 5> ones = full<float, 5>(1);
    EXPECT_EQ(number(argmax(x * ones)), 11);
    EXPECT_EQ(number(argmax(matmul(x, identity<float, 5>()))), 11);
    x(40, 2) = std::numeric_limits<float>::quiet_NaN();
    x(69, 0) = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(number(argmax(x * ones)), 202);
    EXPECT_TRUE(std::isnan(number(max(x * ones))));
    EXPECT_TRUE(std::isnan(number(sum(x * ones))));
    x = full<float, 70, 5>(-std::numeric_limits<float>::infinity());
    EXPECT_EQ(number(argmax(x * ones)), 0);
    EXPECT_EQ(number(max(x * ones)), -std::numeric_limits<double>::infinity());
}

/// Two passes would compute a function of many instructions twice: a tile of it waits in scratch.
TEST(folded, variance_of_costly_functions) {
    static const matrices<50, 17> m;
    line s = m.scaled;
    for (double& x : s) x = std::exp(x / 8);
    const auto e = variance(exp(m.x * m.g * 0.125f));
    static_assert(workspace_bytes<decltype(e)> <= 3 * 1024);
    support::expect_sound(e);
    EXPECT_NEAR(number(e), reference::variance(s), 1e-5 * reference::variance(s));
}

TEST(folded, far_from_zero) {
    static const auto x = generate<float, 500, 7>(
        [](std::size_t i, std::size_t j) { return 4096.0f + static_cast<float>((i * 7 + j) % 5); });
    static const tensor<float, 7> ones = full<float, 7>(1);
    EXPECT_NEAR(number(variance(x * ones)), 2, 1e-5);
}

TEST(folded, element_types) {
    support::random_numbers random(8);
    const auto d = random.normal<double, 33, 5>();
    const auto i = random.whole<std::int32_t, 33, 5>(-99, 99);
    const auto l = random.whole<std::int64_t, 33, 5>(-99, 99);
    const auto b = random.truths<33, 5>(0.9);
    const auto small = random.whole<std::uint8_t, 33, 5>(0, 200);
    const tensor<double, 5> dg = full<double, 5>(2);
    support::check(argmin(d * dg));
    support::check(prod(d * dg), 1e-10);
    support::check(sum(i * slice<0, 0, 1>(i)));
    support::check(argmin(i * slice<0, 0, 1>(i)));
    support::check(prod(i * slice<0, 0, 1>(i) + 1));
    support::check(min(l * slice<0, 0, 1>(l)));
    support::check(all(b || !slice<0, 0, 1>(b)));
    support::check(max(max(small, slice<0, 0, 1>(small))));
    support::check(sum(cast<std::int32_t>(small)));
}

/// The scratch of what used to make its whole operand.
template <class E>
constexpr std::size_t scratch_of(const E&) {
    return workspace_bytes<E>;
}
static tensor<float, 2749, 288> large;
static tensor<float, 288> row_of_large;
static tensor<float, 288, 288> square;
static_assert(scratch_of(sum((large - 1.0f) * (large - 1.0f))) == 64);
static_assert(scratch_of(sum(large * row_of_large)) == 64);
static_assert(scratch_of(sum(where(index<0>(large) < 9, large, 0.0f))) == 64);
static_assert(scratch_of(sum<0, 1>(where(index<0>(large) < 9, large, 0.0f))) == 64);
static_assert(scratch_of(max(large * row_of_large)) == 64);
static_assert(scratch_of(argmax(large * row_of_large)) == 64);
static_assert(scratch_of(variance(large * row_of_large)) == 64);
// With 16 registers columns of the right operand are copied.
static_assert(scratch_of(sum(matmul(large, square))) <= (current_config::registers >= 32 ? 40 : 56) * 1024);
static_assert(scratch_of(variance(softmax(large) * row_of_large)) <= 48 * 1024);

}  // namespace
