// SPDX-License-Identifier: BSL-1.0
// Loading a type that has no list of members.
//
// expect: ashlar: load: the first argument must be a module, a dense array with its name as the third argument, or a tuple of io::named, and not const; give the type a list of members
// expect: model_to_load<
#include <ashlar/io/model/load.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
struct model {
    tensor<float, 3> bias;
#ifndef ASHLAR_EXPECT_ERROR
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("bias", self.bias);
    }
#endif
};
io::result load_model(model& m) { return io::load(m, "model.safetensors"); }
