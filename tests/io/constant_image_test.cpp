// SPDX-License-Identifier: BSL-1.0
// A model from a constant array: no file system, no heap, no copy of the weights, and PyTorch's output.
#include <cmath>
#include <cstddef>
#include <span>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/io/image.hpp>

#include "constant_encoder.hpp"
#include "fixtures/constant_image.hpp"

namespace ashlar {
namespace {

static_assert(sizeof(test::constant_image) == io::image_bytes<test::constant_encoder>);

TEST(constant_image, runs_where_it_lies) {
    const auto model = io::view_image<test::constant_encoder>(std::as_bytes(std::span(test::constant_image)));
    ASSERT_TRUE(model) << model.status().message().c_str();
    EXPECT_EQ(reinterpret_cast<const unsigned char*>(&*model), test::constant_image + 64);
    EXPECT_TRUE(io::check_image_sum(std::as_bytes(std::span(test::constant_image))));

    const tensor_view<const float, 5, 8> x(test::constant_input), expected(test::constant_output);
    const tensor<float, 5, 8> y = (*model)(x);
    float largest = 0;
    for (const float v : expected) largest = std::max(largest, std::abs(v));
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y.elements[i], expected.elements[i], 2e-6f * largest);
}

}  // namespace
}  // namespace ashlar
