// SPDX-License-Identifier: BSL-1.0
// Functions, reductions, indices and copies: the object must need nothing but memcpy and memset.
#include <ashlar/ashlar.hpp>

namespace objects {

using namespace ashlar;

template <class T>
using grid = tensor<T, 9, 21>;

grid<float> activations(const grid<float>& x, const grid<float>& y) noexcept {
    return pow(abs(x) + 0.5f, y) + gelu(x) * tanh(y) + gelu_tanh(x) + sigmoid(y) + silu(x) + erf(y) +
           log(abs(x) + 1.0f) + rsqrt(abs(y) + 1.0f);
}

grid<double> activations_in_double(const grid<double>& x, const grid<double>& y) noexcept {
    return pow(abs(x) + 0.5, y) + gelu(x) * tanh(y) + exp(-y * y);
}

tensor<double, 9> reductions(const grid<double>& x) noexcept {
    return logsumexp<1>(x) + variance<1>(x) + max<1>(x) - mean<1>(x);
}

tensor<float, 9, 21> chosen(const grid<float>& x, const tensor<bool, 21>& hidden) noexcept {
    return where(x > 0.0f && !hidden, log_softmax(x), rms_norm(x, row(x, 0)));
}

tensor<float, 4, 9> embedded(const tensor<float, 50, 9>& table, const tensor<int, 4>& tokens) noexcept {
    return take<0>(table, tokens) + 1.0f;
}

tensor<float, 21, 9> moved(const grid<float>& x) noexcept { return transpose(x); }

bool alike(const grid<float>& x, const grid<float>& y) noexcept { return eval(all(x == y))(); }

tensor<float, 3, 3> contracted(const tensor<float, 3, 4, 5>& a, const tensor<float, 5, 4, 3>& b) noexcept {
    return einsum<"ijk,kjl->il">(a, b);
}

}  // namespace objects
