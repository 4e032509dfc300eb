// SPDX-License-Identifier: BSL-1.0
// One query attends to a cache of 130,000 keys that is split among workers. Each goes through its part in chunks, in
// scratch whose size does not depend on the number of keys, and keeps the state of what it has seen; the states of all
// are merged.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

#include <ashlar/ashlar.hpp>

using namespace ashlar;

namespace {

inline constexpr std::size_t width = 64, chunk = 4096, chunks = 32, workers = 4;
inline constexpr std::size_t keys_in_use = 130'000;  // of chunk * chunks

using vector = tensor<float, width>;
using state = attention_state<float, width>;
using rows = tensor_view<const float, chunk, width>;

struct cache {
    std::vector<float> keys = std::vector<float>(chunk * chunks * width);
    std::vector<float> values = std::vector<float>(chunk * chunks * width);
};

using part = decltype(attention_partial(std::declval<const vector&>(), std::declval<rows>(), std::declval<rows>(),
                                        keys_below(0)));
static_assert(workspace_bytes<part> <= 32 * 1024, "scratch is that of a chunk, whatever the cache holds");

/// What the query knows of the chunks [first, last).
state attend(const vector& query, const cache& c, std::size_t first, std::size_t last) {
    state seen;
    for (std::size_t i = first; i < last; ++i) {
        const rows k(c.keys.data() + i * chunk * width), v(c.values.data() + i * chunk * width);
        const std::size_t before = i * chunk, left = keys_in_use > before ? keys_in_use - before : 0;
        seen = merge(seen, attention_partial(query, k, v, keys_below(std::min(left, chunk))));
    }
    return seen;
}

/// Attention to all keys by loops in double.
std::array<double, width> by_loops(const vector& query, const cache& c) {
    std::vector<double> scores(keys_in_use);
    for (std::size_t j = 0; j < keys_in_use; ++j) {
        for (std::size_t d = 0; d < width; ++d) scores[j] += double(query(d)) * double(c.keys[j * width + d]);
        scores[j] /= std::sqrt(double(width));
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    std::array<double, width> result{};
    double sum = 0;
    for (std::size_t j = 0; j < keys_in_use; ++j) {
        const double weight = std::exp(scores[j] - most);
        sum += weight;
        for (std::size_t d = 0; d < width; ++d) result[d] += weight * double(c.values[j * width + d]);
    }
    for (double& x : result) x /= sum;
    return result;
}

}  // namespace

int main() {
    static cache c;
    vector query;
    std::size_t n = 0;
    const auto number = [&n] {
        return static_cast<float>((n = (n * 1103515245 + 12345) % 2147483648) % 2000) / 1000 - 1;
    };
    for (float& x : query) x = 4 * number();
    for (float& x : c.keys) x = number();
    for (float& x : c.values) x = number();

    std::array<state, workers> seen;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < workers; ++t)
        threads.emplace_back([&, t] { seen[t] = attend(query, c, t * chunks / workers, (t + 1) * chunks / workers); });
    for (std::thread& thread : threads) thread.join();
    state all;
    for (const state& s : seen) all = merge(all, s);
    const vector result = finish(all);

    const std::array<double, width> expected = by_loops(query, c);
    double error = 0;
    for (std::size_t d = 0; d < width; ++d) error = std::max(error, std::abs(double(result(d)) - expected[d]));
    std::printf("%zu keys, %zu workers: %zu bytes of scratch each, greatest difference from loops in double %.1e\n",
                keys_in_use, workers, workspace_bytes<part>, error);
    return error < 1e-5 ? 0 : 1;
}
