// SPDX-License-Identifier: BSL-1.0
// Loading into a tensor that is const.
// expect: ashlar: load: the first argument must be a module, a dense array with its name as the third argument, or a
// tuple of io::named, and not const; give the type a list of members expect: model_to_load<
#include <ashlar/io/model/load.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
io::result load_bias(const tensor<float, 3>& bias) { return io::load(bias, "bias.safetensors", "bias"); }
#else
io::result load_bias(tensor<float, 3>& bias) { return io::load(bias, "bias.safetensors", "bias"); }
#endif
