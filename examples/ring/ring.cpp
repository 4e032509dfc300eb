// SPDX-License-Identifier: BSL-1.0
// Ring attention (Liu, Zaharia and Abbeel 2023) over MPI: each rank holds the queries, keys and values of a part of a
// sequence. Keys and values go around the ring, a block at a time; while a rank computes with the block that it has, it
// receives the next one and sends its own on. What it knows of the keys so far is an attention_state for each head.
//
//     mpirun -n 4 ring [--causal] [--turns=1] [--timeout=30] [--in-turn] [--lose=rank] [--at=step] [--impatient=rank]
//
// --in-turn communicates only when nothing is computed, --lose has a rank stop in the middle, at some step, and
// --impatient one wait a quarter as long as others before it asks, for tests and measurements.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include <mpi.h>

#include <ashlar/ashlar.hpp>

using namespace ashlar;

namespace {

inline constexpr std::size_t heads = 4, rows = 256, width = 64;
using part = tensor<float, heads, rows, width>;
using head_state = attention_state<float, rows, width>;

/// What goes around the ring.
struct block {
    part keys, values;
};
inline constexpr int floats_of_block = static_cast<int>(sizeof(block) / sizeof(float));

struct settings {
    bool causal = false, in_turn = false;
    int turns = 1, lose = -1, at = 0, impatient = -1;
    double timeout = 30;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Sends a block on and receives the next, and finds out when a neighbour is lost: one that is waiting itself answers
/// questions, one that has stopped does not.
class ring {
public:
    int rank = 0, size = 0;
    double waited = 0;

    explicit ring(const settings& set) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        timeout_ = rank == set.impatient ? set.timeout / 4 : set.timeout;
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        neighbours_[sending] = (rank + 1) % size;
        neighbours_[receiving] = (rank + size - 1) % size;
    }

    void start(const block& own, block& next) {
        MPI_Isend(own.keys.data(), floats_of_block, MPI_FLOAT, neighbours_[sending], blocks, MPI_COMM_WORLD,
                  &requests_[sending]);
        MPI_Irecv(next.keys.data(), floats_of_block, MPI_FLOAT, neighbours_[receiving], blocks, MPI_COMM_WORLD,
                  &requests_[receiving]);
    }

