// SPDX-License-Identifier: BSL-1.0
// A file that is written next to the one it replaces, so that a full disk leaves the old one unchanged.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <ashlar/core/config.hpp>
#include <ashlar/io/files/file_status.hpp>
#include <ashlar/io/files/heap_memory.hpp>
#include <ashlar/io/files/result.hpp>

#if ASHLAR_HAS_POSIX
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace ashlar::inline v0_1::detail {

/// It is written under a temporary name in the same folder; `commit` renames it to the old file, whose permissions it
/// has. If the path is a symbolic link, its target is replaced or created. Devices and pipes are written directly.
/// Without `commit` the file is removed.
class replaced_file {
public:
    replaced_file() noexcept = default;
    replaced_file(const replaced_file&) = delete;
    replaced_file& operator=(const replaced_file&) = delete;
    ~replaced_file() { discard(); }

    [[nodiscard]] std::FILE* get() const noexcept { return file; }

    template <class Config>
    io::result open(const char* given) noexcept {
        path = given;
        const auto fail = [&](io::error e) { return io_error<Config>(e, given); };
        if (not_regular<Config>(given) != nullptr) {
            file = std::fopen(given, "wb");
            return file != nullptr ? io::result{} : fail(io::error::cannot_open);
        }
#if ASHLAR_HAS_POSIX
        struct stat old;
        const bool replaces = ::stat(given, &old) == 0;
        if (struct stat link; !replaces && ::lstat(given, &link) == 0) {  // a dangling link: its target is created
            file = std::fopen(given, "wb");
            return file != nullptr ? io::result{} : fail(io::error::cannot_open);
        }
        // As for writing in place, a file without write permission is not replaced.
        if (replaces && ::access(given, W_OK) != 0) return fail(io::error::cannot_open);
        char* const resolved = ::realpath(given, nullptr);
        const bool copied = copy(resolved != nullptr ? resolved : given, final_name);
        std::free(resolved);
        if (!copied || !name_temporary()) return fail(io::error::out_of_memory);
        const int handle = create(replaces ? old.st_mode & 0777 : 0666);
        if (handle < 0) return fail(io::error::cannot_open);
        created = true;
        // Only a privileged process can keep the owner. The umask removed permission bits.
        if (replaces) {
            [[maybe_unused]] const int owned = ::fchown(handle, old.st_uid, old.st_gid);
            [[maybe_unused]] const int permitted = ::fchmod(handle, old.st_mode & 07777);
        }
        file = ::fdopen(handle, "wb");
        if (file == nullptr) ::close(handle);
#else
        if (!copy(given, final_name) || !name_temporary()) return fail(io::error::out_of_memory);
        file = std::fopen(temporary_name.data(), "wbx");
        created = file != nullptr;
#endif
        if (file != nullptr) return {};
        discard();
        return fail(io::error::cannot_open);
    }

    /// Replaces the old file if everything was written.
    template <class Config>
    io::result commit(bool written) noexcept {
        bool good = written && std::fflush(file) == 0;
#if ASHLAR_HAS_POSIX
        // If a file is renamed before its bytes are on the disk, a power failure may lose both versions.
        if (created) good = good && ::fsync(::fileno(file)) == 0;
#endif
        good = std::fclose(file) == 0 && good;
        file = nullptr;
        if (created && good) {
#if !ASHLAR_HAS_POSIX
            std::remove(final_name.data());  // for systems where renaming replaces no file
#endif
            good = std::rename(temporary_name.data(), final_name.data()) == 0;
            created = !good;
        }
        discard();
        return good ? io::result{} : io_error<Config>(io::error::cannot_write, path);
    }

private:
    const char* path = nullptr;
    std::FILE* file = nullptr;
    bool created = false;
    owned_array<char> final_name, temporary_name;

    static constexpr std::string_view beside = ".ashlar-0000000000-00.tmp";

    static bool copy(const char* text, owned_array<char>& to) noexcept {
        const std::size_t length = std::strlen(text);
        if (!to.allocate(length + 1)) return false;
        std::memcpy(to.data(), text, length);
        return true;
    }
    /// A name in the folder of the final one.
    bool name_temporary() noexcept {
        const std::string_view all(final_name.data());
        const std::size_t folder = all.rfind('/') + 1;  // 0 if there is none
        if (!temporary_name.allocate(folder + beside.size() + 1)) return false;
        std::memcpy(temporary_name.data(), all.data(), folder);
        std::memcpy(temporary_name.data() + folder, beside.data(), beside.size());
        return true;
    }

#if ASHLAR_HAS_POSIX
    /// Creates the file with a unique name, from the process id and a count of its files at one time.
    int create(::mode_t mode) noexcept {
        char* const digits = temporary_name.data() + temporary_name.size() - 1 - beside.size() + 8;
        auto process = static_cast<unsigned long>(::getpid());
        for (std::size_t i = 10; i-- > 0; process /= 10) digits[i] = static_cast<char>('0' + process % 10);
        for (int n = 0; n < 100; ++n) {
            digits[11] = static_cast<char>('0' + n / 10);
            digits[12] = static_cast<char>('0' + n % 10);
            const int handle = ::open(temporary_name.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
            if (handle >= 0) return handle;
            if (errno != EEXIST) break;
        }
        return -1;
    }
#endif

    void discard() noexcept {
        if (file != nullptr) std::fclose(file);
        file = nullptr;
        if (created) std::remove(temporary_name.data());
        created = false;
    }
};

}  // namespace ashlar::detail
