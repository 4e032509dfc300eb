// SPDX-License-Identifier: BSL-1.0
// flip and roll by kernels against loops: at all extents around a register, as operands and as roots, under masks.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;
using support::check_into;

/// Each entry of an axis from the place that `source` names.
reference::array moved(const reference::array& a, std::size_t axis, auto source) {
    reference::array out = a;
    for (std::size_t i = 0; i < out.size(); ++i) {
        reference::index at = reference::coordinates(a.extents, i);
        at[axis] = source(at[axis]);
        out.values[i] = reference::at(a, at);
    }
    return out;
}
reference::array flipped(const reference::array& a, std::size_t axis) {
    return moved(a, axis, [&](std::size_t i) { return a.extents[axis] - 1 - i; });
}
reference::array rolled(const reference::array& a, std::size_t axis, std::ptrdiff_t shift) {
    const auto extent = static_cast<std::ptrdiff_t>(a.extents[axis]);
    return moved(a, axis, [&](std::size_t i) {
        const std::ptrdiff_t from = (static_cast<std::ptrdiff_t>(i) - shift) % extent;
        return static_cast<std::size_t>(from < 0 ? from + extent : from);
    });
}

template <std::size_t Extent>
void at_extent() {
    support::random_numbers random(Extent);
    const auto x = random.normal<float, 3, Extent>();
    const auto y = random.normal<float, Extent, 5>();
    const auto a = reference::of(x), b = reference::of(y);
    constexpr auto shift = static_cast<std::ptrdiff_t>(3 * Extent + 2);
    check(flip<1>(x * 1.0f), flipped(a, 1));
    check(roll<1, 1>(x), rolled(a, 1, 1));
    check(roll<-2, shift>(y * 1.0f), rolled(b, 0, shift));
}

TEST(roll, extents_around_a_register) {
    constexpr std::size_t w = detail::machine_of<current_config>.lanes(sizeof(float));
    at_extent<1>();
    at_extent<(w > 1 ? w - 1 : 2)>();
    at_extent<w>();
    at_extent<w + 1>();
}
TEST(roll, element_types) {
    support::random_numbers random(1);
    const auto x = random.normal<float, 3, 21>();
    const auto wide = random.normal<double, 3, 19>();
    const tensor<int, 3, 21> whole = cast<int>(x * 100.0f);
    const tensor<std::int8_t, 3, 21> bytes = cast<std::int8_t>(x * 20.0f);
    const tensor<bool, 3, 21> truth = x > 0.0f;
    check(flip<1>(roll<1, 1>(wide)) + 0.0, flipped(rolled(reference::of(wide), 1, 1), 1));
    check(flip<1>(whole) + 0, flipped(reference::of(whole), 1));
    check(roll<1, 4>(bytes), rolled(reference::of(bytes), 1, 4));
    check(flip<1>(truth), flipped(reference::of(truth), 1));
    check(roll<0, 1>(!truth && roll<1, 20>(truth)));
}

TEST(roll, several_axes_and_chains) {
    support::random_numbers random(2);
    const auto x = random.normal<float, 3, 7, 18>();
    const auto a = reference::of(x);
    check(flip(x * 1.0f), flipped(flipped(flipped(a, 0), 1), 2));
    check(roll<1, 50>(reshape<3, 126>(transpose(x) * 1.0f)));
    check(slice<2, 15, 2, -3>(roll<2, 5>(x * 2.0f)));
    check(roll<2, 7>(broadcast_to<3, 7, 18>(random.normal<float, 7, 1>())) * x);
    check(concat<2>(roll<2, 5>(x), flip<2>(x), x));
    check(roll<2, 5>(detail::repeat<2, 2>(x)));
    check(roll<0, 1>(take<0>(x, tensor<int, 4>{2, 0, 1, 2})));
}

TEST(roll, entries_by_their_coordinates) {
    support::random_numbers random(3);
    const auto x = random.normal<float, 9, 33>();
    check(roll<1, 6>(cast<float>(ashlar::index<1>(x))) + flip<0>(cast<float>(ashlar::index<0>(x))) * 100.0f);
    check(let(softmax(x), [](const auto& y) { return roll<0, 1>(y) - roll<1, -1>(y) + flip<1>(y); }));
}

TEST(roll, inside_rows_and_reductions) {
    support::random_numbers random(4);
    const auto x = random.normal<float, 11, 37>();
    const auto gamma = random.normal<float, 37>();
    check(flip<0>(softmax(roll<1, 5>(x))), flipped(reference::softmax(rolled(reference::of(x), 1, 5)), 0));
    check(sum<0>(roll<0, 5>(x) * flip<0>(x)));
    check(roll<0, 4>(sum<1>(x)) + flip<0>(max<1>(roll<1, 5>(x))));
    check(roll<1, 5>(layer_norm(x, gamma, roll<0, 1>(gamma))));
    check(x - roll<0, 1>(mean<1>(x, keep_dims)));
}

