// SPDX-License-Identifier: BSL-1.0
// Views: over what memory, whose const counts, strides, and that assignment writes elements.
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>

namespace {

using namespace ashlar;

inline constexpr axis<"seq", 2> seq;

template <std::ptrdiff_t... S>
inline constexpr std::array<std::ptrdiff_t, sizeof...(S)> steps{S...};

using view = tensor_view<float, 2, 3>;
using const_view = tensor_view<const float, 2, 3>;
using transposed = strided_view<float, steps<1, 3>, std::size_t{3}, std::size_t{2}>;

// Types and constants.
static_assert(std::is_same_v<view, basic_view<float, std::size_t{2}, std::size_t{3}>>);
static_assert(array_expression<view> && array_expression<const_view> && array_expression<transposed>);
static_assert(std::is_same_v<const_view::value_type, float> && std::is_same_v<const_view::element_type, const float>);
static_assert(std::is_same_v<element_of<const_view>, float>);
static_assert(std::is_same_v<shape_of<transposed>, shape<std::size_t{3}, std::size_t{2}>>);
static_assert(view::rank == 2 && view::size == 6 && view::strides == steps<3, 1> && transposed::strides == steps<1, 3>);
static_assert(sizeof(view) == sizeof(float*) && sizeof(transposed) == sizeof(float*));
static_assert(std::is_trivially_copy_constructible_v<view> && std::is_trivially_destructible_v<view>);
static_assert(!std::is_default_constructible_v<view>);

// What can be viewed.
template <class From, class To>
inline constexpr bool converts = std::is_convertible_v<From, To>;
template <class From, class To>
inline constexpr bool only_explicitly = std::is_constructible_v<To, From> && !std::is_convertible_v<From, To>;

static_assert(only_explicitly<float*, view> && only_explicitly<float*, const_view>);
static_assert(only_explicitly<const float*, const_view>);
static_assert(!std::is_constructible_v<view, std::nullptr_t> && !std::is_constructible_v<view, int>);
static_assert(converts<std::array<float, 6>&, view> && converts<const std::array<float, 6>&, const_view>);
static_assert(converts<float (&)[6], view> && converts<const float (&)[6], const_view>);
static_assert(converts<std::span<float, 6>, view> && converts<std::span<const float, 6>&, const_view>);
static_assert(only_explicitly<std::span<float>, view> && only_explicitly<const std::span<const float>, const_view>);
static_assert(only_explicitly<std::vector<float>&, view> && only_explicitly<const std::vector<float>&, const_view>);
static_assert(converts<tensor<float, 2, 3>&, view> && converts<const tensor<float, 2, 3>&, const_view>);
static_assert(converts<tensor<float, seq, 3>&, view> && converts<view, tensor_view<float, seq, 3>>);
static_assert(converts<view, const_view> && converts<const view&, const_view>);

// Temporaries cannot be, except of what is a view itself.
static_assert(!std::is_constructible_v<const_view, tensor<float, 2, 3>>);
static_assert(!std::is_constructible_v<const_view, const tensor<float, 2, 3>>);
static_assert(!std::is_constructible_v<const_view, std::array<float, 6>>);
static_assert(!std::is_constructible_v<const_view, std::vector<float>>);
static_assert(std::is_constructible_v<const_view, view>);

template <class A>
concept has_view_of = requires(A&& a) { view_of(std::forward<A>(a)); };
static_assert(has_view_of<tensor<float, 2>&> && has_view_of<const tensor<float, 2>&> && !has_view_of<tensor<float, 2>>);
static_assert(!has_view_of<const tensor<float, 2>> && has_view_of<view> && has_view_of<const view&>);

// make_view picks the contiguous kind where it can.
template <class Shape, std::ptrdiff_t... S>
using made = decltype(detail::make_view<float, Shape, steps<S...>>(nullptr));
static_assert(std::is_same_v<made<shape_of<view>, 3, 1>, view>);
static_assert(std::is_same_v<made<shape_of<transposed>, 1, 3>, transposed>);
static_assert(std::is_same_v<made<shape<>>, tensor_view<float>>);
static_assert(detail::is_row_major(std::array<std::size_t, 3>{2, 1, 3}, steps<3, 99, 1>), "an extent of 1 never moves");
static_assert(!detail::is_row_major(std::array<std::size_t, 2>{2, 3}, steps<4, 1>));
static_assert(!detail::is_row_major(std::array<std::size_t, 1>{2}, steps<0>));

// Views of constants are constants.
constexpr tensor<float, 2, 3> constant{{1, 2, 3}, {4, 5, 6}};
constexpr const_view of_constant = constant;
static_assert(of_constant(1, 2) == 6 && of_constant[1](0) == 4 && of_constant[1][0] == 4);
static_assert(view_of(constant)(0, 1) == 2 && std::is_same_v<decltype(view_of(constant)), const_view>);
constexpr strided_view<const float, steps<1, 3>, std::size_t{3}, std::size_t{2}> columns{constant.data()};
static_assert(columns(2, 1) == 6 && columns[2](0) == 3 && *columns.begin() == 1 && *(columns.begin() + 1) == 4);
constexpr tensor<float, 3, 2> materialised = columns;
static_assert(materialised(2, 0) == 3 && materialised(0, 1) == 4);
template <const_view V>
constexpr float last_of = V(1, 2);
static_assert(last_of<of_constant> == 6, "structural");

// A row of a transpose is strided, the transpose of a transpose contiguous.
static_assert(std::is_same_v<decltype(columns[0]), strided_view<const float, steps<3>, std::size_t{2}>>);
using far_rows = strided_view<float, steps<8, 1>, std::size_t{2}, std::size_t{3}>;
static_assert(std::is_same_v<decltype(std::declval<far_rows>()[0]), tensor_view<float, 3>>);

constexpr bool assigns_in_a_constant_expression() {
    tensor<int, 2, 2> t{{1, 2}, {3, 4}};
    strided_view<int, steps<1, 2>, std::size_t{2}, std::size_t{2}> flipped{t.data()};
    t = flipped;
    if (t(0, 1) != 3 || t(1, 0) != 2) return false;
    flipped[0] = 9;
    const auto row = view_of(t)[1];
    row = tensor<int, 2>{5, 6};
    return t(0, 0) == 9 && t(1, 0) == 5 && t(1, 1) == 6;
}
static_assert(assigns_in_a_constant_expression());

TEST(View, SharesTheMemory) {
    std::array<float, 6> memory{1, 2, 3, 4, 5, 6};
    const view v = memory;
    v(1, 0) = 40;
    EXPECT_EQ(memory[3], 40);
    memory[0] = 10;
    EXPECT_EQ(v(0, 0), 10);
    EXPECT_EQ(v.data(), memory.data());
    EXPECT_EQ(v.end() - v.begin(), 6);

    float array[6]{1, 2, 3, 4, 5, 6};
    view over_array = array;
    over_array[1][2] = 60;
    EXPECT_EQ(array[5], 60);

    std::vector<float> heap(6, 1.0f);
    view over_vector{heap};
    over_vector = 2;
    EXPECT_EQ(heap[5], 2);

    const tensor_view<float, 3> part{array + 1};
    part = 0.5f;
    EXPECT_EQ(array[0], 1);
    EXPECT_EQ(array[3], 0.5f);
    EXPECT_EQ(array[4], 5);
}

TEST(View, NeedsNoMoreAlignmentThanItsElement) {
    alignas(64) std::array<float, 33> memory{};
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
    const tensor_view<float, 4, 8> shifted{memory.data() + 1};
    const tensor<float, 4, 8> copy = shifted;
    EXPECT_EQ(copy(3, 7), 32);
    shifted = zeros<float, 4, 8>();
    EXPECT_EQ(memory[0], 0);
    EXPECT_EQ(memory[32], 0);
}

TEST(View, CopiesThePointerAndAssignsElements) {
    auto a = iota<float, 2, 3>(), b = full<float, 2, 3>(-1);
    view va = a;
    view vb = b;
    view copy = va;
    EXPECT_EQ(copy.data(), a.data());
    vb = va;
    EXPECT_EQ(vb.data(), b.data()) << "nothing rebinds";
    EXPECT_EQ(b(1, 2), 5);
    const view cv = vb;
    cv = full<float, 2, 3>(7);
    EXPECT_EQ(b(0, 0), 7);
    cv = va;
    EXPECT_EQ(b(0, 1), 1);
    b[0] = b[1];
    EXPECT_EQ(b(0, 2), 5);
    auto row = b[1];
    row = a[0];
    EXPECT_EQ(b(1, 2), 2);
    std::array<float, 6> memory{6, 5, 4, 3, 2, 1};
    vb = memory;
    EXPECT_EQ(b(0, 0), 6);
}

TEST(View, NamesMerge) {
    auto named = iota<float, seq, 3>();
    const view plain = named;
    const tensor_view<const float, seq, 3> again = plain;
    EXPECT_EQ(again(1, 2), 5);
    plain = tensor<float, seq, 3>{};
    EXPECT_EQ(named(1, 2), 0);
}

TEST(View, RankZeroIsItsElement) {
    float x = 3;
    const tensor_view<float> v{&x};
    v = 4;
    EXPECT_EQ(x, 4);
    const float y = v;
    EXPECT_EQ(y, 4);
    v() = 5;
    EXPECT_EQ(x, 5);
    EXPECT_EQ(*v.begin(), 5);
}

TEST(StridedView, IteratesInTheOrderOfItsIndices) {
    auto t = iota<int, 2, 3>();
    const strided_view<int, steps<1, 3>, std::size_t{3}, std::size_t{2}> v{t.data()};
    static_assert(std::random_access_iterator<decltype(v.begin())>);
    EXPECT_EQ(std::vector<int>(v.begin(), v.end()), (std::vector<int>{0, 3, 1, 4, 2, 5}));
    EXPECT_EQ(v.end() - v.begin(), 6);
    EXPECT_EQ(v.begin()[3], 4);
    auto i = v.end();
    EXPECT_EQ(*--i, 5);
    EXPECT_EQ(*(i - 2), 4);
    EXPECT_LT(v.begin(), i);
    std::sort(v.begin(), v.end());
    EXPECT_EQ(v(2, 1), 5);
    EXPECT_EQ(v(0, 1), 1);
}

TEST(StridedView, StepsMayBeNegativeOrZero) {
    auto t = iota<int, 6>();
    const strided_view<int, steps<-2>, std::size_t{3}> backwards{t.data() + 5};
    EXPECT_EQ(backwards(0), 5);
    EXPECT_EQ(backwards(2), 1);
    backwards = tensor<int, 3>{10, 20, 30};
    EXPECT_EQ(t(5), 10);
    EXPECT_EQ(t(1), 30);
    EXPECT_EQ(t(0), 0);
    const strided_view<const int, steps<0, 1>, std::size_t{4}, std::size_t{2}> repeated{t.data()};
    const tensor<int, 4, 2> copy = repeated;
    EXPECT_EQ(copy(3, 1), 30);
    EXPECT_EQ(copy(3, 0), 0);
    const strided_view<const int, steps<-2>, std::size_t{3}> as_const = backwards;
    EXPECT_EQ(as_const(1), 20);
}

#if ASHLAR_CHECKS && GTEST_HAS_DEATH_TEST
TEST(ViewDeathTest, DynamicSizesAreChecked) {
    std::vector<float> heap(5);
    EXPECT_DEATH(view{heap}, "ashlar: view: the memory must have as many elements");
    EXPECT_DEATH((view{std::span<float>(heap)}), "ashlar: view: the memory must have as many elements");
    float array[6]{};
    const view v = array;
    EXPECT_DEATH(v(0, 3), "ashlar: indexing");
    EXPECT_DEATH(v[-1], "ashlar: indexing");
}
#endif

}  // namespace
