// SPDX-License-Identifier: BSL-1.0
// Eigen and tensors: row-major and column-major matrices keep their order, without a copy, and run-time shapes that do
// not fit are refused.
#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#if !__has_include(<Eigen/Core>)
TEST(eigen, is_not_installed) { GTEST_SKIP() << "no Eigen (Debian: libeigen3-dev)"; }
#else
#include <ashlar/ashlar.hpp>
#include <ashlar/interop/eigen.hpp>

using namespace ashlar;

namespace {

inline constexpr axis<"seq", 3> seq;
using by_columns = Eigen::Matrix<float, 3, 4>;
using by_rows = Eigen::Matrix<float, 3, 4, Eigen::RowMajor>;
using strides = std::array<std::ptrdiff_t, 2>;

// Types of views.
template <class Matrix>
using view = decltype(view_of(std::declval<Matrix>()));
static_assert(std::is_same_v<view<by_rows&>, tensor_view<float, 3, 4>>);
static_assert(std::is_same_v<view<const by_rows&>, tensor_view<const float, 3, 4>>);
static_assert(view<by_columns&>::strides == strides{1, 3});
static_assert(std::is_same_v<view<Eigen::Vector4f&>, tensor_view<float, 4>>);
static_assert(std::is_same_v<view<Eigen::RowVector4d&>, tensor_view<double, 4>>);
static_assert(view<Eigen::Map<by_columns, 0, Eigen::Stride<8, 2>>>::strides == strides{2, 8});
static_assert(view<Eigen::Map<by_rows, 0, Eigen::OuterStride<8>>>::strides == strides{8, 1});

// Types of maps.
template <class Array>
using map = decltype(eigen_of(std::declval<Array>()));
static_assert(std::is_same_v<map<tensor<float, 4, 4>&>,
                             Eigen::Map<Eigen::Matrix<float, 4, 4, Eigen::RowMajor>, Eigen::Aligned64>>);
static_assert(std::is_same_v<map<const tensor<float, 3>&>, Eigen::Map<const Eigen::Vector3f>>);
static_assert(std::is_same_v<map<tensor_view<float, 4, 4>>, Eigen::Map<Eigen::Matrix<float, 4, 4, Eigen::RowMajor>>>);
static_assert(map<decltype(transpose(std::declval<tensor<float, 3, 4>&>()))>::IsRowMajor == 0);
template <class Array>
concept has_map = requires { eigen_of(std::declval<Array>()); };
static_assert(!has_map<tensor<float, 3, 4>>, "a temporary would dangle");

/// Whether a matrix and an array have the same elements at the same addresses, also those of Eigen's own arithmetic.
template <class Matrix, class Array>
void expect_same_elements(Matrix& m, const Array& a) {
    ASSERT_EQ(static_cast<std::size_t>(m.rows()), a.extents[0]);
    ASSERT_EQ(static_cast<std::size_t>(m.cols()), a.extents[1]);
    for (Eigen::Index i = 0; i < m.rows(); ++i)
        for (Eigen::Index j = 0; j < m.cols(); ++j) {
            EXPECT_EQ(&m.coeffRef(i, j), &a(i, j)) << i << ", " << j;
            EXPECT_EQ((m * 2.0f).eval()(i, j), 2.0f * a(i, j)) << i << ", " << j;
        }
}

TEST(eigen, views_have_the_order_of_the_matrix) {
    by_columns columns;
    by_rows rows;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) columns(i, j) = rows(i, j) = static_cast<float>(10 * i + j);
    expect_same_elements(columns, view_of(columns));
    expect_same_elements(rows, view_of(rows));
    auto part = columns.block<2, 2>(1, 1);
    expect_same_elements(part, view_of(part));
    auto turned = columns.transpose();
    expect_same_elements(turned, view_of(turned));
    // A column of a row-major matrix is strided.
    auto column = rows.col(1);
    EXPECT_EQ(view_of(column).strides[0], 4);
    EXPECT_EQ(&view_of(column)(2), &rows(2, 1));
    auto both = view_of<3, 1>(column);
    EXPECT_EQ(&both(2, 0), &rows(2, 1));
    // A product of one order with the other.
    tensor<float, 3, 3> gram = matmul(view_of(columns), transpose(view_of(rows)));
    const Eigen::Matrix3f expected = columns * rows.transpose();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) EXPECT_FLOAT_EQ(gram(i, j), expected(i, j));
    view_of(columns) = full<float, 3, 4>(5);
    EXPECT_EQ(columns(2, 3), 5);
}

TEST(eigen, maps_have_the_order_of_the_array) {
    tensor<float, 3, 4> t = iota<float, 3, 4>();
    auto whole = eigen_of(t);
    expect_same_elements(whole, t);
    auto turned = transpose(t);
    auto turned_map = eigen_of(turned);
    expect_same_elements(turned_map, turned);
    auto part = slice<1, 1, 4, 2>(t);
    auto part_map = eigen_of(part);
    expect_same_elements(part_map, part);
    auto column = slice<1, 1, 2>(t);  // [3, 1], four apart
    auto column_map = eigen_of(column);
    expect_same_elements(column_map, column);
    auto row = slice<0, 2, 3>(t);
    auto row_map = eigen_of(row);
    expect_same_elements(row_map, row);
    EXPECT_EQ(&eigen_of(t[1])(2), &t(1, 2));
    eigen_of(t) *= 2.0f;
    EXPECT_EQ(t(2, 3), 22);
    const Eigen::Matrix<float, 3, 4> copy = eigen_of(t);  // column-major
    EXPECT_EQ(copy(1, 0), t(1, 0));
    // There and back.
    EXPECT_TRUE(all(view_of(eigen_of(turned)) == turned));
}

TEST(eigen, shapes_at_run_time) {
    Eigen::MatrixXf m = Eigen::MatrixXf::Random(3, 4);
    auto x = view_of<seq, 4>(m);
    static_assert(std::is_same_v<decltype(x)::shape_type, shape<seq, std::size_t{4}>>);
    expect_same_elements(m, x);
    EXPECT_TRUE((try_view_of<3, 4>(m)));
    EXPECT_FALSE((try_view_of<4, 3>(m)));
    EXPECT_FALSE((try_view_of<3, 5>(m)));
    Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = m;
    const auto of_rows = try_view_of<3, 4>(rows);
    ASSERT_TRUE(of_rows);
    expect_same_elements(rows, *of_rows);
    Eigen::VectorXf v(5);
    EXPECT_TRUE((try_view_of<5>(v)));
    EXPECT_TRUE((try_view_of<5, 1>(v)));
    EXPECT_FALSE((try_view_of<4>(v)));
    // A block is not dense.
    EXPECT_FALSE((try_view_of<2, 2>(m.block(0, 0, 2, 2))));
    constexpr strides of_block{1, 3};
    auto block = m.block(1, 1, 2, 2);
    expect_same_elements(block, strided_view_of<of_block, 2, 2>(block));
    auto every_other = v(Eigen::seqN(0, 2, 2));
    static_assert(!detail::eigen_memory<decltype(every_other)&>, "an indexed view has no direct memory in Eigen 3.4");
    Eigen::Map<Eigen::VectorXf, 0, Eigen::InnerStride<>> odd(m.data(), 3, Eigen::InnerStride<>(2));
    EXPECT_FALSE((try_view_of<3>(odd))) << "two apart";
}

}  // namespace
#endif
