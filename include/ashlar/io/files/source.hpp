// SPDX-License-Identifier: BSL-1.0
// Where weights come from: the path of a file, or bytes in memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdio>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/file_status.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>
#include <ashlar/io/formats/dtype.hpp>

namespace ashlar::inline v0_1::io {

/// The path of a file, or bytes that the caller owns: functions that take a source accept either.
///
///     io::result r = io::load(model, "weights.safetensors");
///     r = io::load(model, std::span(flash_begin, flash_bytes));   // of std::byte, unsigned char or char
///
/// A path must lead to a regular file, which is read as a whole: a pipe, a socket, a device or a directory is refused
/// at once. A string is always a path; a std::string_view is refused, as it need not end with a zero.
class ASHLAR_POINTER(std::byte) source {
public:
    /// A path, or memory of std::byte, unsigned char or char. Both are borrowed.
    ASHLAR_ALWAYS_INLINE source(const char* file) noexcept : path(file) {}
    ASHLAR_ALWAYS_INLINE source(const std::string& file) noexcept : path(file.c_str()) {}
    template <std::size_t Count>
    source(  // ashlar: io: characters may be a path or memory; write std::string(path), or std::span(memory)
        char (&)[Count]) = delete;
    template <std::ranges::contiguous_range Range>
        requires std::ranges::sized_range<const Range> && (!std::convertible_to<const Range&, std::string_view>) &&
                 (sizeof(std::ranges::range_value_t<Range>) == 1) &&
                 std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>
    ASHLAR_ALWAYS_INLINE source(const Range& memory) noexcept
        : content{reinterpret_cast<const std::byte*>(std::ranges::data(memory)), std::ranges::size(memory)} {}

    const char* path = nullptr;  ///< null if the source is memory
    bytes content{};
};

}  // namespace ashlar::io

namespace ashlar::inline v0_1::detail {

/// An open file, which the destructor closes.
class open_file {
public:
    ASHLAR_ALWAYS_INLINE open_file(const char* path, const char* mode) noexcept : handle(std::fopen(path, mode)) {}
    open_file(const open_file&) = delete;
    open_file& operator=(const open_file&) = delete;
    ASHLAR_ALWAYS_INLINE ~open_file() {
        if (handle != nullptr) std::fclose(handle);
    }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE std::FILE* get() const noexcept { return handle; }

private:
    std::FILE* handle;
};

/// Reads a whole file. It is not mapped: if another process truncates a mapped file, the program crashes.
template <class Config>
io::result read_file(const char* path, owned_bytes& out) noexcept {
    const auto fail = [&](io::error e) { return io_error<Config>(e, path); };
    if (const char* const why = not_regular<Config>(path); why != nullptr) {
        io::result r = fail(io::error::cannot_read);
        r.reason = why;
        return r;
    }
    const open_file file(path, "rb");
    if (file.get() == nullptr) return fail(io::error::cannot_open);
    // Directories can be opened and have a size; they fail here, before memory is allocated.
    if (std::fgetc(file.get()) == EOF && std::ferror(file.get()) != 0) return fail(io::error::cannot_read);
    if (std::fseek(file.get(), 0, SEEK_END) != 0) return fail(io::error::cannot_read);
    const long size = std::ftell(file.get());
    if (size < 0 || std::fseek(file.get(), 0, SEEK_SET) != 0) return fail(io::error::cannot_read);
    if (!out.allocate(static_cast<std::size_t>(size))) return fail(io::error::out_of_memory);
    if (out.size() != 0 && std::fread(out.data(), 1, out.size(), file.get()) != out.size())
        return fail(io::error::cannot_read);
    return {};
}

/// The bytes of a source, read from its file if it has one.
class source_bytes {
public:
    template <class Config = current_config>
    io::result open(const io::source& from) noexcept {
        borrowed = from.content;
        owned.release();
        if (from.path == nullptr) return {};
        const io::result r = read_file<Config>(from.path, owned);
        borrowed = {owned.data(), r ? owned.size() : 0};
        return r;
    }
    [[nodiscard]] ASHLAR_ALWAYS_INLINE io::bytes content() const noexcept { return borrowed; }

private:
    io::bytes borrowed{};
    owned_bytes owned;
};

}  // namespace ashlar::detail
