// SPDX-License-Identifier: BSL-1.0
// flip and roll by kernels against loops: at all extents around a register, as operands and as roots, under masks.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;
using support::check_into;

/// Each entry of an axis from the place that `source` names.
reference::array moved(const reference::array& a, std::size_t axis, auto source) {
    reference::array out = reference::make(a.extents);
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
        std::ptrdiff_t from = static_cast<std::ptrdiff_t>(i) - shift;
        while (from < 0) from += extent;
        while (from >= extent) from -= extent;
        return static_cast<std::size_t>(from);
    });
}

template <class Element, std::size_t Extent>
void at_extent() {
    support::random_numbers random(Extent);
    const auto x = random.normal<Element, 3, Extent>();
    const auto y = random.normal<Element, Extent, 5>();
    const auto a = reference::of(x), b = reference::of(y);
    check(flip<1>(x * Element(1)), flipped(a, 1));
    check(flip<0>(y) * Element(1), flipped(b, 0));
    check(roll<1, 1>(x), rolled(a, 1, 1));
    check(roll<-2, static_cast<std::ptrdiff_t>(3 * Extent + 2)>(y * Element(1)),
          rolled(b, 0, static_cast<std::ptrdiff_t>(3 * Extent + 2)));
}

TEST(roll, extents_around_a_register) {
    constexpr std::size_t w = detail::machine_of<current_config>.lanes(sizeof(float));
    at_extent<float, 1>();
    at_extent<float, 2>();
    at_extent<float, (w > 1 ? w - 1 : 1)>();
    at_extent<float, w>();
    at_extent<float, w + 1>();
    at_extent<float, 37>();
}
TEST(roll, element_types) {
    at_extent<double, 19>();
    support::random_numbers random(1);
    const auto x = random.normal<float, 3, 21>();
    const auto integers = cast<int>(x * 100.0f);
    const auto small = cast<std::int8_t>(x * 20.0f);
    const tensor<int, 3, 21> whole = integers;
    const tensor<std::int8_t, 3, 21> bytes = small;
    const tensor<bool, 3, 21> truth = x > 0.0f;
    check(flip<1>(whole) + 0, flipped(reference::of(whole), 1));
    check(roll<1, 4>(whole) + 0, rolled(reference::of(whole), 1, 4));
    check(roll<1, 4>(integers), rolled(reference::of(whole), 1, 4));
    check(flip<1>(bytes), flipped(reference::of(bytes), 1));
    check(roll<1, 4>(bytes), rolled(reference::of(bytes), 1, 4));
    check(flip<1>(truth), flipped(reference::of(truth), 1));
    check(roll<1, 4>(truth), rolled(reference::of(truth), 1, 4));
    check(roll<1, 4>(x > 0.0f), rolled(reference::of(truth), 1, 4));
    check(roll<0, 1>(!truth && roll<1, 20>(truth)));
}

TEST(roll, several_axes_and_chains) {
    support::random_numbers random(2);
    const auto x = random.normal<float, 3, 7, 18>();
    const auto a = reference::of(x);
    check(flip<0, 2>(x) * 1.0f, flipped(flipped(a, 0), 2));
    check(flip(x * 1.0f), flipped(flipped(flipped(a, 0), 1), 2));
    check(roll<2, 5>(roll<1, -2>(x)), rolled(rolled(a, 1, -2), 2, 5));
    check(roll<2, 5>(flip<2>(x)), rolled(flipped(a, 2), 2, 5));
    check(flip<2>(roll<2, 5>(x * 1.0f)), flipped(rolled(a, 2, 5), 2));
    check(transpose(roll<2, 5>(x)));
    check(roll<1, 5>(transpose(x)) * 2.0f);
    check(roll<1, 5>(reshape<3, 126>(x)), rolled({{3, 126}, a.values}, 1, 5));
    check(roll<1, 50>(reshape<3, 126>(transpose(x) * 1.0f)));
    check(reshape<21, 18>(roll<2, 5>(x)));
    check(reshape<3, 126>(roll<2, 5>(x)) + reshape<3, 126>(roll<1, 5>(x)));
    check(reshape<378>(roll<1, 2>(x)));
    check(slice<2, 15, 2, -3>(roll<2, 5>(x * 2.0f)));
    check(slice<1, 1, 5>(roll<1, 3>(x)));
    check(broadcast_to<2, 3, 7, 18>(roll<2, 5>(x)) + 1.0f);
    check(roll<2, 7>(broadcast_to<3, 7, 18>(random.normal<float, 7, 1>())) * x);
    check(concat<2>(roll<2, 5>(x), flip<2>(x), x));
    check(roll<2, 20>(concat<2>(x, exp(x))));
    check(detail::repeat<2, 2>(roll<2, 5>(x)));
    check(roll<2, 5>(detail::repeat<2, 2>(x)));
    check(roll<0, 1>(take<0>(x, tensor<int, 4>{2, 0, 1, 2})));
    check(take<2>(roll<2, 5>(x), tensor<int, 4>{17, 0, 9, 2}));
}

