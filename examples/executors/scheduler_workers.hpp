// SPDX-License-Identifier: BSL-1.0
// A scheduler of C++26's std::execution as an executor. A sketch: no standard library at hand has the header yet.
#pragma once

#include <cstddef>
#include <version>

#if defined(__cpp_lib_senders)
#include <execution>
#include <utility>

template <class Scheduler>
struct scheduler_workers {
    Scheduler scheduler;
    std::size_t most;  // a scheduler does not tell how many run at once

    std::size_t workers() const { return most; }

    void run(std::size_t count, const auto& f) const {
        namespace ex = std::execution;
        std::this_thread::sync_wait(ex::schedule(scheduler) |
                                    ex::bulk(ex::par, count, [&f](std::size_t i) noexcept { f(i); }));
    }
};
#endif
