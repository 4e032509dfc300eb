// SPDX-License-Identifier: BSL-1.0
// The model's call in a unit of its own, compiled for speed, with its scratch in .bss.
#include "recognizer.hpp"

#include <algorithm>
#include <utility>

namespace gestures {

using embedded = decltype(std::declval<const model&>().embedded(std::declval<const recording&>()));
using encoded = decltype(std::declval<const model&>().layer(std::declval<const rows&>()));
using scored = decltype(std::declval<const model&>().scores(std::declval<const rows&>()));
constexpr std::size_t scratch_bytes =
    std::max({ashlar::workspace_bytes<embedded>, ashlar::workspace_bytes<encoded>, ashlar::workspace_bytes<scored>});

static_assert(sizeof(model) <= most_weights);
static_assert(scratch_bytes + 2 * sizeof(rows) <= most_scratch);
#ifdef __arm__  // wide registers of a desktop take more
static_assert(ashlar::stack_bytes<embedded> <= most_stack && ashlar::stack_bytes<encoded> <= most_stack &&
              ashlar::stack_bytes<scored> <= most_stack);
#endif

void recognize(scores& out, const model& weights, const recording& x) noexcept {
    // In .bss; or in faster memory, by [[gnu::section]].
    static rows before, behind;
    static ashlar::workspace<scratch_bytes> scratch;
    evaluate(before, weights.embedded(x), scratch);
    evaluate(behind, weights.layer(before), scratch);
    evaluate(out, weights.scores(behind), scratch);
}

}  // namespace gestures
