// SPDX-License-Identifier: BSL-1.0
// Checks of the programs here that cannot use GoogleTest: it is built for another standard library.
#pragma once

#include <cstdio>

inline int failures = 0;

/// Prints a check that fails, and counts it.
inline void check(const char* name, bool holds) {
    if (holds) return;
    std::printf("FAILED: %s\n", name);
    ++failures;
}

/// Says why a program tests nothing; the status that ctest takes for a skipped test.
inline int skipped(const char* why) {
    std::printf("skipped: %s\n", why);
    return 77;
}

inline int report() {
    std::printf("%d checks failed\n", failures);
    return failures == 0 ? 0 : 1;
}
