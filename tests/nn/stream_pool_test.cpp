// SPDX-License-Identifier: BSL-1.0
// Pools as modules, and their streams.
#include <algorithm>

#include <tests/support/streams.hpp>

namespace {

using namespace ashlar;

template <class Pool, std::size_t Capacity, std::size_t Padding = 0>
void check() {
    static nn::stream<Pool, Capacity> s;
    constexpr bool last = Pool::options.channels_last;
    constexpr std::size_t length = 83, channels = Pool::channels;
    const auto rows = support::random_numbers(4).normal<float, length, channels>();
    const auto x = [&] {
        if constexpr (last)
            return rows;
        else
            return eval(transpose(rows));
    }();
    const auto whole = eval(Pool{}(x));
    // The padding at the end does not come by itself.
    constexpr std::size_t missing =
        decltype(whole)::extents[last ? 0 : 1] - ((length + Padding - Pool::pool::reach) / Pool::stride + 1);
    support::check_stream<last>(s, x, whole, 1e-6, missing);
}

TEST(stream_pool, greatest) {
    check<nn::max_pool1d<{.channels = 5, .kernel = 3, .stride = 2, .padding = 1}>, 7, 1>();
    check<nn::max_pool1d<{.channels = 2, .kernel = 4, .stride = 3, .dilation = 6, .channels_last = true}>, 8>();
}
TEST(stream_pool, mean) {
    check<nn::avg_pool1d<{.channels = 3, .kernel = 4, .stride = 7, .padding = 2}>, 16, 2>();
    check<nn::avg_pool1d<{.channels = 3, .kernel = 30, .stride = 1, .channels_last = true}>, 9>();
}

TEST(pool1d, is_the_function) {
    const auto x = support::random_numbers(5).normal<float, 2, 3, 20>();
    const auto a = eval(nn::max_pool1d<{.channels = 3, .kernel = 3, .stride = 2, .padding = 1}>{}(x));
    const auto b = eval(max_pool<{.kernel = 3, .stride = 2, .padding = 1}>(x));
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin()));
    const auto c = eval(nn::avg_pool1d<{.channels = 3, .kernel = 3, .padding = 1, .count_include_pad = false}>{}(x));
    const auto d = eval(avg_pool<{.kernel = 3, .padding = 1, .count_include_pad = false}>(x));
    EXPECT_TRUE(std::equal(c.begin(), c.end(), d.begin()));
}

}  // namespace