TEST(roll, entries_by_their_coordinates) {
    support::random_numbers random(3);
    const auto x = random.normal<float, 9, 33>();
    check(roll<1, 6>(cast<float>(ashlar::index<1>(x))) + roll<0, 2>(cast<float>(ashlar::index<0>(x))) * 100.0f);
    check(flip<1>(cast<float>(ashlar::index<1>(x))));
    check(let(exp(x), [](const auto& y) { return roll<1, 1>(y) - roll<1, -1>(y) + y; }));
    check(let(softmax(x), [](const auto& y) { return roll<0, 1>(y) - roll<1, -1>(y) + flip<1>(y); }));
}

TEST(roll, inside_rows_and_reductions) {
    support::random_numbers random(4);
    const auto x = random.normal<float, 11, 37>();
    const auto gamma = random.normal<float, 37>();
    check(softmax(roll<1, 5>(x)), reference::softmax(rolled(reference::of(x), 1, 5)));
    check(roll<1, 5>(softmax(x)), rolled(reference::softmax(reference::of(x)), 1, 5));
    check(roll<0, 5>(softmax(x)), rolled(reference::softmax(reference::of(x)), 0, 5));
    check(softmax<0>(roll<0, 5>(x)));
    check(roll<0, 5>(softmax<0>(x)));
    check(sum<1>(roll<1, 5>(x) * x));
    check(sum<0>(roll<0, 5>(x) * flip<0>(x)));
    check(roll<0, 4>(sum<1>(x)) + flip<0>(max<1>(x)));
    check(argmax<1>(roll<1, 30>(x)));
    check(max(roll<1, 30>(x)));
    check(layer_norm(roll<1, 5>(x), gamma, gamma));
    check(roll<1, 5>(layer_norm(x, gamma, roll<0, 1>(gamma))));
    check(x - roll<0, 1>(mean<1>(x, keep_dims)));
}

TEST(roll, inside_products) {
    support::random_numbers random(5);
    const auto a = random.normal<float, 13, 21>();
    const auto b = random.normal<float, 21, 35>();
    check(matmul(roll<0, 2>(a), b), rolled(reference::matmul(reference::of(a), reference::of(b)), 0, 2), 1e-5);
    check(matmul(roll<1, 2>(a), roll<0, 2>(b)), reference::matmul(reference::of(a), reference::of(b)), 1e-5);
    check(matmul(flip<1>(a), flip<0>(b)), reference::matmul(reference::of(a), reference::of(b)), 1e-5);
    check(matmul(a, roll<1, 30>(b)), rolled(reference::matmul(reference::of(a), reference::of(b)), 1, 30), 1e-5);
    check(matmul(a, flip<1>(b * 1.0f)), flipped(reference::matmul(reference::of(a), reference::of(b)), 1), 1e-5);
    check(roll<1, 30>(matmul(a, b)), rolled(reference::matmul(reference::of(a), reference::of(b)), 1, 30), 1e-5);
    check(roll<0, 3>(matmul(a, b)) + 1.0f, 1e-5);
    check(flip<0>(matmul(a, b)), flipped(reference::matmul(reference::of(a), reference::of(b)), 0), 1e-5);
    check(matmul(softmax(roll<1, 3>(a)), b), 1e-5);
    check(matmul(roll<1, 3>(softmax(a)), roll<0, 3>(b)), 1e-5);
    check(matmul(a, transpose(roll<0, 4>(transpose(b)))), 1e-5);
}

