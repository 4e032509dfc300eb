// SPDX-License-Identifier: BSL-1.0
// The model of the images; its layout depends on the width of the registers that the program is compiled for.
#pragma once

#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

#ifndef MODEL_OUTPUTS
#error "the layout must be compiled with the definitions of the program"
#endif

namespace consumer {
using model = ashlar::nn::linear<{.in = 33, .out = MODEL_OUTPUTS, .bias = false}>;
}
