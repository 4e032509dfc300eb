// SPDX-License-Identifier: BSL-1.0
// Destinations: strided, unaligned, and overlapping operands; stores in addition to the result.
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using reference::expect_near;
using reference::of;

TEST(aliasing, same_tensor) {
    constexpr std::size_t n = 37;
    support::random_numbers random(1);
    const auto original = random.normal<float, n, n>();
    const auto w = random.normal<float, n, n>();
    const auto same = [&](auto make) {
        auto x = original;
        const auto expected = of(detail::constant_evaluate(make(original)));
        x = make(x);
        expect_near(x, expected, 1e-5);
    };
    same([&](auto& x) { return matmul(w, x); });
    same([](auto& x) { return matmul(x, x); });
    same([](auto& x) { return transpose(x); });
    same([](auto& x) { return x - x[0]; });
    same([](auto& x) { return softmax(x) - slice<0, 0, 1>(x); });
    same([](auto& x) { return softmax(x) - slice<1, 0, 1>(x); });
    same([](auto& x) { return x / sum<1>(x * x, keep_dims); });
    same([](auto& x) { return reshape<n, n>(permute<1, 0>(x)) * 2.0f; });
}

TEST(aliasing, overlapping_views) {
    const auto original = support::random_numbers(2).normal<float, 40, 8>();
    for (const std::size_t from : {0u, 3u}) {
        auto x = original;
        const tensor_view<float, 37, 8> to{x.data() + (3 - from) * 8};
        to = tensor_view<const float, 37, 8>{x.data() + from * 8} * 2.0f;
        for (std::size_t i = 0; i < 37; ++i)
            for (std::size_t c = 0; c < 8; ++c) ASSERT_EQ(to(i, c), original(from + i, c) * 2.0f);
    }
}

// All of the result needs one element, and the destination shares no other: its first one in memory, or its last one.
TEST(aliasing, one_element) {
    constexpr std::size_t N = 37;
    std::array<float, 3 * N> numbers;
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 97 + 1);
    const auto moved = [&]<class To>(std::type_identity<To>, auto make, std::size_t to, std::size_t from) {
        auto memory = numbers;
        const tensor_view<float, N> x{memory.data() + from};
        const tensor<float, N> copy = x;
        To y{memory.data() + to};
        y = make(x);
        expect_near(y, of(detail::constant_evaluate(make(copy))), 0);
    };
    constexpr std::type_identity<strided_view<float, std::array<std::ptrdiff_t, 1>{-1}, N>> backwards;
    constexpr std::type_identity<strided_view<float, std::array<std::ptrdiff_t, 1>{2}, N>> with_gaps;
    moved(backwards, [](const auto& x) { return x * 2.0f + slice<0, 0, 1>(x); }, N - 1, N - 1);
    moved(with_gaps, [](const auto& x) { return x * 2.0f + slice<0, N - 1, N>(x); }, N - 1, 0);
}

// Elements at the same numbers, which are not at the same place: those of a narrower type are further ahead.
template <class Narrow, std::size_t N>
void reads_narrower_elements() {
    alignas(64) static std::array<std::byte, N * sizeof(float)> memory;
    const tensor_view<Narrow, N> x{reinterpret_cast<Narrow*>(memory.data())};
    const tensor_view<float, N> y{reinterpret_cast<float*>(memory.data())};
    tensor<Narrow, N> values;
    for (std::size_t i = 0; i < N; ++i) values.data()[i] = static_cast<Narrow>(static_cast<float>(i % 53));
    x = values;
    y = cast<float>(x) * 2.0f;
    for (std::size_t i = 0; i < N; ++i) ASSERT_EQ(y(i), static_cast<float>(i % 53) * 2.0f) << i << " of " << N;
}
TEST(aliasing, elements_of_other_sizes) {
    reads_narrower_elements<bf16, 67>();
    reads_narrower_elements<std::int8_t, 256>();
}

// What masks read is no operand of a node.
TEST(aliasing, bools_of_masks) {
    support::random_numbers random(5);
    const auto scores = random.normal<float, 70, 70>();
    tensor<bool, 70, 70> kept = random.normal<float, 70, 70>() > 0.0f;
    const auto check_with = [&](auto make) {
        auto bools = kept;
        const auto expected = detail::constant_evaluate(make(kept));
        bools = make(bools);
        EXPECT_TRUE(all(bools == expected));
    };
    check_with([&](auto& m) { return softmax(masked(scores, causal && !keep(transpose(m)))) > 0.0f; });
    check_with([&](auto& m) { return where(keep(transpose(m) || m), scores, 0.0f) != 0.0f; });
    const tensor<int, 3> lengths{4, 2, 5};
    static_assert(alias_workspace_bytes<decltype(masked(zeros<float, 3, 5, 5>(), keys_below(lengths)))> != 0);
    static_assert(alias_workspace_bytes<decltype(masked(zeros<float, 5, 5>(), causal && !keep(full<bool, 5>(true))))> ==
                  0);
}

