// SPDX-License-Identifier: BSL-1.0
// A file as an array of integers.
//
// expect: ashlar: embedded: the file must be a constant array of unsigned char, char or std::byte
//
// expect: file_bytes<
#include <ashlar/io/embedded.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
#ifdef ASHLAR_EXPECT_ERROR
constexpr int file[]{8, 0, 0, 0, 0, 0, 0, 0};
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
