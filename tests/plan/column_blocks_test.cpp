// SPDX-License-Identifier: BSL-1.0
// The distance of an operand's columns, and when a product reads them in blocks. The test passes if it compiles.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using support::x;

template <class E>
constexpr std::size_t run(std::size_t axis) {
    return detail::run_along(detail::graph<E>::nodes.data(), detail::graph<E>::root, axis);
}

// Blocks that follow each other make one axis; its runs are the blocks.
using keys = decltype(reshape<2, 256, 8>(permute<0, 1, 3, 2>(x<2, 4, 8, 64>())));
static_assert(run<keys>(1) == 64 && run<keys>(0) == 2 && run<keys>(2) == 8);
using columns = decltype(transpose(keys(reshape<2, 256, 8>(permute<0, 1, 3, 2>(x<2, 4, 8, 64>())))));
static_assert(run<columns>(2) == 64 && run<columns>(1) == 8);
// An axis that is part of a longer one is as long as it is.
using part = decltype(reshape<4, 2, 32>(permute<1, 0>(x<64, 4>())));
static_assert(run<part>(2) == 32);
// Nothing is known of slices, whose place is, or of axes that are not the innermost of several.
using cut = decltype(slice<1, 3, 67>(keys(reshape<2, 256, 8>(permute<0, 1, 3, 2>(x<2, 4, 8, 64>())))));
static_assert(run<cut>(1) == 0 && run<cut>(2) == 8);
using outer = decltype(reshape<8, 16, 2>(permute<1, 0>(x<16, 16>())));
static_assert(run<outer>(1) == 0 && run<outer>(2) == 2);
// Computed values have no runs.
using computed = decltype(reshape<2, 32>(matmul(x<8, 8>(), x<8, 8>())));
static_assert(run<computed>(1) == 0);

template <class E>
constexpr std::size_t block_of_first_product() {
    constexpr auto& code = detail::planned<E, current_config>::code;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].kind == detail::stage_kind::product) return code.stages[s].column_block;
    return 0;
}

using scores = decltype(matmul(x<2, 3, 8>(), transpose(reshape<2, 256, 8>(permute<0, 1, 3, 2>(x<2, 4, 8, 64>())))));
static_assert(block_of_first_product<scores>() == 64 && plan<scores>.scratch_bytes == 0);
using ordinary = decltype(matmul(x<2, 3, 8>(), x<2, 8, 256>()));
static_assert(block_of_first_product<ordinary>() == 0);
// A block of 7 would be a part of a register each time: such columns are copied.
using narrow = decltype(matmul(x<3, 8>(), reshape<8, 21>(permute<1, 0, 2>(x<3, 8, 7>()))));
static_assert(block_of_first_product<narrow>() == (lane_width<float> == 1 ? 7 : 0));

}  // namespace

TEST(column_blocks, explained) {
    const auto text =
        explain(scores(matmul(x<2, 3, 8>(), transpose(reshape<2, 256, 8>(permute<0, 1, 3, 2>(x<2, 4, 8, 64>()))))));
    EXPECT_NE(std::string_view(text.c_str()).find("the right operand's columns lie in blocks of 64"),
              std::string_view::npos)
        << text.c_str();
}
