// SPDX-License-Identifier: BSL-1.0
// An archive over the bytes of a temporary.
// expect: ashlar: io: the bytes of a temporary would dangle; name the memory first
#include <span>
#include <vector>

#include <ashlar/io/formats/archive.hpp>

using namespace ashlar;
std::vector<char> read();

#ifdef ASHLAR_EXPECT_ERROR
bool open(io::archive& weights) { return weights.open(read()).ok(); }
#else
const std::vector<char> memory = read();
bool open(io::archive& weights) { return weights.open(memory).ok() && weights.open(std::span(memory)).ok(); }
#endif
