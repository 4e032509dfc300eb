// SPDX-License-Identifier: BSL-1.0
// The pool of threads of the executors: each part runs once, and a thread that cannot be started is an exception.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <ashlar/executors/jthread_pool.hpp>

using ashlar::jthread_pool;

TEST(jthread_pool, each_part_runs_once) {
    for (const std::size_t workers : {0u, 1u, 2u, 5u}) {
        jthread_pool pool(workers);
        EXPECT_EQ(pool.workers(), workers == 0 ? 1 : workers);
        for (std::size_t count = 0; count < 40; ++count) {
            std::vector<std::atomic<int>> runs(count);
            pool.run(count, [&](std::size_t i) { ++runs[i]; });
            for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(runs[i], 1) << i << " of " << count;
        }
    }
}

// Threads that were started wait for work when the next one cannot be.
TEST(jthread_pool, a_thread_that_cannot_be_started_is_an_exception) {
    for (const std::size_t failing : {0u, 1u, 3u}) {
        std::promise<std::size_t> started;
        std::future<std::size_t> ended = started.get_future();
        std::thread([failing, started = std::move(started)]() mutable {
            std::size_t number = 0;
            try {
                const jthread_pool pool(5, [&](auto help) {
                    if (number == failing)
                        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
                    ++number;
                    return std::jthread(help);
                });
                started.set_exception(std::make_exception_ptr(std::logic_error("all threads were started")));
            } catch (const std::system_error&) {
                started.set_value(number);
            }
        }).detach();
        ASSERT_EQ(ended.wait_for(std::chrono::seconds(20)), std::future_status::ready) << failing << " threads wait";
        EXPECT_EQ(ended.get(), failing);
    }
}
