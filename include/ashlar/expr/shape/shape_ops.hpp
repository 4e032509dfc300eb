// SPDX-License-Identifier: BSL-1.0
// All operations that move elements without computing: views of memory if strides can express it, else lazy.
#pragma once

#include <ashlar/expr/shape/concat.hpp>
#include <ashlar/expr/shape/pad.hpp>
#include <ashlar/expr/shape/permute.hpp>
#include <ashlar/expr/shape/reshape.hpp>
#include <ashlar/expr/shape/roll.hpp>
#include <ashlar/expr/shape/slice.hpp>
#include <ashlar/expr/shape/windows.hpp>
