// SPDX-License-Identifier: BSL-1.0
// An array that the model does not know.
//
// expect: ashlar: embedded: the file has an array that the model does not know; add a member, or give embedded options with .ignore_unexpected = true
//
// expect: stored_weight<
//
// expect: {"decoder.layers.0.encoder_attn."}
//
// expect: {"in_proj_bias"}
#include <ashlar/io/embedded.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
constexpr char file[] =
    "\231\0\0\0\0\0\0\0"
    R"({"bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]},"decoder.layers.0.encoder_attn.in_proj_bias":{"dtype":"U8","shape":[2],"data_offsets":[12,14]}})"
    "thirteen char";
#else
// The zero that ends the literal is the last byte of the file.
constexpr char file[] = "\72\0\0\0\0\0\0\0"
                        R"({"bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})"
                        "eleven char";
#endif
struct model {
    tensor<float, 3> bias;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("bias", self.bias);
    }
};
void load_model(model& m) { io::load(m, io::embedded<file>); }
