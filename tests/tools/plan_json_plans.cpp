// SPDX-License-Identifier: BSL-1.0
// Prints plan_json of many kinds of plans, beside flops, workspace_bytes, the number of steps, and what explain says.
// Fields end with a unit separator, plans with a record separator.
#include <cstdio>

#include <ashlar/ashlar.hpp>
#include <ashlar/linalg.hpp>
#include <ashlar/nn.hpp>

namespace {

using namespace ashlar;

inline constexpr axis<"seq", 64> seq;
inline constexpr axis<"head", 32> head;
inline constexpr axis<"heads", 8> heads;
inline constexpr axis<"batch", 4> batch;
inline constexpr axis<"a \"quoted\\ name", 33> quoted;

template <auto... Dims>
tensor<float, Dims...> x{};

template <std::size_t Workers = 1, class Expression, class... Rows>
void print(const char* title, const Expression& e, const Rows&... rows) {
    std::printf("%s\x1f%zu\x1f%zu\x1f%zu\x1f", title, flops<Expression>, workspace_bytes<Expression, Workers>,
                plan<Expression>.step_count);
    std::fputs(plan_json<Expression, Workers, Rows...>.c_str(), stdout);
    std::fputs("\x1f", stdout);
    if constexpr (Workers == 1)
        std::fputs(explain(e, rows...).c_str(), stdout);
    else
        std::fputs(explain<Workers>(e, rows...).c_str(), stdout);
    std::fputs("\x1e", stdout);
}

auto of_heads(const auto& e) { return permute<1, 0, 2>(reshape<seq, heads, 4>(e)); }

tensor<float, seq, seq> weights;
packed<float, 32, 96> packed_columns;
tensor<float, 5000, 64> memory;
nn::encoder<{.layer = {.embed = 32, .heads = 4, .hidden = 64}, .layers = 3}> encoder;
nn::encoder_layer<{.embed = 192, .heads = 6, .hidden = 768}> wide_layer;

}  // namespace

int main() {
    print("a tensor", x<seq, head>);
    print("elementwise", where(x<7, 5> > 0.0f, gelu(x<7, 5> + x<5>), -x<7, 5>));
    print("product", matmul(x<seq, head>, x<head, 70>));
    print("product of packed columns", tanh(matmul(x<100, 32>, packed_columns) + x<96>));
    print("softmax", softmax(x<quoted, 70>));
    print("sum of everything", sum(x<quoted, 70> * 2.0f));
    print("layer_norm", layer_norm(x<seq, head>, x<head>, x<head>));
    print("attention", attention(x<seq, head>, x<seq, head>, x<seq, head>));
    print("causal attention", attention(x<seq, head>, x<seq, head>, x<seq, head>, causal));
    print("window of batches",
          attention(x<batch, seq, head>, x<batch, seq, head>, x<batch, seq, head>, sliding_window<8, 8>));
    print("mask that is known at run time",
          attention(x<seq, head>, x<seq, head>, x<seq, head>, causal && keys_below(40)));
    print("odd rows", attention(x<37, 8>, x<37, 8>, x<37, 8>, !causal));
    print("barriers", attention(matmul(x<batch, seq, 32>, x<32, 32>), matmul(x<batch, seq, 32>, x<32, 32>),
                                matmul(x<batch, seq, 32>, x<32, 32>)));
    print("heads inside a tile", matmul(reshape<seq, 32>(permute<1, 0, 2>(attention(
                                            of_heads(x<seq, 32>), of_heads(x<seq, 32>), of_heads(x<seq, 32>)))),
                                        x<32, 32>));
    print("stored weights", matmul(store(weights, softmax(matmul(x<seq, head>, transpose(x<seq, head>)))), x<seq, 16>));
    print("feed-forward", matmul(gelu(matmul(x<100, 64>, x<64, 256>) + x<256>), x<256, 64>));
    print("blocks of keys", attention(x<64, 64>, memory, memory));
    print("columns to rows", softmax<0>(x<40, 30>));
    print("an encoder of three layers", encoder(x<seq, 32>));
    print("matrices", matmul(inverse(x<batch, 6, 6> + identity<float, 6>()), x<batch, 6, 2>));
    print<2>("two workers", attention(x<seq, head>, x<seq, head>, x<seq, head>, causal));
    print<4>("four workers without scratch", matmul(x<seq, head>, x<head, 70>));
    print("first rows", softmax(matmul(x<seq, head>, x<head, 70>)), rows_below(5));
    print("first rows and keys", encoder(x<seq, 32>, keys_below(5)), rows_below(5));
    print<2>("two workers of an encoder", encoder(x<seq, 32>));
    print<2>("workers of few rows", wide_layer(x<128, 192>, keys_below(5)), rows_below(5));
}
