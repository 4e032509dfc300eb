// SPDX-License-Identifier: BSL-1.0
// The arrays of a module, which lie below nn: io sees tensor and core only, and reads the same lists of members.
#pragma once

#include <ashlar/tensor/parameters.hpp>
