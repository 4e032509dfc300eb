// SPDX-License-Identifier: BSL-1.0
// What a benchmark knows of those it measures: ours and the peers.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cases.hpp"

namespace ashlar::bench {

/// Computes a problem `calls` times in a row.
using runner = std::function<void(std::size_t calls)>;

/// Somebody who can solve problems. `prepare` does everything that happens once (code generation, choice of formats,
/// packing of weights) and returns an empty function for what it does not offer. The operands outlive the runner.
struct peer {
    std::string_view name;
    runner (*prepare)(std::size_t case_index, const operands& where);
};

/// A runner of the case's own function, or an empty one.
inline runner run_kernel(kernel k, const operands& where) {
    if (!k) return {};
    return [k, where](std::size_t calls) { k(where, calls); };
}

/// Each is defined in the file of its name, which is built where CMake finds the peer.
runner prepare_ashlar(std::size_t case_index, const operands& where);
runner prepare_loops(std::size_t case_index, const operands& where);
runner prepare_eigen(std::size_t case_index, const operands& where);
runner prepare_openblas(std::size_t case_index, const operands& where);
runner prepare_libxsmm(std::size_t case_index, const operands& where);
runner prepare_onednn(std::size_t case_index, const operands& where);
runner prepare_xtensor(std::size_t case_index, const operands& where);
runner prepare_fastor(std::size_t case_index, const operands& where);
runner prepare_ggml(std::size_t case_index, const operands& where);

}  // namespace ashlar::bench
