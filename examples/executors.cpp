// SPDX-License-Identifier: BSL-1.0
// An encoder evaluated by workers of the caller's: a pool of std::jthread and, where they are there, OpenMP's threads
// and oneTBB's. All give the bits of one thread, and no call allocates.
//
//     executors [jthread | openmp | onetbb]     all that were built in, or one of them
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>

#include <ashlar/ashlar.hpp>
#include <ashlar/executors/jthread_pool.hpp>
#include <ashlar/executors/scheduler_workers.hpp>
#include <ashlar/nn.hpp>
#if defined(_OPENMP)
#include <ashlar/executors/openmp_workers.hpp>
#endif
#if defined(EXAMPLE_HAS_TBB)
#include <ashlar/executors/onetbb_workers.hpp>
#endif

using namespace ashlar;

namespace {

std::atomic<std::size_t> allocations{0};

inline constexpr std::size_t workers = 2;
using rows = tensor<float, 32, 192>;
using model = nn::encoder<{.layer = {.embed = 192, .heads = 6, .hidden = 768}, .layers = 2}>;

model encoder;
rows x, expected;

/// Whether an executor's evaluations have the bits of one thread.
template <class Executor>
bool agrees(const char* name, Executor&& executor, bool counts_allocations = false) {
    static rows y;
    static workspace<workspace_bytes<decltype(encoder(x)), workers>> scratch;
    bool same = true;
    const std::size_t before = allocations;
    for (int i = 0; i < 20; ++i) {
        y = zeros<float, 32, 192>();
        evaluate(y, encoder(x), scratch, executor);
        same = same && std::memcmp(y.data(), expected.data(), sizeof y) == 0;
    }
    const std::size_t after = allocations;
    std::printf("%-12s %zu workers: %s\n", name, static_cast<std::size_t>(executor.workers()),
                same ? "the bits of one thread" : "DIFFERENT");
    if (counts_allocations && after != before) std::printf("%zu ALLOCATIONS\n", after - before);
    return same && (!counts_allocations || after == before);
}

}  // namespace

void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

int main(int count, char** words) {
    nn::init::generator random(1);
    nn::init::reset_parameters(encoder, random);
    float value = 0;
    for (float& v : x) v = value = value > 1 ? value - 1.9f : value + 0.37f;
    expected = encoder(x);

    const std::string_view only = count > 1 ? words[1] : "";
    const auto wants = [&](std::string_view name) { return only.empty() || only == name; };
    bool good = true, any = false;
    if (wants("jthread")) {
        jthread_pool pool(workers);
        static_assert(executor<jthread_pool&>);
        good = any = agrees("std::jthread", pool, true);
    }
#if defined(_OPENMP)
    if (wants("openmp")) {
        good = agrees("OpenMP", openmp_workers{}) && good;
        any = true;
    }
#endif
#if defined(EXAMPLE_HAS_TBB)
    if (wants("onetbb")) {
        good = agrees("oneTBB", onetbb_workers{workers}) && good;
        any = true;
    }
#endif
    if (!any && only != "openmp" && only != "onetbb") {
        std::fputs("usage: executors [jthread | openmp | onetbb]\n", stderr);
        return 2;
    }
    if (!any) {
        std::printf("skipped: built without %s (Debian: apt-get install libomp-19-dev libtbb-dev)\n", words[1]);
        return 77;
    }
    return good ? 0 : 1;
}
