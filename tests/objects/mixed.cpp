// SPDX-License-Identifier: BSL-1.0
// Runs the same expressions by every unit and compares; knows nothing of the library.
#include "mixed.hpp"

#include <cmath>
#include <cstdio>

namespace {

int failures = 0;

void compare(const char* name, const numbers& a, const numbers& b) {
    double worst = 0;
    for (int e = 0; e < numbers::expressions; ++e)
        for (int i = 0; i < numbers::count; ++i)
            worst =
                std::fmax(worst, std::fabs(static_cast<double>(a.values[e][i]) - static_cast<double>(b.values[e][i])));
    for (int i = 0; i < 11; ++i) worst = std::fmax(worst, 1e6 * std::fabs(a.sums[i] - b.sums[i]));
    const bool right = worst < 2e-5;
    std::printf("%s differs by %g: %s\n", name, worst, right ? "right" : "WRONG");
    failures += !right;
}

/// The first expression by hand: causal attention.
void compare_with_loops(const numbers& n) {
    double x[5][11], worst = 0;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 11; ++j) x[i][j] = static_cast<float>((i * 7 + j * 5) % 13) / 6.5f - 1.0f;
    for (int i = 0; i < 5; ++i) {
        double weights[5], total = 0;
        for (int k = 0; k <= i; ++k) {
            double score = 0;
            for (int j = 0; j < 11; ++j) score += x[i][j] * x[k][j];
            total += weights[k] = std::exp(score / std::sqrt(11.0));
        }
        for (int j = 0; j < 11; ++j) {
            double value = 0;
            for (int k = 0; k <= i; ++k) value += weights[k] / total * x[k][j];
            worst = std::fmax(worst, std::fabs(value - static_cast<double>(n.values[0][i * 11 + j])));
        }
    }
    std::printf("attention differs from loops by %g\n", worst);
    failures += !(worst < 1e-5);
}

}  // namespace

/// Arguments: a folder, which is not needed here, and one more on a machine without AVX2.
int main(int argc, char**) {
    const numbers expected = narrow();
    compare_with_loops(expected);
    compare("plain x86-64 without optimisation", narrow_unoptimised(), expected);
    if (argc == 2) {
        compare("AVX2 and FMA", wide(), expected);
        compare("AVX2 and FMA without optimisation", wide_unoptimised(), expected);
    }
    return failures != 0;
}
