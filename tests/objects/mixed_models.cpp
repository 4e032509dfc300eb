// SPDX-License-Identifier: BSL-1.0
// Passes one model between all units: what one fills, saves or packs, the others compute with and read.
#include "mixed_models.hpp"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>

namespace {

struct unit {
    const char* name;
    void (*fill)(my_model&);
    scores (*call)(const my_model&, const rows&);
    int (*pass_through_files)(my_model&, const char*, const char*);
};
constexpr unit units[] = {
    {"plain x86-64", narrow::fill, narrow::call, narrow::pass_through_files},
    {"plain x86-64 without optimisation", narrow_unoptimised::fill, narrow_unoptimised::call,
     narrow_unoptimised::pass_through_files},
    {"AVX2 and FMA", wide::fill, wide::call, wide::pass_through_files},
    {"AVX2 and FMA without optimisation", wide_unoptimised::fill, wide_unoptimised::call,
     wide_unoptimised::pass_through_files},
};

}  // namespace

/// Arguments: a folder to write to, and one more on a machine without AVX2.
int main(int argc, char** arguments) {
    const std::string folder = arguments[1];
    const int count = argc == 2 ? 4 : 2;
    int failures = 0;
    static my_model first;
    narrow::fill(first);
    rows x;
    for (int i = 0; i < 5; ++i)
        for (int j = 0; j < 16; ++j) x.data()[i * 16 + j] = static_cast<float>((i * 7 + j * 5) % 13) / 6.5f - 1.0f;
    const scores expected = narrow::call(first, x);
    for (int u = 0; u < count; ++u) {
        static my_model m;
        units[u].fill(m);
        double weights = 0, results = 0;
        for (std::size_t i = 0; i < sizeof m / sizeof(float); ++i) {
            float a, b;
            std::memcpy(&a, reinterpret_cast<const char*>(&m) + i * sizeof a, sizeof a);
            std::memcpy(&b, reinterpret_cast<const char*>(&first) + i * sizeof b, sizeof b);
            weights = std::fmax(weights, std::fabs(static_cast<double>(a) - static_cast<double>(b)));
        }
        const scores y = units[u].call(first, x);
        for (std::size_t i = 0; i < scores::size; ++i)
            results = std::fmax(results,
                                std::fabs(static_cast<double>(y.data()[i]) - static_cast<double>(expected.data()[i])));
        const int failed = units[u].pass_through_files(first, (folder + "/model.safetensors").c_str(),
                                                       (folder + "/model.image").c_str());
        const bool right = weights < 1e-5 && results < 1e-4 && failed == 0;
        std::printf("%s: weights differ by %g, results by %g, files %d: %s\n", units[u].name, weights, results, failed,
                    right ? "right" : "WRONG");
        failures += !right;
    }
    return failures != 0;
}
