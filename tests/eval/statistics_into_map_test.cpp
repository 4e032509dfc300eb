// SPDX-License-Identifier: BSL-1.0
// Softmax and norms with what is computed from them, a few rows at a time: enough rows that groups follow each other, a
// number of them that leaves some over, and widths around those of registers.
#include <tests/support/differential.hpp>

namespace {

using namespace ashlar;
using support::check;

template <std::size_t Rows, std::size_t Columns>
void norms() {
    support::random_numbers random(Rows + Columns);
    const auto x = random.normal<float, Rows, Columns>(1, 3), y = random.normal<float, Rows, Columns>();
    const auto gamma = random.normal<float, Columns>(), beta = random.normal<float, Columns>();
    check(layer_norm(x, gamma, beta, 1e-5), 1e-5);
    check(rms_norm(x + y, gamma, 1e-5) * y, 1e-5);
    check(softmax(x), 1e-5);
}

TEST(statistics_into_map, whole_groups_of_rows) {
    norms<8, 16>();
    norms<32, 17>();
}
TEST(statistics_into_map, rows_left_over) {
    norms<11, 1>();
    norms<11, 15>();
    norms<45, 67>();
}

// Columns that a mask excludes in all rows of a tile are written, too.
TEST(statistics_into_map, behind_masks) {
    support::random_numbers random(11);
    const auto x = random.normal<float, 11, 64>(1, 3);
    check(log_softmax(masked(exp(x), causal)), 1e-5);
    check(softmax(masked(exp(x), sliding_window<5, 0>)), 1e-5);
    check(log_softmax(masked(matmul(x, random.normal<float, 64, 64>(0.1f)), causal)), 1e-4);
}

// Rows of more than 2 KiB run one after another.
TEST(long_rows, one_after_another) { norms<11, 521>(); }

}  // namespace
