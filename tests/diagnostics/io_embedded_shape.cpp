// SPDX-License-Identifier: BSL-1.0
// An array of another shape than the member.
//
// expect: ashlar: embedded: an array has another shape in the file than in the model; change the model, or export its weights again
//
// expect: weight_shape<
//
// expect: {"bias"}
//
// expect: needed_shape<4, 3>
//
// expect: found_shape<3>
#include <ashlar/io/embedded.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
// The zero that ends the literal is the last byte of the file.
constexpr char file[] = "\72\0\0\0\0\0\0\0"
                        R"({"bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})"
                        "eleven char";
struct model {
#ifdef ASHLAR_EXPECT_ERROR
    tensor<float, 4, 3> bias;
#else
    tensor<float, 3> bias;
#endif
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("bias", self.bias);
    }
};
void load_model(model& m) { io::load(m, io::embedded<file>); }
