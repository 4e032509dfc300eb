// SPDX-License-Identifier: BSL-1.0
// Which stages are functions of their own: those that run long enough to hide the call, next to other stages.
#include <gtest/gtest.h>

#include "support/plans.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using support::x;

/// Whether the n-th stage of an expression is outlined.
template <class Config = avx512>
constexpr bool outlined(const auto& e, std::size_t n, std::size_t tile = detail::full_tile) {
    const auto& code = support::code_of<Config, decltype(e)>;
    return n < code.stage_count && code.stages[n].how[tile].outlined;
}
/// Two products. The first has these rows, columns and depth steps.
template <std::size_t Rows, std::size_t Columns, std::size_t Depth>
auto chain() {
    return matmul(relu(matmul(x<Rows, Depth>(), x<Depth, Columns>())), x<Columns, 64>());
}
/// A product and a softmax of so many rows and columns.
template <std::size_t Rows, std::size_t Columns>
auto normalised() {
    return log_softmax(matmul(x<Rows, 4>(), x<4, Columns>()));
}

TEST(outlined_stages, products_of_8192_multiply_adds) {
    EXPECT_TRUE(outlined(chain<8, 32, 32>(), 0));
    EXPECT_FALSE(outlined(chain<8, 32, 31>(), 0));
    EXPECT_FALSE(outlined(chain<7, 32, 32>(), 0));
    EXPECT_TRUE(outlined(chain<8, 32, 32>(), 1)) << "of the next one, which is wider";
}
TEST(outlined_stages, others_of_512_elements) {
    EXPECT_FALSE(outlined(normalised<16, 32>(), 0)) << "2,048 multiply-adds";
    EXPECT_TRUE(outlined(normalised<16, 32>(), 1));
    EXPECT_FALSE(outlined(normalised<16, 31>(), 1));
}
// Rows of a tile count, not all of them; the last tile has its own.
TEST(outlined_stages, tiles) {
    EXPECT_FALSE(outlined(chain<320, 8, 8>(), 0));
    EXPECT_TRUE(outlined(chain<35, 32, 32>(), 0, detail::full_tile));
    EXPECT_FALSE(outlined(chain<35, 32, 32>(), 0, detail::last_tile));
    EXPECT_TRUE(outlined(chain<40, 32, 32>(), 0, detail::last_tile));
}
TEST(outlined_stages, not_the_only_one) {
    EXPECT_FALSE(outlined(matmul(x<64, 64>(), x<64, 64>()), 0));
    EXPECT_FALSE(outlined(exp(x<64, 64>()), 0));
    // The copy that a product makes on the way is none, where it does.
    const auto copied = matmul(x<64, 64>(), transpose(x<64, 64>()));
    EXPECT_FALSE(outlined<avx512>(copied, 0) || outlined<avx512>(copied, 1));
    EXPECT_TRUE(outlined<avx2>(copied, 0) && outlined<avx2>(copied, 1));
}

}  // namespace
