// SPDX-License-Identifier: BSL-1.0
// relative_positions: buckets as T5 computes them, and tables that scores read by strides.
#include <algorithm>
#include <cmath>

#include <tests/support/random.hpp>
#include <tests/support/reference.hpp>

#include <ashlar/nn/inspect/counts.hpp>
#include <ashlar/nn/positions/relative_bias.hpp>
#include <ashlar/nn/positions/relative_positions.hpp>

namespace {

using namespace ashlar;

using both = nn::relative_positions<{.heads = 3}>;
using behind = nn::relative_positions<{.heads = 3, .bidirectional = false}>;
using narrow = nn::relative_positions<{.heads = 2, .buckets = 12, .distance = 20}>;

static_assert(nn::parameter_count<both> == 32 * 3);
static_assert(both::bucket(5, 5) == 0 && both::bucket(5, 3) == 2 && both::bucket(3, 5) == 18);
static_assert(both::bucket(0, 1000) == 31 && both::bucket(1000, 0) == 15 && behind::bucket(0, 1000) == 0);

/// The formula of the paper's code, in double.
std::size_t formula(long query, long key, bool bidirectional, long buckets, double distance) {
    long apart = query - key, start = 0;
    if (bidirectional) {
        buckets /= 2;
        if (key > query) start = buckets;
        apart = std::abs(apart);
    }
    apart = std::max(apart, 0l);
    const long near = buckets / 2;
    if (apart < near) return static_cast<std::size_t>(start + apart);
    const double far = std::log(static_cast<double>(apart) / static_cast<double>(near)) /
                       std::log(distance / static_cast<double>(near));
    const long reached = near + static_cast<long>(far * static_cast<double>(buckets - near) + 1e-9);
    return static_cast<std::size_t>(start + std::min(reached, buckets - 1));
}

TEST(relative_positions, buckets_are_those_of_the_formula) {
    for (long query = 0; query < 300; query += 7)
        for (long key = 0; key < 300; ++key) {
            const auto q = static_cast<std::size_t>(query), k = static_cast<std::size_t>(key);
            ASSERT_EQ(both::bucket(q, k), formula(query, key, true, 32, 128)) << query << ' ' << key;
            ASSERT_EQ(behind::bucket(q, k), formula(query, key, false, 32, 128)) << query << ' ' << key;
            ASSERT_EQ(narrow::bucket(q, k), formula(query, key, true, 12, 20)) << query << ' ' << key;
        }
}

// The compiler makes the buckets of all distances, also of more keys than it could call a function for.
template <nn::relative_positions_options Options, std::size_t Queries, std::size_t Keys>
constexpr bool have_all_buckets() {
    using positions = nn::relative_positions<Options>;
    const auto& buckets = nn::detail::distance_buckets<Options, Queries, Keys>;
    for (std::size_t i = 0; i < Queries + Keys - 1; ++i)
        if (static_cast<std::size_t>(buckets(i)) !=
            (i < Keys ? positions::bucket(0, Keys - 1 - i) : positions::bucket(i - (Keys - 1), 0)))
            return false;
    return true;
}
static_assert(have_all_buckets<{.heads = 2}, 300, 200>() && have_all_buckets<{.distance = 20}, 70, 60>());
static_assert(have_all_buckets<{.heads = 2, .bidirectional = false}, 20, 300>());
static_assert(nn::detail::distance_buckets<nn::relative_positions_options{}, 8192, 8192>(0) == 31);
static_assert(nn::detail::distance_buckets<nn::relative_positions_options{}, 32768, 32768>(65534) == 15);

TEST(relative_positions, tables_hold_a_number_for_each_pair) {
    both m{};
    m.weight = support::random_numbers(1).normal<float, 32, 3>();
    const auto table = m.table<9, 14>();
    const tensor<float, 3, 9, 14> all = table.bias();
    const tensor<float, 3, 2, 14> some = table.bias<2>(7);
    for (std::size_t h = 0; h < 3; ++h)
        for (std::size_t q = 0; q < 9; ++q)
            for (std::size_t k = 0; k < 14; ++k) {
                EXPECT_EQ(all(h, q, k), m.weight(both::bucket(q, k), h));
                if (q >= 7) {
                    EXPECT_EQ(some(h, q - 7, k), all(h, q, k));
                }
            }
}

constexpr bool works_in_constants() {
    narrow m{};
    for (std::size_t i = 0; i < 12; ++i) m.weight(i, 1) = static_cast<float>(i);
    const auto table = m.table<3, 4>();
    return table.bias()(1, 0, 0) == 0 && table.bias()(1, 0, 2) == 8 && table.bias()(1, 2, 0) == 2;
}
static_assert(works_in_constants());

}  // namespace
