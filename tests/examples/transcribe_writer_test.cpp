// SPDX-License-Identifier: BSL-1.0
// The writer of the transcription example, in small: all tokens and the states after them, against the model's formulas
// in double, given the heard rows.
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <examples/transcribe/writer.hpp>
#include <gtest/gtest.h>

#include "examples/small_transcription.hpp"

namespace {

using namespace transcribe;

void expect_written(std::size_t count) {
    SCOPED_TRACE(count);
    const auto samples = sound_of(count);
    const reference::matrix heard = by_formulas().encode(samples.data(), count);
    static writer<small_model> w(loaded());
    // The memory behind the sound may hold anything.
    static writer<small_model>::states_type states;
    for (float& v : states) v = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i < heard.rows; ++i)
        for (std::size_t j = 0; j < small.embed; ++j) states(i, j) = static_cast<float>(heard(i, j));
    w.begin(states, heard.rows);
    std::vector<int> tokens{begin_of_text};
    for (std::size_t n = 0; n < small.tokens && tokens.back() != end_of_text; ++n) {
        const reference::matrix by_definition = by_formulas().decode(tokens, heard);
        const int next = w.next();
        for (std::size_t j = 0; j < small.embed; ++j) ASSERT_NEAR(w.state()(0, j), by_definition(n, j), 1e-5) << n;
        const auto [best, margin] = by_formulas().best(by_definition, n);
        ASSERT_GT(margin, 1e-4) << "choose other weights: these leave it to chance";
        ASSERT_EQ(next, best) << n;
        tokens.push_back(next);
    }
    EXPECT_EQ(w.next(), end_of_text);
}

TEST(transcribe, writes_what_was_heard) {
    for (const std::size_t count : {8999u, 895u, 1279u, 6000u, 8999u}) expect_written(count);
}

static_assert(writer<small_model>::scratch_bytes <= 64 * 1024 && writer<small_model>::stack_bytes <= 64 * 1024);

}  // namespace
