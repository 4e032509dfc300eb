// SPDX-License-Identifier: BSL-1.0
// Which scratch is asked for beside the last multiply-adds of a tile: that of copies which left the L1 meanwhile.
#include <gtest/gtest.h>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"
#include "support/static_operand.hpp"

namespace {

using namespace ashlar;
using namespace support::machines;
using support::x;

/// A machine of 32 registers whose L1 is larger.
using large_l1 = built_for<(avx512_sets | 1u << 9), 512, 32, 128 * 1024>;

/// The buffer, which a copy writes; no_buffer where nothing is asked for.
template <class Config>
detail::buffer_index asked_for(const auto& e) {
    const auto& code = detail::planned<std::remove_cvref_t<decltype(e)>, Config>::code;
    detail::buffer_index found = detail::no_buffer;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].how[0].product.next_scratch != detail::no_buffer)
            found = code.stages[s].how[0].product.next_scratch;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (found != detail::no_buffer && code.stages[s].buffer == found) {
            EXPECT_EQ(code.stages[s].kind, detail::stage_kind::map);
        }
    return found;
}

TEST(next_scratch, of_copies_that_left_the_first_cache) {
    const auto full = attention(x<64, 64>(), x<64, 64>(), x<64, 64>());
    EXPECT_NE(asked_for<avx512>(full), detail::no_buffer);
    EXPECT_NE(asked_for<avx512>(attention(x<128, 64>(), x<128, 64>(), x<128, 64>(), causal)), detail::no_buffer);
    EXPECT_EQ(asked_for<large_l1>(full), detail::no_buffer);
    EXPECT_EQ(asked_for<avx512>(attention(x<32, 32>(), x<32, 32>(), x<32, 32>())), detail::no_buffer);
}

TEST(next_scratch, of_nothing_else) {
    EXPECT_EQ(asked_for<avx2>(attention(x<64, 64>(), x<64, 64>(), x<64, 64>())), detail::no_buffer)
        << "no exponentials beside multiply-adds";
    EXPECT_EQ(asked_for<avx512>(attention(x<64, 64>(), x<4096, 64>(), x<4096, 64>())), detail::no_buffer)
        << "blocks of keys";
    EXPECT_EQ(asked_for<avx512>(attention(x<64, 2048>(), x<9, 2048>(), x<9, 512>())), detail::no_buffer)
        << "too few keys for anything beside their multiply-adds";
}

TEST(next_scratch, is_explained) {
    const auto e = attention(x<64, 64>(), x<64, 64>(), x<64, 64>());
    const bool said = std::string_view(explain(e).c_str()).find("the next t1 prefetched") != std::string_view::npos;
    EXPECT_EQ(said, asked_for<current_config>(e) != detail::no_buffer) << explain(e).c_str();
}

}  // namespace
