// SPDX-License-Identifier: BSL-1.0
// One program for every x86-64: the first call of a function chooses the widest code that the processor can run.
#include <cstdio>

#include "layer.hpp"

using namespace ashlar;
using namespace instruction_sets;

int main() {
    static layer weights;
    nn::init::generator random(1);
    nn::init::reset_parameters(weights, random);
    const rows x = nn::init::randn<float, 32, 64>(random);

    static rows y, plain;
    const std::size_t bits = encode(weights, x, y);
    const char* chosen = name_of(encode.chosen());
    encode.choose(instruction_set::sse2);  // what every x86-64 can run
    const std::size_t fewest = encode(weights, x, plain);
    const float apart = max(abs(y - plain));
    std::printf("%s, registers of %zu bits; with %zu bits the same weights give what differs by %.1e\n", chosen, bits,
                fewest, static_cast<double>(apart));
    return apart < 1e-4f && bits >= fewest ? 0 : 1;
}
