// SPDX-License-Identifier: BSL-1.0
// Uses one weight file as an object, as a constant array, and as a file next to the program.
#include <cstdio>
#include <fstream>
#include <span>
#include <tuple>

#include <constant_image.hpp>
#include <linked_image.hpp>

#include <ashlar/io.hpp>

#include "model.hpp"

using namespace ashlar;

static tensor<float, 3, 6, 33> x;
static tensor<float, 3, 6, MODEL_OUTPUTS> expected;

/// Whether the model in some bytes is there and makes of x what PyTorch makes.
static bool works(const char* name, std::span<const std::byte> bytes) {
    const auto model = io::view_image<consumer::model>(bytes);
    if (!model || !io::check_image_sum(bytes)) {
        std::printf("%s: %s\n", name, model.status().message().c_str());
        return false;
    }
    const tensor<float, 3, 6, MODEL_OUTPUTS> y = (*model)(x);
    const float error = eval(max(abs(y - expected)));
    if (!(error < 1e-5f)) std::printf("%s: off by %g\n", name, static_cast<double>(error));
    return error < 1e-5f;
}

int main() {
    const auto values = std::tuple(io::named("w33.in.x", x), io::named("w33.out.y", expected));
    if (const io::result r = io::load(values, WEIGHTS, {.ignore_unexpected = true}); !r) {
        std::puts(r.message().c_str());
        return 1;
    }
    static_assert(sizeof(linked_image) == sizeof(constant_image));
    static_assert(constant_image[0] == 'A');
    alignas(64) static unsigned char file[sizeof(linked_image)];
    std::ifstream stream(IMAGE, std::ios::binary);
    stream.read(reinterpret_cast<char*>(file), sizeof file);
    const bool linked = works("linked", std::as_bytes(std::span(linked_image)));
    const bool constant = works("constant", std::as_bytes(std::span(constant_image)));
    const bool read = works("file", std::as_bytes(std::span(file)));
    return linked && constant && read ? 0 : 1;
}
