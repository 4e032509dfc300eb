// SPDX-License-Identifier: BSL-1.0
// A program with global variables, functions and types of its own and `using namespace ashlar`.
#include <cstdio>

#include <ashlar/io.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

static tensor<bool, 4> mask = {true, false, true, true};
static tensor<float, 4> expression = {1, 2, 3, 4};
static float element = 2;
static std::size_t dimension = 4;
static int op = 1, reduction = 2, condition = 3, weights = 4;
struct config {
    int layers;
};
static config settings{2};

// What the library's functions are called is for a namespace of one's own, which hides them.
namespace mine {

static float scale = 2, bias = 1, keep = 3, index = 4;

static bool hidden() {
    const tensor<float, 4> scaled = ::expression * scale + bias;
    return scaled(3) == 9 && keep + bias == index && ashlar::any_mask<decltype(ashlar::keep(::mask))>;
}

}  // namespace mine

// At global scope as well, if it is said whose it is.
static float row = 5;

int main() {
    const tensor<float, 4> doubled = where(mask, expression * element, 0.0f);
    const tensor<float, 4> expected = {2, 0, 6, 8};
    const bool same = all(doubled == expected);
    const bool right = same && dimension == doubled.size() && op + reduction == condition &&
                       weights == 2 * settings.layers && mine::hidden() && ::row == 5;
    std::puts(right ? "all checks hold" : "FAILED: the user's names");
    return right ? 0 : 1;
}
