// SPDX-License-Identifier: BSL-1.0
// The model of fixtures/constant_image.hpp. Its panels are of a width of their own, so that the image fits every build.
#pragma once

#include <ashlar/nn/transformers/encoder_layer.hpp>

namespace ashlar::test {

using constant_encoder = nn::encoder_layer<{.embed = 8, .heads = 2, .hidden = 24}, float, float, 16>;

}  // namespace ashlar::test
