// SPDX-License-Identifier: BSL-1.0
// A member with a name that the file does not have.
//
// expect: ashlar: embedded: the file lacks an array that the model needs; rename the member, or give embedded a name map, or options with a prefix
//
// expect: needed_weight<
//
// expect: {"bais"}
//
// expect: nearest_in_file<
//
// expect: {"bias"}
#include <ashlar/io/embedded.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
// The zero that ends the literal is the last byte of the file.
constexpr char file[] = "\72\0\0\0\0\0\0\0"
                        R"({"bias":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})"
                        "eleven char";
struct model {
    tensor<float, 3> bias;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
#ifdef ASHLAR_EXPECT_ERROR
        visit("bais", self.bias);
#else
        visit("bias", self.bias);
#endif
    }
};
void load_model(model& m) { io::load(m, io::embedded<file>); }
