// SPDX-License-Identifier: BSL-1.0
// From sound to tokens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ear.hpp"
#include "writer.hpp"

namespace transcribe {

/// An ear and a writer, who writes what it heard. Large: make it static.
/// Nothing is allocated.
template <class Model>
class transcriber {
public:
    static constexpr std::size_t most_samples = Model::options.samples, most_tokens = Model::options.tokens,
                                 scratch_bytes = ear<Model>::scratch_bytes + writer<Model>::scratch_bytes,
                                 stack_bytes = std::max(ear<Model>::stack_bytes, writer<Model>::stack_bytes);

    explicit transcriber(const Model& m) noexcept : listening(m), writing(m) {}

    /// Computes what the tokens are looked up in. False if there are fewer
    /// samples than `fewest_samples`, or more than the model has room for; then
    /// nothing changes.
    bool hear(std::span<const std::int16_t> samples) noexcept {
        if (!listening.hear(samples)) return false;
        writing.begin(listening.states(), listening.rows());
        return true;
    }
    /// The next token; end_of_text when all was said, or there is no room for
    /// more.
    int next() noexcept { return writing.next(); }

private:
    ear<Model> listening;
    writer<Model> writing;
};

}  // namespace transcribe
