// SPDX-License-Identifier: BSL-1.0
// Lanes of a microcontroller against arrays of them, and expressions against their constant evaluation.
#include <cstdint>
#include <cstdio>
#include <limits>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#include "cortex_m_start.hpp"

namespace {

using namespace ashlar;

int failures = 0;
void expect(bool right, const char* what, int number = 0) {
    if (right) return;
    if (++failures <= 20) std::printf("WRONG: %s %d\n", what, number);
}

// ------------------------------------------------------------------ lanes

template <class Element>
bool same(Element a, Element b) {
    using bits = detail::unsigned_of_size<sizeof(Element)>;
    return (a != a && b != b) || __builtin_bit_cast(bits, a) == __builtin_bit_cast(bits, b);
}

template <class Element>
constexpr std::numeric_limits<Element> of{};
template <class Element>
constexpr Element samples[] = {Element(0),   Element(1),       Element(-1),       Element(2),
                               Element(-3),  Element(7),       Element(1.5),      Element(-2.5),
                               Element(100), Element(1000000), of<Element>.max(), of<Element>.lowest()};
constexpr float inf = of<float>.infinity(), nan = of<float>.quiet_NaN();
template <>
constexpr float samples<float>[] = {0.0f,   -0.0f, 1.0f,   -1.0f,   0.5f, -2.5f, 3.5f,
                                    1e-30f, 1e30f, -7.25f, 8388609, inf,  -inf,  nan};

template <class Element>
struct lanes_beside_arrays {
    static constexpr std::size_t width = 4, count = sizeof(samples<Element>) / sizeof(Element);
    using vec = lanes<Element, width>;
    using ops = typename vec::ops;
    using arrays = detail::array_lane_ops<Element, width, current_config>;
    using array = typename arrays::storage;
    Element a[width], b[width];

    static Element sample(std::size_t i) { return samples<Element>[i % count]; }
    void values(vec got, array expected, const char* what) const {
        Element x[width];
        got.store(x);
        for (std::size_t i = 0; i < width; ++i) expect(same(x[i], expected.values[i]), what, static_cast<int>(i));
    }
    template <class Mask>
    void truths(Mask got, typename arrays::mask expected, const char* what) const {
        bool x[width];
        got.store(x);
        for (std::size_t i = 0; i < width; ++i) {
            expect(x[i] == expected.values[i], what, static_cast<int>(i));
            expect(got[i] == expected.values[i], what, 10 + static_cast<int>(i));
        }
        expect(any_of(got) == arrays::mask_any(expected), what, 20);
        expect(all_of(got) == arrays::mask_all(expected), what, 21);
    }

