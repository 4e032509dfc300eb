// SPDX-License-Identifier: BSL-1.0
// What a plan has its products do.
#pragma once

#include <cstddef>
#include <type_traits>

#include <ashlar/ashlar.hpp>

#include "support/machines.hpp"

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
    const auto& code = ashlar::detail::planned<std::remove_cvref_t<decltype(e)>, Config>::code;
    for (std::size_t s = 0; s < code.stage_count; ++s)
        if (code.stages[s].kind == ashlar::detail::stage_kind::product && n-- == 0)
            return code.stages[s].how[tile].product;
    return {};
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
