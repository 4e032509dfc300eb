// SPDX-License-Identifier: BSL-1.0
// The freestanding part of ashlar: tensors, expressions, plans and their evaluation.
#pragma once

// From the ground up: the way to a header stands above each of its errors.
#include <ashlar/core/axis.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/tensor/index.hpp>
#include <ashlar/tensor/assign.hpp>
#include <ashlar/tensor/view.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/expr/operands.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/functions.hpp>
#include <ashlar/expr/elementwise.hpp>
#include <ashlar/expr/operators.hpp>
#include <ashlar/expr/permute.hpp>
#include <ashlar/expr/reshape.hpp>
#include <ashlar/expr/slice.hpp>
#include <ashlar/expr/concat.hpp>
#include <ashlar/expr/shape_ops.hpp>
#include <ashlar/expr/reduce.hpp>
#include <ashlar/expr/normalize.hpp>
#include <ashlar/expr/matmul.hpp>
#include <ashlar/expr/einsum_labels.hpp>
#include <ashlar/expr/einsum.hpp>
#include <ashlar/expr/index.hpp>
#include <ashlar/expr/mask.hpp>
#include <ashlar/expr/masks/keep.hpp>
#include <ashlar/expr/masks/keys_below.hpp>
#include <ashlar/expr/masks/keep_if.hpp>
#include <ashlar/expr/masked.hpp>
#include <ashlar/expr/where.hpp>
#include <ashlar/expr/attention_checks.hpp>
#include <ashlar/expr/attention.hpp>
#include <ashlar/expr/let.hpp>
#include <ashlar/expr/store.hpp>
#include <ashlar/expr/packed.hpp>
#include <ashlar/plan/graph.hpp>
#include <ashlar/plan/cost.hpp>
#include <ashlar/plan/explain.hpp>
#include <ashlar/plan/summary.hpp>
#include <ashlar/plan/text.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/pack.hpp>
