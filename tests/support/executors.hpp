// SPDX-License-Identifier: BSL-1.0
// Executors for tests, and workspaces between guards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include <ashlar/eval/workspace.hpp>

#include "support/random.hpp"

namespace support {

using ashlar::workspace;

/// Runs each part on a thread of its own.
struct threads {
    std::size_t most;

    std::size_t workers() const { return most; }
    void run(std::size_t count, const auto& f) const {
        std::vector<std::thread> running;
        for (std::size_t i = 0; i < count; ++i) running.emplace_back([&f, i] { f(i); });
        for (std::thread& thread : running) thread.join();
    }
};

/// Counts parts, and runs them one after the other, the last one first, or each on a thread of its own. It is one type
/// for both, so that a test compiles each evaluation once.
struct backwards {
    std::size_t most = 1;
    bool on_threads = false;
    std::size_t shared = 0, parts = 0;

    std::size_t workers() const { return most; }
    void run(std::size_t count, const auto& f) {
        ++shared;
        parts += count;
        if (on_threads) return threads{count}.run(count, f);
        for (std::size_t i = count; i-- > 0;) f(i);
    }
};

template <class Tensor>
Tensor filled(std::uint32_t seed) {
    Tensor t{};
    support::random_numbers(seed).fill_uniform(t);
    return t;
}

/// A workspace without values, between guards.
template <std::size_t Bytes, std::size_t Guard = 64>
struct guarded_workspace {
    std::byte before[Guard];
    workspace<Bytes> scratch;
    std::byte behind[Guard];

    guarded_workspace() { std::memset(static_cast<void*>(this), 0xff, sizeof *this); }
    bool is_whole() const {
        for (std::size_t i = 0; i < Guard; ++i)
            if (before[i] != std::byte{0xff} || behind[i] != std::byte{0xff}) return false;
        return true;
    }
};

}  // namespace support
