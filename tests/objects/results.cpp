// SPDX-License-Identifier: BSL-1.0
// Functions of the library that return tensors by value, each with a caller that has room for one result of 64 KiB.
// check_frames.sh reads their stack frames. Callers begin with `room_for_one_`.
#include <ashlar/ashlar.hpp>
#include <ashlar/nn.hpp>

using namespace ashlar;

using matrix = tensor<float, 128, 128>;

void use(matrix&);
void use(tensor<float, 16384>&);
void use(packed<float, 128, 128>&);
void use(nn::distance_table<float, 16, 512, 513>&);

#define ROOM_FOR_ONE(what, parameter, ...)                                                                             \
    void room_for_one_##what(parameter) {                                                                              \
        auto y = __VA_ARGS__;                                                                                          \
        use(y);                                                                                                        \
    }

ROOM_FOR_ONE(eval, const matrix& x, eval(softmax(x)))
void room_for_one_construction(const matrix& x) {
    matrix y = softmax(x);
    use(y);
}
matrix room_in_the_caller(const matrix& x) { return eval(exp(x)); }
ROOM_FOR_ONE(returned, const matrix& x, room_in_the_caller(x))
ROOM_FOR_ONE(eval_of_a_view, const matrix& x, eval(transpose(x)))
ROOM_FOR_ONE(eval_of_a_tensor, const matrix& x, eval(x))
void room_for_one_construction_from_a_view(const matrix& x) {
    matrix y = transpose(x);
    use(y);
}
ROOM_FOR_ONE(packed, const matrix& x, pack(x))
ROOM_FOR_ONE(zeros, , zeros<float, 128, 128>())
ROOM_FOR_ONE(full, float value, full<float, 128, 128>(value))
ROOM_FOR_ONE(iota, , iota<float, 128, 128>())
ROOM_FOR_ONE(identity, , identity<float, 128>())
ROOM_FOR_ONE(generate, float scale, generate<float, 128, 128>([scale](std::size_t i, std::size_t j) {
                 return scale * static_cast<float>(i + j);
             }))
ROOM_FOR_ONE(rand, nn::init::generator& random, nn::init::rand<float, 128, 128>(random))
ROOM_FOR_ONE(randn, nn::init::generator& random, nn::init::randn<float, 128, 128>(random))
ROOM_FOR_ONE(slopes, , nn::alibi_slopes<float, 16384>())
ROOM_FOR_ONE(table, const nn::relative_positions<{.heads = 16}>& near, near.table<512, 513>())

using sinusoidal = nn::sinusoidal<{.positions = 128, .size = 128}>;
void use(sinusoidal&);
ROOM_FOR_ONE(sines, , sinusoidal::make())
