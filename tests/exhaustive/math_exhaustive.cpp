// SPDX-License-Identifier: BSL-1.0
// Every float as an argument of every function of kernel/math.hpp, against libm in double precision: the largest
// errors, where they are, and whether they are within the bounds that the headers state.
//
//     math_exhaustive [--every=N] [--threads=N]
//
// --every takes one of N floats only. Prints a table in Markdown; fails if a bound is exceeded.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "variant.hpp"

// The builds that there are, as BUILD(name) BUILD(name) ...
#define BUILD(name) extern const exhaustive::variant name;
EXHAUSTIVE_BUILDS
#undef BUILD

namespace {

using exhaustive::function;
using exhaustive::variant;

#define BUILD(name) &name,
const variant* const variants[] = {EXHAUSTIVE_BUILDS};
#undef BUILD
constexpr std::size_t variant_count = std::size(variants);

constexpr std::size_t block = 1 << 12;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double wrong = 1e30;  // a number where NaN is due, or the reverse

bool available(const variant& v) {
#if defined(__x86_64__)
    const std::string name = v.name;
    if (name.find("avx512") != std::string::npos)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512dq");
    if (name.find("avx2") != std::string::npos) return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
    return v.compute != nullptr;
}

/// What libm gives in double precision. Its errors of an ulp or two of double are 1e-8 of those that are counted here.
enum class reference : unsigned char {
    exp,
    exp2,
    log,
    tanh,
    erf,
    sigmoid,
    silu,
    gelu,
    gelu_tanh,
    sqrt,
    rsqrt,
    relu,
    sin,
    cos,
    softplus,
    elu,
    mish,
    zero
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

double value_of(reference which, double x) {
    switch (which) {
    case reference::exp: return std::exp(x);
    case reference::exp2: return std::exp2(x);
    case reference::log: return std::log(x);
    case reference::tanh: return std::tanh(x);
    case reference::erf: return std::erf(x);
    case reference::sigmoid: return sigmoid(x);
    case reference::silu: return x == -infinity ? -0.0 : x * sigmoid(x);
    case reference::gelu: return x == -infinity ? 0.0 : x * std::erfc(x * -0.70710678118654752440) / 2;
    case reference::gelu_tanh:
        return x == -infinity ? -0.0 : x * sigmoid(1.59576912160573071176 * (x + 0.044715 * x * x * x));
    case reference::sqrt: return std::sqrt(x);
    case reference::rsqrt: return 1 / std::sqrt(x);
    case reference::relu: return x > 0 ? x : x < 0 ? 0 : x;
    case reference::sin: return std::sin(x);
    case reference::cos: return std::cos(x);
    case reference::softplus: return softplus(x);
    case reference::elu: return x > 0 ? x : std::expm1(x);
    case reference::mish: return x == -infinity ? -0.0 : x * std::tanh(softplus(x));
    case reference::zero: return x != x ? x : 0;
    }
    return 0;
}

void values_of(reference which, const float* x, double* y) {
    for (std::size_t i = 0; i < block; ++i) y[i] = value_of(which, static_cast<double>(x[i]));
}

enum class measure : unsigned char { ulp, absolute, relative };

/// A bound on the errors over the floats from first to last. NaN belongs to every range.
struct check {
    function f;
    const char* name;
    reference expected;
    measure kind;
    double first, last;
    double bound;
    double more = 0;  // where multiply-adds round twice
};

#include "bounds.inc"

bool present[variant_count];

constexpr std::size_t check_count = std::size(checks);

struct worst {
    double error = 0;
    float at = 0, got = 0;
};
using results = std::vector<worst>;  // of check c by variant v at c * variant_count + v

/// One over an ulp of float at a number: 2^23 over the power of two below it, which is that of a normal float.
double ulps_per_unit(double expected) {
    constexpr std::int64_t least = 1023 - 126;
    const std::int64_t exponent = (__builtin_bit_cast(std::int64_t, expected) >> 52) & 2047;
    return __builtin_bit_cast(double, (2 * 1023 + 23 - (exponent > least ? exponent : least)) << 52);
}

/// What a check needs of a block in addition to the results. The factor is 0 if nothing is promised. The loops have no
/// branches and use integers that order as the numbers do, so that compilers vectorise them.
struct prepared {
    alignas(64) double expected[block], factor[block], finite_factor[block];
};
void prepare(const check& c, const float* x, const double* expected, prepared& to) {
    // Infinity as the number after the greatest, so that a result may round to it.
    constexpr double most = 0x1p128;
    for (std::size_t i = 0; i < block; ++i) {
        const double e = expected[i], down = e > most ? most : e;
        to.expected[i] = down < -most ? -most : down;
    }
    if (c.kind == measure::ulp) {
        for (std::size_t i = 0; i < block; ++i) to.factor[i] = ulps_per_unit(to.expected[i]);
    } else if (c.kind == measure::relative) {
        for (std::size_t i = 0; i < block; ++i) {
            const double magnitude = std::fabs(to.expected[i]);
            to.factor[i] = 1 / (magnitude > 0x1p-126 ? magnitude : 0x1p-126);
        }
    } else {
        std::fill(to.factor, to.factor + block, 1.0);
    }
    const double first = c.first, last = c.last;
    for (std::size_t i = 0; i < block; ++i) {
        const double argument = static_cast<double>(x[i]);
        const double from = argument < first ? 0 : to.factor[i];
        to.factor[i] = argument > last ? 0 : from;
    }
    // Infinities, NaN and denormals, which may be flushed, are not promised under -ffast-math.
    constexpr double least = 0x1p-126;
    for (std::size_t i = 0; i < block; ++i) {
        const double from = std::fabs(static_cast<double>(x[i])), result = std::fabs(to.expected[i]);
        const double finite = from < most ? to.factor[i] : 0;
        const double normal = from >= least ? finite : 0;
        const double below = result < 0x1.fffffep127 ? normal : 0;
        to.finite_factor[i] = result == 0 || result >= least ? below : 0;
    }
}

/// The error of one result, as bits that order as it does.
inline std::int64_t error_bits(double y, double e, double factor) {
    constexpr double most = 0x1p128;
    const double down = y > most ? most : y, clamped = down < -most ? -most : down;
    const double distance = std::fabs(clamped - e) * factor;
    // NaN where one of them is, and then not less than anything.
    const double other = (y != y) == (e != e) ? 0 : wrong;
    return __builtin_bit_cast(std::int64_t, distance < wrong ? distance : factor > 0 ? other : 0);
}

void compare(const double* expected, const double* factor, const float* x, const float* got, worst& w) {
    const auto error_at = [&](std::size_t i) {
        return error_bits(static_cast<double>(got[i]), expected[i], factor[i]);
    };
    std::int64_t greatest = 0;
    for (std::size_t i = 0; i < block; ++i) {
        const std::int64_t bits = error_at(i);
        greatest = greatest > bits ? greatest : bits;
    }
    const auto error = __builtin_bit_cast(double, greatest);
    if (error <= w.error) return;
    std::size_t at = 0;
    while (error_at(at) != greatest) ++at;
    w = {error, x[at], got[at]};
}

struct results_of_block {
    function f;
    bool there = false;
    alignas(64) float values[block];
};

void run_block(std::uint64_t first, std::uint64_t every, results& found) {
    static thread_local float x[block];
    static thread_local double expected[block];
    static thread_local prepared wanted;
    static thread_local results_of_block got[variant_count];
    for (std::size_t i = 0; i < block; ++i) {
        const auto bits = static_cast<std::uint32_t>(first + i * every);
        std::memcpy(&x[i], &bits, sizeof bits);
    }
    // A block of one sign has its extremes at its ends; with NaN there nothing is known of them.
    const auto one_end = static_cast<double>(x[0]), other_end = static_cast<double>(x[block - 1]);
    const bool ordered = !std::isnan(one_end) && !std::isnan(other_end);
    const double least = std::min(one_end, other_end), most = std::max(one_end, other_end);
    for (auto& g : got) g.there = false;
    const check* known = nullptr;
    for (std::size_t i = 0; i < check_count; ++i) {
        const check& c = checks[i];
        if (ordered && (most < c.first || least > c.last)) continue;
        if (!known || known->expected != c.expected) values_of(c.expected, x, expected);
        known = &c;
        prepare(c, x, expected, wanted);
        for (std::size_t v = 0; v < variant_count; ++v) {
            if (!present[v]) continue;
            if (!got[v].there || got[v].f != c.f) variants[v]->compute(c.f, x, got[v].values, block);
            got[v].f = c.f, got[v].there = true;
            compare(wanted.expected, variants[v]->fast_math ? wanted.finite_factor : wanted.factor, x, got[v].values,
                    found[i * variant_count + v]);
        }
    }
}

double bound_of(const check& c, const variant& v) {
    const double bound = c.bound + (v.fused ? 0 : c.more);
    // Reassociation undoes compensations, and approximate divisions come on top.
    return !v.fast_math ? bound : c.kind == measure::ulp ? 4 * bound + 8 : 4 * bound;
}

std::string text(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, value >= 0.01 && value < 1000 ? "%.2f" : "%.2g", value);
    return buffer;
}

}  // namespace

