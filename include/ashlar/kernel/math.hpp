// SPDX-License-Identifier: BSL-1.0
// Functions of lanes and scalars, one algorithm for registers, arrays and constant expressions.
#pragma once

#include <ashlar/kernel/math/elementary.hpp>
#include <ashlar/kernel/math/erf.hpp>
#include <ashlar/kernel/math/exp.hpp>
#include <ashlar/kernel/math/exp2_nonpositive.hpp>
#include <ashlar/kernel/math/gates.hpp>
#include <ashlar/kernel/math/gelu.hpp>
#include <ashlar/kernel/math/log.hpp>
#include <ashlar/kernel/math/pow.hpp>
#include <ashlar/kernel/math/sigmoid.hpp>
#include <ashlar/kernel/math/sin.hpp>
#include <ashlar/kernel/math/tanh.hpp>
