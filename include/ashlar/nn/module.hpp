// SPDX-License-Identifier: BSL-1.0
// What a module is, which lies below nn: io sees tensor and core only, and reads the same lists of members.
#pragma once

#include <ashlar/tensor/module.hpp>
