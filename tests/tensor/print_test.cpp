// SPDX-License-Identifier: BSL-1.0
// Printed tensors, compared with what PyTorch prints for the same values (without "tensor(...)").
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <ashlar/tensor/print.hpp>
#include <ashlar/tensor/tensor.hpp>

namespace {

using namespace ashlar;

template <class A>
std::string printed(const A& array) {
    std::ostringstream os;
    os << array;
    return os.str();
}

TEST(Print, FourDecimalsAligned) {
    const tensor<float, 2, 3> t{0.4421f, 0.5931f, 0.5790f, -0.7f, 0.1f, 10.2f};
    EXPECT_EQ(printed(t), "[[ 0.4421,  0.5931,  0.5790],\n [-0.7000,  0.1000, 10.2000]]");
    EXPECT_EQ(printed(t[0]), "[0.4421, 0.5931, 0.5790]");
}

TEST(Print, WholeNumbersHaveNoDecimals) {
    EXPECT_EQ(printed(tensor<float, 3>{1, 2, -30}), "[  1.,   2., -30.]");
    EXPECT_EQ(printed(tensor<double, 2>{0, 0}), "[0., 0.]");
    EXPECT_EQ(printed(tensor<int, 3>{-1, 20, 3}), "[-1, 20,  3]");
    EXPECT_EQ(printed(tensor<std::uint8_t, 2>{65, 200}), "[ 65, 200]");
    EXPECT_EQ(printed(tensor<bool, 2>{true, false}), "[ true, false]");
    EXPECT_EQ(printed(tensor<std::int64_t, 1>{std::numeric_limits<std::int64_t>::min()}), "[-9223372036854775808]");
}

TEST(Print, ScientificWhereMagnitudesDiffer) {
    EXPECT_EQ(printed(tensor<float, 3>{1e-6f, 1.5f, 2}), "[1.0000e-06, 1.5000e+00, 2.0000e+00]");
    EXPECT_EQ(printed(tensor<double, 2>{1e9, 1}), "[1.0000e+09, 1.0000e+00]");
    EXPECT_EQ(printed(tensor<float, 2>{0, 0.5f}), "[0.0000, 0.5000]") << "zero has no magnitude";
}

TEST(Print, NotANumberAndInfinities) {
    const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(printed(tensor<float, 3>{nan, -inf, -1.5f}), "[    nan,    -inf, -1.5000]");
    EXPECT_EQ(printed(tensor<float, 3>{nan, 1, inf}), "[nan,  1., inf]");
}

TEST(Print, RanksNest) {
    EXPECT_EQ(printed(tensor<float>{2.5f}), "2.5000");
    EXPECT_EQ(printed(iota<int, 2, 2, 2>()), "[[[0, 1],\n  [2, 3]],\n\n [[4, 5],\n  [6, 7]]]");
    EXPECT_EQ(printed(iota<int, 2, 1, 1, 2>()), "[[[[0, 1]]],\n\n\n [[[2, 3]]]]");
}

TEST(Print, StridesAreFollowed) {
    const auto t = iota<int, 2, 3>();
    constexpr std::array<std::ptrdiff_t, 2> strides{1, 3};
    EXPECT_EQ(printed(strided_view<const int, strides, std::size_t{3}, std::size_t{2}>{t.data()}),
              "[[0, 3],\n [1, 4],\n [2, 5]]");
}

TEST(Print, LongRowsWrap) {
    EXPECT_EQ(printed(iota<float, 40>()),
              "[ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., 11., 12., 13., 14.,\n"
              " 15., 16., 17., 18., 19., 20., 21., 22., 23., 24., 25., 26., 27., 28., 29.,\n"
              " 30., 31., 32., 33., 34., 35., 36., 37., 38., 39.]");
}

TEST(Print, LargeTensorsShowTheirEdges) {
    EXPECT_EQ(printed(iota<int, 40, 40>()), "[[   0,    1,    2, ...,   37,   38,   39],\n"
                                            " [  40,   41,   42, ...,   77,   78,   79],\n"
                                            " [  80,   81,   82, ...,  117,  118,  119],\n"
                                            " ...,\n"
                                            " [1480, 1481, 1482, ..., 1517, 1518, 1519],\n"
                                            " [1520, 1521, 1522, ..., 1557, 1558, 1559],\n"
                                            " [1560, 1561, 1562, ..., 1597, 1598, 1599]]");
    EXPECT_EQ(printed(full<int, 1001>(7)), "[7, 7, 7, ..., 7, 7, 7]");
}

TEST(Print, LeavesTheStreamAsItWas) {
    std::ostringstream os;
    os.precision(2);
    os.setf(std::ios::hex, std::ios::basefield);
    os << tensor<float, 1>{0.125f} << ' ' << 255;
    EXPECT_EQ(os.str(), "[0.1250] ff");
}

}  // namespace
