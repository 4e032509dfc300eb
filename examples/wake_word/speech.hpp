// SPDX-License-Identifier: BSL-1.0
// Speech of a machine, to train and to try the model where nothing else can be had: phones as a train of pulses or as
// noise through resonators at their formants (Klatt 1980), by speakers of other pitch, tract and pace.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <span>

#include "model.hpp"

namespace wake_word {

/// Numbers that are the same everywhere from the same seed (xorshift64*).
class dice {
public:
    explicit dice(std::uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 0x1234567u) {
        for (int i = 0; i < 8; ++i) next();
    }
    float between(float low, float high) { return low + (high - low) * static_cast<float>(next() >> 40) * 0x1p-24f; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>((next() >> 33) % n); }
    /// Nearly normal, by the sum of three.
    float noise() { return between(-1, 1) + between(-1, 1) + between(-1, 1); }

private:
    std::uint64_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545F4914F6CDD1Du;
    }
    std::uint64_t state;
};

/// A sound of a language: three formants, how loud voice and noise are, where the noise is, and its length.
struct phone {
    float formants[3];
    float voice, hiss, hiss_centre, milliseconds;
};

namespace phones {
enum name : unsigned char { a, e, i, o, u, er, ae, m, n, l, r, s, sh, f, stop, t, k, count };
inline constexpr phone all[count] = {
    {{730, 1090, 2440}, 1.0f, 0, 4000, 120},   // a
    {{530, 1840, 2480}, 1.0f, 0, 4000, 110},   // e
    {{290, 2290, 3010}, 0.9f, 0, 4000, 110},   // i
    {{570, 840, 2410}, 1.0f, 0, 4000, 130},    // o
    {{300, 870, 2240}, 0.8f, 0, 4000, 110},    // u
    {{490, 1350, 1690}, 0.9f, 0, 4000, 130},   // er
    {{660, 1720, 2410}, 1.0f, 0, 4000, 120},   // ae
    {{250, 1000, 2200}, 0.4f, 0, 4000, 80},    // m
    {{250, 1600, 2600}, 0.4f, 0, 4000, 75},    // n
    {{360, 1300, 2900}, 0.6f, 0, 4000, 80},    // l
    {{420, 1300, 1600}, 0.6f, 0, 4000, 80},    // r
    {{400, 1700, 2600}, 0, 0.35f, 6200, 110},  // s
    {{400, 1700, 2600}, 0, 0.45f, 3000, 115},  // sh
    {{400, 1400, 2500}, 0, 0.15f, 4500, 90},   // f
    {{400, 1500, 2500}, 0, 0, 4000, 55},       // what comes before a burst
    {{400, 1700, 2600}, 0, 0.6f, 4400, 25},    // t
    {{400, 1800, 2300}, 0, 0.6f, 1900, 30},    // k
};
}  // namespace phones

inline constexpr std::size_t most_phones = 8;

/// The words of class 1 and on, as phones.
struct word {
    std::size_t length;
    unsigned char sounds[most_phones];
};
inline constexpr word words[classes - 1] = {
    {4, {phones::ae, phones::sh, phones::l, phones::er}},
    {6, {phones::l, phones::i, phones::n, phones::stop, phones::t, phones::e}},
    {6, {phones::m, phones::o, phones::r, phones::stop, phones::t, phones::u}},
};

/// A speaker: pitch, length of the tract, pace and strength.
struct speaker {
    float pitch, tract, pace, level;
    explicit speaker(dice& d)
        : pitch(d.between(90, 230)),
          tract(d.between(0.88f, 1.14f)),
          pace(d.between(0.85f, 1.2f)),
          level(d.between(0.03f, 0.2f)) {}
};

/// Adds a word to samples, where it fits, and gives its length in samples; it is the speaker's level loud.
inline std::size_t say(std::span<float> out, const word& w, const speaker& by, dice& d) {
    struct resonator {
        float a = 0, b = 0, c = 0, y1 = 0, y2 = 0;
        void tune(float hz, float width) {
            const float r = std::exp(-std::numbers::pi_v<float> * width / 16000);
            c = -r * r;
            b = 2 * r * std::cos(2 * std::numbers::pi_v<float> * hz / 16000);
            a = 1 - b - c;
        }
        float operator()(float x) {
            const float y = a * x + b * y1 + c * y2;
            y2 = y1;
            y1 = y;
            return y;
        }
    };
    static float spoken[window_samples];
    resonator tract[3], hiss;
    float now[6]{}, phase = 0, tilt = 0, energy = 0;
    std::size_t length = 0;
    const float drift = d.between(-0.15f, 0.05f);
    for (std::size_t p = 0; p < w.length; ++p) {
        const phone& to = phones::all[w.sounds[p]];
        const float target[6] = {to.formants[0], to.formants[1], to.formants[2], to.voice, to.hiss, to.hiss_centre};
        const float scale[3] = {d.between(0.94f, 1.06f), d.between(0.94f, 1.06f), d.between(0.97f, 1.03f)};
        if (p == 0) {
            for (std::size_t i = 0; i < 6; ++i) now[i] = i == 3 || i == 4 ? 0 : target[i];
        }
        const auto samples = static_cast<std::size_t>(to.milliseconds * by.pace * d.between(0.85f, 1.15f) * 16);
        for (std::size_t i = 0; i < samples && length < window_samples; ++i, ++length) {
            // The last 20 ms fade away.
            const bool fades = p + 1 == w.length && i + 320 >= samples;
            for (std::size_t j = 0; j < 6; ++j) {
                const float wanted = fades && (j == 3 || j == 4) ? 0 : j < 3 ? target[j] * scale[j] : target[j];
                now[j] += (wanted - now[j]) * (j < 3 ? 0.004f : 0.01f);
            }
            if (length % 16 == 0) {
                constexpr float widths[3] = {70, 100, 140};
                for (std::size_t j = 0; j < 3; ++j) tract[j].tune(now[j] * by.tract, widths[j]);
                hiss.tune(std::min(now[5] * by.tract, 7600.0f), 900);
            }
            const float along = static_cast<float>(length) / 10'000;
            phase += by.pitch * (1 + drift * along + 0.01f * std::sin(along * 40)) / 16000;
            float pulse = 0;
            if (phase >= 1) {
                phase -= 1;
                pulse = 12;
            }
            tilt += 0.25f * (pulse + 0.02f * d.noise() - tilt);
            const float y = now[3] * tract[2](tract[1](tract[0](tilt))) + 1.5f * now[4] * hiss(d.noise());
            spoken[length] = y;
            energy += y * y;
        }
    }
    const float gain = by.level / std::sqrt(energy / static_cast<float>(std::max<std::size_t>(length, 1)) + 1e-9f);
    length = std::min(length, out.size());
    for (std::size_t i = 0; i < length; ++i) out[i] += gain * spoken[i];
    return length;
}

