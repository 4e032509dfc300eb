// SPDX-License-Identifier: BSL-1.0
// The calls of the model in a unit of their own, with their scratch beside them.
#include "listener.hpp"

#include <algorithm>
#include <utility>

namespace wake_word {

namespace {

using namespace ashlar;

template <class T, auto... Dims>
using in = const tensor_view<const T, Dims...>&;

template <class... Expression>
constexpr std::size_t scratch_of = std::max({workspace_bytes<Expression>...});

using new_frames = decltype(features(std::declval<in<std::int16_t, listener::kept + step>>()));
using new_rows = decltype(std::declval<const model&>().first_half(
    std::declval<const tensor<float, 1 + frames_per_token, bands>&>()));
using new_token = decltype(std::declval<const model&>().second_half(std::declval<const tensor<float, 3, embed>&>()));
using scored = decltype(std::declval<const model&>().scored(std::declval<in<float, tokens, embed>>()));

using all_frames = decltype(features(std::declval<in<std::int16_t, window_samples>>()));
using frames_tensor = tensor<float, window_frames, bands>;
using rows_tensor = tensor<float, (window_frames - 3) / 2 + 1, embed>;
using all_rows = decltype(std::declval<const model&>().first_half(std::declval<const frames_tensor&>()));
using all_tokens = decltype(std::declval<const model&>().second_half(std::declval<const rows_tensor&>()));

static_assert(scratch_of<new_frames, new_rows, new_token, scored> <= 64 * 1024);
static_assert(sizeof(listener) < 10 * 1024);

}  // namespace

const scores& listener::hear(const tensor_view<const std::int16_t, step>& samples) noexcept {
    static workspace<scratch_of<new_frames, new_rows, new_token, scored>> scratch;
    // Kept samples move to the front; new ones follow.
    std::copy_n(sound.data() + step, kept, sound.data());
    std::copy_n(samples.data(), step, sound.data() + kept);
    std::copy_n(frames.data() + frames_per_token * bands, bands, frames.data());
    std::copy_n(rows.data() + 2 * embed, embed, rows.data());

    evaluate(tensor_view<float, frames_per_token, bands>(frames.data() + bands),
             features(tensor_view<const std::int16_t, kept + step>(sound.data())), scratch);
    evaluate(tensor_view<float, 2, embed>(rows.data() + embed), weights.first_half(frames), scratch);
    float* const slot = ring.data() + heard % tokens * embed;
    evaluate(tensor_view<float, 1, embed>(slot), weights.second_half(rows), scratch);
    std::copy_n(slot, embed, slot + tokens * embed);
    evaluate(latest, weights.scored(tensor_view<const float, tokens, embed>(slot + embed)), scratch);
    ++heard;
    return latest;
}

void recognize(scores& out, const model& weights,
               const tensor_view<const std::int16_t, window_samples>& samples) noexcept {
    static workspace<scratch_of<all_frames, all_rows, all_tokens, scored>> scratch;
    static frames_tensor frames;
    static rows_tensor rows;
    static tensor<float, tokens, embed> heard;
    evaluate(frames, features(samples), scratch);
    evaluate(rows, weights.first_half(frames), scratch);
    evaluate(heard, weights.second_half(rows), scratch);
    evaluate(out, weights.scored(tensor_view<const float, tokens, embed>(heard.data())), scratch);
}

}  // namespace wake_word
