// SPDX-License-Identifier: BSL-1.0
// Lanes and memory that ends early, and lanes of one type as lanes of another, in every form this build has.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/simd.hpp>

#include "kernel/lane_forms.hpp"

#if __has_include(<sys/mman.h>) && __has_include(<unistd.h>)
#include <sys/mman.h>
#include <unistd.h>
#define HAS_GUARD_PAGES 1
#else
#define HAS_GUARD_PAGES 0
#endif

namespace {

using namespace ashlar;
using support::expect_equal;
using support::samples;

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
            expect_equal(place, a, n, "store_partial");
        }
        T whole[N], wanted[N];
        for (T& value : whole) value = T(77);
        x.store_partial(whole, n);
        for (std::size_t i = 0; i < N; ++i) wanted[i] = i < n ? a[i] : T(77);
        expect_equal(whole, wanted, N, "store_partial beyond");
        bool* const bools = truths.end - n;
        for (std::size_t i = 0; i < n; ++i) bools[i] = p[i];
        s.expect_mask(M::load_partial(bools, n), [&](auto i) { return i < n && p[i]; }, "mask load_partial");
        (!M::load(p)).store_partial(bools, n);
        bool others[N];
        for (std::size_t i = 0; i < N; ++i) others[i] = !p[i];
        expect_equal(bools, others, n, "mask store_partial");
    }
    for_constant_counts(std::make_index_sequence<N + 1>{}, [&](auto count) {
        constexpr std::size_t n = count;
        T* const place = memory.end - n;
        for (std::size_t i = 0; i < n; ++i) place[i] = a[i];
        s.expect(L::template load_partial<n>(place), [&](auto i) { return i < n ? a[i] : T(0); }, "constant count");
        for (std::size_t i = 0; i < n; ++i) place[i] = T(0);
        x.template store_partial<n>(place);
        expect_equal(place, a, n, "constant count");
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
        // What does not fit into U has no value there.
        T fitting[N];
        for (std::size_t i = 0; i < N; ++i)
            fitting[i] = a[i] < T(0) && !std::is_signed_v<U> ? static_cast<T>(-a[i]) : a[i];
        const auto converted = convert_lanes<U>(L::load(fitting));
        static_assert(converted.size == N);
        const auto mask = convert_mask<U>(M::load(p));
        U values[N], wanted[N];
        bool truths[N];
        for (std::size_t i = 0; i < N; ++i) {
            values[i] = converted[i];
            wanted[i] = static_cast<U>(fitting[i]);
            truths[i] = mask[i];
        }
        const char* const sizes[] = {"", "to 1 byte", "to 2 bytes", "", "to 4 bytes", "", "", "", "to 8 bytes"};
        expect_equal(values, wanted, N, sizes[sizeof(U)]);
        expect_equal(truths, p, N, sizes[sizeof(U)]);
        if constexpr (sizeof(U) == sizeof(T)) {
            const auto bits = bit_cast_lanes<U>(L::load(a));
            for (std::size_t i = 0; i < N; ++i) values[i] = bits[i];
            EXPECT_EQ(std::memcmp(values, a, sizeof a), 0);
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

/// Lanes beyond a count repeat lane 0.
template <class Form>
void check_repeated_lanes() {
    using L = typename samples<Form>::L;
    using M = typename samples<Form>::M;
    constexpr std::size_t N = samples<Form>::N;
    samples<Form> s;
    s.draw_all();
    const auto check = [&]<std::size_t Count>() {
        s.expect(repeat_first<Count>(L::load(s.a)), [&](auto i) { return s.a[i < Count ? i : 0]; }, "repeat_first");
        s.expect_mask(
            repeat_first<Count>(M::load(s.p)), [&](auto i) { return s.p[i < Count ? i : 0]; }, "mask repeat_first");
        s.expect_mask(
            repeat_first<Count>(!M::load(s.p)), [&](auto i) { return !s.p[i < Count ? i : 0]; }, "mask repeat_first");
    };
    check.template operator()<1>();
    check.template operator()<(N + 1) / 2>();
    check.template operator()<N == 1 ? 1 : N - 1>();
}

template <class Form>
class memory_of : public testing::Test {};
TYPED_TEST_SUITE(memory_of, support::forms);

TYPED_TEST(memory_of, partial_memory) { check_partial_memory<TypeParam>(); }
TYPED_TEST(memory_of, repeated_lanes) { check_repeated_lanes<TypeParam>(); }
TYPED_TEST(memory_of, conversions) { check_conversions<TypeParam>(); }

}  // namespace
