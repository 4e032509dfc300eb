// SPDX-License-Identifier: BSL-1.0
// Expressions on a microcontroller against plain loops of doubles, of values that the compiler does not know.
#include <cmath>
#include <cstdint>
#include <cstdio>

#include <ashlar/ashlar.hpp>

#include "cortex_m_start.hpp"

namespace {

using namespace ashlar;

int failures = 0;
/// As close as sums of a few products of floats are.
template <class Element>
void expect_near(Element got, double wanted, const char* what, std::size_t extent, std::size_t number) {
    const double off = static_cast<double>(got) - wanted, bound = 2e-5 * (1 + std::fabs(wanted));
    if (off <= bound && -off <= bound) return;
    if (++failures <= 20)
        std::printf("WRONG: %s of %u at %u: %d e-6 instead of %d e-6\n", what, static_cast<unsigned>(extent),
                    static_cast<unsigned>(number), static_cast<int>(static_cast<double>(got) * 1e6),
                    static_cast<int>(wanted * 1e6));
}

volatile unsigned first_seed = 5;
template <class Tensor>
Tensor filled() {
    static unsigned seed = first_seed;
    Tensor out;
    using element = typename Tensor::value_type;
    for (element& x : out) {
        seed = seed * 1664525u + 1013904223u;
        const int n = static_cast<int>(seed >> 16) - 32768;
        x = std::is_floating_point_v<element> ? static_cast<element>(n) / element(10000) : static_cast<element>(n >> 5);
    }
    return out;
}

// ------------------------------------------------------------------ along an axis of three

template <std::size_t Count>
struct line {
    double values[Count];
    double sum() const {
        double out = 0;
        for (const double x : values) out += x;
        return out;
    }
    double exponentials() const {
        double out = 0;
        for (const double x : values) out += std::exp(x);
        return out;
    }
};

/// Calls `use(line, its number, where it starts, elements from one of it to the next)` for every line along `Axis`.
template <std::size_t Axis, std::size_t A, std::size_t B, std::size_t C, class Element, class Use>
void each_line(const Element* x, Use use) {
    constexpr std::size_t count = Axis == 0 ? A : Axis == 1 ? B : C;
    constexpr std::size_t step = Axis == 0 ? B * C : Axis == 1 ? C : 1;
    std::size_t number = 0;
    for (std::size_t i = 0; i < A * B * C; ++i) {
        if (i / step % count != 0) continue;
        line<count> l;
        for (std::size_t j = 0; j < count; ++j) l.values[j] = static_cast<double>(x[i + j * step]);
        use(l, number++, i, step);
    }
}

template <int Axis, class Element, std::size_t A, std::size_t B, std::size_t C>
[[gnu::noinline]] void check_axis() {
    const auto x = filled<tensor<Element, A, B, C>>();
    const auto sums = eval(sum<Axis>(x)), most = eval(max<Axis>(x));
    each_line<Axis, A, B, C>(x.data(), [&](const auto& l, std::size_t n, std::size_t, std::size_t) {
        double greatest = l.values[0];
        for (const double v : l.values) greatest = v > greatest ? v : greatest;
        expect_near(sums.data()[n], l.sum(), "sum", C, n);
        expect_near(most.data()[n], greatest, "max", C, n);
    });
    if constexpr (std::is_floating_point_v<Element>) {
        const auto spread = eval(variance<Axis>(x)), logs = eval(logsumexp<Axis>(x));
        const auto weighted = eval(sum<Axis>(softmax<Axis>(x) * x));
        const auto shares = eval(softmax<Axis>(x));
        each_line<Axis, A, B, C>(x.data(), [&](const auto& l, std::size_t n, std::size_t start, std::size_t step) {
            constexpr std::size_t count = sizeof l.values / sizeof(double);
            double squares = 0, dots = 0;
            const double total = l.exponentials(), mean = l.sum() / static_cast<double>(count);
            for (std::size_t i = 0; i < count; ++i) {
                squares += (l.values[i] - mean) * (l.values[i] - mean);
                dots += std::exp(l.values[i]) / total * l.values[i];
                expect_near(shares.data()[start + i * step], std::exp(l.values[i]) / total, "softmax", C, start);
            }
            expect_near(spread.data()[n], squares / static_cast<double>(count), "variance", C, n);
            expect_near(logs.data()[n], std::log(total), "logsumexp", C, n);
            expect_near(weighted.data()[n], dots, "sum of softmax * x", C, n);
        });
    }
}

template <class Element, std::size_t A, std::size_t B, std::size_t C>
void check_axes() {
    check_axis<0, Element, A, B, C>();
    check_axis<1, Element, A, B, C>();
    check_axis<2, Element, A, B, C>();
}

// ------------------------------------------------------------------ attention

/// `Mask` as the library passes it, and as `keeps(query, key)`.
template <class Element, std::size_t Rows, std::size_t Keys, std::size_t Depth, class Mask, class Keeps>
[[gnu::noinline]] void check_attention(const char* what, const Mask& mask, Keeps keeps) {
    const auto q = filled<tensor<Element, Rows, Depth>>();
    const auto k = filled<tensor<Element, Keys, Depth>>(), v = filled<tensor<Element, Keys, Depth>>();
    const auto got = eval(attention(q, k, v, mask));
    for (std::size_t i = 0; i < Rows; ++i) {
        double total = 0, row[Depth] = {};
        for (std::size_t j = 0; j < Keys; ++j) {
            if (!keeps(i, j)) continue;
            double score = 0;
            for (std::size_t c = 0; c < Depth; ++c)
                score += static_cast<double>(q(i, c)) * static_cast<double>(k(j, c));
            const double weight = std::exp(score / std::sqrt(static_cast<double>(Depth)));
            total += weight;
            for (std::size_t c = 0; c < Depth; ++c) row[c] += weight * static_cast<double>(v(j, c));
        }
        for (std::size_t c = 0; c < Depth; ++c)
            expect_near(got(i, c), total > 0 ? row[c] / total : 0.0, what, Rows, i * Depth + c);
    }
}

template <class Element, std::size_t N, std::size_t Depth>
void check_masks() {
    check_attention<Element, N, N + 2, Depth>("attention", keys_below(N + 1), [](auto, auto j) { return j <= N; });
    check_attention<Element, N, N, Depth>("causal attention", causal, [](auto i, auto j) { return j <= i; });
    tensor<bool, N, N> some;
    for (std::size_t i = 0; i < N; ++i)
        for (std::size_t j = 0; j < N; ++j) some(i, j) = i % 3 != 1 && (i * 7 + j * 5 + first_seed) % 3 != 0;
    check_attention<Element, N, N, Depth>("attention with empty rows", keep(some),
                                          [&](auto i, auto j) { return some(i, j); });
}

// ------------------------------------------------------------------ rows and elements

template <class Element, std::size_t Rows, std::size_t Columns>
[[gnu::noinline]] void check_rows() {
    const auto x = filled<tensor<Element, Rows, Columns>>();
    const auto w = filled<tensor<Element, Columns, Rows + 2>>();
    const auto normal = eval(layer_norm(x)), bent = eval(gelu(x));
    const auto turned = eval(transpose(x) + Element(1));
    const auto product = eval(matmul(x, w));
    for (std::size_t i = 0; i < Rows; ++i) {
        double sum = 0, squares = 0;
        for (std::size_t j = 0; j < Columns; ++j) sum += static_cast<double>(x(i, j));
        const double mean = sum / Columns;
        for (std::size_t j = 0; j < Columns; ++j)
            squares += (static_cast<double>(x(i, j)) - mean) * (static_cast<double>(x(i, j)) - mean);
        for (std::size_t j = 0; j < Columns; ++j) {
            const double one = static_cast<double>(x(i, j));
            expect_near(normal(i, j), (one - mean) / std::sqrt(squares / Columns + 1e-5), "layer_norm", Columns, i);
            expect_near(bent(i, j), one * 0.5 * (1 + std::erf(one * std::sqrt(0.5))), "gelu", Columns, i);
            expect_near(turned(j, i), one + 1, "transpose", Columns, i);
        }
        for (std::size_t c = 0; c < Rows + 2; ++c) {
            double dot = 0;
            for (std::size_t j = 0; j < Columns; ++j)
                dot += static_cast<double>(x(i, j)) * static_cast<double>(w(j, c));
            expect_near(product(i, c), dot, "matmul", Columns, i);
        }
    }
}

}  // namespace

int main() {
    check_axes<float, 3, 17, 5>();
    check_axes<float, 2, 3, 13>();
    check_axes<std::int32_t, 3, 5, 7>();
    check_axes<double, 2, 5, 3>();
    check_masks<float, 1, 4>();
    check_masks<float, 3, 5>();
    check_masks<float, 5, 3>();
    check_masks<float, 16, 8>();
    check_masks<double, 5, 3>();
    check_rows<float, 1, 13>();
    check_rows<float, 5, 7>();
    check_rows<float, 8, 4>();
    check_rows<double, 3, 5>();
    std::printf("loops: %d lanes of float, %d wrong\n", static_cast<int>(lane_width<float>), failures);
    return failures == 0 ? 0 : 1;
}
