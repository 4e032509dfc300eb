// SPDX-License-Identifier: BSL-1.0
// The pool of threads when memory runs out: no thread that was started is left waiting. The heap refuses upon request.
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <future>
#include <new>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <ashlar/executors/jthread_pool.hpp>

namespace {

thread_local bool refuses = false;

}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
    if (void* const block = refuses ? nullptr : std::malloc(size)) return block;
    refuses = false;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* block) noexcept { std::free(block); }
[[gnu::noinline]] void operator delete(void* block, std::size_t) noexcept { std::free(block); }

// The memory for the list of threads comes first: a thread outside of it would end before anything woke it.
TEST(jthread_pool_memory, the_list_of_threads_does_not_grow_after_a_start) {
    std::promise<std::size_t> made;
    std::future<std::size_t> workers = made.get_future();
    std::thread([made = std::move(made)]() mutable {
        try {
            const ashlar::jthread_pool pool(4, [](auto help) {
                refuses = false;
                std::jthread started(help);
                refuses = true;
                return started;
            });
            refuses = false;
            made.set_value(pool.workers());
        } catch (const std::bad_alloc&) {
            made.set_value(0);
        }
    }).detach();
    ASSERT_EQ(workers.wait_for(std::chrono::seconds(20)), std::future_status::ready) << "a thread waits";
    EXPECT_EQ(workers.get(), 4);
}

TEST(jthread_pool_memory, no_thread_starts_without_the_list) {
    std::size_t starts = 0;
    refuses = true;
    EXPECT_THROW(ashlar::jthread_pool(4,
                                      [&](auto help) {
                                          ++starts;
                                          return std::jthread(help);
                                      }),
                 std::bad_alloc);
    refuses = false;
    EXPECT_EQ(starts, 0);
}
