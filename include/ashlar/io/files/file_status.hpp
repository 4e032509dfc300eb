// SPDX-License-Identifier: BSL-1.0
// What a path leads to: only regular files are read as a whole, and replaced.
#pragma once

#include <ashlar/core/config.hpp>

#if ASHLAR_HAS_POSIX
#include <sys/stat.h>
#endif

namespace ashlar::inline v0_1::detail {

/// Why what a path leads to is no regular file, a string literal; null if it is one, or nothing is known of it. Opening
/// a pipe would wait for somebody to write to it.
template <class Config>
const char* not_regular([[maybe_unused]] const char* path) noexcept {
#if ASHLAR_HAS_POSIX
    struct stat status;
    if (::stat(path, &status) != 0 || S_ISREG(status.st_mode)) return nullptr;
    if (S_ISDIR(status.st_mode)) return "a directory, no regular file";
    if (S_ISFIFO(status.st_mode)) return "a pipe, no regular file";
    if (S_ISSOCK(status.st_mode)) return "a socket, no regular file";
    return "a device, no regular file";
#else
    return nullptr;
#endif
}

}  // namespace ashlar::detail
