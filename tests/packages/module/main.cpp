// SPDX-License-Identifier: BSL-1.0
// Imports the library; the other unit includes it. Both must compute the same.
import ashlar;

using square = ashlar::tensor<float, 4, 4>;

extern "C++" square attend(const square& x);

int main() {
    const square x = ashlar::generate<float, 4, 4>([](auto i, auto j) { return i == j ? 2.0f : 0.5f; });
    const square here = ashlar::softmax(ashlar::attention(x, x, x, ashlar::causal) + x * 0.0f);
    const square there = ashlar::softmax(attend(x));
    static_assert(ashlar::workspace_bytes<decltype(ashlar::attention(x, x, x))> <= 16 * 1024);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const float difference = here(i, j) - there(i, j);
            if (!(difference < 1e-5f && difference > -1e-5f)) return 1;
        }
    // Structured bindings here and in kernels, which an importer instantiates.
    const square product = ashlar::matmul(x, ashlar::pack(x));
    const auto [upper, lower] = ashlar::split<0, 2>(product);
    if (upper(0, 0) != 4.75f || lower(1, 3) != 4.75f) return 1;
    return attend(x)(0, 0) == 2.0f ? 0 : 1;  // the first row keeps itself alone
}
