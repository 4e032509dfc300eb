// SPDX-License-Identifier: BSL-1.0
// Modules compute with the options that they were given: on 32-bit machines clang 19 misreads members of template
// arguments.
#include <cmath>
#include <cstdio>

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

namespace {

int failures = 0;

void expect_near(const char* what, double got, double wanted) {
    if (std::fabs(got - wanted) <= 1e-4 * std::fabs(wanted)) return;
    std::printf("%s: %.9g instead of %.9g\n", what, got, wanted);
    ++failures;
}

nn::layer_norm<{.size = 8}> norm;
nn::layer_norm<{.size = 8, .eps = 1e-4, .bias = false}> plain_norm;
nn::rms_norm<{.size = 8, .eps = 1e-5}> root_norm;
nn::encoder_layer<{.embed = 8, .heads = 2, .hidden = 16, .norm_first = true, .eps = 1e-3}> layer;
tensor<float, 2, 8> x, y;

void norms_take_epsilon() {
    for (std::size_t i = 0; i < 8; ++i) {
        norm.weight(i) = plain_norm.weight(i) = root_norm.weight(i) = layer.norm1.weight(i) = 1;
        x(0, i) = x(1, i) = 1e-3f * static_cast<float>(i);  // the variance is 5.25e-6, the mean square 1.75e-5
    }
    y = norm(x);
    expect_near("layer_norm", y(1, 7), 3.5e-3 / std::sqrt(5.25e-6 + 1e-5));
    y = norm(x + x * 0.0f);
    expect_near("layer_norm of an expression", y(0, 7), 3.5e-3 / std::sqrt(5.25e-6 + 1e-5));
    y = plain_norm(x);
    expect_near("layer_norm without bias", y(1, 7), 3.5e-3 / std::sqrt(5.25e-6 + 1e-4));
    y = root_norm(x);
    expect_near("rms_norm", y(1, 7), 7e-3 / std::sqrt(1.75e-5 + 1e-5));
    y = layer.norm1(x);
    expect_near("norm of a layer", y(1, 7), 3.5e-3 / std::sqrt(5.25e-6 + 1e-3));
}

void tables_take_bases() {
    const auto rotations = nn::rope<{.head_width = 8, .positions = 4, .base = 100, .stretch = 2}>::make();
    expect_near("sine of rope", rotations.sine(3, 1), std::sin(3 / 2.0 / std::pow(100, 0.25)));
    const auto positions = nn::sinusoidal<{.positions = 4, .size = 8, .base = 100}>::make();
    expect_near("sinusoidal", positions.table(3, 2), std::sin(3 / std::pow(100, 0.25)));
    const nn::relative_positions<{.heads = 1, .buckets = 8, .distance = 16}> two_sided{};
    const nn::relative_positions<{.heads = 1, .buckets = 8, .distance = 16, .bidirectional = false}> one_sided{};
    expect_near("bucket of a later key", static_cast<double>(two_sided.bucket(0, 1)), 5);
    expect_near("bucket of an earlier key", static_cast<double>(one_sided.bucket(7, 0)), 5);
}

}  // namespace

int main() {
    norms_take_epsilon();
    tables_take_bases();
    std::puts(failures == 0 ? "options are read right" : "options are misread");
    return failures;
}
