// SPDX-License-Identifier: BSL-1.0
// The freestanding part of ashlar: tensors, expressions, plans and their evaluation.
#pragma once

#if __STDC_HOSTED__
#include <cmath>  // of no use here: programs that compute single elements, too, had it by way of xsimd
#endif

// clang-format off
// From the ground up: compilers print the way to a header above each of its errors.
#include <ashlar/core/axis.hpp>
#include <ashlar/core/any_argument.hpp>
#include <ashlar/core/concepts.hpp>
#include <ashlar/core/config.hpp>
#include <ashlar/core/diagnostics.hpp>
#include <ashlar/core/shape.hpp>
#include <ashlar/kernel/simd/lane_types.hpp>
#include <ashlar/tensor/element_index.hpp>
#include <ashlar/tensor/assign.hpp>
#include <ashlar/tensor/view.hpp>
#include <ashlar/tensor/tensor.hpp>
#include <ashlar/expr/nodes/operands.hpp>
#include <ashlar/expr/nodes.hpp>
#include <ashlar/expr/elementwise/functions.hpp>
#include <ashlar/expr/elementwise/elementwise.hpp>
#include <ashlar/expr/elementwise/activations.hpp>
#include <ashlar/expr/elementwise/rounding.hpp>
#include <ashlar/expr/elementwise/trigonometric.hpp>
#include <ashlar/expr/elementwise/operators.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/expr/shape/concat.hpp>
#include <ashlar/expr/shape/shape_ops.hpp>
#include <ashlar/expr/reductions/reduce.hpp>
#include <ashlar/expr/reductions/normalize.hpp>
#include <ashlar/expr/reductions/pool.hpp>
#include <ashlar/expr/reductions/unit_norm.hpp>
#include <ashlar/expr/reductions/cumsum.hpp>
#include <ashlar/expr/shape/upsample.hpp>
#include <ashlar/expr/products/matmul.hpp>
#include <ashlar/expr/products/einsum_labels.hpp>
#include <ashlar/expr/products/einsum.hpp>
#include <ashlar/expr/elementwise/shape_constants.hpp>
#include <ashlar/expr/masks/mask.hpp>
#include <ashlar/expr/nodes/element_value.hpp>
#include <ashlar/expr/masks/keep.hpp>
#include <ashlar/expr/masks/keep_finite.hpp>
#include <ashlar/expr/masks/keys_below.hpp>
#include <ashlar/expr/masks/keep_if.hpp>
#include <ashlar/expr/masks/block_diagonal.hpp>
#include <ashlar/expr/masks/masked.hpp>
#include <ashlar/expr/reductions/masked_mean.hpp>
#include <ashlar/expr/elementwise/where.hpp>
#include <ashlar/expr/attention/attention_checks.hpp>
#include <ashlar/expr/attention/attention.hpp>
#include <ashlar/expr/attention/attention_state.hpp>
#include <ashlar/expr/attention/attention_partial.hpp>
#include <ashlar/expr/nodes/let.hpp>
#include <ashlar/expr/nodes/store.hpp>
#include <ashlar/expr/nodes/packed.hpp>
#include <ashlar/expr/nodes/quantized.hpp>
#include <ashlar/expr/nodes/quantized_int4.hpp>
#include <ashlar/expr/nodes/sequence_node.hpp>
#include <ashlar/expr/mistakes/deduced_types.hpp>
#include <ashlar/expr/mistakes/memory_operands.hpp>
#include <ashlar/expr/mistakes/operand_calls.hpp>
#include <ashlar/expr/mistakes/other_names.hpp>
#include <ashlar/expr/mistakes/reduction_calls.hpp>
#include <ashlar/expr/mistakes/shape_calls.hpp>
#include <ashlar/plan/graph/graph.hpp>
#include <ashlar/plan/graph/cost.hpp>
#include <ashlar/plan/report/explain.hpp>
#include <ashlar/plan/report/plan_json.hpp>
#include <ashlar/plan/report/plan_summary.hpp>
#include <ashlar/plan/report/text.hpp>
#include <ashlar/plan/sequence/sequence_summary.hpp>
#include <ashlar/eval/eval.hpp>
#include <ashlar/eval/executor.hpp>
#include <ashlar/eval/state.hpp>
#include <ashlar/eval/sequence.hpp>
#include <ashlar/eval/pack.hpp>
#include <ashlar/eval/quantize.hpp>
#include <ashlar/eval/stack_bytes.hpp>
#include <ashlar/eval/topk.hpp>
// clang-format on
