// SPDX-License-Identifier: BSL-1.0
// A file whose end is missing.
//
// expect: ashlar: embedded: the bytes must be a whole safetensors file; embed all of the file, or export it again
//
// expect: embedded_file<
//
// expect: {"bias: truncated: 78 bytes are "}
//
// expect: {"needed, there are 73"}
#include <ashlar/io/embedded.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
constexpr char file[] = "\72\0\0\0\0\0\0\0"
                        R"({"bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})"
                        "eleven";
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
