// SPDX-License-Identifier: BSL-1.0
// An arena of oneTBB as an executor.
#pragma once

#include <cstddef>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// An arena of oneTBB. Each part is a task.
/// Example: `jthread_pool`.
class onetbb_workers {
public:
    /// An arena of this many workers. By default oneTBB chooses the number.
    ASHLAR_ALWAYS_INLINE explicit onetbb_workers(int workers = tbb::task_arena::automatic) : arena(workers) {}

    /// The greatest number of parts that run at once.
    ASHLAR_ALWAYS_INLINE std::size_t workers() const { return static_cast<std::size_t>(arena.max_concurrency()); }

    /// Calls f(i) for each i below count, and returns when all are done.
    void run(std::size_t count, const auto& f) {
        // Each part is a task: the default partitioner would join some.
        arena.execute([&] { tbb::parallel_for(std::size_t{0}, count, f, tbb::simple_partitioner{}); });
    }

private:
    tbb::task_arena arena;
};

}  // namespace ashlar
