// SPDX-License-Identifier: BSL-1.0
// An mdspan of a view in which elements repeat.
// expect: ashlar: mdspan: strides must be positive, with one element for each index; make a tensor of it
#include <ashlar/ashlar.hpp>
#include <ashlar/interop/mdspan.hpp>

namespace {

using namespace ashlar;
tensor<float, 4> row;
#ifdef ASHLAR_EXPECT_ERROR
auto m = mdspan_of(broadcast_to<3, 4>(row));
#else
tensor<float, 3, 4> all_rows = broadcast_to<3, 4>(row);
auto m = mdspan_of(all_rows);
#endif

}  // namespace
