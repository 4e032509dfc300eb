// SPDX-License-Identifier: BSL-1.0
// Heads are merged before they are moved after the sequence axis.
// expect: ashlar: reshape: the number of elements must stay the same; change a dimension or make one -1
// expect: "heads"
// expect: "model"
#include <ashlar/ashlar.hpp>
using namespace ashlar;

inline constexpr axis<"heads", 4> heads;
inline constexpr axis<"seq", 32> seq;
inline constexpr axis<"head", 16> head;
inline constexpr axis<"model", 64> model;

auto merge(const tensor<float, heads, seq, head>& attended) {
#ifdef ASHLAR_EXPECT_ERROR
    return reshape<heads, model>(attended);
#else
    return reshape<seq, model>(permute<1, 0, 2>(attended));
#endif
}
