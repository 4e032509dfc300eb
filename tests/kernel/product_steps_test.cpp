// SPDX-License-Identifier: BSL-1.0
// Products that take several depth steps between two branches, or whose sums begin as products: the same sums, to the
// bit, as with one step and from zero.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/kernel_calls.hpp"
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

template <std::size_t I, std::size_t J, std::size_t K, std::size_t Together, bool MultipliesFirst = false,
          std::size_t Chains = 1>
inline constexpr product_shape in_steps = [] {
    product_shape p{.i = I, .j = J, .k = K, .si = K, .sk = 1, .vk = J};
    p.cut = choose_cut(p, element_machine_of<float, current_config>, {.packs = false});
    p.cut.chains = Chains;
    p.cut.spreads = false;
    p.cut.steps_together = Together;
    p.cut.multiplies_first = MultipliesFirst;
    return p;
}();

template <std::size_t I, std::size_t J, std::size_t K, std::size_t Together, bool MultipliesFirst = false,
          std::size_t Chains = 1>
std::vector<float> multiplied(auto depth) {
    const auto s = support::values<float>(I * K, 1), v = support::values<float>(K * J, 2);
    std::vector<float> c(I * J, -1.0f);
    store_product<float, current_config, J> store{c.data()};
    product<float, current_config, in_steps<I, J, K, Together, MultipliesFirst, Chains>>(s.data(), v.data(), depth,
                                                                                         store, nullptr);
    return c;
}
template <std::size_t I, std::size_t J, std::size_t K, std::size_t Together>
void check() {
    const std::vector<float> together = multiplied<I, J, K, Together>(constant_depth<0, K>{});
    EXPECT_EQ(together, (multiplied<I, J, K, 1>(constant_depth<0, K>{}))) << I << " x " << J << " x " << K;
    const auto s = support::values<float>(I * K, 1), v = support::values<float>(K * J, 2);
    for (std::size_t i = 0; i < I; ++i)
        for (std::size_t j = 0; j < J; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < K; ++k) sum += double(s[i * K + k]) * double(v[k * J + j]);
            ASSERT_EQ(double(together[i * J + j]), sum) << i << ' ' << j;
        }
}

template <std::size_t I, std::size_t J, std::size_t K, std::size_t Together, std::size_t Chains = 1>
void check_first_products() {
    const constant_depth<0, K> depth;
    EXPECT_EQ((multiplied<I, J, K, Together, true, Chains>(depth)), (multiplied<I, J, K, 1>(depth)))
        << I << " x " << J << " x " << K;
}

TEST(product_steps, sums_begin_as_products) {
    check_first_products<13, 33, 1, 1>();
    check_first_products<6, 16, 2, 2>();
    check_first_products<11, 40, 18, 2>();
    check_first_products<5, 7, 23, 4>();
    check_first_products<3, 7, 4, 1, 4>();
    check_first_products<4, 16, 21, 1, 2>();
}
TEST(product_steps, groups_of_steps_and_steps_that_are_left) {
    check<5, 7, 16, 4>();
    check<13, 33, 4, 4>();
    check<11, 40, 18, 2>();
    check<5, 7, 3, 4>();
    check<5, 7, 17, 4>();
    check<6, 33, 23, 8>();
}

}  // namespace
