// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys with a running maximum equals attention over all keys at once. The numbers of queries,
// keys and columns are around those of registers, tiles and blocks.
#include <tests/support/key_blocks.hpp>

namespace {

using namespace support::key_blocks;

inline constexpr std::size_t w = detail::machine_of<current_config>.lanes(sizeof(float));

/// Whether masks are tried as well: each is a plan, and an evaluation, of its own.
enum class masks : bool { no, yes };

template <class Config, std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values,
          masks Masks = masks::no>
void attend() {
    SCOPED_TRACE(testing::Message() << Queries << " queries, " << Keys << " keys, " << Depth << " x " << Values);
    const auto q = numbers<Queries, Depth>(1);
    const auto k = numbers<Keys, Depth>(2);
    const auto v = numbers<Keys, Values>(3);
    check<Config>(attention(q, k, v));
    if constexpr (Masks == masks::yes) {
        for (const std::size_t n :
             {std::size_t{0}, std::size_t{1}, std::size_t{15}, std::size_t{16}, std::size_t{17}, Keys})
            check<Config>(attention(q, k, v, keys_below(n)));
        const auto later = static_cast<std::ptrdiff_t>(Keys) - static_cast<std::ptrdiff_t>(Queries);
        for (const std::ptrdiff_t offset : {later, std::ptrdiff_t{0}, std::ptrdiff_t{-3}})
            check<Config>(attention(q, k, v, causal_at(offset)));
    }
}

TEST(key_blocks, one_query) { attend<small, 1, 127, 16, 7, masks::yes>(); }
TEST(key_blocks, few_queries) {
    attend<small, 3, 47, 8, 20, masks::yes>();
    attend<small, 7, 33, 16, 16>();
}
TEST(key_blocks, a_register_of_queries) {
    if constexpr (w > 1) attend<small, w - 1, 31, 8, 24>();
    attend<small, w, 17, 8, 24>();
    attend<small, w + 1, 37, 8, 24, masks::yes>();
}
TEST(key_blocks, tiles_of_queries) {
    attend<small, 32, 32, 16, 64>();
    attend<small, 35, 67, 20, 33, masks::yes>();
}
TEST(key_blocks, larger_blocks) {
    attend<medium, 33, 197, 16, 64, masks::yes>();
    attend<medium, 64, 240, 8, 32>();
}
TEST(key_blocks, narrow_values) {
    attend<small, 40, 61, 8, 8, masks::yes>();
    attend<small, 35, 33, 4, 1>();
    attend<small, 1, 127, 16, 1, masks::yes>();
}

}  // namespace
