// SPDX-License-Identifier: BSL-1.0
// Where files are written to: a path, or bytes in memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/replaced_file.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/files/source.hpp>

namespace ashlar::inline v0_1::io {

/// The path of a file, or bytes that the caller owns: functions that take a target accept either. In memory, bytes
/// after the written ones keep their values. A file is written next to the one it replaces and renamed when it is on
/// the disk, so that an error leaves the old file unchanged. It keeps the old file's permissions, and a symbolic link
/// stays a link.
///
///     io::result r = io::save(model, "weights.safetensors");
///     r = io::save(model, std::span(memory));   // of std::byte, unsigned char or char
class ASHLAR_POINTER(std::byte) target {
public:
    /// A path, or memory of std::byte, unsigned char or char. Both are borrowed.
    ASHLAR_ALWAYS_INLINE target(const char* file) noexcept : path(file) {}
    ASHLAR_ALWAYS_INLINE target(const std::string& file) noexcept : path(file.c_str()) {}
    template <std::size_t Count>
    target(  // ashlar: io: characters may be a path or memory; write std::string(path), or std::span(memory)
        char (&)[Count]) = delete;
    template <std::ranges::contiguous_range Range>
        requires std::ranges::sized_range<Range> && (!std::convertible_to<Range&, std::string_view>) &&
                 (sizeof(std::ranges::range_value_t<Range>) == 1) &&
                 std::is_trivially_copyable_v<std::ranges::range_value_t<Range>> &&
                 (!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>)
    ASHLAR_ALWAYS_INLINE target(Range&& memory) noexcept
        : content{reinterpret_cast<std::byte*>(std::ranges::data(memory)), std::ranges::size(memory)} {}

    const char* path = nullptr;  ///< null if the target is memory
    std::span<std::byte> content{};
};

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

/// Counts bytes, and writes them to a target if there is one.
class byte_writer {
public:
    byte_writer() noexcept = default;

    /// Opens a target for a known number of bytes.
    template <class Config>
    io::result open(const io::target& to, std::uint64_t bytes) noexcept {
        if (to.path != nullptr) return file.open<Config>(to.path);
        memory = to.content.data();
        if (bytes <= to.content.size()) return {};
        io::result r = io_error<Config>(io::error::no_room);
        r.position = bytes;
        r.limit = to.content.size();
        return r;
    }

    template <class Config = current_config>
    void put(const void* from, std::size_t bytes) noexcept {
        if (file.get() != nullptr)
            failed = std::fwrite(from, 1, bytes, file.get()) != bytes || failed;
        else if (memory != nullptr)
            std::memcpy(memory + count, from, bytes);
        count += bytes;
    }
    ASHLAR_ALWAYS_INLINE void put(std::string_view text) noexcept { put(text.data(), text.size()); }
    ASHLAR_ALWAYS_INLINE void put(char c) noexcept { put(&c, 1); }
    template <class Config = current_config>
    void write_number(std::uint64_t n) noexcept {
        message_writer<20> digits;
        digits.write_number(n);
        put({digits.text.data(), digits.text.size()});
    }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE std::uint64_t written() const noexcept { return count; }

    /// Replaces the old file with the written one; if writing was incomplete, the old file is unchanged.
    template <class Config>
    io::result close() noexcept {
        return file.get() != nullptr ? file.commit<Config>(!failed) : io::result{};
    }

private:
    replaced_file file;
    std::byte* memory = nullptr;
    std::uint64_t count = 0;
    bool failed = false;
};

}  // namespace ashlar::detail
