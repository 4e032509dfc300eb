// SPDX-License-Identifier: BSL-1.0
// Sets up a real-time thread on Linux before its first callback. Each function returns whether it succeeded.
#pragma once

#include <cstddef>

#if defined(__linux__)
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#endif

namespace examples {

/// Keeps all pages of the process in memory, also those that it gets later. Needs RLIMIT_MEMLOCK or CAP_IPC_LOCK.
inline bool lock_memory() noexcept {
#if defined(__linux__)
    return mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
#else
    return false;
#endif
}

/// Runs the calling thread before all threads of ordinary priority. Needs RLIMIT_RTPRIO or CAP_SYS_NICE.
inline bool raise_priority([[maybe_unused]] int priority) noexcept {
#if defined(__linux__)
    sched_param wanted{};
    wanted.sched_priority = priority;
    return pthread_setschedparam(pthread_self(), SCHED_FIFO, &wanted) == 0;
#else
    return false;
#endif
}

/// Writes to this much of the stack, so that no callback is the first to touch one of its pages.
template <std::size_t Bytes>
[[gnu::noinline]] void touch_stack() noexcept {
    volatile unsigned char pages[Bytes];
    for (std::size_t i = 0; i < Bytes; i += 1024) pages[i] = 0;
    static_cast<void>(pages[0]);
}

}  // namespace examples
