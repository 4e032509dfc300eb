// SPDX-License-Identifier: BSL-1.0
// OpenMP's threads as an executor.
#pragma once

#include <cstddef>

#include <omp.h>

struct openmp_workers {
    std::size_t workers() const { return static_cast<std::size_t>(omp_get_max_threads()); }

    void run(std::size_t count, const auto& f) const {
#pragma omp parallel for schedule(static, 1)
        for (std::size_t i = 0; i < count; ++i) f(i);
    }
};
