// SPDX-License-Identifier: BSL-1.0
// A model image that is viewed in the bytes of a temporary.
//
// expect: ashlar: io: the bytes of a temporary would dangle; name the memory first
#include <span>
#include <vector>

#include <ashlar/io/image.hpp>
#include <ashlar/tensor/tensor.hpp>

using namespace ashlar;
std::vector<std::byte> read();
struct model {
    tensor<float, 3> bias;
    template <class Self, class Visitor>
    static constexpr void members(Self& self, Visitor&& visit) {
        visit("bias", self.bias);
    }
};

#ifdef ASHLAR_EXPECT_ERROR
bool view() { return static_cast<bool>(io::view_image<model>(read())); }
#else
const std::vector<std::byte> memory = read();
bool view() {
    return static_cast<bool>(io::view_image<model>(memory)) && io::view_image<model>(std::as_bytes(std::span(memory)));
}
#endif
