// SPDX-License-Identifier: BSL-1.0
// What a plan has its products do.
#pragma once

#include <cstddef>
#include <type_traits>

#include "support/plans.hpp"

namespace support {

template <auto Rows, auto Columns>
ashlar::packed<float, Rows, Columns>& weights() {
    static ashlar::packed<float, Rows, Columns> w;
    return w;
}

/// How the n-th product stage of an expression runs.
template <class Config = machines::avx512>
constexpr ashlar::detail::product_strategy product_of(const auto& e, std::size_t n = 0,
                                                      std::size_t tile = ashlar::detail::full_tile) {
    return stage_of<Config>(e, stage_kind::product, n).how[tile].product;
}

/// Whether this kernel, one of `product_kernels`, runs a product.
template <class Kernel>
constexpr bool runs_by(const ashlar::detail::product_strategy& how) {
    bool same = false;
    ashlar::detail::product_kernels::visit(how.kernel,
                                           [&](auto kernel) { same = std::is_same_v<decltype(kernel), Kernel>; });
    return same;
}

}  // namespace support
