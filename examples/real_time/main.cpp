// SPDX-License-Identifier: BSL-1.0
// The callback of an audio device, simulated: blocks of 64 samples at 48 kHz through an amplifier model, on a thread
// that is set up as docs/real_time.md says. Prints how long callbacks take, and fails if one allocates.
//
//     real_time [--seconds 60] [--paced] [--denormals]
//
// Without --paced, callbacks follow each other at once, faster than real time, at ordinary priority, because a thread
// that never waits must not block all others. With --paced, each callback waits for its time, at raised priority.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>
#include <thread>

#include <ashlar/nn.hpp>

#include "../support/amplifier.hpp"
#include "../support/counted_allocations.hpp"
#include "../support/flush_denormals.hpp"
#include "../support/real_time_thread.hpp"
#include "../support/times.hpp"

namespace {

using namespace examples::amplifier;
using clock = std::chrono::steady_clock;
constexpr double real_microseconds = 1e6 * static_cast<double>(block) / sample_rate;

struct options {
    double seconds = 60;
    bool paced = false, denormals = false;
};

/// The memory of the device: all of it exists before the first callback.
struct device {
    wavenet weights{};
    player amp{};
    tensor<float, block, 1> in{}, out{};
    examples::times wall{}, processor{};
    double first_call = 0, setup = 0;
    std::size_t allocations = 0;
    bool locked = false, raised = false, finite = true;
};

/// A plucked string every two seconds, which fades to less than can be heard; or nothing but denormal numbers.
void record(tensor<float, block, 1>& in, std::uint64_t at, bool denormals) {
    for (std::size_t i = 0; i < block; ++i) {
        const double t = static_cast<double>((at + i) % 96'000) / sample_rate;
        const double tone = 0.5 * std::sin(691.15 * t) * std::exp(-9 * t);
        in(i, 0) = denormals ? 1e-41f * static_cast<float>(i + 1) : static_cast<float>(tone);
    }
}

/// The host calls it. It does not allocate, lock, wait or make system calls.
void callback(device& d, bool flush) noexcept {
    const examples::flush_denormals guard(flush);
    d.amp.play(d.out, d.in);
}

double processor_microseconds() {
    std::timespec now{};
#if defined(CLOCK_THREAD_CPUTIME_ID)
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
#else
    std::timespec_get(&now, TIME_UTC);
#endif
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

double microseconds_since(clock::time_point start) {
    return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

/// Warms up pages, caches and predictors by one call, before the device starts.
void prepare(device& d, bool paced) {
    const auto start = clock::now();
    nn::init::generator random(1);
    nn::init::reset_parameters(d.weights, random);
    d.amp.attach(d.weights);
    d.locked = examples::lock_memory();
    d.raised = paced && examples::raise_priority(80);
    examples::touch_stack<128 * 1024>();
    const auto first = clock::now();
    callback(d, true);
    d.first_call = microseconds_since(first);
    for (int i = 0; i < 100; ++i) callback(d, true);
    d.amp.attach(d.weights);
    d.setup = microseconds_since(start);
}

void play(device& d, const options& given, bool flush) {
    const auto blocks = static_cast<std::uint64_t>(given.seconds * sample_rate / static_cast<double>(block));
    const std::size_t before = examples::allocations;
    const auto began = clock::now();
    for (std::uint64_t b = 0; b < blocks; ++b) {
        if (given.paced)
            std::this_thread::sleep_until(
                began + std::chrono::duration_cast<clock::duration>(
                            std::chrono::duration<double, std::micro>(real_microseconds * static_cast<double>(b))));
        record(d.in, b * block, given.denormals);
        const double used = processor_microseconds();
        const auto start = clock::now();
        callback(d, flush);
        d.wall.add(microseconds_since(start));
        d.processor.add(processor_microseconds() - used);
        for (const float y : d.out) d.finite &= std::isfinite(y);
    }
    d.allocations = examples::allocations - before;
}

void print(const char* what, const examples::times& t) {
    std::printf("  %s: p50 %.1f, p99 %.1f, p99.9 %.1f, worst %.1f microseconds\n", what, t.quantile(500),
                t.quantile(990), t.quantile(999), t.worst());
}

void report(const device& d, const char* title) {
    std::printf("%s: %llu callbacks of %.0f microseconds\n", title, static_cast<unsigned long long>(d.wall.calls()),
                real_microseconds);
    print("by the clock    ", d.wall);
    print("by the processor", d.processor);
    std::printf("  %.2f%% of real time; %llu callbacks too late; %zu allocations\n",
                100 * d.wall.total() / (real_microseconds * static_cast<double>(d.wall.calls())),
                static_cast<unsigned long long>(d.wall.above(real_microseconds)), d.allocations);
}

bool read_options(options& to, int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        const std::string_view text = arguments[i];
        if (text == "--paced") {
            to.paced = true;
        } else if (text == "--denormals") {
            to.denormals = true;
        } else if (text == "--seconds" && i + 1 < count) {
            const char* const end = arguments[i + 1] + std::strlen(arguments[i + 1]);
            const auto [stop, error] = std::from_chars(arguments[i + 1], end, to.seconds);
            ++i;
            if (error != std::errc() || stop != end || !(to.seconds > 0 && to.seconds <= 86'400)) return false;
        } else {
            return false;
        }
    }
    return true;
}

device with_flush, without_flush;

}  // namespace

int main(int count, char** arguments) {
    options given;
    if (!read_options(given, count, arguments)) {
        std::puts("usage: real_time [--seconds 60] [--paced] [--denormals]");
        return 2;
    }
    std::thread audio([&] {
        prepare(with_flush, given.paced);
        play(with_flush, given, true);
        if (given.denormals) {
            prepare(without_flush, given.paced);
            play(without_flush, given, false);
        }
    });
    audio.join();
    const device& d = with_flush;
    std::printf("memory %s, priority %s; ready in %.1f ms; the first call took %.0f microseconds\n",
                d.locked ? "locked" : "not locked: the system refuses",
                d.raised      ? "SCHED_FIFO 80"
                : given.paced ? "ordinary: the system refuses another"
                              : "ordinary",
                d.setup / 1000, d.first_call);
    report(d, given.denormals ? "denormal numbers, flushed to zero" : "plucked string");
    if (given.denormals) report(without_flush, "denormal numbers, computed");
    const std::size_t allocations = d.allocations + without_flush.allocations;
    return d.finite && without_flush.finite && allocations == 0 ? 0 : 1;
}
