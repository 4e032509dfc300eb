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

template <class Element, std::size_t Extent>
void at_extent() {
    support::random_numbers random(Extent);
    const auto x = random.normal<Element, 3, Extent + 4>();
    const auto y = random.normal<Element, Extent + 4, 5>();
    const auto a = reference::of(x), b = reference::of(y);
    check(windows<1, 3>(x), windowed(a, 1, 3, 1, 1));
    check(windows<1, Extent>(x) * Element(1), windowed(a, 1, Extent, 1, 1));
    check(windows<0, 2, 3, 2>(y), windowed(b, 0, 2, 3, 2));
    check(windows<0, 2, 3, 2>(y * Element(1)), windowed(b, 0, 2, 3, 2));
    check(windows<-1, 2>(windows<0, 3, 2>(y)), windowed(windowed(b, 0, 3, 2, 1), 2, 2, 1, 1));
    check(max<2>(windows<1, 3>(x)),
          reference::reduce(windowed(a, 1, 3, 1, 1), 2, false, [](const auto& l) { return reference::max(l); }));
    check(sum<1>(windows<0, 3, 2>(y)),
          reference::reduce(windowed(b, 0, 3, 2, 1), 1, false, [](const auto& l) { return reference::sum(l); }));
    check(transpose(windows<1, 4, 2>(x)), reference::transpose(windowed(a, 1, 4, 2, 1)));
}

TEST(windows, extents_around_a_register) {
    at_extent<float, 1>();
    at_extent<float, 4>();
    at_extent<float, 7>();
    at_extent<float, 9>();
    at_extent<float, 17>();
    at_extent<float, 37>();
    at_extent<double, 13>();
}

TEST(windows, left_operands) {
    support::random_numbers random(7);
    const auto x = random.normal<float, 41, 6>();
    const auto w = random.normal<float, 18, 21>();
    const auto frames = reshape<39, 18>(windows<0, 3>(x));
    // Rows overlap in memory and are read in place.
    static_assert(plan<decltype(matmul(frames, w))>.step_count == 1);
    using dense = decltype(matmul(tensor<float, 39, 18>{}, w));
    static_assert(workspace_bytes<decltype(matmul(frames, w))> == workspace_bytes<dense>);
    check(matmul(frames, w));
    check(matmul(reshape<20, 18>(windows<0, 3, 2>(x)), w));
    check(matmul(reshape<37, 18>(windows<0, 3, 1, 2>(x)), w));  // its tiles are copied
    check(matmul(reshape<39, 18>(windows<0, 3>(relu(x))), w));
    check(matmul(reshape<41, 18>(windows<0, 3>(concat<0>(broadcast_to<1, 6>(zeros<float>()), x, zeros<float, 1, 6>()))),
                 w));
    const auto v = random.normal<float, 6, 41>();
    check(matmul(reshape<39, 18>(windows<0, 3>(transpose(v))), w));
    check(transpose(matmul(reshape<39, 18>(windows<0, 3>(transpose(v))), w)));
    check(matmul(transpose(w), transpose(reshape<39, 18>(windows<0, 3>(x)))));  // as the right operand
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
    const auto expected = eval(sum<1>(windows<0, 2>(concat<0>(square, slice<0, 0, 1>(square)))));
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
template <std::size_t Extent>
void over_moves() {
    support::random_numbers random(Extent);
    const auto x = random.normal<float, Extent>();
    const auto m = random.normal<float, Extent, 4>();
    const auto over = [](const auto& moved) {
        const auto values = eval(moved);
        check(windows<0, 4>(moved), windowed(reference::of(values), 0, 4, 1, 1));
        check(transpose(windows<0, 3, 2>(moved)), reference::transpose(windowed(reference::of(values), 0, 3, 2, 1)));
    };
    over(roll<0, 3>(x));
    over(detail::repeat<0, 2>(x));
    over(flip<0>(x));
    over(reshape<4 * Extent>(transpose(m)));
}

TEST(windows, over_other_moves) {
    over_moves<8>();
    over_moves<17>();
}

}  // namespace
