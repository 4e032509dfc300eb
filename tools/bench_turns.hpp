// SPDX-License-Identifier: BSL-1.0
// The clock of both sides for tools that load ONNX Runtime into their process.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

#include <bench/support/peak.hpp>

/// Nanoseconds of the fastest of some turns, each of `calls` calls; one call before them is not timed.
template <class Call>
double fastest(int turns, int calls, Call&& call) {
    call();
    double best = 1e30;
    for (int turn = 0; turn < turns; ++turn) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < calls; ++i) {
            asm volatile("" ::: "memory");
            call();
        }
        const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - start;
        best = std::min(best, passed.count() / calls);
    }
    return best;
}

extern "C" {

/// FLOPs per nanosecond of this core now.
double measure_peak() { return ashlar::bench::peak_flops<float>() * 1e-9; }

/// ONNX Runtime's OrtApi::Run; a status that is not null is an error, and is handed back.
using run_function = void*(void* session, const void* options, const char* const* input_names, const void* const* inputs,
                           std::size_t input_count, const char* const* output_names, std::size_t output_count, void** outputs);
double time_session(run_function* run, void* session, const char* const* input_names, const void* const* inputs, std::size_t input_count,
                    const char* const* output_names, std::size_t output_count, void** outputs, int turns, int calls, void** status) {
    *status = nullptr;
    return fastest(turns, calls, [=] {
        if (void* const error = run(session, nullptr, input_names, inputs, input_count, output_names, output_count, outputs))
            *status = error;
    });
}
}
