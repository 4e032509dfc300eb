// SPDX-License-Identifier: BSL-1.0
// OpenMP's threads as an executor.
#pragma once

#include <cstddef>

#include <omp.h>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// As many workers as OpenMP has threads. Compile with -fopenmp.
/// Example: `jthread_pool`.
struct openmp_workers {
    /// The greatest number of parts that run at once.
    ASHLAR_ALWAYS_INLINE std::size_t workers() const { return static_cast<std::size_t>(omp_get_max_threads()); }

    /// Calls f(i) for each i below count, and returns when all are done.
    void run(std::size_t count, const auto& f) const {
#pragma omp parallel for schedule(static, 1)
        for (std::size_t i = 0; i < count; ++i) f(i);
    }
};

}  // namespace ashlar
