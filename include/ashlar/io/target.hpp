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
#include <ashlar/io/result.hpp>
#include <ashlar/io/source.hpp>

namespace ashlar::io {

/// The path of a file, or bytes that the caller owns: made from either where a function takes a target. Bytes beyond
/// those that are written keep their values.
class ASHLAR_POINTER(std::byte) target {
public:
    target(const char* file) noexcept : path(file) {}
    target(const std::string& file) noexcept : path(file.c_str()) {}
    template <std::ranges::contiguous_range Range>
    requires std::ranges::sized_range<Range> &&
        (!std::convertible_to<Range&, std::string_view>)&&(sizeof(std::ranges::range_value_t<Range>) == 1) &&
        std::is_trivially_copyable_v<std::ranges::range_value_t<Range>> &&
        (!std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>)target(Range&& memory) noexcept
        : content{reinterpret_cast<std::byte*>(std::ranges::data(memory)), std::ranges::size(memory)} {}

    const char* path = nullptr;  ///< null if the target is memory
    std::span<std::byte> content{};
};

}  // namespace ashlar::io

namespace ashlar::detail {

/// Counts bytes, and writes them to a target if there is one.
class byte_writer {
public:
    byte_writer() noexcept = default;
    byte_writer(const byte_writer&) = delete;
    byte_writer& operator=(const byte_writer&) = delete;
    ~byte_writer() {
        if (file != nullptr) std::fclose(file);
    }

    /// Opens a target for a number of bytes that is known before.
    template <class Config>
    io::result open(const io::target& to, std::uint64_t bytes) noexcept {
        path = to.path;
        if (path != nullptr) {
            file = std::fopen(path, "wb");
            return file != nullptr ? io::result{} : io_error<Config>(io::error::cannot_open, path);
        }
        memory = to.content.data();
        if (bytes <= to.content.size()) return {};
        io::result r = io_error<Config>(io::error::no_room);
        r.position = bytes;
        r.limit = to.content.size();
        return r;
    }

    void put(const void* from, std::size_t bytes) noexcept {
        if (file != nullptr)
            failed = std::fwrite(from, 1, bytes, file) != bytes || failed;
        else if (memory != nullptr)
            std::memcpy(memory + count, from, bytes);
        count += bytes;
    }
    void put(std::string_view text) noexcept { put(text.data(), text.size()); }
    void put(char c) noexcept { put(&c, 1); }
    void put_number(std::uint64_t n) noexcept {
        message_writer<20> digits;
        digits.put_number(n);
        put({digits.text.data(), digits.text.size()});
    }
    [[nodiscard]] std::uint64_t written() const noexcept { return count; }

    /// Whether everything was written. A file that was not stays as far as it got: what lies at its path need not be
    /// a file that may be removed.
    template <class Config>
    io::result close() noexcept {
        if (file == nullptr) return {};
        if (std::fclose(file) != 0) failed = true;
        file = nullptr;
        if (!failed) return {};
        return io_error<Config>(io::error::cannot_write, path);
    }

private:
    const char* path = nullptr;
    std::FILE* file = nullptr;
    std::byte* memory = nullptr;
    std::uint64_t count = 0;
    bool failed = false;
};

}  // namespace ashlar::detail
