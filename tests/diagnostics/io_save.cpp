// SPDX-License-Identifier: BSL-1.0
// Saving a tensor without a name.
//
// expect: ashlar: save: the first argument must be a module, a dense array with its name as the third argument, or a tuple of io::named; give the type a list of members
// expect: model_of_file<
#include <ashlar/io/model/save.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
io::result save_bias(const tensor<float, 3>& bias) {
#ifdef ASHLAR_EXPECT_ERROR
    return io::save(bias, "bias.safetensors");
#else
    return io::save(bias, "bias.safetensors", "bias");
#endif
}
