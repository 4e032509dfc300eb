// SPDX-License-Identifier: BSL-1.0
// What both libraries that format make of arrays: pairs of a text and what it should be.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <ashlar/ashlar.hpp>
#include <ashlar/tensor/print.hpp>

/// `text(pattern, array)` formats by a pattern of the running program.
template <class Text>
std::vector<std::pair<std::string, std::string>> formatted_arrays(const Text& text) {
    using namespace ashlar;
    const tensor<float, 2, 3> t{{1, -2.5f, 3}, {0.125f, 40, 5}};
    const auto streamed = [](const auto& array) {
        std::ostringstream stream;
        stream << array;
        return stream.str();
    };
    std::vector<std::pair<std::string, std::string>> pairs;
    const auto add = [&](std::string got, std::string expected) {
        pairs.emplace_back(std::move(got), std::move(expected));
    };
    add(text("{}", t), streamed(t));
    add(text("{:}", transpose(t)), streamed(transpose(t)));
    add(text("<{:.1f}>", t), "<[[ 1.0, -2.5,  3.0],\n [ 0.1, 40.0,  5.0]]>");
    add(text("{:+.0e}", t[0]), "[+1e+00, -2e+00, +3e+00]");
    add(text("{:7.2f}", transpose(t)[0]), "[   1.00,    0.12]");
    add(text("{:<5}", tensor<int, 2>{1, 22}), "[1    , 22   ]");
    add(text("{:#x}", tensor<unsigned char, 3>{255, 7, 65}), "[0xff,  0x7, 0x41]");
    add(text("{}", tensor<signed char, 2>{65, -1}), "[65, -1]");
    add(text("{}", tensor<bool, 2>{true, false}), "[ true, false]");
    add(text("{:d}", tensor<bool, 2>{true, false}), "[1, 0]");
    add(text("{:.3f}", tensor<bf16, 2>{1.0f, 0.5f}), "[1.000, 0.500]");
    add(text("{:.2f}", tensor<double>{2.5}), "2.50");
    add(text("{}", tensor<double>{2.5}), "2.5000");
    // As nested ranges have it.
    add(text("{::.1f}", t[0]), "[ 1.0, -2.5,  3.0]");
    add(text("{:::>5}", tensor<int, 1, 2>{{1, 22}}), "[[    1,    22]]");
    add(text("{::}", t), streamed(t));
    // Long axes are summarised, also with a specification.
    static const auto many = iota<float, 1001>();
    add(text("{}", many), streamed(many));
    add(text("{:.0f}", many), "[   0,    1,    2, ...,  998,  999, 1000]");
    static const auto large = iota<int, 2, 600>();
    add(text("{:d}", large),
        "[[   0,    1,    2, ...,  597,  598,  599],\n [ 600,  601,  602, ..., 1197, 1198, 1199]]");
    return pairs;
}