    void operator()() const {
        const vec x = vec::load(a), y = vec::load(b);
        const array p = arrays::load(a), q = arrays::load(b);
        values(x + y, arrays::add(p, q), "add");
        values(x - y, arrays::sub(p, q), "sub");
        values(x * y, arrays::mul(p, q), "mul");
        values(x + b[0], arrays::add(p, arrays::broadcast(b[0])), "add a scalar");
        values(x - b[0], arrays::sub(p, arrays::broadcast(b[0])), "sub a scalar");
        values(x * b[0], arrays::mul(p, arrays::broadcast(b[0])), "mul by a scalar");
        values(-x, arrays::neg(p), "neg");
        values(abs(x), arrays::abs(p), "abs");
        values(min<>(x, y), (arrays::min)(p, q), "min");
        values(max<>(x, y), (arrays::max)(p, q), "max");
        values(opaque(x), p, "opaque");
        values(vec::iota(), arrays::iota(), "iota");
        values(vec(a[1]), arrays::broadcast(a[1]), "broadcast");
        values(repeat_first<3>(x), arrays::template repeat_first<3>(p), "repeat_first");
        values(x.insert(2, b[0]), arrays::insert(p, 2, b[0]), "insert");
        for (std::size_t n = 0; n <= width; ++n) {
            values(vec::load_partial(a, n), arrays::load_partial(a, n), "load_partial");
            Element out[width] = {}, wanted[width] = {};
            x.store_partial(out, n);
            arrays::store_partial(p, wanted, n);
            values(vec::load(out), arrays::load(wanted), "store_partial");
            truths(lane_mask<Element, width>::first(n), arrays::mask_first(n), "first");
        }
        const Element spread[13] = {a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3], a[0], a[1], a[2], a[3], b[0]};
        for (std::ptrdiff_t step = 1; step <= 4; ++step) {
            values(vec::gather_strided(spread, step), arrays::gather_strided(spread, step), "gather");
            values(vec::gather_strided(spread + 12, -step), arrays::gather_strided(spread + 12, -step), "gather down");
        }
        truths(x == y, arrays::eq(p, q), "==");
        truths(x != y, arrays::ne(p, q), "!=");
        truths(x < y, arrays::lt(p, q), "<");
        truths(x <= y, arrays::le(p, q), "<=");
        const auto m = x < y, n = x == x;
        const auto mp = arrays::lt(p, q), np = arrays::eq(p, p);
        truths(m && n, arrays::mask_and(mp, np), "and");
        truths(m || n, arrays::mask_or(mp, np), "or");
        truths(m ^ n, arrays::mask_xor(mp, np), "xor");
        truths(!m, arrays::mask_not(mp), "not");
        truths(repeat_first<2>(m), arrays::template mask_repeat_first<2>(mp), "repeat_first of a mask");
        const bool choices[] = {true, false, false, true, false};  // of four g++ 12 makes a wrong constant
        truths(lane_mask<Element, width>::load(choices), arrays::mask_load(choices), "mask_load");
        truths(lane_mask<Element, width>::load_partial(choices, 2), arrays::mask_load_partial(choices, 2), "partial");
        values(select(m, x, y), arrays::select(mp, p, q), "select");
        expect(same(reduce_max(x), arrays::reduce_max(p)), "reduce_max");
        expect(same(reduce_min(x), arrays::reduce_min(p)), "reduce_min");
        expect(same(reduce_add(x), arrays::reduce_add(p)), "reduce_add");
        expect(same(x[3], a[3]), "[]");
        if constexpr (std::is_floating_point_v<Element>) {
            values(floor(x), arrays::floor(p), "floor");
            values(round_nearest(x), arrays::round(p), "round");
            values(sqrt(x), arrays::sqrt(p), "sqrt");
            values(x / y, arrays::div(p, q), "div");
            for (std::size_t i = 0; i < width; ++i) {
                expect(same(fma(x, y, x)[i], __builtin_fmaf(a[i], b[i], a[i])), "fma", static_cast<int>(i));
                expect(same(fma(x, b[0], y)[i], __builtin_fmaf(a[i], b[0], b[i])), "fma by a scalar");
                expect(same(fma(x, y, b[0])[i], __builtin_fmaf(a[i], b[i], b[0])), "fma to a scalar");
            }
        } else {
            values(x & y, arrays::bit_and(p, q), "&");
            values(x | y, arrays::bit_or(p, q), "|");
            values(x ^ y, arrays::bit_xor(p, q), "^");
            values(~x, arrays::bit_not(p), "~");
            values(x << 3, arrays::shl(p, 3), "<<");
            values(x >> 3, arrays::shr(p, 3), ">>");
            const Element counts[width] = {0, 1, 5, 31};
            values(x << vec::load(counts), arrays::shl(p, arrays::load(counts)), "<< each");
            values(x >> vec::load(counts), arrays::shr(p, arrays::load(counts)), ">> each");
            if (b[0] != 0 && b[1] != 0 && b[2] != 0 && b[3] != 0 && b[0] != Element(-1) && b[1] != Element(-1) &&
                b[2] != Element(-1) && b[3] != Element(-1)) {
                values(x / y, arrays::div(p, q), "div");
                values(x % y, arrays::rem(p, q), "rem");
            }
            const auto floats = convert_lanes<float>(x);
            for (std::size_t i = 0; i < width; ++i) expect(floats[i] == static_cast<float>(a[i]), "to float");
        }
    }
    static void all() {
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < count; ++j)
                lanes_beside_arrays{{sample(i), sample(i + 1), sample(i + 5), sample(i + 6)},
                                    {sample(j), sample(j + 3), sample(j + 4), sample(j + 9)}}();
    }
};

