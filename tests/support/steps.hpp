// SPDX-License-Identifier: BSL-1.0
// Steps of sequences for tests: products with weights of their own, norms, and a step that counts its calls.
#pragma once

#include <array>
#include <cstddef>

#include <ashlar/ashlar.hpp>

namespace support {

inline constexpr std::size_t step_rows = 9, step_width = 8;
using step_matrix = ashlar::tensor<float, step_width, step_width>;
using step_result = ashlar::tensor<float, step_rows, step_width>;

/// attention(x, x @ w[i], x) + x, Count times: every row of the result reads all rows.
template <std::size_t Count>
struct product_step {
    static constexpr std::size_t count = Count;
    const std::array<step_matrix, Count>* weights;

    template <class Source>
    constexpr auto operator()(const Source& x, std::size_t i, std::byte*) const noexcept {
        return ashlar::attention(x, ashlar::matmul(x, (*weights)[i]), x) + x;
    }
};

/// x @ (xᵀ @ table): all times read one place.
template <std::size_t Count>
struct table_step {
    static constexpr std::size_t count = Count;
    const step_result* table;

    template <class Source>
    constexpr auto operator()(const Source& x, std::size_t, std::byte*) const noexcept {
        return ashlar::matmul(x, ashlar::matmul(ashlar::transpose(x), *table));
    }
};

/// The norm of x, once.
struct norm_step {
    static constexpr std::size_t count = 1;

    template <class Source>
    constexpr auto operator()(const Source& x, std::size_t, std::byte*) const noexcept {
        return ashlar::layer_norm(x);
    }
};

/// Writes the sum of each column to a log when it is called, and uses memory for it; the expression reads the log.
template <std::size_t Count>
struct logging_step {
    static constexpr std::size_t count = Count;
    std::array<ashlar::tensor<float, step_width>, Count>* log;
    std::size_t* calls;

    template <class Source, class Config>
    static constexpr std::size_t call_bytes = 4096;
    template <class Source>
    using call_expressions = ashlar::detail::expression_list<decltype(ashlar::sum<0>(std::declval<const Source&>()))>;

    template <class Source>
    constexpr auto operator()(const Source& x, std::size_t i, std::byte* memory) const noexcept {
        ++*calls;
        (*log)[i] = ashlar::sum<0>(x);
        if (!std::is_constant_evaluated())
            for (std::size_t b = 0; b < 4096; ++b) memory[b] = std::byte{0x5a};
        return x + (*log)[i];
    }
};

}  // namespace support
