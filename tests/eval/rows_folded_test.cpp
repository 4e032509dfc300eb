// SPDX-License-Identifier: BSL-1.0
// Reductions over several axes of what is computed: tile after tile, against loops in double precision.
#include <tests/plan/program_check.hpp>
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::evaluated;

struct statistics {
    std::size_t count = 0, where = 0;
    double sum = 0, greatest = -std::numeric_limits<double>::infinity(), least = -greatest;
    std::vector<double> all;

    void add(double x) {
        if (x > greatest) where = count;
        greatest = std::max(greatest, x);
        least = std::min(least, x);
        sum += x;
        ++count;
        all.push_back(x);
    }
    double mean() const { return sum / static_cast<double>(count); }
    double variance() const {
        double squares = 0;
        for (const double x : all) squares += (x - mean()) * (x - mean());
        return squares / static_cast<double>(count);
    }
};

template <class E>
double number(const E& e) {
    const auto y = evaluated(e);
    return static_cast<double>(y.data()[0]);
}

/// Reductions of a lazy e whose elements, in order, are those of `expected`.
template <class E>
void expect_reduced(const E& e, const statistics& expected) {
    const double size = std::max(std::abs(expected.greatest), std::abs(expected.least));
    EXPECT_NEAR(number(sum(e)), expected.sum, 1e-6 * size * static_cast<double>(expected.count));
    EXPECT_NEAR(number(variance(e)), expected.variance(), 1e-5 * expected.variance());
    const auto where = static_cast<std::size_t>(number(argmax(e)));
    EXPECT_NEAR(expected.all[where % expected.count], expected.greatest, 1e-5 * size);
    static_assert(workspace_bytes<decltype(variance(e))> <= 16 * 1024 &&
                  workspace_bytes<decltype(sum(e))> <= 16 * 1024);
}
template <class E>
void expect_compared(const E& e, const statistics& expected) {
    const double size = std::max(std::abs(expected.greatest), std::abs(expected.least));
    EXPECT_NEAR(number(mean(e)), expected.mean(), 1e-6 * size);
    EXPECT_NEAR(number(max(e)), expected.greatest, 1e-5 * size);
    EXPECT_NEAR(number(min(e)), expected.least, 1e-5 * size);
    EXPECT_EQ(number(all(e < 1e9f)), 1);
    EXPECT_EQ(number(any(e > 1e9f)), 0);
    EXPECT_EQ(number(all(e < static_cast<float>(expected.greatest - 1e-3 * size))), 0);
    EXPECT_EQ(number(any(e > static_cast<float>(expected.greatest - 1e-3 * size))), 1);
}

template <std::size_t Rows, std::size_t Columns>
struct matrices {
    support::random_numbers random{3};
    tensor<float, Rows, Columns> x = random.normal<float, Rows, Columns>(2, 3);
    tensor<float, Columns, Rows> turned = random.normal<float, Columns, Rows>();
    tensor<float, Columns> g = random.normal<float, Columns>();

    template <class F>
    static statistics each(F f) {
        statistics s;
        for (std::size_t i = 0; i < Rows; ++i)
            for (std::size_t j = 0; j < Columns; ++j) s.add(f(i, j));
        return s;
    }
    double at(std::size_t i, std::size_t j) const { return static_cast<double>(x(i, j)); }
    statistics scaled() const {
        return each([this](std::size_t i, std::size_t j) { return at(i, j) * static_cast<double>(g(j)); });
    }
};

