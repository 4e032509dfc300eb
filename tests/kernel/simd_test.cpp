// SPDX-License-Identifier: BSL-1.0
// Every operation of lanes and masks, in every form this build has, against plain loops.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/simd.hpp>

#include "kernel/lane_forms.hpp"

namespace {

using namespace ashlar;
using support::emulated_config;
using support::samples;

static_assert(lane_width<float, emulated_config> == 8 && lane_width<double, emulated_config> == 4);
static_assert(lane_width<float> == (current_config::register_bits >= 32 ? current_config::register_bits / 32 : 1));
static_assert(sizeof(lanes<float, lane_width<float>>) == sizeof(float) * lane_width<float>);
static_assert(std::is_trivially_copyable_v<lanes<float, lane_width<float>>> &&
              std::is_trivially_default_constructible_v<lanes<float, lane_width<float>>>);
static_assert(std::is_trivially_copyable_v<lane_mask<float, lane_width<float>>>);
static_assert(is_lanes<lanes<int, 1>> && !is_lanes<int>);
static_assert(std::is_same_v<decltype(lanes<float, 1>(1) * 2 + 0.5), lanes<float, 1>>);

// One lane in constant expressions.
using one = lanes<float, 1>;
using one_int = lanes<int, 1>;
static_assert((one(3) * 2 + 0.5)[0] == 6.5f && (1 - one(3) / 2)[0] == -0.5f && (-one(3))[0] == -3);
static_assert(sqrt(one(2))[0] == 1.41421356f && sqrt(lanes<double, 1>(2))[0] == 1.4142135623730951);
static_assert(sqrt(one(0))[0] == 0 && sqrt(one(1e-40f))[0] > 9.9e-21f && sqrt(one(3e38f))[0] < 1.74e19f);
static_assert(floor(one(-1.5f))[0] == -2 && floor(one(2.75f))[0] == 2 && floor(one(1e20f))[0] == 1e20f);
static_assert(round_nearest(one(2.5f))[0] == 2 && round_nearest(one(3.5f))[0] == 4 &&
              round_nearest(one(-2.6f))[0] == -3);
static_assert(max(one(1), 2)[0] == 2 && min(one(1), one(2))[0] == 1 && abs(one(-3))[0] == 3 &&
              fma(one(2), 3, 4)[0] == 10);
static_assert(select(one(1) < 2, 5, one(6))[0] == 5 && where(one(1) == 2, 5, 6)[0] == 6);
static_assert(all_of(one(1) <= 1) && any_of(one(1) != 2) && none_of(one(1) > 1) && !(one(1) >= 2)[0]);
static_assert(bit_cast_lanes<std::uint32_t>(one(1))[0] == 0x3f800000 && convert_lanes<int>(one(-1.75f))[0] == -1);
static_assert(((one_int(5) << 2) | 3)[0] == 23 && (one_int(-8) >> 1)[0] == -4 && ((one_int(7) % 4 & 2) ^ 1)[0] == 3 &&
              (~one_int(0))[0] == -1);
static_assert((one_int(std::numeric_limits<int>::max()) + 1)[0] == std::numeric_limits<int>::min());
static_assert(reduce_add(one(3)) == 3 && reduce_max(one(3)) == 3 && opaque(one(3))[0] == 3 &&
              reciprocal(one(4))[0] == 0.25f);
static_assert([] {
    constexpr float values[] = {1, 2, 3};
    const auto x = lanes<float, 3>::load(values) * lanes<float, 3>::iota();
    bool bits[3] = {};
    (x > 1).store(bits);
    return reduce_add(x) == 8 && !bits[0] && bits[1] && bits[2] && lanes<float, 3>::load_partial(values, 2)[2] == 0;
}());

template <class Form>
class lanes_of : public testing::Test {};
TYPED_TEST_SUITE(lanes_of, support::forms);

template <class Form>
void check_arithmetic() {
    samples<Form> s;
    using L = typename samples<Form>::L;
    using T = typename samples<Form>::T;
    for (int round = 0; round < 20; ++round) {
        s.draw_all();
        auto &a = s.a, &b = s.b, &c = s.c;
        const L x = L::load(a), y = L::load(b), z = L::load(c);
        s.expect(x + y, [&](auto i) { return a[i] + b[i]; }, "+");
        s.expect(x - y, [&](auto i) { return a[i] - b[i]; }, "-");
        s.expect(x * y, [&](auto i) { return a[i] * b[i]; }, "*");
        s.expect(x * 2 + 1, [&](auto i) { return a[i] * 2 + 1; }, "scalars on the right");
        s.expect(3 - x, [&](auto i) { return 3 - a[i]; }, "scalar on the left");
        s.expect(-x, [&](auto i) { return -a[i]; }, "unary -");
        s.expect(+x, [&](auto i) { return a[i]; }, "unary +");
        s.expect(fma(x, y, z), [&](auto i) { return a[i] * b[i] + c[i]; }, "fma");
        s.expect(fma(x, 2, 1), [&](auto i) { return a[i] * 2 + 1; }, "fma with scalars");
        s.expect(min(x, y), [&](auto i) { return a[i] < b[i] ? a[i] : b[i]; }, "min");
        s.expect(max(x, y), [&](auto i) { return a[i] > b[i] ? a[i] : b[i]; }, "max");
        s.expect(max(3, x), [&](auto i) { return a[i] > 3 ? a[i] : T(3); }, "max with a scalar");
        s.expect(abs(x), [&](auto i) { return a[i] < 0 ? -a[i] : a[i]; }, "abs");
        s.expect(opaque(x), [&](auto i) { return a[i]; }, "opaque");
        for (auto& value : b)
            if (value == 0) value = 1;
        s.expect(x / L::load(b), [&](auto i) { return a[i] / b[i]; }, "/");
        L sum = x;
        sum += y;
        sum -= z;
        sum *= 2;
        const L divisor = L::load(b);
        sum /= divisor;
        s.expect(
            sum,
            [&](auto i) {
                T bi[samples<Form>::N];
                y.store(bi);
                return static_cast<T>(static_cast<T>((a[i] + bi[i] - c[i]) * 2) / b[i]);
            },
            "compound");
    }
}

template <class Form>
void check_bits() {
    samples<Form> s;
    using L = typename samples<Form>::L;
    using T = typename samples<Form>::T;
    if constexpr (std::is_integral_v<T>) {
        for (int round = 0; round < 20; ++round) {
            s.draw_all();
            auto &a = s.a, &b = s.b, &c = s.c;
            for (auto& value : b) value = value == 0 ? T(1) : value;
            for (auto& value : c) value = static_cast<T>(static_cast<unsigned>(value) % 7);
            const L x = L::load(a), y = L::load(b), counts = L::load(c);
            s.expect(x % y, [&](auto i) { return a[i] % b[i]; }, "%");
            s.expect(x & y, [&](auto i) { return a[i] & b[i]; }, "&");
            s.expect(x | y, [&](auto i) { return a[i] | b[i]; }, "|");
            s.expect(x ^ 5, [&](auto i) { return a[i] ^ 5; }, "^");
            s.expect(~x, [&](auto i) { return ~a[i]; }, "~");
            s.expect(x << 3, [&](auto i) { return static_cast<unsigned long long>(a[i]) << 3; }, "<<");
            s.expect(x >> 2, [&](auto i) { return a[i] >> 2; }, ">>");
            s.expect(x << counts, [&](auto i) { return static_cast<unsigned long long>(a[i]) << c[i]; }, "<< lanes");
            s.expect(x >> counts, [&](auto i) { return a[i] >> c[i]; }, ">> lanes");
            L z = x;
            z &= y;
            z |= 8;
            z ^= x;
            s.expect(z, [&](auto i) { return ((a[i] & b[i]) | 8) ^ a[i]; }, "compound");
        }
        constexpr T largest = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
        s.expect(L(largest) + 1, [&](auto) { return least; }, "overflow wraps");
        s.expect(L(largest) >> 1, [&](auto) { return largest >> 1; }, ">> of the largest");
        s.expect(L(least) >> 1, [&](auto) { return least >> 1; }, ">> of the least");
        s.expect_mask(L(largest) > L(least), [](auto) { return true; }, "extremes compared");
        s.expect(max(L(largest), least), [&](auto) { return largest; }, "max of extremes");
        s.expect(L(largest) * 3, [&](auto) { return static_cast<unsigned long long>(largest) * 3; }, "* wraps");
    }
}

template <class Form>
void check_comparisons_and_masks() {
    samples<Form> s;
    using L = typename samples<Form>::L;
    using M = typename samples<Form>::M;
    constexpr std::size_t N = samples<Form>::N;
    for (int round = 0; round < 20; ++round) {
        s.draw_all();
        auto &a = s.a, &b = s.b;
        auto &p = s.p, &q = s.q;
        const L x = L::load(a), y = L::load(b);
        s.expect_mask(x == y, [&](auto i) { return a[i] == b[i]; }, "==");
        s.expect_mask(x != y, [&](auto i) { return a[i] != b[i]; }, "!=");
        s.expect_mask(x < y, [&](auto i) { return a[i] < b[i]; }, "<");
        s.expect_mask(x <= y, [&](auto i) { return a[i] <= b[i]; }, "<=");
        s.expect_mask(x > y, [&](auto i) { return a[i] > b[i]; }, ">");
        s.expect_mask(x >= y, [&](auto i) { return a[i] >= b[i]; }, ">=");
        s.expect_mask(x == 3, [&](auto i) { return a[i] == 3; }, "== scalar");
        s.expect_mask(3 < x, [&](auto i) { return 3 < a[i]; }, "scalar <");
        const M m = M::load(p), n = M::load(q);
        s.expect_mask(m, [&](auto i) { return p[i]; }, "load");
        s.expect_mask(m && n, [&](auto i) { return p[i] && q[i]; }, "&&");
        s.expect_mask(m || n, [&](auto i) { return p[i] || q[i]; }, "||");
        s.expect_mask(m & n, [&](auto i) { return p[i] && q[i]; }, "&");
        s.expect_mask(m | n, [&](auto i) { return p[i] || q[i]; }, "|");
        s.expect_mask(m ^ n, [&](auto i) { return p[i] != q[i]; }, "^");
        s.expect_mask(!m, [&](auto i) { return !p[i]; }, "!");
        s.expect_mask(~m, [&](auto i) { return !p[i]; }, "~");
        s.expect(select(m, x, y), [&](auto i) { return p[i] ? a[i] : b[i]; }, "select");
        s.expect(where(m, 1, y), [&](auto i) { return p[i] ? 1 : b[i]; }, "where");
        bool all = true, any = false;
        for (bool value : p) all = all && value, any = any || value;
        EXPECT_EQ(all_of(m), all);
        EXPECT_EQ(any_of(m), any);
        EXPECT_EQ(none_of(m), !any);
        for (std::size_t i = 0; i < N; ++i) EXPECT_EQ(m[i], p[i]);
    }
    EXPECT_TRUE(all_of(M(true)) && none_of(M(false)) && any_of(M(true)) && !all_of(M(false)));
    EXPECT_TRUE(all_of(!M(false)) && none_of(!M(true)));
    for (std::size_t n = 0; n <= N; ++n) {
        s.expect_mask(M::first(n), [&](auto i) { return i < n; }, "first");
        EXPECT_EQ(all_of(M::first(n)), n == N);
        EXPECT_EQ(any_of(M::first(n)), n != 0);
    }
    EXPECT_TRUE(all_of(M::first(1000)));
}

template <class Form>
void check_single_lanes_and_reductions() {
    samples<Form> s;
    using L = typename samples<Form>::L;
    using T = typename samples<Form>::T;
    constexpr std::size_t N = samples<Form>::N;
    s.expect(L::iota(), [](auto i) { return i; }, "iota");
    for (int round = 0; round < 20; ++round) {
        s.draw_all();
        auto& a = s.a;
        const L x = L::load(a);
        T sum = 0, largest = a[0], least = a[0];
        for (std::size_t i = 0; i < N; ++i) {
            EXPECT_EQ(x[i], a[i]);
            s.expect(x.insert(i, T(9)), [&](auto j) { return j == i ? T(9) : a[j]; }, "insert");
            sum = static_cast<T>(sum + a[i]);
            largest = a[i] > largest ? a[i] : largest;
            least = a[i] < least ? a[i] : least;
        }
        EXPECT_EQ(reduce_add(x), sum);
        EXPECT_EQ(reduce_max(x), largest);
        EXPECT_EQ(reduce_min(x), least);
    }
    std::vector<T> spread(5 * N);
    for (std::size_t i = 0; i < spread.size(); ++i) spread[i] = static_cast<T>(i % 100);
    s.expect(L::gather_strided(spread.data(), 3), [](auto i) { return 3 * i % 100; }, "gather up");
    s.expect(L::gather_strided(spread.data() + 2 * N, -2), [](auto i) { return (2 * N - 2 * i) % 100; }, "gather down");
}

template <class Form>
void check_rounding() {
    samples<Form> s;
    using L = typename samples<Form>::L;
    using T = typename samples<Form>::T;
    constexpr std::size_t N = samples<Form>::N;
    if constexpr (std::is_floating_point_v<T>) {
        std::vector<T> inputs;
        for (const double x : {0.0, 0.5, 1.5, 2.5, 0.49999997, 1e-30, 8388607.5, 8388608.0, 8388609.0, 1e30}) {
            inputs.push_back(static_cast<T>(x));
            inputs.push_back(static_cast<T>(-x));
        }
        for (int i = 0; i < 2000; ++i)
            inputs.push_back(static_cast<T>(
                std::ldexp(static_cast<double>(s.engine()) - 2147483648.0, static_cast<int>(s.engine() % 70) - 50)));
        while (inputs.size() % N != 0) inputs.push_back(0);
        for (std::size_t i = 0; i < inputs.size(); i += N) {
            const T* in = inputs.data() + i;
            const L x = L::load(in);
            s.expect(floor(x), [&](auto j) { return std::floor(in[j]); }, "floor");
            s.expect(round_nearest(x), [&](auto j) { return std::nearbyint(in[j]); }, "round_nearest");
            if constexpr (!current_config::fast_math) {
                s.expect(sqrt(abs(x)), [&](auto j) { return std::sqrt(std::fabs(in[j])); }, "sqrt");
                s.expect(reciprocal(x + 3), [&](auto j) { return T(1) / (in[j] + 3); }, "reciprocal");
                for (std::size_t j = 0; j < N; ++j)
                    EXPECT_EQ(std::signbit((-x)[j]), !std::signbit(in[j])) << "the sign of -0";
            }
        }
        if constexpr (!current_config::fast_math) {
            const L nan(std::numeric_limits<T>::quiet_NaN());
            for (std::size_t j = 0; j < N; ++j) {
                EXPECT_TRUE(std::isnan(max(L(1), nan)[j])) << "max(a, NaN)";
                EXPECT_TRUE(std::isnan(min(L(1), nan)[j])) << "min(a, NaN)";
            }
            EXPECT_TRUE(none_of(nan == nan) && all_of(nan != nan) && none_of(nan < 1) && none_of(nan >= 1));
            EXPECT_TRUE(all_of(!(nan < 1)) && std::isnan(sqrt(L(-1))[0]));
        }
    }
}

TYPED_TEST(lanes_of, arithmetic) { check_arithmetic<TypeParam>(); }
TYPED_TEST(lanes_of, bits) { check_bits<TypeParam>(); }
TYPED_TEST(lanes_of, comparisons_and_masks) { check_comparisons_and_masks<TypeParam>(); }
TYPED_TEST(lanes_of, single_lanes_and_reductions) { check_single_lanes_and_reductions<TypeParam>(); }
TYPED_TEST(lanes_of, rounding) { check_rounding<TypeParam>(); }

}  // namespace
