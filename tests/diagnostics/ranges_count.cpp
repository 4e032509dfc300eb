// SPDX-License-Identifier: BSL-1.0
// A tensor of a std::array of another length.
//
// expect: ashlar: ranges: the range must have as many elements as the tensor
//
// expect: range_count<5
#include <array>

#include <ashlar/interop/ranges.hpp>

constexpr std::array<float, 5> five{};
constexpr std::array<float, 6> six{};
#ifdef ASHLAR_EXPECT_ERROR
auto t = ashlar::from_range<float, 2, 3>(five);
#else
auto t = ashlar::from_range<float, 2, 3>(six);
#endif