    /// Lets MPI move data while something else is done, and answers neighbours. Returns whether both transfers are
    /// done.
    bool progress() {
        int asked = 0;
        MPI_Status question;
        MPI_Iprobe(MPI_ANY_SOURCE, questions, MPI_COMM_WORLD, &asked, &question);
        if (asked != 0) {
            MPI_Recv(nullptr, 0, MPI_BYTE, question.MPI_SOURCE, questions, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(nullptr, 0, MPI_BYTE, question.MPI_SOURCE, answers, MPI_COMM_WORLD);
        }
        int done[2];
        for (const int i : {sending, receiving}) MPI_Test(&requests_[i], &done[i], MPI_STATUS_IGNORE);
        return done[sending] != 0 && done[receiving] != 0;
    }

    /// Waits for both transfers.
    void finish() {
        const double start = now();
        wait([this] { return progress(); }, [this](int i) { return requests_[i] != MPI_REQUEST_NULL; });
        waited += now() - start;
    }

    /// Waits until all ranks have come here; each number becomes the greatest of all ranks. A plain MPI_Allreduce would
    /// leave them waiting for a rank that is lost.
    template <std::size_t Count>
    void meet(double (&numbers)[Count]) {
        double greatest[Count];
        MPI_Request all;
        MPI_Iallreduce(numbers, greatest, static_cast<int>(Count), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &all);
        const auto met = [&] {
            int done = 0;
            MPI_Test(&all, &done, MPI_STATUS_IGNORE);
            return progress() && done != 0;
        };
        wait(met, [](int) { return true; });
        std::memcpy(numbers, greatest, sizeof greatest);
    }

private:
    enum : int { sending, receiving };
    enum : int { blocks, questions, answers };

    /// Waits until `done()`, and meanwhile answers neighbours and asks those that `awaits(i)` whether they are there.
    template <class Done, class Awaits>
    void wait(const Done& done, const Awaits& awaits) {
        const double start = now();
        double since = start;
        bool asked = false, answered[2] = {};
        while (!done()) {
            const double waiting = now() - since;
            if (!asked && waiting > timeout_) {
                asked = true;
                for (const int i : {sending, receiving}) {
                    answered[i] = !awaits(i);
                    if (!answered[i]) MPI_Send(nullptr, 0, MPI_BYTE, neighbours_[i], questions, MPI_COMM_WORLD);
                }
            }
            for (const int i : {sending, receiving}) {
                int there = 0;
                MPI_Iprobe(neighbours_[i], answers, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
                if (there == 0) continue;
                MPI_Recv(nullptr, 0, MPI_BYTE, neighbours_[i], answers, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                for (const int j : {sending, receiving}) answered[j] = answered[j] || neighbours_[j] == neighbours_[i];
            }
            if (asked && waiting > 2 * timeout_) {
                for (const int i : {sending, receiving})
                    if (!answered[i]) report_lost(neighbours_[i], now() - start);
                asked = false;
                since = now();
            }
            std::this_thread::yield();
        }
    }

    [[noreturn]] void report_lost(int lost, double seconds) const {
        std::fprintf(stderr, "ring: rank %d is lost: rank %d has waited for it for %.1f s and got no answer\n", lost,
                     rank, seconds);
        MPI_Abort(MPI_COMM_WORLD, 3);
        std::abort();
    }

    double timeout_ = 0;
    int neighbours_[2]{};
    MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

/// The part of a rank: the same numbers wherever they are made.
void fill(part& t, int rank, std::uint32_t what) {
    std::uint32_t n = static_cast<std::uint32_t>(rank) * 2654435761u + what * 40503u + 1;
    for (float& x : t) {
        n = n * 1664525u + 1013904223u;
        x = static_cast<float>(n >> 8) / 8388608.0f - 1.0f;
    }
}
void fill(block& b, int rank) {
    fill(b.keys, rank, 1);
    fill(b.values, rank, 2);
}

/// Adds what head h knows of a block.
template <class... Mask>
void see(head_state& seen, const part& q, const block& b, std::size_t h, const Mask&... mask) {
    const auto known = attention_partial(q[h], b.keys[h], b.values[h], mask...);
    static workspace<workspace_bytes<decltype(known)>> scratch;
    static head_state more;
    evaluate(more, known, scratch);
    seen = merge(seen, more);
}

/// Attention of this rank's queries to the keys of all ranks.
void attend(ring& around, const settings& set, const part& q, std::unique_ptr<block>& own, std::unique_ptr<block>& next,
            std::vector<head_state>& seen) {
    for (head_state& s : seen) s = head_state();
    for (int step = 0; step < around.size; ++step) {
        const int owner = (around.rank + around.size - step) % around.size;
        const bool sends = step + 1 < around.size;
        if (sends && !set.in_turn) around.start(*own, *next);
        for (std::size_t h = 0; h < heads; ++h) {
            if (!set.causal || owner < around.rank)
                see(seen[h], q, *own, h);
            else if (owner == around.rank)
                see(seen[h], q, *own, h, causal);
            if (sends && !set.in_turn) (void)around.progress();
        }
        if (step == set.at && set.lose == around.rank) std::this_thread::sleep_for(std::chrono::hours(1));
        if (!sends) break;
        if (set.in_turn) around.start(*own, *next);
        around.finish();
        std::swap(own, next);
    }
}

/// The greatest difference of some results from loops in double over the whole sequence.
double greatest_error(ring& around, const settings& set, const part& q, const std::vector<head_state>& seen) {
    std::vector<block> all(static_cast<std::size_t>(around.size));
    for (int r = 0; r < around.size; ++r) fill(all[static_cast<std::size_t>(r)], r);
    double error = 0;
    for (std::size_t h = 0; h < heads; ++h) {
        const tensor<float, rows, width> result = finish(seen[h]);
        for (std::size_t i = h; i < rows; i += 51) {
            const std::size_t keys = set.causal ? static_cast<std::size_t>(around.rank) * rows + i + 1
                                                : static_cast<std::size_t>(around.size) * rows;
            double sum = 0, expected[width] = {};
            for (std::size_t j = 0; j < keys; ++j) {
                const block& b = all[j / rows];
                double score = 0;
                for (std::size_t d = 0; d < width; ++d) score += double(q(h, i, d)) * double(b.keys(h, j % rows, d));
                const double weight = std::exp(score / std::sqrt(double(width)));
                sum += weight;
                for (std::size_t d = 0; d < width; ++d) expected[d] += weight * double(b.values(h, j % rows, d));
            }
            for (std::size_t d = 0; d < width; ++d)
                error = std::max(error, std::abs(double(result(i, d)) - expected[d] / sum));
        }
        (void)around.progress();
    }
    return error;
}

bool read_settings(int count, char** words, settings& set) {
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        const std::size_t equals = std::min(word.find('='), word.size() - 1);
        const std::string_view name = word.substr(0, equals);
        const char* const value = words[i] + equals + 1;
        if (word == "--causal")
            set.causal = true;
        else if (word == "--in-turn")
            set.in_turn = true;
        else if (name == "--turns")
            set.turns = std::atoi(value);
        else if (name == "--lose")
            set.lose = std::atoi(value);
        else if (name == "--at")
            set.at = std::atoi(value);
        else if (name == "--impatient")
            set.impatient = std::atoi(value);
        else if (name == "--timeout")
            set.timeout = std::atof(value);
        else
            return false;
    }
    return true;
}

}  // namespace

int main(int count, char** words) {
    MPI_Init(&count, &words);
    settings set;
    if (!read_settings(count, words, set)) {
        std::fputs("usage: ring [--causal] [--turns=n] [--timeout=seconds] [--in-turn] [--lose=rank] [--at=step] "
                   "[--impatient=rank]\n",
                   stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    ring around(set);
    const auto q = std::make_unique<part>();
    auto own = std::make_unique<block>(), next = std::make_unique<block>();
    std::vector<head_state> seen(heads);
    fill(*q, around.rank, 3);

    double best[2] = {1e9, 0};  // seconds, and how many of them were spent waiting
    for (int turn = 0; turn < set.turns; ++turn) {
        fill(*own, around.rank);
        double none[1] = {};
        around.meet(none);
        around.waited = 0;
        const double start = now();
        attend(around, set, *q, own, next, seen);
        double took[2] = {now() - start, around.waited};
        around.meet(took);
        if (took[0] < best[0]) std::memcpy(best, took, sizeof best);
    }
    double error[1] = {greatest_error(around, set, *q, seen)};
    around.meet(error);
    if (around.rank == 0)
        std::printf("%d ranks, %zu keys: %.2f ms, at most %.2f ms of them waiting; greatest difference from loops in "
                    "double %.1e\n",
                    around.size, static_cast<std::size_t>(around.size) * rows, best[0] * 1e3, best[1] * 1e3, error[0]);
    MPI_Finalize();
    return error[0] < 1e-5 ? 0 : 1;
}
