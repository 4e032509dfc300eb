// SPDX-License-Identifier: BSL-1.0
// The type of a path's file: only regular files are read as a whole, and replaced.
#pragma once

#include <ashlar/core/config.hpp>

#if ASHLAR_HAS_POSIX
#include <sys/stat.h>
#endif

namespace ashlar::inline v0_1::detail {

/// The reason why a path is not a regular file, a string literal; null if it is one or its type is unknown. Opening a
/// pipe would block until somebody writes to it.
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
