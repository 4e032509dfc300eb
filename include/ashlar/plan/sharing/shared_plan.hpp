// SPDX-License-Identifier: BSL-1.0
// The plan whose outermost loops several workers share: its tiles, and scratch for each worker.
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include <ashlar/plan/build/planned.hpp>
#include <ashlar/plan/choose/tile_rows.hpp>
#include <ashlar/plan/sharing/same_sums.hpp>
#include <ashlar/plan/sharing/shared_bytes.hpp>

namespace ashlar::inline v0_1::detail {

/// A configuration whose plans several workers share: with tiles of at most this many rows, or by columns if rows are
/// few.
template <class Config, std::size_t Rows, bool Columns = false>
struct shared_config : Config {
    static constexpr std::size_t worker_rows = Rows;
    static constexpr bool worker_columns = Columns;
};

/// The tiles are those of one worker.
inline constexpr std::size_t own_tile_rows = (std::numeric_limits<std::size_t>::max)();

/// Whether this many workers would wait at the end of a loop because it has too few iterations.
template <class Program>
constexpr bool has_few_iterations(const Program& plan, std::size_t workers) {
    constexpr std::size_t enough_each = 4;
    for (loop_index l{}; l < plan.loop_count; ++l) {
        if (plan.loops[l].parent != no_loop || !plan.loops[l].rows) continue;
        const std::size_t turns = plan.loops[l].is_shared ? iterations_of(plan, l) : 1;
        if (turns < workers || (turns % workers != 0 && turns < enough_each * workers)) return true;
    }
    return false;
}

/// Bytes of scratch for this many workers.
constexpr std::size_t bytes_for_workers(const program_counts& plan, std::size_t workers) {
    return plan.scratch_bytes + (workers - 1) * plan.worker_bytes;
}

/// Workers for which this much scratch suffices, at least 1.
constexpr std::size_t workers_in(const program_counts& plan, std::size_t bytes) {
    constexpr std::size_t most = 1024;
    if (bytes < plan.scratch_bytes) return 1;
    if (plan.worker_bytes == 0) return most;
    const std::size_t workers = (bytes - plan.scratch_bytes) / plan.worker_bytes + 1;
    return workers < most ? workers : most;
}

/// Plans of an expression that several workers may share. All of them add in the order of the plan for one worker.
template <class Expression, class Config, axis_list Strides, class Limit = all_rows>
struct shared_plans {
    using alone = planned<Expression, Config, Strides, Limit>;
    using with_own_tiles = planned<Expression, shared_config<Config, own_tile_rows>, Strides, Limit>;
    template <std::size_t Rows>
    using with_rows = planned<Expression, shared_config<Config, Rows>, Strides, Limit>;

    /// The plan with tiles of this many rows if that changes no sum; otherwise another one.
    template <std::size_t Rows, class Other>
    using with_tiles = std::conditional_t<have_same_sums(alone::code, with_rows<Rows>::code), with_rows<Rows>, Other>;

    using tall = with_tiles<tall_tile_rows, with_own_tiles>;
    using flat = with_tiles<flat_tile_rows, tall>;

    using by_columns =
        std::conditional_t<may_have_shared_columns<alone>(),
                           planned<Expression, shared_config<Config, tall_tile_rows, true>, Strides, Limit>, tall>;
    static constexpr bool has_columns =
        has_shared_columns(by_columns::code) && have_same_sums(alone::code, by_columns::code);
    using shape = typename Expression::shape_type;
    static constexpr bool has_one_entry = [] {
        for (std::size_t a = 0; a + 2 < shape::rank; ++a)
            if (shape::extents[a] != 1) return false;
        return true;
    }();

    static consteval bool is_flat(std::size_t workers) {
        if constexpr (Limit::are_limited)
            return shared_plans<Expression, Config, Strides>::is_flat(workers);
        else
            return has_few_iterations(tall::code, workers);
    }
    /// Whether each worker reads a quarter less by columns than by rows.
    static consteval bool is_by_columns(std::size_t workers) {
        if constexpr (has_columns && Limit::are_limited)
            return shared_plans<Expression, Config, Strides>::is_by_columns(workers);
        else if constexpr (has_columns)
            return bytes_of_worker<by_columns>(workers) * 4 <
                   3 * (is_flat(workers) ? bytes_of_worker<flat>(workers) : bytes_of_worker<tall>(workers));
        else
            return false;
    }
    /// The plan for this much scratch if workers shared rows.
    static consteval const program_counts& rows_with(std::size_t bytes) {
        return is_flat_with(bytes) ? static_cast<const program_counts&>(flat::code) : tall::code;
    }
    /// The number of workers that would share rows with this much scratch, if they share rows; otherwise 1.
    static consteval std::size_t sharing_rows_with(std::size_t bytes) {
        const std::size_t workers = workers_in(rows_with(bytes), bytes);
        return is_by_columns(workers) ? 1 : workers;
    }

