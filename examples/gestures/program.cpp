// SPDX-License-Identifier: BSL-1.0
// Recognises recordings that lie in flash beside the model; on a desktop and on a microcontroller alike.
#include <cstddef>
#include <cstdint>
#include <span>

#include <ashlar/io/image.hpp>

#include "board.hpp"
#include "recognizer.hpp"

// By images.S, or by ashlar_add_image.
extern "C" const unsigned char gestures_image[ashlar::io::image_bytes<gestures::model>];
extern "C" const unsigned char gesture_recordings[ashlar::io::image_bytes<gestures::recordings>];

namespace {

using board::print;

/// Prints a number with five digits after the point.
void print(float value) {
    board::print(value < 0 ? " -" : " ");
    const auto scaled = static_cast<std::uint32_t>((value < 0 ? -value : value) * 100'000.0f + 0.5f);
    print(scaled / 100'000);
    char digits[7]{'.'};
    for (std::uint32_t i = 5, rest = scaled; i > 0; --i, rest /= 10) digits[i] = static_cast<char>('0' + rest % 10);
    board::print(digits);
}

std::size_t largest(const gestures::scores& of) {
    std::size_t best = 0;
    for (std::size_t c = 1; c < gestures::classes; ++c)
        if (of(c) > of(best)) best = c;
    return best;
}

}  // namespace

int run() noexcept {
    const auto weights = ashlar::io::view_image<gestures::model>(std::as_bytes(std::span(gestures_image)));
    const auto trials = ashlar::io::view_image<gestures::recordings>(std::as_bytes(std::span(gesture_recordings)));
    if (!weights || !trials) {
        board::print("an image is not that of this program's types\n");
        return 1;
    }
    bool right = true;
    for (std::size_t i = 0; i < gestures::recordings::count; ++i) {
        const gestures::recording x(trials->counts.data() + i * gestures::steps * gestures::channels);
        gestures::scores y;
        const std::uint32_t start = board::ticks();
        gestures::recognize(y, *weights, x);
        const std::uint32_t taken = (board::ticks() - start) & 0xFFFFFF;

        const std::size_t found = largest(y);
        for (std::size_t c = 0; c < gestures::classes; ++c) {
            const float apart = y(c) - trials->scores(i, c);
            right &= apart < 1e-3f && apart > -1e-3f;
        }
        right &= found == static_cast<std::size_t>(trials->labels(i));
        board::print(gestures::class_names[found]);
        board::print(":");
        for (std::size_t c = 0; c < gestures::classes; ++c) print(y(c));
        board::print("; ");
        print(taken);
        board::print(" ");
        board::print(board::tick_name());
        board::print("\n");
    }
    if (board::stack_size() > 0) {
        board::print("stack: ");
        print(static_cast<std::uint32_t>(board::stack_used()));
        board::print(" of ");
        print(static_cast<std::uint32_t>(board::stack_size()));
        board::print(" bytes\n");
    }
    board::print(right ? "all as train_gestures.py computes\n" : "WRONG: not what train_gestures.py computes\n");
    return right ? 0 : 1;
}