TEST(destinations, strided_and_unaligned) {
    support::random_numbers random(3);
    const auto x = random.normal<float, 19, 17>();
    const auto w = random.normal<float, 17, 21>();
    auto big = zeros<float, 40, 60>();
    support::check_into(slice<1, 5, 26>(slice<0, 1, 20>(big)), matmul(x, w));
    support::check_into(transpose(slice<1, 5, 24>(slice<0, 1, 22>(big))), matmul(x, w));
    support::check_into(transpose(slice<1, 5, 24>(slice<0, 1, 18>(big))), softmax(x));
    support::check_into(slice<1, 5, 22>(slice<0, 1, 20>(big)), softmax<0>(x));
    support::check_into(permute<1, 0>(slice<1, 0, 19>(slice<0, 0, 34>(big))), concat<1>(x, x * 2.0f));
    for (std::size_t i = 0; i < 40; ++i)
        for (std::size_t j = 26; j < 60; ++j) EXPECT_EQ(big(i, j), 0);
    float from[1000], to[1000];
    const tensor_view<float, 19, 17> input(from + 3);
    input = x;
    support::check_into(tensor_view<float, 19, 17>(to + 1), softmax(input) + 1.0f);
    support::check_into(tensor_view<float, 19, 21>(to + 3), matmul(input, w));
}

// Turned or flipped, a dense square has the distance of its rows between the entries of its other axis, too.
TEST(destinations, turned_squares) {
    const auto x = support::random_numbers(9).normal<float, 37, 37>();
    auto y = zeros<float, 37, 37>();
    support::check_into(transpose(y), x + 1.0f);
    support::check_into(flip<1>(y), x + 1.0f);
    support::check_into(flip<0, 1>(y), x + 1.0f);
    support::check_into(flip<0>(y), transpose(x));
}

using square = tensor<float, 64, 64>;
using columns = decltype(transpose(std::declval<square&>()));
template <class E>
inline constexpr std::size_t more = alias_workspace_bytes<E>;

// What an overlap takes: a copy of the result, of views as of nodes, and nothing where nothing can overlap.
static_assert(more<columns> == sizeof(square) && more<decltype(softmax(std::declval<square&>()))> == sizeof(square));
static_assert(more<square> == 0 && more<square&> == 0 && more<tensor_view<float, 64, 64>> == 0);
static_assert(alias_workspace_bytes<square, columns> == sizeof(square) &&
              alias_workspace_bytes<columns, columns> == sizeof(square));
static_assert(more<decltype(softmax(std::declval<square>()) * 2.0f)> == 0, "the expression owns what it reads");
static_assert(more<decltype(cast<float>(index<0>(std::declval<square&>())))> == 0);
static_assert(alias_workspace_bytes<decltype(softmax(std::declval<square>())), columns> == 0);

// Scratch for a destination: of the plan for it, and of that for the copy that an overlap takes.
using turned_softmax = decltype(softmax(std::declval<const columns&>()));
using turned_product = decltype(transpose(matmul(std::declval<square&>(), std::declval<square&>())));
static_assert(workspace_bytes_into<square, turned_softmax> == workspace_bytes<turned_softmax>);
static_assert(
    workspace_bytes_into<columns, turned_softmax> >=
    detail::planned<turned_softmax, current_config, detail::destination_strides<columns>()>::code.scratch_bytes);
static_assert(workspace_bytes_into<columns, turned_product> == workspace_bytes<turned_product> &&
              workspace_bytes<turned_product> > 1024);
static_assert(
    workspace_bytes_into<columns, decltype(transpose(matmul(std::declval<square>(), std::declval<square>())))> == 0);
static_assert(workspace_bytes_into<columns&, square> == 0);
// Axes of one entry do not move: one plan for all that is dense.
static_assert(detail::destination_strides<
                  strided_view<float, std::array<std::ptrdiff_t, 2>{9, 1}, std::size_t{1}, std::size_t{4}>>() ==
              detail::destination_strides<tensor<float, 1, 4>>());

#if ASHLAR_CHECKS && GTEST_HAS_DEATH_TEST
// Copy and scratch would fit one by one.
TEST(aliasing_death_test, copy_and_scratch_count_together) {
    static tensor<float, 768, 64> x = full<float, 768, 64>(1);
    const auto e = attention(x, x, x);
    constexpr std::size_t scratch = workspace_bytes<decltype(e)>, copy = sizeof x,
                          budget = current_config::stack_budget;
    if constexpr (copy <= budget && scratch <= budget && copy + scratch > budget) {
        EXPECT_DEATH(x = e, "ashlar: evaluate: the destination overlaps an operand");
        static workspace<scratch> memory;
        evaluate(x, e, memory);
        EXPECT_NEAR(x(767, 63), 1, 1e-6);
    }
}
#endif

TEST(stores, beside_the_result) {
    support::random_numbers random(4);
    const auto q = random.normal<float, 37, 8>();
    const auto k = random.normal<float, 35, 8>();
    auto turned = full<float, 35, 37>(-1);
    const auto e = matmul(store(transpose(turned), softmax(masked(matmul(q, transpose(k)), causal))), k);
    const auto y = support::evaluated(e);
    const auto got = turned;
    expect_near(y, of(detail::constant_evaluate(e)), 1e-5);
    expect_near(got, of(turned), 1e-5);
}

}  // namespace
