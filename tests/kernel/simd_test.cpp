// SPDX-License-Identifier: BSL-1.0
// Every operation of lanes and masks, in every form this build has, against plain loops.
#include <ashlar/kernel/simd.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <type_traits>
#include <vector>

#if __has_include(<sys/mman.h>) && __has_include(<unistd.h>)
#include <sys/mman.h>
#include <unistd.h>
#define HAS_GUARD_PAGES 1
#else
#define HAS_GUARD_PAGES 0
#endif

namespace {

using namespace ashlar;

using emulated_config = config<detail::instruction_sets() | (std::uint64_t{256} << 48), 256, 16, 65536, 32768, 524288, true, current_config::fast_math>;

static_assert(lane_width<float, emulated_config> == 8 && lane_width<double, emulated_config> == 4);
static_assert(lane_width<float> == (current_config::register_bits >= 32 ? current_config::register_bits / 32 : 1));
static_assert(sizeof(lanes<float, lane_width<float>>) == sizeof(float) * lane_width<float>);
static_assert(std::is_trivially_copyable_v<lanes<float, lane_width<float>>> && std::is_trivially_default_constructible_v<lanes<float, lane_width<float>>>);
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
static_assert(round_nearest(one(2.5f))[0] == 2 && round_nearest(one(3.5f))[0] == 4 && round_nearest(one(-2.6f))[0] == -3);
static_assert(max(one(1), 2)[0] == 2 && min(one(1), one(2))[0] == 1 && abs(one(-3))[0] == 3 && fma(one(2), 3, 4)[0] == 10);
static_assert(select(one(1) < 2, 5, one(6))[0] == 5 && where(one(1) == 2, 5, 6)[0] == 6);
static_assert(all_of(one(1) <= 1) && any_of(one(1) != 2) && none_of(one(1) > 1) && !(one(1) >= 2)[0]);
static_assert(bit_cast_lanes<std::uint32_t>(one(1))[0] == 0x3f800000 && convert_lanes<int>(one(-1.75f))[0] == -1);
static_assert(((one_int(5) << 2) | 3)[0] == 23 && (one_int(-8) >> 1)[0] == -4 && ((one_int(7) % 4 & 2) ^ 1)[0] == 3 && (~one_int(0))[0] == -1);
static_assert((one_int(std::numeric_limits<int>::max()) + 1)[0] == std::numeric_limits<int>::min());
static_assert(reduce_add(one(3)) == 3 && reduce_max(one(3)) == 3 && opaque(one(3))[0] == 3 && reciprocal(one(4))[0] == 0.25f);
static_assert([] {
    constexpr float values[] = {1, 2, 3};
    const auto x = lanes<float, 3>::load(values) * lanes<float, 3>::iota();
    bool bits[3] = {};
    (x > 1).store(bits);
    return reduce_add(x) == 8 && !bits[0] && bits[1] && bits[2] && lanes<float, 3>::load_partial(values, 2)[2] == 0;
}());

template <class T, std::size_t N, class Config = current_config>
struct form {
    using element = T;
    using vector = lanes<T, N, Config>;
    using mask = lane_mask<T, N, Config>;
    static constexpr std::size_t size = N;
};

template <class Form>
struct samples {
    using T = typename Form::element;
    using L = typename Form::vector;
    using M = typename Form::mask;
    static constexpr std::size_t N = Form::size;
    static constexpr bool floating = std::is_floating_point_v<T>;

    std::mt19937 engine{42};
    T a[N], b[N], c[N];
    bool p[N], q[N];

    /// Values of both signs, small enough that no operation below rounds or overflows.
    T draw() {
        const int value = static_cast<int>(engine() % 15) - (std::is_signed_v<T> ? 7 : 0);
        return static_cast<T>(value);
    }
    void draw_all() {
        for (std::size_t i = 0; i < N; ++i) {
            a[i] = draw();
            b[i] = draw();
            c[i] = draw();
            if constexpr (floating) a[i] += static_cast<T>(static_cast<int>(engine() % 8)) / 8;
            p[i] = engine() % 2 != 0;
            q[i] = engine() % 2 != 0;
        }
    }