// ------------------------------------------------------------------ expressions

template <std::size_t Seed, class Element, std::size_t... Extents>
constexpr tensor<Element, Extents...> numbers = [] {
    tensor<Element, Extents...> out{};
    unsigned seed = Seed;
    for (Element& x : out) {
        seed = seed * 1664525u + 1013904223u;
        const int n = static_cast<int>(seed >> 16) - 32768;
        x = std::is_floating_point_v<Element> ? static_cast<Element>(n) / Element(8192) : static_cast<Element>(n >> 4);
    }
    return out;
}();

/// F of constants, when compiled and when run.
template <auto F, const auto&... Inputs>
void check(const char* name, float tolerance = 2e-6f) {
    static constexpr auto expected = F(Inputs...);
    const auto got = [](auto... copies) { return F(copies...); }(Inputs...);
    int number = 0;
    for (auto a = got.begin(), b = decltype(a)(expected.begin()); a != got.end(); ++a, ++b, ++number) {
        const auto difference = static_cast<float>(*a) - static_cast<float>(*b);
        const float size = static_cast<float>(*b) < 0 ? -static_cast<float>(*b) : static_cast<float>(*b);
        const bool right = (difference <= tolerance * (1 + size) && -difference <= tolerance * (1 + size)) || *a == *b;
        expect(right, name, number);
    }
}

void check_expressions() {
    constexpr auto& x = numbers<4, float, 5, 7>;
    constexpr auto& y = numbers<5, float, 5, 7>;
    constexpr auto& w = numbers<6, float, 7, 9>;
    constexpr auto& n = numbers<7, std::int32_t, 5, 7>;
    constexpr auto& d = numbers<8, double, 5, 7>;
    constexpr auto& small = numbers<9, std::int8_t, 5, 7>;
    check<[](const auto& a, const auto& b) { return eval(a * b + 2.0f - b / (abs(a) + 1.0f)); }, x, y>("arithmetic");
    check<[](const auto& a) { return eval(exp(a)); }, x>("exp");
    check<[](const auto& a) { return eval(log(abs(a) + 0.1f)); }, x>("log");
    check<[](const auto& a) { return eval(tanh(a)); }, x>("tanh");
    check<[](const auto& a) { return eval(sigmoid(a)); }, x>("sigmoid");
    check<[](const auto& a) { return eval(sqrt(abs(a))); }, x>("sqrt");
    check<[](const auto& a, const auto& b) { return eval(relu(matmul(a, b)) + 1.0f); }, x, w>("relu", 1e-5f);
    check<[](const auto& a, const auto& b) { return eval(where(a < b, a, b * 2.0f)); }, x, y>("where");
    check<[](const auto& a, const auto& b) { return eval(a < b); }, x, y>("truths");
    check<[](const auto& a) { return eval(a * a + 3 - a); }, n>("integers");
    check<[](const auto& a) { return eval(a + a); }, small>("small integers");
    check<[](const auto& a) { return eval(exp(a) * 2.0); }, d>("doubles");
}

}  // namespace

int main() {
    lanes_beside_arrays<float>::all();
    lanes_beside_arrays<std::int32_t>::all();
    lanes_beside_arrays<std::uint32_t>::all();
    check_expressions();
    std::printf("values: %d lanes of float, %d wrong\n", static_cast<int>(lane_width<float>), failures);
    return failures == 0 ? 0 : 1;
}
