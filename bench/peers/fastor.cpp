// SPDX-License-Identifier: BSL-1.0
// Fastor: tensors of fixed size over the caller's memory. Only small ones: its temporaries live on the stack and its
// kernels are unrolled by shape.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include <Fastor/Fastor.h>

#include "bench/support/peer.hpp"

namespace ashlar::bench {
namespace {

/// Its products do not take maps of constant elements.
template <class T, std::size_t Rows, std::size_t Cols>
Fastor::TensorMap<T, Rows, Cols> input(const operands& o, std::size_t i) {
    return Fastor::TensorMap<T, Rows, Cols>(const_cast<T*>(o.input<T>(i)));
}

template <problem P, class T>
void solve(const operands& o) {
    Fastor::TensorMap<T, P.rows, P.cols> out(o.result<T>());
    if constexpr (P.op == operation::matmul) {
        const auto a = input<T, P.rows, P.inner>(o, 0);
        const auto b = input<T, P.inner, P.cols>(o, 1);
        out = Fastor::matmul(a, b);
    } else {
        const auto q = input<T, P.rows, P.cols>(o, 0);
        const auto k = input<T, P.inner, P.cols>(o, 1), v = input<T, P.inner, P.cols>(o, 2);
        const Fastor::Tensor<T, P.cols, P.inner> keys = Fastor::transpose(k);
        Fastor::Tensor<T, P.rows, P.inner> scores = Fastor::matmul(q, keys);
        scores *= 1 / std::sqrt(T(P.cols));
        for (std::size_t i = 0; i < P.rows; ++i) {
            Fastor::TensorMap<T, P.inner> row(scores.data() + i * P.inner);
            // Its max does not compile for AVX-512.
            const T largest = *std::max_element(row.data(), row.data() + P.inner);
            row = Fastor::exp(row - largest);
            const T factor = 1 / Fastor::sum(row);
            row *= factor;
        }
        out = Fastor::matmul(scores, v);
    }
}

struct table {
    template <problem P>
    static constexpr kernel kernel_for() {
        constexpr bool product = P.op == operation::matmul && !P.transposed;
        constexpr bool attention = P.op == operation::attention && P.mask == mask_kind::full && P.rows > 1;
        if constexpr ((product || attention) && P.rows <= 128 && P.inner <= 128 && P.cols <= 128)
            return [](const operands& given, std::size_t calls) {
                const operands_of_calls<P.chained> of(given);
                for (std::size_t c = 0; c < calls; ++c) solve<P, std::conditional_t<P.doubles, double, float>>(of(c));
            };
        else
            return nullptr;
    }
};

}  // namespace

runner prepare_fastor(std::size_t case_index, const operands& where) {
    static constexpr auto kernels = kernels_for_cases<table>();
    return run_kernel(kernels[case_index], where);
}

}  // namespace ashlar::bench