    template <class F>
    static void expect(L got, F expected, const char* what) {
        T values[N];
        got.store(values);
        for (std::size_t i = 0; i < N; ++i) EXPECT_EQ(values[i], static_cast<T>(expected(i))) << what << " lane " << i;
    }
    template <class F>
    static void expect_mask(M got, F expected, const char* what) {
        bool values[N];
        std::memset(values, 2, N);
        got.store(values);
        for (std::size_t i = 0; i < N; ++i) {
            unsigned char byte;
            std::memcpy(&byte, values + i, 1);
            EXPECT_EQ(byte, expected(i) ? 1 : 0) << what << " lane " << i;
        }
    }
};

template <std::size_t Bits, class T>
constexpr std::size_t narrow = detail::in_register<T, Bits / 8 / sizeof(T), current_config>() ? Bits / 8 / sizeof(T) : 1;

template <class T>
using all_forms = testing::Types<form<T, lane_width<T>>, form<T, narrow<128, T>>, form<T, narrow<256, T>>, form<T, 1>,
                                 form<T, 5>, form<T, 8, emulated_config>>;

template <class...>
struct joined;
template <class... A>
struct joined<testing::Types<A...>> {
    using type = testing::Types<A...>;
};
template <class... A, class... B, class... Rest>
struct joined<testing::Types<A...>, testing::Types<B...>, Rest...> : joined<testing::Types<A..., B...>, Rest...> {};

using forms = typename joined<
    all_forms<float>, all_forms<double>,
    testing::Types<form<std::int32_t, lane_width<int>>, form<std::int32_t, narrow<128, int>>, form<std::int32_t, 1>,
                   form<std::int32_t, 8, emulated_config>, form<std::uint32_t, lane_width<int>>,
                   form<std::int64_t, lane_width<std::int64_t>>, form<std::int64_t, narrow<128, std::int64_t>>,
                   form<unsigned long long, lane_width<unsigned long long>>, form<long, lane_width<long>>,
                   form<std::int16_t, lane_width<std::int16_t>>, form<std::uint16_t, narrow<128, std::uint16_t>>,
                   form<std::int8_t, lane_width<std::int8_t>>, form<std::uint8_t, lane_width<std::uint8_t>>,
                   form<std::uint8_t, narrow<128, std::uint8_t>>, form<char, 1>>>::type;

template <class Form>
class lanes_of : public testing::Test {};
TYPED_TEST_SUITE(lanes_of, forms);

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
        s.expect(sum, [&](auto i) {
            T bi[samples<Form>::N];
            y.store(bi);
            return static_cast<T>(static_cast<T>((a[i] + bi[i] - c[i]) * 2) / b[i]);
        }, "compound");
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
        for (int i = 0; i < 2000; ++i) inputs.push_back(static_cast<T>(std::ldexp(static_cast<double>(s.engine()) - 2147483648.0, static_cast<int>(s.engine() % 70) - 50)));
        while (inputs.size() % N != 0) inputs.push_back(0);
        for (std::size_t i = 0; i < inputs.size(); i += N) {
            const T* in = inputs.data() + i;
            const L x = L::load(in);
            s.expect(floor(x), [&](auto j) { return std::floor(in[j]); }, "floor");
            s.expect(round_nearest(x), [&](auto j) { return std::nearbyint(in[j]); }, "round_nearest");
            if constexpr (!current_config::fast_math) {
                s.expect(sqrt(abs(x)), [&](auto j) { return std::sqrt(std::fabs(in[j])); }, "sqrt");
                s.expect(reciprocal(x + 3), [&](auto j) { return T(1) / (in[j] + 3); }, "reciprocal");
                for (std::size_t j = 0; j < N; ++j) EXPECT_EQ(std::signbit((-x)[j]), !std::signbit(in[j])) << "the sign of -0";
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

/// Memory that ends where the process may not read.
template <class T>
class guarded {
public:
#if HAS_GUARD_PAGES
    explicit guarded(std::size_t count) : page(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
        base = static_cast<char*>(mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(base, page, PROT_NONE);
        mprotect(base + 2 * page, page, PROT_NONE);
        end = reinterpret_cast<T*>(base + 2 * page);
        begin = end - count;
    }
    ~guarded() { munmap(base, 3 * page); }
#else
    explicit guarded(std::size_t count) : storage(new T[count]), begin(storage.get()), end(begin + count) {}
#endif
    guarded(const guarded&) = delete;
    guarded& operator=(const guarded&) = delete;

#if HAS_GUARD_PAGES
    std::size_t page;
    char* base;
#else
    std::unique_ptr<T[]> storage;
#endif
    T *begin, *end;
};

template <std::size_t... Count, class F>
void for_constant_counts(std::index_sequence<Count...>, F f) {
    (f(std::integral_constant<std::size_t, Count>{}), ...);
}

template <class Form>
void check_partial_memory() {
    samples<Form> s;
    using L = typename samples<Form>::L;
    using M = typename samples<Form>::M;
    using T = typename samples<Form>::T;
    constexpr std::size_t N = samples<Form>::N;
    guarded<T> memory(N);
    guarded<bool> truths(N);
    s.draw_all();
    auto& a = s.a;
    auto& p = s.p;
    const L x = L::load(a);
    for (std::size_t n = 0; n <= N; ++n) {
        // Against both guards: reading on, reading back.
        const std::unique_ptr<T[]> heap(new T[n]);
        T* const places[] = {memory.end - n, heap.get()};
        for (T* place : places) {
            for (std::size_t i = 0; i < n; ++i) place[i] = a[i];
            s.expect(L::load_partial(place, n), [&](auto i) { return i < n ? a[i] : T(0); }, "load_partial");
            for (std::size_t i = 0; i < n; ++i) place[i] = T(0);
            x.store_partial(place, n);
            for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(place[i], a[i]) << "store_partial";
        }
        T whole[N];
        for (T& value : whole) value = T(77);
        x.store_partial(whole, n);
        for (std::size_t i = 0; i < N; ++i) EXPECT_EQ(whole[i], i < n ? a[i] : T(77)) << "store_partial";
        bool* const bools = truths.end - n;
        for (std::size_t i = 0; i < n; ++i) bools[i] = p[i];
        s.expect_mask(M::load_partial(bools, n), [&](auto i) { return i < n && p[i]; }, "mask load_partial");
        (!M::load(p)).store_partial(bools, n);
        for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(bools[i], !p[i]) << "mask store_partial";
    }
    for_constant_counts(std::make_index_sequence<N + 1>{}, [&](auto count) {
        constexpr std::size_t n = count;
        T* const place = memory.end - n;
        for (std::size_t i = 0; i < n; ++i) place[i] = a[i];
        s.expect(L::template load_partial<n>(place), [&](auto i) { return i < n ? a[i] : T(0); }, "constant count");
        for (std::size_t i = 0; i < n; ++i) place[i] = T(0);
        x.template store_partial<n>(place);
        for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(place[i], a[i]) << "constant count";
    });
    const std::unique_ptr<T[]> shifted(new T[N + 1]);
    for (std::size_t i = 0; i < N; ++i) shifted[i + 1] = a[i];
    s.expect(L::load(shifted.get() + 1), [&](auto i) { return a[i]; }, "unaligned load");
}

template <class Form>
void check_conversions() {
    samples<Form> s;
    using L = typename samples<Form>::L;
    using M = typename samples<Form>::M;
    using T = typename samples<Form>::T;
    constexpr std::size_t N = samples<Form>::N;
    s.draw_all();
    auto& a = s.a;
    auto& p = s.p;
    const auto check = [&]<class U>(U) {
        const auto converted = convert_lanes<U>(L::load(a));
        static_assert(converted.size == N);
        const auto mask = convert_mask<U>(M::load(p));
        for (std::size_t i = 0; i < N; ++i) {
            if (a[i] >= 0 || std::is_signed_v<U>) {
                EXPECT_EQ(converted[i], static_cast<U>(a[i])) << sizeof(U) << " lane " << i;
            }
            EXPECT_EQ(mask[i], p[i]) << sizeof(U) << " lane " << i;
        }
        if constexpr (sizeof(U) == sizeof(T)) {
            const auto bits = bit_cast_lanes<U>(L::load(a));
            for (std::size_t i = 0; i < N; ++i) {
                const U value = bits[i];
                EXPECT_EQ(std::memcmp(&value, a + i, sizeof(T)), 0);
            }
            s.expect(bit_cast_lanes<T>(bits), [&](auto i) { return a[i]; }, "bit_cast_lanes back");
        }
    };
    check(float{});
    check(double{});
    check(std::uint8_t{});
    check(std::int16_t{});
    check(std::int32_t{});
    check(std::int64_t{});
    check(detail::unsigned_of_size<sizeof(T)>{});
}

TYPED_TEST(lanes_of, arithmetic) { check_arithmetic<TypeParam>(); }
TYPED_TEST(lanes_of, bits) { check_bits<TypeParam>(); }
TYPED_TEST(lanes_of, comparisons_and_masks) { check_comparisons_and_masks<TypeParam>(); }
TYPED_TEST(lanes_of, single_lanes_and_reductions) { check_single_lanes_and_reductions<TypeParam>(); }
TYPED_TEST(lanes_of, rounding) { check_rounding<TypeParam>(); }
TYPED_TEST(lanes_of, partial_memory) { check_partial_memory<TypeParam>(); }
TYPED_TEST(lanes_of, conversions) { check_conversions<TypeParam>(); }

}  // namespace