/// What is none of the words: other sounds, a word's first half, its syllables the other way around, or one with
/// another vowel in each place.
inline word distractor(dice& d) {
    const word& of = words[d.below(classes - 1)];
    word w{};
    switch (d.below(6)) {
    case 0:  // half a word
        w.length = of.length / 2;
        std::copy_n(of.sounds, w.length, w.sounds);
        return w;
    case 1:  // turned around
        w.length = of.length;
        std::reverse_copy(of.sounds, of.sounds + of.length, w.sounds);
        return w;
    case 2:  // other vowels
        w = of;
        for (std::size_t i = 0; i < w.length; ++i)
            if (w.sounds[i] < phones::m)
                w.sounds[i] = static_cast<unsigned char>((w.sounds[i] + 1 + d.below(2) * 2) % phones::m);
        return w;
    default:
        w.length = 2 + d.below(most_phones - 2);
        for (std::size_t i = 0; i < w.length; ++i) w.sounds[i] = static_cast<unsigned char>(d.below(phones::count));
        return w;
    }
}

/// The noise of a room: hiss and rumble.
class room {
public:
    explicit room(dice& d) : hiss(d.between(0.0003f, 0.006f)), rumble(d.between(0.0f, 0.012f)) {}
    float next(dice& d) {
        const float x = d.noise();
        low += 0.02f * (x - low);
        return hiss * x + 4 * rumble * low;
    }

private:
    float hiss, rumble, low = 0;
};

inline std::int16_t as_sample(float x) { return static_cast<std::int16_t>(std::clamp(x, -1.0f, 1.0f) * 32767); }

/// A window of sound, and its class.
inline std::size_t record(std::span<std::int16_t, window_samples> out, std::uint64_t seed) {
    static float sound[window_samples];
    dice d(seed);
    room around(d);
    std::fill_n(sound, window_samples, 0.0f);
    const std::span<float> all(sound);
    const std::size_t drawn = d.below(10), label = drawn < 6 ? 1 + drawn / 2 : 0;
    if (label != 0) {
        // Anywhere within the window, sometimes after something else.
        static float alone[window_samples];
        std::fill_n(alone, window_samples, 0.0f);
        const std::size_t length = say(alone, words[label - 1], speaker(d), d);
        const std::size_t first = d.below(window_samples - std::min(length, window_samples - 1));
        std::copy_n(alone, length, sound + first);
        if (first > 6000 && d.below(2) == 0) say(all.first(first - 2400), distractor(d), speaker(d), d);
    } else if (d.below(5) != 0) {
        const std::size_t length = say(all.subspan(d.below(window_samples / 2)), distractor(d), speaker(d), d);
        if (length < window_samples / 2 && d.below(2) == 0)
            say(all.subspan(window_samples * 2 / 3), distractor(d), speaker(d), d);
    }
    for (std::size_t i = 0; i < window_samples; ++i) out[i] = as_sample(sound[i] + around.next(d));
    return label;
}

/// Sound without end, 40 ms at a time: words and others, with pauses between them, in a room that changes.
class conversation {
public:
    explicit conversation(std::uint64_t seed) : d(seed), around(d) {}

    /// The word that ended with the samples before the last `next`, or 0.
    [[nodiscard]] std::size_t ended() const { return just_ended; }

    void next(std::span<std::int16_t, step> out) {
        just_ended = 0;
        for (std::int16_t& s : out) {
            if (at == length) {
                if (label != 0) just_ended = label;
                label = 0;
                if (length != 0 && said) {
                    said = false;  // a pause
                    length = static_cast<std::size_t>(d.between(0.7f, 2.5f) * 16000);
                } else {
                    said = true;
                    if (d.below(20) == 0) around = room(d);
                    std::fill_n(sound, window_samples, 0.0f);
                    label = d.below(3) == 0 ? 1 + d.below(classes - 1) : 0;
                    length = say(sound, label != 0 ? words[label - 1] : distractor(d), speaker(d), d);
                }
                at = 0;
            }
            s = as_sample((said ? sound[at] : 0.0f) + around.next(d));
            ++at;
        }
    }

private:
    dice d;
    room around;
    float sound[window_samples]{};
    std::size_t at = 0, length = 0, label = 0, just_ended = 0;
    bool said = false;
};

}  // namespace wake_word
