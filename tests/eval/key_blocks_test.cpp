// SPDX-License-Identifier: BSL-1.0
// Attention in blocks of keys with a running maximum equals attention over all keys at once. The numbers of queries,
// keys and columns are around those of registers, tiles and blocks.
#include <tests/support/key_blocks.hpp>

namespace {

using namespace support::key_blocks;

inline constexpr std::size_t w = detail::machine_of<current_config>.lanes(sizeof(float));

template <class Config, std::size_t Queries, std::size_t Keys, std::size_t Depth, std::size_t Values>
void attend(const auto&... mask) {
    SCOPED_TRACE(testing::Message() << Queries << " queries, " << Keys << " keys, " << Depth << " x " << Values);
    const auto q = numbers<Queries, Depth>(1);
    const auto k = numbers<Keys, Depth>(2);
    const auto v = numbers<Keys, Values>(3);
    check<Config>(attention(q, k, v, mask...));
}

TEST(key_blocks, few_queries) {
    attend<small, 1, 127, 16, 7>();
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 127u}) attend<small, 1, 127, 16, 7>(keys_below(n));
    attend<small, 3, 47, 8, 20>();
}
TEST(key_blocks, a_register_of_queries) {
    if constexpr (w > 1) attend<small, w - 1, 31, 8, 24>();
    attend<small, w, 17, 8, 24>();
    attend<small, w + 1, 37, 8, 24>();
}
TEST(key_blocks, tiles_of_queries) {
    attend<small, 32, 32, 16, 64>();
    attend<small, 35, 67, 20, 33>();
    for (const std::size_t n : {0u, 1u, 15u, 16u, 17u, 67u}) attend<small, 35, 67, 20, 33>(keys_below(n));
}
TEST(key_blocks, larger_blocks) {
    attend<medium, 33, 197, 16, 64>();
    for (const std::ptrdiff_t offset : {164, 0, -3}) attend<medium, 33, 197, 16, 64>(causal_at(offset));
}
TEST(key_blocks, narrow_values) {
    attend<small, 40, 61, 8, 8>();
    attend<small, 1, 127, 16, 1>();
}

}  // namespace
