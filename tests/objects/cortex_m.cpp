// SPDX-License-Identifier: BSL-1.0
// Starts a Cortex-M, runs attention and an encoder layer there, checks them against constants and plain loops, and
// counts instructions by the system timer.
#include <cstdint>
#include <cstdio>

#include "attend16.hpp"
#include "cortex_m_clock.hpp"
#include "cortex_m_stack.hpp"
#include "layer16.hpp"
#include "plain_loops.hpp"

namespace {

unsigned seed_of_weights = 7;

constexpr float next_number(unsigned& seed) {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<float>(static_cast<int>(seed >> 16) - 32768) / 32768.0f;
}
constexpr square numbers(unsigned seed) {
    square result{};
    for (float& x : result) x = next_number(seed);
    return result;
}

constexpr square q = numbers(1), k = numbers(2), v = numbers(3);
constexpr square full = ashlar::attention(q, k, v);
constexpr square causal = ashlar::attention(q, k, v, ashlar::causal);

square result;
tokens input, encoded, expected_tokens;
layer weights;
plain_layer plain_weights;

template <class Run>
bool is_right(const char* name, Run run, const float* values, const float* expected, std::size_t size,
              float tolerance) {
    const unsigned long count = instructions_of(run);
    float worst = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const float difference = values[i] - expected[i];
        worst = difference > worst ? difference : -difference > worst ? -difference : worst;
    }
    const bool right = worst < tolerance;
    std::printf("%s: %lu instructions, %lu bytes of stack, off by %ld e-9: %s\n", name, count, stack_of(run),
                static_cast<long>(worst * 1e9f), right ? "right" : "WRONG");
    return right;
}

/// The same random weights for both.
template <std::size_t In, std::size_t Out, class Linear>
void fill(Linear& to, float (&matrix)[In][Out], float (&bias)[Out]) {
    static ashlar::tensor<float, In, Out> w;
    for (std::size_t i = 0; i < In; ++i)
        for (std::size_t j = 0; j < Out; ++j)
            w.begin()[i * Out + j] = matrix[i][j] = 0.3f * next_number(seed_of_weights);
    pack(to.weight, w);
    for (std::size_t j = 0; j < Out; ++j) to.bias.begin()[j] = bias[j] = next_number(seed_of_weights);
}
template <class Norm>
void fill_norm(Norm& to, float (&weight)[32], float (&bias)[32]) {
    for (std::size_t j = 0; j < 32; ++j) {
        to.weight.begin()[j] = weight[j] = 1 + 0.5f * next_number(seed_of_weights);
        to.bias.begin()[j] = bias[j] = next_number(seed_of_weights);
    }
}
void fill_weights() {
    plain_layer& p = plain_weights;
    fill(weights.self_attn.query, p.query, p.query_bias);
    fill(weights.self_attn.key, p.key, p.key_bias);
    fill(weights.self_attn.value, p.value, p.value_bias);
    fill(weights.self_attn.out_proj, p.out, p.out_bias);
    fill(weights.feed_forward.linear1, p.up, p.up_bias);
    fill(weights.feed_forward.linear2, p.down, p.down_bias);
    fill_norm(weights.norm1, p.norm1, p.norm1_bias);
    fill_norm(weights.norm2, p.norm2, p.norm2_bias);
    for (float& x : input) x = next_number(seed_of_weights);
}

}  // namespace

int main() {
    start_clock();
    fill_weights();
    float* const out = result.begin();
    bool right = is_right("full", [] { attend(result, q, k, v); }, out, full.begin(), square::size, 1e-6f);
    right &= is_right("causal", [] { attend_causally(result, q, k, v); }, out, causal.begin(), square::size, 1e-6f);
    right &= is_right(
        "plain full", [&] { plain_attend(out, q.begin(), k.begin(), v.begin()); }, out, full.begin(), square::size,
        1e-6f);
    right &= is_right(
        "plain causal", [&] { plain_attend_causally(out, q.begin(), k.begin(), v.begin()); }, out, causal.begin(),
        square::size, 1e-6f);
    encode(encoded, weights, input);
    right &= is_right(
        "plain layer", [] { plain_encode(expected_tokens.begin(), plain_weights, input.begin()); },
        expected_tokens.begin(), encoded.begin(), tokens::size, 1e-5f);
    right &= is_right(
        "layer", [] { encode(encoded, weights, input); }, encoded.begin(), expected_tokens.begin(), tokens::size,
        1e-5f);
    return right ? 0 : 1;
}
