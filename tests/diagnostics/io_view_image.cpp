// SPDX-License-Identifier: BSL-1.0
// Views memory as an image although its bytes cannot be used in place.
//
// expect: ashlar: image: a model image needs a module that is trivially copyable and aligned to at most 64 bytes; hold tensors, not pointers or vectors
// expect: model_of_image<
#include <ashlar/io/image.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
struct model {
    tensor<float, 3> bias;
#ifdef ASHLAR_EXPECT_ERROR
    ~model() {}
#endif
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("bias", self.bias);
    }
};
bool view(io::bytes image) { return static_cast<bool>(io::view_image<model>(image)); }
