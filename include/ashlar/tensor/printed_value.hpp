// SPDX-License-Identifier: BSL-1.0
// What is printed of an expression: a tensor or view as it is, anything else evaluated into memory of the heap.
#pragma once

#include <memory>

#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/tensor/value_tensor.hpp>

namespace ashlar::inline v0_1::detail {

template <class Expression, class Config>
class printed_value {
public:
    using array = value_tensor<Expression>;

    explicit printed_value(const Expression& e) : memory(new array) {
        memory->template operator= <Expression, Config>(e);
    }
    [[nodiscard]] auto* data() const { return memory->data(); }

private:
    std::unique_ptr<array> memory;
};
template <array_expression Array, class Config>
class printed_value<Array, Config> {
public:
    using array = Array;

    explicit printed_value(const Array& given) : printed(given) {}
    [[nodiscard]] auto* data() const { return printed.data(); }

private:
    const Array& printed;
};

}  // namespace ashlar::detail
