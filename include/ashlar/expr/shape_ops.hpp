// SPDX-License-Identifier: BSL-1.0
// Every operation that moves elements without computing: views of memory where strides can express it, else lazy.
#pragma once

#include <ashlar/expr/concat.hpp>
#include <ashlar/expr/permute.hpp>
#include <ashlar/expr/reshape.hpp>
#include <ashlar/expr/slice.hpp>
