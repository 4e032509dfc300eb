// SPDX-License-Identifier: BSL-1.0
// A pool of std::jthread as an executor: threads are started once, and a call allocates nothing and takes no lock.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include <ashlar/core/config.hpp>

namespace ashlar::inline v0_1 {

/// This many workers, including the thread that calls `run`. Waiting threads poll a while for the next part before
/// they sleep: the parts of an evaluation follow each other within microseconds. One evaluation at a time.
///
///     jthread_pool pool(4);   // starts three threads
///     evaluate(y, matmul(x, w), scratch, pool);
class jthread_pool {
public:
    /// If a thread cannot be started, joins those that were started and throws what std::jthread throws.
    template <class Config = current_config>
    explicit jthread_pool(std::size_t workers) : jthread_pool(workers, [](auto help) { return std::jthread(help); }) {}
    /// `start` makes each thread from the function of a std::stop_token that it runs. It can give the thread a name, a
    /// priority or a core.
    template <class Start, class Config = current_config>
    jthread_pool(std::size_t workers, Start&& start) {
        // A thread that the list had no memory for would end here, but nothing would wake it.
        if (workers > 1) threads.reserve(workers - 1);
        for (std::size_t i = 1; i < workers; ++i)
            threads.push_back(start([this](const std::stop_token& stop) { help<Config>(stop); }));
    }
    jthread_pool(const jthread_pool&) = delete;
    jthread_pool& operator=(const jthread_pool&) = delete;
    ASHLAR_ALWAYS_INLINE ~jthread_pool() {}

    /// The greatest number of parts that run at once.
    ASHLAR_ALWAYS_INLINE std::size_t workers() const { return threads.size() + 1; }

    /// Calls f(i) for each i below count, and returns when all are done.
    template <class Function, class Config = current_config>
    void run(std::size_t count, const Function& f) {
        call = [](const void* of, std::size_t i) { (*static_cast<const Function*>(of))(i); };
        function = &f;
        parts = count;
        next.store(0, std::memory_order_relaxed);
        busy.store(threads.size(), std::memory_order_relaxed);
        calls.fetch_add(1, std::memory_order_release);
        calls.notify_all();
        work<Config>();
        for (std::size_t left = busy.load(std::memory_order_acquire); left != 0;
             left = busy.load(std::memory_order_acquire))
            wait_while<Config>(busy, left);
    }

private:
    static constexpr int looks = 4000;

    /// Until a number is another one.
    template <class Config, class Number>
    static void wait_while(const std::atomic<Number>& number, Number known) {
        for (int i = 0; i < looks; ++i) {
            if (number.load(std::memory_order_acquire) != known) return;
#if defined(__x86_64__) || defined(__i386__)
            __builtin_ia32_pause();
#endif
        }
        number.wait(known, std::memory_order_acquire);
    }

    template <class Config>
    void work() {
        for (;;) {
            const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
            if (i >= parts) return;
            call(function, i);
        }
    }
    template <class Config>
    void help(const std::stop_token& stop) {
        for (std::size_t seen = 0;;) {
            wait_while<Config>(calls, seen);
            if (stop.stop_requested()) return;
            ++seen;
            work<Config>();
            if (busy.fetch_sub(1, std::memory_order_acq_rel) == 1) busy.notify_all();
        }
    }

    std::atomic<std::size_t> calls{0}, next{0}, busy{0};
    void (*call)(const void*, std::size_t) = nullptr;
    const void* function = nullptr;
    std::size_t parts = 0;
    std::vector<std::jthread> threads;  // declared after what they use, so that they end first
    /// Wakes threads so that they end, those of a constructor that throws as well.
    struct alarm {
        jthread_pool& pool;

        ASHLAR_ALWAYS_INLINE ~alarm() {
            for (std::jthread& thread : pool.threads) thread.request_stop();
            pool.calls.fetch_add(1, std::memory_order_release);
            pool.calls.notify_all();
        }
    } at_the_end{*this};
};

}  // namespace ashlar