TEST(roll, inside_products) {
    support::random_numbers random(5);
    const auto a = random.normal<float, 8, 21>();
    const auto b = random.normal<float, 21, 32>();
    const auto product = reference::matmul(reference::of(a), reference::of(b));
    check(matmul(roll<0, 2>(a), b), rolled(product, 0, 2), 1e-5);
    check(matmul(roll<1, 2>(a), roll<0, 2>(b)), product, 1e-5);
    check(matmul(a, roll<1, 30>(b)), rolled(product, 1, 30), 1e-5);
    check(flip<0>(roll<1, 30>(matmul(a, b))), flipped(rolled(product, 1, 30), 0), 1e-5);
    check(matmul(a, transpose(roll<0, 4>(transpose(b)))), 1e-5);
}

TEST(roll, what_masks_exclude_stays_excluded) {
    support::random_numbers random(6);
    const auto scores = random.normal<float, 19, 19>();
    auto values = random.normal<float, 19, 16>();
    const auto weights = softmax(masked(scores, causal));
    // Query q keeps keys up to q. Rolled by 4, the row of query q is row q + 4, and key k meets value k + 4.
    const auto by_rows = matmul(roll<0, 4>(weights), values);
    const auto upside_down = matmul(flip<0>(weights), values);
    check(by_rows, 1e-5);
    check(upside_down, 1e-5);
    check(matmul(flip<1>(weights), values), 1e-5);
    check(matmul(softmax(roll<1, 4>(masked(scores, causal))), values), 1e-5);
    // Only query 18 keeps key 18. Its row is the first one after flip<0>, and row 3 after a roll by 4.
    for (std::size_t c = 0; c < 16; ++c) values(18, c) = std::numeric_limits<float>::quiet_NaN();
    // Value 3 meets key 18 after the keys were turned by 4.
    const auto flipped = support::evaluated(upside_down), turned = support::evaluated(by_rows),
               keys = support::evaluated(matmul(roll<1, 4>(weights), roll<0, 4>(values)));
    for (std::size_t q = 0; q < 19; ++q)
        for (std::size_t c = 0; c < 16; ++c) {
            EXPECT_EQ(std::isnan(flipped(q, c)), q == 0) << q << ' ' << c;
            EXPECT_EQ(std::isnan(turned(q, c)), q == 3) << q << ' ' << c;
            EXPECT_EQ(std::isnan(keys(q, c)), q == 18) << q << ' ' << c;
        }
}

TEST(roll, memory_that_is_read_and_written) {
    support::random_numbers random(7);
    auto x = random.normal<float, 23, 19>();
    reference::array expected = reference::of(x);
    const auto expect = [&](const reference::array& now) { reference::expect_near(x, expected = now, 0); };
    x = flip<0>(x);
    expect(flipped(expected, 0));
    x = flip<1>(x);
    expect(flipped(expected, 1));
    x = roll<0, 3>(x);
    expect(rolled(expected, 0, 3));
    x = roll<1, 4>(exp(x) * 0.0f + x) * 1.0f;
    expect(rolled(expected, 1, 4));

    tensor<float, 23, 19> y{};
    flip<0, 1>(y) = x;
    reference::expect_near(y, flipped(flipped(expected, 0), 1), 0);
    check_into(flip<1>(y), roll<1, 6>(x));
    check_into(transpose(y), roll<0, 6>(transpose(x)));
}

// ---------------------------------------------------------------- constants

constexpr auto v = iota<float, 8>();
constexpr tensor<float, 2, 3> m{{1, 2, 3}, {4, 5, 6}};
static_assert(all(flip<0>(v) == tensor<float, 8>{7, 6, 5, 4, 3, 2, 1, 0}));
static_assert(all(flip(m) == tensor<float, 2, 3>{{6, 5, 4}, {3, 2, 1}}));
static_assert(all(flip<-1>(m * 1.0f) == tensor<float, 2, 3>{{3, 2, 1}, {6, 5, 4}}));
static_assert(all(roll<0, 3>(v) == tensor<float, 8>{5, 6, 7, 0, 1, 2, 3, 4}));
static_assert(all(roll<0, -3>(v + 0.0f) == tensor<float, 8>{3, 4, 5, 6, 7, 0, 1, 2}));
static_assert(all(roll<0, 19>(v) == roll<0, 3>(v)) && all(roll<0, -8000000>(v) == v));
static_assert(all(roll<1, 1>(m) == tensor<float, 2, 3>{{3, 1, 2}, {6, 4, 5}}));
static_assert(eval(flip(tensor<float>{3})) == 3.0f);

// Axis names are kept, memory gives views if strides can express them, and inverse operations cancel.
inline constexpr axis<"seq", 4> seq;
using named = tensor<float, seq, 2>;
static_assert(std::is_same_v<shape_of<decltype(flip<seq>(std::declval<named&>()))>, shape<seq, std::size_t{2}>>);
static_assert(array_expression<decltype(flip<seq>(std::declval<named&>()))>);
static_assert(array_expression<decltype(roll<seq, 4>(std::declval<named&>()))>);
static_assert(array_expression<decltype(roll<1, 1>(std::declval<named&>()))>);   // two entries change places
static_assert(!detail::writable<decltype(roll<1, 1>(std::declval<named&>()))>);  // but as of any extent, not to write
static_assert(std::is_same_v<decltype(roll<0, 1>(roll<0, 2>(std::declval<named&>()))),
                             decltype(roll<0, 3>(std::declval<named&>()))>);
static_assert(array_expression<decltype(roll<0, 1>(roll<0, 3>(std::declval<named&>())))>);

}  // namespace
