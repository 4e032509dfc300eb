// SPDX-License-Identifier: BSL-1.0
// An array in place that does not begin at a multiple of the size of a float.
//
// expect: ashlar: embedded: an array in place must begin at a multiple of its elements' size in the file; export it again, or load it
//
// expect: weight_offset<
//
// expect: {"bias"}
#include <ashlar/io/embedded.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
alignas(64) constexpr char file[] =
    "\170\0\0\0\0\0\0\0"
    R"({"bias":{"dtype":"F32","shape":[3],"data_offsets":[2,14]},"flags":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}      )"
    "thirteen char";
#else
// The zero that ends the literal is the last byte of the file.
alignas(64) constexpr char file[] =
    "\170\0\0\0\0\0\0\0"
    R"({"bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"flags":{"dtype":"U8","shape":[2],"data_offsets":[12,14]}}    )"
    "thirteen char";
#endif
tensor_view<const float, 3> bias() { return io::view_array<"bias", float, 3>(io::embedded<file>); }
