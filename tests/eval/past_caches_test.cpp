// SPDX-License-Identifier: BSL-1.0
// Results that are stored past the caches are right at every size and alignment, in place and with several workers.
// Nothing around them is written.
#define ASHLAR_L3_BYTES 87380  // 1.5 times that is two arrays of 64 KiB
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/executors.hpp"

using namespace ashlar;

namespace {

constexpr bool has_instruction = detail::machine_of<current_config>.stores_past_caches;

template <class E>
constexpr bool goes_past(const E&) {
    const auto& code = detail::planned<E, current_config>::code;
    return code.stages[code.stage_count - 1].how[detail::full_tile].map.past_caches != 0;
}

template <class T>
std::vector<T> numbers(std::size_t count, std::size_t seed) {
    std::vector<T> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<T>((i * 7 + seed * 13) % 31) - T(15);
    return out;
}

/// Memory that begins so many bytes behind a cache line, between guards.
template <class T>
struct room {
    static constexpr std::size_t guard = 128;
    std::vector<unsigned char> bytes;
    std::size_t begin, size;

    room(std::size_t count, std::size_t shift) : bytes(count * sizeof(T) + shift + 3 * guard, 0xa5), size(count) {
        const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
        begin = guard + (64 - address % 64) % 64 + shift;
    }
    T* data() { return reinterpret_cast<T*>(bytes.data() + begin); }
    bool is_whole() const {
        for (std::size_t i = 0; i < bytes.size(); ++i)
            if ((i < begin || i >= begin + size * sizeof(T)) && bytes[i] != 0xa5) return false;
        return true;
    }
};

/// x * 3 + y at every distance from a register, and in place.
template <class T, auto... Dims>
void chain_anywhere() {
    using source = tensor_view<const T, Dims...>;
    using target = tensor_view<T, Dims...>;
    constexpr std::size_t size = source::size;
    const auto a = numbers<T>(size, 1), b = numbers<T>(size, 2);
    const source x(a.data()), y(b.data());
    EXPECT_EQ(goes_past(x * T(3) + y), has_instruction) << size;
    for (std::size_t shift = 0; shift < 64; shift += shift < 20 ? sizeof(T) : 12 + sizeof(T) % 8) {
        SCOPED_TRACE(testing::Message() << size << " elements, " << shift << " bytes behind a line");
        room<T> out(size, shift / sizeof(T) * sizeof(T)), same(size, shift / sizeof(T) * sizeof(T));
        evaluate(target(out.data()), x * T(3) + y);
        std::memcpy(same.data(), a.data(), size * sizeof(T));
        const target z(same.data());
        evaluate(z, z * T(3) + y);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < size; ++i)
            wrong += out.data()[i] != a[i] * T(3) + b[i] || same.data()[i] != a[i] * T(3) + b[i];
        EXPECT_EQ(wrong, 0u);
        EXPECT_TRUE(out.is_whole() && same.is_whole());
    }
}

TEST(past_caches, lines_and_rows_in_one_line) {
    chain_anywhere<float, 16384>();
    chain_anywhere<float, 16411>();
    chain_anywhere<double, 8209>();
    chain_anywhere<float, 127, 131>();
    chain_anywhere<float, 4099, 4>();
    chain_anywhere<float, 2, 65, 272>();
}

// Elements whose address is no multiple of their size never begin at a multiple of a register.
TEST(past_caches, elements_before_a_register) {
    for (const auto& [address, elements] : {std::pair{1024, 0}, {1028, 7}, {1052, 1}, {1026, 8}})
        EXPECT_EQ(detail::elements_before_register<8>(reinterpret_cast<const float*>(std::uintptr_t(address))),
                  std::size_t(elements));
}

/// Rows that share an operand, and rows with gaps between them.
template <std::size_t Rows, std::size_t Columns>
void rows_with_a_bias(bool past) {
    const auto a = numbers<float>(Rows * Columns, 4), b = numbers<float>(Columns, 5);
    const tensor_view<const float, Rows, Columns> x(a.data());
    const tensor_view<const float, Columns> bias(b.data());
    EXPECT_EQ(goes_past(x * 2.0f + bias), past && has_instruction) << Rows << " x " << Columns;
    for (const std::size_t shift : {0u, 4u, 16u, 20u, 32u, 60u}) {
        room<float> out(Rows * Columns, shift);
        evaluate(tensor_view<float, Rows, Columns>(out.data()), x * 2.0f + bias);
        for (std::size_t i = 0; i < Rows * Columns; ++i)
            ASSERT_EQ(out.data()[i], a[i] * 2.0f + b[i % Columns]) << Rows << " x " << Columns << ": " << i;
        EXPECT_TRUE(out.is_whole());
    }
}
TEST(past_caches, rows_that_share_an_operand) {
    rows_with_a_bias<67, 256>(true);
    rows_with_a_bias<67, 257>(false);
}

TEST(past_caches, parts_of_a_larger_tensor) {
    static tensor<float, 130, 320> whole;
    static tensor<float, 130, 256> x;
    for (float& v : whole) v = 7;
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 97);
    evaluate(slice<1, 32, 288>(whole), x * 2.0f + x);
    for (std::size_t i = 0; i < 130; ++i)
        for (std::size_t j = 0; j < 320; ++j)
            ASSERT_EQ(whole(i, j), j < 32 || j >= 288 ? 7.0f : x(i, j - 32) * 3.0f) << i << ", " << j;
}

// An array that is read twice counts once: then the result may stay in a cache, and is right as well.
TEST(past_caches, one_array_twice) {
    const auto a = numbers<float>(16411, 6);
    const tensor_view<const float, 16411> x(a.data()), y(a.data());
    const auto two = numbers<float>(16411, 7);
    const tensor_view<const float, 16411> z(two.data());
    room<float> out(16411, 4);
    const tensor_view<float, 16411> target(out.data());
    const auto read = [&](const auto& e) {
        using E = std::remove_cvref_t<decltype(e)>;
        using plan = detail::planned<E, current_config>;
        return detail::arrays_of(detail::frame<plan, float>{e, target.data(), nullptr});
    };
    EXPECT_EQ(read(x * y + x).bytes, 16411u * 4);
    EXPECT_EQ(read(x * y + z).bytes, 16411u * 8);
    EXPECT_FALSE(read(x * y + z).is_destination);
    EXPECT_TRUE(read(x * y + target).is_destination);
    evaluate(target, x * y + x);
    for (std::size_t i = 0; i < 16411; ++i) ASSERT_EQ(target(i), a[i] * a[i] + a[i]);
}

// What reads its operand in more than one order is given a copy, and finished rows are staged.
TEST(past_caches, overlaps) {
    static tensor<float, 128, 128> x, y;
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = y.data()[i] = static_cast<float>(i % 89);
    x = x + transpose(x);
    for (std::size_t i = 0; i < 128; ++i)
        for (std::size_t j = 0; j < 128; ++j) ASSERT_EQ(x(i, j), y(i, j) + y(j, i));
}

TEST(past_caches, by_workers) {
    static tensor<float, 8, 67, 256> x, y, expected;
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 83);
    const auto e = x * 2.0f + 1.0f;
    EXPECT_EQ(goes_past(e), has_instruction);
    evaluate(expected, e);
    static workspace<workspace_bytes<decltype(e), 3>> scratch;
    evaluate(y, e, scratch, support::threads{3});
    EXPECT_EQ(std::memcmp(y.data(), expected.data(), sizeof y), 0);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y.data()[i], static_cast<float>(i % 83) * 2.0f + 1.0f);
}

}  // namespace
