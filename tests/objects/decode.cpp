// SPDX-License-Identifier: BSL-1.0
// Steps of decoding with a cache and rotary positions: the object must need nothing but memcpy and memset.
#include <ashlar/nn/kv_cache.hpp>
#include <ashlar/nn/positions/rope.hpp>

namespace {

using namespace ashlar;

using linear_cache = nn::kv_cache<float, 64, 2, 8>;
using ring_cache = nn::kv_cache<float, 64, 2, 8, 8, nn::cache_order::ring>;
constexpr auto& turn = nn::rope_tables<{.head_width = 8, .positions = 64}>;

}  // namespace

namespace objects {

void step(tensor<float, 4, 8>& y, linear_cache& cache, const tensor<float, 4, 8>& q, const tensor<float, 2, 8>& k,
          const tensor<float, 2, 8>& v) noexcept {
    const std::size_t position = cache.position();
    cache.append(turn.at(k, position), v);
    y = cache.attend(turn.at(q, position));
}

bool chunk(tensor<float, 4, 9, 8>& y, ring_cache& cache, const tensor<float, 4, 9, 8>& q, const tensor<float, 9, 16>& k,
           const tensor<float, 9, 16>& v) noexcept {
    if (!cache.try_prefill(k, v)) return false;
    y = cache.attend(q);
    return true;
}

}  // namespace objects
