// SPDX-License-Identifier: BSL-1.0
// Prints the plan of causal attention as JSON with the rates of this machine; tools/draw_plan.py draws it.
#include <algorithm>
#include <cstdio>

#include <ashlar/ashlar.hpp>

#include "bench/support/bandwidth.hpp"
#include "bench/support/peak.hpp"

using namespace ashlar;

namespace {

inline constexpr axis<"query", 128> query;
inline constexpr axis<"key", 128> key;
inline constexpr axis<"head", 64> head;
using queries = tensor<float, query, head>;
using keys = tensor<float, key, head>;

auto attend(const queries& q, const keys& k, const keys& v) { return attention(q, k, v, causal); }
using attention_type = decltype(attend(queries{}, keys{}, keys{}));
constexpr auto& json = plan_json<attention_type>;

ASHLAR_NOINLINE void run(const queries& q, const keys& k, const keys& v, queries& out) { out = attend(q, k, v); }

}  // namespace

int main() {
    static queries q, out;
    static keys k, v;
    q = generate<float, query, head>([](auto i, auto j) { return static_cast<float>(7 * i + 3 * j % 11) / 500; });
    k = v = generate<float, key, head>([](auto i, auto j) { return static_cast<float>(5 * i + 2 * j % 13) / 500; });
    // The size of operands and result, so that the bandwidth is that of the cache that holds them.
    static tensor<float, 4 * query.extent * head.extent> memory{};

    double seconds = 1, read = 1, peak = 0;
    [[maybe_unused]] volatile float sink = 0;
    for (int turn = 0; turn < 20; ++turn) {  // alternating, so that all run under the same load
        constexpr int calls = 20;
        seconds = std::min(seconds, bench::seconds([&] {
                                        for (int c = 0; c < calls; ++c) run(q, k, v, out);
                                    }) / calls);
        peak = std::max(peak, bench::peak_flops<float>(1));
        read = std::min(read, bench::seconds([&] {
                                  for (int c = 0; c < calls; ++c) sink = bench::read_all(memory.data(), memory.size);
                              }) / calls);
    }
    std::printf("{\"title\":\"attention(q, k, v, causal)\",\"seconds\":%.4g,\"peak_flops\":%.4g,\"bandwidth\":%.4g,\n",
                seconds, peak, static_cast<double>(memory.size * sizeof(float)) / read);
    std::printf("\"plan\":%s}\n", json.c_str());
}
