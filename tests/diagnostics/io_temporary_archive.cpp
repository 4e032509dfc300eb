// SPDX-License-Identifier: BSL-1.0
// An array of a temporary archive.
//
// expect: ashlar: io: the arrays of a temporary archive would dangle; name it first
#include <ashlar/io/formats/archive.hpp>

ashlar::io::archive open();

#ifdef ASHLAR_EXPECT_ERROR
const ashlar::io::stored_array* weight() { return open().find("weight"); }
#else
bool has_weight() {
    const ashlar::io::archive weights = open();
    return weights.find("weight") != nullptr;
}
#endif
