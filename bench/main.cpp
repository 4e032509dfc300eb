// SPDX-License-Identifier: BSL-1.0
// The benchmark: each case is one entry of Google Benchmark, whose time is our best and whose counters are the rest.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

#include "support/measure.hpp"
#include "support/table.hpp"

#if ASHLAR_BENCH_OPENBLAS
extern "C" char* openblas_get_corename();
#endif

namespace {

using namespace ashlar::bench;

/// Ours, then the peers that CMake found.
const std::vector<peer>& all_peers() {
    static const std::vector<peer> peers{
        {"ashlar", prepare_ashlar},     {"loops", prepare_loops},
#if ASHLAR_BENCH_EIGEN
        {"eigen", prepare_eigen},
#endif
#if ASHLAR_BENCH_OPENBLAS
        {"openblas", prepare_openblas},
#endif
#if ASHLAR_BENCH_LIBXSMM
        {"libxsmm", prepare_libxsmm},
#endif
#if ASHLAR_BENCH_ONEDNN
        {"onednn", prepare_onednn},
#endif
#if ASHLAR_BENCH_XTENSOR
        {"xtensor", prepare_xtensor},
#endif
#if ASHLAR_BENCH_FASTOR
        {"fastor", prepare_fastor},
#endif
#if ASHLAR_BENCH_GGML
        {"ggml", prepare_ggml},
#endif
    };
    return peers;
}

/// Libraries read their environment while they are loaded: what it has to say is set by starting again. What was
/// inherited for OpenBLAS is removed, so that a setting of the shell does not slow a peer down;
/// ASHLAR_BENCH_OPENBLAS_CORETYPE is ours.
void restart_with_environment(char** arguments) {
    if (std::getenv("ASHLAR_BENCH_STARTED")) return;
    setenv("ASHLAR_BENCH_STARTED", "1", 1);
    for (const char* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}) setenv(name, "1", 1);
    for (const char* name : {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}) unsetenv(name);
    if (const char* core = std::getenv("ASHLAR_BENCH_OPENBLAS_CORETYPE")) {
        setenv("OPENBLAS_CORETYPE", core, 1);
    } else {
#if defined(__x86_64__)
        // An OpenBLAS that is older than the processor may take kernels of half the width.
        if (__builtin_cpu_supports("avx512f") && !__builtin_cpu_is("intel")) setenv("OPENBLAS_CORETYPE", "SkylakeX", 1);
#endif
    }
    execv("/proc/self/exe", arguments);
}

struct options {
    measuring how;
    bool all = false;
    bool filtered = false;
    std::string table = ASHLAR_BENCH_OUTPUT "/results.md";
    std::string json = ASHLAR_BENCH_OUTPUT "/results.json";
    std::vector<peer> peers = all_peers();
};

constexpr const char* usage =
#include <bench_usage.inc>
    ;

/// Takes our own options out of the command line.
options read_options(int& count, char** arguments) {
    options read;
    int kept = 1;
    for (int i = 1; i < count; ++i) {
        const std::string_view argument = arguments[i];
        const auto value = [&](std::string_view name) {
            return argument.starts_with(name) ? arguments[i] + name.size() : nullptr;
        };
        if (argument == "--all") {
            read.all = true;
        } else if (argument == "--help" || argument == "-h") {
            std::fputs(usage, stdout);
            std::exit(0);
        } else if (const char* seconds = value("--seconds=")) {
            read.how.seconds_per_case = std::atof(seconds);
        } else if (const char* pipes = value("--fma-pipes=")) {
            read.how.fma_pipes = std::atof(pipes);
        } else if (const char* table = value("--table=")) {
            read.table = table;
        } else if (const char* wanted = value("--peers=")) {
            const std::string list = "," + std::string(wanted) + ",";
            std::erase_if(read.peers, [&](const peer& p) {
                return p.name != "ashlar" && list.find("," + std::string(p.name) + ",") == list.npos;
            });
        } else {
            if (value("--benchmark_filter=")) read.filtered = true;
            if (const char* json = value("--benchmark_out=")) read.json = json;
            arguments[kept++] = arguments[i];
        }
    }
    count = kept;
    return read;
}

void print_line(const measurement& m, const timing& ours) {
    const double share = m.what().streams() ? m.share_of_stream(ours) : m.share_of_peak(ours);
    std::printf("%-28s %9s %8.0f cycles %5.1f%% of %s", cases[m.case_index].name.data(), time_text(ours.ns).c_str(),
                m.cycles(ours), 100 * share, m.what().streams() ? "bandwidth" : "peak     ");
    for (const timing& t : m.timings)
        if (&t != &ours && t.right) std::printf("  %s %.2fx", t.name.data(), t.ns / ours.ns);
    std::printf("\n");
    std::fflush(stdout);
}

