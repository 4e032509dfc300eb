// SPDX-License-Identifier: BSL-1.0
// Arrays of DLPack: there and back without a copy, owners that end once, and each kind of wrong array as its error. The
// structures are laid out as those of dlpack.h, which this file declares as a C program would.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/interop/dlpack.hpp>

using namespace ashlar;

namespace {

// Of the published specification, version 1.0.
extern "C" {
typedef enum { cpu_device = 1, cuda_device = 2, cuda_host_device = 3 } c_device_type;
typedef struct {
    c_device_type device_type;
    int32_t device_id;
} c_device;
typedef struct {
    uint8_t code;
    uint8_t bits;
    uint16_t lanes;
} c_data_type;
typedef struct {
    void* data;
    c_device device;
    int32_t ndim;
    c_data_type dtype;
    int64_t* shape;
    int64_t* strides;
    uint64_t byte_offset;
} c_tensor;
typedef struct c_managed_tensor {
    c_tensor dl_tensor;
    void* manager_ctx;
    void (*deleter)(struct c_managed_tensor* self);
} c_managed_tensor;
}
static_assert(sizeof(c_tensor) == sizeof(dlpack_tensor) && sizeof(c_managed_tensor) == sizeof(dlpack_managed_tensor));
static_assert(offsetof(c_tensor, ndim) == offsetof(dlpack_tensor, ndim) &&
              offsetof(c_tensor, dtype) == offsetof(dlpack_tensor, dtype) &&
              offsetof(c_tensor, shape) == offsetof(dlpack_tensor, shape) &&
              offsetof(c_tensor, byte_offset) == offsetof(dlpack_tensor, byte_offset));

template <class Array>
concept has_dlpack = requires { dlpack_of(std::declval<Array>()); };
static_assert(has_dlpack<tensor<float, 3>&> && !has_dlpack<tensor<float, 3>>, "a temporary would dangle");

TEST(dlpack, arrays_of_tensors) {
    tensor<float, 3, 4> t = iota<float, 3, 4>();
    const dlpack_tensor d = dlpack_of(t);
    EXPECT_EQ(d.data, t.data());
    EXPECT_EQ(d.device.device_type, 1);
    ASSERT_EQ(d.ndim, 2);
    EXPECT_EQ(d.shape[0], 3);
    EXPECT_EQ(d.shape[1], 4);
    EXPECT_EQ(d.strides[0], 4);
    EXPECT_EQ(d.dtype.code, 2);
    EXPECT_EQ(d.dtype.bits, 32);
    const c_tensor turned = dlpack_of<c_tensor>(transpose(t));
    EXPECT_EQ(turned.shape[0], 4);
    EXPECT_EQ(turned.strides[0], 1);
    EXPECT_EQ(turned.strides[1], 4);
    EXPECT_EQ(turned.device.device_type, cpu_device);
    const auto code = [](auto element) {
        tensor<decltype(element), 2> array{};
        return std::pair<int, int>(dlpack_of(array).dtype.code, dlpack_of(array).dtype.bits);
    };
    EXPECT_EQ(code(bf16(1.0f)), std::pair(4, 16));
    EXPECT_EQ(code(f16(1.0f)), std::pair(2, 16));
    EXPECT_EQ(code(true), std::pair(6, 8));
    EXPECT_EQ(code(std::int64_t{1}), std::pair(0, 64));
    EXPECT_EQ(code(std::uint8_t{1}), std::pair(1, 8));
    EXPECT_EQ(code(1.0), std::pair(2, 64));
}

TEST(dlpack, views_of_arrays) {
    tensor<float, 3, 4> t = iota<float, 3, 4>();
    auto x = try_view_of<float, 3, 4>(dlpack_of(t));
    ASSERT_TRUE(x);
    static_assert(std::is_same_v<decltype(x), dlpack_result<tensor_view<float, 3, 4>>>);
    EXPECT_EQ(x->data(), t.data());
    *x *= 2.0f;
    EXPECT_EQ(t(2, 3), 22);
    constexpr std::array<std::ptrdiff_t, 2> by_columns{1, 4};
    const c_tensor turned = dlpack_of<c_tensor>(transpose(t));
    const auto y = try_strided_view_of<const float, by_columns, 4, 3>(turned);
    ASSERT_TRUE(y);
    EXPECT_TRUE(all(*y == transpose(t)));
    // Without strides an array is row-major, and an offset counts in bytes.
    dlpack_tensor d = dlpack_of(t);
    d.strides = nullptr;
    std::int64_t extents[]{2, 4};
    d.shape = extents;
    d.byte_offset = 4 * sizeof(float);
    const auto rest = try_view_of<float, 2, 4>(d);
    ASSERT_TRUE(rest);
    EXPECT_EQ(rest->data(), &t(1, 0));
    // The stride of an axis of extent 1 may be anything.
    std::int64_t one[]{1, 4}, strides[]{77, 1};
    d.shape = one;
    d.strides = strides;
    EXPECT_TRUE((try_view_of<float, 1, 4>(d)));
    tensor<double> scalar = 2.0;
    EXPECT_TRUE((try_view_of<double>(dlpack_of(scalar))));
}

TEST(dlpack, wrong_arrays) {
    tensor<float, 3, 4> t{};
    std::int64_t extents[]{3, 4}, strides[]{4, 1};
    const auto error = [&](auto change) {
        dlpack_tensor d = dlpack_of(t);
        d.shape = extents;
        d.strides = strides;
        change(d);
        const auto x = try_view_of<float, 3, 4>(d);
        EXPECT_EQ(x.has_value(), x.error == dlpack_error::none);
        return x.error;
    };
    EXPECT_EQ(error([](auto&) {}), dlpack_error::none);
    EXPECT_EQ(error([](auto& d) { d.device.device_type = cuda_host_device; }), dlpack_error::none);
    EXPECT_EQ(error([](auto& d) { d.data = nullptr; }), dlpack_error::null);
    EXPECT_EQ(error([](auto& d) { d.device.device_type = cuda_device; }), dlpack_error::device);
    EXPECT_EQ(error([](auto& d) { d.dtype.bits = 64; }), dlpack_error::dtype);
    EXPECT_EQ(error([](auto& d) { d.dtype.code = 0; }), dlpack_error::dtype);
    EXPECT_EQ(error([](auto& d) { d.dtype.lanes = 4; }), dlpack_error::dtype);
    EXPECT_EQ(error([](auto& d) { d.ndim = 1; }), dlpack_error::rank);
    EXPECT_EQ(error([](auto& d) { d.ndim = -1; }), dlpack_error::rank);
    EXPECT_EQ(error([&](auto&) { extents[1] = 5; }), dlpack_error::shape);
    EXPECT_EQ(error([&](auto&) { extents[1] = -4; }), dlpack_error::shape);
    extents[1] = 4;
    EXPECT_EQ(error([&](auto&) { strides[0] = 5; }), dlpack_error::strides);
    EXPECT_EQ(error([&](auto& d) { strides[0] = 1, strides[1] = 3, d.ndim = 2; }), dlpack_error::strides);
    strides[0] = 4, strides[1] = 1;
    EXPECT_EQ(error([](auto& d) { d.byte_offset = 2; }), dlpack_error::alignment);
    for (int i = 0; i <= static_cast<int>(dlpack_error::read_only); ++i)
        EXPECT_STRNE(dlpack_message(static_cast<dlpack_error>(i)), "") << i;
}

using shared = std::shared_ptr<tensor<float, 3, 4>>;

template <class Managed>
void expect_one_end(const char* name) {
    const auto t = std::make_shared<tensor<float, 3, 4>>(iota<float, 3, 4>());
    auto* const m = managed_dlpack<Managed>(t);
    ASSERT_NE(m, nullptr) << name;
    EXPECT_EQ(t.use_count(), 2) << name;
    {
        dlpack_array<float, 3, 4> x(m);
        ASSERT_TRUE(x) << name;
        EXPECT_EQ((*x).data(), t->data()) << name;
        const auto moved = std::move(x);
        EXPECT_FALSE(x) << name;  // NOLINT: what is left
        EXPECT_TRUE(moved) << name;
        EXPECT_EQ(t.use_count(), 2) << name;
    }
    EXPECT_EQ(t.use_count(), 1) << name;
    // A wrong shape is an error, and the array ends as well.
    {
        const dlpack_array<float, 4, 3> x(managed_dlpack<Managed>(t));
        EXPECT_EQ(x.error(), dlpack_error::shape) << name;
    }
    EXPECT_EQ(t.use_count(), 1) << name;
}

TEST(dlpack, owners_end_once) {
    expect_one_end<dlpack_managed_tensor>("ours");
    expect_one_end<dlpack_managed_tensor_versioned>("versioned");
    expect_one_end<c_managed_tensor>("that of dlpack.h");
    EXPECT_EQ((dlpack_array<float, 3>(static_cast<dlpack_managed_tensor*>(nullptr)).error()), dlpack_error::null);
    EXPECT_EQ(managed_dlpack(shared()), nullptr);
    auto* const m = managed_dlpack(std::make_unique<tensor<int, 5>>(iota<int, 5>()));
    EXPECT_EQ(m->dl_tensor.shape[0], 5);
    m->dl_tensor.shape[0] = 4;  // the receiver's own
    m->deleter(m);
}

TEST(dlpack, read_only_arrays_and_versions) {
    using versioned = dlpack_managed_tensor_versioned;
    const std::shared_ptr<const tensor<float, 3, 4>> t = std::make_shared<tensor<float, 3, 4>>();
    EXPECT_EQ((dlpack_array<float, 3, 4>(managed_dlpack<versioned>(t)).error()), dlpack_error::read_only);
    EXPECT_TRUE((dlpack_array<const float, 3, 4>(managed_dlpack<versioned>(t))));
    versioned* const next = managed_dlpack<versioned>(t);
    next->version.major_number = 2;
    EXPECT_EQ((dlpack_array<const float, 3, 4>(next).error()), dlpack_error::version);
    EXPECT_EQ(t.use_count(), 1);
    // It is the elements that count, not the view that is shared.
    using constant = tensor_view<const float, 3, 4>;
    const auto v = std::make_shared<constant>(*t);
    EXPECT_EQ((dlpack_array<float, 3, 4>(managed_dlpack<versioned>(v)).error()), dlpack_error::read_only);
    tensor<float, 3, 4> writable{};
    const std::shared_ptr<const tensor_view<float, 3, 4>> w = std::make_shared<tensor_view<float, 3, 4>>(writable);
    EXPECT_TRUE((dlpack_array<float, 3, 4>(managed_dlpack(w))));
}

}  // namespace
