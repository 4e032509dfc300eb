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

void room_for_one_eval(const matrix& x) {
    auto y = eval(softmax(x));
    use(y);
}
void room_for_one_construction(const matrix& x) {
    matrix y = softmax(x);
    use(y);
}
matrix room_in_the_caller(const matrix& x) { return eval(exp(x)); }
void room_for_one_returned(const matrix& x) {
    auto y = room_in_the_caller(x);
    use(y);
}
void room_for_one_eval_of_a_view(const matrix& x) {
    auto y = eval(transpose(x));
    use(y);
}
void room_for_one_eval_of_a_tensor(const matrix& x) {
    auto y = eval(x);
    use(y);
}
void room_for_one_construction_from_a_view(const matrix& x) {
    matrix y = transpose(x);
    use(y);
}
void room_for_one_packed(const matrix& x) {
    auto y = pack(x);
    use(y);
}
void room_for_one_zeros() {
    auto y = zeros<float, 128, 128>();
    use(y);
}
void room_for_one_full(float value) {
    auto y = full<float, 128, 128>(value);
    use(y);
}
void room_for_one_iota() {
    auto y = iota<float, 128, 128>();
    use(y);
}
void room_for_one_identity() {
    auto y = identity<float, 128>();
    use(y);
}
void room_for_one_generate(float scale) {
    auto y =
        generate<float, 128, 128>([scale](std::size_t i, std::size_t j) { return scale * static_cast<float>(i + j); });
    use(y);
}
void room_for_one_rand(nn::init::generator& random) {
    auto y = nn::init::rand<float, 128, 128>(random);
    use(y);
}
void room_for_one_randn(nn::init::generator& random) {
    auto y = nn::init::randn<float, 128, 128>(random);
    use(y);
}
void room_for_one_slopes() {
    auto y = nn::alibi_slopes<float, 16384>();
    use(y);
}
void room_for_one_table(const nn::relative_positions<{.heads = 16}>& near) {
    auto y = near.table<512, 513>();
    use(y);
}

using sinusoidal = nn::sinusoidal<{.positions = 128, .size = 128}>;
void use(sinusoidal&);
void room_for_one_sines() {
    auto y = sinusoidal::make();
    use(y);
}
