// SPDX-License-Identifier: BSL-1.0
// A model evaluated in four ways: its layers and its norm have one piece of code each.
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;
using rows = tensor<float, 32, 64>;
using model = nn::encoder<{.layer = {.embed = 64, .heads = 4, .hidden = 256}, .layers = 6, .final_norm = true}>;

rows encode(const model& m, const rows& x) noexcept { return m(x); }
void encode(rows& y, const model& m, const rows& x) noexcept { y = m(x); }
void encode(rows& y, const model& m, const rows& x, workspace<workspace_bytes<decltype(m(x))>>& scratch) noexcept {
    evaluate(y, m(x), scratch);
}
void encode(tensor<float, 32, 70>& y, const model& m, const rows& x) noexcept { slice<1, 0, 64>(y) = m(x); }
