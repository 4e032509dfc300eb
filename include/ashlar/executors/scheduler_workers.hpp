// SPDX-License-Identifier: BSL-1.0
// A scheduler of C++26's std::execution as an executor. A sketch: no standard library at hand has the header yet.
#pragma once

#include <cstddef>
#include <version>

#if defined(__cpp_lib_senders)
#include <execution>
#include <utility>

namespace ashlar::inline v0_1 {

/// A scheduler and the greatest number of parts that it runs at once.
/// Example: `jthread_pool`.
template <class Scheduler>
struct scheduler_workers {
    Scheduler scheduler;
    std::size_t most;  // schedulers have no function that returns it

    /// The greatest number of parts that run at once.
    std::size_t workers() const { return most; }

    /// Calls f(i) for each i below count, and returns when all are done.
    void run(std::size_t count, const auto& f) const {
        namespace ex = std::execution;
        std::this_thread::sync_wait(ex::schedule(scheduler) |
                                    ex::bulk(ex::par, count, [&f](std::size_t i) noexcept { f(i); }));
    }
};

}  // namespace ashlar
#endif
