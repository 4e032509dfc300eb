// SPDX-License-Identifier: BSL-1.0
// Decoding from a cache of keys and values.
#include <ashlar/nn/kv_cache.hpp>

#include "ours.hpp"

namespace ashlar::bench {
namespace {

template <problem P>
nn::kv_cache<float, P.inner, 1, P.cols> cache_of;

template <problem P>
ASHLAR_NOINLINE void decode(const operands& given, std::size_t calls) {
    const operands_of_calls<false> of(given);
    for (std::size_t c = 0; c < calls; ++c) {
        const operands& o = of(c);
        tensor_view<float, P.rows, P.cols> out(o.result<float>());
        tensor_view<const float, P.rows, P.cols> q(o.input<float>(0));
        assign(out, cache_of<P>.attend(q));
    }
}

template <problem P>
runner prepare(const operands& where) {
    cache_of<P>.clear();
    for (std::size_t t = 0; t < P.inner; ++t)
        cache_of<P>.append(tensor_view<const float, 1, P.cols>(where.input<float>(1) + t * P.cols),
                           tensor_view<const float, 1, P.cols>(where.input<float>(2) + t * P.cols));
    return run_kernel(&decode<P>, where);
}

template <problem P>
constexpr runner (*preparer)(const operands&) = [] {
    if constexpr (P.cached)
        return &prepare<P>;
    else
        return static_cast<runner (*)(const operands&)>(nullptr);
}();

}  // namespace

runner prepare_cached(std::size_t case_index, const operands& where) {
    static constexpr auto table = []<std::size_t... I>(std::index_sequence<I...>) {
        return std::array{preparer<cases[I].what>...};
    }(std::make_index_sequence<case_count>{});
    return table[case_index] ? table[case_index](where) : runner{};
}

}  // namespace ashlar::bench
