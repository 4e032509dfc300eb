// SPDX-License-Identifier: BSL-1.0
// A program of checks without a test framework: built with flags and compilers that the other tests do not use.
#include <cstdio>

#include <ashlar/ashlar.hpp>

namespace {

using namespace ashlar;

int failures = 0;

void check(bool condition, const char* what) {
    if (condition) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

template <class A, class B>
bool near(const A& a, const B& b, double tolerance = 1e-5) {
    for (std::size_t i = 0; i < A::size; ++i) {
        const double difference = static_cast<double>(a.begin()[i]) - static_cast<double>(b.begin()[i]);
        if (!(difference <= tolerance && difference >= -tolerance)) return false;
    }
    return true;
}

/// Values in [-1, 1), the same at compile time and at run time.
template <class T, std::size_t Rows, std::size_t Columns>
constexpr tensor<T, Rows, Columns> numbers(unsigned seed) {
    tensor<T, Rows, Columns> result{};
    for (T& x : result) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<T>(static_cast<int>(seed >> 16) - 32768) / T(32768);
    }
    return result;
}

template <class T, std::size_t Keys>
constexpr auto attend(const tensor<T, 5, 8>& q, const tensor<T, Keys, 8>& k, const tensor<T, Keys, 6>& v) {
    return eval(attention(q, k, v, causal_at(2)));
}

template <class T>
void attention_as_at_compile_time(const char* what) {
    static constexpr auto q = numbers<T, 5, 8>(1);
    static constexpr auto k = numbers<T, 11, 8>(2);
    static constexpr auto v = numbers<T, 11, 6>(3);
    static constexpr auto expected = attend<T, 11>(q, k, v);
    check(near(attend<T, 11>(q, k, v), expected), what);
}

void empty_rows_are_zero() {
    const auto x = numbers<float, 19, 7>(4);
    const tensor<float, 19, 7> y = attention(x, x, x, causal_at(-3));
    bool zero = true, others = false;
    for (std::size_t i = 0; i < 19; ++i)
        for (std::size_t j = 0; j < 7; ++j) {
            if (i < 3)
                zero = zero && y(i, j) == 0;
            else
                others = others || y(i, j) != 0;
        }
    check(zero && others, "rows that keep no key are zero");
}

void masks_exclude() {
    auto x = numbers<float, 21, 9>(5);
    const auto some = numbers<float, 21, 9>(6);
    const tensor<float, 21, 9> before = attention(some, x, x, keys_below(17));
    for (std::size_t i = 17; i < 21; ++i)
        for (std::size_t j = 0; j < 9; ++j) x(i, j) = 1e30f;
    check(near(eval(attention(some, x, x, keys_below(17))), before, 0), "keys beyond the length are not read");

    tensor<bool, 21> padding{};
    for (std::size_t i = 17; i < 21; ++i) padding(i) = true;
    check(near(eval(attention(some, x, x, ignore(padding))), before), "padding is not read");
}

void softmax_of_large_scores() {
    const tensor<float, 2, 3> scores{{1000, 1001, 999}, {-2000, -1e30f, -2001}}, weights = softmax(scores);
    const tensor<float, 2, 3> expected{{0.24472847f, 0.66524096f, 0.09003057f}, {0.7310586f, 0, 0.2689414f}};
    check(near(weights, expected, 1e-6), "softmax of large scores");
}

void functions_as_at_compile_time() {
    static constexpr auto x = numbers<float, 7, 9>(7);
    static constexpr auto value = [](const tensor<float, 7, 9>& t) {
        return eval(gelu(t) + tanh(t) * exp(t) + log(abs(t) + 1.0f) - sigmoid(t) + pow(abs(t) + 0.5f, t) +
                    sqrt(abs(t)));
    };
    static constexpr auto expected = value(x);
    check(near(value(x), expected), "functions of elements");
    static constexpr auto normalised = eval(layer_norm(x, full<float, 9>(2), full<float, 9>(1), 1e-5f));
    check(near(eval(layer_norm(x, full<float, 9>(2), full<float, 9>(1), 1e-5f)), normalised), "layer_norm");
}

void other_elements() {
    const tensor<signed char, 2, 3> small{{-1, 2, -3}, {100, -100, 0}};
    check(eval(sum(cast<int>(small)))() == -2, "sums of small integers");
    check(eval(all((small < cast<signed char>(zeros<int, 2, 3>())) ==
                   tensor<bool, 2, 3>{{true, false, true}, {false, true, false}}))(),
          "comparisons");
    const tensor<int, 3> tokens{2, 0, 2};
    check(near(eval(take<0>(numbers<float, 3, 5>(8), tokens)),
               eval(concat<0>(slice<0, 2, 3>(numbers<float, 3, 5>(8)), slice<0, 0, 1>(numbers<float, 3, 5>(8)),
                              slice<0, 2, 3>(numbers<float, 3, 5>(8)))),
               0),
          "rows by index");
    auto x = numbers<double, 13, 13>(9);
    const tensor<double, 13, 13> expected = matmul(x, transpose(x));
    x = matmul(x, transpose(x));
    check(near(x, expected, 1e-12), "a product in place");
}

}  // namespace

int main() {
    attention_as_at_compile_time<float>("attention in float");
    attention_as_at_compile_time<double>("attention in double");
    empty_rows_are_zero();
    masks_exclude();
    softmax_of_large_scores();
    functions_as_at_compile_time();
    other_elements();
    std::printf("%d failures\n", failures);
    return failures != 0;
}
