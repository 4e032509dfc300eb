// SPDX-License-Identifier: BSL-1.0
// Linear algebra of small square matrices: cholesky, det, inverse, lu, solve.
#pragma once

// clang-format off
// In the order of their includes: compilers print the include path above each error.
#include <ashlar/ashlar.hpp>
#include <ashlar/expr/linalg/square_matrix.hpp>
#include <ashlar/expr/linalg/inverse.hpp>
#include <ashlar/expr/linalg/solve.hpp>
#include <ashlar/expr/linalg/cholesky.hpp>
#include <ashlar/eval/stages/matrix_stage.hpp>
#include <ashlar/eval/constant/constant_matrices.hpp>
#include <ashlar/eval/lu.hpp>
// clang-format on