TEST(roll, what_masks_exclude_stays_excluded) {
    support::random_numbers random(6);
    const auto scores = random.normal<float, 19, 19>();
    auto values = random.normal<float, 19, 16>();
    const auto weights = softmax(masked(scores, causal));
    // Query q keeps keys up to q. Rolled by 4, the row of query q is row q + 4, and key k meets value k + 4.
    check(matmul(roll<0, 4>(weights), values), 1e-5);
    check(matmul(roll<1, 4>(weights), values), 1e-5);
    check(matmul(flip<0>(weights), values), 1e-5);
    check(matmul(flip<1>(weights), values), 1e-5);
    check(matmul(softmax(roll<0, 4>(masked(scores, causal))), values), 1e-5);
    check(matmul(softmax(roll<1, 4>(masked(scores, causal))), values), 1e-5);
    // Only query 18 keeps key 18. Its row is the first one after flip<0>, and row 3 after a roll by 4.
    for (std::size_t c = 0; c < 16; ++c) values(18, c) = std::numeric_limits<float>::quiet_NaN();
    const tensor<float, 19, 16> upside_down = matmul(flip<0>(weights), values);
    const tensor<float, 19, 16> turned = matmul(roll<0, 4>(weights), values);
    for (std::size_t q = 0; q < 19; ++q)
        for (std::size_t c = 0; c < 16; ++c) {
            EXPECT_EQ(upside_down(q, c) != upside_down(q, c), q == 0) << q << ' ' << c;
            EXPECT_EQ(turned(q, c) != turned(q, c), q == 3) << q << ' ' << c;
        }
    // Value 3 meets key 18 after the keys were turned by 4.
    const tensor<float, 19, 16> keys = matmul(roll<1, 4>(weights), roll<0, 4>(values));
    for (std::size_t q = 0; q < 19; ++q) EXPECT_EQ(keys(q, 0) != keys(q, 0), q == 18) << q;
}

TEST(roll, memory_that_is_read_and_written) {
    support::random_numbers random(7);
    auto x = random.normal<float, 23, 19>();
    const auto before = reference::of(x);
    reference::array expected = flipped(before, 0);
    x = flip<0>(x);
    reference::expect_near(x, expected, 0);
    expected = flipped(expected, 1);
    x = flip<1>(x);
    reference::expect_near(x, expected, 0);
    x = roll<0, 3>(x);
    expected = rolled(expected, 0, 3);
    reference::expect_near(x, expected, 0);
    x = roll<1, -4>(x);
    expected = rolled(expected, 1, -4);
    reference::expect_near(x, expected, 0);
    x = roll<1, 4>(exp(x) * 0.0f + x) * 1.0f;
    expected = rolled(expected, 1, 4);
    reference::expect_near(x, expected, 0);

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
static_assert(all(flip<0>(m) == tensor<float, 2, 3>{{4, 5, 6}, {1, 2, 3}}));
static_assert(all(flip<-1>(m * 1.0f) == tensor<float, 2, 3>{{3, 2, 1}, {6, 5, 4}}));
static_assert(all(roll<0, 3>(v) == tensor<float, 8>{5, 6, 7, 0, 1, 2, 3, 4}));
static_assert(all(roll<0, -3>(v + 0.0f) == tensor<float, 8>{3, 4, 5, 6, 7, 0, 1, 2}));
static_assert(all(roll<0, 19>(v) == roll<0, 3>(v)) && all(roll<0, -8000000>(v) == v));
static_assert(all(roll<1, 1>(m) == tensor<float, 2, 3>{{3, 1, 2}, {6, 4, 5}}));
static_assert(all(roll<0, 1>(m) == tensor<float, 2, 3>{{4, 5, 6}, {1, 2, 3}}));
static_assert(all(roll<0, 1>(m * 1.0f) == tensor<float, 2, 3>{{4, 5, 6}, {1, 2, 3}}));
static_assert(eval(flip(tensor<float>{3})) == 3.0f);

// Axis names are kept, memory gives views if strides can express them, and inverse operations cancel.
inline constexpr axis<"seq", 4> seq;
using named = tensor<float, seq, 2>;
static_assert(std::is_same_v<shape_of<decltype(flip<seq>(std::declval<named&>()))>, shape<seq, std::size_t{2}>>);
static_assert(std::is_same_v<shape_of<decltype(roll<seq, 1>(std::declval<named&>()))>, shape<seq, std::size_t{2}>>);
static_assert(array_expression<decltype(flip<seq>(std::declval<named&>()))>);
static_assert(array_expression<decltype(roll<seq, 4>(std::declval<named&>()))>);
static_assert(array_expression<decltype(roll<1, 1>(std::declval<named&>()))>);   // two entries change places
static_assert(!detail::writable<decltype(roll<1, 1>(std::declval<named&>()))>);  // but as of any extent, not to write
static_assert(std::is_same_v<decltype(roll<0, 1>(roll<0, 2>(std::declval<named&>()))),
                             decltype(roll<0, 3>(std::declval<named&>()))>);
static_assert(array_expression<decltype(roll<0, 1>(roll<0, 3>(std::declval<named&>())))>);

}  // namespace
