// SPDX-License-Identifier: BSL-1.0
// One unit of the mixed program; MIXED_UNIT names its function.
#include <utility>

#include <ashlar/ashlar.hpp>

#include "mixed.hpp"

namespace {

using grid = ashlar::tensor<float, 5, 11>;

}  // namespace

numbers MIXED_UNIT() {
    using namespace ashlar;
    const auto x =
        generate<float, 5, 11>([](auto i, auto j) { return static_cast<float>((i * 7 + j * 5) % 13) / 6.5f - 1.0f; });
    const auto w =
        generate<float, 11, 11>([](auto i, auto j) { return static_cast<float>((i * 3 + j * 8) % 11) / 11.0f - 0.5f; });
    const auto pairs = generate<bool, 5, 5>([](auto i, auto j) { return (i + j) % 3 != 0; });

    numbers result{};
    const auto put = [&](int i, const auto& e) { evaluate(tensor_view<float, 5, 11>(result.values[i]), e); };
    put(0, attention(x, x, x, causal));
    put(1, attention(matmul(x, w), x, x, keep(pairs)));
    put(2, matmul(gelu(matmul(x, w) + row(w, 0)), transpose(w)));
    put(3, let(layer_norm(x, row(w, 1), row(w, 2), 1e-5f), [](const auto& y) { return y + tanh(y) * exp(y); }));
    put(4, log_softmax(x) - pow(abs(x) + 0.5f, x));
    put(5, where(x > 0.25f, sqrt(abs(x)), broadcast_to<5, 11>(max<0>(x))));
    put(6, take<0>(x, generate<int, 5>([](auto i) { return static_cast<int>(i * 3 % 5); })));
    grid y = x;
    y = matmul(y, w);
    put(7, reshape<5, 11>(y) + 0.0f);
    const auto shifted = x * 0.5f + 0.25f;  // a named expression is copied, and so are tensors that it owns
    auto moved = softmax(matmul(shifted, eval(w + 0.125f)) - shifted);
    put(8, layer_norm(std::move(moved), eval(row(w, 1)), row(w, 2)) * shifted);
    put(9, masked_fill(x, shifted < 0.25f, 2.0f) + cast<float>(index<-1>(x)) * 0.5f);
    // Folds of computed values, and masks that decide at run time.
    const auto total = eval(sum(softmax(x))), spread = eval(variance(x * x)), most = eval(max(exp(x)));
    put(10, x * (total() + spread() + most()));
    put(11, attention(x, x, x, keep_if([](std::size_t i, std::size_t j) { return (i + j) % 2 == 0; })));
    put(12, attention(x, x, x, keys_below(std::size_t{3}) && sliding_window<3, 2>));
    put(13, log_softmax(masked(matmul(x, w), causal)));
    evaluate(tensor_view<double, 11>(result.sums), sum<0>(cast<double>(x)) + logsumexp<0>(cast<double>(x)));
    return result;
}
