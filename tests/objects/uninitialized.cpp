// SPDX-License-Identifier: BSL-1.0
// No result depends on memory that nobody wrote: run with clang's memory sanitizer, which follows each bit from where
// it was allocated to where it decides something. Scratch is given as uninitialised, and so is what a mask hides.
#include <cstdio>

#include <sanitizer/msan_interface.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;

int failures = 0;

/// Every bit of a result is known.
template <class Tensor>
void check(const Tensor& y, const char* what) {
    const auto first = __msan_test_shadow(y.data(), sizeof(typename Tensor::value_type) * Tensor::size);
    if (first < 0) return;
    std::printf("FAILED: %s: byte %d comes from memory that nobody wrote\n", what, static_cast<int>(first));
    ++failures;
}

template <class T, std::size_t... Extents>
tensor<T, Extents...> numbers(unsigned seed) {
    tensor<T, Extents...> result;
    for (T& x : result) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<T>(static_cast<int>(seed >> 16) - 32768) / T(32768);
    }
    return result;
}

/// An expression evaluated into memory that nobody wrote, with scratch that nobody wrote.
template <class Expression>
void evaluates(const char* what, const Expression& e) {
    static workspace<workspace_bytes<Expression>> scratch;
    static decltype(eval(e)) y;
    __msan_poison(&scratch, sizeof scratch);
    __msan_poison(&y, sizeof y);
    evaluate(y, e, scratch);
    check(y, what);
}

template <class T, std::size_t Queries, std::size_t Keys, std::size_t Depth>
void attentions(const char* what) {
    const auto q = numbers<T, Queries, Depth>(1);
    auto k = numbers<T, Keys, Depth>(2);
    auto v = numbers<T, Keys, Depth>(3);
    evaluates(what, attention(q, k, v));
    evaluates(what, attention(q, k, v, causal));
    evaluates(what, attention(q, k, v, sliding_window<3, 1>));
    evaluates(what, softmax(matmul(q, transpose(k))));
    evaluates(what, matmul(gelu(matmul(q, transpose(k))), v));
    evaluates(what, layer_norm(q) + sum<1>(abs(q), keep_dims));
    for (const std::size_t length : {std::size_t{0}, Keys / 2, Keys}) {
        __msan_poison(k.data() + length * Depth, (Keys - length) * Depth * sizeof(T));
        __msan_poison(v.data() + length * Depth, (Keys - length) * Depth * sizeof(T));
        evaluates(what, attention(q, k, v, keys_below(length)));
        evaluates(what, attention(q, k, v, causal && keys_below(length)));
        k = numbers<T, Keys, Depth>(2);
        v = numbers<T, Keys, Depth>(3);
    }
}

template <std::size_t Rows>
void layers(const char* what) {
    nn::init::generator random(7);
    static const auto model =
        nn::init::make<nn::encoder<{.layer = {.embed = 24, .heads = 3, .hidden = 40}, .layers = 2}>>(random);
    const auto x = numbers<float, Rows, 24>(4);
    evaluates(what, model(x));
}

}  // namespace

int main() {
    tensor<float, 4> unknown;
    __msan_poison(&unknown, sizeof unknown);
    if (__msan_test_shadow(&unknown, sizeof unknown) != 0) {
        std::puts("FAILED: what nobody wrote counts as written");
        return 1;
    }
    attentions<float, 3, 17, 8>("attention of three queries");
    attentions<float, 33, 35, 19>("attention of tiles that do not divide");
    layers<17>("an encoder");
    if (failures == 0) std::puts("no result comes from memory that nobody wrote");
    return failures != 0;
}
