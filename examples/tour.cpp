// SPDX-License-Identifier: BSL-1.0
// A tour: a sentence, five PyTorch notebooks, an expression's plan and costs, its time beside loops and the peak.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>

#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/print.hpp>

#include "bench/support/peak.hpp"
#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;

namespace {

void heading(const char* text) {
    for (int column = std::printf("\n-- %s ", text); column < 98; ++column) std::putchar('-');
    std::putchar('\n');
}

// ------------------------------------------------------------------------------------- a sentence

inline constexpr axis<"word", 6> word;
inline constexpr axis<"feature", 3> feature;
constexpr const char* words[] = {"your", "journey", "starts", "with", "one", "step"};
constexpr tensor<float, word, feature> sentence{{0.43f, 0.15f, 0.89f}, {0.55f, 0.87f, 0.66f}, {0.57f, 0.85f, 0.64f},
                                                {0.22f, 0.58f, 0.33f}, {0.77f, 0.25f, 0.10f}, {0.05f, 0.80f, 0.55f}};

/// Words attend to themselves and to those before; the darker the block, the larger the weight.
void attend_to_a_sentence() {
    heading("a sentence attends to itself");
    const auto scores = matmul(sentence, transpose(sentence));
    tensor<float, word, word> weights;
    const auto contexts = eval(matmul(store(weights, softmax(masked(scores, causal))), sentence));

    std::puts("   auto scores = matmul(x, transpose(x));                                      // lazy, [word, word]");
    std::puts("   auto y = eval(matmul(store(weights, softmax(masked(scores, causal))), x));  // one fused loop\n");
    print_heat_map(weights, {.rows = words, .columns = words});
    std::puts("\n   the words in context:");
    print(contexts);
    // The compiler can compute it too, and both agree.
    constexpr tensor<float, word, feature> constant =
        matmul(softmax(masked(matmul(sentence, transpose(sentence)), causal)), sentence);
    examples::failures += eval(max(abs(constant - contexts)))() < 1e-6f ? 0 : 1;
    std::puts("\n   constexpr tensor<float, word, feature> y = ...;   // the compiler computes the same numbers");
}

// ------------------------------------------------------------------------------------- the notebooks

/// x w^T + b with the weights of a seeded linear layer.
auto study_layer(const any_expression auto& x, std::size_t m) {
    return matmul(x,
                  transpose(generate<float, 10, 10>([=](auto o, auto i) { return fixtures::centred(m, o, i, 158); }))) +
           generate<float, 10>([=](auto o) { return fixtures::centred(m, o, 10, 158); });
}

/// A line or two of each: what it prints, or what PyTorch computes of the same numbers. Each has examples of its own.
void go_through_the_notebooks() {
    using examples::borrowed, examples::check_near, examples::printed;
    heading("five PyTorch notebooks, each by an expression, beside what they print or PyTorch computes");
    namespace coded = fixtures::self_attention;
    check_near("003 \"journey\" in context", matmul(softmax(matmul(sentence, sentence[1])), sentence),
               {0.4419f, 0.6515f, 0.5683f}, printed);
    const auto keys = matmul(sentence, borrowed<feature, 2>(coded::w_key));
    const auto values = matmul(sentence, borrowed<feature, 2>(coded::w_value));
    check_near("003 with trainable projections",
               attention(matmul(sentence[1], borrowed<feature, 2>(coded::w_query)), keys, values), {0.3061f, 0.8210f},
               printed);
    check_near("003 the same, causal, all tokens",
               attention(matmul(sentence, borrowed<feature, 2>(coded::w_query)), keys, values, causal),
               coded::causal_attention, 1e-6);

    const auto x = borrowed(fixtures::transformer::x);
    check_near("002 a word by its similarity to others", attention(x[3], x, x, scale(1.0f)),
               fixtures::transformer::context_row_3, 1e-5);
    check_near("002 causal weights", softmax(masked(matmul(x, transpose(x)), causal)),
               fixtures::transformer::causal_weights, 1e-5);

    namespace torch = fixtures::torch_attention;
    const auto v = borrowed(torch::v);
    check_near("000 self-attention", attention(v, v, v), torch::self_attention_output, 1e-6);
    check_near("000 a query and keys narrower than values",
               attention(borrowed(torch::narrow_query), borrowed(torch::narrow_keys), v), torch::narrow_attention,
               1e-6);

    const auto embedded =
        take(borrowed(fixtures::multi_head::embedding), tensor_view<const int, 7>(fixtures::multi_head::tokens));
    check_near("001 embedding and projection",
               matmul(embedded, transpose(borrowed(fixtures::multi_head::query_weight))), fixtures::multi_head::query,
               1e-6);

    const auto words_of_a_batch = borrowed(fixtures::attention_study::embedded);
    check_near(
        "004 batched attention with biases",
        attention(study_layer(words_of_a_batch, 0), study_layer(words_of_a_batch, 1), study_layer(words_of_a_batch, 2)),
        fixtures::attention_study::attention, 1e-6);
}

// ------------------------------------------------------------------------------------- plan and costs

inline constexpr axis<"query", 64> query;
inline constexpr axis<"key", 64> key;
inline constexpr axis<"head", 32> head;
using queries = tensor<float, query, head>;
using keys = tensor<float, key, head>;

auto attend(const queries& q, const keys& k, const keys& v) {
    return matmul(softmax(matmul(q, transpose(k)) * rsqrt_extent<head>), v);
}
auto attend_causally(const queries& q, const keys& k, const keys& v) {
    return matmul(softmax(masked(matmul(q, transpose(k)) * rsqrt_extent<head>, causal)), v);
}
using full_type = decltype(attend(queries{}, keys{}, keys{}));
using causal_type = decltype(attend_causally(queries{}, keys{}, keys{}));

// Costs are constants: what must hold can be asserted before anything runs.
static_assert(workspace_bytes<causal_type> <= 16 * 1024);
static_assert(flops<causal_type> < 6 * flops<full_type> / 10, "a causal mask excludes nearly half of the pairs");

void show_plan(const queries& q, const keys& k, const keys& v) {
    heading("64 queries, 64 keys, width 32: the plan of one fused loop");
    const auto e = attend_causally(q, k, v);
    const auto text = explain(e);
    std::fputs(text.c_str(), stdout);
    heading("known before it runs");
    std::printf("   flops<E>            %8zu    (%zu without the mask)\n", flops<causal_type>, flops<full_type>);
    std::printf("   workspace_bytes<E>  %8zu    (on the stack; a matrix of all scores would take %zu)\n",
                workspace_bytes<causal_type>, query.extent * key.extent * sizeof(float));
}

// ------------------------------------------------------------------------------------- time

/// Attention as one writes it in loops.
ASHLAR_NOINLINE void by_loops(const queries& q, const keys& k, const keys& v, bool masked, queries& out) {
    for (std::size_t i = 0; i < query.extent; ++i) {
        const std::size_t kept = masked ? i + 1 : key.extent;
        float scores[key.extent], top = std::numeric_limits<float>::lowest(), sum = 0;
        for (std::size_t j = 0; j < kept; ++j) {
            scores[j] = 0;
            for (std::size_t d = 0; d < head.extent; ++d) scores[j] += q(i, d) * k(j, d);
            scores[j] *= static_cast<float>(rsqrt_extent<head>);
            top = std::max(top, scores[j]);
        }
        for (std::size_t j = 0; j < kept; ++j) sum += scores[j] = std::exp(scores[j] - top);
        for (std::size_t d = 0; d < head.extent; ++d) out(i, d) = 0;
        for (std::size_t j = 0; j < kept; ++j)
            for (std::size_t d = 0; d < head.extent; ++d) out(i, d) += scores[j] / sum * v(j, d);
    }
}
ASHLAR_NOINLINE void by_ashlar(const queries& q, const keys& k, const keys& v, queries& out) { out = attend(q, k, v); }
ASHLAR_NOINLINE void by_ashlar_causal(const queries& q, const keys& k, const keys& v, queries& out) {
    out = attend_causally(q, k, v);
}

/// The best time of one call in seconds, out of several short runs of `calls`.
template <class F>
double best_of(double best, int calls, F f) {
    return std::min(best, bench::seconds([&] {
                              for (int c = 0; c < calls; ++c) f();
                          }) / calls);
}

void row_of_times(const char* name, double time, double beside, std::size_t operations, double peak) {
    const double share = static_cast<double>(operations) / time / peak;
    const int blocks = std::clamp(static_cast<int>(share * 30 + 0.5), 0, 30);
    std::printf("   %-22s %9.2f us %7.1fx  %5.1f%%  ", name, time * 1e6, beside / time, share * 100);
    for (int b = 0; b < 30; ++b) std::fputs(b < blocks ? "\u2588" : "\u2591", stdout);
    std::puts("");
}

void measure(const queries& q, const keys& k, const keys& v) {
    heading("time of one call on one core");
    queries out, expected;
    double loops = 1, ours = 1, loops_causal = 1, ours_causal = 1, peak = 0;
    const auto start = std::chrono::steady_clock::now();
    do {  // by turns, so that all see the same machine, and for half a second: unoptimised builds are slow
        peak = std::max(peak, bench::peak_flops<float>(1));
        loops = best_of(loops, 5, [&] { by_loops(q, k, v, false, expected); });
        ours = best_of(ours, 50, [&] { by_ashlar(q, k, v, out); });
        loops_causal = best_of(loops_causal, 5, [&] { by_loops(q, k, v, true, expected); });
        ours_causal = best_of(ours_causal, 50, [&] { by_ashlar_causal(q, k, v, out); });
    } while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(500));
    std::printf("   %-22s %12s %8s  of the %.0f GFLOP/s that multiply-adds reach here\n", "", "time", "speed",
                peak / 1e9);
    row_of_times("full, plain loops", loops, loops, flops<full_type>, peak);
    row_of_times("full, ashlar", ours, loops, flops<full_type>, peak);
    row_of_times("causal, plain loops", loops_causal, loops_causal, flops<causal_type>, peak);
    row_of_times("causal, ashlar", ours_causal, loops_causal, flops<causal_type>, peak);

    by_loops(q, k, v, false, expected);
    by_ashlar(q, k, v, out);
    const float off = eval(max(abs(out - expected)))();
    by_loops(q, k, v, true, expected);
    by_ashlar_causal(q, k, v, out);
    const float off_causal = eval(max(abs(out - expected)))();
    std::printf("   largest difference between loops and expression: %.1e and %.1e\n", static_cast<double>(off),
                static_cast<double>(off_causal));
    examples::failures += off < 1e-5f && off_causal < 1e-5f ? 0 : 1;
}

}  // namespace

int main() {
    std::puts("ashlar: tensors with compile-time shapes, lazy expressions, fused SIMD loops");
    attend_to_a_sentence();
    go_through_the_notebooks();

    const auto wave = [](float step) {
        return [step](auto i, auto j) { return std::sin(step * static_cast<float>(32 * i + j)); };
    };
    const auto q = generate<float, query, head>(wave(0.7f));
    const auto k = generate<float, key, head>(wave(1.1f));
    const auto v = generate<float, key, head>(wave(0.3f));
    show_plan(q, k, v);
    measure(q, k, v);
    std::puts(
        "\nexamples/ goes through this step by step, from dot_product_attention.cpp on; ./run bench compares with others.");
    return examples::report();
}