TEST(folded, matrices) {
    const matrices<40, 17> m;
    expect_reduced(m.x * m.g, m.scaled());
    expect_compared(m.x * m.g, m.scaled());
    expect_reduced((m.x - 1.0f) * (m.x - 1.0f),
                   m.each([&](std::size_t i, std::size_t j) { return (m.at(i, j) - 1) * (m.at(i, j) - 1); }));
    expect_reduced(where(index<0>(m.x) < 9, m.x, 0.5f),
                   m.each([&](std::size_t i, std::size_t j) { return i < 9 ? m.at(i, j) : 0.5; }));
    const auto turned = m.each([&](std::size_t i, std::size_t j) { return static_cast<double>(m.turned(j, i)) + 1; });
    expect_reduced(transpose(m.turned) + 1.0f, turned);
    expect_compared(transpose(m.turned) + 1.0f, turned);
}
TEST(folded, matrices_of_other_sizes) {
    const matrices<11, 3> small;
    expect_reduced(small.x * small.g, small.scaled());
    const matrices<131, 48> large;
    expect_reduced(large.x * large.g, large.scaled());
    const matrices<1, 37> line;
    EXPECT_NEAR(number(sum(line.x * line.g)), line.scaled().sum, 1e-4);
}

TEST(folded, more_axes) {
    support::random_numbers random(4);
    const auto x = random.normal<float, 3, 5, 7, 9>(1, 2);
    const auto g = random.normal<float, 7, 1>();
    const auto at = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
        return static_cast<double>(x(a, b, c, d)) * static_cast<double>(g(c, 0));
    };
    statistics everything;
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 5; ++b)
            for (std::size_t c = 0; c < 7; ++c)
                for (std::size_t d = 0; d < 9; ++d) everything.add(at(a, b, c, d));
    expect_reduced(x * g, everything);

    const auto middle = evaluated(variance<1, 2>(x * g));  // of 35: too few to be folded in tiles
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t d = 0; d < 9; ++d) {
            statistics s;
            for (std::size_t b = 0; b < 5; ++b)
                for (std::size_t c = 0; c < 7; ++c) s.add(at(a, b, c, d));
            EXPECT_NEAR(static_cast<double>(middle(a, d)), s.variance(), 1e-5 * s.variance());
        }
}

TEST(folded, some_axes_of_several) {
    support::random_numbers random(5);
    static const auto x = random.normal<float, 37, 20, 19>(1, 2);
    static const auto g = random.normal<float, 20, 1>();
    const auto at = [&](std::size_t a, std::size_t b, std::size_t c) {
        return static_cast<double>(x(a, b, c)) * static_cast<double>(g(b, 0));
    };
    const auto e = x * g;
    static_assert(workspace_bytes<decltype(sum<1, 2>(e))> <= 512 && workspace_bytes<decltype(sum<0, 1>(e))> <= 512);
    support::expect_sound(argmax<1, 2>(e));
    support::expect_sound(x - variance<0, 1>(e, keep_dims));
    const auto inner = evaluated(argmax<1, 2>(e));
    const auto outer = evaluated(argmax<0, 1>(e));
    const auto less = evaluated(x - variance<1, 2>(e, keep_dims)),
               less_outer = evaluated(x - variance<0, 1>(e, keep_dims));
    for (std::size_t a = 0; a < 37; ++a) {
        statistics s;
        for (std::size_t b = 0; b < 20; ++b)
            for (std::size_t c = 0; c < 19; ++c) s.add(at(a, b, c));
        EXPECT_EQ(static_cast<std::size_t>(inner(a)), s.where);
        EXPECT_NEAR(static_cast<double>(less(a, 3, 5)), static_cast<double>(x(a, 3, 5)) - s.variance(), 1e-4);
    }
    for (std::size_t c = 0; c < 19; ++c) {
        statistics s;
        for (std::size_t a = 0; a < 37; ++a)
            for (std::size_t b = 0; b < 20; ++b) s.add(at(a, b, c));
        EXPECT_EQ(static_cast<std::size_t>(outer(c)), s.where);
        EXPECT_NEAR(static_cast<double>(less_outer(7, 8, c)), static_cast<double>(x(7, 8, c)) - s.variance(), 1e-4);
    }
}

