// SPDX-License-Identifier: BSL-1.0
// An additive mask with NaN and infinity behind the excluded entries.
#pragma once

#include <cstddef>
#include <limits>

#include <tests/support/random.hpp>
#include <tests/support/reference.hpp>

#include <ashlar/tensor/tensor.hpp>

namespace support {

using ashlar::tensor;

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();

/// Queries, keys and values with NaN and infinity behind keys 20 and 33, and an additive mask that leaves these out for
/// all queries, the keys from 40 on for half of them, and everything for query 5.
template <class T>
struct additive {
    tensor<T, 37, 8> q;
    tensor<T, 70, 8> k;
    tensor<T, 70, 9> v;
    tensor<T, 37, 70> m;

    additive() {
        random_numbers random(16);
        random.fill_normal(q);
        random.fill_normal(k);
        random.fill_normal(v);
        random.fill_normal(m);
        for (std::size_t i = 0; i < 8; ++i) k(20, i) = nan<T>, k(33, i) = infinity<T>;
        for (std::size_t i = 0; i < 9; ++i) v(20, i) = infinity<T>, v(33, i) = nan<T>;
        for (std::size_t i = 0; i < 37; ++i)
            for (std::size_t j = 0; j < 70; ++j)
                if (j == 20 || j == 33 || i == 5 || (i % 2 == 1 && j >= 40)) m(i, j) = -infinity<T>;
    }
    reference::attention_options options() const {
        reference::attention_options result;
        result.bias = reference::of(m);
        result.keep = [this](const auto&, std::size_t i, std::size_t j) { return m(i, j) != -infinity<T>; };
        return result;
    }
};

}  // namespace support
