// SPDX-License-Identifier: BSL-1.0
// Attention without parameters, step by step (after a PyTorch notebook): scores, weights, context vectors.
#include <ashlar/ashlar.hpp>

#include "support/check.hpp"
#include "support/notebook_fixtures.hpp"

using namespace ashlar;
using namespace examples;
namespace expected = fixtures::self_attention;

namespace {

// Axes have names, so that nobody multiplies tokens by features: it would not compile.
inline constexpr axis<"token", 6> token;
inline constexpr axis<"feature", 3> feature;

constexpr tensor<float, token, feature> inputs{{0.43f, 0.15f, 0.89f},   // your
                                               {0.55f, 0.87f, 0.66f},   // journey
                                               {0.57f, 0.85f, 0.64f},   // starts
                                               {0.22f, 0.58f, 0.33f},   // with
                                               {0.77f, 0.25f, 0.10f},   // one
                                               {0.05f, 0.80f, 0.55f}};  // step

// How much "journey" attends to each token: dot products say how well two vectors are aligned.
void one_query() {
    title("one query: \"journey\"");
    const auto query = inputs[1];                     // a view of the second row: nothing is copied
    const auto scores = eval(matmul(inputs, query));  // [token, feature] by [feature] gives [token]
    check_near("scores", scores, {0.9544f, 1.4950f, 1.4754f, 0.8434f, 0.7070f, 1.0865f}, printed);

    // Weights must sum to one. Dividing by the sum does that ...
    const auto shares = scores / sum(scores);  // lazy: computed where it is used
    check_near("weights, divided by the sum", shares, {0.1455f, 0.2278f, 0.2249f, 0.1285f, 0.1077f, 0.1656f}, printed);
    check_near("their sum", sum(shares), 1.0f, 1e-6);

    // ... and softmax does it for negative scores too, and favours the large ones.
    const auto weights = softmax(scores);
    check_near("weights, by softmax", weights, {0.1385f, 0.2379f, 0.2333f, 0.1240f, 0.1082f, 0.1581f}, printed);
    check_near("their sum", sum(weights), 1.0f, 1e-6);

    // The context vector is the sum of all tokens, each times its weight: a vector by a matrix.
    check_near("context vector", matmul(weights, inputs), {0.4419f, 0.6515f, 0.5683f}, printed);
}

// The same for all tokens at once: [token, feature] by [feature, token] gives a row of scores for each query.
void all_queries() {
    title("all queries");
    const auto scores = matmul(inputs, transpose(inputs));
    const auto weights = softmax(scores);  // along the last axis: each row sums to one
    const auto contexts = matmul(weights, inputs);

    check_near("scores", scores, expected::scores, 1e-6);
    check_near("weights", weights, expected::weights, 1e-6);
    check_near("context vectors", contexts,
               {{0.4421f, 0.5931f, 0.5790f},
                {0.4419f, 0.6515f, 0.5683f},
                {0.4431f, 0.6496f, 0.5671f},
                {0.4304f, 0.6298f, 0.5510f},
                {0.4671f, 0.5910f, 0.5266f},
                {0.4177f, 0.6503f, 0.5645f}},
               printed);
    check_near("context vectors, all digits", contexts, expected::contexts, 1e-6);
}

// A shape is part of a type, so the compiler can run all of this itself.
void at_compile_time() {
    title("in a constant expression");
    constexpr tensor<float, token, feature> contexts = matmul(softmax(matmul(inputs, transpose(inputs))), inputs);
    static_assert(contexts(1, 0) > 0.44185f && contexts(1, 0) < 0.44195f);
    check_near("context vectors", contexts, expected::contexts, 1e-6);
}

}  // namespace

int main() {
    one_query();
    all_queries();
    at_compile_time();
    return report();
}