int main(int argc, char** argv) {
    std::uint64_t every = 1;
    unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], "--every=", 8) == 0)
            every = std::max(1ull, std::strtoull(argv[i] + 8, nullptr, 10));
        else if (std::strncmp(argv[i], "--threads=", 10) == 0)
            threads = std::max(1u, static_cast<unsigned>(std::strtoul(argv[i] + 10, nullptr, 10)));
        else
            return std::fprintf(stderr, "usage: math_exhaustive [--every=N] [--threads=N]\n"), 2;
    }

    for (std::size_t v = 0; v < variant_count; ++v) present[v] = available(*variants[v]);
    const std::uint64_t span = block * every, blocks = ((std::uint64_t{1} << 32) + span - 1) / span;
    results found(check_count * variant_count);
    std::atomic<std::uint64_t> next{0};
    std::mutex merging;
    std::vector<std::thread> workers;
    for (unsigned t = 0; t < threads; ++t)
        workers.emplace_back([&] {
            results mine(found.size());
            for (std::uint64_t b; (b = next.fetch_add(1)) < blocks;) run_block(b * span, every, mine);
            const std::lock_guard lock(merging);
            for (std::size_t i = 0; i < found.size(); ++i)
                if (mine[i].error > found[i].error) found[i] = mine[i];
        });
    for (auto& worker : workers) worker.join();

    std::printf("| function | range | error in | bound |");
    for (const variant* v : variants) std::printf(" %s |", v->name);
    std::printf("\n|---|---|---|---:|");
    for (std::size_t v = 0; v < variant_count; ++v) std::printf("---:|");
    std::printf("\n");
    int failures = 0;
    for (std::size_t c = 0; c < check_count; ++c) {
        const check& k = checks[c];
        const char* kinds[] = {"ulp", "absolute", "relative"};
        std::printf("| %s | [%g, %g] | %s | %s |", k.name, k.first, k.last, kinds[static_cast<int>(k.kind)],
                    text(k.bound).c_str());
        for (std::size_t v = 0; v < variant_count; ++v)
            std::printf(" %s |", present[v] ? text(found[c * variant_count + v].error).c_str() : "");
        std::printf("\n");
        for (std::size_t v = 0; v < variant_count; ++v)
            failures += found[c * variant_count + v].error > bound_of(k, *variants[v]);
    }
    for (std::size_t c = 0; c < check_count; ++c)
        for (std::size_t v = 0; v < variant_count; ++v) {
            const worst& w = found[c * variant_count + v];
            const double bound = bound_of(checks[c], *variants[v]);
            if (w.error > 0)
                std::printf("%s%s by %s: %.4g of %.4g at %.9g (%a), which gives %.9g\n",
                            w.error > bound ? "FAILED: " : "", checks[c].name, variants[v]->name, w.error, bound,
                            static_cast<double>(w.at), static_cast<double>(w.at), static_cast<double>(w.got));
        }
    std::printf("%llu floats, %zu functions and ranges, %zu builds; %d bounds exceeded\n",
                static_cast<unsigned long long>(blocks * block), check_count, variant_count, failures);
    return failures != 0;
}
