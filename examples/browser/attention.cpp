// SPDX-License-Identifier: BSL-1.0
// Attention as a WebAssembly module without imports: a sentence, its weights, a plan, and its time compared with plain
// loops.
#include <algorithm>
#include <cstddef>
#include <limits>

#include <ashlar/ashlar.hpp>

#define EXPORT(name) extern "C" __attribute__((export_name(#name), used))

using namespace ashlar;

namespace {

// ------------------------------------------------------------------------------------- masks

// The masks of the page, by number. The type has the window; the number of keys is known at run time.
enum mask_number { all_pairs, only_earlier, window, first_keys };
inline constexpr std::size_t widest_window = 5;

/// Calls f with the mask of this number and parameter, or without a mask.
template <std::size_t Width = 0, class Function>
void with_mask(int number, std::size_t parameter, Function f) {
    if (number == only_earlier) return f(causal);
    if (number == first_keys) return f(keys_below(parameter));
    if (number != window) return f();
    if constexpr (Width < widest_window)
        if (parameter > Width) return with_mask<Width + 1>(number, parameter, f);
    f(sliding_window<Width, Width>);
}

// ------------------------------------------------------------------------------------- a sentence

inline constexpr axis<"word", 6> word;
inline constexpr axis<"feature", 3> feature;

// Your journey starts with one step.
constexpr tensor<float, word, feature> sentence{{0.43f, 0.15f, 0.89f}, {0.55f, 0.87f, 0.66f}, {0.57f, 0.85f, 0.64f},
                                                {0.22f, 0.58f, 0.33f}, {0.77f, 0.25f, 0.10f}, {0.05f, 0.80f, 0.55f}};
tensor<float, word, word> weights{};
tensor<float, word, feature> contexts{};

// ------------------------------------------------------------------------------------- a plan and its time

inline constexpr axis<"query", 64> query;
inline constexpr axis<"key", 64> key;
inline constexpr axis<"head", 32> head;
using queries = tensor<float, query, head>;
using keys = tensor<float, key, head>;

queries q{}, by_expression{}, by_loops{};
keys k{}, v{};

/// A mask for 64 keys. The page draws its plan.
template <class Function>
void with_long_mask(int number, std::size_t parameter, Function f) {
    if (number == window) return f(sliding_window<8, 8>);
    with_mask(number, number == first_keys ? parameter : 0, f);
}

/// Attention in plain loops: `kept(i, j)` says which pairs are kept.
template <class Kept>
ASHLAR_NOINLINE void attend_by_loops(Kept kept) {
    for (std::size_t i = 0; i < query.extent; ++i) {
        float scores[key.extent], top = std::numeric_limits<float>::lowest(), sum = 0;
        for (std::size_t j = 0; j < key.extent; ++j) {
            if (!kept(i, j)) continue;
            scores[j] = 0;
            for (std::size_t d = 0; d < head.extent; ++d) scores[j] += q(i, d) * k(j, d);
            scores[j] *= static_cast<float>(rsqrt_extent<head>);
            top = std::max(top, scores[j]);
        }
        for (std::size_t j = 0; j < key.extent; ++j)
            if (kept(i, j)) sum += scores[j] = __builtin_expf(scores[j] - top);
        for (std::size_t d = 0; d < head.extent; ++d) by_loops(i, d) = 0;
        for (std::size_t j = 0; j < key.extent; ++j)
            if (kept(i, j))
                for (std::size_t d = 0; d < head.extent; ++d) by_loops(i, d) += scores[j] / sum * v(j, d);
    }
}

}  // namespace

/// What the page reads: the sentence [word, feature], weights [word, word] and contexts [word, feature].
EXPORT(sentence) const float* get_sentence() { return sentence.data(); }
EXPORT(weights) const float* get_weights() { return weights.data(); }
EXPORT(contexts) const float* get_contexts() { return contexts.data(); }

/// The sentence attends to itself: one fused loop computes both.
EXPORT(attend) void attend(int mask, std::size_t parameter, float scale) {
    with_mask(mask, parameter, [&](const auto&... kept) {
        contexts =
            matmul(store(weights, attention_weights(sentence, sentence, ashlar::scale(scale), kept...)), sentence);
    });
}

/// The plan of attention of 64 queries to 64 keys as JSON.
EXPORT(plan) const char* plan_of(int mask) {
    const char* json = "";
    with_long_mask(mask, 0,
                   [&](const auto&... kept) { json = plan_json<decltype(attention(q, k, v, kept...))>.c_str(); });
    return json;
}

/// Fills the operands with arbitrary numbers.
EXPORT(prepare) void prepare() {
    std::size_t state = 1;
    const auto next = [&](auto...) {
        state = (state * 1103515245 + 12345) % 2147483648u;
        return static_cast<float>(state) / 1073741824.0f - 1.0f;
    };
    for (float& x : q) x = next();
    for (float& x : k) x = next();
    for (float& x : v) x = next();
}

/// Computes the same attention this many times; the page measures it.
EXPORT(run_expression) void run_expression(int mask, std::size_t parameter, int calls) {
    with_long_mask(mask, parameter, [&](const auto&... kept) {
        for (int c = 0; c < calls; ++c) by_expression = attention(q, k, v, kept...);
    });
}
EXPORT(run_loops) void run_loops(int mask, std::size_t parameter, int calls) {
    for (int c = 0; c < calls; ++c) {
        if (mask == only_earlier)
            attend_by_loops([](std::size_t i, std::size_t j) { return j <= i; });
        else if (mask == window)
            attend_by_loops([](std::size_t i, std::size_t j) { return j + 8 >= i && j <= i + 8; });
        else if (mask == first_keys)
            attend_by_loops([=](std::size_t, std::size_t j) { return j < parameter; });
        else
            attend_by_loops([](std::size_t, std::size_t) { return true; });
    }
}
/// The largest difference between the two results.
EXPORT(difference) float difference() { return eval(max(abs(by_expression - by_loops)))(); }
