// SPDX-License-Identifier: BSL-1.0
// A library whose functions give arrays to NumPy and take arrays of NumPy, as DLManagedTensor.
#include <array>
#include <memory>

#include <ashlar/ashlar.hpp>
#include <ashlar/interop/dlpack.hpp>

using namespace ashlar;

namespace {

int alive = 0;
struct counted : tensor<float, 3, 4> {
    counted() : tensor<float, 3, 4>(iota<float, 3, 4>()) { ++alive; }
    ~counted() { --alive; }
};

template <class Tensor>
void* given(const Tensor& t) {
    return managed_dlpack(std::make_unique<Tensor>(t));
}

}  // namespace

extern "C" {

int living() { return alive; }
void* give_counted() { return managed_dlpack(std::make_shared<counted>()); }
void* give_f64() { return given(iota<double, 2, 2>()); }
void* give_i8() { return given(tensor<std::int8_t, 3>{-1, 2, 3}); }
void* give_f16() { return given(tensor<f16, 2>(cast<f16>(tensor<float, 2>{0.5f, -2.0f}))); }
void* give_scalar() { return given(tensor<float>{2.5f}); }

/// The sum of an array [3, 4] of float, which it then releases; an error as a negative number.
float take(void* array) {
    const dlpack_array<const float, 3, 4> x(static_cast<dlpack_managed_tensor*>(array));
    return x ? float(sum(*x)) : -static_cast<float>(x.error());
}
/// Doubles an array [3, 4] of float with columns in memory. Does not release it.
int double_columns(void* array) {
    constexpr std::array<std::ptrdiff_t, 2> by_columns{1, 3};
    auto x = try_strided_view_of<float, by_columns, 3, 4>(static_cast<dlpack_managed_tensor*>(array)->dl_tensor);
    if (x) *x *= 2.0f;
    return static_cast<int>(x.error);
}

}  // extern "C"
