// SPDX-License-Identifier: BSL-1.0
// Files of sound: WAV with 16 bits, one channel and 16,000 samples a second, and a sentence about any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace examples {

inline constexpr std::uint32_t sample_rate = 16'000;

/// What is in a file: its samples, or what is wrong with it.
struct sound {
    std::vector<std::int16_t> samples;
    const char* error = nullptr;
};

namespace detail {

inline std::uint32_t number(std::span<const unsigned char> bytes, std::size_t at, std::size_t count) {
    std::uint32_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | bytes[at + i];
    return value;
}
inline bool is(std::span<const unsigned char> bytes, std::size_t at, const char* four) {
    return std::memcmp(bytes.data() + at, four, 4) == 0;
}

}  // namespace detail

/// The sound in the bytes of a WAV file. Chunks that say nothing about samples are passed over.
inline sound parse_wav(std::span<const unsigned char> bytes) {
    using detail::number;
    if (bytes.size() < 12 || !detail::is(bytes, 0, "RIFF") || !detail::is(bytes, 8, "WAVE"))
        return {{}, "this is no WAV file: it does not begin with RIFF and WAVE"};
    bool has_format = false;
    for (std::size_t at = 12; at + 8 <= bytes.size();) {
        const std::size_t size = number(bytes, at + 4, 4), first = at + 8, left = bytes.size() - first;
        if (detail::is(bytes, at, "fmt ")) {
            if (size < 16 || size > left) return {{}, "the file ends within its format"};
            const std::uint32_t kind = number(bytes, first, 2);
            const bool extended = kind == 0xFFFE && size >= 26 && number(bytes, first + 24, 2) == 1;
            if (kind != 1 && !extended) return {{}, "samples must be PCM, not compressed or floating point"};
            if (number(bytes, first + 2, 2) != 1) return {{}, "there must be one channel: mix stereo down first"};
            if (number(bytes, first + 4, 4) != sample_rate)
                return {{}, "there must be 16,000 samples a second: resample first"};
            if (number(bytes, first + 14, 2) != 16) return {{}, "samples must have 16 bits"};
            has_format = true;
        } else if (detail::is(bytes, at, "data")) {
            if (!has_format) return {{}, "the samples come before their format"};
            if (size > left) return {{}, "the file ends within its samples"};
            sound result;
            result.samples.resize(size / 2);
            for (std::size_t i = 0; i < result.samples.size(); ++i)
                result.samples[i] = static_cast<std::int16_t>(number(bytes, first + 2 * i, 2));
            return result;
        }
        if (size > left) break;
        at = first + size + size % 2;
    }
    return {{}, "the file has no samples"};
}

/// The sound of a file.
inline sound read_wav(const char* path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
        std::fopen(path, "rb"), [](std::FILE* f) { return f == nullptr ? 0 : std::fclose(f); });
    if (!file) return {{}, "the file cannot be opened"};
    std::vector<unsigned char> bytes;
    unsigned char part[4096];
    for (std::size_t n; (n = std::fread(part, 1, sizeof part, file.get())) > 0;)
        bytes.insert(bytes.end(), part, part + n);
    if (std::ferror(file.get()) != 0) return {{}, "the file cannot be read"};
    return parse_wav(bytes);
}

/// A WAV file of samples.
inline std::vector<unsigned char> wav_of(std::span<const std::int16_t> samples) {
    std::vector<unsigned char> bytes;
    bytes.reserve(44 + 2 * samples.size());
    const auto text = [&](const char* four) {
        for (std::size_t i = 0; i < 4; ++i) bytes.push_back(static_cast<unsigned char>(four[i]));
    };
    const auto put = [&](std::size_t value, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) bytes.push_back(static_cast<unsigned char>(value >> 8 * i));
    };
    text("RIFF");
    put(36 + 2 * samples.size(), 4);
    text("WAVE");
    text("fmt ");
    put(16, 4);
    put(1, 2);  // PCM
    put(1, 2);  // channels
    put(sample_rate, 4);
    put(2 * sample_rate, 4);
    put(2, 2);
    put(16, 2);
    text("data");
    put(2 * samples.size(), 4);
    for (const std::int16_t s : samples) put(static_cast<std::uint16_t>(s), 2);
    return bytes;
}

}  // namespace examples
