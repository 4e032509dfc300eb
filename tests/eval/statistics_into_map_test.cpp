// SPDX-License-Identifier: BSL-1.0
// Softmax and norms with what is computed from them, a few rows at a time: enough rows that groups follow each other, a
// number of them that leaves some over, and widths around those of registers.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <std::size_t Rows, std::size_t Columns, class T = float>
void norms(double within) {
    support::random_numbers random(Rows + Columns);
    const auto x = random.normal<T, Rows, Columns>(1, 3), y = random.normal<T, Rows, Columns>();
    const auto gamma = random.normal<T, Columns>(), beta = random.normal<T, Columns>();
    check(layer_norm(x, gamma, beta, 1e-5), within);
    check(rms_norm(x + y, gamma, 1e-5) * y, within);
    check(softmax(x), within);
}

TEST(statistics_into_map, whole_groups_of_rows) {
    norms<8, 7>(1e-5);
    norms<8, 16>(1e-5);
    norms<32, 17>(1e-5);
    norms<32, 19, double>(1e-12);
}
TEST(statistics_into_map, rows_left_over) {
    norms<11, 1>(1e-5);
    norms<11, 7>(1e-5);
    norms<11, 15>(1e-5);
    norms<11, 16>(1e-5);
    norms<11, 17>(1e-5);
    norms<11, 67>(1e-5);
    norms<11, 19, double>(1e-12);
    norms<45, 1>(1e-5);
    norms<45, 16>(1e-5);
    norms<45, 67>(1e-5);
    norms<45, 19, double>(1e-12);
}

// Columns that a mask excludes in all rows of a tile are written, too.
template <std::size_t n>
void masks() {
    support::random_numbers random(n);
    const auto x = random.normal<float, n, 64>(1, 3);
    check(log_softmax(masked(exp(x), causal)), 1e-5);
    check(log_softmax(masked(x * 2.0f, sliding_window<5, 0>)), 1e-5);
    check(softmax(masked(exp(x), sliding_window<5, 0>)), 1e-5);
    check(log_softmax(masked(matmul(x, random.normal<float, 64, 64>(0.1f)), causal)), 1e-4);
}
TEST(statistics_into_map, behind_masks) {
    masks<11>();
    masks<32>();
}

// Rows of more than 2 KiB run one after another.
TEST(long_rows, one_after_another) {
    norms<11, 521>(1e-5);
    norms<3, 260, double>(1e-12);
}

}  // namespace
