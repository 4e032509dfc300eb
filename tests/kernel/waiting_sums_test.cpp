// SPDX-License-Identifier: BSL-1.0
// Kernels whose sums wait in the result: epilogues that read stored sums, and products whose
// right operand is streamed in parts of the depth.
#include <cstddef>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/product/reloading_epilogue.hpp>
#include <ashlar/kernel/product/streamed_product.hpp>

#include "kernel/add_one.hpp"
#include "kernel/kernel_calls.hpp"
#include "kernel/operand_values.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::detail;

using support::values;

/// The result of a product by `run(s, v, epilogue)`, whose every sum must have been finished once.
template <class T, product_shape Shape, class Run>
void expect_finished_once(Run run) {
    const std::vector<T> s = values<T>(Shape.i * Shape.si, 1), v = values<T>(Shape.k * Shape.vk, 2);
    std::vector<T> out(Shape.i * Shape.j, std::numeric_limits<T>::quiet_NaN());
    std::vector<int> count(out.size());
    add_one<T> epilogue{out.data(), count.data(), Shape.j};
    run(s.data(), v.data(), epilogue);
    const double tolerance = 64 * double(Shape.k) * double(std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < Shape.i; ++i)
        for (std::size_t j = 0; j < Shape.j; ++j) {
            double sum = 1;
            for (std::size_t k = 0; k < Shape.k; ++k) sum += double(s[i * Shape.si + k]) * double(v[k * Shape.vk + j]);
            ASSERT_NEAR(out[i * Shape.j + j], sum, tolerance) << i << ", " << j;
            ASSERT_EQ(count[i * Shape.j + j], 1) << i << ", " << j;
        }
}

template <class T, std::size_t Rows, std::size_t Vectors, std::size_t Depth>
constexpr product_shape shape_of{
    .i = Rows, .j = Vectors * lane_width<T>, .k = Depth, .si = Depth, .sk = 1, .vk = Vectors * lane_width<T>};

template <class T, std::size_t Rows, std::size_t Vectors, std::size_t Depth>
void reload() {
    static constexpr product_shape shape = shape_of<T, Rows, Vectors, Depth>;
    expect_finished_once<T, shape>([](const T* s, const T* v, add_one<T>& epilogue) {
        reloading_epilogue<add_one<T>> reloading{{epilogue}};
        product<T, current_config, shape>(s, v, reloading);
    });
}

/// Vectors of 64 bytes and more, so that blocks are whole cache lines.
template <class T, std::size_t Rows, std::size_t Depth, std::size_t Parts>
void stream() {
    constexpr std::size_t vectors = 48;
    static constexpr product_shape shape = shape_of<T, Rows, vectors, Depth>;
    constexpr register_block block = product_plan<T, current_config, cut_as<T, shape, cut_options{}>>;
    if constexpr (block.vectors.large * lane_width<T> * sizeof(T) % cache_line_bytes == 0)
        expect_finished_once<T, shape>([](const T* s, const T* v, add_one<T>& epilogue) {
            streamed_rows::run<T, current_config, cut_as<T, shape, cut_options{}>, Parts, true>(s, v, epilogue,
                                                                                                nullptr);
        });
}

}  // namespace

// Blocks of every kind.
TEST(waiting_sums, reloading_epilogues) {
    reload<float, 1, 1, 8>();
    reload<float, 24, 5, 390>();
    reload<double, 9, 2, 193>();
    reload<double, 12, 3, 3>();
}

TEST(waiting_sums, streamed_in_parts_of_the_depth) {
    stream<float, 6, 40, 1>();
    stream<float, 13, 129, 4>();
    stream<double, 9, 65, 2>();
    stream<double, 6, 7, 7>();
}
