// SPDX-License-Identifier: BSL-1.0
// Powers of two below a number that is taken from all of them without a subtraction.
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <ashlar/kernel/machine.hpp>
#include <ashlar/kernel/math/exp2_below.hpp>

#include "kernel/math_errors.hpp"

namespace {

using namespace ashlar;
using namespace support;
using detail::exp_arguments, detail::exp_form;

template <class T>
inline constexpr std::size_t parts = detail::exponent_parts<T, lane_width<T>, current_config>;
/// What is taken is less than this.
template <class T>
inline constexpr T limit =
    T(std::uint64_t{1} << (std::numeric_limits<T>::digits - 2)) / T(parts<T> == 0 ? 1 : parts<T>);

template <class T, exp_form Form, exp_arguments Arguments>
struct power {
    using vec = lanes<T, lane_width<T>>;
    using below = detail::exp2_below<Form, Arguments, T, lane_width<T>, current_config>;
    below of;
    double taken;

    explicit power(T m) : of(opaque(vec(m))), taken(static_cast<double>(below::rounded(opaque(vec(m)))[0])) {}
    T operator()(T x) const { return of(opaque(vec(x)))[lane_width<T> - 1]; }
};

template <class T, exp_form Form, exp_arguments Arguments>
void check_powers() {
    const double reach = sizeof(T) == 4 ? 126 : 1022, nothing = std::numeric_limits<T>::min();
    for (const T m : {T(0), T(0.5) / parts<T>, T(-1.5) / parts<T>, T(0.3), T(-17.77), T(1000.123), T(-5000.52),
                      limit<T> - 1, 1 - limit<T>, std::nextafter(limit<T>, T(0)), -std::nextafter(limit<T>, T(0))}) {
        SCOPED_TRACE(testing::Message() << "m = " << m);
        const power<T, Form, Arguments> f(m);
        EXPECT_LE(std::abs(f.taken - static_cast<double>(m)), 0.5 / parts<T>);
        double worst = 0;
        const std::size_t count = argument_count<T>() / 20;
        for (std::size_t i = 0; i <= count; ++i) {
            // Denser near m.
            const double part = static_cast<double>(i) / static_cast<double>(count);
            const T x = static_cast<T>(static_cast<double>(m) - (reach - 1) * part * part);
            const long double expected = std::exp2(static_cast<long double>(x) - static_cast<long double>(f.taken));
            worst = std::max(worst, ulps(f(x), expected));
        }
        EXPECT_LE(worst, Form == exp_form::coarse ? std::ldexp(1.2e-4, std::numeric_limits<T>::digits) : 2.5);
        if (fast_math) continue;
        // What is about to vanish.
        for (const double below : {reach + 0.4, reach + 0.9}) {
            const double got = static_cast<double>(f(static_cast<T>(static_cast<double>(m) - below)));
            EXPECT_GE(got, 0) << below;
            EXPECT_LE(got, 2 * nothing) << below;
        }
        for (const T x : {T(m - T(reach) - T(2)), T(-2 * limit<T>), std::numeric_limits<T>::lowest(), -inf<T>}) {
            EXPECT_EQ(f(x), 0) << x;
            EXPECT_FALSE(std::signbit(f(x))) << x;
        }
        EXPECT_TRUE(is_nan_bits(f(nan_value<T>)));
    }
}

template <class T>
class exp2_below : public testing::Test {};
using floats = testing::Types<float, double>;
TYPED_TEST_SUITE(exp2_below, floats);

TYPED_TEST(exp2_below, powers) {
    using T = TypeParam;
    if constexpr (parts<T> == 0) {
        GTEST_SKIP() << "no exponents are rounded by addition here";
    } else {
        check_powers<T, exp_form::beside_one, exp_arguments::finite>();
        check_powers<T, exp_form::beside_one, exp_arguments::any>();
        check_powers<T, exp_form::coarse, exp_arguments::finite>();
        check_powers<T, exp_form::coarse, exp_arguments::any>();
    }
}

TYPED_TEST(exp2_below, what_fits) {
    using T = TypeParam;
    if constexpr (parts<T> == 0) {
        GTEST_SKIP() << "no exponents are rounded by addition here";
    } else {
        using power = power<T, exp_form::beside_one, exp_arguments::any>;
        const auto fits = [](T m) {
            const auto mask = power::below::fits(opaque(typename power::vec(m)));
            EXPECT_EQ(all_of(mask), any_of(mask));
            return all_of(mask);
        };
        for (const T m : {T(0), std::nextafter(limit<T>, T(0)), T(-1000)}) EXPECT_TRUE(fits(m)) << m;
        for (const T m : {limit<T>, -limit<T>, std::numeric_limits<T>::lowest()}) EXPECT_FALSE(fits(m)) << m;
        if (fast_math) return;
        for (const T m : {inf<T>, -inf<T>, nan_value<T>}) EXPECT_FALSE(fits(m)) << m;
    }
}

// Plans decide by the machine's description what lanes decide by their type.
TYPED_TEST(exp2_below, is_what_plans_expect) {
    using T = TypeParam;
    constexpr detail::machine here = detail::machine_of<current_config>;
    if (here.rounds_exponents(sizeof(T))) {
        EXPECT_NE(parts<T>, 0u);
    }
}

}  // namespace
