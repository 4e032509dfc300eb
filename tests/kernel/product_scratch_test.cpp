// SPDX-License-Identifier: BSL-1.0
// Scratch of product kernels: all of it is used and nothing beyond it, and results do not depend on its address.
#include <cstddef>
#include <cstring>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/kernel_calls.hpp"
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using support::width;

template <class T>
std::vector<T> values(std::size_t count, unsigned seed) {
    std::vector<T> result(count);
    for (T& x : result) {
        seed = seed * 1664525u + 1013904223u;
        x = static_cast<T>((static_cast<int>(seed >> 16) % 256 - 128) | 1) / T(64);  // none is zero
    }
    return result;
}

/// Scratch of some bytes, filled with a pattern, between two lines of it.
template <class T>
struct guarded {
    static constexpr unsigned char pattern = 0xa5;
    std::size_t bytes;
    std::vector<unsigned char> memory = std::vector<unsigned char>(bytes + 128, pattern);

    T* data() { return reinterpret_cast<T*>(memory.data() + 64); }
    bool is_touched(std::size_t element) const {
        for (std::size_t n = 0; n < sizeof(T); ++n)
            if (memory[64 + element * sizeof(T) + n] != pattern) return true;
        return false;
    }
    void expect_used() const {
        for (std::size_t n = 0; n < 64; ++n) {
            ASSERT_EQ(memory[n], pattern) << "before";
            ASSERT_EQ(memory[64 + bytes + n], pattern) << "behind, " << n;
        }
        for (std::size_t n = 0; n < bytes / sizeof(T); ++n) ASSERT_TRUE(is_touched(n)) << n;
    }
};

/// f with scratch of the kernel's own and with ours, into equal results.
template <class T, class Function>
void check(std::size_t bytes, std::size_t results, Function f) {
    std::vector<T> expected(results, T(-77)), c(results, T(-77));
    guarded<T> scratch{bytes};
    f(expected.data());
    f(c.data(), scratch.data());
    EXPECT_EQ(c, expected);
    scratch.expect_used();
}

template <class T>
class product_scratch_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(product_scratch_test, element_types);

template <class T, product_shape P>
void check_product() {
    using store_type = store_product<T, current_config, P.j>;
    constexpr product_shape cut = cut_product<T, current_config, P>;
    constexpr std::size_t bytes = product_scratch_bytes<T, current_config, cut>;
    constexpr bool packs = cut_product<T, current_config, P>.cut.last_steps != 1;
    static_assert((bytes != 0) == packs);
    const auto s = values<T>(P.i * P.si, 1), v = values<T>(P.k * P.vk, 2);
    check<T>(bytes, P.i * P.j, [&](T* c, auto... scratch) {
        store_type store{c};
        product<T, current_config, cut>(s.data(), v.data(), constant_depth<0, P.k>{}, store, scratch...);
    });
}

TYPED_TEST(product_scratch_test, last_columns) {
    using T = TypeParam;
    constexpr std::size_t j = width<T> + 1;
    check_product<T, product_shape{.i = 37, .j = j, .k = 64, .si = 64, .sk = 1, .vk = j}>();
    check_product<T, product_shape{.i = 40, .j = j, .k = 61, .si = 61, .sk = 1, .vk = j}>();
    check_product<T, product_shape{.i = 37, .j = 2 * width<T>, .k = 9, .si = 9, .sk = 1, .vk = 2 * width<T>}>();
}

template <class T, std::size_t Rows, std::size_t Columns, std::size_t Depth>
void check_rows() {
    if constexpr (fits_packed_k(Rows, Columns, Depth, width<T>)) {
        constexpr packed_k_shape P =
            cut_packed_k<T, current_config, packed_k_shape{Rows, Columns, Depth, Depth, Depth}>;
        const auto s = values<T>(Columns * Depth, 1), r = values<T>(Rows * Depth, 2);
        check<T>(packed_k_scratch_bytes<T, current_config, P>, Rows * Columns, [&](T* c, auto... scratch) {
            store_product<T, current_config, Rows> store{c};
            product_packed_k<T, current_config, P>(s.data(), r.data(), store, scratch...);
        });
    }
}

/// A power of two of rows, so that every lane holds an element; few columns or steps need no scratch.
TYPED_TEST(product_scratch_test, few_rows) {
    using T = TypeParam;
    check_rows<T, 2, 37, 8 * width<T>>();
    check_rows<T, width<T> / 2 + (width<T> < 2), 41, 4 * width<T>>();
    check_rows<T, 2, 3, 8 * width<T>>();
    check_rows<T, 2, 37, width<T>>();
}

TYPED_TEST(product_scratch_test, transposed_operands) {
    using T = TypeParam;
    constexpr std::size_t j = 3 * width<T> + 1, k = 64;
    constexpr product_shape P{.i = 45, .j = j, .k = k, .si = k, .sk = 1, .vk = j};
    if constexpr (fits_transposing_rhs<T, current_config, P>) {
        using store_type = store_product<T, current_config, j>;
        constexpr product_shape cut = cut_transposing<T, current_config, P>;
        const auto s = values<T>(P.i * k, 1), source = values<T>(j * k, 2);
        std::vector<T> v(k * j);
        check<T>(product_scratch_bytes<T, current_config, cut>, P.i * j, [&](T* c, auto... scratch) {
            store_type store{c};
            product_transposing_rhs<T, current_config, cut, k>(s.data(), v.data(), source.data(), store, scratch...);
        });
    }
}

/// Work to interleave leaves no room for packed columns, and a depth that is not all leaves them partial.
constexpr product_shape ragged{.i = 37, .j = 65, .k = 64, .si = 64, .sk = 1, .vk = 65};
static_assert(product_scratch_bytes<float, current_config, cut_product<float, current_config, ragged, k_range>> == 0);
static_assert(width<float> != 16 ||
              product_scratch_bytes<float, current_config, cut_product<float, current_config, ragged>> == 256);
static_assert(width<float> != 16 ||
              packed_k_scratch_bytes<float, current_config,
                                     cut_packed_k<float, current_config, packed_k_shape{8, 100, 64, 64, 64}>> == 2048);

}  // namespace
