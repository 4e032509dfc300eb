// SPDX-License-Identifier: BSL-1.0
// A tensor of numbers from a range of texts.
//
// expect: ashlar: ranges: the range's elements must convert to those of the tensor
//
// expect: ::converts
#include <string>
#include <vector>

#include <ashlar/interop/ranges.hpp>

std::vector<std::string> words(6);
std::vector<double> numbers(6);
#ifdef ASHLAR_EXPECT_ERROR
auto t = ashlar::from_range<float, 2, 3>(words);
#else
auto t = ashlar::from_range<float, 2, 3>(numbers);
#endif
