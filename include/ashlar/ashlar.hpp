// SPDX-License-Identifier: BSL-1.0
// The freestanding part of ashlar: tensors, expressions, plans and their evaluation.
#pragma once

#include <ashlar/core/axis.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/pack.hpp>
#include <ashlar/expr/attention.hpp>
#include <ashlar/expr/concat.hpp>
#include <ashlar/expr/einsum.hpp>
#include <ashlar/expr/elementwise.hpp>
#include <ashlar/expr/let.hpp>
#include <ashlar/expr/mask.hpp>
#include <ashlar/expr/masked.hpp>
#include <ashlar/expr/matmul.hpp>
#include <ashlar/expr/operators.hpp>
#include <ashlar/expr/reduce.hpp>
#include <ashlar/expr/shape_ops.hpp>
#include <ashlar/expr/store.hpp>
#include <ashlar/expr/where.hpp>
#include <ashlar/plan/cost.hpp>
#include <ashlar/plan/explain.hpp>
#include <ashlar/plan/summary.hpp>
#include <ashlar/plan/text.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/tensor/view.hpp>
