// SPDX-License-Identifier: BSL-1.0
// Tensors: layout, type identity, every way to make one, element access, sub-views and assignment.
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;

inline constexpr axis<"seq", 2> seq;
inline constexpr axis<"head", 3> head;

// One type for one shape.
static_assert(std::is_same_v<tensor<float, 6>, tensor<float, std::size_t{6}>>);
static_assert(std::is_same_v<tensor<float, 6u, 2L>, basic_tensor<float, std::size_t{6}, std::size_t{2}>>);
static_assert(std::is_same_v<tensor<float, seq, 6>, tensor<float, axis<"seq", 2>{}, 6>>);
static_assert(!std::is_same_v<tensor<float, seq>, tensor<float, 2>>);
static_assert(array_expression<tensor<float, 2>> && !node_expression<tensor<float, 2>>);
static_assert(std::is_same_v<shape_of<tensor<float, seq, 3>>, shape<seq, std::size_t{3}>>);

// Constants, as objects and as functions.
using matrix = tensor<float, seq, 3>;
static_assert(matrix::rank == 2 && matrix::size == 6 && matrix{}.size() == 6 && matrix::size() == 6);
static_assert(matrix::extents == std::array<std::size_t, 2>{2, 3});
static_assert(matrix::strides == std::array<std::ptrdiff_t, 2>{3, 1});
static_assert(std::array<int, matrix::size>{}.size() == 6, "a constant for the type system");
static_assert(tensor<float>::rank == 0 && tensor<float>::size == 1 && tensor<float>::strides.empty());

// No padding: the size is that of the elements, for any alignment.
template <class T, auto... Dims>
consteval bool is_packed(std::size_t alignment) {
    using type = tensor<T, Dims...>;
    struct after_a_byte {
        char byte;
        type value;
    };
    return sizeof(type) == type::size() * sizeof(T) && alignof(type) == alignment &&
           offsetof(after_a_byte, value) == alignment && sizeof(type[3]) == 3 * sizeof(type) &&
           std::is_trivially_copyable_v<type> && std::is_trivially_default_constructible_v<type> &&
           std::is_standard_layout_v<type>;
}
static_assert(is_packed<float>(4) && is_packed<float, 1>(4) && is_packed<float, 2>(8) && is_packed<float, 3>(4));
static_assert(is_packed<float, 3, 2>(8) && is_packed<float, 5, 4>(16) && is_packed<float, 7, 8>(32));
static_assert(is_packed<float, 16>(64) && is_packed<float, 31, 32>(64) && is_packed<float, 64, 64>(64));
static_assert(is_packed<float, seq, 3>(8) && is_packed<bool, 3>(1) && is_packed<bool, 64>(64));
static_assert(is_packed<std::int8_t, 6>(2) && is_packed<std::int32_t, 4>(16) && is_packed<std::int64_t, 4>(32));
static_assert(is_packed<double, 2>(16) && is_packed<double, 3>(8) && is_packed<double, 1>(8));
static_assert(is_packed<float, 1024, 1024>(64));

