// SPDX-License-Identifier: BSL-1.0
// windows by kernels against loops: as copies, as what is reduced, as left operands that are read in place.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;
using support::check_into;

constexpr tensor<float, 5> numbers{0, 1, 2, 3, 4};
static_assert(all(windows<0, 3>(numbers) == tensor<float, 3, 3>{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}}));
static_assert(all(windows<0, 2, 2>(numbers) == tensor<float, 2, 2>{{0, 1}, {2, 3}}));
static_assert(all(windows<0, 2, 1, 3>(numbers) == tensor<float, 2, 2>{{0, 3}, {1, 4}}));
static_assert(all(windows<0, 5>(numbers) == reshape<1, 5>(numbers)));
constexpr axis<"time", 5> time_axis;
static_assert(shape_of<decltype(windows<time_axis, 2, 3>(tensor<float, 2, time_axis, 4>{}))>::extents ==
              std::array<std::size_t, 4>{2, 2, 2, 4});

/// The windows of an axis of `a`.
reference::array windowed(const reference::array& a, std::size_t axis, std::size_t size, std::size_t step,
                          std::size_t dilation) {
    std::vector<std::size_t> extents = a.extents;
    extents[axis] = (extents[axis] - (size - 1) * dilation - 1) / step + 1;
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1, size);
    reference::array out = reference::make(extents);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const reference::index at = reference::coordinates(extents, i);
        reference::index from = at;
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
        from[axis] = at[axis] * step + at[axis + 1] * dilation;
        out.values[i] = reference::at(a, from);
    }
    return out;
}

template <std::size_t Extent>
void at_extent() {
    support::random_numbers random(Extent);
    const auto x = random.normal<float, 3, Extent + 4>();
    const auto y = random.normal<float, Extent + 4, 5>();
    const auto a = reference::of(x), b = reference::of(y);
    check(windows<1, 3>(x), windowed(a, 1, 3, 1, 1));
    check(windows<0, 2, 3, 2>(y * 1.0f), windowed(b, 0, 2, 3, 2));
    if constexpr (Extent == 37) {
        check(windows<1, Extent>(x) * 1.0f, windowed(a, 1, Extent, 1, 1));
        check(windows<0, 2, 3, 2>(y), windowed(b, 0, 2, 3, 2));
        check(windows<-1, 2>(windows<0, 3, 2>(y)), windowed(windowed(b, 0, 3, 2, 1), 2, 2, 1, 1));
        check(max<2>(windows<1, 3>(x)), reference::reduce(windowed(a, 1, 3, 1, 1), 2, false, reference::max));
        check(sum<1>(windows<0, 3, 2>(y)), reference::reduce(windowed(b, 0, 3, 2, 1), 1, false, reference::sum));
        check(transpose(windows<1, 4, 2>(x)), reference::transpose(windowed(a, 1, 4, 2, 1)));
        const auto doubles = random.normal<double, 3, 17>();
        check(windows<1, 3>(doubles), windowed(reference::of(doubles), 1, 3, 1, 1));
    }
}

TEST(windows, extents_around_a_register) {
    at_extent<1>();
    at_extent<7>();
    at_extent<9>();
    at_extent<16>();
    at_extent<37>();
}

TEST(windows, left_operands) {
    support::random_numbers random(7);
    const auto x = random.normal<float, 42, 6>();
    const auto w = random.normal<float, 18, 16>();
    const auto frames = reshape<40, 18>(windows<0, 3>(x));
    // Rows overlap in memory and are read in place.
    static_assert(plan<decltype(matmul(frames, w))>.step_count == 1);
    using dense = decltype(matmul(tensor<float, 40, 18>{}, w));
    static_assert(workspace_bytes<decltype(matmul(frames, w))> == workspace_bytes<dense>);
    check(matmul(frames, w));
    check(matmul(reshape<38, 18>(windows<0, 3, 1, 2>(x)), w));  // its tiles are copied
    const auto padded = concat<0>(broadcast_to<1, 6>(zeros<float>()), relu(x), zeros<float, 1, 6>());
    check(matmul(reshape<21, 18>(windows<0, 3, 2>(padded)), w));
    const auto v = random.normal<float, 6, 42>();
    check(transpose(matmul(reshape<40, 18>(windows<0, 3>(transpose(v))), w)));
    check(matmul(transpose(w), transpose(frames)));  // as the right operand
}

TEST(windows, masked_weights) {
    support::random_numbers random(9);
    const auto s = random.normal<float, 12, 12>();
    auto v = random.normal<float, 12, 5>();
    check(matmul(reshape<10, 36>(windows<0, 3>(softmax(masked(s, causal)))), random.normal<float, 36, 5>()), 1e-5);
    check(windows<0, 3>(matmul(softmax(masked(s, causal)), v)), 1e-5);
}

TEST(windows, destinations) {
    support::random_numbers random(3);
    auto x = random.normal<float, 19>();
    const auto before = x;
    tensor<float, 8, 8> frames{};
    check_into(view_of(frames), windows<0, 8, 1>(slice<0, 0, 15>(x)));
    // The destination is what is read.
    auto square = random.normal<float, 6, 6>();
    auto expected = square;  // assigned, as below: compiled once
    expected = sum<1>(windows<0, 2>(concat<0>(square, slice<0, 0, 1>(square))));
    square = sum<1>(windows<0, 2>(concat<0>(square, slice<0, 0, 1>(square))));
    EXPECT_TRUE(all(square == expected));
    slice<0, 0, 18>(x) = sum<1>(windows<0, 2>(x));
    for (std::size_t i = 0; i < 18; ++i) EXPECT_EQ(x(i), before(i) + before(i + 1));
    auto y = random.normal<float, 21, 4>();
    const auto w = random.normal<float, 8, 4>();
    const auto rows = eval(matmul(reshape<20, 8>(windows<0, 2>(y)), w));
    slice<0, 0, 20>(y) = matmul(reshape<20, 8>(windows<0, 2>(y)), w);
    EXPECT_TRUE(all((slice<0, 0, 20>(y)) == rows));
}

/// Windows of moved operands: the place of a window decides what its lanes read.
TEST(windows, over_other_moves) {
    support::random_numbers random(17);
    const auto x = random.normal<float, 17>();
    const auto m = random.normal<float, 17, 4>();
    const auto over = [](const auto& moved) {
        const reference::array values = reference::of(detail::constant_evaluate(moved));
        check(windows<0, 4>(moved), windowed(values, 0, 4, 1, 1));
        check(transpose(windows<0, 3, 2>(moved)), reference::transpose(windowed(values, 0, 3, 2, 1)));
    };
    over(roll<0, 3>(x));
    over(detail::repeat<0, 2>(x));
    over(flip<0>(x));
    over(reshape<68>(transpose(m)));
}

}  // namespace