/// Products and statistics of rows are made for a tile, so that numbers pass from tile to tile.
TEST(folded, what_is_computed_in_tiles) {
    support::random_numbers random(6);
    static const auto x = random.normal<float, 100, 6>();
    static const auto z = random.normal<float, 100, 17>();
    static const auto w = random.normal<float, 6, 17>();
    statistics products, weights;
    for (std::size_t i = 0; i < 100; ++i) {
        double total = 0;
        for (std::size_t j = 0; j < 17; ++j) {
            double y = 0;
            for (std::size_t d = 0; d < 6; ++d) y += static_cast<double>(x(i, d)) * static_cast<double>(w(d, j));
            products.add(y + 10);
            total += std::exp(static_cast<double>(z(i, j)));
        }
        for (std::size_t j = 0; j < 17; ++j)
            weights.add(std::exp(static_cast<double>(z(i, j))) / total * (j == 3 ? 2 : 1));
    }
    expect_reduced(matmul(x, w) + 10.0f, products);
    expect_compared(matmul(x, w) + 10.0f, products);
    static const tensor<float, 17> twice = generate<float, 17>([](std::size_t j) { return j == 3 ? 2.0f : 1.0f; });
    expect_reduced(softmax(z) * twice, weights);
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
    EXPECT_TRUE(std::isnan(number(min(x * ones))));
    EXPECT_TRUE(std::isnan(number(sum(x * ones))));
    x = full<float, 70, 5>(-std::numeric_limits<float>::infinity());
    EXPECT_EQ(number(argmax(x * ones)), 0);
    EXPECT_EQ(number(max(x * ones)), -std::numeric_limits<double>::infinity());
}

/// Two passes would compute a function of many instructions twice: a tile of it waits in scratch.
TEST(folded, variance_of_costly_functions) {
    static const matrices<50, 17> m;
    statistics s;
    for (const double x : m.scaled().all) s.add(std::exp(x / 8));
    const auto e = variance(exp(m.x * m.g * 0.125f));
    static_assert(workspace_bytes<decltype(e)> <= 3 * 1024);
    support::expect_sound(e);
    EXPECT_NEAR(number(e), s.variance(), 1e-5 * s.variance());
}

TEST(folded, far_from_zero) {
    static const auto x = generate<float, 500, 7>(
        [](std::size_t i, std::size_t j) { return 4096.0f + static_cast<float>((i * 7 + j) % 5); });
    static const tensor<float, 7> ones = full<float, 7>(1);
    EXPECT_NEAR(number(variance(x * ones)), 2, 1e-5);
    EXPECT_NEAR(number(variance(matmul(x, identity<float, 7>()))), 2, 1e-4);
}

TEST(folded, element_types) {
    support::random_numbers random(8);
    const auto d = random.normal<double, 33, 5>();
    const auto i = random.whole<std::int32_t, 33, 5>(-99, 99);
    const auto l = random.whole<std::int64_t, 33, 5>(-99, 99);
    const auto b = random.truths<33, 5>(0.9);
    const auto small = random.whole<std::uint8_t, 33, 5>(0, 200);
    const tensor<double, 5> dg = full<double, 5>(2);
    support::check(sum(d * dg));
    support::check(variance(d * dg));
    support::check(argmax(d * dg));
    support::check(argmin(d * dg));
    support::check(prod(d * dg), 1e-10);
    support::check(norm(d * dg));
    support::check(sum(i * slice<0, 0, 1>(i)));
    support::check(max(i * slice<0, 0, 1>(i)));
    support::check(argmax(i * slice<0, 0, 1>(i)));
    support::check(argmin(i * slice<0, 0, 1>(i)));
    support::check(prod(i * slice<0, 0, 1>(i) + 1));
    support::check(sum(l * slice<0, 0, 1>(l)));
    support::check(min(l * slice<0, 0, 1>(l)));
    support::check(all(b || !slice<0, 0, 1>(b)));
    support::check(any(b && slice<0, 0, 1>(b)));
    support::check(sum(cast<float>(b)));
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