// Nested braces.
constexpr matrix m{{1, 2, 3}, {4, 5, 6}};
static_assert(m(0, 0) == 1 && m(0, 2) == 3 && m(1, 0) == 4 && m(1, 2) == 6);
constexpr tensor<float, 2, 3> implicit = {{1, 2.5, 3}, {4, 5, 6.5f}};
static_assert(implicit(0, 1) == 2.5f && implicit(1, 2) == 6.5f);
static_assert(tensor<int, 3, 1>{{1}, {2}, {3}}(2, 0) == 3);
static_assert(tensor<int, 1, 3>{{1, 2, 3}}(0, 2) == 3);
static_assert(tensor<int, 1, 1>{{7}}(0, 0) == 7);
constexpr tensor<float, 2, 2, 2> cube{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
static_assert(cube(0, 1, 0) == 3 && cube(1, 0, 1) == 6 && cube(1, 1, 1) == 8);
static_assert(tensor<float, 1, 3, 2>{{{1, 2}, {3, 4}, {5, 6}}}(0, 2, 1) == 6);
static_assert(tensor<float, 2, 1, 1>{{{1}}, {{2}}}(1, 0, 0) == 2);
static_assert(tensor<float, 1, 1, 1>{{{9}}}(0, 0, 0) == 9);
constexpr tensor<int, 2, 1, 2, 3> four{{{{1, 2, 3}, {4, 5, 6}}}, {{{7, 8, 9}, {10, 11, 12}}}};
static_assert(four(0, 0, 1, 2) == 6 && four(1, 0, 0, 0) == 7 && four(1, 0, 1, 2) == 12);

// Flat braces.
static_assert(tensor<float, 2, 3>{1, 2, 3, 4, 5, 6}(1, 0) == 4);
static_assert(tensor<float, 3>{1, 2.5, 3}(1) == 2.5f);
constexpr tensor<float, 3> vector = {1, 2, 3};
static_assert(vector(2) == 3);
constexpr tensor<float, 1> single{5};
static_assert(single(0) == 5 && single[0] == 5);
static_assert(tensor<float, 3>{{1, 2, 3}}(2) == 3);
constexpr tensor<bool, 3> truth{true, false, 1};
static_assert(truth(0) && !truth(1) && truth(2));
constexpr tensor<std::uint8_t, 3> bytes{0, 255, 'a'};
static_assert(bytes(1) == 255 && bytes(2) == 'a');
constexpr tensor<std::int64_t, 2> wide{-1, std::numeric_limits<std::int64_t>::min()};
static_assert(wide(0) == -1 && wide(1) < wide(0));
static_assert(std::is_constructible_v<tensor<float, 2, 2>, int, int, int, int>);
static_assert(!std::is_convertible_v<float, tensor<float, 1>>, "a number is no vector");

// Rank 0.
constexpr tensor<float> scalar = 3;
static_assert(scalar == 3.0f && scalar() == 3.0f && std::is_convertible_v<tensor<float>, float>);
static_assert(std::is_convertible_v<float, tensor<float>> && !std::is_convertible_v<tensor<float, 1>, float>);
static_assert(tensor<float>{2.5f} * 2 == 5.0f);

// Zero, and the rest of the vocabulary.
static_assert(tensor<float, 2, 2>{}(1, 1) == 0 && zeros<float, 2, 2>()(1, 0) == 0);
static_assert(full<float, 2, seq>(2.5f)(1, 1) == 2.5f && iota<int, 2, 3>()(1, 2) == 5);
static_assert(identity<float, 3>()(1, 1) == 1 && identity<float, 3>()(1, 2) == 0 && identity<int, 1>()(0, 0) == 1);
static_assert(std::is_same_v<decltype(identity<float, seq>()), tensor<float, seq, seq>>);
static_assert(std::is_same_v<decltype(zeros<float, seq, 3>()), matrix>);
constexpr auto generated =
    generate<int, 2, head, 4>([](std::size_t i, std::size_t j, std::size_t k) { return 100 * i + 10 * j + k; });
static_assert(generated(0, 0, 0) == 0 && generated(1, 2, 3) == 123 && generated(0, 2, 1) == 21);
static_assert(std::is_same_v<decltype(generated), const tensor<int, 2, head, 4>>);
static_assert(generate<float>([] { return 4; }) == 4);

// Structural: a tensor can be a template argument.
template <tensor<float, 2> Weights>
constexpr float weighted(float a, float b) {
    return a * Weights(0) + b * Weights(1);
}
static_assert(weighted<tensor<float, 2>{2, 3}>(10, 1) == 23);

// Indices of any integer type.
static_assert(m(1u, 2L) == 6 && m(std::uint8_t{1}, std::integral_constant<int, 2>{}) == 6);
static_assert(m(true, tensor<int>{2}) == 6, "a tensor of rank 0 is a number");

// Names merge when a tensor is made from another.
constexpr tensor<float, 2, 3> unnamed = m;
static_assert(unnamed(1, 2) == 6);
constexpr tensor<float, seq, head> named = unnamed;
static_assert(named(1, 2) == 6);

// Sub-views.
static_assert(std::is_same_v<decltype(cube[0]), basic_view<const float, std::size_t{2}, std::size_t{2}>>);
static_assert(std::is_same_v<decltype(std::declval<tensor<float, 3, seq>&>()[0]), basic_view<float, seq>>);
static_assert(std::is_same_v<decltype(std::declval<tensor<float, 3>&>()[0]), float&>);
static_assert(std::is_same_v<decltype(std::declval<const tensor<float, 3>&>()[0]), const float&>);
static_assert(cube[1](0, 1) == 6 && cube[1][1](0) == 7 && cube[1][1][1] == 8);

// Temporaries give no views, but their elements are values.
template <class A>
concept gives_data = requires(A&& a) { std::forward<A>(a).data(); };
template <class A>
concept gives_begin = requires(A&& a) { std::forward<A>(a).begin(); };
template <class A>
concept gives_end = requires(A&& a) { std::forward<A>(a).end(); };
template <class A>
concept gives_sub_view = requires(A&& a) { std::forward<A>(a)[0]; };
template <class A>
concept gives_all = gives_data<A> && gives_begin<A> && gives_end<A> && gives_sub_view<A>;
template <class A>
concept gives_any = gives_data<A> || gives_begin<A> || gives_end<A> || gives_sub_view<A>;
static_assert(gives_all<matrix&> && gives_all<const matrix&> && !gives_any<matrix> && !gives_any<const matrix>);
static_assert(!gives_any<tensor<float, 2>>);
static_assert(std::is_same_v<decltype(matrix{}(0, 0)), float> && iota<int, 2, 2>()(1, 1) == 3);

// Everything is noexcept.
static_assert(std::is_nothrow_copy_constructible_v<matrix> && std::is_nothrow_copy_assignable_v<matrix>);
static_assert(noexcept(std::declval<matrix&>()(0, 0)) && noexcept(std::declval<matrix&>()[0]));
static_assert(noexcept(tensor<float, 2, 3>{m}) && noexcept(iota<float, 8>()));

constexpr bool writes_in_a_constant_expression() {
    tensor<float, 3, 2> t{};
    t(0, 1) = 1;
    t[1] = tensor<float, 2>{3, 4};
    t[2] = t[1];
    t[2][0] = 7;
    tensor<float, 3, 2> copy;
    copy = t;
    copy[0] = 9;
    t = copy;
    return t(0, 0) == 9 && t(0, 1) == 9 && t(1, 0) == 3 && t(1, 1) == 4 && t(2, 0) == 7 && t(2, 1) == 4;
}
static_assert(writes_in_a_constant_expression());

TEST(Tensor, IterationIsRowMajor) {
    tensor<int, 2, 3> t{{1, 2, 3}, {4, 5, 6}};
    int expected = 1;
    for (const int value : t) EXPECT_EQ(value, expected++);
    for (int& value : t) value = -value;
    EXPECT_EQ(t(1, 2), -6);
    EXPECT_EQ(t.end() - t.begin(), 6);
    EXPECT_EQ(t.data(), t.begin());
    EXPECT_EQ(&t(1, 0), t.data() + 3);
    expected = 0;
    for (const int value : iota<int, 4>()) EXPECT_EQ(value, expected++) << "a loop keeps its temporary";
}

TEST(Tensor, IsItsBytes) {
    const auto t = iota<float, 3, 5>();
    float raw[15];
    static_assert(sizeof raw == sizeof t);
    std::memcpy(raw, &t, sizeof raw);
    for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(raw[i], static_cast<float>(i));
}

TEST(Tensor, BracesTakeValuesKnownAtRunTime) {
    float x = 2.5f;
    int n = 3;
    const tensor<float, 2, 2> nested{{x, 1}, {2, x}};
    EXPECT_EQ(nested(1, 1), 2.5f);
    const tensor<float, 2, 2> flat_values{x, n, 2.0 * x, 7u};
    EXPECT_EQ(flat_values(0, 1), 3.0f);
    EXPECT_EQ(flat_values(1, 0), 5.0f);
    float raw[3]{1, 2, x};
    const tensor<float, 3> from_array(raw);
    EXPECT_EQ(from_array(2), 2.5f);
    tensor<float, 2, 3> rows(raw, raw);
    EXPECT_EQ(rows(1, 2), 2.5f);
    rows = {{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(rows(1, 2), 6.0f);
    rows = {};
    EXPECT_EQ(rows(1, 2), 0.0f);
}

TEST(Tensor, ManyFlatValues) {
    // Folds over more than 256 values are refused by clang.
    const auto make = []<std::size_t... I>(std::index_sequence<I...>) { return tensor<int, 20, 30>{int{I}...}; };
    const auto t = make(std::make_index_sequence<600>{});
    EXPECT_EQ(t(19, 29), 599);
}

TEST(Tensor, ScalarsAssign) {
    tensor<float> s{};
    s = 2.5f;
    EXPECT_EQ(s, 2.5f);
    const float value = s;
    EXPECT_EQ(value, 2.5f);
    tensor<float, 2, 2> t{};
    t = 3;
    EXPECT_EQ(t(1, 1), 3.0f);
    t[0] = 1.5;
    EXPECT_EQ(t(0, 1), 1.5f);
    EXPECT_EQ(t(1, 1), 3.0f);
}

TEST(Tensor, GenerateVisitsInOrder) {
    std::size_t calls = 0;
    const auto t = generate<std::size_t, 3, 4>([&](std::size_t i, std::size_t j) {
        EXPECT_EQ(calls, 4 * i + j);
        return calls++;
    });
    EXPECT_EQ(calls, 12u);
    EXPECT_EQ(t(2, 3), 11u);
}

TEST(Tensor, WorksWithConstantsWhereNumbersAreExpected) {
    const auto t = iota<float, 4, 2>();
    EXPECT_EQ(t.size(), 8u);
    EXPECT_EQ(t.size, 8u);
    EXPECT_EQ(t.rank, 2u);
    std::size_t sum = 0;
    for (const std::size_t extent : t.extents) sum += extent;
    EXPECT_EQ(sum, 6u);
}

#if ASHLAR_CHECKS && GTEST_HAS_DEATH_TEST
TEST(TensorDeathTest, IndicesAreChecked) {
    tensor<float, 2, 3> t{};
    const auto& c = t;
    int minus_one = -1;
    EXPECT_DEATH(t(minus_one, 0), "ashlar: indexing");
    EXPECT_DEATH(t(0, 3), "ashlar: indexing");
    EXPECT_DEATH(c(2, 0), "ashlar: indexing");
    EXPECT_DEATH(t[2], "ashlar: indexing");
    EXPECT_DEATH(c[minus_one], "ashlar: indexing");
    EXPECT_DEATH(t[1](3), "ashlar: indexing");
    EXPECT_DEATH(t[1][3], "ashlar: indexing");
    EXPECT_DEATH(t(std::int64_t{1} << 32, 0), "ashlar: indexing");
    EXPECT_DEATH(t(std::numeric_limits<std::uint64_t>::max(), 0), "ashlar: indexing");
}

TEST(TensorDeathTest, ValuesMustFit) {
    int big = 300;
    EXPECT_DEATH((tensor<std::uint8_t, 2>{big, 1}), "ashlar: tensor: a value must fit");
    int minus = -1;
    EXPECT_DEATH((tensor<unsigned, 1>{minus}), "ashlar: tensor: a value must fit");
    EXPECT_DEATH((tensor<int, 1>{0x80000000u}), "ashlar: tensor: a value must fit");
    EXPECT_DEATH((tensor<bool, 1>{big}), "ashlar: tensor: a value must fit");
}
#endif

}  // namespace
