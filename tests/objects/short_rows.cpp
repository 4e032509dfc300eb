// SPDX-License-Identifier: BSL-1.0
// Masked rows that are shorter than a register. g++ takes loops over whole registers for endless if there is none, and
// warns of it in users' programs by default.
#include <ashlar/ashlar.hpp>

using namespace ashlar;

namespace {

/// Some of the scores, in no order.
constexpr auto some = keep_if([](std::size_t i, std::size_t j) { return (i + 2 * j) % 5 != 0; });

}  // namespace

namespace objects {

using weights = tensor<double, 7, 8>;
using result = tensor<double, 32, 3, 8>;

void weighted_rows(result& y, const tensor<double, 32, 3, 7>& x, const weights& w) {
    y = matmul(softmax(masked(x, some)), w);
}
void weighted_columns(result& y, const tensor<double, 32, 7, 12>& x, const weights& w) {
    y = matmul(softmax(masked(permute<0, 2, 1>(slice<2, 3, 10, 3>(x)), some)), w);
}

}  // namespace objects
