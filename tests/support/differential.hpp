// SPDX-License-Identifier: BSL-1.0
// Evaluates an expression by kernels, in hostile memory, and compares with its evaluation node by node.
#pragma once

#include <cstring>

#include <tests/support/random.hpp>
#include <tests/support/reference.hpp>

#include <ashlar/ashlar.hpp>

namespace support {

template <class T>
inline constexpr double default_tolerance = std::is_same_v<T, double>  ? 1e-13
                                            : std::is_same_v<T, float> ? 2e-6
                                                                       : 0;

/// Every byte 0xff: NaN for floating-point numbers.
template <class T>
void spoil(T& memory) {
    if constexpr (std::is_same_v<typename T::value_type, bool>) {
        for (auto& x : memory) x = false;
    } else {
        std::memset(static_cast<void*>(memory.data()), 0xff, sizeof(typename T::value_type) * T::size);
    }
}

/// Compiled once, not for each expression, and so is what else does not depend on it.
[[gnu::noinline]] inline void expect_guard(const std::byte* guard, std::size_t count, std::size_t bytes,
                                           std::source_location where) {
    for (std::size_t i = 0; i < count; ++i)
        if (guard[i] != std::byte{0xff}) {
            ADD_FAILURE_AT(where.file_name(), static_cast<int>(where.line()))
                << "wrote behind the workspace of " << bytes << " bytes";
            return;
        }
}
template <class T>
[[gnu::noinline]] void expect_near_elements(const T* actual, const T* expected, std::size_t size,
                                            const std::size_t* extents, std::size_t rank, double tolerance,
                                            std::source_location where) {
    reference::expect_near(reference::of_elements(actual, size, extents, rank),
                           reference::of_elements(expected, size, extents, rank), tolerance, 1e-3, where);
}

/// Evaluates into a spoiled tensor with a spoiled workspace that has a guard behind it.
template <class E>
auto evaluated(const E& e, std::source_location where = std::source_location::current()) {
    constexpr std::size_t bytes = ashlar::workspace_bytes<E>;
    struct {
        ashlar::workspace<bytes> scratch;
        std::byte guard[64];
    } memory;
    std::memset(static_cast<void*>(&memory), 0xff, sizeof memory);
    ashlar::detail::value_tensor<E> result;
    spoil(result);
    ashlar::evaluate(result, e, memory.scratch);
    expect_guard(memory.guard, sizeof memory.guard, bytes, where);
    return result;
}

template <class E>
using element = ashlar::element_of<E>;

/// The kernels' result against the node by node one.
template <class E>
void check(const E& e, double tolerance = default_tolerance<element<E>>,
           std::source_location where = std::source_location::current()) {
    const ashlar::detail::value_tensor<E> expected = ashlar::detail::constant_evaluate(e), actual = evaluated(e, where);
    expect_near_elements(actual.begin(), expected.begin(), actual.size(), actual.extents.data(), actual.extents.size(),
                         tolerance, where);
}

/// The kernels' result against a reference.
template <class E>
void check(const E& e, const reference::array& expected, double tolerance = default_tolerance<element<E>>,
           std::source_location where = std::source_location::current()) {
    reference::expect_near(evaluated(e, where), expected, tolerance, 1e-3, where);
}

/// Into a destination that is a view with any strides.
template <class Destination, class E>
void check_into(Destination destination, const E& e, double tolerance = default_tolerance<element<E>>,
                std::source_location where = std::source_location::current()) {
    const reference::array expected = reference::of(ashlar::detail::constant_evaluate(e));
    for (auto& x : destination) x = std::remove_cvref_t<decltype(x)>(-1);
    ashlar::evaluate(destination, e);
    reference::expect_near(destination, expected, tolerance, 1e-3, where);
}

}  // namespace support