/// One case as an entry of Google Benchmark.
void run_case(benchmark::State& state, std::size_t case_index, const options& chosen, std::vector<measurement>& results,
              bool& failed) {
    for (auto _ : state) {
        measurement m = measure(case_index, chosen.peers, chosen.how);
        const timing* ours = nullptr;
        for (const timing& t : m.timings) {
            if (t.name == "ashlar") ours = &t;
            if (!t.right) {
                std::fprintf(stderr, "%s: %s is wrong by %g\n", cases[case_index].name.data(), t.name.data(), t.error);
                failed = failed || t.name == "ashlar";
            }
        }
        if (!ours || !ours->right) {
            state.SkipWithError(ours ? "wrong result" : "not offered");
            results.push_back(std::move(m));
            return;
        }
        state.SetIterationTime(ours->ns * 1e-9);
        state.counters["cycles"] = m.cycles(*ours);
        state.counters["peak_gflops"] = m.peak_flops * 1e-9;
        state.counters["rounds"] = static_cast<double>(m.rounds);
        if (m.what().streams()) {
            state.counters["of_bandwidth"] = m.share_of_stream(*ours);
            state.counters["stream_ns"] = m.stream_ns;
        } else {
            state.counters["of_peak"] = m.share_of_peak(*ours);
        }
        for (const timing& t : m.timings) {
            if (t.right && t.interrupted) state.counters[std::string(t.name) + "_interrupted"] = 1;
            if (&t == ours || !t.right) continue;
            state.counters[std::string(t.name) + "_ns"] = t.ns;
            state.counters["vs_" + std::string(t.name)] = t.ns / ours->ns;
        }
        print_line(m, *ours);
        results.push_back(std::move(m));
    }
}

/// Prints nothing: run_case prints a line per case, and the counters are for the JSON.
struct silent_reporter : benchmark::BenchmarkReporter {
    bool ReportContext(const Context&) override { return true; }
    void ReportRuns(const std::vector<Run>&) override {}
};

std::string joined(const std::vector<peer>& peers) {
    std::string names;
    for (std::size_t p = 1; p < peers.size(); ++p) names += (p > 1 ? ", " : "") + std::string(peers[p].name);
    return names;
}

}  // namespace

int main(int count, char** arguments) {
    restart_with_environment(arguments);
    const options chosen = read_options(count, arguments);

    std::vector<std::string> words(arguments, arguments + count);
    words.push_back("--benchmark_out=" + chosen.json);
    words.push_back("--benchmark_out_format=json");
    words.push_back("--benchmark_counters_tabular=false");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    int words_count = static_cast<int>(pointers.size());
    benchmark::Initialize(&words_count, pointers.data());
    if (benchmark::ReportUnrecognizedArguments(words_count, pointers.data())) return 2;
    benchmark::AddCustomContext("compiler", ASHLAR_BENCH_COMPILER);
    benchmark::AddCustomContext("flags", ASHLAR_BENCH_FLAGS);
    benchmark::AddCustomContext("register_bits", std::to_string(ashlar::current_config::register_bits));
    benchmark::AddCustomContext("fma_pipes", std::to_string(chosen.how.fma_pipes));
    benchmark::AddCustomContext("peers", joined(chosen.peers));
    benchmark::AddCustomContext("absent", ASHLAR_BENCH_ABSENT);
#if ASHLAR_BENCH_OPENBLAS
    benchmark::AddCustomContext("openblas_kernels", openblas_get_corename());
    std::printf("OpenBLAS uses its kernels for %s\n", openblas_get_corename());
#endif
    if (*ASHLAR_BENCH_ABSENT) std::printf("peers that are absent: %s\n", ASHLAR_BENCH_ABSENT);

    std::vector<measurement> results;
    bool failed = false;
    std::size_t registered = 0;
    for (std::size_t i = 0; i < case_count; ++i) {
        if (!cases[i].quick && !chosen.all && !chosen.filtered) continue;
        benchmark::RegisterBenchmark(std::string(cases[i].name).c_str(),
                                     [&, i](benchmark::State& state) { run_case(state, i, chosen, results, failed); })
            ->Iterations(1)
            ->UseManualTime()
            ->Unit(benchmark::kNanosecond);
        ++registered;
    }
    // A case takes its rounds, and about half of their time again for checks and warm-up.
    if (!chosen.filtered)
        std::printf("%zu cases, about %.0f s\n", registered,
                    1.5 * chosen.how.seconds_per_case * static_cast<double>(registered));
    std::fflush(stdout);
    silent_reporter silent;
    benchmark::RunSpecifiedBenchmarks(&silent);

    const std::string heading = "Compiler: " ASHLAR_BENCH_COMPILER ", flags `" ASHLAR_BENCH_FLAGS
                                "`. Best of many rounds; a peer's column is its time relative to ashlar.";
    if (!write_table(chosen.table, results, chosen.peers, heading)) {
        std::fprintf(stderr, "cannot write %s\n", chosen.table.c_str());
        return 1;
    }
    std::printf("written: %s and %s\n", chosen.table.c_str(), chosen.json.c_str());
    return failed ? 1 : 0;
}
