// SPDX-License-Identifier: BSL-1.0
// Convolutions and norms of channels in files: the names, shapes and order of PyTorch, and the same bits when they are
// loaded again.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <tests/support/random.hpp>

#include <ashlar/nn.hpp>

#include "io/saved.hpp"

namespace {

using namespace ashlar;
using test::saved;

struct stem {
    nn::conv1d<{.in = 6, .out = 5, .kernel = 3}> conv1;
    nn::conv1d<{.in = 6, .out = 4, .kernel = 3, .groups = 2, .bias = false}> conv2;
    nn::conv2d<{.in = 2, .out = 5, .kernel = {3, 2}}> conv3;
    nn::group_norm<{.groups = 2, .channels = 6}> norm1;
    nn::batch_norm<{.channels = 5}> norm2;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("conv1", self.conv1);
        visit("conv2", self.conv2);
        visit("conv3", self.conv3);
        visit("norm1", self.norm1);
        visit("norm2", self.norm2);
    }
};

/// The arrays as PyTorch's state dict has them.
struct arrays {
    tensor<float, 5, 6, 3> weight1;
    tensor<float, 5> bias1;
    tensor<float, 4, 3, 3> weight2;
    tensor<float, 5, 2, 3, 2> weight3;
    tensor<float, 5> bias3;
    tensor<float, 6> norm1_weight, norm1_bias;
    tensor<float, 5> norm2_weight, norm2_bias, running_mean, running_var;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("conv1.weight", self.weight1);
        visit("conv1.bias", self.bias1);
        visit("conv2.weight", self.weight2);
        visit("conv3.weight", self.weight3);
        visit("conv3.bias", self.bias3);
        visit("norm1.weight", self.norm1_weight);
        visit("norm1.bias", self.norm1_bias);
        visit("norm2.weight", self.norm2_weight);
        visit("norm2.bias", self.norm2_bias);
        visit("norm2.running_mean", self.running_mean);
        visit("norm2.running_var", self.running_var);
    }
};

struct other {
    nn::conv1d<{.in = 6, .out = 4, .kernel = 3, .bias = false}> conv2;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("conv2", self.conv2);
    }
};

template <class M>
void randomise(M& m) {
    support::random_numbers random(3);
    nn::for_each_parameter(m, [&](const nn::parameter& p) {
        for (std::size_t i = 0; i < p.size(); ++i)
            static_cast<float*>(p.data)[i] = static_cast<float>(random.normal_number());
    });
}

/// All elements, in the order of the state dict.
template <class M>
std::vector<float> values_of(const M& m) {
    std::vector<float> values;
    nn::for_each_parameter(m, [&](const nn::const_parameter& p) {
        for (std::size_t r = 0; r < p.rows; ++r)
            for (std::size_t c = 0; c < p.columns; ++c)
                values.push_back(static_cast<const float*>(p.data)[p.offset(r, c)]);
    });
    return values;
}

}  // namespace

TEST(convolutions, files_are_those_of_pytorch) {
    arrays written{};
    randomise(written);
    const std::vector<char> file = saved(written);
    stem read{};
    ASSERT_EQ(test::message(io::load(read, std::span<const char>(file))), "no error");
    for (std::size_t o = 0; o < 5; ++o) {
        for (std::size_t c = 0; c < 6; ++c)
            for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(read.conv1.weight(6 * k + c, o), written.weight1(o, c, k));
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t y = 0; y < 3; ++y)
                for (std::size_t x = 0; x < 2; ++x)
                    EXPECT_EQ(read.conv3.weight((2 * y + x) * 2 + c, o), written.weight3(o, c, y, x));
        EXPECT_EQ(read.conv1.bias(o), written.bias1(o));
        EXPECT_EQ(read.norm2.running_var(o), written.running_var(o));
    }
    for (std::size_t o = 0; o < 4; ++o)
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(read.conv2.weight(3 * k + c, o), written.weight2(o, c, k));
}

TEST(convolutions, the_same_bits_are_loaded_again) {
    static stem written{}, read{};
    randomise(written);
    const std::vector<char> file = saved(written);
    std::memset(static_cast<void*>(&read), 0xFF, sizeof read);
    ASSERT_EQ(test::message(io::load(read, std::span<const char>(file))), "no error");
    EXPECT_EQ(values_of(read), values_of(written));
    arrays plain{};
    EXPECT_TRUE(io::load(plain, std::span<const char>(file)));
    EXPECT_EQ(plain.weight1(4, 5, 2), written.conv1.weight(17, 4));
}

/// What PyTorch saves of a batch norm, and a count without the norm that it belongs to.
struct counted {
    nn::batch_norm<{.channels = 3}> norm;
    tensor<std::int64_t> count, other_count;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("a.norm", self.norm);
        visit("a.norm.num_batches_tracked", self.count);
        visit("b.norm.num_batches_tracked", self.other_count);
    }
};
struct one_norm {
    nn::batch_norm<{.channels = 3}> norm;

    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("norm", self.norm);
    }
};

TEST(convolutions, counts_of_batches_are_not_unexpected) {
    counted written{};
    written.norm.running_var = full<float, 3>(2);
    const std::vector<char> file = saved(written);
    one_norm read{};
    EXPECT_EQ(test::message(io::load(read, std::span<const char>(file), {}, {.prefix = "a."})), "no error");
    EXPECT_EQ(read.norm.running_var(1), 2.0f);
    // Without its statistics a count is an array like others.
    const io::name_rule names[]{{"norm.*", "a.norm.*"}};
    const io::result other = io::load(read, std::span<const char>(file), names);
    EXPECT_EQ(other.error, io::error::unexpected);
    EXPECT_STREQ(other.name.c_str(), "b.norm.num_batches_tracked");
}

// A kernel of another length, or one that is not in groups, is another array.
TEST(convolutions, arrays_of_other_shapes_are_refused) {
    static stem written{};
    const std::vector<char> file = saved(written);
    static other read{};
    EXPECT_EQ(io::load(read, std::span<const char>(file), {}, {.ignore_unexpected = true}).error,
              io::error::wrong_shape);
}