    template <std::size_t Workers>
    using of_workers =
        std::conditional_t<is_by_columns(Workers), by_columns, std::conditional_t<is_flat(Workers), flat, tall>>;
    /// Bytes of scratch for this many workers: for columns, more than fewer workers would take to share rows.
    static consteval std::size_t bytes_of(std::size_t workers) {
        if (!is_by_columns(workers))
            return is_flat(workers) ? bytes_for_workers(flat::code, workers) : bytes_for_workers(tall::code, workers);
        std::size_t bytes = bytes_for_workers(by_columns::code, workers);
        for (std::size_t fewer = sharing_rows_with(bytes); fewer > 1 && fewer < workers;
             fewer = sharing_rows_with(bytes))
            bytes = bytes_for_workers(rows_with(bytes), fewer + 1);
        return bytes;
    }
    /// The number of workers that this number of bytes was computed for; 0 if there is none.
    static consteval std::size_t workers_of_bytes(std::size_t bytes) {
        constexpr std::size_t most = 64;
        for (std::size_t workers = 2; workers <= most; ++workers)
            if (bytes_of(workers) == bytes) return workers;
        return 0;
    }

    /// The plan for this much scratch: the one for more workers if it suffices for them. If rows are limited, it is the
    /// plan for all rows.
    static consteval bool is_flat_with(std::size_t bytes) {
        if constexpr (Limit::are_limited) {
            return shared_plans<Expression, Config, Strides>::is_flat_with(bytes);
        } else {
            const std::size_t of_flat = workers_in(flat::code, bytes), of_tall = workers_in(tall::code, bytes);
            return of_flat > 1 && (of_tall == 1 || (of_flat > of_tall && is_flat(of_flat)) || is_flat(of_tall));
        }
    }
    static consteval bool is_by_columns_with(std::size_t bytes) {
        if constexpr (!has_columns) {
            return false;
        } else if constexpr (Limit::are_limited) {
            return shared_plans<Expression, Config, Strides>::is_by_columns_with(bytes);
        } else {
            if (const std::size_t workers = workers_of_bytes(bytes); workers != 0) return is_by_columns(workers);
            const std::size_t of_columns = workers_in(by_columns::code, bytes);
            return of_columns > 1 && sharing_rows_with(bytes) == 1 && is_by_columns(of_columns);
        }
    }
    /// If the plan for all rows shares rows, the number of rows, known at run time, up to which this many workers share
    /// columns instead, with scratch for either plan: while half of them would wait and columns leave each a quarter
    /// less to read. It is additional code; 0 if it does not pay, or if there are batch entries to share.
    template <class ByRows>
    static consteval std::size_t rows_by_columns(std::size_t workers) {
        std::size_t most = 0;
        if constexpr (Limit::are_limited && has_columns && !has_shared_columns(ByRows::code) && has_one_entry) {
            constexpr std::size_t each = rows_of_iterations(ByRows::code), all = shape::extents[shape::rank - 2];
            if (each == 0) return 0;
            for (std::size_t turns = 1; 2 * turns <= workers && (turns - 1) * each < all; ++turns) {
                const std::size_t rows = turns * each < all ? turns * each : all;
                if (bytes_of_worker<by_columns>(workers, rows) * 4 >= 3 * bytes_of_worker<ByRows>(workers, rows)) break;
                most = rows;
            }
        }
        return most;
    }
    /// The same for this much scratch.
    template <class ByRows>
    static consteval std::size_t rows_by_columns_with(std::size_t bytes) {
        if constexpr (Limit::are_limited && has_columns) {
            const std::size_t of_rows = workers_in(ByRows::code, bytes),
                              of_columns = workers_in(by_columns::code, bytes);
            return of_columns < of_rows ? 0 : rows_by_columns<ByRows>(of_rows);
        } else {
            return 0;
        }
    }

    template <std::size_t Bytes>
    using of_bytes =
        std::conditional_t<is_by_columns_with(Bytes), by_columns, std::conditional_t<is_flat_with(Bytes), flat, tall>>;
};

/// Scratch of a single worker's plan, whatever it takes. Several workers may share a plan without any scratch.
inline constexpr std::size_t not_shared = (std::numeric_limits<std::size_t>::max)();

/// Calls visit<Plan, MoreThan, UpTo>() for the plan of Expression, or with this much scratch for workers for the plan
/// that they share. If the number of rows decides, these are two: the first for up to UpTo rows, the second for more.
/// MoreThan and UpTo are zero where there is no such bound.
template <class Expression, class Config, class Rows, std::size_t Bytes, class Visitor>
constexpr void each_run_plan(Visitor&& visit) {
    constexpr axis_list strides = row_major<Expression>();
    if constexpr (Bytes == not_shared) {
        visit.template operator()<planned<Expression, Config, strides, Rows>, std::size_t{0}, std::size_t{0}>();
    } else {
        using plans = shared_plans<Expression, Config, strides, Rows>;
        using plan = typename plans::template of_bytes<Bytes>;
        constexpr std::size_t few = plans::template rows_by_columns_with<plan>(Bytes);
        if constexpr (few != 0) visit.template operator()<typename plans::by_columns, std::size_t{0}, few>();
        visit.template operator()<plan, few, std::size_t{0}>();
    }
}

}  // namespace ashlar::detail
