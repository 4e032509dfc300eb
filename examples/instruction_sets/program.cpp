// SPDX-License-Identifier: BSL-1.0
// One program for every x86-64: the widest code that the processor can run is chosen once, when the program starts.
#include <cstdio>

#include "layer.hpp"

using namespace ashlar;
using namespace instruction_sets;

namespace {

struct variant {
    const char* name;
    std::size_t (*encode)(const layer&, const rows&, rows&) noexcept;
};

variant chosen() noexcept {
    if (__builtin_cpu_supports("x86-64-v4")) return {"avx512", encode_avx512};
    if (__builtin_cpu_supports("x86-64-v3")) return {"avx2", encode_avx2};
    return {"sse2", encode_sse2};
}
const variant best = chosen();

/// The largest difference between two results.
float distance(const rows& a, const rows& b) { return max(abs(a - b)); }

}  // namespace

int main() {
    static layer weights;
    nn::init::generator random(1);
    nn::init::reset_parameters(weights, random);
    const rows x = nn::init::randn<float, 32, 64>(random);

    static rows y, plain;
    const std::size_t bits = best.encode(weights, x, y);
    const std::size_t fewest = encode_sse2(weights, x, plain);  // what every x86-64 can run
    const float apart = distance(y, plain);
    std::printf("%s, registers of %zu bits; with %zu bits the same weights give what differs by %.1e\n", best.name,
                bits, fewest, static_cast<double>(apart));
    return apart < 1e-4f && bits >= fewest ? 0 : 1;
}
