// SPDX-License-Identifier: BSL-1.0
// A program whose own macros have short names, defined before anything is included, or after the standard headers.
#ifdef STANDARD_HEADERS_FIRST
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <charconv>
#include <compare>
#include <complex>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <new>
#include <ostream>
#include <ranges>
#include <source_location>
#include <span>
#include <string>
#include <tuple>
#include <vector>
#endif

#include <cstdio>
#include <sstream>
#include <string_view>

#include <ashlar/ashlar.hpp>
#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>
#include <ashlar/tensor/print.hpp>

#include "user_macros.hpp"

namespace {

int failures = 0;

void check(bool condition, const char* what) {
    if (condition) return;
    std::printf("FAILED: %s\n", what);
    ++failures;
}

void macros_are_the_users_again() {
#define text_of(name) #name
#define check_macro(name) check(std::string_view(text_of(name)) == ".the_users.", #name);
    user_macros(check_macro)
#if defined(STANDARD_HEADERS_FIRST) && (!defined(min) || !defined(max))
        check(false, "min and max");
#endif
}

using layer = ashlar::nn::linear<{.in = 4, .out = 4}>;

/// One layer by way of its file, held in memory.
layer loaded(const layer& saved) {
    std::array<std::byte, 1024> file{};
    const std::size_t size = ashlar::io::save(saved, std::span<std::byte>()).position;
    check(size <= file.size() && !!ashlar::io::save(saved, std::span(file)), "save");
    layer result{};
    check(!!ashlar::io::load(result, std::span<const std::byte>(file.data(), size)), "load");
    return result;
}

void attention_of_a_layer() {
    ashlar::tensor<float, 6, 4> x{};
    for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = static_cast<float>(i % 7) * 0.25f - 0.5f;
    ashlar::nn::init::generator random(1);
    const layer values = ashlar::nn::init::make<layer>(random);
    const layer copy = loaded(values);
    const ashlar::tensor<float, 6, 4> y = ashlar::attention(x, x, values(x), ashlar::causal);
    const ashlar::tensor<float, 6, 4> z = ashlar::attention(x, x, copy(x), ashlar::causal);
    // The first query sees the first key alone.
    const ashlar::tensor<float, 6, 4> projected = values(x);
    const bool same = ashlar::all(y == z);
    check(same, "the same after loading");
    for (std::size_t j = 0; j < 4; ++j) {
        const float difference = y(0, j) - projected(0, j);
        check(difference < 1e-5f && difference > -1e-5f, "attention");
    }
    std::ostringstream out;
    out << y;
    check(!out.str().empty(), "print");
}

}  // namespace

int main() {
    macros_are_the_users_again();
    attention_of_a_layer();
    if (failures == 0) std::puts("all checks hold");
    return failures;
}
