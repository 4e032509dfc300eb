// SPDX-License-Identifier: BSL-1.0
// Reductions over few entries, which a map computes where it reads them, against loops in double precision.
#include <cmath>
#include <limits>

#include <tests/support/differential.hpp>
#include <tests/support/static_operand.hpp>

namespace {

using namespace ashlar;
using support::check;

/// Such a reduction has no stage of its own.
template <class E>
constexpr bool is_one_map(const E&) {
    const auto& code = detail::planned<E, current_config>::code;
    return code.stage_count == 1 && code.stages[0].kind == detail::stage_kind::map && code.scratch_bytes == 0;
}
TEST(reductions_in_maps, which_they_are) {
    using support::x;
    EXPECT_TRUE(is_one_map(sum<1>(x<40, 9>())));
    EXPECT_FALSE(is_one_map(sum<1>(x<40, 10>()))) << "too many entries";
    EXPECT_TRUE(is_one_map(max<2, 4>(windows<1, 3>(windows<2, 3>(x<2, 40, 33>())))));
    EXPECT_TRUE(is_one_map(max<1>(windows<0, 64>(x<90, 40>()))));
    EXPECT_FALSE(is_one_map(max<1>(windows<0, 65>(x<90, 40>())))) << "too many entries";
    EXPECT_FALSE(is_one_map(x<40, 9>() / sum<1>(x<40, 9>(), keep_dims))) << "each is read nine times";
    EXPECT_FALSE(is_one_map(argmax<1>(x<40, 4>())));
    EXPECT_FALSE(is_one_map(variance<1>(x<40, 4>())));
}

template <std::size_t Extent, std::size_t Entries>
void fold_both_axes() {
    support::random_numbers random(Extent + Entries);
    const auto x = random.normal<float, Extent, Entries>();
    const auto y = random.normal<float, Entries, Extent>();
    const auto a = reference::of(x), b = reference::of(y);
    check(sum<1>(x), reference::reduce(a, 1, false, reference::sum));
    check(mean<0>(y), reference::reduce(b, 0, false, reference::mean));
    check(max<1>(x, keep_dims), reference::reduce(a, 1, true, reference::max));
    check(min<0>(y), reference::reduce(b, 0, false, reference::min));
    check(prod<1>(x), reference::reduce(a, 1, false, [](const reference::line& line) {
              double all = 1;
              for (const double v : line) all *= v;
              return all;
          }));
    const auto of_exp = reference::map(a, [](double v) { return std::exp(v); });
    check(relu(sum<1>(exp(x)) - 1.0f), reference::map(reference::reduce(of_exp, 1, false, reference::sum),
                                                      [](double v) { return reference::relu(v - 1); }));
}
TEST(reductions_in_maps, extents_and_counts_up_to_one_too_many) {
    fold_both_axes<1, 5>();
    fold_both_axes<16, 9>();
    fold_both_axes<61, 2>();
    fold_both_axes<17, 1>();
    fold_both_axes<17, 10>();
}

TEST(reductions_in_maps, nested_windows) {
    support::random_numbers random(3);
    const auto x = random.normal<float, 2, 21, 37>();
    const auto a = reference::of(x);
    const auto largest = [&](std::size_t height, std::size_t width, std::size_t down, std::size_t across) {
        reference::array out = reference::make({2, (21 - height) / down + 1, (37 - width) / across + 1});
        for (std::size_t i = 0; i < out.size(); ++i) {
            const reference::index at = reference::coordinates(out.extents, i);
            double most = -std::numeric_limits<double>::infinity();
            for (std::size_t r = 0; r < height; ++r)
                for (std::size_t c = 0; c < width; ++c)
                    most = std::max(most, reference::at(a, {at[0], at[1] * down + r, at[2] * across + c}));
            out.values[i] = most;
        }
        return out;
    };
    check(max<2, 4>(windows<1, 2, 2>(windows<2, 3, 2>(x))), largest(2, 3, 2, 2));
    check(max<2>(windows<1, 5, 3>(max<3>(windows<2, 7, 1>(x)))), largest(5, 7, 3, 1));
    check(log(max<2, 4>(windows<1, 3>(windows<2, 3>(exp(x))))), largest(3, 3, 1, 1), 1e-5);
}

TEST(reductions_in_maps, element_types) {
    support::random_numbers random(4);
    const auto i = random.whole<std::int32_t, 19, 4>(-99, 99);
    check(sum<1>(i) * 2, reference::map(reference::reduce(reference::of(i), 1, false, reference::sum),
                                        [](double v) { return 2 * v; }));
    check(min<1>(i), reference::reduce(reference::of(i), 1, false, reference::min));
    const tensor<bf16, 19, 4> narrow = random.normal<float, 19, 4>();
    check(max<1>(narrow), reference::reduce(reference::of(eval(narrow * 1.0f)), 1, false, reference::max));
}

TEST(reductions_in_maps, nan_is_the_largest_and_the_least) {
    tensor<float, 33, 3> x{};
    x(4, 0) = x(5, 1) = x(32, 2) = std::numeric_limits<float>::quiet_NaN();
    x(7, 0) = x(7, 1) = x(7, 2) = -std::numeric_limits<float>::infinity();
    const auto most = eval(max<1>(x)), least = eval(min<1>(x));
    for (std::size_t r = 0; r < 33; ++r) {
        EXPECT_EQ(std::isnan(most(r)), r == 4 || r == 5 || r == 32) << r;
        EXPECT_EQ(std::isnan(least(r)), r == 4 || r == 5 || r == 32) << r;
    }
    EXPECT_EQ(most(7), -std::numeric_limits<float>::infinity());
}

TEST(reductions_in_maps, into_an_operand) {
    support::random_numbers random(6);
    auto x = random.normal<float, 40, 40>();
    const tensor<float, 38, 40> expected = max<1>(windows<0, 3>(x));
    tensor_view<float, 38, 40> same(x.data());
    same = max<1>(windows<0, 3>(x));
    EXPECT_TRUE(all(same == expected));
}

TEST(reductions_in_maps, of_a_product_and_of_a_named_value) {
    support::random_numbers random(7);
    const auto x = random.normal<float, 12, 20>();
    const auto w = random.normal<float, 20, 28>();
    const auto product = reference::matmul(reference::of(x), reference::of(w));
    reference::array pairs = reference::make({12, 7, 4});
    pairs.values = product.values;
    const auto most = reference::reduce(pairs, 2, false, reference::max);
    check(max<2>(reshape<12, 7, 4>(matmul(x, w))), most, 1e-5);
    check(let(max<2>(reshape<12, 7, 4>(matmul(x, w))), [](const auto& m) { return m + m; }), reference::add(most, most),
          1e-5);
}

}  // namespace
