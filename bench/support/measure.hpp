// SPDX-License-Identifier: BSL-1.0
// Measures a case: everybody checked, then timed by turns in rounds, of which each one's best counts.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <sys/resource.h>
#include <time.h>

#include "bandwidth.hpp"
#include "data.hpp"
#include "peak.hpp"
#include "peer.hpp"

namespace ashlar::bench {

/// Somebody's best time, or why there is none.
struct timing {
    std::string_view name;
    double ns = 0;  ///< per call; 0 if the result was wrong
    double error = 0;
    bool right = true;
    bool interrupted = true;  ///< no turn was without interruption: the time is the thread's own
};

/// What is known of a case after its rounds.
struct measurement {
    std::size_t case_index = 0;
    double peak_flops = 0;  ///< FLOP/s of the multiply-add loop
    double stream_ns = 0;   ///< moving the data of a streaming problem once; else 0
    double clock = 0;       ///< cycles per ns, derived from the peak
    std::size_t rounds = 0;
    std::vector<timing> timings;  ///< ours first

    const problem& what() const { return cases[case_index].what; }
    double share_of_peak(const timing& t) const {
        return t.ns > 0 ? what().useful_flops() / (t.ns * 1e-9) / peak_flops : 0;
    }
    double share_of_stream(const timing& t) const { return t.ns > 0 ? stream_ns / t.ns : 0; }
    double cycles(const timing& t) const { return t.ns * clock; }
};

/// How long and by what assumption to measure.
struct measuring {
    double seconds_per_case = 1.0;
    double fma_pipes = 2;  ///< vector multiply-adds per cycle, from which the clock is derived
};

namespace detail {

/// Seconds that this thread has run. On a virtual machine the kernel subtracts time that it believes stolen, at times
/// from the wrong interval, so that this can be too short; a minimum over many would pick just those.
inline double thread_seconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// How often this thread has lost its core to another.
inline long interruptions() {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nivcsw;
}

/// One who takes turns.
struct contestant {
    timing best;
    runner run;
    std::size_t calls = 1;
    double spent = 0;
    std::size_t turns = 0;

    double turn() {
        // What others left in the caches is not part of the time.
        if (best.ns < 2e6) run(1);
        const long before = interruptions();
        const double own_start = thread_seconds();
        const double wall = seconds([&] { run(calls); });
        const double own = thread_seconds() - own_start;
        const bool interrupted = interruptions() != before;
        spent += interrupted ? own : wall;
        ++turns;
        // Only who never had an uninterrupted turn, because one call takes too long for that, gets the thread's time.
        const double ns = (interrupted && best.interrupted ? own : wall) * 1e9 / static_cast<double>(calls);
        if (best.ns == 0 || (best.interrupted && !interrupted) || (best.interrupted == interrupted && ns < best.ns)) {
            best.ns = ns;
            best.interrupted = interrupted;
        }
        return interrupted ? own : wall;
    }
    /// So many calls per turn that the clock's own cost does not show and an interruption rarely hits.
    void choose_calls() {
        constexpr double slice = 60e-6;
        for (int i = 0; i < 3; ++i) turn();
        while (true) {
            const auto wanted = static_cast<std::size_t>(std::max(1.0, slice / (best.ns * 1e-9)));
            if (wanted < 2 * calls) break;
            calls = std::min(wanted, calls * 16);
            turn();
        }
        spent = 0;
        turns = 0;
    }
};

}  // namespace detail

/// Checks and times all `peers` on a case; those that do not offer it are left out.
inline measurement measure(std::size_t case_index, const std::vector<peer>& peers, const measuring& how) {
    const problem& what = cases[case_index].what;
    problem_data data(what);
    measurement result;
    result.case_index = case_index;

    std::vector<detail::contestant> contestants;
    for (const peer& p : peers) {
        data.clear_result();
        detail::contestant c{{p.name}, p.prepare(case_index, data.where())};
        if (!c.run) continue;
        c.run(1);
        c.best.error = data.error();
        c.best.right = c.best.error <= data.tolerance();
        if (c.best.right)
            contestants.push_back(std::move(c));
        else
            result.timings.push_back(c.best);
    }
    for (auto& c : contestants) c.choose_calls();

    runner stream;
    if (what.streams()) stream = [&](std::size_t calls) { move_data(what, data.where(), calls); };
    detail::contestant mover{{"stream"}, stream};
    if (stream) mover.choose_calls();

    double spent = 0;
    for (std::size_t round = 0; round < 5 || spent < how.seconds_per_case; ++round) {
        const double start_peak = seconds([&] {
            result.peak_flops =
                std::max(result.peak_flops, what.doubles ? peak_flops<double>(2) : peak_flops<float>(2));
        });
        spent += start_peak;
        if (stream) spent += mover.turn();
        for (std::size_t place = 0; place < contestants.size(); ++place) {
            // Another one begins in each round: who comes behind what others have left in the third cache is slower.
            auto& c = contestants[(round + place) % contestants.size()];
            // The slow ones take part in fewer rounds, so that all get about the same time.
            const double fair = 3 * how.seconds_per_case / static_cast<double>(contestants.size() + 1);
            if (c.turns >= 5 && c.spent > fair * std::min(1.0, spent / how.seconds_per_case)) continue;
            spent += c.turn();
        }
        result.rounds = round + 1;
        if (spent > 20 * how.seconds_per_case) break;
    }
    result.stream_ns = mover.best.ns;
    const double lanes =
        static_cast<double>(what.doubles ? lane_width<double, current_config> : lane_width<float, current_config>);
    result.clock = result.peak_flops * 1e-9 / (2 * lanes * how.fma_pipes);
    for (auto& c : contestants) result.timings.push_back(c.best);
    std::sort(result.timings.begin(), result.timings.end(), [&](const timing& a, const timing& b) {
        const auto place = [&](std::string_view name) {
            return std::find_if(peers.begin(), peers.end(), [&](const peer& p) { return p.name == name; }) -
                   peers.begin();
        };
        return place(a.name) < place(b.name);
    });
    return result;
}

}  // namespace ashlar::bench
