// SPDX-License-Identifier: BSL-1.0
// The ear of the transcription example, in small: sounds of all lengths against
// the model's formulas in double.
#include <cstddef>

#include <examples/transcribe/ear.hpp>
#include <gtest/gtest.h>

#include "examples/small_transcription.hpp"

namespace {

using namespace transcribe;

ear<small_model>& listener() {
    static ear<small_model> e(loaded());
    return e;
}

TEST(transcribe, hears_sounds_of_any_length) {
    auto& e = listener();
    for (const std::size_t count : {8999u, 8767u, 895u, 1278u, 1279u, 3001u, 6000u, 896u, 8999u}) {
        SCOPED_TRACE(count);
        const auto samples = sound_of(count);
        const reference::matrix heard = by_formulas().encode(samples.data(), count);
        ASSERT_TRUE(e.hear(samples));
        ASSERT_EQ(e.rows(), heard.rows);
        for (std::size_t i = 0; i < heard.rows; ++i)
            for (std::size_t j = 0; j < small.embed; ++j)
                ASSERT_NEAR(e.states()(i, j), heard(i, j), 1e-5) << i << ' ' << j;
    }
}

TEST(transcribe, sounds_that_do_not_fit_are_refused) {
    auto& e = listener();
    EXPECT_FALSE(e.hear(sound_of(894)));
    EXPECT_FALSE(e.hear(sound_of(9000)));
    EXPECT_TRUE(e.hear(sound_of(895)));
    EXPECT_EQ(e.rows(), 1u);
}

static_assert(fewest_samples == 895);
static_assert(row_counts(16'000).third == 40 && row_counts(tiny.samples).third == 1248);
static_assert(ear<small_model>::scratch_bytes <= 64 * 1024 && ear<small_model>::stack_bytes <= 64 * 1024);

}  // namespace
