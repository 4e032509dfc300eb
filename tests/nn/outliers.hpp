// SPDX-License-Identifier: BSL-1.0
// An encoder with the outliers that trained ones have, and how far one with weights of fewer bits is off.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

namespace test {

inline constexpr ashlar::nn::encoder_options options_with_outliers{
    .layer = {.embed = 256, .heads = 4, .hidden = 512, .activation = ashlar::nn::activation::gelu}, .layers = 2};
template <class Weight>
using encoder = ashlar::nn::encoder<options_with_outliers, float, Weight>;

template <class Model>
std::vector<std::byte> file_of(const Model& m) {
    std::vector<std::byte> file(static_cast<std::size_t>(ashlar::io::save(m, std::span<std::byte>()).position));
    EXPECT_TRUE(ashlar::io::save(m, file));
    return file;
}

/// How much larger than the others a column of rows between layers is, and how much stronger a neuron fires.
struct outliers {
    float column = 30, neuron = 30;
};

/// A model with what training gives and chance does not: a column of rows between layers that is far larger than the
/// others, and a neuron of each block that fires far stronger, whose weights are small.
inline std::vector<std::byte> file_with_outliers(outliers far = {}) {
    static encoder<float> m{};
    ashlar::nn::init::generator random(11);
    ashlar::nn::init::reset_parameters(m, random);
    ashlar::nn::for_each_parameter(m, [&](const ashlar::nn::parameter& p) {
        const auto at = [&](std::size_t row, std::size_t column) -> float& {
            return static_cast<float*>(p.data)[p.offset(row, column)];
        };
        const bool of_norm = p.name.find(".norm") != std::string_view::npos;
        // Layers that change their rows, as those by chance hardly do.
        if (!of_norm && p.rank == 2)
            for (std::size_t row = 0; row < p.rows; ++row)
                for (std::size_t column = 0; column < p.columns; ++column) at(row, column) *= 2;
        if (of_norm && p.name.ends_with("bias")) at(5, 0) = far.column;
        if (p.name.ends_with("linear1.weight") || p.name.ends_with("in_proj_weight"))
            for (std::size_t row = 0; row < p.rows; ++row) at(row, 5) *= 0.1f;
        if (p.name.ends_with("linear1.bias")) at(31, 0) = far.neuron;
        if (p.name.ends_with("linear2.weight"))
            for (std::size_t row = 0; row < p.rows; ++row) at(row, 31) *= 3 / far.neuron;
    });
    return file_of(m);
}

/// The least cosine of 20 sentences of 2 to 6 rows, of their means but for the outlier, to those of floats.
template <class Weight>
double least_cosine(const std::vector<std::byte>& file) {
    using namespace ashlar;
    static encoder<float> exact{};
    static encoder<Weight> m{};
    EXPECT_TRUE(io::load(exact, file));
    EXPECT_TRUE(io::load(m, file));
    nn::init::generator random(12);
    double least = 1;
    for (int sentence = 0; sentence < 20; ++sentence) {
        const auto x = nn::init::randn<float, 6, 256>(random);
        const int words = 2 + sentence % 5;
        const auto mean_of = [&](const auto& model) {
            const tensor<float, 6, 256> y = model(x, keys_below(words));
            return eval(masked_mean<0>(y, keys_below(words)));
        };
        const tensor<float, 256> a = mean_of(m), b = mean_of(exact);
        double both = 0, left = 0, right = 0;
        for (std::size_t i = 0; i < 256; ++i) {
            if (i == 5) continue;
            both += double(a(i)) * double(b(i));
            left += double(a(i)) * double(a(i));
            right += double(b(i)) * double(b(i));
        }
        least = (std::min)(least, both / std::sqrt(left * right));
    }
    return least;
}

}  // namespace test
