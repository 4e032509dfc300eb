// SPDX-License-Identifier: BSL-1.0
// Elements of files as elements of tensors: every half, every bfloat16, integers at the ends of their ranges.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/io/model/load.hpp>
#include <ashlar/tensor/tensor.hpp>

#include "file_builder.hpp"

namespace ashlar {
namespace {

using config = current_config;

static_assert(detail::float_of_half<config>(0x3c00) == 1.0f && detail::float_of_half<config>(0xc000) == -2.0f);
static_assert(detail::float_of_half<config>(0x7bff) == 65504.0f && detail::float_of_half<config>(0x0001) == 0x1p-24f);
static_assert(std::bit_cast<std::uint32_t>(detail::float_of_half<config>(0x8000)) == 0x80000000u);

// By the definition, in double: sign * 2^(exponent - 15) * 1.fraction, subnormal below, infinity and NaN above.
TEST(convert, every_half) {
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
        const int exponent = static_cast<int>(half >> 10 & 31), fraction = static_cast<int>(half & 0x3ff);
        const float value = detail::float_of_half<config>(half);
        EXPECT_EQ(std::signbit(value), (half & 0x8000) != 0);
        if (exponent == 31 && fraction != 0) {
            EXPECT_TRUE(std::isnan(value)) << half;
            continue;
        }
        const double size = exponent == 31  ? std::numeric_limits<double>::infinity()
                            : exponent == 0 ? std::ldexp(fraction, -24)
                                            : std::ldexp(1024 + fraction, exponent - 25);
        EXPECT_EQ(static_cast<double>(std::abs(value)), size) << half;
    }
}

/// Loads one element of a type.
template <class T>
std::string load_one(T& out, const char* dtype, std::string_view bytes) {
    tensor<T, 1> t{out};
    const io::result r = io::load(t, test::safetensors({{"x", dtype, "1", std::string(bytes)}}), "x");
    out = t(0);
    return r.message().c_str();
}

TEST(convert, every_bfloat16) {
    std::string data;
    for (std::uint32_t i = 0; i < 0x10000; ++i) data += test::little(i, 2);
    const auto file = test::safetensors({{"x", "BF16", "65536", data}});
    static tensor<float, 65536> values{};
    static tensor<double, 65536> wide{};
    ASSERT_TRUE(io::load(values, file, "x"));
    ASSERT_TRUE(io::load(wide, file, "x"));
    for (std::uint32_t i = 0; i < 0x10000; ++i) {
        const auto expected = std::bit_cast<float>(i << 16);
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(values(i)) && std::isnan(wide(i)));
        } else {
            EXPECT_EQ(std::bit_cast<std::uint32_t>(values(i)), i << 16);
            EXPECT_EQ(wide(i), static_cast<double>(expected));
        }
    }
}

TEST(convert, floating_point) {
    float f = 0;
    EXPECT_EQ(load_one(f, "F64", test::bytes_of<double>({0.1})), "no error");
    EXPECT_EQ(f, 0.1f);
    EXPECT_EQ(load_one(f, "F64", test::bytes_of<double>({-1e300})), "no error");
    EXPECT_EQ(f, -std::numeric_limits<float>::infinity());
    EXPECT_EQ(load_one(f, "F64", test::bytes_of<double>({1e-300})), "no error");
    EXPECT_EQ(f, 0.0f);
    double d = 0;
    EXPECT_EQ(load_one(d, "F32", test::bytes_of<float>({0.1f})), "no error");
    EXPECT_EQ(d, static_cast<double>(0.1f));
    EXPECT_EQ(load_one(d, "F16", test::little(0x3555, 2)), "no error");
    EXPECT_EQ(d, 0x1.554p-2);
    // Signalling NaNs and negative zeros keep their bits where the type is the same.
    std::uint32_t bits = 0;
    tensor<float, 2> t{};
    ASSERT_TRUE(io::load(
        t, test::safetensors({{"x", "F32", "2", test::little(0x7f800001, 4) + test::little(0x80000000, 4)}}), "x"));
    std::memcpy(&bits, t.data(), 4);
    EXPECT_EQ(bits, 0x7f800001u);
    std::memcpy(&bits, t.data() + 1, 4);
    EXPECT_EQ(bits, 0x80000000u);
    for (const char* type : {"F8_E4M3", "F8_E5M2", "I8", "U8", "BOOL"})
        EXPECT_EQ(load_one(f, type, "x"), std::string("x: the model needs F32, the file has ") + type);
}

template <class From, class To>
void check_integers(const char* from) {
    for (const From value :
         {std::numeric_limits<From>::min(), std::numeric_limits<From>::max(), From{0}, From{1}, static_cast<From>(-1),
          From{100}, static_cast<From>(-100), static_cast<From>(200), static_cast<From>(std::uint64_t{1} << 31),
          static_cast<From>((std::uint64_t{1} << 31) - 1), static_cast<From>(40000)}) {
        To out{42};
        const std::string r = load_one(out, from, test::bytes_of<From>({value}));
        if (std::in_range<To>(value)) {
            EXPECT_EQ(r, "no error");
            EXPECT_EQ(static_cast<From>(out), value);
        } else {
            EXPECT_EQ(r, "x: the file has an integer that the elements of the tensor cannot hold") << +value;
            EXPECT_EQ(out, 42);
        }
    }
}
template <class... To, class From>
void check_integers_to(From, const char* from) {
    (check_integers<From, To>(from), ...);
}

TEST(convert, integers_where_they_fit) {
    const auto check = [](auto from, const char* name) {
        check_integers_to<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                          std::int64_t, std::uint64_t>(from, name);
    };
    check(std::int8_t{}, "I8");
    check(std::uint8_t{}, "U8");
    check(std::int16_t{}, "I16");
    check(std::uint16_t{}, "U16");
    check(std::int32_t{}, "I32");
    check(std::uint32_t{}, "U32");
    check(std::int64_t{}, "I64");
    check(std::uint64_t{}, "U64");
}

TEST(convert, bools) {
    bool b = false;
    EXPECT_EQ(load_one(b, "BOOL", "\x40"), "no error");
    EXPECT_TRUE(b);
    unsigned char byte = 0;
    std::memcpy(&byte, &b, 1);
    EXPECT_EQ(byte, 1);
    EXPECT_EQ(load_one(b, "U8", "\x01"), "x: the model needs BOOL, the file has U8");
    std::uint8_t u = 7;
    EXPECT_EQ(load_one(u, "BOOL", "\x01"), "x: the model needs U8, the file has BOOL");
}

}  // namespace
}  // namespace ashlar
