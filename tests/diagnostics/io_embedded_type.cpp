// SPDX-License-Identifier: BSL-1.0
// Floats for a member of integers.
//
// expect: ashlar: embedded: elements of the file must convert to those of the model whatever their values are: floats to floats, integers to types that hold all of theirs; change either type
//
// expect: weight_type<
//
// expect: {"bias"}
//
// expect: dtype::i32
//
// expect: dtype::f32
#include <ashlar/io/embedded.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
// The zero that ends the literal is the last byte of the file.
constexpr char file[] = "\72\0\0\0\0\0\0\0"
                        R"({"bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})"
                        "eleven char";
struct model {
#ifdef ASHLAR_EXPECT_ERROR
    tensor<std::int32_t, 3> bias;
#else
    tensor<float, 3> bias;
#endif
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("bias", self.bias);
    }
};
void load_model(model& m) { io::load(m, io::embedded<file>); }
