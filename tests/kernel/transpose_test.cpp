// SPDX-License-Identifier: BSL-1.0
// transpose_tile against a double loop: every edge, strides, padding, the way back.
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/kernel/memory/transpose.hpp>

namespace {

using namespace ashlar;
using namespace ashlar::detail;

constexpr double untouched = -77;

template <class T>
constexpr std::size_t padded(std::size_t n) {
    constexpr std::size_t width = lane_width<T, current_config>;
    return (n + width - 1) / width * width;
}

/// What is compared, once for all shapes: hundreds are compiled, each for the transposition alone.
template <class T>
struct tile {
    transpose_shape shape;
    std::size_t row_room = shape.pad ? padded<T>(shape.rows) : shape.rows;
    std::vector<T> src, dst;

    [[gnu::noinline]] explicit tile(const transpose_shape& p)
        : shape(p), src((p.rows - 1) * p.from + p.cols + 1), dst((p.cols - 1) * p.to + row_room + 1, T(untouched)) {
        for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<T>(i);
    }
    [[gnu::noinline]] void expect_transposed() const {
        SCOPED_TRACE(testing::Message() << shape.rows << " x " << shape.cols << " from " << shape.from << " to "
                                        << shape.to << " pad " << shape.pad);
        EXPECT_EQ(dst[0], T(untouched));
        for (std::size_t c = 0; c < shape.cols; ++c)
            for (std::size_t r = 0; r < shape.to && c * shape.to + r + 1 < dst.size(); ++r) {
                const T expected = r < shape.rows ? src[1 + r * shape.from + c] : r < row_room ? T(0) : T(untouched);
                ASSERT_EQ(dst[1 + c * shape.to + r], expected) << "column " << c << " row " << r;
            }
    }
};

template <class T, transpose_shape P>
void check() {
    tile<T> x(P);
    // One element in: no pointer is aligned to more than an element.
    transpose_tile<T, current_config, P>(x.src.data() + 1, x.dst.data() + 1);
    x.expect_transposed();
}

template <class T, std::size_t Rows, std::size_t Cols>
void check_shapes() {
    check<T, transpose_shape{Rows, Cols, Cols, Rows}>();
    check<T, transpose_shape{Rows, Cols, Cols + 3, Rows + 5}>();
    check<T, transpose_shape{Rows, Cols, Cols, padded<T>(Rows), true}>();
    check<T, transpose_shape{Rows, Cols, Cols + 1, padded<T>(Rows) + 7, true}>();
}

template <class T, std::size_t Rows>
void check_rows() {
    constexpr std::size_t width = lane_width<T, current_config>;
    check_shapes<T, Rows, 1>();
    check_shapes<T, Rows, width>();
    check_shapes<T, Rows, width + 1>();
    check_shapes<T, Rows, 31>();
}

template <class T>
class transpose_test : public testing::Test {};
using element_types = testing::Types<float, double>;
TYPED_TEST_SUITE(transpose_test, element_types);

TYPED_TEST(transpose_test, every_edge) {
    constexpr std::size_t width = lane_width<TypeParam, current_config>;
    check_rows<TypeParam, 1>();
    if constexpr (width > 2) check_rows<TypeParam, width - 1>();
    check_rows<TypeParam, width>();
    check_rows<TypeParam, width + 1>();
    check_rows<TypeParam, 37>();
}

TYPED_TEST(transpose_test, few_rows_or_columns) {
    constexpr std::size_t width = lane_width<TypeParam, current_config>;
    check_shapes<TypeParam, 3, 5>();
    check_shapes<TypeParam, 4, 10>();
    check_shapes<TypeParam, 16, 3>();
    check_shapes<TypeParam, 8, 8>();
    check_shapes<TypeParam, 4, width>();
    check_shapes<TypeParam, width, 4>();
}

TYPED_TEST(transpose_test, there_and_back) {
    using T = TypeParam;
    constexpr std::size_t rows = 37, cols = 29, room = padded<T>(rows);
    std::vector<T> x(rows * cols), lanes(cols * room), back(rows * cols);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i);
    transpose_tile<T, current_config, transpose_shape{rows, cols, cols, room, true}>(x.data(), lanes.data());
    transpose_tile<T, current_config, transpose_shape{cols, rows, room, cols}>(lanes.data(), back.data());
    EXPECT_EQ(x, back);
}

TYPED_TEST(transpose_test, applies_a_function) {
    using T = TypeParam;
    constexpr std::size_t rows = 19, cols = 21;
    std::vector<T> x(rows * cols), y(rows * cols);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(i);
    transpose_tile<T, current_config, transpose_shape{rows, cols, cols, rows}>(x.data(), y.data(),
                                                                               [](auto v) { return v + v; });
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < cols; ++c) ASSERT_EQ(y[c * rows + r], 2 * x[r * cols + c]);
}

}  // namespace
